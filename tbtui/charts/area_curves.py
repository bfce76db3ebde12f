"""Histograms over one another: several curves of counts on one baseline, over their values."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.annotations import CROSSING_SIGN
from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, across, down
from tbtui.charts.canvas import Canvas, Pens
from tbtui.charts.cells import FAINT_FROM, SHADE_FROM, SHADES, Cells, Ink, shade
from tbtui.charts.colours import dash_patterns
from tbtui.charts.layout import chart_layout, draw_axes, plot_rows
from tbtui.charts.line_chart import NAN_SIGN, Trace, draw_traces
from tbtui.charts.raster import MAX_DOTS, line_spans
from tbtui.charts.text import write
from tbtui.charts.ticks import value_label
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import tzinfo

    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.charts.layout import Layout, PlotArea


# Areas in shades of one colour: eight levels of height a cell, by a lower block and the ground above it.
#
# A cell has two shades, one below a height and one above. Where more than two meet in one, those two and the height
# are
# taken that leave the least wrong: every eighth counts by how many shades it is off.


EIGHTHS = 8
"""Heights that a cell can show."""

FULL_SHADE = SHADES - 1
"""The shade that is the colour itself."""

BLANK, LOWER_BLOCK = 32, 0x2580
"""`LOWER_BLOCK` + n fills the lower n eighths of a cell (Unicode 15, Block Elements)."""

_NOTHING = -2
"""What the background counts as when shades are compared: the outline of an area matters more than what is in it."""

_PER_DOT = EIGHTHS / DOTS_DOWN


def heights_in_eighths(axis: Axis, values: npt.ArrayLike, cells: int) -> npt.NDArray[np.float64]:
    """Heights of values above the bottom of a plot `cells` high, in eighths of a cell; fractions, NaN without a place.

    Where a dot of a line has its centre, so that areas and lines agree.
    """
    with np.errstate(over="ignore"):
        return EIGHTHS * cells - _PER_DOT * (down(axis, values, cells) + 0.5)


def draw_areas(cells: Cells, shades: npt.NDArray[np.int16], plot: PlotArea, ink: int) -> npt.NDArray[np.int16]:
    """Fill areas into the plot of fresh cells; nothing is drawn where the shade is 0.

    Args:
        cells: Changed in place.
        shades: Shade of each eighth, [columns, 8 rows] of the plot, the lowest first in each column.
        plot: Where.
        ink: A series ink.

    Returns:
        The middle shade of each cell, [rows, columns]: the ground for what is drawn over it.
    """
    eighths = shades.reshape(plot.width, plot.height, EIGHTHS)[:, ::-1].transpose(1, 0, 2)
    over, under = eighths[:, :, 0].copy(), eighths[:, :, -1].copy()
    heights = np.zeros(over.shape, np.intp)
    changes = np.count_nonzero(eighths[:, :, 1:] != eighths[:, :, :-1], axis=2)
    once = changes == 1
    heights[once] = np.argmax(eighths[once] != over[once][:, None], axis=1)
    often = changes > 1
    if bool(often.any()):
        over[often], under[often], heights[often] = _nearest(eighths[often])
    heights[over == under] = 0
    filled = (over > 0) | (under > 0)
    cells.glyphs[plot.area][filled] = np.where(heights > 0, LOWER_BLOCK + heights, BLANK)[filled]
    cells.inks[plot.area][filled] = shade(ink, over, under)[filled]
    return np.sort(eighths, axis=2)[:, :, EIGHTHS // 2].astype(np.int16)


def _nearest(
    eighths: npt.NDArray[np.int16],
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16], npt.NDArray[np.intp]]:
    """The two shades and the height between them that come nearest to each of some cells [cells, 8]."""
    count, eighths = len(eighths), np.where(eighths > 0, eighths, _NOTHING).astype(np.int16)
    least = np.full(count, np.iinfo(np.intp).max)
    over, under, heights = np.zeros(count, np.int16), np.zeros(count, np.int16), np.zeros(count, np.intp)
    for height in range(1, EIGHTHS):
        below, above = eighths[:, :height], eighths[:, height:]
        lower, upper = _middle(below), _middle(above)
        wrong = np.abs(below - lower[:, None]).sum(axis=1) + np.abs(above - upper[:, None]).sum(axis=1)
        better = wrong < least
        least[better], heights[better] = wrong[better], height
        over[better], under[better] = lower[better], upper[better]
    return np.maximum(over, 0), np.maximum(under, 0), heights


def _middle(shades: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """The median of each row, the upper of two: always a shade that occurs."""
    return np.asarray(np.sort(shades, axis=1)[:, shades.shape[1] // 2])


def contrasting_shades(shades: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """The shade that stands out best from each of some grounds: the colour itself, or the background."""
    return np.where(shades < FULL_SHADE - 1, FULL_SHADE, 0).astype(np.int16)


def restore_backgrounds(cells: Cells, grounds: npt.NDArray[np.int16], plot: PlotArea, ink: int) -> None:
    """Put the grounds back behind what was written over areas, in the shade that stands out from each.

    Signs of good and bad keep their own colour, and with it the background behind it.

    Args:
        cells: Changed in place.
        grounds: From `draw_shades`.
        plot: Where.
        ink: A series ink.
    """
    inks = cells.inks[plot.area]
    over = (grounds > 0) & (inks < SHADE_FROM) & ~np.isin(inks, (Ink.GOOD, Ink.WARN, Ink.BAD))
    inks[over] = shade(ink, contrasting_shades(grounds), grounds)[over]


def shades_by_age(count: int, palest: int) -> list[int]:
    """Shades in even steps from `palest`, the oldest, to full, the newest; one alone is full."""
    newest_first: list[int] = np.rint(np.linspace(FULL_SHADE, palest, count)).astype(int).tolist()
    return newest_first[::-1]


MIN_CURVE_SHADE = 3
"""The shade of the oldest of several steps: lines are thinner than areas, and names are to be read."""


@frozen(eq=False)
class OverlayCurve:
    """One histogram."""

    edges: npt.NDArray[np.float64]
    """float64[bins + 1], ascending on the value axis. Between the middles of bins the curve is straight."""

    counts: npt.NDArray[np.float64]
    """float64[bins]. One with a NaN is none: it has a name alone, with the sign of one that could not be drawn."""

    ink: int
    name: str = ""
    """Of its step or its run."""

    at: float | None = None
    """Its step, where it is to stand out under the cursor."""


@frozen(eq=False)
class OverlayChart:
    """What an overlay shows. One without curves still shows its axes."""

    curves: tuple[OverlayCurve, ...]
    """In drawing order: the last lies on top, and is named first."""

    value_axis: Axis
    count_axis: Axis


def curves_by_age(
    edges: npt.NDArray[np.float64],
    counts: npt.NDArray[np.float64],
    at: npt.NDArray[np.float64],
    names: Sequence[str],
    ink: int,
) -> tuple[OverlayCurve, ...]:
    """Histograms of several steps of one run, in shades of its colour from the oldest to the newest.

    Args:
        edges: float64[bins + 1].
        counts: float64[k, bins], the oldest first.
        at: float64[k]: their steps.
        names: Of the steps.
        ink: The series ink of the run.
    """
    shades = shade(ink, shades_by_age(len(counts), MIN_CURVE_SHADE), 0).tolist()
    return tuple(map(OverlayCurve, [edges] * len(counts), counts, shades, names, at.tolist()))


@frozen(eq=False)
class OverlayPicture:
    """An overlay of one size, in which one curve or another may stand out."""

    layout: Layout
    chart: OverlayChart
    _cells: Cells
    """The axes."""

    def at(self, cursor: float | None = None, mark: float | None = None) -> Cells:
        """The picture; the curves whose steps are nearest to a cursor and to a mark lie on top, each in its own ink.

        Returns:
            Fresh cells.
        """
        cells = self._cells.copy()
        plot = self.layout.plot
        drawn = self._ordered(cursor, mark)
        dashes = dash_patterns(curve.ink for curve in drawn if 0 <= curve.ink < FAINT_FROM)
        for curve in drawn:  # each on its own: where curves meet, the dots of one alone are easier to follow
            canvas = Canvas(plot.width, plot.height)
            draw_traces(canvas, list(_traces(curve, dashes.get(curve.ink, 0))), plot)
            canvas.blit(cells, plot.top, plot.left)
        if self.layout.margin:
            for row, (name, ink) in enumerate(_named(drawn), plot.top):
                write(cells, row, plot.left + plot.width + 1, name, ink)
        return cells

    def legend(self, cursor: float | None = None, mark: float | None = None) -> list[tuple[str, int]]:
        """Names and their inks, for where they do not stand beside the plot (`layout.margin` is 0)."""
        return _named(self._ordered(cursor, mark))

    def _ordered(self, cursor: float | None, mark: float | None) -> list[OverlayCurve]:
        """The curves in drawing order, with the inks that they have then."""
        curves = list(self.chart.curves)
        for place, ink in ((mark, Ink.TEXT), (cursor, Ink.ACCENT)):
            apart = [math.inf if curve.at is None or place is None else abs(curve.at - place) for curve in curves]
            if min(apart, default=math.inf) < math.inf:
                curves.append(replace(curves.pop(apart.index(min(apart))), ink=ink))
        return curves


def overlay_picture(chart: OverlayChart, width: int, height: int, zone: tzinfo | None = None) -> OverlayPicture:
    """Lay out an overlay; curves are drawn when it is known which stand out.

    Args:
        chart: What to draw.
        width: Columns, at least 1; where there are too few, names go first, then the labels of counts.
        height: Rows, at least 1.
        zone: Time zone of wall times; None is the machine's.
    """
    cells = Cells.blank(height, width)
    names = [name for name, _ in _named(chart.curves)]
    layout = chart_layout(chart.value_axis, chart.count_axis, names, width, height, zone, turned=True)
    draw_axes(cells, layout)
    return OverlayPicture(layout, chart, cells)


def _named(curves: Sequence[OverlayCurve]) -> list[tuple[str, int]]:
    """Names and inks, that of the curve on top first."""
    missing = [bool(np.isnan(curve.counts).any()) for curve in curves]
    names = [f"{curve.name} {NAN_SIGN}" if none else curve.name for curve, none in zip(curves, missing, strict=True)]
    return [(name, curve.ink) for name, curve in zip(names, curves, strict=True) if curve.name][::-1]


def _traces(curve: OverlayCurve, pattern: int) -> Iterator[Trace]:
    """The outline of a histogram, upright at the outer edges."""
    if len(curve.counts) and not bool(np.isnan(curve.counts).any()):
        low, high = curve.edges[:1], curve.edges[-1:]
        middles = curve.edges[:-1] / 2 + curve.edges[1:] / 2
        counts = np.concatenate(([0.0], curve.counts[:1], curve.counts, curve.counts[-1:], [0.0]))
        x = np.concatenate((low, low, middles, high, high))
        yield Trace(x, counts, curve.ink, ascending=True, pattern=pattern)


# Ridges: histograms of some steps one before the other, the oldest at the back, the newest in front.
#
# Values stand across, steps go down; each histogram rises from the row of its step and covers what is behind it.


HEADROOM = 0.4
"""Part of the plot above the first step: a ridge is as high as that and its own row."""

MIN_RIDGE_ROWS = 2
"""Rows between ridges that are still told apart."""

MIN_RIDGE_SHADE = 2
"""The shade of the oldest ridge, where that leaves each its own; where it needs one more, 1."""

NEIGHBOUR_SHADES = 2
"""Shades between a ridge and its neighbours where there are more than shades: they alternate."""


@frozen(eq=False)
class RidgeChart:
    """What ridges show. A chart without any still shows its axes."""

    curves: npt.NDArray[np.float64]
    """float64[k, bins]: counts of the chosen histograms. One with a NaN is none, and is marked."""

    at: npt.NDArray[np.float64]
    """float64[k], ascending on the step axis; those outside it are not drawn."""

    edges: npt.NDArray[np.float64]
    """float64[bins + 1], ascending on the value axis. Between the middles of bins the outline is straight."""

    ink: int
    """A series ink."""

    value_axis: Axis
    step_axis: Axis
    most: float | None = None
    """The count that the full height stands for; None: the greatest there is. Higher ones are cut off."""


@frozen(eq=False)
class RidgePicture:
    """Ridges that are drawn but for what moves: others can stand out again and again."""

    layout: Layout
    chart: RidgeChart
    _cells: Cells
    _zone: tzinfo | None

    def at(self, cursor: float | None = None, mark: float | None = None) -> Cells:
        """The picture with the outlines of two ridges in front of all: those nearest to two places on the step axis.

        Their steps stand at the axis; of one that is no histogram the step alone.

        Returns:
            Fresh cells.
        """
        cells = self._cells.copy()
        for place, ink in ((mark, Ink.TEXT), (cursor, Ink.ACCENT)):
            ridge = None if place is None else self.nearest(place)
            if ridge is not None:
                if bool(np.isfinite(self.chart.curves[ridge]).all()):
                    _draw_outline(cells, self.chart, ridge, self.layout.plot, ink)
                _draw_step(cells, self.layout, float(self.chart.at[ridge]), ink, self._zone)
        return cells

    def nearest(self, place: float) -> int | None:
        """Which histogram in sight looks nearest to a place on the step axis; None without any."""
        axis, seen = self.chart.step_axis, np.flatnonzero(self.layout.plot.rows(self.chart.at) >= 0)
        if not len(seen) or not math.isfinite(place):
            return None
        apart = np.abs(axis.unit(self.chart.at[seen]) - axis.unit(place))
        return int(seen[np.argmin(apart)])


def max_ridges(height: int) -> int:
    """How many ridges of a picture so many rows high are told apart, at least 1."""
    rows = plot_rows(height)
    return max((rows - int(HEADROOM * rows) - 1) // MIN_RIDGE_ROWS, 0) + 1


def ridge_picture(chart: RidgeChart, width: int, height: int, zone: tzinfo | None = None) -> RidgePicture:
    """Draw ridges, none of which stands out.

    Args:
        chart: What to draw.
        width: Columns, at least 1.
        height: Rows, at least 1.
        zone: Time zone of a wall time axis; None is the machine's.
    """
    cells = Cells.blank(height, width)
    layout = chart_layout(chart.value_axis, chart.step_axis, (), width, height, zone, turned=True, headroom=HEADROOM)
    plot = layout.plot
    draw_axes(cells, layout)
    rows = plot.rows(chart.at)
    whole = np.isfinite(chart.curves).all(axis=1)
    draw_areas(cells, _shades(chart, np.where(whole, rows, -1), plot), plot, chart.ink)
    for row in rows[(rows >= 0) & ~whole].tolist():
        write(cells, row, plot.left, NAN_SIGN, chart.ink)
    return RidgePicture(layout, chart, cells, zone)


def _shades(chart: RidgeChart, rows: npt.NDArray[np.intp], plot: PlotArea) -> npt.NDArray[np.int16]:
    """The shade of each eighth of the plot: [columns, 8 rows], the lowest first.

    Args:
        chart: The ridges.
        rows: The row of the chart that each stands on; -1 for those that are not drawn.
        plot: Where.
    """
    eighths = np.arange(EIGHTHS * plot.height)
    shades = np.zeros((plot.width, len(eighths)), np.int16)
    drawn = np.flatnonzero(rows >= 0)
    for ridge, ridge_shade in zip(drawn.tolist(), ridge_shades(len(drawn)), strict=True):
        base = EIGHTHS * (plot.top + plot.height - 1 - int(rows[ridge]))
        heights = EIGHTHS * _heights(chart, ridge, plot, plot.width)
        tops = base + np.where(heights > 0, np.maximum(np.rint(heights), 1), 0)  # any count is seen
        shades[(eighths >= base) & (eighths < tops[:, None])] = ridge_shade
    return shades


def ridge_shades(count: int) -> list[int]:
    """Shades of ridges from the oldest to the newest: from faint to full, and no two neighbours alike."""
    if count <= FULL_SHADE:
        return shades_by_age(count, MIN_RIDGE_SHADE if count < FULL_SHADE else 1)
    pairs = np.arange((count + 1) // 2)
    upper = FULL_SHADE - np.rint(pairs * min(1.0, (FULL_SHADE - 1 - NEIGHBOUR_SHADES) / (len(pairs) - 1)))
    newest_first: list[int] = np.stack((upper, upper - NEIGHBOUR_SHADES), axis=1).ravel()[:count].astype(int).tolist()
    return newest_first[::-1]


def _heights(chart: RidgeChart, ridge: int, plot: PlotArea, columns: int) -> npt.NDArray[np.float64]:
    """Rows that a ridge rises above its own in so many columns of the plot."""
    places = (across(chart.value_axis, chart.edges, plot.width) + 0.5) * (columns / (DOTS_ACROSS * plot.width))
    np.clip(places, -MAX_DOTS, MAX_DOTS, out=places)
    known = ~np.isnan(places)
    bins = known[1:] & known[:-1]
    heights = np.zeros(columns)
    if not bool(bins.any()):
        return heights
    counts, middles = chart.curves[ridge, bins], ((places[1:] + places[:-1]) / 2)[bins]
    centres = np.arange(columns) + 0.5
    within = (centres >= places[known][0]) & (centres <= places[known][-1])
    heights[within] = np.interp(centres[within], middles, counts)
    seen = (middles >= 0) & (middles < columns)
    np.maximum.at(heights, middles[seen].astype(np.intp), counts[seen])
    most = chart.most
    if most is None:
        most = float(chart.curves.max(where=np.isfinite(chart.curves), initial=0.0))
    # Compared first, since the parts of a tiny count may be beyond all floats.
    return np.minimum(heights, most) / most * (plot.head + 1) if most > 0 else np.zeros(columns)


def _draw_outline(cells: Cells, chart: RidgeChart, ridge: int, plot: PlotArea, ink: int) -> None:
    """Draw the outline of a ridge over all others, the whole width of the plot."""
    columns = DOTS_ACROSS * plot.width
    below = DOTS_DOWN * (int(plot.rows(chart.at[ridge])) - plot.top + 1)
    dots = np.minimum(below - DOTS_DOWN * _heights(chart, ridge, plot, columns), below - 1)
    spans = line_spans(np.arange(columns, dtype=np.float64), dots, columns)
    canvas = Canvas(plot.width, plot.height)
    canvas.lines(spans, Pens(np.array([ink], np.int16), np.zeros(1, np.bool_), np.zeros(1, np.intp)))
    canvas.blit(cells, plot.top, plot.left)


def _draw_step(cells: Cells, layout: Layout, step: float, ink: int, zone: tzinfo | None) -> None:
    """Tell the step of a ridge at the axis, in place of what stands there; over the plot where there is no room."""
    plot = layout.plot
    row, label = int(plot.rows(step)), value_label(plot.y_axis, step, zone)
    room = plot.left - 2
    if len(label) <= room:
        label = label.rjust(room) + " " + CROSSING_SIGN
    write(cells, row, 0, label, ink)
