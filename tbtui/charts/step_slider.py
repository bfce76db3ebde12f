"""A slider of steps or times in one row: where there is something to see, and which of it is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.axis import Axis, columns_of
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.layout import PlotArea
from tbtui.charts.numbers import counted
from tbtui.charts.text import cell_width, write
from tbtui.charts.ticks import value_label
from tbtui.frozen import frozen
from tbtui.maths.domain import limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import tzinfo

    import numpy as np
    import numpy.typing as npt

    from tbtui.charts.axis import Kind

TRACK, STOP, KNOB, OTHER = "─", "┼", "●", "○"

MIN_TRACK_COLUMNS = 10
"""Columns; where the labels of both ends would leave less they are left out."""

GAP = 2
"""Blank columns between words and slider."""


@frozen(eq=False)
class StepSlider:
    """A slider with words beside it, and where on it which step is."""

    cells: Cells
    plot: PlotArea | None
    """Its row is 0; None where there is no room for one."""

    stops: npt.NDArray[np.float64]
    """Where the cursor may stand."""


def step_labels(step: str, place: int, count: int, *, is_newest: bool, briefly: str = "") -> Iterator[tuple[str, str]]:
    """What stands before and behind a slider in every dashboard: `step 312` and `3 of 4 steps`, in ever fewer words.

    Args:
        step: Which is seen: `step 312`.
        place: How many there are up to it.
        count: Of all.
        is_newest: Whether nothing comes behind it.
        briefly: What is left of `step` where there is hardly any room.
    """
    where = f"{place:,} of {counted(count, 'step')}"
    yield step, f"{where}, newest" if is_newest else where
    yield step, where
    yield step, f"{place:,} of {count:,}"
    yield step, ""
    yield briefly, ""


def draw_step_slider(
    words: Iterable[tuple[str, str]],
    stops: npt.NDArray[np.float64],
    chosen: float | None,
    other: float | None,
    kind: Kind,
    width: int,
) -> StepSlider:
    """`step 312  0 ┼──┼──●──┼ 440  3 of 4 steps`.

    Args:
        words: What stands before the slider and behind it, as from `step_words`; the first that leave room for it are
            taken, or else none.
        stops: As for `draw_slider`.
        chosen: Likewise.
        other: Likewise.
        kind: Likewise.
        width: Columns of all.
    """
    cells, room = Cells.blank(1, max(width, 0)), width - MIN_TRACK_COLUMNS - 2 * GAP
    before, behind = next((pair for pair in words if sum(map(cell_width, pair)) <= room), ("", ""))
    left = write(cells, 0, 0, before, Ink.TEXT) + GAP if before else 0
    right = width - cell_width(behind) - GAP if behind else width
    write(cells, 0, right + GAP, behind, Ink.DIM)
    slider, plot = draw_slider(stops, chosen, other, kind, right - left)
    cells.put(0, left, slider)
    return StepSlider(cells, None if plot is None else plot.moved(0, left), stops)


def draw_slider(
    stops: npt.NDArray[np.float64],
    chosen: float | None,
    other: float | None,
    kind: Kind,
    width: int,
    zone: tzinfo | None = None,
) -> tuple[Cells, PlotArea | None]:
    """The slider, and where its track lies within it; None where there is nothing to choose from.

    Args:
        stops: float64[k], ascending and finite: what can be chosen.
        chosen: Where the knob is; None is at the last stop, where it stays while there are more.
        other: Where a second, hollow one is.
        kind: What the stops are.
        width: Columns.
        zone: Time zone of wall times; None is the machine's.
    """
    cells = Cells.blank(1, max(width, 0))
    if not len(stops) or width < 1:
        return cells, None
    axis = Axis(*_ends(stops), kind=kind)
    first, last = (value_label(axis, float(stop), zone) for stop in stops[[0, -1]])
    last = last if len(stops) > 1 else ""
    left, right = (len(label) + 1 if label else 0 for label in (first, last))
    if width - left - right < MIN_TRACK_COLUMNS:
        first, last, left, right = "", "", 0, 0
    plot = PlotArea(0, left, width - left - right, 1, axis, Axis(0, 1))
    write(cells, 0, 0, first, Ink.DIM)
    write(cells, 0, width - len(last), last, Ink.DIM)
    write(cells, 0, left, TRACK * plot.width, Ink.FAINT)
    columns = left + columns_of(axis, stops, plot.width)
    cells.glyphs[0, columns], cells.inks[0, columns] = ord(STOP), Ink.DIM
    for at, sign in ((other, OTHER), (float(stops[-1]) if chosen is None else chosen, KNOB)):
        if at is not None:
            column = left + int(columns_of(axis, min(max(at, axis.low), axis.high), plot.width))
            write(cells, 0, column, sign, Ink.ACCENT)
    return cells, plot


def _ends(stops: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The ends of the track: the first and the last stop, or something around the only one."""
    low, high = float(stops[0]), float(stops[-1])
    return (low, high) if low < high else limits((low, high))
