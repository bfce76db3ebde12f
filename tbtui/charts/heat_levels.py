"""Colours of heat maps: levels of the colour map, the scale from shares to levels, and its legend."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import numpy as np

from tbtui.charts.cells import BLANK, HEAT_LEVELS, Cells, Ink, to_heat_inks
from tbtui.charts.numbers import format_number
from tbtui.charts.text import fit, write
from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt


AnyNumber = TypeVar("AnyNumber", bound="np.number[Any]")

TOLERANCES = (1.0, 2.0, 4.0)
"""Maximum errors of a pixel in levels, so that more neighbours share a colour and the picture takes fewer bytes. The
first is invisible and halves a picture of many histograms; the others are for pictures whose noise hides them."""

MAX_RUNS_PER_CELL, MAX_RUNS_SMALL_MAP = 0.16, 200
"""Maximum runs of equal cells, as a share of all cells and in a small picture, before the next tolerance is tried; each
run takes about 40 bytes to the terminal."""

UPPER, LOWER = ord("▀"), ord("▄")

_EMPTY_LEVEL = -1000.0
"""Replaces level 0 in comparisons: empty and non-empty pixels never share a run."""


def draw_heat_levels(levels: npt.NDArray[np.int16]) -> Cells:
    """Return cells [height, width] from levels [2 height, width], the top row first.

    A cell of one colour is a blank on that background. A cell with an empty upper pixel is a lower half block, because
    the background of the theme cannot be the colour of a glyph.
    """
    upper, lower = levels[::2], levels[1::2]
    has_empty_upper = (upper == 0) & (lower > 0)
    inks = np.where(has_empty_upper, to_heat_inks(lower, upper), to_heat_inks(upper, lower))
    inks[(upper == 0) & (lower == 0)] = Ink.NONE
    glyphs = np.select([upper == lower, has_empty_upper], [BLANK, LOWER], UPPER)
    return Cells(glyphs.astype(np.uint32), inks)


def round_levels(levels: npt.NDArray[np.float64]) -> npt.NDArray[np.int16]:
    """Round fractional levels, in runs along each row of cells.

    From the left, a run continues while its upper pixels, and its lower ones, differ by at most twice the tolerance.
    All of them get the level in the middle of their range.

    Args:
        levels: float64[2 height, width]; 0 is empty and stays 0, all others are at least 1.

    Returns:
        int16[2 height, width].
    """
    height, width = len(levels) // 2, levels.shape[1]
    pairs = levels.reshape(height, 2, width).transpose(1, 0, 2)
    starts = _find_run_starts(np.where(pairs > 0, pairs, _EMPTY_LEVEL).transpose(2, 0, 1).copy())
    flat = pairs.reshape(2, -1)
    middles = (np.minimum.reduceat(flat, starts, axis=1) + np.maximum.reduceat(flat, starts, axis=1)) / 2
    rounded = np.repeat(np.rint(middles).astype(np.int16), np.diff(starts, append=height * width), axis=1)
    return np.asarray(rounded.reshape(2, height, width).transpose(1, 0, 2).reshape(2 * height, width))


def _find_run_starts(columns: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """Return the flat index of the first cell of each run, with the first tolerance that leaves few enough runs.

    Args:
        columns: float64[width, 2, height].
    """
    max_runs = max(MAX_RUNS_PER_CELL * len(columns) * columns.shape[2], MAX_RUNS_SMALL_MAP)
    starts = np.empty(0, np.intp)
    for tolerance in TOLERANCES:
        starts = np.flatnonzero(run_starts(columns, 2 * tolerance))
        if len(starts) <= max_runs:
            break
    return starts


def run_starts(columns: npt.NDArray[AnyNumber], spread: float) -> npt.NDArray[np.bool_]:
    """Return True for each cell that begins a run of similar cells, from the left of each row.

    Args:
        columns: [width, parts, height]: each cell has `parts` numbers.
        spread: Maximum difference of numbers within a run.

    Returns:
        bool[height, width].
    """
    is_start = np.ones((columns.shape[2], len(columns)), np.bool_)
    low = high = columns[0]
    for index in range(1, len(columns)):
        column = columns[index]
        low, high = np.minimum(low, column), np.maximum(high, column)
        starts_here = (high - low > spread).any(axis=0)
        is_start[:, index] = starts_here
        low, high = np.where(starts_here, column, low), np.where(starts_here, column, high)
    return is_start


ColourSpacing: TypeAlias = Literal["linear", "log"]

LOG_DECADES = 3
"""Decades of a log scale below its top; smaller shares have the lowest level."""

TOP_QUANTILE = 0.9
"""Share of the columns whose largest share is at most the top of the scale, so that a first step of zeros does not
darken all others."""

MAX_ZERO_SHARE = 1e-12
"""Shares up to this one are rounding errors of 0."""

STRIP_WIDTH, LABEL_WIDTH = 2, 8

LEGEND_WIDTH = 1 + STRIP_WIDTH + 1 + LABEL_WIDTH
"""Width with a blank before the strip and one before its labels."""

_ROUND_TOPS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.5, 10.0)
"""First digits of the top of a scale."""


@frozen
class ColourScale:
    """Map from shares to levels."""

    top: float
    """Share of the last level, above 0 and at most 1; larger shares have the last level too."""

    spacing: ColourSpacing = "linear"
    exceeded: bool = False
    """True if there are larger shares."""

    def levels(self, shares: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return fractional levels of the colour map: 0 for empty bins, otherwise 1 to `HEAT_LEVELS` - 1."""
        is_filled = shares > MAX_ZERO_SHARE
        positions = shares / self.top
        if self.spacing == "log":
            positions = 1 + np.log10(positions, out=np.zeros_like(positions), where=is_filled) / LOG_DECADES
        return np.where(is_filled, 1 + (HEAT_LEVELS - 2) * np.clip(positions, 0, 1), 0)

    def labels(self, height: int) -> list[tuple[int, str]]:
        """Return row and text of each label of a strip of `height` rows, from the top down."""
        if self.spacing == "log":
            shares = [self.top * 10.0**-decade for decade in range(LOG_DECADES + 1)]
        else:
            shares = [self.top, self.top / 2, 0.0]
        rows = np.rint(np.linspace(0, height - 1, len(shares))).astype(int).tolist()
        texts = [_format_percent(share) for share in shares]
        if self.exceeded:
            texts[0] = "≥" + texts[0]
        return list(zip(rows, texts, strict=True))


def colour_scale(
    shares: npt.NDArray[np.float64], spacing: ColourSpacing = "linear", top: float | None = None
) -> ColourScale:
    """Return the colour scale of visible columns.

    Args:
        shares: float64[columns, bins], without NaN.
        spacing: Spacing of the levels.
        top: Share of the last level, such as one for several heat maps; None: a round one from `TOP_QUANTILE`.
    """
    maxima = shares.max(axis=1, initial=0)
    maxima = maxima[maxima > MAX_ZERO_SHARE]
    if top is None:
        top = _round_up(float(np.quantile(maxima, TOP_QUANTILE))) if len(maxima) else 1.0
    return ColourScale(top, spacing, bool(maxima.max(initial=0) > top))


def _round_up(share: float) -> float:
    power = math.floor(math.log10(share))
    rounded = (float(f"{each}e{power}") for each in _ROUND_TOPS)
    return min(next(each for each in rounded if each >= share * (1 - 1e-9)), 1.0)


def _format_percent(share: float) -> str:
    if share == 0:
        return ">0 %"
    text = format_number(float(f"{100 * share:.2g}")).removeprefix("0")
    return f"{text} %" if len(text) < LABEL_WIDTH - 2 else f"{text}%"


def draw_legend(cells: Cells, scale: ColourScale, top: int, left: int, height: int) -> None:
    """Draw a strip of all colours, `height` rows high, and its labels into `LEGEND_WIDTH` columns from `left`."""
    levels = np.rint(np.linspace(HEAT_LEVELS - 1, 1, 2 * height)).astype(np.int16)
    strip = draw_heat_levels(np.repeat(levels[:, None], STRIP_WIDTH, axis=1))
    area = (slice(top, top + height), slice(left + 1, left + 1 + STRIP_WIDTH))
    cells.glyphs[area], cells.inks[area] = strip.glyphs, strip.inks
    for row, text in scale.labels(height):
        write(cells, top + row, left + STRIP_WIDTH + 2, fit(text, LABEL_WIDTH).rstrip(), Ink.DIM)
