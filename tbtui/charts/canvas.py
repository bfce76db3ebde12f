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

DASHES = ((1, 1), (6, 8), (1, 2), (3, 6))
"""Lit dot columns and length of a dash with its pause, by pattern: solid, long dashes, dots, short dashes.

Pauses are short, so that none is taken for a gap in the data."""

_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Braille bit of each dot [row][column] of a cell (Unicode 15, chapter 21.1)."""


class _Layer:
    """Dots of one brightness and the ink of each cell."""

    def __init__(self, width: int, height: int) -> None:
        self.dots = np.zeros((DOTS_DOWN * height, DOTS_ACROSS * width), np.uint8)
        self.inks = np.full((height, width), Ink.NONE, np.int16)

    def light(self, columns: npt.NDArray[np.intp], rows: npt.NDArray[np.intp], ink: int) -> None:
        self.dots[rows, columns] = 1
        self.inks[rows // DOTS_DOWN, columns // DOTS_ACROSS] = ink

    def bits(self) -> npt.NDArray[np.uint8]:
        """The braille pattern of each cell."""
        bits = np.zeros(self.inks.shape, np.uint8)
        for row, of_row in enumerate(_BITS):
            for column, bit in enumerate(of_row):
                bits |= self.dots[row::DOTS_DOWN, column::DOTS_ACROSS] * np.uint8(bit)
        return bits


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
        area = (slice(top, top + self.height), slice(left, left + self.width))
        for layer in (self._faint, self._bright):  # a bright cell replaces a faint one whole
            bits = layer.bits()
            drawn = bits != 0
            cells.glyphs[area][drawn] = BRAILLE + bits[drawn].astype(np.uint32)
            cells.inks[area][drawn] = layer.inks[drawn]


def _dots(spans: Spans, dash: tuple[int, int]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Columns and rows of all dots of the spans."""
    columns, tops, lengths = spans.columns, spans.tops, spans.bottoms - spans.tops + 1
    lit, period = dash
    if lit < period:
        kept = (columns % period < lit) | (lengths > 1) | spans.alone
        columns, tops, lengths = columns[kept], tops[kept], lengths[kept]
    firsts = np.cumsum(lengths) - lengths
    rows = np.arange(int(lengths.sum())) + np.repeat(tops - firsts, lengths)
    return np.repeat(columns, lengths), rows
