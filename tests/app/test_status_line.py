from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.app.layout import choose_layout
from tbtui.app.sidebar_rows import build_legend, shorten_names
from tbtui.app.state import AppState, AppStateBuilder
from tbtui.app.status_line import (
    build_status_line,
    explain_empty_pane,
    format_part,
    format_progress,
    shorten_path,
    summarize_damage,
)
from tbtui.charts.styled_text import pieces_width
from tbtui.loading.state import LoadState, Searched
from tbtui.plugins.registry import list_tabs
from tbtui.run_health.ages import format_freshness, time_until_change
from tbtui.settings.settings import Settings
from tbtui.view.run_names import RunColours
from tests.helpers.scripted_dashboard import AUDIO, IMAGES, NOW, SCALARS, damage
from tests.helpers.snapshots import START, plain_store, references, run, store

if TYPE_CHECKING:
    from tbtui.plugins.base import Plugin
    from tbtui.store.snapshot import StoreSnapshot

RUNS = plain_store(["adam/seed0", "adam/seed1", "sgd"])


LAST = START + 100
"""Wall time of the last event of made-up runs."""


def state(snapshot: StoreSnapshot = RUNS, settings: Settings | None = None, now: float = NOW, **state: Any) -> AppState:
    told = LoadState(snapshot, **{"complete": True, "watching": "notified", **state})
    return AppStateBuilder((SCALARS, IMAGES, AUDIO), RunColours()).build(told, settings or Settings(), now)


def status(width: int = 80, age: float = 2.0, label: str = "logs/digits", **given: Any) -> str:
    text = "".join(piece for piece, _ in build_status_line(state(now=LAST + age, **given), label, width))
    assert len(text) <= width
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({}, "tbtui logs/digits 3 runs · 3 tags · live"),
        ({"age": 61.0}, "tbtui logs/digits 3 runs · 3 tags · last write 1m ago"),
        ({"watching": "polled"}, "tbtui logs/digits 3 runs · 3 tags · live (polled)"),
        ({"watching": "polled", "age": 61.0}, "tbtui logs/digits 3 runs · 3 tags · last write 1m ago"),
        ({"watching": "off"}, "tbtui logs/digits 3 runs · 3 tags · not watching"),
        ({"complete": False}, "tbtui logs/digits 3 runs · 3 tags · loading"),
        ({"complete": False, "bytes_read": 43, "bytes_total": 100}, "tbtui logs/digits 3 runs · 3 tags · loading 43 %"),
        (
            {"complete": False, "bytes_read": 31_000_000, "bytes_total": 99_000_000, "is_searching": True},
            "tbtui logs/digits 3 runs · 3 tags · loading 31.0 MB",
        ),
        (
            {"complete": False, "bytes_read": 43, "bytes_total": 2 << 30, "seconds_left": 70},
            "tbtui logs/digits 3 runs · 3 tags · loading 0 % of 2.1 GB, about 1m10s left",
        ),
        (
            {"complete": False, "bytes_read": 1 << 30, "bytes_total": 2 << 30, "seconds_left": 3, "width": 45},
            "logs/digits 3 runs · loading 50 % · 3s left",
        ),
        (
            {"complete": False, "bytes_read": 1 << 30, "bytes_total": 2 << 30, "seconds_left": 300, "width": 38},
            "logs/digits loading 50 % · 5m left",
        ),
        (
            {"complete": False, "bytes_read": 1 << 30, "bytes_total": 2 << 30, "seconds_left": 300, "width": 32},
            "logs/digits loading 50 %",
        ),
        ({"settings": Settings(run_filter="adam")}, "tbtui logs/digits 2 of 3 runs · 3 tags · live"),
        ({"settings": Settings(tag_filter="loss")}, "tbtui logs/digits 3 runs · 2 of 3 tags · live"),
        ({"settings": Settings(solo="sgd")}, "tbtui logs/digits 1 of 3 runs (solo) · 3 tags · live"),
        ({"problems": damage("/a")}, "tbtui logs/digits 3 runs · 3 tags · live ⚠ 1 damaged file"),
        ({"problems": damage("/a", "/b", "/b")}, "tbtui logs/digits 3 runs · 3 tags · live ⚠ 2 damaged files"),
        ({"snapshot": store()}, "tbtui logs/digits 0 runs · waiting"),
        ({"width": 45}, "logs/digits 3 runs · 3 tags · live"),
        ({"width": 45, "problems": damage("/a")}, "logs/digits 3 runs · 3 tags · live ⚠ 1"),
        ({"width": 33, "problems": damage("/a")}, "logs/digits 3 runs · live ⚠ 1"),
        ({"width": 32, "complete": False, "bytes_read": 1, "bytes_total": 2}, "logs/digits loading 50 %"),
        ({"width": 45, "label": "/scratch/people/someone/logs/digits"}, "…/logs/digits 3 runs · 3 tags · live"),
        ({"label": "a\x1b]0;x\x07b"}, "tbtui a·]0;x·b 3 runs · 3 tags · live"),
    ],
)
def test_status_line(given: dict[str, Any], line: str) -> None:
    assert status(**given) == line


LOST = store(*(run(f"r{index}", {"loss": (1.0, math.nan if index < 2 else 1.0)}) for index in range(14)))
"""Fourteen runs, two of which lost their numbers."""


@pytest.mark.parametrize(
    ("width", "settings", "line"),
    [
        (40, Settings(), "…/logs/digits 14 runs · live · ✗ 2 NaN"),
        (35, Settings(), "…/digits 14 runs · live · ✗ 2 NaN"),
        (34, Settings(), "…/logs/digits live · ✗ 2 NaN"),
        (40, Settings(solo="r0"), "…/digits 1 of 14 runs (solo) · live"),
    ],
)
def test_status_line_prefers_trouble_to_counts(width: int, settings: Settings, line: str) -> None:
    assert status(width, label="/scratch/people/logs/digits", snapshot=LOST, settings=settings) == line


def test_status_line_counts_inf_beside_nan() -> None:
    lost = store(
        *(run(name, {"loss": (1.0, value)}) for name, value in (("a", math.inf), ("b", -math.inf), ("c", math.nan)))
    )
    assert status(snapshot=lost) == "tbtui logs/digits 3 runs · 1 tag · live · ✗ NaN in 1 run · ✗ Inf in 2 runs"


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        (Settings(), "…/logs/digits live · ✗ 2 NaN · ? help"),
        (Settings(solo="r5"), "…/digits 1 of 14 runs (solo) · live"),
        (Settings(run_filter="r5"), "…/digits 1 of 14 runs · live · ? help"),
    ],
)
def test_status_line_offers_help_without_a_footer(settings: Settings, line: str) -> None:
    seen = state(LOST, settings, LAST)
    pieces = build_status_line(seen, "/scratch/people/logs/digits", 40, keys=False)
    assert " ".join("".join(text for text, _ in pieces).split()) == line


@given(st.integers(0, 200), st.text(max_size=60), st.sampled_from(["", "adam"]), st.booleans(), st.booleans())
def test_status_line_never_exceeds_the_terminal(
    width: int, label: str, run_filter: str, damaged: bool, keys: bool
) -> None:
    problems = damage("/a") if damaged else ()
    seen = state(settings=Settings(run_filter=run_filter), problems=problems, now=5e9)
    pieces = build_status_line(seen, label, width, keys)
    assert pieces_width(pieces) <= max(width, 50)
    assert not keys or "? help" not in "".join(text for text, _ in pieces)
    if width >= 30:
        assert pieces_width(pieces) <= width


@pytest.mark.parametrize(
    ("path", "width", "short"),
    [
        ("logs/digits", 11, "logs/digits"),
        ("logs/digits", 10, "…/digits"),
        ("/a/b/c", 5, "…/b/c"),
        ("/a/b/c", 4, "…/c"),
        ("alongname", 5, "al…me"),
        ("/deep/alongname", 6, "…/a…me"),
        ("logs/", 3, "l…/"),
        ("/", 1, "/"),
        ("x", 0, ""),
    ],
)
def test_short_path_keeps_the_end(path: str, width: int, short: str) -> None:
    assert shorten_path(path, width) == short


@pytest.mark.parametrize(
    ("age", "words", "wait"),
    [
        (None, "", None),
        (-60.0, "live", 120.0),
        (-3600.0, "clock ahead", 3540.0),
        (0.0, "live", 60.0),
        (59.9, "live", pytest.approx(0.1)),
        (60.0, "last write 1m ago", 60.0),
        (300.0, "last write 5m ago", 60.0),
        (7300.0, "last write 2h ago", pytest.approx(3 * 3600 - 7300)),
        (4 * 86400.0, "last write 4d ago", 86400.0),
        (400 * 86400.0, "last write 400d ago", 86400.0),
        (900 * 86400.0, "last write 2y ago", 195 * 86400.0),
    ],
)
def test_freshness_changes_with_each_unit(age: float | None, words: str, wait: float | None) -> None:
    assert (format_freshness(age), time_until_change(age)) == (words, wait)


def test_progress_stays_below_100_percent_until_complete() -> None:
    state = LoadState(bytes_read=100, bytes_total=100)
    assert format_progress(state) == "loading 99 %"
    assert format_progress(replace(state, complete=True)) == ""


def test_damage_summary_counts_empty_files_apart() -> None:
    (damaged,) = damage("/a")
    (empty,) = (replace(problem, state="empty") for problem in damage("/b"))
    assert summarize_damage([damaged, damaged, empty]) == "1 damaged file, 1 empty"
    assert summarize_damage([empty]) == "1 empty file"
    assert summarize_damage([]) == ""
    assert status(problems=(empty,)) == status()


@pytest.mark.parametrize(
    ("some", "count", "words"),
    [(1, 1, "1 run"), (0, 0, "0 runs"), (2, 7, "2 of 7 runs"), (0, 1, "0 of 1 run"), (5000, 5000, "5,000 runs")],
)
def test_part_of_formats_counts(some: int, count: int, words: str) -> None:
    assert format_part(some, count, "run") == words


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, None),
        ({"snapshot": store(), "complete": False}, "looking for event files in logs"),
        ({"snapshot": store()}, "no event files in logs yet"),
        ({"snapshot": store(), "searched": Searched(1200, 9, 3)}, "no event files in logs yet"),
        ({"snapshot": store(run("a"))}, "no values in these runs yet"),
        ({"snapshot": store(run("a")), "complete": False}, "reading"),
        (
            {"snapshot": store(run("a", others=[references("a", "t", "text")]))},
            "nothing to draw in these runs yet: they hold text",
        ),
        ({"settings": Settings(run_filter="zzz")}, "the filter “zzz” hides all 3 runs"),
        (
            {"snapshot": store(run("a", {"t": (1,)})), "settings": Settings(run_filter="z")},
            "the filter “z” hides the run",
        ),
        ({"settings": Settings(tag_filter="zzz")}, "the filter “zzz” hides all 3 tags"),
        ({"settings": Settings(hidden_runs=frozenset(RUNS.runs))}, "all runs are hidden"),
        (
            {"snapshot": store(run("a", {"t": (1,)}), run("b")), "settings": Settings(solo="b")},
            "no scalars in the visible runs",
        ),
    ],
)
def test_empty_reason(given: dict[str, Any], says: str | None) -> None:
    words = explain_empty_pane(state(**given), "logs")
    assert (words and words[0]) == says


def test_empty_reason_without_runs_says_what_was_searched() -> None:
    seen = Searched(directories=41_000, files=310_000, depth=14)
    _, hint = explain_empty_pane(state(store(), searched=seen), "/usr") or ("", "")
    assert hint.startswith("searched 41,000 directories and 310,000 files, 14 levels deep, for names with tfevents")
    _, hint = explain_empty_pane(state(store(), watching="off", searched=seen), "/usr") or ("", "")
    assert hint.endswith("; press r to look again")
    _, hint = explain_empty_pane(state(store(), complete=False, searched=Searched(1, 0, 0)), "/usr") or ("", "")
    assert hint == "searched 1 directory and 0 files so far"


@pytest.mark.parametrize(
    "plugin", [plugin for plugin in list_tabs() if not plugin.has_outline], ids=lambda plugin: plugin.name
)
def test_empty_reason_names_what_the_tab_shows(plugin: Plugin) -> None:
    said = explain_empty_pane(replace(state(), plugin=plugin, all_tags=frozenset()), "logs")
    hint = "press space in the list of runs to show another one"
    assert said == (f"no {plugin.noun} in the visible runs", hint)


@pytest.mark.parametrize(
    ("names", "short"),
    [
        ([], []),
        (["a/seed0", "a/seed1", "sgd"], ["seed0", "seed1", "sgd"]),
        (["a/s0", "b/s0", "b/s1"], ["a/s0", "b/s0", "s1"]),
        (["s0", "a/s0"], ["s0", "a/s0"]),
        (["x/a/s", "y/a/s", "y/b/s"], ["x/a/s", "y/a/s", "b/s"]),
        (["a", "a"], ["a", "a"]),
    ],
)
def test_short_names_stay_distinct(names: list[str], short: list[str]) -> None:
    assert shorten_names(names) == short


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (40, " ● seed0 ● seed1 ● sgd"),
        (22, " ● seed0 ● seed1 ● sgd"),
        (21, " ● seed0 ● seed1 ⋯1"),
        (12, " ● seed0 ⋯2"),
        (8, " ⋯3"),
    ],
)
def test_legend_names_the_runs_that_fit(width: int, line: str) -> None:
    assert "".join(text for text, _ in build_legend(state(), width)) == line


def test_legend_names_nested_runs_last() -> None:
    seen = state(snapshot=plain_store(["a", "a/trial", "b"]))
    assert "".join(text for text, _ in build_legend(seen, 40)) == " ● a ● b ● trial"


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        ((120, 40), "sidebar tabs keys"),
        ((80, 24), "sidebar tabs keys"),
        ((79, 24), "legend keys"),
        ((45, 45), "legend keys"),
        ((120, 15), "sidebar tabs"),
        ((120, 13), "sidebar"),
        ((40, 12), ""),
        ((30, 8), ""),
    ],
)
def test_layout_shows_the_parts_that_fit(size: tuple[int, int], shown: str) -> None:
    layout = choose_layout(*size, tabs=1)
    parts = {"sidebar": layout.is_wide, "tabs": layout.has_tabs, "legend": layout.has_legend, "keys": layout.has_footer}
    assert layout.is_usable
    assert " ".join(name for name, there in parts.items() if there) == shown


@pytest.mark.parametrize(
    ("width", "wanted", "columns"),
    [(80, None, 22), (120, None, 24), (300, None, 40), (120, 50, 50), (120, 1, 16), (120, 999, 80), (80, 60, 40)],
)
def test_layout_sidebar_width_stays_within_limits(width: int, wanted: int | None, columns: int) -> None:
    assert choose_layout(width, 24, tabs=1, sidebar=wanted).sidebar_width == columns


def test_layout_shows_several_tabs_in_a_narrow_terminal() -> None:
    assert choose_layout(45, 45, tabs=2).has_tabs
    assert not choose_layout(45, 12, tabs=2).has_tabs


@pytest.mark.parametrize("size", [(29, 40), (120, 7), (20, 5), (0, 0)])
def test_layout_does_not_fit_a_tiny_terminal(size: tuple[int, int]) -> None:
    assert not choose_layout(*size, tabs=1).is_usable
