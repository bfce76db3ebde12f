"""Arithmetic of colours `#rrggbb`: OKLab, contrast, gradients and mixtures.

Equal distances in OKLab look about equally large. Sources: B. Ottosson, "A perceptual color space for image processing"
(2020); sRGB transfer function of IEC 61966-2-1; contrast of WCAG 2.2.
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
"""Lightness, green-red and blue-yellow from the cube roots of cone responses."""


def to_oklab(colours: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return colours as lightness (0 to 1), green-red and blue-yellow, float64[n, 3]."""
    return np.asarray(np.cbrt(_linearize_rgb(colours) @ _LMS.T) @ _LAB.T)


def to_hex_colours(lab: npt.NDArray[np.float64]) -> tuple[str, ...]:
    """Return OKLab colours as `#rrggbb`, the inverse of `to_oklab`; channels outside sRGB are clipped."""
    linear = (lab @ np.linalg.inv(_LAB).T) ** 3 @ np.linalg.inv(_LMS).T
    linear = np.clip(linear, 0, 1)
    channels = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return tuple("#" + "".join(f"{value:02x}" for value in row) for row in np.rint(channels * 255).astype(int).tolist())


def colour_gradient(first: str, last: str, count: int) -> tuple[str, ...]:
    """Return `count` (at least 2) colours from `first` to `last`, including both, that look evenly spaced."""
    ends = to_oklab((first, last))
    fractions = np.linspace(0, 1, count)[:, None]
    return (first, *to_hex_colours(ends[0] * (1 - fractions) + ends[1] * fractions)[1:-1], last)


def contrast(colour: str, background: str) -> float:
    """Return the contrast of two colours, 1 to 21."""
    luminances = _linearize_rgb((colour, background)) @ (0.2126, 0.7152, 0.0722)
    return float((luminances.max() + 0.05) / (luminances.min() + 0.05))


CONTRAST_STEPS = 25
"""Number of mixtures of a colour with black or white that are tried for contrast."""


def ensure_contrast(colour: str, background: str, min_contrast: float) -> str:
    """Return a colour with at least `min_contrast` to a background: the colour itself, or a lighter or darker one.

    Themes of Textual have colours that cannot be read as text, such as amber on white.
    """
    if contrast(colour, background) >= min_contrast:
        return colour
    end = max("#ffffff", "#000000", key=lambda extreme: contrast(extreme, background))
    mixtures = (mix(colour, end, 1 - step / CONTRAST_STEPS) for step in range(1, CONTRAST_STEPS))
    return next((mixture for mixture in mixtures if contrast(mixture, background) >= min_contrast), end)


def mix(colour: str, background: str, opacity: float) -> str:
    """Return a colour with an opacity (0 to 1) over a background."""
    pairs = zip(_split_channels(colour), _split_channels(background), strict=True)
    return "#" + "".join(f"{round(over * opacity + under * (1 - opacity)):02x}" for over, under in pairs)


def _split_channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _linearize_rgb(colours: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return the linear intensities of red, green and blue (0 to 1), float64[n, 3]."""
    channels = np.array([_split_channels(colour) for colour in colours]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
