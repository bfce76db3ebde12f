"""Many lines as one dimmed bundle: the more lines cross a cell, the brighter it is.

A chart of hundreds of lines in their own colours cannot be read, because the last drawn line colours a cell. A bundle
has one neutral colour in a few levels of brightness. It shows where most lines are, and bright lines stand out on it.

A bundle counts the lines over each dot. When a chart is drawn again, only new, removed and extended lines are
rasterized; the counts of the others are reused.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN
from tbtui.charts.canvas import BRAILLE, pack_braille
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
"""Maximum lines of a chart without a bundle. The palette repeats after 12 lines, and beyond about 30 a single line can
no longer be followed by eye."""

TYPICAL_QUANTILE = 0.95
"""Quantile of the lines per cell with the brightest level, so that a common start of all lines does not dim the rest.
"""

MAX_CACHED_BUNDLES = 24
"""Bundles cached for the next drawing: more than the cards on a screen."""


class LineBundle:
    """The counts of a bundle in one plot, reused by the next drawing. Used by one thread."""

    def __init__(self) -> None:
        self._plot: tuple[Hashable, ...] | None = None
        self._edges = np.zeros((0, 0), np.int32)
        """Number of spans that begin in each dot, minus those that ended in the dot above."""

        self._lines: dict[tuple[int, int], Trace] = {}
        """Counted lines by the identity of their arrays, which the traces keep alive."""

        self._signs: dict[tuple[int, int], list[Sign]] = {}
        self.rasterized = 0
        """Number of lines rasterized so far, for tests of the cost."""

    def draw(
        self,
        cells: Cells,
        traces: Sequence[Trace],
        plot: PlotArea,
        rasterize: Rasterize,
        find_signs: Callable[[Sequence[Trace], PlotArea], list[Sign]],
    ) -> tuple[npt.NDArray[np.bool_], list[Sign]]:
        """Draw the lines into the plot of new cells.

        Args:
            cells: Cells of the chart, changed in place.
            traces: Lines of the bundle; a line is unchanged if its arrays are the same objects.
            plot: Area of the plot.
            rasterize: Returns the spans of lines, and the lines with gaps.
            find_signs: Returns the signs at the gaps of lines.

        Returns:
            Cells of the plot with dots, bool[height, width], and the signs of the gaps.
        """
        geometry = (plot.width, plot.height, plot.x_axis, plot.y_axis)
        if geometry != self._plot:
            self._plot, self._lines, self._signs = geometry, {}, {}
            self._edges = np.zeros((DOTS_DOWN * plot.height + 1, DOTS_ACROSS * plot.width), np.int32)
        traces_by_key = {(id(trace.x), id(trace.y)): trace for trace in traces}
        removed_keys = [key for key in self._lines if key not in traces_by_key]
        added = {key: trace for key, trace in traces_by_key.items() if key not in self._lines}
        self._count([self._lines.pop(key) for key in removed_keys], plot, -1, rasterize)
        for key in removed_keys:
            self._signs.pop(key, None)
        for trace in self._count([*added.values()], plot, 1, rasterize):
            self._signs[id(trace.x), id(trace.y)] = find_signs([trace], plot)
        self._lines |= added
        counts = np.cumsum(self._edges[:-1], axis=0)
        lit = _draw_counts(cells, counts, plot)
        return lit, [sign for signs in self._signs.values() for sign in signs]

    def _count(self, traces: Sequence[Trace], plot: PlotArea, sign: int, rasterize: Rasterize) -> list[Trace]:
        if not traces:
            return []
        self.rasterized += len(traces)
        spans, with_gaps = rasterize(traces, plot)
        spans = spans.clip_rows(DOTS_DOWN * plot.height)
        size, row = self._edges.size, self._edges.shape[1]
        starts = np.bincount(spans.tops * row + spans.columns, minlength=size)
        ends = np.bincount((spans.bottoms + 1) * row + spans.columns, minlength=size)
        self._edges += sign * (starts - ends).reshape(self._edges.shape).astype(np.int32)
        return with_gaps


def _draw_counts(cells: Cells, counts: npt.NDArray[np.int32], plot: PlotArea) -> npt.NDArray[np.bool_]:
    """Draw lit dots in the ink of the level of their cell; return the cells with dots."""
    bits = pack_braille(counts > 0)
    lit: npt.NDArray[np.bool_] = bits != 0
    if not bool(lit.any()):
        return lit
    max_counts = counts.reshape(plot.height, DOTS_DOWN, plot.width, DOTS_ACROSS).max(axis=(1, 3))
    cells.glyphs[plot.area][lit] = BRAILLE + bits[lit].astype(np.uint32)
    cells.inks[plot.area][lit] = np.array(BUNDLE_INKS, np.int16)[compute_density_levels(max_counts[lit])]
    return lit


def compute_density_levels(counts: npt.NDArray[np.int32]) -> npt.NDArray[np.intp]:
    """Return the level of each cell, from 0 to `len(BUNDLE_INKS)` - 1, in equal steps of the root of its count.

    Args:
        counts: Lines in each cell, at least 1 each.
    """
    levels = len(BUNDLE_INKS)
    brightest_count = max(float(np.quantile(counts, TYPICAL_QUANTILE)), levels)
    brightness = np.sqrt((counts - 1) / (brightest_count - 1))
    return np.asarray(np.minimum((brightness * levels).astype(np.intp), levels - 1))


class BundleCache:
    """The bundles of the most recently drawn charts. Used by one thread."""

    def __init__(self) -> None:
        self._bundles: OrderedDict[Hashable, LineBundle] = OrderedDict()

    def get(self, key: Hashable) -> LineBundle:
        """Return the bundle of a chart in one size."""
        bundle = self._bundles.setdefault(key, LineBundle())
        self._bundles.move_to_end(key)
        while len(self._bundles) > MAX_CACHED_BUNDLES:
            self._bundles.popitem(last=False)
        return bundle


BUNDLE_SIGN_INK = Ink.WARN
"""Ink of the signs at gaps of lines in a bundle."""
