"""Fan charts: the spread of a distribution over the steps, as nested bands around its median.

The curves are those of TensorBoard's distributions: minimum, 6.68 %, 15.87 %, 30.85 %, median, 69.15 %, 84.13 %, 93.32
%, maximum. Each pair around the median is a band in a shade of the run's colour. The outermost is nearest to the
background; the innermost still contrasts with the full colour of the median.

Curves are resampled to the columns of the plot. Between its points a curve is straight, and a column shows the mean of
the curve within it, so that a slope looks the same at any density of points. Where a column holds several steps, the
outermost band reaches from their minimum to their maximum, so that no spike is lost; all other curves are their mean on
the scale of the axis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tbtui.charts.annotations import draw_cursor, draw_reference_lines
from tbtui.charts.area_curves import FULL_SHADE, draw_areas, restore_backgrounds, scale_to_eighths
from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, to_dot_columns
from tbtui.charts.canvas import Canvas, Pens
from tbtui.charts.cells import EIGHTHS, Cells, Ink, to_shade_inks
from tbtui.charts.chart_layout import draw_axes, lay_out_chart
from tbtui.charts.line_chart import Trace, draw_end_labels, draw_signs, draw_traces, find_nonfinite_signs
from tbtui.charts.raster import MAX_DOTS, rasterize_lines
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from datetime import tzinfo

    import numpy.typing as npt

    from tbtui.charts.annotations import ReferenceLine
    from tbtui.charts.axis import Axis
    from tbtui.charts.chart_layout import Layout, PlotArea
    from tbtui.charts.line_chart import Sign
    from tbtui.charts.raster import Spans

    Floats: TypeAlias = npt.NDArray[np.float64]
    Flags: TypeAlias = npt.NDArray[np.bool_]


MIN_COVER_COLUMNS = 1e-9
"""Columns between points below which they are drawn one above the other."""


class ResampledCurves(NamedTuple):
    """Curves by column; NaN in columns without data."""

    means: Floats
    """float64[columns, curves]."""

    minima: Floats
    """float64[columns]: minimum of the first curve."""

    maxima: Floats
    """float64[columns]: maximum of the last curve."""


def resample_curves(positions: Floats, curves: Floats, joined: Flags, width: int) -> ResampledCurves:
    """Return curves in columns 0 to before `width`; column i reaches from i to i + 1.

    Args:
        positions: Columns of the points, float64[n], finite and ascending.
        curves: float64[n, curves], finite, ascending from curve to curve.
        joined: True for each point that is joined to the next, bool[n]; the last one does not count.
        width: Columns.
    """
    means, cover = _average_columns(*_cut_at_columns(positions, curves, joined, width), width)
    is_visible = (positions >= 0) & (positions < width)
    columns = positions[is_visible].astype(np.intp)
    counts = np.bincount(columns, minlength=width)
    is_lone = (cover <= MIN_COVER_COLUMNS) & (counts > 0)
    if bool(is_lone.any()):
        sums = np.stack([np.bincount(columns, curve, width) for curve in curves[is_visible].T], axis=1)
        means[is_lone] = sums[is_lone] / counts[is_lone, None]
    minima, maxima = means[:, 0].copy(), means[:, -1].copy()
    is_minimum, is_maximum = (
        _find_peaks(-curves[:, 0], joined) & is_visible,
        _find_peaks(curves[:, -1], joined) & is_visible,
    )
    np.minimum.at(minima, positions[is_minimum].astype(np.intp), curves[is_minimum, 0])
    np.maximum.at(maxima, positions[is_maximum].astype(np.intp), curves[is_maximum, -1])
    return ResampledCurves(means, minima, maxima)


def _cut_at_columns(positions: Floats, curves: Floats, joined: Flags, width: int) -> tuple[Floats, Floats, Flags]:
    """Return the curves with an additional point at each crossing from one column into the next."""
    edges: Floats = np.arange(width + 1, dtype=np.float64)
    before = np.searchsorted(positions, edges, "right") - 1
    is_crossed = (before >= 0) & (before < len(positions) - 1)
    is_crossed[is_crossed] = joined[before[is_crossed]]
    edges, before = edges[is_crossed], before[is_crossed]
    fractions = (edges - positions[before]) / (positions[before + 1] - positions[before])
    crossings = curves[before] + (curves[before + 1] - curves[before]) * fractions[:, None]
    return (
        np.insert(positions, before + 1, edges),
        np.insert(curves, before + 1, crossings, axis=0),
        np.insert(joined, before + 1, values=True),
    )


def _average_columns(positions: Floats, curves: Floats, joined: Flags, width: int) -> tuple[Floats, Floats]:
    """Return means of curves that are cut at the columns (NaN without data), and the part of each column they cover."""
    columns = np.floor((positions[1:] + positions[:-1]) / 2)
    is_visible = joined[:-1] & (columns >= 0) & (columns < width)
    columns = columns[is_visible].astype(np.intp)
    lengths = np.diff(positions)[is_visible]
    areas = (curves[1:] + curves[:-1])[is_visible] * (lengths[:, None] / 2)
    cover = np.asarray(np.bincount(columns, lengths, width), np.float64)
    means = np.full((width, curves.shape[1]), np.nan)
    for mean, area in zip(means.T, areas.T, strict=True):
        np.divide(np.bincount(columns, area, width), cover, out=mean, where=cover > MIN_COVER_COLUMNS)
    return means, cover


def _find_peaks(curve: Floats, joined: Flags) -> Flags:
    """Return True for each point that is not below a neighbour to which it is joined."""
    peaks = np.ones(len(curve), np.bool_)
    rises = curve[1:] > curve[:-1]
    peaks[:-1] &= ~(rises & joined[:-1])
    peaks[1:] &= rises | (curve[1:] == curve[:-1]) | ~joined[:-1]
    return peaks


MEDIAN_CURVE = 4
"""Index of the median."""

BAND_SHADES = (2, 3, 4, 5)
"""Shades of the bands, from the outermost to the one around the median."""

MIN_FAN_EIGHTHS = 1e-6
"""Eighths of a cell; a narrower fan is a line."""

LONE_STEP_COLUMNS = 1
"""Columns that a single step covers on either side of its own."""


@frozen(eq=False)
class FanChart:
    """Curves of a fan chart; without steps the axes are still drawn."""

    x: npt.NDArray[np.float64]
    """float64[n], ascending on the chart's x axis."""

    curves: npt.NDArray[np.float64]
    """float64[n, 9], ascending from curve to curve. A step with a NaN or an infinity is a gap, marked where it begins.
    Values below a log axis are drawn at its lower edge."""

    ink: int
    """A series ink."""

    x_axis: Axis
    y_axis: Axis
    signs: tuple[Sign, ...] = ()
    """Signs besides those of gaps: restarts."""

    levels: tuple[ReferenceLine, ...] = ()
    """Reference lines."""

    names: tuple[str, ...] = ()
    """Labels at the ends of the curves, if the chart is wide enough: one for each, or none at all."""

    lines: tuple[Trace, ...] = ()
    """Lines of the same ink below the median, such as superseded points."""


@frozen(eq=False)
class FanPicture:
    """A drawn fan chart without its cursor, which can be drawn over it repeatedly."""

    chart: FanChart
    layout: Layout
    _cells: Cells
    """Everything except cursor and signs."""

    _lit: npt.NDArray[np.bool_]
    """Cells of the plot that the cursor leaves unchanged: those of lines and of names."""

    _backgrounds: npt.NDArray[np.int16]
    """Shade behind each cell of the plot, from `draw_areas`."""

    signs: tuple[Sign, ...]
    """Signs of the chart and of gaps."""

    _ink: int
    _zone: tzinfo | None

    def at(self, cursor: float | None = None, mark: float | None = None) -> Cells:
        """Return new cells with the cursor and the mark at x values, as in a line chart."""
        cells = self._cells.copy()
        draw_cursor(cells, self.layout, (cursor, mark), self._lit, self._zone)
        draw_signs(cells, self.signs, self.layout.plot)
        restore_backgrounds(cells, self._backgrounds, self.layout.plot, self._ink)
        return cells


def draw_fan(chart: FanChart, width: int, height: int, zone: tzinfo | None = None) -> FanPicture:
    """Draw a fan chart without its cursor.

    Args:
        chart: Chart to draw.
        width: Columns, at least 1.
        height: Rows, at least 1.
        zone: Time zone of a wall time axis; None: the zone of the machine.
    """
    cells = Cells.blank(height, width)
    layout = lay_out_chart(chart.x_axis, chart.y_axis, chart.names, width, height, zone)
    plot = layout.plot
    draw_axes(cells, layout)
    is_finite_row = np.isfinite(chart.x) & np.isfinite(chart.curves).all(axis=1)
    columns = _resample_chart(chart, is_finite_row, plot)
    backgrounds = draw_areas(cells, _shade_columns(columns, plot), plot, chart.ink)
    lit = _draw_lines(cells, chart, is_finite_row, plot, backgrounds)
    draw_reference_lines(cells, chart.levels, plot, lit)
    restore_backgrounds(cells, backgrounds, plot, chart.ink)
    if layout.margin:
        draw_end_labels(cells, _label_traces(chart), layout)
    gaps = Trace(chart.x, np.where(is_finite_row, chart.curves[:, MEDIAN_CURVE], np.nan), chart.ink)
    signs = () if bool(is_finite_row.all()) else find_nonfinite_signs([gaps], plot)
    return FanPicture(chart, layout, cells, lit, backgrounds, (*chart.signs, *signs), chart.ink, zone)


def _resample_chart(chart: FanChart, is_finite_row: npt.NDArray[np.bool_], plot: PlotArea) -> ResampledCurves:
    """Return the heights of the curves in each column, in eighths of a cell."""
    rows = np.flatnonzero(is_finite_row)
    positions = _locate_steps(chart, rows, plot, 1)
    heights = _compute_curve_heights(chart.curves[rows], plot)
    columns = resample_curves(positions, heights, np.diff(rows, append=-1) == 1, plot.width)
    if (lone_step := _find_lone_step_columns(positions, 1, plot)) is not None:
        for column_values in columns:
            column_values[lone_step] = column_values[int(positions[0])]
    return columns


def _find_lone_step_columns(positions: Floats, columns_per_cell: int, plot: PlotArea) -> slice | None:
    """Return the columns that a single visible step covers, in parts of a cell; None for any other number of steps."""
    if len(positions) != 1 or not 0 <= positions[0] < columns_per_cell * plot.width:
        return None
    cell = int(positions[0]) // columns_per_cell
    return slice(columns_per_cell * max(cell - LONE_STEP_COLUMNS, 0), columns_per_cell * (cell + LONE_STEP_COLUMNS + 1))


def _locate_steps(
    chart: FanChart, rows: npt.NDArray[np.intp], plot: PlotArea, columns_per_cell: int
) -> npt.NDArray[np.float64]:
    """Return the positions of some steps across the plot, in equal parts of a cell."""
    dots = to_dot_columns(plot.x_axis, chart.x[rows], plot.width) + 0.5
    return np.asarray(np.clip(dots * (columns_per_cell / DOTS_ACROSS), -MAX_DOTS, MAX_DOTS))


def _compute_curve_heights(values: npt.NDArray[np.float64], plot: PlotArea) -> npt.NDArray[np.float64]:
    """Return heights in eighths of a cell; values that the axis cannot show are just below its lower edge."""
    heights = scale_to_eighths(plot.y_axis, values, plot.height)
    heights[np.isnan(heights)] = -1
    return np.clip(heights, -MAX_DOTS, MAX_DOTS, out=heights)


def _shade_columns(columns: ResampledCurves, plot: PlotArea) -> npt.NDArray[np.int16]:
    """Return the shade of each eighth of the plot, int16[columns, 8 rows], the lowest first."""
    ends = np.floor(columns.means + 0.5)
    ends[:, 0], ends[:, -1] = np.floor(columns.minima + MIN_FAN_EIGHTHS), np.ceil(columns.maxima - MIN_FAN_EIGHTHS)
    ends[columns.maxima - columns.minima < MIN_FAN_EIGHTHS] = np.nan
    eighths = np.arange(EIGHTHS * plot.height)
    depth = np.zeros((plot.width, len(eighths)), np.intp)
    for band in range(len(BAND_SHADES)):
        depth += (ends[:, band, None] <= eighths) & (eighths < ends[:, -1 - band, None])
    return np.array((0, *BAND_SHADES), np.int16)[depth]


def _draw_lines(
    cells: Cells, chart: FanChart, is_finite_row: Flags, plot: PlotArea, backgrounds: npt.NDArray[np.int16]
) -> npt.NDArray[np.bool_]:
    """Draw the median over the bands, and other lines below it.

    Returns:
        Cells of the plot with lines, bool[rows, columns].
    """
    canvas = Canvas(plot.width, plot.height)
    draw_traces(canvas, chart.lines, plot)
    solid = Pens(np.array([chart.ink], np.int16), np.zeros(1, np.bool_), np.zeros(1, np.intp))
    canvas.draw_lines(_find_median_spans(chart, is_finite_row, plot), solid)
    lit = canvas.blit(cells, plot.top, plot.left)
    cells.inks[plot.area][lit] = to_shade_inks(chart.ink, FULL_SHADE, backgrounds[lit])
    return lit


def _find_median_spans(chart: FanChart, is_finite_row: npt.NDArray[np.bool_], plot: PlotArea) -> Spans:
    """Return the dots of the median: the mean of several steps in a dot column, as for all inner curves."""
    rows, width = np.flatnonzero(is_finite_row), DOTS_ACROSS * plot.width
    positions = _locate_steps(chart, rows, plot, DOTS_ACROSS)
    heights = _compute_curve_heights(chart.curves[rows, MEDIAN_CURVE, None], plot)
    means = resample_curves(positions, heights, np.diff(rows, append=-1) == 1, width).means[:, 0]
    if (lone_step := _find_lone_step_columns(positions, DOTS_ACROSS, plot)) is not None:
        means[lone_step] = heights[0, 0]
    down = (EIGHTHS * plot.height - means) * (DOTS_DOWN / EIGHTHS) - 0.5
    return rasterize_lines(np.arange(width, dtype=np.float64), down, width)


def _label_traces(chart: FanChart) -> list[Trace]:
    """Return the curves with their names, from the top; only the median has the colour of the run."""
    return [
        Trace(chart.x, curve, chart.ink if index == MEDIAN_CURVE else Ink.DIM, label=name, ascending=True)
        for index, (curve, name) in enumerate(zip(chart.curves.T, chart.names, strict=True))
    ][::-1]
