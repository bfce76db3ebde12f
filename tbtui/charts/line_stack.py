"""A chart of many lines, each kept as it was drawn: where one line has grown, one line is drawn.

Makes the same picture as `draw_line_chart` does of traces without labels, none of them faint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.canvas import BRAILLE, Canvas
from tbtui.charts.cells import Cells
from tbtui.charts.line_chart import (
    LineChart,
    Trace,
    draw_line_chart,
    draw_marks,
    draw_trace,
    marks_of,
    patterns_of,
    plot_area,
    shown_points,
)

if TYPE_CHECKING:
    from datetime import tzinfo
    from typing import TypeAlias

    import numpy.typing as npt

    from tbtui.charts.chart_layout import PlotArea
    from tbtui.charts.marks import Mark

    Key: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """One line within the plot."""

    trace: Trace
    """Held on to, so that no other array can come to have the identity of one of its arrays."""

    places: npt.NDArray[np.intp]
    """Cells of the plot that it touches, counted row by row."""

    bits: npt.NDArray[np.uint8]
    """Its dots in each of them."""

    marks: list[Mark]


class LineStack:
    """The lines of one chart at one size. Used by one thread."""

    def __init__(self) -> None:
        self._plot: PlotArea | None = None
        self._drawn: dict[Key, _Drawn] = {}

    def draw(self, chart: LineChart, width: int, height: int, zone: tzinfo | None = None) -> Cells:
        """Draw a chart; lines whose arrays are the same objects as the last time are not drawn anew.

        Args:
            chart: What to draw; its traces have no labels.
            width: Columns.
            height: Rows.
            zone: Time zone of a wall time axis; None is the machine's.
        """
        bare = LineChart((), chart.x_axis, chart.y_axis)
        cells = draw_line_chart(bare, width, height, zone)
        if cells.height == 0 or cells.width == 0:
            return cells
        plot = plot_area(bare, width, height, zone)
        known = self._drawn if plot == self._plot else {}
        self._plot = plot
        keyed = (
            (_key(trace, pattern), trace, pattern)
            for trace, pattern in zip(chart.traces, patterns_of(chart), strict=True)
        )
        self._drawn = {key: known.get(key) or _draw(trace, plot, pattern) for key, trace, pattern in keyed}
        _blit(cells, plot, list(self._drawn.values()))
        for marks in (chart.marks, *(drawn.marks for drawn in self._drawn.values())):
            draw_marks(cells, marks, plot)
        return cells


def _key(trace: Trace, pattern: int) -> Key:
    return id(trace.x), id(trace.y), trace.ink, pattern


def _draw(trace: Trace, plot: PlotArea, pattern: int) -> _Drawn:
    points = shown_points(trace, plot)
    canvas = Canvas(plot.width, plot.height)
    draw_trace(canvas, trace, points, plot, pattern)
    picture = Cells.blank(plot.height, plot.width)
    canvas.blit(picture, 0, 0)
    glyphs = picture.glyphs.reshape(-1)
    places = np.flatnonzero(glyphs >= BRAILLE)
    bits = (glyphs[places] - BRAILLE).astype(np.uint8)
    return _Drawn(trace, places, bits, marks_of(trace, points, plot))


def _blit(cells: Cells, plot: PlotArea, lines: list[_Drawn]) -> None:
    """Merge the dots of all lines; where several touch a cell, the last gives its ink."""
    bits = np.zeros(plot.height * plot.width, np.uint8)
    inks = np.zeros(plot.height * plot.width, np.int16)
    for line in lines:
        bits[line.places] |= line.bits
        inks[line.places] = line.trace.ink
    lit = bits.reshape(plot.height, plot.width) != 0
    area = (slice(plot.top, plot.top + plot.height), slice(plot.left, plot.left + plot.width))
    cells.glyphs[area][lit] = BRAILLE + bits[bits != 0].astype(np.uint32)
    cells.inks[area][lit] = inks[bits != 0]
