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
from tbtui.charts.area_curves import EIGHTHS, FULL_SHADE, draw_areas, heights_in_eighths, restore_backgrounds
from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, across
from tbtui.charts.canvas import Canvas, Pens
from tbtui.charts.cells import Cells, Ink, shade
from tbtui.charts.chart_layout import chart_layout, draw_axes
from tbtui.charts.line_chart import Trace, draw_end_labels, draw_signs, draw_traces, nonfinite_signs
from tbtui.charts.raster import MAX_DOTS, line_spans
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
"""Columns; points closer to each other are drawn one above the other."""


class ResampledCurves(NamedTuple):
    """Curves by column; NaN in columns without data."""

    means: Floats
    """float64[columns, curves]."""

    least: Floats
    """float64[columns]: minimum of the first curve."""

    greatest: Floats
    """float64[columns]: maximum of the last curve."""


def resample_curves(places: Floats, curves: Floats, joined: Flags, width: int) -> ResampledCurves:
    """Return curves in columns 0 to before `width`; column i reaches from i to i + 1.

    Args:
        places: Positions of the points, float64[n], finite and ascending.
        curves: float64[n, curves], finite, ascending from curve to curve.
        joined: Whether a point is joined to the next, bool[n]; the last one does not count.
        width: Columns.
    """
    means, cover = _means(*_cut(places, curves, joined, width), width)
    inside = (places >= 0) & (places < width)
    columns = places[inside].astype(np.intp)
    counts = np.bincount(columns, minlength=width)
    lone = (cover <= MIN_COVER_COLUMNS) & (counts > 0)
    if bool(lone.any()):
        sums = np.stack([np.bincount(columns, curve, width) for curve in curves[inside].T], axis=1)
        means[lone] = sums[lone] / counts[lone, None]
    least, greatest = means[:, 0].copy(), means[:, -1].copy()
    low, high = _peaks(-curves[:, 0], joined) & inside, _peaks(curves[:, -1], joined) & inside
    np.minimum.at(least, places[low].astype(np.intp), curves[low, 0])
    np.maximum.at(greatest, places[high].astype(np.intp), curves[high, -1])
    return ResampledCurves(means, least, greatest)


def _cut(places: Floats, curves: Floats, joined: Flags, width: int) -> tuple[Floats, Floats, Flags]:
    """Return the curves with additional points wherever they pass from one column into the next."""
    edges: Floats = np.arange(width + 1, dtype=np.float64)
    before = np.searchsorted(places, edges, "right") - 1
    passed = (before >= 0) & (before < len(places) - 1)
    passed[passed] = joined[before[passed]]
    edges, before = edges[passed], before[passed]
    parts = (edges - places[before]) / (places[before + 1] - places[before])
    between = curves[before] + (curves[before + 1] - curves[before]) * parts[:, None]
    return (
        np.insert(places, before + 1, edges),
        np.insert(curves, before + 1, between, axis=0),
        np.insert(joined, before + 1, values=True),
    )


def _means(places: Floats, curves: Floats, joined: Flags, width: int) -> tuple[Floats, Floats]:
    """Return means of curves that are cut at the columns (NaN without data), and how much of each column they cover."""
    columns = np.floor((places[1:] + places[:-1]) / 2)
    drawn = joined[:-1] & (columns >= 0) & (columns < width)
    columns = columns[drawn].astype(np.intp)
    lengths = np.diff(places)[drawn]
    areas = (curves[1:] + curves[:-1])[drawn] * (lengths[:, None] / 2)
    cover = np.asarray(np.bincount(columns, lengths, width), np.float64)
    means = np.full((width, curves.shape[1]), np.nan)
    for mean, area in zip(means.T, areas.T, strict=True):
        np.divide(np.bincount(columns, area, width), cover, out=mean, where=cover > MIN_COVER_COLUMNS)
    return means, cover


def _peaks(curve: Floats, joined: Flags) -> Flags:
    """Return the points below none of the neighbours that they are joined to."""
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
"""Eighths of a cell; a fan that is not wider is a line."""

LONE_STEP_COLUMNS = 1
"""Columns that a single step reaches to either side."""


@frozen(eq=False)
class FanChart:
    """Curves of a fan chart; without steps the axes are still drawn."""

    x: npt.NDArray[np.float64]
    """float64[n], ascending on the chart's x axis."""

    curves: npt.NDArray[np.float64]
    """float64[n, 9], ascending from curve to curve. A step with a NaN or an infinity is a gap, marked where it begins;
    values below a log axis reach to its lower edge."""

    ink: int
    """A series ink."""

    x_axis: Axis
    y_axis: Axis
    signs: tuple[Sign, ...] = ()
    """Signs besides those of gaps: restarts."""

    levels: tuple[ReferenceLine, ...] = ()
    """Reference lines."""

    names: tuple[str, ...] = ()
    """Labels at the ends of the curves, if there is room: one for each, or none at all."""

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

    _grounds: npt.NDArray[np.int16]
    signs: tuple[Sign, ...]
    """Signs of the chart and of gaps."""

    _ink: int
    _zone: tzinfo | None

    def at(self, cursor: float | None = None, mark: float | None = None) -> Cells:
        """Return fresh cells with the cursor and the mark at x values, as in a line chart."""
        cells = self._cells.copy()
        draw_cursor(cells, self.layout, (cursor, mark), self._lit, self._zone)
        draw_signs(cells, self.signs, self.layout.plot)
        restore_backgrounds(cells, self._grounds, self.layout.plot, self._ink)
        return cells


def fan_picture(chart: FanChart, width: int, height: int, zone: tzinfo | None = None) -> FanPicture:
    """Draw a fan chart without its cursor.

    Args:
        chart: Chart to draw.
        width: Columns, at least 1.
        height: Rows, at least 1.
        zone: Time zone of a wall time axis; None: the zone of the machine.
    """
    cells = Cells.blank(height, width)
    layout = chart_layout(chart.x_axis, chart.y_axis, chart.names, width, height, zone)
    plot = layout.plot
    draw_axes(cells, layout)
    whole = np.isfinite(chart.x) & np.isfinite(chart.curves).all(axis=1)
    columns = _columns(chart, whole, plot)
    grounds = draw_areas(cells, _shades(columns, plot), plot, chart.ink)
    lit = _draw_lines(cells, chart, whole, plot, grounds)
    draw_reference_lines(cells, chart.levels, plot, lit)
    restore_backgrounds(cells, grounds, plot, chart.ink)
    if layout.margin:
        draw_end_labels(cells, _ends(chart), layout)
    gaps = Trace(chart.x, np.where(whole, chart.curves[:, MEDIAN_CURVE], np.nan), chart.ink)
    signs = () if bool(whole.all()) else nonfinite_signs([gaps], plot)
    return FanPicture(chart, layout, cells, lit, grounds, (*chart.signs, *signs), chart.ink, zone)


def _columns(chart: FanChart, whole: npt.NDArray[np.bool_], plot: PlotArea) -> ResampledCurves:
    """Return the heights of the curves in each column, in eighths of a cell."""
    rows = np.flatnonzero(whole)
    places = _places(chart, rows, plot, 1)
    heights = _heights(chart.curves[rows], plot)
    columns = resample_curves(places, heights, np.diff(rows, append=-1) == 1, plot.width)
    if len(rows) == 1 and 0 <= places[0] < plot.width:
        for each in columns:
            each[max(int(places[0]) - LONE_STEP_COLUMNS, 0) : int(places[0]) + LONE_STEP_COLUMNS + 1] = each[
                int(places[0])
            ]
    return columns


def _places(chart: FanChart, rows: npt.NDArray[np.intp], plot: PlotArea, parts: int) -> npt.NDArray[np.float64]:
    """Return the positions of some steps across the plot, in equal parts of a cell."""
    dots = across(plot.x_axis, chart.x[rows], plot.width) + 0.5
    return np.asarray(np.clip(dots * (parts / DOTS_ACROSS), -MAX_DOTS, MAX_DOTS))


def _heights(values: npt.NDArray[np.float64], plot: PlotArea) -> npt.NDArray[np.float64]:
    """Return heights in eighths of a cell; values that the axis cannot show are just below the lower edge."""
    heights = heights_in_eighths(plot.y_axis, values, plot.height)
    heights[np.isnan(heights)] = -1
    return np.clip(heights, -MAX_DOTS, MAX_DOTS, out=heights)


def _shades(columns: ResampledCurves, plot: PlotArea) -> npt.NDArray[np.int16]:
    """Return the shade of each eighth of the plot, int16[columns, 8 rows], the lowest first."""
    ends = np.floor(columns.means + 0.5)
    ends[:, 0], ends[:, -1] = np.floor(columns.least + MIN_FAN_EIGHTHS), np.ceil(columns.greatest - MIN_FAN_EIGHTHS)
    ends[columns.greatest - columns.least < MIN_FAN_EIGHTHS] = np.nan
    eighths = np.arange(EIGHTHS * plot.height)
    depth = np.zeros((plot.width, len(eighths)), np.intp)
    for band in range(len(BAND_SHADES)):
        depth += (ends[:, band, None] <= eighths) & (eighths < ends[:, -1 - band, None])
    return np.array((0, *BAND_SHADES), np.int16)[depth]


def _draw_lines(
    cells: Cells, chart: FanChart, whole: npt.NDArray[np.bool_], plot: PlotArea, grounds: npt.NDArray[np.int16]
) -> npt.NDArray[np.bool_]:
    """Draw the median over the bands, and other lines below it.

    Returns:
        Cells of the plot with lines, bool[rows, columns].
    """
    canvas = Canvas(plot.width, plot.height)
    draw_traces(canvas, chart.lines, plot)
    solid = Pens(np.array([chart.ink], np.int16), np.zeros(1, np.bool_), np.zeros(1, np.intp))
    canvas.lines(_median_spans(chart, whole, plot), solid)
    lit = canvas.blit(cells, plot.top, plot.left)
    cells.inks[plot.area][lit] = shade(chart.ink, FULL_SHADE, grounds[lit])
    return lit


def _median_spans(chart: FanChart, whole: npt.NDArray[np.bool_], plot: PlotArea) -> Spans:
    """Return the dots of the median: the mean of several steps in a dot column, as for all inner curves."""
    rows, width = np.flatnonzero(whole), DOTS_ACROSS * plot.width
    places = _places(chart, rows, plot, DOTS_ACROSS)
    heights = _heights(chart.curves[rows, MEDIAN_CURVE, None], plot)
    means = resample_curves(places, heights, np.diff(rows, append=-1) == 1, width).means[:, 0]
    if len(rows) == 1 and 0 <= places[0] < width:
        cell = int(places[0]) // DOTS_ACROSS
        means[DOTS_ACROSS * max(cell - LONE_STEP_COLUMNS, 0) : DOTS_ACROSS * (cell + LONE_STEP_COLUMNS + 1)] = heights[
            0, 0
        ]
    down = (EIGHTHS * plot.height - means) * (DOTS_DOWN / EIGHTHS) - 0.5
    return line_spans(np.arange(width, dtype=np.float64), down, width)


def _ends(chart: FanChart) -> list[Trace]:
    """Return the curves with their names, from the top; only the median has the colour of the run."""
    return [
        Trace(chart.x, curve, chart.ink if index == MEDIAN_CURVE else Ink.DIM, label=name, ascending=True)
        for index, (curve, name) in enumerate(zip(chart.curves.T, chart.names, strict=True))
    ][::-1]
