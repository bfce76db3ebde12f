"""The lines of a crowded chart that keep their colours, and why."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tbtui.charts.bundle import MAX_LINES_IN_COLOUR
from tbtui.charts.series_colours import PALETTE_SIZE
from tbtui.view.highlights import add_chosen, build_highlight_legend, find_leaders, separate_inks

if TYPE_CHECKING:
    from tbtui.settings.settings import Best

MANY = MAX_LINES_IN_COLOUR + 1
VALUES = np.arange(MANY, dtype=np.float64)
STARTS = np.where(np.arange(MANY) == 4, 10.0, 0.0)


@pytest.mark.parametrize(
    ("best", "expected"),
    [
        ("min", {0: "best", MANY - 1: "worst", 4: "newest"}),
        ("max", {MANY - 1: "best", 0: "worst", 4: "newest"}),
        (None, {0: "lowest", MANY - 1: "highest", 4: "newest"}),
    ],
)
def test_crowd_leaders_are_both_ends_and_the_newest(best: Best | None, expected: dict[int, str]) -> None:
    assert find_leaders(VALUES, STARTS, best) == expected


def test_crowd_leaders_of_few_lines_are_none() -> None:
    assert find_leaders(VALUES[1:], STARTS[1:], "min") == {}


def test_crowd_leaders_without_numbers_or_times_are_none() -> None:
    lost = np.full(MANY, math.nan)
    assert find_leaders(lost, lost, "min") == {}
    assert find_leaders(lost, STARTS, "min") == {4: "newest"}


def test_chosen_lines_come_first_with_all_reasons() -> None:
    leaders = {0: "best", 4: "newest"}
    assert add_chosen(leaders, ((7, "baseline"), (4, "selected"), (None, "gone"))) == {
        7: "baseline",
        4: "selected, newest",
        0: "best",
    }
    assert add_chosen({}, ((7, "baseline"),)) == {}


@pytest.mark.parametrize(
    ("room", "expected"),
    [
        (60, ["best sweep/lr=1e-3,seed=0", "worst sweep/lr=1e-2,seed=1"]),
        (24, ["best 1e-3 0", "worst 1e-2 1"]),
    ],
)
def test_highlight_legend_names_share_the_room(room: int, expected: list[str]) -> None:
    runs = [f"sweep/lr={rate},seed={seed}" for rate in ("1e-3", "1e-2") for seed in (0, 1)]
    shown = build_highlight_legend({0: "best", 3: "worst"}, runs, [4, 5, 6, 7], room)
    assert [text for text, _ in shown] == expected
    assert [ink for _, ink in shown] == [4, 7]


def test_highlighted_lines_of_one_colour_get_free_colours() -> None:
    inks = (1, 2, 1 + PALETTE_SIZE, 1 + 2 * PALETTE_SIZE, 7)
    assert separate_inks(inks, (2, 1, 0)) == (0, 2, 1 + PALETTE_SIZE, 1 + 2 * PALETTE_SIZE, 7)
    assert separate_inks(inks, (0, 4)) == inks
    assert separate_inks((1, 4), (0, 1)) == (1, 0), "amber and yellow"
    assert len(set(separate_inks([3] * PALETTE_SIZE, range(PALETTE_SIZE)))) > 1
    assert separate_inks(inks, ()) == inks
