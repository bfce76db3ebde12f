"""One line that shows at which steps pictures are stored and which of them is seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.step_slider import LEAST_TRACK, draw_slider
from tbtui.charts.text import write
from tbtui.viewstate.axes import KINDS

if TYPE_CHECKING:
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.plugins.images.steps import Floats, Stop
    from tbtui.viewstate.choices import XAxis

GAP = 2
"""Blank columns between words and slider."""


@dataclass(frozen=True, slots=True, eq=False)
class StepBar:
    """The line, and where on it which step is."""

    cells: Cells
    plot: PlotArea | None
    """Its row is 0; None where there is no room for one."""

    stops: Floats
    """Where the cursor may stand."""


def step_bar(shown: Stop, kind: XAxis, width: int, other: Stop | None = None, *, own: bool = False) -> StepBar:
    """`step 312  0 ┼──┼──●──┼ 440  4 steps, newest`.

    Args:
        shown: The step that is seen.
        kind: The present x axis.
        width: Columns.
        other: The step that it is compared with.
        own: Whether the card follows no cursor.
    """
    cells, stops = Cells.blank(1, max(width, 0)), shown.stored.stops
    before, behind = _words(shown, own=own, room=width - LEAST_TRACK - 2 * GAP)
    left = write(cells, 0, 0, before, Ink.TEXT) + GAP if before else 0
    right = width - len(behind) - GAP if behind else width
    write(cells, 0, right + GAP, behind, Ink.DIM)
    slider, plot = draw_slider(stops, shown.at, None if other is None else other.at, KINDS[kind], right - left)
    cells.put(0, left, slider)
    return StepBar(cells, None if plot is None else plot.moved(0, left), stops)


def _words(shown: Stop, *, own: bool, room: int) -> tuple[str, str]:
    """What stands before the slider and behind it; what tells least goes where there is no room."""
    count = len(shown.stored)
    steps = f"{count:,} step{'' if count == 1 else 's'}"
    alone = " alone" if own else ""
    for before, behind in (
        (f"step {shown.step}{alone}", f"{steps}, newest" if shown.is_newest else steps),
        (f"step {shown.step}{alone}", steps),
        (f"step {shown.step}", ""),
        (numbers.step(shown.step), ""),
    ):
        if len(before) + len(behind) <= room:
            return before, behind
    return "", ""
