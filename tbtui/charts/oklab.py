"""Colours by how they look: OKLab, in which equal distances look about equally far apart.

Source: B. Ottosson, "A perceptual color space for image processing" (2020); sRGB transfer function of IEC 61966-2-1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

_LMS = np.array(
    (
        (0.4122214708, 0.5363325363, 0.0514459929),
        (0.2119034982, 0.6806995451, 0.1073969566),
        (0.0883024619, 0.2817188376, 0.6299787005),
    )
)
"""Cone responses to linear sRGB."""

_LAB = np.array(
    (
        (0.2104542553, 0.7936177850, -0.0040720468),
        (1.9779984951, -2.4285922050, 0.4505937099),
        (0.0259040371, 0.7827717662, -0.8086757660),
    )
)
"""Lightness, green to red and blue to yellow by the cube roots of cone responses."""


def oklab(colours: Sequence[str]) -> npt.NDArray[np.float64]:
    """Colours `#rrggbb` as lightness (0 to 1), green-red and blue-yellow, float64[n, 3]."""
    channels = np.array([[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in colours]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return np.asarray(np.cbrt(linear @ _LMS.T) @ _LAB.T)


def hex_colours(lab: npt.NDArray[np.float64]) -> tuple[str, ...]:
    """The inverse of `oklab`; channels that sRGB does not reach are clipped."""
    linear = (lab @ np.linalg.inv(_LAB).T) ** 3 @ np.linalg.inv(_LMS).T
    linear = np.clip(linear, 0, 1)
    channels = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return tuple("#" + "".join(f"{value:02x}" for value in row) for row in np.rint(channels * 255).astype(int).tolist())


def between(first: str, last: str, count: int) -> tuple[str, ...]:
    """`count` colours from one to another, both among them, that look evenly apart; at least 2."""
    ends = oklab((first, last))
    parts = np.linspace(0, 1, count)[:, None]
    return (first, *hex_colours(ends[0] * (1 - parts) + ends[1] * parts)[1:-1], last)
