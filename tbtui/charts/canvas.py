"""A canvas of braille dots: lines merge where they cross, and each cell has one ink.

Bright lines lie above faint ones (the raw line behind a smoothed one): a cell that a bright line touches shows bright
dots alone, so the line stays crisp. Among lines of one brightness the dots are merged and the last drawn gives its ink.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN
from tbtui.charts.cells import Ink
from tbtui.charts.raster import line_spans

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.charts.cells import Cells
    from tbtui.charts.raster import Spans

BRAILLE = 0x2800
BLANK = 32

DASHES = (0, 6, 10, 3)
"""Dot columns of a dash with its pause, by pattern; 0 is a solid line."""

_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Braille bit of each dot [row][column] of a cell (Unicode 15, chapter 21.1)."""


def _braille_of_packed() -> npt.NDArray[np.uint32]:
    """Code point for each byte that `packbits` makes of the eight dots of a cell, row by row."""
    table = np.full(256, BLANK, np.uint32)
    weights = [bit for row in _BITS for bit in row]
    for packed in range(1, 256):
        table[packed] = BRAILLE + sum(weight for place, weight in enumerate(weights) if packed & (0x80 >> place))
    return table


_GLYPHS = _braille_of_packed()


class _Layer:
    """Dots of one brightness and the ink of each cell."""

    def __init__(self, width: int, height: int) -> None:
        self.dots = np.zeros((DOTS_DOWN * height, DOTS_ACROSS * width), np.bool_)
        self.inks = np.full((height, width), Ink.NONE, np.int16)

    def light(self, columns: npt.NDArray[np.intp], rows: npt.NDArray[np.intp], ink: int) -> None:
        self.dots[rows, columns] = True
        self.inks[rows // DOTS_DOWN, columns // DOTS_ACROSS] = ink

    def packed(self) -> npt.NDArray[np.uint8]:
        height, width = self.inks.shape
        cells = self.dots.reshape(height, DOTS_DOWN, width, DOTS_ACROSS).transpose(0, 2, 1, 3)
        return np.packbits(cells.reshape(height, width, DOTS_DOWN * DOTS_ACROSS), axis=2)[:, :, 0]


class Canvas:
    """A picture under way, `width` x `height` cells. Draw, then `blit` it into cells."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._bright = _Layer(width, height)
        self._faint = _Layer(width, height)

    def line(
        self,
        across: npt.NDArray[np.float64],
        down: npt.NDArray[np.float64],
        ink: int,
        *,
        faint: bool = False,
        pattern: int = 0,
    ) -> None:
        """Draw a line through points.

        Args:
            across: Dot columns, float64[n]; must not go back but over a gap. Points may lie outside the canvas.
            down: Dot rows from the top, float64[n]; NaN is a gap.
            ink: Ink of the cells it touches.
            faint: Whether it lies below all bright lines.
            pattern: Index into `DASHES`; steep parts are drawn whole in any pattern.
        """
        spans = line_spans(across, down, DOTS_ACROSS * self.width, DOTS_DOWN * self.height)
        columns, rows = _dots(spans, DASHES[pattern % len(DASHES)])
        (self._faint if faint else self._bright).light(columns, rows, ink)
        if bool(spans.alone.any()):
            self._points(spans.columns[spans.alone], spans.tops[spans.alone], ink, faint=faint)

    def _points(self, columns: npt.NDArray[np.intp], rows: npt.NDArray[np.intp], ink: int, *, faint: bool) -> None:
        """Points that nothing joins, four dots large within their cell: one dot alone is easily missed."""
        columns = columns // DOTS_ACROSS * DOTS_ACROSS
        rows = rows - (rows % DOTS_DOWN == DOTS_DOWN - 1)
        layer = self._faint if faint else self._bright
        for right in (0, 1):
            for below in (0, 1):
                layer.light(columns + right, rows + below, ink)

    def blit(self, cells: Cells, top: int, left: int) -> None:
        """Put the picture into fresh cells, which it must fit into; cells without dots are left as they are."""
        bright, below = self._bright.packed(), self._faint.packed()
        packed = np.where(bright, bright, below)
        drawn = packed != 0
        area = (slice(top, top + self.height), slice(left, left + self.width))
        cells.glyphs[area][drawn] = _GLYPHS[packed][drawn]
        cells.inks[area][drawn] = np.where(bright, self._bright.inks, self._faint.inks)[drawn]


def _dots(spans: Spans, dash: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Columns and rows of all dots of the spans."""
    columns, tops, lengths = spans.columns, spans.tops, spans.bottoms - spans.tops + 1
    if dash:
        kept = (columns % dash < (dash + 1) // 2) | (lengths > 2) | spans.alone
        columns, tops, lengths = columns[kept], tops[kept], lengths[kept]
    firsts = np.cumsum(lengths) - lengths
    rows = np.arange(int(lengths.sum())) + np.repeat(tops - firsts, lengths)
    return np.repeat(columns, lengths), rows
