"""Names and numbers of the table share its width: names take precedence over minor columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tbtui.plugins.scalars.cards import CardCache
from tbtui.plugins.scalars.chart import ScalarData
from tbtui.plugins.scalars.readout_table import build_line_table
from tbtui.settings.settings import TagMerge
from tests.helpers.views import picture, plain_view

if TYPE_CHECKING:
    from tbtui.view.view import View

CURVE = tuple(1.2345 / step for step in range(1, 12_000, 500))
NAMES = ("adam_lr1e-3_seed0", "adam_lr1e-3_seed1", "sgd_lr1e-2_seed0", "sgd_lr1e-1_seed0")


def table(shown: View, width: int, key: str = "loss") -> str:
    return "\n".join(picture(part) for part in build_line_table(ScalarData().chart(shown, key), width))


def sweep(*names: str) -> View:
    return plain_view({name: {"loss": CURVE} for name in names})


def titles(text: str) -> list[str]:
    return text.splitlines()[0].replace("@ step", "").replace("wall time", "wall").split()


def called(text: str) -> list[str]:
    return [row[2:].split("  ")[0] for row in text.splitlines()[1:]]


@pytest.mark.parametrize(
    ("width", "columns", "names"),
    [
        (120, ["value", "smoothed", "min", "max", "step", "time", "wall"], NAMES),
        (90, ["value", "smoothed", "min", "max", "step", "time"], NAMES),
        (75, ["value", "smoothed", "min", "step", "time"], NAMES),
        (60, ["smoothed", "min", "step", "time"], NAMES),
        (45, ["value", "smoothed", "step"], NAMES),
        (30, ["smoothed"], NAMES),
        (24, ["smoothed"], ("a…1e-3_seed0", "a…1e-3_seed1", "s…1e-2_seed0", "s…1e-1_seed0")),
        (18, [], ("adam_…1e-3_seed0", "adam_…1e-3_seed1", *NAMES[2:])),
    ],
)
def test_columns_go_before_names_are_cut(width: int, columns: list[str], names: tuple[str, ...]) -> None:
    text = table(sweep(*NAMES), width)
    assert titles(text)[1:] == columns
    assert tuple(called(text)) == names


@pytest.mark.parametrize("width", [30, 45, 60, 90, 120])
def test_long_names_are_shortened_before_columns_go_and_stay_distinct(width: int) -> None:
    names = tuple(f"exp/7/{name}_batch64_fold{fold}" for name in NAMES for fold in (0, 1))
    told = called(table(sweep(*names), width))
    assert len(set(told)) == len(names)
    assert not any("exp/7" in name or (width < 90 and "batch64" in name) for name in told)
    assert all(len(name) >= 15 for name in told)


def test_joined_charts_keep_run_and_tag_apart() -> None:
    shown = plain_view(
        {run: {"loss/train": CURVE, "loss/val": CURVE} for run in NAMES[1:3]}, joints=(TagMerge(pattern="(loss)/"),)
    )
    key = CardCache().of(shown).key_of("loss/val")
    assert called(table(shown, 80, key)) == [f"{run} · {tag}" for run in NAMES[1:3] for tag in ("train", "val")]
    narrow = called(table(shown, 45, key))
    assert narrow == ["adam_lr…d1 train", "adam_lr…eed1 val", "sgd_lr…d0 train", "sgd_lr…eed0 val"]
