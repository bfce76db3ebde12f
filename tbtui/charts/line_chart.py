"""Line charts: traces over labelled axes with end labels, signs and a cursor, drawn as character cells."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.annotations import draw_bands, draw_cursor, draw_reference_lines
from tbtui.charts.axis import DOTS_ACROSS, column_edges, to_columns, to_dot_columns, to_dot_rows
from tbtui.charts.bundle import BUNDLE_SIGN_INK, LineBundle
from tbtui.charts.canvas import Canvas, Pens
from tbtui.charts.cells import Cells, Ink, to_faint_ink
from tbtui.charts.chart_layout import draw_axes, lay_out_chart
from tbtui.charts.raster import rasterize_lines
from tbtui.charts.series_colours import dash_patterns
from tbtui.charts.text import write
from tbtui.frozen import frozen
from tbtui.maths.decimate import (
    MIN_POINTS_PER_COLUMN,
    concatenate,
    decimate,
    find_unique_values,
    is_ascending,
    is_drawable,
    mask_undrawable,
    slice_visible,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    import numpy.typing as npt

    from tbtui.charts.annotations import Band, ReferenceLine
    from tbtui.charts.axis import Axis
    from tbtui.charts.chart_layout import Layout, PlotArea
    from tbtui.charts.raster import Spans
    from tbtui.maths.decimate import Points


NAN_SIGN, ABOVE_SIGN, BELOW_SIGN, RESTART_SIGN = "✗", "▲", "▼", "↻"


MIN_SIGN, MAX_SIGN, BEST_SIGN = "▾", "▴", "★"
"""Small triangles, unlike the signs of infinities."""


CROSSED_SIGN = "⇅"
"""Sign of a lower bound that is above the upper one."""

BASELINE_SIGN = "Δ0"
BASELINE_MARKER = BASELINE_SIGN[0]
"""Sign of the baseline run in texts."""


LEFT_SIGN, RIGHT_SIGN = "◂", "▸"
"""Clip markers of a horizontal value axis."""


TRACES_PER_BATCH = 32
"""Traces per batch; larger batches exceed the CPU cache."""


@frozen
class Sign:
    """A sign on a chart."""

    x: float
    glyph: str
    ink: int
    y: float | None = None
    """None: the bottom row. A value outside the axis is drawn at its edge."""


@frozen(eq=False)
class Trace:
    """One line of a chart."""

    x: npt.NDArray[np.float64]
    """float64[n] on the x axis of the chart; a decrease interrupts the line."""

    y: npt.NDArray[np.float64]
    """float64[n]. NaN and infinities are gaps, marked where they begin."""

    ink: int
    """A series ink."""

    is_faint: bool = False
    """Draw the line below all others in the faint twin of its ink, without signs: the raw line behind a smoothed one.
    """

    label: str = ""
    """Short name and value for the end of the line; shown if the chart is wide enough for all labels."""

    ascending: bool | None = None
    """True if x never decreases; None: determined at each drawing."""

    pattern: int | None = None
    """Index into `canvas.DASH_PATTERNS`; None: dashed if lines of the chart share a colour (`colours.dash_patterns`).
    """


@frozen(eq=False)
class LineChart:
    """Content of a line chart; an empty one still shows its axes."""

    traces: tuple[Trace, ...]
    """In drawing order: the last lies on top."""

    x_axis: Axis
    y_axis: Axis
    signs: tuple[Sign, ...] = ()
    """Signs besides those of non-finite values: restarts, extremes."""

    bands: tuple[Band, ...] = ()
    """Areas below all lines, in drawing order."""

    levels: tuple[ReferenceLine, ...] = ()
    """Reference lines."""

    cursor: float | None = None
    """x of a vertical line; None or a value outside the axis is not drawn."""

    mark: float | None = None
    """x of a second vertical line: the other end of a range that begins at the cursor."""

    bundle: tuple[Trace, ...] = ()
    """Lines drawn as one dimmed bundle below all traces, not in their own inks."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the end labels of its traces."""
        return tuple(trace.label for trace in self.traces if trace.label)


@frozen(eq=False)
class LinePicture:
    """A drawn line chart without its cursor, which can be drawn over it repeatedly."""

    chart: LineChart
    layout: Layout
    _cells: Cells
    """Everything except cursor and signs."""

    _lit: npt.NDArray[np.bool_]
    """Cells of the plot that the cursor leaves unchanged."""

    signs: tuple[Sign, ...]
    """Signs of the chart and of non-finite values."""

    _zone: tzinfo | None

    def at(self, cursor: float | None = None, mark: float | None = None) -> Cells:
        """Return new cells with a cursor and a mark, as in `LineChart`."""
        cells = self._cells.copy()
        draw_cursor(cells, self.layout, (cursor, mark), self._lit, self._zone)
        draw_signs(cells, self.signs, self.layout.plot)
        return cells


def draw_line_chart(chart: LineChart, width: int, height: int, zone: tzinfo | None = None) -> Cells:
    """Draw a chart.

    Args:
        chart: Chart to draw.
        width: Columns; a narrow chart has no end labels, a narrower one no labels of the y axis either.
        height: Rows; a low chart has no line of the x axis, a lower one no labels of it either.
        zone: Time zone of a wall time axis; None: the zone of the machine.

    Returns:
        Cells of exactly that size.
    """
    if width <= 0 or height <= 0:
        return Cells.blank(max(height, 0), max(width, 0))
    return draw_line_picture(chart, width, height, zone).at(chart.cursor, chart.mark)


def draw_line_picture(
    chart: LineChart, width: int, height: int, zone: tzinfo | None = None, bundle: LineBundle | None = None
) -> LinePicture:
    """Draw a chart of at least 1 x 1 cells without its cursor; see `draw_line_chart` for the arguments.

    Args:
        chart: Chart to draw.
        width: Columns.
        height: Rows.
        zone: Time zone of a wall time axis; None: the zone of the machine.
        bundle: The bundle of the previous drawing of this chart in this size; None: this is the first.
    """
    cells = Cells.blank(height, width)
    layout = _lay_out(chart, width, height, zone)
    draw_axes(cells, layout)
    draw_bands(cells, chart.bands, layout.plot)
    bundled, bundle_signs = _draw_bundle(cells, chart, layout.plot, bundle or LineBundle())
    canvas = Canvas(layout.plot.width, layout.plot.height)
    traces_with_gaps = draw_traces(canvas, chart.traces, layout.plot)
    lit = canvas.blit(cells, layout.plot.top, layout.plot.left) | bundled
    draw_reference_lines(cells, chart.levels, layout.plot, lit)
    if layout.margin:
        draw_end_labels(cells, chart.traces, layout)
    signs = find_nonfinite_signs([trace for trace in traces_with_gaps if not trace.is_faint], layout.plot)
    return LinePicture(chart, layout, cells, lit, (*bundle_signs, *chart.signs, *signs), zone)


def _draw_bundle(
    cells: Cells, chart: LineChart, plot: PlotArea, bundle: LineBundle
) -> tuple[npt.NDArray[np.bool_], list[Sign]]:
    """Draw the bundle of a chart; return its cells, and its signs in one ink."""
    if not chart.bundle:
        return np.zeros((plot.height, plot.width), np.bool_), []
    lit, signs = bundle.draw(cells, chart.bundle, plot, _rasterize, find_nonfinite_signs)
    return lit, [replace(sign, ink=int(BUNDLE_SIGN_INK)) for sign in signs]


def plot_area(chart: LineChart, width: int, height: int, zone: tzinfo | None = None) -> PlotArea:
    """Return the area of the plot in the picture that `draw_line_chart` draws with the same arguments."""
    return _lay_out(chart, width, height, zone).plot


def _lay_out(chart: LineChart, width: int, height: int, zone: tzinfo | None) -> Layout:
    return lay_out_chart(chart.x_axis, chart.y_axis, chart.labels, width, height, zone)


def draw_traces(canvas: Canvas, traces: Sequence[Trace], plot: PlotArea) -> list[Trace]:
    """Draw traces on a canvas of the size of the plot, the last on top.

    Returns:
        Traces with values that cannot be drawn in the window or next to it.
    """
    dashes = dash_patterns(trace.ink for trace in traces)
    traces_with_gaps = []
    for first in range(0, len(traces), TRACES_PER_BATCH):
        batch = traces[first : first + TRACES_PER_BATCH]
        pens = Pens(
            np.array([to_faint_ink(trace.ink) if trace.is_faint else trace.ink for trace in batch], np.int16),
            np.array([trace.is_faint for trace in batch], np.bool_),
            np.array([dashes[trace.ink] if trace.pattern is None else trace.pattern for trace in batch], np.intp),
        )
        traces_with_gaps += _draw_batch(canvas, batch, pens, plot)
    return traces_with_gaps


def _draw_batch(canvas: Canvas, traces: Sequence[Trace], pens: Pens, plot: PlotArea) -> list[Trace]:
    spans, with_gaps = _rasterize(traces, plot)
    canvas.draw_lines(spans, pens)
    return with_gaps


def _rasterize(traces: Sequence[Trace], plot: PlotArea) -> tuple[Spans, list[Trace]]:
    """Return the dots of traces, and the traces with values that cannot be drawn."""
    points = [_decimate_trace(trace, plot) for trace in traces]
    starts = np.cumsum([0, *(len(x) for x, _ in points[:-1])])
    x, y = map(concatenate, zip(*points, strict=True))
    y = mask_undrawable(y, log=plot.y_axis.scale == "log")
    spans = rasterize_lines(
        to_dot_columns(plot.x_axis, x, plot.width),
        to_dot_rows(plot.y_axis, y, plot.height),
        DOTS_ACROSS * plot.width,
        starts,
    )
    gaps = np.searchsorted(starts, np.flatnonzero(np.isnan(y)), "right") - 1
    return spans, [traces[index] for index in find_unique_values(gaps).tolist()]


def _decimate_trace(trace: Trace, plot: PlotArea) -> Points:
    """Return the points of a trace, decimated if it has many for the size of the plot."""
    if len(trace.x) <= MIN_POINTS_PER_COLUMN * DOTS_ACROSS * plot.width:
        return trace.x, trace.y
    log = plot.y_axis.scale == "log"
    return decimate(trace.x, trace.y, column_edges(plot.x_axis, plot.width), log=log, ascending=trace.ascending)


_NAN, _ABOVE, _BELOW = 1, 2, 3


_SIGNS = {_NAN: NAN_SIGN, _ABOVE: ABOVE_SIGN, _BELOW: BELOW_SIGN}


def find_nonfinite_signs(traces: Sequence[Trace], plot: PlotArea) -> list[Sign]:
    """Return signs at the start of each stretch of values that cannot be drawn, one per kind, trace and column.

    NaN is a `✗` at the height of the last drawable value before it (or the next one). Infinity is a `▲` at the top.
    Minus infinity, and on a log axis every value not above 0, is a `▼` at the bottom.
    """
    if not traces:
        return []
    x, y = concatenate([trace.x for trace in traces]), concatenate([trace.y for trace in traces])
    starts = np.cumsum([0, *(len(trace.x) for trace in traces)])
    indices = np.flatnonzero(~is_drawable(y, log=plot.y_axis.scale == "log"))
    lines = np.searchsorted(starts, indices, "right") - 1
    kinds = np.where(np.isnan(y[indices]), _NAN, np.where(y[indices] == np.inf, _ABOVE, _BELOW))
    first, last = _find_stretches(indices, lines)
    is_shown = (indices == first) | (np.diff(kinds, prepend=0) != 0)
    is_shown &= (x[indices] >= plot.x_axis.low) & (x[indices] <= plot.x_axis.high)
    columns = to_columns(plot.x_axis, x[indices], plot.width)
    sign_keys = (lines * plot.width + columns) * len(_SIGNS) + kinds
    _, first_of_key = np.unique(sign_keys[is_shown], return_index=True)
    selected = np.flatnonzero(is_shown)[np.sort(first_of_key)]
    heights = np.full(len(indices), np.nan)
    for neighbour, exists in ((last + 1, last + 1 < starts[lines + 1]), (first - 1, first > starts[lines])):
        heights[exists] = y[neighbour[exists]]  # the value before takes precedence
    heights[kinds == _ABOVE], heights[kinds == _BELOW] = plot.y_axis.high, np.nan
    sign_fields = (x[indices][selected], kinds[selected], lines[selected], heights[selected])
    return [
        Sign(sign_x, _SIGNS[kind], traces[line].ink, None if math.isnan(height) else height)
        for sign_x, kind, line, height in zip(*(each.tolist() for each in sign_fields), strict=True)
    ]


def _find_stretches(
    indices: npt.NDArray[np.intp], lines: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return, for each index, the first and the last index of its uninterrupted stretch in one line."""
    breaks = np.ones(len(indices) + 1, np.bool_)
    breaks[1:-1] = (indices[1:] != indices[:-1] + 1) | (lines[1:] != lines[:-1])
    ends = np.flatnonzero(breaks)
    stretch_of_index = np.cumsum(breaks[:-1]) - 1
    return indices[ends[stretch_of_index]], indices[ends[stretch_of_index + 1] - 1]


def draw_signs(cells: Cells, signs: Sequence[Sign], plot: PlotArea) -> None:
    """Draw signs over a plot; signs outside the x axis are dropped."""
    if not signs:
        return
    columns = to_columns(plot.x_axis, [sign.x for sign in signs], plot.width)
    rows = plot.clamp_rows([sign.y for sign in signs])
    for sign, row, column in zip(signs, rows, columns.tolist(), strict=True):
        if column >= 0:
            write(cells, row, plot.left + column, sign.glyph, sign.ink)


def draw_clip_markers(cells: Cells, layout: Layout, sides: tuple[bool, bool]) -> None:
    """Draw signs at the ends of the value axis beyond which values are clipped.

    The line above an opened chart gives the clipped values; on a card, only the signs report them.

    Args:
        cells: Cells of the chart; changed in place.
        layout: Layout of the chart.
        sides: True if a value is below the value axis, and True if one is above it.
    """
    plot, (below, above) = layout.plot, sides
    bottom, right = plot.top + plot.height - 1, plot.left + plot.width - 1
    if plot.turned:
        row = bottom + layout.x_line
        markers = ((below, LEFT_SIGN, row, plot.left), (above, RIGHT_SIGN, row, right))
    else:
        markers = ((below, BELOW_SIGN, bottom, plot.left - 1), (above, ABOVE_SIGN, plot.top, plot.left - 1))
    for is_clipped, sign, row, column in markers:
        if is_clipped and column >= 0:
            write(cells, row, column, sign, Ink.WARN)


def draw_end_labels(cells: Cells, traces: Sequence[Trace], layout: Layout) -> None:
    """Write the labels of traces into the margin of a layout, near the ends of their lines."""
    plot = layout.plot
    ends = [(_end_height(trace, plot), trace) for trace in traces if trace.label]
    ends.sort(key=lambda pair: -math.inf if pair[0] is None else pair[0], reverse=True)
    rows = spread_rows([plot.clamp_row(height) for height, _ in ends], plot.top, plot.top + plot.height)
    for row, (_, trace) in zip(rows, ends, strict=True):
        write(cells, row, plot.left + plot.width + 1, trace.label, trace.ink)


def _end_height(trace: Trace, plot: PlotArea) -> float | None:
    """Return the last drawable value in the window, or just to the right of it; None without one."""
    log = plot.y_axis.scale == "log"
    if is_ascending(trace.x) if trace.ascending is None else trace.ascending:
        y = trace.y[slice_visible(trace.x, column_edges(plot.x_axis, plot.width))]
    else:
        y = trace.y[np.isfinite(trace.x)]
    if len(y) and math.isfinite(y[-1]) and (y[-1] > 0 or not log):
        return float(y[-1])
    drawable = np.flatnonzero(~np.isnan(mask_undrawable(y, log=log)))
    return float(y[drawable[-1]]) if len(drawable) else None


def spread_rows(rows: list[int], first: int, end: int) -> list[int]:
    """Return distinct rows from `first` to before `end`, near the given rows (ascending, at most `end - first`)."""
    distinct: list[int] = []
    for row in rows:
        distinct.append(max(row, distinct[-1] + 1 if distinct else first))
    limit = end - 1
    for index in range(len(rows) - 1, -1, -1):
        distinct[index] = min(distinct[index], limit)
        limit = distinct[index] - 1
    return distinct
