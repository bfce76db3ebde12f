"""Colours of charts: OKLab distances, the 240 fixed terminal colours, the heat colour map and the palette of series.

Rounding each channel to the 256 terminal colours turns dark shades of a blue into green, grey and violet; the nearest
colour in OKLab is grey where there is no dark blue. Equal distances in OKLab look about equally large. Source: B.
Ottosson, "A perceptual color space for image processing" (2020); sRGB transfer function of IEC 61966-2-1.

The heat colour map goes in even steps from a colour near the background to the most distant one. Its lightness is
monotonic, so that larger amounts stand out more, also in grey and with any colour vision. Its hue changes from blue to
green, which separates distant levels. Warm colours are reserved for the accent.

A series ink is a number from 0. Its colour repeats after `PALETTE_SIZE` inks, each time with another dash pattern, so
that the first `PALETTE_SIZE * len(canvas.DASH_PATTERNS)` series all look different.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import HEAT_LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


def oklab(colours: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return colours `#rrggbb` as lightness (0 to 1), green-red and blue-yellow, float64[n, 3]."""
    channels = np.array([[int(colour[index : index + 2], 16) for index in (1, 3, 5)] for colour in colours]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return np.asarray(np.cbrt(linear @ _LMS.T) @ _LAB.T)


def hex_colours(lab: npt.NDArray[np.float64]) -> tuple[str, ...]:
    """Return OKLab colours as `#rrggbb`, the inverse of `oklab`; channels outside sRGB are clipped."""
    linear = (lab @ np.linalg.inv(_LAB).T) ** 3 @ np.linalg.inv(_LMS).T
    linear = np.clip(linear, 0, 1)
    channels = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return tuple("#" + "".join(f"{value:02x}" for value in row) for row in np.rint(channels * 255).astype(int).tolist())


def colour_gradient(first: str, last: str, count: int) -> tuple[str, ...]:
    """Return `count` (at least 2) colours from `first` to `last`, including both, that look evenly spaced."""
    ends = oklab((first, last))
    parts = np.linspace(0, 1, count)[:, None]
    return (first, *hex_colours(ends[0] * (1 - parts) + ends[1] * parts)[1:-1], last)


_CHANNEL = (0, 95, 135, 175, 215, 255)
_CUBE = tuple(f"#{red:02x}{green:02x}{blue:02x}" for red in _CHANNEL for green in _CHANNEL for blue in _CHANNEL)
_GREYS = tuple(f"#{level:02x}{level:02x}{level:02x}" for level in range(8, 239, 10))
FIXED_COLOURS = _CUBE + _GREYS
"""Numbers 16 to 255 (xterm, `256colres.pl`); the first sixteen depend on the theme of the terminal."""


def nearest_fixed_colours(colours: Sequence[str]) -> tuple[str, ...]:
    """Return the member of `FIXED_COLOURS` that looks most like each colour `#rrggbb`."""
    differences = oklab(colours)[:, None] - _fixed_lab()
    return tuple(FIXED_COLOURS[index] for index in np.argmin((differences**2).sum(axis=2), axis=1).tolist())


MIN_HUE_CHROMA = 0.03
"""Minimum chroma in OKLab of a colour with a recognisable hue."""

MAX_HUE_DEGREES = 32.0
"""Maximum difference of hues that are recognised as equal; the palette has larger gaps."""


MIN_LINE_CONTRAST, MIN_TWIN_CONTRAST = 3.2, 1.4
"""Minimum contrast to the background of a line, and of its faint twin, in 256 colours: deep blues have less on
black."""


@lru_cache(maxsize=256)
def nearest_of_hue(
    colours: tuple[str, ...],
    full_colour: str,
    background: str = "",
    min_contrast: float = 1.0,
    *,
    is_quiet: bool = False,
) -> tuple[str, ...]:
    """Return the member of `FIXED_COLOURS` nearest to each colour among those with the hue of `full_colour`.

    The nearest of all fixed colours is often grey for dark and faint shades, which no longer identifies the run.

    Args:
        colours: Shades of one colour.
        full_colour: The full colour; a grey has no hue, and the nearest of all fixed colours are returned.
        background: Colour behind them; empty: any.
        min_contrast: Minimum contrast to the background.
        is_quiet: Avoid colours with more chroma than the given ones.
    """
    has_hue = _have_hue(full_colour)
    if has_hue is None:
        return nearest_fixed_colours(colours)
    if background:
        has_hue = has_hue & (_contrasts(background) >= min_contrast)
    distances = _distances(oklab(colours), EXCESS_WEIGHT if is_quiet else HUE_WEIGHT)
    distances[:, ~has_hue] = np.inf
    return tuple(FIXED_COLOURS[index] for index in np.argmin(distances, axis=1).tolist())


def _distances(colours: npt.NDArray[np.float64], excess_weight: float) -> npt.NDArray[np.float64]:
    """Return squared distances of OKLab colours to `FIXED_COLOURS`, float64[n, 240]; hue and chroma weigh less.

    Args:
        colours: OKLab colours, float64[n, 3].
        excess_weight: Weight of hue and chroma for fixed colours with more chroma.
    """
    fixed = _fixed_lab()
    squared_differences = (colours[:, None] - fixed) ** 2
    chroma, colours_chroma = np.hypot(fixed[:, 1], fixed[:, 2]), np.hypot(colours[:, 1], colours[:, 2])
    weight = np.where(chroma > colours_chroma[:, None], excess_weight, HUE_WEIGHT)
    return np.asarray(
        squared_differences[..., 0] + weight * (squared_differences[..., 1] + squared_differences[..., 2])
    )


def _have_hue(colour: str) -> npt.NDArray[np.bool_] | None:
    """Return True for each of `FIXED_COLOURS` that has the hue of a colour; None for a grey."""
    (_, a, b), fixed = oklab((colour,))[0], _fixed_lab()
    if math.hypot(a, b) < MIN_HUE_CHROMA:
        return None
    hue_differences = np.degrees(np.arctan2(fixed[:, 2], fixed[:, 1]) - math.atan2(b, a))
    absolute_differences = np.abs((hue_differences + 180) % 360 - 180)
    return np.asarray(
        (absolute_differences <= MAX_HUE_DEGREES) & (np.hypot(fixed[:, 1], fixed[:, 2]) >= MIN_HUE_CHROMA)
    )


HUE_WEIGHT, EXCESS_WEIGHT = 0.25, 1.0
"""Weights of differences in hue and chroma, relative to those in lightness. The second applies if the fixed colour has
more chroma than the shade: all dark blues are saturated, and a band of them would be louder than the line in it."""

GREY_COST, EQUAL_COST = 0.004, 0.012
"""Cost of replacing a dark shade by a grey, and of two equal shades, as squared differences in lightness."""

MAX_GREY_CHROMA = 0.06
"""Maximum chroma of a shade that may be replaced by a grey, because its hue is hardly visible."""

MIN_SHADE_STEP = 0.02
"""Minimum difference in lightness of two different shades."""


@lru_cache(maxsize=64)
def fixed_shades(shades: tuple[str, ...], full: str, background: str) -> tuple[str, ...]:
    """Return members of `FIXED_COLOURS` for the shades of a colour, each farther from the background.

    Shades have the hue of the full colour, but the first ones may be grey. The Viterbi algorithm finds the sequence
    with the lowest cost.

    Args:
        shades: Shades from the one next to the background to the full colour.
        full: The fixed colour of the last shade.
        background: Colour behind them.
    """
    has_hue, fixed = _have_hue(shades[-1]), _fixed_lab()
    if has_hue is None:
        return (*nearest_fixed_colours(shades[:-1]), full)
    shades_lab = oklab(shades)
    chroma, shades_chroma = np.hypot(fixed[:, 1], fixed[:, 2]), np.hypot(shades_lab[:, 1], shades_lab[:, 2])
    costs = _distances(shades_lab, EXCESS_WEIGHT)
    is_grey = chroma < MIN_HUE_CHROMA / 3
    costs += np.where(has_hue, 0, np.where(is_grey & (shades_chroma < MAX_GREY_CHROMA)[:, None], GREY_COST, np.inf))
    costs[-1] = np.inf
    costs[-1, FIXED_COLOURS.index(full)] = 0
    contrast_direction = np.sign(shades_lab[-1, 0] - oklab((background,))[0, 0]) * fixed[:, 0]
    transition_costs = np.where(contrast_direction > contrast_direction[:, None] + MIN_SHADE_STEP, 0.0, np.inf)
    np.fill_diagonal(transition_costs, EQUAL_COST)
    path_costs, predecessors = costs[0], []
    for cost in costs[1:]:
        candidate_costs = path_costs[:, None] + transition_costs
        predecessors.append(candidate_costs.argmin(axis=0))
        path_costs = candidate_costs.min(axis=0) + cost
    path = [int(path_costs.argmin())]
    for previous in reversed(predecessors):
        path.append(int(previous[path[-1]]))
    return tuple(FIXED_COLOURS[index] for index in reversed(path))


def contrast(colour: str, background: str) -> float:
    """Return the contrast of two colours `#rrggbb`, 1 to 21. Source: WCAG 2.2, relative luminance."""
    lighter, darker = sorted(map(_luminance, (colour, background)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


LEGIBLE_STEPS = 25
"""Number of mixtures of a colour with black or white that are tried for contrast."""


def legible(colour: str, background: str, min_contrast: float) -> str:
    """Return a colour with at least `min_contrast` to a background: the colour itself, or a lighter or darker one.

    Themes of Textual have colours that cannot be read as text, such as amber on white.
    """
    if contrast(colour, background) >= min_contrast:
        return colour
    end = max("#ffffff", "#000000", key=lambda extreme: contrast(extreme, background))
    steps = (mix(colour, end, 1 - step / LEGIBLE_STEPS) for step in range(1, LEGIBLE_STEPS))
    return next((candidate for candidate in steps if contrast(candidate, background) >= min_contrast), end)


def _luminance(colour: str) -> float:
    channels = np.array(_channels(colour)) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


@lru_cache(maxsize=8)
def _contrasts(background: str) -> npt.NDArray[np.float64]:
    """Return the contrast of each of `FIXED_COLOURS` to a background."""
    return np.array([contrast(colour, background) for colour in FIXED_COLOURS])


@cache
def _fixed_lab() -> npt.NDArray[np.float64]:
    return oklab(FIXED_COLOURS)


MIN_LIGHTER, MIN_DARKER = 0.07, 0.09
"""Lightness difference of the lowest level to a dark background (`MIN_LIGHTER`) and to a light one (`MIN_DARKER`)."""

DARK_ENDS, LIGHT_ENDS = (0.24, 0.96), (0.91, 0.27)
"""Lightness of the lowest and the highest level on black (`DARK_ENDS`) and on white (`LIGHT_ENDS`)."""

MIN_LIGHTNESS_RANGE = 0.25
"""Minimum lightness range of all levels, on any background."""

ANSI_HEAT_DARK, ANSI_HEAT_LIGHT = (4, 6, 14, 15), (2, 12, 4, 0)
"""Colour map of a 16-colour terminal, from the lowest level to the highest: brighter on black (blue to white), darker
on white (green to black), also in the colours of Solarized. Yellow and cyan are invisible on white."""

_DEEP, _PALE = 0.25, 0.97
"""Lightness of the ends of the path through OKLab; the colour map is a part of it."""

_HUES, _WARM_HUES = (290.0, 150.0), (60.0, 80.0)
"""Hues in degrees at the deep and at the pale end: blue violet to green; brown to amber."""

_CHROMAS, _WARM_CHROMAS = (0.07, 0.17, 0.03), (0.05, 0.19, 0.06)
"""Control points of the chroma, a parabola between the ends that stays within sRGB."""

_WARM_LIGHTNESS = 0.09, 0.85
"""Offset and factor of the lightness of warm colours: no colour near black or white looks warm."""


@lru_cache(maxsize=8)
def heat_colours(background: str, *, dark: bool) -> tuple[str, ...]:
    """Return the colours `#rrggbb` of all `HEAT_LEVELS`, the background first."""
    return (background, *hex_colours(_path(_lightness(background, dark=dark), _HUES, _CHROMAS)))


@lru_cache(maxsize=8)
def warm_colours(background: str, *, dark: bool) -> tuple[str, ...]:
    """Return all levels in warm colours, each about as light as the heat colour that it contrasts with."""
    start, factor = _WARM_LIGHTNESS
    lightness = start + factor * _lightness(background, dark=dark)
    return (background, *hex_colours(_path(lightness, _WARM_HUES, _WARM_CHROMAS)))


def _lightness(background: str, *, dark: bool) -> npt.NDArray[np.float64]:
    """Return the lightness of the levels from 1, so that their colours are evenly spaced."""
    background_lightness = float(oklab((background,))[0, 0])
    first, last = DARK_ENDS if dark else LIGHT_ENDS
    first = (
        min(max(background_lightness + MIN_LIGHTER, first), last - MIN_LIGHTNESS_RANGE)
        if dark
        else max(min(background_lightness - MIN_DARKER, first), last + MIN_LIGHTNESS_RANGE)
    )
    fine = _path(np.linspace(first, last, 20 * HEAT_LEVELS, dtype=np.float64), _HUES, _CHROMAS)
    lengths = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1))))
    return np.interp(np.linspace(0, lengths[-1], HEAT_LEVELS - 1), lengths, fine[:, 0])


def _path(
    lightness: npt.NDArray[np.float64], hues: tuple[float, float], chromas: tuple[float, float, float]
) -> npt.NDArray[np.float64]:
    """Return the OKLab colours of a path at each lightness."""
    part = (lightness - _DEEP) / (_PALE - _DEEP)
    hue = np.radians(hues[0] + (hues[1] - hues[0]) * part)
    deep, middle, pale = chromas
    chroma = deep * (1 - part) ** 2 + 2 * middle * part * (1 - part) + pale * part**2
    return np.stack((lightness, chroma * np.cos(hue), chroma * np.sin(hue)), axis=1)


def ansi_heat(level: int, *, dark: bool) -> int:
    """Return the number of the colour of a level (from 1) in a 16-colour terminal."""
    colours = ANSI_HEAT_DARK if dark else ANSI_HEAT_LIGHT
    return colours[(level - 1) * len(colours) // (HEAT_LEVELS - 1)]


DARK_PALETTE = (
    "#56b4e9",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#f0e442",
    "#d55e00",
    "#0072b2",
    "#78ffff",
    "#a54bff",
    "#96d296",
    "#c30f96",
    "#965a4b",
)
"""Series colours for dark backgrounds: the seven of Okabe and Ito (without black), then five with the largest possible
distance from all others, for normal vision and the three kinds of colour blindness."""

LIGHT_PALETTE = (
    "#0082f0",
    "#be6e00",
    "#00826e",
    "#f00abe",
    "#646400",
    "#783228",
    "#003278",
    "#005a64",
    "#6400b4",
    "#003200",
    "#3c0a3c",
    "#c84650",
)
"""Series colours for light backgrounds: about the same hue by index, and dark enough for thin lines on white."""

ANSI_PALETTE = (14, 3, 2, 13, 15, 9, 12, 6, 5, 10, 1, 11)
"""The nearest distinct colours of a 16-colour terminal, as numbers 0 to 15. Dark blue (4) is left out, because it
cannot be read on black. Bright yellow (11), the accent of such a terminal, comes last."""

ANSI_LIGHT_PALETTE = (4, 1, 2, 5, 0, 9, 12, 8, 13, 4, 1, 5)
"""The same on a light background, where yellow and cyan cannot be read: nine colours, three of them twice."""

PALETTE_SIZE = len(DARK_PALETTE)

MARKERS, HOLLOW_MARKERS = "●◆■▲", "○◇□△"
"""Signs of a run, by the number of times that the colours have repeated: filled, and hollow for a hidden run."""


def series_colour(ink: int, *, dark: bool = True) -> str:
    """Return the colour of a series ink as `#rrggbb`."""
    return (DARK_PALETTE if dark else LIGHT_PALETTE)[ink % PALETTE_SIZE]


def ansi_colour(ink: int, *, dark: bool = True) -> int:
    """Return the number of the colour of a series ink in a 16-colour terminal."""
    return (ANSI_PALETTE if dark else ANSI_LIGHT_PALETTE)[ink % PALETTE_SIZE]


def marker(ink: int, *, hollow: bool = False) -> str:
    """Return the sign of a series ink; runs of one colour have different signs."""
    return (HOLLOW_MARKERS if hollow else MARKERS)[ink // PALETTE_SIZE % len(MARKERS)]


def dash_patterns(inks: Iterable[int]) -> dict[int, int]:
    """Return the dash pattern of each ink in one picture; inks below 0 are not series and share no colour.

    Only repeated colours are dashed. A line with a unique colour is solid (0), because pauses look like gaps in the
    data.
    """
    distinct = set(inks)
    sharing = Counter(ink % PALETTE_SIZE for ink in distinct if ink >= 0)
    return {ink: ink // PALETTE_SIZE if sharing[ink % PALETTE_SIZE] > 1 else 0 for ink in distinct}


def mix(colour: str, background: str, part: float) -> str:
    """Return `part` (0 to 1) of a colour over a background, both `#rrggbb`."""
    pairs = zip(_channels(colour), _channels(background), strict=True)
    return "#" + "".join(f"{round(over * part + under * (1 - part)):02x}" for over, under in pairs)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
