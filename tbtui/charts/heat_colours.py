"""Colour maps of heat maps.

A map goes in even steps from a colour near the background to the most distant one. Its lightness is monotonic, so that
larger amounts stand out more, also in grey and with any colour vision. Its hue changes from blue to green, which
separates distant levels. Warm colours are reserved for the accent.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import HEAT_LEVELS
from tbtui.charts.colours import to_hex_colours, to_oklab

if TYPE_CHECKING:
    import numpy.typing as npt


MIN_LIGHTER, MIN_DARKER = 0.07, 0.09
"""Lightness difference of the lowest level to a dark background (`MIN_LIGHTER`) and to a light one (`MIN_DARKER`)."""

DARK_ENDS, LIGHT_ENDS = (0.24, 0.96), (0.91, 0.27)
"""Lightness of the lowest and the highest level on black (`DARK_ENDS`) and on white (`LIGHT_ENDS`)."""

MIN_LIGHTNESS_RANGE = 0.25
"""Minimum lightness range of all levels, on any background."""

ANSI_HEAT_DARK, ANSI_HEAT_LIGHT = (4, 6, 14, 15), (12, 4, 0)
"""Colour map of a 16-colour terminal, from the lowest level to the highest: brighter on black (blue to white), darker
on white (blue to black), also in the colours of Solarized. Yellow and cyan are invisible on white, and green, which is
as light as the lowest level should be, stands out more than the highest."""

_DEEP, _PALE = 0.25, 0.97
"""Lightness of the ends of the path through OKLab; the colour map is a part of it."""

_HUES, _WARM_HUES = (290.0, 150.0), (60.0, 80.0)
"""Hues in degrees at the deep and at the pale end: blue violet to green; brown to amber."""

_CHROMAS, _WARM_CHROMAS = (0.07, 0.17, 0.03), (0.05, 0.19, 0.06)
"""Control points of the chroma, a parabola between the ends that stays within sRGB."""

_WARM_LIGHTNESS = 0.09, 0.85
"""Offset and factor of the lightness of warm colours: no colour near black or white looks warm."""


@lru_cache(maxsize=8)
def compute_heat_colours(background: str, *, dark: bool) -> tuple[str, ...]:
    """Return the colours `#rrggbb` of all `HEAT_LEVELS`, the background first."""
    return (
        background,
        *to_hex_colours(_compute_path_colours(_space_lightness(background, dark=dark), _HUES, _CHROMAS)),
    )


@lru_cache(maxsize=8)
def compute_warm_colours(background: str, *, dark: bool) -> tuple[str, ...]:
    """Return all levels in warm colours, each about as light as the heat colour that it contrasts with."""
    start, factor = _WARM_LIGHTNESS
    lightness = start + factor * _space_lightness(background, dark=dark)
    return (background, *to_hex_colours(_compute_path_colours(lightness, _WARM_HUES, _WARM_CHROMAS)))


def _space_lightness(background: str, *, dark: bool) -> npt.NDArray[np.float64]:
    """Return the lightness of the levels from 1, so that their colours are evenly spaced."""
    background_lightness = float(to_oklab((background,))[0, 0])
    first, last = DARK_ENDS if dark else LIGHT_ENDS
    first = (
        min(max(background_lightness + MIN_LIGHTER, first), last - MIN_LIGHTNESS_RANGE)
        if dark
        else max(min(background_lightness - MIN_DARKER, first), last + MIN_LIGHTNESS_RANGE)
    )
    fine = _compute_path_colours(np.linspace(first, last, 20 * HEAT_LEVELS, dtype=np.float64), _HUES, _CHROMAS)
    lengths = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1))))
    return np.interp(np.linspace(0, lengths[-1], HEAT_LEVELS - 1), lengths, fine[:, 0])


def _compute_path_colours(
    lightness: npt.NDArray[np.float64], hues: tuple[float, float], chromas: tuple[float, float, float]
) -> npt.NDArray[np.float64]:
    """Return the OKLab colours of a path at each lightness."""
    part = (lightness - _DEEP) / (_PALE - _DEEP)
    hue = np.radians(hues[0] + (hues[1] - hues[0]) * part)
    deep, middle, pale = chromas
    chroma = deep * (1 - part) ** 2 + 2 * middle * part * (1 - part) + pale * part**2
    return np.stack((lightness, chroma * np.cos(hue), chroma * np.sin(hue)), axis=1)


def get_ansi_heat(level: int, *, dark: bool) -> int:
    """Return the number of the colour of a level (from 1) in a 16-colour terminal."""
    colours = ANSI_HEAT_DARK if dark else ANSI_HEAT_LIGHT
    return colours[(level - 1) * len(colours) // (HEAT_LEVELS - 1)]
