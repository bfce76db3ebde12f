"""Groups of runs that are averaged."""

from __future__ import annotations

import pytest

from tbtui.plugins.scalars.run_groups import Group, group_by_settings, select_averaged
from tbtui.settings.settings import Settings

RUNS = ("adam/seed0", "adam/seed1", "lonely", "sgd_lr1/seed0", "sgd_lr1/seed1", "sgd_lr2/seed0")


def grouped(runs: tuple[str, ...] = RUNS, **settings: object) -> dict[str, tuple[str, ...]]:
    groups = group_by_settings(runs, Settings(**settings))  # type: ignore[arg-type]
    assert sorted(run for group in groups for run in group.runs) == sorted(runs)
    return {group.name: group.runs for group in groups}


def test_groups_are_single_runs_by_default() -> None:
    assert grouped() == {run: (run,) for run in RUNS}


def test_groups_by_leading_directories() -> None:
    assert grouped(group_level=1) == {
        "adam": RUNS[:2],
        "lonely": ("lonely",),
        "sgd_lr1": RUNS[3:5],
        "sgd_lr2/seed0": RUNS[5:],
    }
    assert grouped(("a/b/s0", "a/b/s1", "a/c/s0"), group_level=2) == {
        "a/b": ("a/b/s0", "a/b/s1"),
        "a/c/s0": ("a/c/s0",),
    }
    assert grouped(group_level=64) == grouped()


@pytest.mark.parametrize(
    ("pattern", "groups"),
    [
        pytest.param("(adam|sgd)", {"adam": RUNS[:2], "lonely": ("lonely",), "sgd": RUNS[3:]}, id="one group"),
        pytest.param(
            "(sgd)_lr(.)",
            {**{run: (run,) for run in RUNS[:3]}, "sgd 1": RUNS[3:5], "sgd_lr2/seed0": RUNS[5:]},
            id="two groups, and runs that do not match",
        ),
        pytest.param(
            "adam/seed.", {"adam/seed": RUNS[:2], **{run: (run,) for run in RUNS[2:]}}, id="no groups: all it matches"
        ),
        pytest.param("(x)?seed", {"(x)?seed": RUNS[:2] + RUNS[3:], "lonely": ("lonely",)}, id="nothing to call it by"),
        pytest.param("(", {run: (run,) for run in RUNS}, id="invalid"),
    ],
)
def test_groups_by_pattern_matches(pattern: str, groups: dict[str, tuple[str, ...]]) -> None:
    assert grouped(group_pattern=pattern) == groups
    assert grouped(group_pattern=pattern, group_level=1) == groups


def test_groups_by_a_catastrophic_pattern_are_none() -> None:
    runs = tuple("a" * 2000 + str(index) for index in range(3000))
    assert grouped(runs, group_pattern="(.*)(.*)(.*)(.*)(.*)z") == {run: (run,) for run in runs}


def test_averages_are_groups_of_several_runs() -> None:
    assert select_averaged([Group("a", ("x", "y")), Group("b", ("z",))]) == (Group("a", ("x", "y")),)
