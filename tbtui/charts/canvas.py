"""A canvas of braille dots: lines merge where they cross, and each cell has one ink.

Bright lines lie above faint ones (the raw line behind a smoothed one): a cell that a bright line touches shows bright
dots alone, so the line stays crisp. Among lines of one brightness the dots are merged, and the last drawn line gives
the ink.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN
from tbtui.charts.cells import Ink
from tbtui.charts.raster import Spans
from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.charts.cells import Cells

BRAILLE = 0x2800

DASH_PATTERNS = ((1, 1), (6, 8), (1, 2), (3, 6))
"""Lit dot columns and length of a dash with its pause, by pattern: solid, long dashes, dots, short dashes. Pauses are
short, so that they do not look like gaps in the data."""

_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Braille bit of each dot [row][column] of a cell (Unicode 15, chapter 21.1)."""

_LIT, _PERIOD = np.array(DASH_PATTERNS).T


@frozen(eq=False)
class Pens:
    """Drawing style of several lines."""

    inks: npt.NDArray[np.int16]
    """Ink of the cells that each line touches."""

    faint: npt.NDArray[np.bool_]
    """True for a line below all bright lines."""

    patterns: npt.NDArray[np.intp]
    """Index into `DASH_PATTERNS`, which repeat; steep parts are drawn solid in any pattern."""


class _Layer:
    """Dots of one brightness and the ink of each cell."""

    def __init__(self, width: int, height: int) -> None:
        self._edges = np.zeros((DOTS_DOWN * height + 1, DOTS_ACROSS * width), np.intp)
        """Number of spans that begin in each dot, minus those that ended in the one above."""

        self.inks = np.full((height, width), Ink.NONE, np.int16)

    def light(self, spans: Spans, inks: npt.NDArray[np.int16]) -> None:
        """Light spans within the layer, in order; `inks` are those of the lines."""
        size, row = self._edges.size, self._edges.shape[1]
        begins = np.bincount(spans.tops * row + spans.columns, minlength=size)
        ends = np.bincount((spans.bottoms + 1) * row + spans.columns, minlength=size)
        self._edges += (begins - ends).reshape(self._edges.shape)
        firsts, lasts = spans.tops // DOTS_DOWN, spans.bottoms // DOTS_DOWN
        rows, owners = _ranges(firsts, lasts)
        self.inks[rows, (spans.columns // DOTS_ACROSS)[owners]] = inks[spans.lines[owners]]

    def bits(self) -> npt.NDArray[np.uint8]:
        return braille_bits(np.cumsum(self._edges[:-1], axis=0) > 0)


def braille_bits(dots: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    """Return the braille pattern of each cell, uint8[height, width], from dots [4 height, 2 width]."""
    lit = dots.view(np.uint8)
    bits = np.zeros((len(dots) // DOTS_DOWN, dots.shape[1] // DOTS_ACROSS), np.uint8)
    for row, of_row in enumerate(_BITS):
        for column, bit in enumerate(of_row):
            bits |= lit[row::DOTS_DOWN, column::DOTS_ACROSS] * np.uint8(bit)
    return bits


def _ranges(
    firsts: npt.NDArray[np.intp], lasts: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return all numbers from each first to its last in sequence, and the index of the pair of each."""
    lengths = lasts - firsts + 1
    owners = np.repeat(np.arange(len(lengths)), lengths)
    return np.arange(len(owners)) + (firsts - np.cumsum(lengths) + lengths)[owners], owners


class Canvas:
    """A drawing of `width` x `height` cells. Draw lines, then `blit` it into cells."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._layers: dict[bool, _Layer] = {}
        """Layers by whether they are faint; a layer is made when something is first drawn on it."""

    def lines(self, spans: Spans, pens: Pens) -> None:
        """Draw lines, the last on top.

        Args:
            spans: Dots of the lines (`raster.line_spans`), within the columns of the canvas.
            pens: Style of each line.
        """
        spans = spans.within(DOTS_DOWN * self.height)
        patterns = pens.patterns[spans.lines] % len(DASH_PATTERNS)
        if bool(patterns.any()):
            on = spans.columns % _PERIOD[patterns] < _LIT[patterns]
            spans = spans.of(on | (spans.bottoms > spans.tops) | spans.alone)
        faint = pens.faint[spans.lines]
        for is_faint, chosen in ((False, ~faint), (True, faint)):
            if bool(chosen.any()):
                layer = self._layers.setdefault(is_faint, _Layer(self.width, self.height))
                layer.light(_widened(spans.of(chosen)), pens.inks)

    def blit(self, cells: Cells, top: int, left: int) -> npt.NDArray[np.bool_]:
        """Copy the drawing into cells that are large enough; cells without dots stay unchanged.

        Returns:
            Cells of the canvas with dots, bool[height, width].
        """
        area = (slice(top, top + self.height), slice(left, left + self.width))
        lit = np.zeros((self.height, self.width), np.bool_)
        for _, layer in sorted(self._layers.items(), reverse=True):  # a bright cell replaces a faint one whole
            bits = layer.bits()
            drawn = bits != 0
            cells.glyphs[area][drawn] = BRAILLE + bits[drawn].astype(np.uint32)
            cells.inks[area][drawn] = layer.inks[drawn]
            lit |= drawn
        return lit


def _widened(spans: Spans) -> Spans:
    """Return spans in which lone points are four dots large within their cell: one dot alone is easily missed."""
    alone = spans.alone
    if not bool(alone.any()):
        return spans
    columns = np.where(alone, spans.columns // DOTS_ACROSS * DOTS_ACROSS, spans.columns)
    tops = spans.tops - (alone & (spans.tops % DOTS_DOWN == DOTS_DOWN - 1))
    bottoms = np.where(alone, tops + 1, spans.bottoms)
    twins = np.repeat(np.arange(len(alone)), 1 + alone)  # a point takes two columns, one after the other
    right = np.diff(twins, prepend=-1) == 0
    return Spans(spans.lines[twins], columns[twins] + right, tops[twins], bottoms[twins], alone[twins])
