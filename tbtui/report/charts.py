"""Draw line charts as character cells: in braille dots, or in one letter per run.

The canvas of the dashboard draws only dots, and the last line hides the others in a cell that they share. A printed
chart also needs letters (without colours or without braille), and lines that alternate in shared cells.

plotext 6.1 is not used, because it cannot draw arbitrary data: a NaN or a value far outside the axis limits aborts the
process (`std::bad_alloc`), and a value that is not positive raises ValueError on a log axis. It has no symlog axis,
lets the last line hide the others, takes 2.6 s for 200,000 points (here 1 ms), and adds 0.15 s of imports.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.annotations import draw_empty_message
from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, column_edges, to_dot_columns, to_dot_rows
from tbtui.charts.canvas import BRAILLE, pack_braille
from tbtui.charts.cells import Cells, Ink, to_faint_ink
from tbtui.charts.chart_layout import draw_axes, lay_out_chart
from tbtui.charts.line_chart import draw_end_labels, draw_signs, find_nonfinite_signs
from tbtui.charts.raster import rasterize_lines
from tbtui.maths.decimate import decimate, mask_undrawable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.line_chart import Sign, Trace
    from tbtui.report.options import PrintOptions

    Mask = npt.NDArray[np.bool_]

IN_DOTS, IN_LETTERS = (DOTS_ACROSS, DOTS_DOWN), (1, 1)
"""Points per cell across and down."""


MIN_HEIGHT = 3
"""Minimum rows of a chart."""


def is_drawn_in_letters(options: PrintOptions, lines: int) -> bool:
    """Return True if lines are drawn in letters: without braille, and several lines without colours."""
    target = options.target
    return not target.has_dots or (lines > 1 and not target.is_coloured)


def draw_chart(
    traces: Sequence[Trace],
    letters: Sequence[str],
    axes: tuple[Axis, Axis],
    options: PrintOptions,
    *,
    signs: Sequence[Sign] = (),
    empty_reason: str = "",
    take_turns: bool = True,
) -> tuple[Cells, frozenset[str]]:
    """Draw a line chart as wide as the target: axes, lines, signs and end labels.

    Args:
        traces: Lines, the last on top; a chart in letters leaves out the faint ones.
        letters: One character of one column for each trace.
        axes: The x and the y axis.
        options: Options of the print.
        signs: Signs besides those of values that are not finite.
        empty_reason: Reason for a chart without visible lines; empty if one is visible.
        take_turns: See `draw_lines`.

    Returns:
        The cells, and the signs in them.
    """
    width, height = options.target.width, max(options.height, MIN_HEIGHT)
    in_letters = is_drawn_in_letters(options, len({trace.ink for trace in traces if not trace.is_faint}))
    end_labels = [] if in_letters else [letter for letter in dict.fromkeys(letters) if letter]
    layout = lay_out_chart(*axes, end_labels if len(end_labels) > 1 else [], width, height)
    cells = Cells.blank(height, width)
    draw_axes(cells, layout)
    if in_letters:
        bright = [index for index, trace in enumerate(traces) if not trace.is_faint]
        traces, letters = [traces[index] for index in bright], [letters[index] for index in bright]
    line_cells = draw_lines(traces, layout.plot, letters if in_letters else None, take_turns=take_turns)
    cells.put(layout.plot.top, layout.plot.left, line_cells)
    if layout.margin:
        labelled = [
            replace(trace, label="" if trace.is_faint else letter)
            for trace, letter in zip(traces, letters, strict=True)
        ]
        draw_end_labels(cells, labelled, layout)
    all_signs = [*signs, *find_nonfinite_signs([trace for trace in traces if not trace.is_faint], layout.plot)]
    draw_signs(cells, all_signs, layout.plot)
    if empty_reason:
        draw_empty_message(cells, empty_reason, layout.plot)
    low, high = layout.plot.x_axis.low, layout.plot.x_axis.high
    return cells, frozenset(sign.glyph for sign in all_signs if low <= sign.x <= high)


def draw_lines(
    traces: Sequence[Trace], plot: PlotArea, letters: Sequence[str] | None = None, *, take_turns: bool = True
) -> Cells:
    """Draw the lines of a chart.

    Args:
        traces: Lines, the last on top. Bright lines replace faint ones in the cells that they share.
        plot: Area and axes of the plot; the returned cells have its size.
        letters: One character of one column for each trace; None draws braille dots.
        take_turns: Let bright lines that share cells alternate from column to column, so that none hides another.
    """
    points = IN_DOTS if letters is None else IN_LETTERS
    size = plot.height, plot.width
    lit = np.zeros((len(traces), plot.height * points[1], plot.width * points[0]), np.bool_)
    for trace, trace_points in zip(traces, lit, strict=True):
        _set_points(trace_points, trace, plot, points)
    by_cell = lit.reshape(len(traces), plot.height, points[1], plot.width, points[0])
    is_touched = np.logical_or.reduce(by_cell, axis=(2, 4))
    is_bright = np.array([not trace.is_faint for trace in traces], np.bool_)
    owners = _find_owners(is_touched, is_bright, take_turns=take_turns)
    cells = Cells.blank(*size)
    inks = np.array(
        [*(to_faint_ink(trace.ink) if trace.is_faint else trace.ink for trace in traces), Ink.NONE], np.int16
    )
    cells.inks[:] = inks[owners]
    if letters is None:
        bright_dots = lit[is_bright].any(axis=0)
        has_bright = np.repeat(np.repeat(is_touched[is_bright].any(axis=0), points[1], axis=0), points[0], axis=1)
        bits = pack_braille(bright_dots | (lit[~is_bright].any(axis=0) & ~has_bright))
        cells.glyphs[:] = np.where(bits > 0, BRAILLE + bits.astype(np.uint32), np.uint32(ord(" ")))
    else:
        cells.glyphs[:] = np.array([*map(ord, letters), ord(" ")], np.uint32)[owners]
    return cells


def _set_points(lit: Mask, trace: Trace, plot: PlotArea, points: tuple[int, int]) -> None:
    """Set the points on a line in `lit`, bool[rows, columns]."""
    log = plot.y_axis.scale == "log"
    edges = column_edges(plot.x_axis, plot.width)[:: DOTS_ACROSS // points[0]]
    x, y = decimate(trace.x, trace.y, edges, log=log, ascending=trace.ascending)
    y = mask_undrawable(y, log=log)
    columns = (to_dot_columns(plot.x_axis, x, plot.width) + 0.5) * (points[0] / DOTS_ACROSS) - 0.5
    rows = (to_dot_rows(plot.y_axis, y, plot.height) + 0.5) * (points[1] / DOTS_DOWN) - 0.5
    spans = rasterize_lines(columns, rows, lit.shape[1]).clip_rows(lit.shape[0])
    lengths = spans.bottoms - spans.tops + 1
    span_of_point = np.repeat(np.arange(len(lengths)), lengths)
    all_rows = np.arange(len(span_of_point)) - np.repeat(np.cumsum(lengths) - lengths - spans.tops, lengths)
    lit[all_rows, spans.columns[span_of_point]] = True


def _find_owners(is_touched: Mask, is_bright: Mask, *, take_turns: bool) -> npt.NDArray[np.intp]:
    """Return the index of the line that gives each cell its ink, int[height, width]; -1: none.

    Args:
        is_touched: True for each cell that a line touches, bool[lines, height, width].
        is_bright: True for each line that replaces faint ones, bool[lines].
        take_turns: Alternate by column between the lines of a cell; otherwise the last line owns it.
    """
    count = len(is_touched)
    if count == 0:
        return np.full(is_touched.shape[1:], -1)
    bright = is_bright.reshape(-1, 1, 1)
    is_visible = is_touched & (bright | ~(is_touched & bright).any(axis=0))
    line_counts = is_visible.sum(axis=0)
    rank_of_owner = (
        np.arange(is_touched.shape[2]) % np.maximum(line_counts, 1) if take_turns else np.zeros_like(line_counts)
    )
    rank_from_top = np.cumsum(is_visible[::-1], axis=0)  # counted from the top line down
    is_owner = is_visible[::-1] & (rank_from_top == rank_of_owner + 1)
    return np.where(line_counts > 0, count - 1 - is_owner.argmax(axis=0), -1)
