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

LIGHTER, DARKER = 0.07, 0.09
"""How much lighter than a dark background the least is, and how much darker than a light one."""

DARK_ENDS, LIGHT_ENDS = (0.24, 0.96), (0.91, 0.27)
"""Lightness of the least and of the most on the extreme backgrounds, black and white."""

ROOM = 0.25
"""Lightness that all levels together have at least, whatever the background."""

ANSI_DARK, ANSI_LIGHT = (4, 6, 2, 3), (3, 2, 6, 4)
"""The same among the colours of a 16-colour terminal, from the least to the most: in the order of the spectrum, about
that of brightness. Black and white are not among them, as one of them is the background, nobody knows which."""

_DEEP, _PALE = 0.25, 0.97
"""Lightness of the ends of the path; the colour map is a part of it."""

_HUES, _WARM_HUES = (290.0, 150.0), (60.0, 80.0)
"""Degrees at the deep and at the pale end: blue violet to green; brown to amber."""

_CHROMAS, _WARM_CHROMAS = (0.07, 0.17, 0.03), (0.05, 0.19, 0.06)
"""Control points of a parabola between the same, which stays within sRGB."""

_WARM_LIGHTNESS = 0.09, 0.85
"""Warm colours span less than the others: near black and white there are none that would look warm."""


@lru_cache(maxsize=8)
def heat_colours(background: str, *, dark: bool) -> tuple[str, ...]:
    """The colours `#rrggbb` of all `HEAT_LEVELS`, the background first."""
    return (background, *hex_colours(_path(_lightness(background, dark=dark), _HUES, _CHROMAS)))


@lru_cache(maxsize=8)
def warm_colours(background: str, *, dark: bool) -> tuple[str, ...]:
    """Likewise in warm colours, each about as light as the one that it is told from."""
    least, part = _WARM_LIGHTNESS
    lightness = least + part * _lightness(background, dark=dark)
    return (background, *hex_colours(_path(lightness, _WARM_HUES, _WARM_CHROMAS)))


def _lightness(background: str, *, dark: bool) -> npt.NDArray[np.float64]:
    """Lightness of the levels from 1 on, such that their colours are evenly apart."""
    below = float(oklab((background,))[0, 0])
    least, most = DARK_ENDS if dark else LIGHT_ENDS
    least = min(max(below + LIGHTER, least), most - ROOM) if dark else max(min(below - DARKER, least), most + ROOM)
    fine = _path(np.linspace(least, most, 20 * HEAT_LEVELS, dtype=np.float64), _HUES, _CHROMAS)
    lengths = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1))))
    return np.interp(np.linspace(0, lengths[-1], HEAT_LEVELS - 1), lengths, fine[:, 0])


def _path(
    lightness: npt.NDArray[np.float64], hues: tuple[float, float], chromas: tuple[float, float, float]
) -> npt.NDArray[np.float64]:
    """The colours of a path at each lightness, in OKLab."""
    part = (lightness - _DEEP) / (_PALE - _DEEP)
    hue = np.radians(hues[0] + (hues[1] - hues[0]) * part)
    deep, middle, pale = chromas
    chroma = deep * (1 - part) ** 2 + 2 * middle * part * (1 - part) + pale * part**2
    return np.stack((lightness, chroma * np.cos(hue), chroma * np.sin(hue)), axis=1)


def ansi_heat(level: int, *, dark: bool) -> int:
    """The colour of a level from 1 on among the 16 of a plain terminal."""
    colours = ANSI_DARK if dark else ANSI_LIGHT
    return colours[(level - 1) * len(colours) // (HEAT_LEVELS - 1)]
