"""A canvas of braille dots: lines merge where they cross, and each cell has one ink.

Bright lines lie above faint ones (the raw line behind a smoothed one): a cell that a bright line touches shows only
bright dots, so that the line stays crisp. Dots of lines of one brightness are merged, and the last drawn line gives the
ink.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN
from tbtui.charts.cells import Ink
from tbtui.charts.glyphs import BRAILLE_BITS
from tbtui.charts.raster import Spans
from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.charts.cells import Cells

BRAILLE = 0x2800

DASH_PATTERNS = ((1, 1), (6, 8), (1, 2), (3, 6))
"""Lit dot columns of a dash, and its length with the pause, by pattern: solid, long dashes, dots, short dashes. Pauses
are short, so that they do not look like gaps in the data."""

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
        """Number of spans that begin in each dot, minus those that ended in the dot above."""

        self.inks = np.full((height, width), Ink.NONE, np.int16)

    def add(self, spans: Spans, inks: npt.NDArray[np.int16]) -> None:
        """Add the dots of spans within the layer, in order; `inks` are those of the lines."""
        size, row = self._edges.size, self._edges.shape[1]
        starts = np.bincount(spans.tops * row + spans.columns, minlength=size)
        ends = np.bincount((spans.bottoms + 1) * row + spans.columns, minlength=size)
        self._edges += (starts - ends).reshape(self._edges.shape)
        firsts, lasts = spans.tops // DOTS_DOWN, spans.bottoms // DOTS_DOWN
        rows, owners = _concatenate_ranges(firsts, lasts)
        self.inks[rows, (spans.columns // DOTS_ACROSS)[owners]] = inks[spans.lines[owners]]

    def bits(self) -> npt.NDArray[np.uint8]:
        return pack_braille(np.cumsum(self._edges[:-1], axis=0) > 0)


def pack_braille(dots: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    """Return the braille pattern of each cell, uint8[height, width], from dots [4 height, 2 width]."""
    lit = dots.view(np.uint8)
    bits = np.zeros((len(dots) // DOTS_DOWN, dots.shape[1] // DOTS_ACROSS), np.uint8)
    for row, row_bits in enumerate(BRAILLE_BITS):
        for column, bit in enumerate(row_bits):
            bits |= lit[row::DOTS_DOWN, column::DOTS_ACROSS] * np.uint8(bit)
    return bits


def _concatenate_ranges(
    firsts: npt.NDArray[np.intp], lasts: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return all numbers from each first to its last in sequence, and the index of the pair of each.

    Firsts 3 and 7 with lasts 5 and 8 give 3, 4, 5, 7, 8 with the indices 0, 0, 0, 1, 1.
    """
    lengths = lasts - firsts + 1
    owners = np.repeat(np.arange(len(lengths)), lengths)
    return np.arange(len(owners)) + (firsts - np.cumsum(lengths) + lengths)[owners], owners


class Canvas:
    """A drawing of `width` x `height` cells. Draw lines, then `blit` it into cells."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._layers: dict[bool, _Layer] = {}
        """Bright and faint layer by `is_faint`; a layer is created when a line is first drawn on it."""

    def draw_lines(self, spans: Spans, pens: Pens) -> None:
        """Draw lines, the last on top.

        Args:
            spans: Dots of the lines (`raster.rasterize_lines`), within the columns of the canvas.
            pens: Style of each line.
        """
        spans = spans.clip_rows(DOTS_DOWN * self.height)
        patterns = pens.patterns[spans.lines] % len(DASH_PATTERNS)
        if bool(patterns.any()):
            is_in_dash = spans.columns % _PERIOD[patterns] < _LIT[patterns]
            spans = spans.select(is_in_dash | (spans.bottoms > spans.tops) | spans.is_lone)
        is_faint_span = pens.faint[spans.lines]
        for is_faint, is_in_layer in ((False, ~is_faint_span), (True, is_faint_span)):
            if bool(is_in_layer.any()):
                layer = self._layers.get(is_faint)
                if layer is None:
                    layer = self._layers[is_faint] = _Layer(self.width, self.height)
                layer.add(_enlarge_points(spans.select(is_in_layer)), pens.inks)

    def blit(self, cells: Cells, top: int, left: int) -> npt.NDArray[np.bool_]:
        """Copy the drawing into cells that are large enough; cells without dots stay unchanged.

        Returns:
            Cells of the canvas with dots, bool[height, width].
        """
        area = (slice(top, top + self.height), slice(left, left + self.width))
        lit = np.zeros((self.height, self.width), np.bool_)
        for _, layer in sorted(self._layers.items(), reverse=True):  # bright cells replace faint ones
            bits = layer.bits()
            has_dots = bits != 0
            cells.glyphs[area][has_dots] = BRAILLE + bits[has_dots].astype(np.uint32)
            cells.inks[area][has_dots] = layer.inks[has_dots]
            lit |= has_dots
        return lit


def _enlarge_points(spans: Spans) -> Spans:
    """Return spans in which lone points have four dots within their cell: a single dot is easily missed."""
    is_lone = spans.is_lone
    if not bool(is_lone.any()):
        return spans
    columns = np.where(is_lone, spans.columns // DOTS_ACROSS * DOTS_ACROSS, spans.columns)
    tops = spans.tops - (is_lone & (spans.tops % DOTS_DOWN == DOTS_DOWN - 1))
    bottoms = np.where(is_lone, tops + 1, spans.bottoms)
    sources = np.repeat(np.arange(len(is_lone)), 1 + is_lone)  # a lone point takes two columns
    is_right_half = np.diff(sources, prepend=-1) == 0
    return Spans(
        spans.lines[sources], columns[sources] + is_right_half, tops[sources], bottoms[sources], is_lone[sources]
    )
