"""What the colours of a heat map stand for: shares of a histogram as levels of the colour map, and the legend."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.charts.cells import HEAT_LEVELS, Ink
from tbtui.charts.half_blocks import half_blocks
from tbtui.charts.numbers import short
from tbtui.charts.text import fit, write
from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.charts.cells import Cells

ColourSpacing: TypeAlias = Literal["linear", "log"]

DECADES = 3
"""How far a log scale goes down from its top; what is less has the least level."""

COMMON = 0.9
"""Part of the columns whose greatest share is not above the top, so that one of a first step of nothing but zeros does
not leave all others in the dark."""

NOTHING = 1e-12
"""Shares up to here are what arithmetic leaves of 0."""

STRIP_WIDTH, LABEL_WIDTH = 2, 8
LEGEND_WIDTH = 1 + STRIP_WIDTH + 1 + LABEL_WIDTH
"""With a blank before the strip and one before its labels."""

_ROUND = (1.0, 1.5, 2.0, 3.0, 5.0, 7.5, 10.0)


@frozen
class ColourScale:
    """How shares become levels."""

    top: float
    """The share, above 0 and at most 1, that has the last level; so has what is more."""

    spacing: ColourSpacing = "linear"
    exceeded: bool = False
    """Whether there is more."""

    def levels(self, shares: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Levels of the colour map, in fractions: 0 for nothing, for anything at least 1, at most `HEAT_LEVELS` - 1."""
        some = shares > NOTHING
        places = shares / self.top
        if self.spacing == "log":
            places = 1 + np.log10(places, out=np.zeros_like(places), where=some) / DECADES
        return np.where(some, 1 + (HEAT_LEVELS - 2) * np.clip(places, 0, 1), 0)

    def labels(self, height: int) -> list[tuple[int, str]]:
        """Row and text of each label beside a strip of `height` rows, from the top down."""
        if self.spacing == "log":
            shares = [self.top * 10.0**-decade for decade in range(DECADES + 1)]
        else:
            shares = [self.top, self.top / 2, 0.0]
        rows = np.rint(np.linspace(0, height - 1, len(shares))).astype(int).tolist()
        texts = [_percent(share) for share in shares]
        if self.exceeded:
            texts[0] = "≥" + texts[0]
        return list(zip(rows, texts, strict=True))


def colour_scale(
    shares: npt.NDArray[np.float64], spacing: ColourSpacing = "linear", top: float | None = None
) -> ColourScale:
    """The scale of what is seen.

    Args:
        shares: float64[columns, bins], without NaN.
        spacing: Of the levels.
        top: The share that has the last level, such as one that several heat maps have in common; None finds a round
            one that suits most columns.
    """
    greatest = shares.max(axis=1, initial=0)
    greatest = greatest[greatest > NOTHING]
    if top is None:
        top = _rounded_up(float(np.quantile(greatest, COMMON))) if len(greatest) else 1.0
    return ColourScale(top, spacing, bool(greatest.max(initial=0) > top))


def _rounded_up(share: float) -> float:
    power = math.floor(math.log10(share))
    rounded = (float(f"{each}e{power}") for each in _ROUND)
    return min(next(each for each in rounded if each >= share * (1 - 1e-9)), 1.0)


def _percent(share: float) -> str:
    if share == 0:
        return ">0 %"
    text = short(float(f"{100 * share:.2g}")).removeprefix("0")
    return f"{text} %" if len(text) < LABEL_WIDTH - 2 else f"{text}%"


def draw_legend(cells: Cells, scale: ColourScale, top: int, left: int, height: int) -> None:
    """A strip of all colours, `height` rows high, and its labels, into the `LEGEND_WIDTH` columns from `left` on."""
    levels = np.rint(np.linspace(HEAT_LEVELS - 1, 1, 2 * height)).astype(np.int16)
    strip = half_blocks(np.repeat(levels[:, None], STRIP_WIDTH, axis=1))
    area = (slice(top, top + height), slice(left + 1, left + 1 + STRIP_WIDTH))
    cells.glyphs[area], cells.inks[area] = strip.glyphs, strip.inks
    for row, text in scale.labels(height):
        write(cells, top + row, left + STRIP_WIDTH + 2, fit(text, LABEL_WIDTH).rstrip(), Ink.DIM)
