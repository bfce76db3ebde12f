"""Many lines as one dimmed bundle: a cell is the brighter the more lines cross it.

With hundreds of lines each in its own colour a chart is confetti: the last drawn line colours a cell. A bundle has one
neutral colour in a few levels of brightness, so that it shows where most lines are, and bright lines stand out on it.

A bundle counts the lines over each dot. When a chart is drawn again, only lines that are new, gone or longer than
before are rasterized: the counts of the others are still there.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN
from tbtui.charts.canvas import BRAILLE, braille_bits
from tbtui.charts.cells import BUNDLE_INKS, Ink

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    import numpy.typing as npt

    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.line_chart import Sign, Trace
    from tbtui.charts.raster import Spans

    Rasterize: TypeAlias = Callable[[Sequence[Trace], PlotArea], tuple[Spans, list[Trace]]]

MAX_LINES_IN_COLOUR = 30
"""Charts with more lines draw all but a few of them as a bundle. The palette repeats after 12 lines, and beyond about
30 no eye follows one of them."""

TYPICAL_QUANTILE = 0.95
"""Quantile of the lines per cell that gets the brightest level: a common start of all lines does not dim the rest."""

MAX_KEPT_BUNDLES = 24
"""Bundles kept for the next drawing: more than there are cards on a screen."""


class LineBundle:
    """The counts of a bundle in one plot, kept from drawing to drawing. Used by one thread."""

    def __init__(self) -> None:
        self._plot: tuple[Hashable, ...] | None = None
        self._edges = np.zeros((0, 0), np.int32)
        """Number of spans that begin in each dot, minus those that ended in the one above."""

        self._lines: dict[tuple[int, int], Trace] = {}
        """Counted lines by the identity of their arrays, which the traces keep alive."""

        self._signs: dict[tuple[int, int], list[Sign]] = {}
        self.rasterized = 0
        """Lines rasterized so far, for tests of the cost."""

    def draw(
        self,
        cells: Cells,
        traces: Sequence[Trace],
        plot: PlotArea,
        rasterize: Rasterize,
        signs_of: Callable[[Sequence[Trace], PlotArea], list[Sign]],
    ) -> tuple[npt.NDArray[np.bool_], list[Sign]]:
        """Draw the lines into the plot of fresh cells.

        Args:
            cells: Cells of the chart, changed in place.
            traces: Lines of the bundle; a line is the same as before if its arrays are the same objects.
            plot: Area of the plot.
            rasterize: Returns the spans of lines, and those lines that have gaps.
            signs_of: Returns the signs at the gaps of lines.

        Returns:
            Cells of the plot with dots, bool[height, width], and the signs of the gaps.
        """
        geometry = (plot.width, plot.height, plot.x_axis, plot.y_axis)
        if geometry != self._plot:
            self._plot, self._lines, self._signs = geometry, {}, {}
            self._edges = np.zeros((DOTS_DOWN * plot.height + 1, DOTS_ACROSS * plot.width), np.int32)
        wanted = {(id(trace.x), id(trace.y)): trace for trace in traces}
        gone = [key for key in self._lines if key not in wanted]
        new = {key: trace for key, trace in wanted.items() if key not in self._lines}
        self._count([self._lines.pop(key) for key in gone], plot, -1, rasterize)
        for key in gone:
            self._signs.pop(key, None)
        for trace in self._count([*new.values()], plot, 1, rasterize):
            self._signs[id(trace.x), id(trace.y)] = signs_of([trace], plot)
        self._lines |= new
        counts = np.cumsum(self._edges[:-1], axis=0)
        lit = _draw_counts(cells, counts, plot)
        return lit, [sign for signs in self._signs.values() for sign in signs]

    def _count(self, traces: Sequence[Trace], plot: PlotArea, by: int, rasterize: Rasterize) -> list[Trace]:
        if not traces:
            return []
        self.rasterized += len(traces)
        spans, with_gaps = rasterize(traces, plot)
        spans = spans.within(DOTS_DOWN * plot.height)
        size, row = self._edges.size, self._edges.shape[1]
        begins = np.bincount(spans.tops * row + spans.columns, minlength=size)
        ends = np.bincount((spans.bottoms + 1) * row + spans.columns, minlength=size)
        self._edges += by * (begins - ends).reshape(self._edges.shape).astype(np.int32)
        return with_gaps


def _draw_counts(cells: Cells, counts: npt.NDArray[np.int32], plot: PlotArea) -> npt.NDArray[np.bool_]:
    """Draw lit dots in the ink of the level of their cell; return the cells with dots."""
    bits = braille_bits(counts > 0)
    lit: npt.NDArray[np.bool_] = bits != 0
    if not bool(lit.any()):
        return lit
    of_cells = counts.reshape(plot.height, DOTS_DOWN, plot.width, DOTS_ACROSS).max(axis=(1, 3))
    cells.glyphs[plot.area][lit] = BRAILLE + bits[lit].astype(np.uint32)
    cells.inks[plot.area][lit] = np.array(BUNDLE_INKS, np.int16)[density_levels(of_cells[lit])]
    return lit


def density_levels(counts: npt.NDArray[np.int32]) -> npt.NDArray[np.intp]:
    """Return the level of each cell, from 0 to `len(BUNDLE_INKS)` - 1, in equal steps of the root of its lines.

    Args:
        counts: Lines in each cell, at least 1 each.
    """
    levels = len(BUNDLE_INKS)
    most = max(float(np.quantile(counts, TYPICAL_QUANTILE)), levels)
    part = np.sqrt((counts - 1) / (most - 1))
    return np.asarray(np.minimum((part * levels).astype(np.intp), levels - 1))


class BundleCache:
    """The bundles of the charts drawn last. Used by one thread."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, LineBundle] = OrderedDict()

    def of(self, key: Hashable) -> LineBundle:
        """Return the bundle of a chart in one size."""
        bundle = self._kept.setdefault(key, LineBundle())
        self._kept.move_to_end(key)
        while len(self._kept) > MAX_KEPT_BUNDLES:
            self._kept.popitem(last=False)
        return bundle


BUNDLE_SIGN_INK = Ink.WARN
"""Ink of the signs at gaps of lines in a bundle, whose own colours are not shown."""
