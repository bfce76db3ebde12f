"""The colour map of heat maps: from next to the background to as far from it as can be, in even steps.

Lightness goes one way along it, so that more always stands out more, in grey and to any colour vision too; blue turns
into green on the way, which tells levels apart that are not side by side. Warm colours are left to the accent.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import HEAT_LEVELS
from tbtui.charts.oklab import hex_colours, oklab

if TYPE_CHECKING:
    import numpy.typing as npt

LEAST_DARK, LEAST_LIGHT = 0.11, -0.08
"""How much lighter than the background the least is, on dark and on light ones."""

MOST_DARK, MOST_LIGHT = 0.96, 0.27
"""Lightness of the most."""

ROOM = 0.25
"""Lightness that all levels together have at least, whatever the background."""

ANSI_DARK, ANSI_LIGHT = (5, 4, 6, 2, 3), (3, 2, 6, 4, 5)
"""The same among the colours of a 16-colour terminal, from the least to the most: in the order of the spectrum, about
that of brightness. Black and white are not among them, as one of them is the background, nobody knows which."""

_DEEP, _PALE = 0.25, 0.97
"""Lightness of the ends of the path; the colour map is a part of it."""

_HUES = 290.0, 150.0
"""Degrees at the deep and at the pale end: blue violet to green."""

_CHROMAS = 0.11, 0.14, 0.03
"""Control points of a parabola between the same, which stays within sRGB."""


@lru_cache(maxsize=8)
def heat_colours(background: str, *, dark: bool) -> tuple[str, ...]:
    """The colours `#rrggbb` of all `HEAT_LEVELS`, the background first."""
    below = float(oklab((background,))[0, 0])
    if dark:
        least, most = min(below + LEAST_DARK, MOST_DARK - ROOM), MOST_DARK
    else:
        least, most = max(below + LEAST_LIGHT, MOST_LIGHT + ROOM), MOST_LIGHT
    fine = _path(np.linspace(least, most, 20 * HEAT_LEVELS))
    lengths = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1))))
    even = np.interp(np.linspace(0, lengths[-1], HEAT_LEVELS - 1), lengths, fine[:, 0])
    return (background, *hex_colours(_path(even)))


def _path(lightness: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The colours of the path at each lightness, in OKLab."""
    part = (lightness - _DEEP) / (_PALE - _DEEP)
    hue = np.radians(_HUES[0] + (_HUES[1] - _HUES[0]) * part)
    deep, middle, pale = _CHROMAS
    chroma = deep * (1 - part) ** 2 + 2 * middle * part * (1 - part) + pale * part**2
    return np.stack((lightness, chroma * np.cos(hue), chroma * np.sin(hue)), axis=1)


def ansi_heat(level: int, *, dark: bool) -> int:
    """The colour of a level from 1 on among the 16 of a plain terminal."""
    colours = ANSI_DARK if dark else ANSI_LIGHT
    return colours[(level - 1) * len(colours) // (HEAT_LEVELS - 1)]
