"""A slider of steps or times in one row, with its stops, a knob, and labels at both sides.

The track is an axis of steps or times. If several values have the same step, it is an axis of value numbers instead,
so that each value has its own position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.axis import Axis, ValueAxis, to_columns
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.chart_layout import PlotArea
from tbtui.charts.numbers import format_count
from tbtui.charts.text import cell_width, write
from tbtui.charts.ticks import format_axis_value
from tbtui.frozen import frozen
from tbtui.maths.domain import compute_limits
from tbtui.maths.stops import has_shared_positions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import tzinfo

    import numpy as np
    import numpy.typing as npt

    from tbtui.charts.axis import Kind

TRACK, STOP, KNOB, OTHER = "─", "┼", "●", "○"

MIN_TRACK_COLUMNS = 10
"""Minimum columns of the track; the labels of both ends are dropped first."""

GAP = 2
"""Blank columns between labels and slider."""


@frozen(eq=False)
class StepSlider:
    """A slider with labels at both sides, and the axis of its track."""

    cells: Cells
    plot: PlotArea | None
    """The track, in row 0; None without stops or columns."""

    stops: npt.NDArray[np.float64]
    """Positions of the cursor."""


def iter_slider_labels(
    step: str, position: int, count: int, *, is_newest: bool, short_step: str = "", noun: str = "step"
) -> Iterator[tuple[str, str]]:
    """Yield texts left and right of a slider, each pair shorter than the one before: `step 312` and `3 of 4 steps`.

    Args:
        step: Selected step: `step 312`.
        position: Number of the selected step, from 1.
        count: Number of all steps.
        is_newest: True if it is the last step.
        short_step: Replaces `step` in the shortest pair.
        noun: Noun of the counted items, other than `step` if several values share a step.
    """
    position_text = f"{position:,} of {format_count(count, noun)}"
    yield step, f"{position_text}, newest" if is_newest else position_text
    yield step, position_text
    yield step, f"{position:,} of {count:,}"
    yield step, ""
    yield short_step, ""


def draw_step_slider(
    label_pairs: Iterable[tuple[str, str]],
    stops: npt.NDArray[np.float64],
    selected: float | None,
    other: float | None,
    kind: Kind,
    width: int,
) -> StepSlider:
    """Draw `step 312  0 ┼──┼──●──┼ 440  3 of 4 steps`.

    Args:
        label_pairs: Texts before and after the slider from `iter_slider_labels`; the first pair that fits is used.
        stops: As in `draw_slider`.
        selected: As in `draw_slider`.
        other: As in `draw_slider`.
        kind: As in `draw_slider`.
        width: Width of the slider with both texts, in columns.
    """
    cells, labels_width = Cells.blank(1, max(width, 0)), width - MIN_TRACK_COLUMNS - 2 * GAP
    before, after = next((pair for pair in label_pairs if sum(map(cell_width, pair)) <= labels_width), ("", ""))
    left = write(cells, 0, 0, before, Ink.TEXT) + GAP if before else 0
    right = width - cell_width(after) - GAP if after else width
    write(cells, 0, right + GAP, after, Ink.DIM)
    slider, plot = draw_slider(stops, selected, other, kind, right - left)
    cells.put(0, left, slider)
    return StepSlider(cells, None if plot is None else plot.translate(0, left), stops)


def draw_slider(
    stops: npt.NDArray[np.float64],
    selected: float | None,
    other: float | None,
    kind: Kind,
    width: int,
    zone: tzinfo | None = None,
) -> tuple[Cells, PlotArea | None]:
    """Draw a slider; return its cells and its track, which is None without stops.

    Args:
        stops: Steps or times that can be selected, float64[k], ascending and finite.
        selected: Position of the knob; None: the last stop, which it follows while stops are added.
        other: Position of a second, hollow knob; None: none.
        kind: Kind of the stops.
        width: Columns.
        zone: Time zone of wall times; None: the zone of the machine.
    """
    cells = Cells.blank(1, max(width, 0))
    if not len(stops) or width < 1:
        return cells, None
    ends = _track_ends(stops)
    axis = ValueAxis(*ends, kind=kind, x=stops, stops=stops) if has_shared_positions(stops) else Axis(*ends, kind=kind)
    first, last = (format_axis_value(axis, float(stop), zone) for stop in stops[[0, -1]])
    last = last if len(stops) > 1 and last != first else ""
    left, right = (len(label) + 1 if label else 0 for label in (first, last))
    if width - left - right < MIN_TRACK_COLUMNS:
        first, last, left, right = "", "", 0, 0
    plot = PlotArea(0, left, width - left - right, 1, axis, Axis(0, 1))
    write(cells, 0, 0, first, Ink.DIM)
    write(cells, 0, width - len(last), last, Ink.DIM)
    write(cells, 0, left, TRACK * plot.width, Ink.FAINT)
    columns = left + to_columns(axis, stops, plot.width)
    cells.glyphs[0, columns], cells.inks[0, columns] = ord(STOP), Ink.DIM
    for x, sign in ((other, OTHER), (float(stops[-1]) if selected is None else selected, KNOB)):
        if x is not None:
            column = left + int(to_columns(axis, min(max(x, axis.low), axis.high), plot.width))
            write(cells, 0, column, sign, Ink.ACCENT)
    return cells, plot


def _track_ends(stops: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return the ends of the track: the first and the last stop, or limits around the only one."""
    low, high = float(stops[0]), float(stops[-1])
    return (low, high) if low < high else compute_limits((low, high))
