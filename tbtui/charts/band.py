"""Areas between two curves: the spread of many runs around their mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, across, column_edges, down
from tbtui.charts.canvas import BRAILLE, braille_bits
from tbtui.charts.cells import faint
from tbtui.charts.raster import FAR, line_spans
from tbtui.frozen import frozen
from tbtui.series.decimate import SPARSE, decimate, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.series.decimate import Points

SQUARE = 2
"""Columns that look about as wide as a row is high."""


@frozen(eq=False)
class Band:
    """The area between two curves, drawn below all lines in the faint twin of its ink."""

    x: npt.NDArray[np.float64]
    """float64[n] on the chart's x axis."""

    low: npt.NDArray[np.float64]
    """float64[n]; NaN is a gap. What lies beyond the y axis, or below the zero of a log axis, reaches to its edge."""

    high: npt.NDArray[np.float64]
    """float64[n], likewise."""

    ink: int
    """A series ink."""


def draw_bands(cells: Cells, bands: Sequence[Band], plot: PlotArea) -> None:
    """Fill bands into the plot of fresh cells; where several overlap, squares in their inks take turns."""
    if not bands:
        return
    bits = _bits(bands, plot)
    ranks = np.cumsum(bits != 0, axis=0)
    row, column = np.indices(ranks.shape[1:])
    turn = (row + column // SQUARE) % np.maximum(ranks[-1], 1) + 1
    chosen = np.argmax(ranks == turn, axis=0)
    filled = ranks[-1] > 0
    cells.glyphs[plot.area][filled] = BRAILLE + np.bitwise_or.reduce(bits)[filled].astype(np.uint32)
    cells.inks[plot.area][filled] = np.array([faint(band.ink) for band in bands], np.int16)[chosen][filled]


def _bits(bands: Sequence[Band], plot: PlotArea) -> npt.NDArray[np.uint8]:
    """The braille patterns of bands [bands, height, width].

    A column is filled from the highest dot of the upper curve to the lowest of the lower one: all curves are one pass.
    """
    width, height = DOTS_ACROSS * plot.width, DOTS_DOWN * plot.height
    curves = [_curve(band.x, values, plot) for band in bands for values in (band.high, band.low)]
    starts = np.cumsum([0, *(len(x) for x, _ in curves[:-1])])
    x, rows = map(joined, zip(*curves, strict=True))
    spans = line_spans(across(plot.x_axis, x, plot.width), rows, width, starts)
    lower = spans.lines % 2 == 1
    tops, bottoms = np.full(len(bands) * width, height), np.full(len(bands) * width, -1)
    places = spans.lines // 2 * width + spans.columns
    np.minimum.at(tops, places[~lower], spans.tops[~lower])
    np.maximum.at(bottoms, places[lower], spans.bottoms[lower])
    row = np.arange(height)[:, None]
    dots = (row >= tops.reshape(-1, 1, width)) & (row <= bottoms.reshape(-1, 1, width))
    return braille_bits(dots.reshape(-1, width)).reshape(len(bands), plot.height, plot.width)


def _curve(x: npt.NDArray[np.float64], values: npt.NDArray[np.float64], plot: PlotArea) -> Points:
    """A curve as x values and dot rows; values without a place on a log axis are far below, NaN alone is a gap."""
    rows = down(plot.y_axis, values, plot.height)
    if plot.y_axis.scale == "log":
        rows[values <= 0] = FAR
    np.clip(rows, -FAR, FAR, out=rows)
    if len(x) <= SPARSE * DOTS_ACROSS * plot.width:
        return x, rows
    return decimate(x, rows, column_edges(plot.x_axis, plot.width))
