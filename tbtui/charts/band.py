"""Areas between two curves: the spread of many runs around their mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN, across, column_edges, down
from tbtui.charts.canvas import BRAILLE, braille_bits
from tbtui.charts.cells import faint
from tbtui.charts.raster import FAR, line_spans
from tbtui.series.decimate import decimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.charts.axis import Axis
    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import PlotArea

SQUARE = 2
"""Columns that look about as wide as a row is high."""


@dataclass(frozen=True, slots=True, eq=False)
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
    dots = [_dots(band, plot) for band in bands]
    bits = np.array([braille_bits(each) for each in dots])
    covers = bits != 0
    ranks = np.cumsum(covers, axis=0)
    row, column = np.indices(covers.shape[1:])
    turn = (row + column // SQUARE) % np.maximum(ranks[-1], 1) + 1
    chosen = np.argmax(covers & (ranks == turn), axis=0)
    filled = ranks[-1] > 0
    area = (slice(plot.top, plot.top + plot.height), slice(plot.left, plot.left + plot.width))
    cells.glyphs[area][filled] = BRAILLE + np.bitwise_or.reduce(bits)[filled].astype(np.uint32)
    cells.inks[area][filled] = np.array([faint(band.ink) for band in bands], np.int16)[chosen][filled]


def _dots(band: Band, plot: PlotArea) -> npt.NDArray[np.bool_]:
    """The dots of a band: in each column from the highest one of its upper curve to the lowest of its lower curve."""
    width, height = DOTS_ACROSS * plot.width, DOTS_DOWN * plot.height
    edges = column_edges(plot.x_axis, plot.width)
    ends = []
    for values, extreme, start in ((band.high, np.minimum, height), (band.low, np.maximum, -1)):
        x, rows = decimate(band.x, _rows(values, plot.y_axis, plot.height), edges)
        spans = line_spans(across(plot.x_axis, x, plot.width), rows, width)
        end = np.full(width, start)
        extreme.at(end, spans.columns, spans.tops if extreme is np.minimum else spans.bottoms)
        ends.append(end)
    row = np.arange(height)[:, None]
    return (row >= ends[0]) & (row <= ends[1])


def _rows(values: npt.NDArray[np.float64], axis: Axis, height: int) -> npt.NDArray[np.float64]:
    """Dot rows of values; far below the plot for those that a log axis has no place for, NaN for NaN alone."""
    rows = down(axis, values, height)
    if axis.scale == "log":
        rows[values <= 0] = FAR
    return np.clip(rows, -FAR, FAR)
