"""The colours that a terminal of 256 has whatever its theme, and which of them looks most like another.

What a terminal, or the library that writes to it, picks by itself rounds each channel: dark shades of a blue become
green, grey and violet in turn. The nearest by how they look keep to grey where there is no dark blue.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.oklab import oklab

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

_CHANNEL = (0, 95, 135, 175, 215, 255)
_CUBE = tuple(f"#{red:02x}{green:02x}{blue:02x}" for red in _CHANNEL for green in _CHANNEL for blue in _CHANNEL)
_GREYS = tuple(f"#{level:02x}{level:02x}{level:02x}" for level in range(8, 239, 10))
COLOURS = _CUBE + _GREYS
"""Numbers 16 to 255 (xterm, `256colres.pl`); the first sixteen are the theme's."""


def nearest(colours: Sequence[str]) -> tuple[str, ...]:
    """Of each colour `#rrggbb` the one of `COLOURS` that looks most like it."""
    apart = oklab(colours)[:, None] - _places()
    return tuple(COLOURS[index] for index in np.argmin((apart**2).sum(axis=2), axis=1).tolist())


@cache
def _places() -> npt.NDArray[np.float64]:
    return oklab(COLOURS)
