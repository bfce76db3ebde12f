"""Histograms over one another: several curves of counts on one baseline, over their values."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axes_drawing import draw_axes
from tbtui.charts.canvas import Canvas
from tbtui.charts.cells import FAINT_FROM, Cells, Ink, shade
from tbtui.charts.chart_layout import chart_layout
from tbtui.charts.line_chart import Trace
from tbtui.charts.marks import NAN_SIGN
from tbtui.charts.palette import patterns
from tbtui.charts.shaded import aged_shades
from tbtui.charts.text import write
from tbtui.charts.traces import draw_traces
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import tzinfo

    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.charts.chart_layout import Layout


PALEST = 3
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


def aged_curves(
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
    shades = shade(ink, aged_shades(len(counts), PALEST), 0).tolist()
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
        dashes = patterns(curve.ink for curve in drawn if 0 <= curve.ink < FAINT_FROM)
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
