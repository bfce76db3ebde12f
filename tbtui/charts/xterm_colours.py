"""The 240 fixed colours of a terminal with 256 colours, and the nearest of them to any colour.

Rounding each channel turns dark shades of a blue into green, grey and violet. The nearest colour in OKLab is grey where
there is no dark blue, so that colours of runs are matched by their hue.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.colours import contrast, to_oklab

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt


_CHANNEL = (0, 95, 135, 175, 215, 255)
_CUBE = tuple(f"#{red:02x}{green:02x}{blue:02x}" for red in _CHANNEL for green in _CHANNEL for blue in _CHANNEL)
_GREYS = tuple(f"#{level:02x}{level:02x}{level:02x}" for level in range(8, 239, 10))
FIXED_COLOURS = _CUBE + _GREYS
"""Numbers 16 to 255 (xterm, `256colres.pl`); the first sixteen depend on the theme of the terminal."""


def find_nearest_colours(colours: Sequence[str]) -> tuple[str, ...]:
    """Return the member of `FIXED_COLOURS` that looks most like each colour `#rrggbb`."""
    differences = to_oklab(colours)[:, None] - _compute_fixed_lab()
    return tuple(FIXED_COLOURS[index] for index in np.argmin((differences**2).sum(axis=2), axis=1).tolist())


MIN_HUE_CHROMA = 0.03
"""Minimum chroma in OKLab of a colour with a recognisable hue."""

MAX_HUE_DEGREES = 32.0
"""Maximum difference of hues that are recognised as equal; the palette has larger gaps."""


@lru_cache(maxsize=256)
def find_nearest_of_hue(
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
    has_hue = _match_hue(full_colour)
    if has_hue is None:
        return find_nearest_colours(colours)
    if background:
        has_hue = has_hue & (_compute_contrasts(background) >= min_contrast)
    distances = _compute_distances(to_oklab(colours), QUIET_WEIGHT if is_quiet else HUE_WEIGHT)
    distances[:, ~has_hue] = np.inf
    return tuple(FIXED_COLOURS[index] for index in np.argmin(distances, axis=1).tolist())


def _compute_distances(colours: npt.NDArray[np.float64], excess_weight: float) -> npt.NDArray[np.float64]:
    """Return squared distances of OKLab colours to `FIXED_COLOURS`, float64[n, 240]; hue and chroma weigh less.

    Args:
        colours: OKLab colours, float64[n, 3].
        excess_weight: Weight of hue and chroma for fixed colours with more chroma.
    """
    fixed = _compute_fixed_lab()
    squared_differences = (colours[:, None] - fixed) ** 2
    chroma, colours_chroma = np.hypot(fixed[:, 1], fixed[:, 2]), np.hypot(colours[:, 1], colours[:, 2])
    weight = np.where(chroma > colours_chroma[:, None], excess_weight, HUE_WEIGHT)
    return np.asarray(
        squared_differences[..., 0] + weight * (squared_differences[..., 1] + squared_differences[..., 2])
    )


def _match_hue(colour: str) -> npt.NDArray[np.bool_] | None:
    """Return True for each of `FIXED_COLOURS` that has the hue of a colour; None for a grey."""
    (_, a, b), fixed = to_oklab((colour,))[0], _compute_fixed_lab()
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

QUIET_WEIGHT = 2.0
"""Weight in place of `EXCESS_WEIGHT` for a faint line behind a full one: with less, that of a mauve line is crimson."""

GREY_COST, EQUAL_COST = 0.004, 0.012
"""Cost of replacing a dark shade by a grey, and of two equal shades, as squared differences in lightness."""

MAX_GREY_CHROMA = 0.06
"""Maximum chroma of a shade that may be replaced by a grey, because its hue is hardly visible."""

MIN_SHADE_STEP = 0.02
"""Minimum difference in lightness of two different shades."""


@lru_cache(maxsize=64)
def choose_fixed_shades(shades: tuple[str, ...], full: str, background: str) -> tuple[str, ...]:
    """Return members of `FIXED_COLOURS` for the shades of a colour, each farther from the background.

    Shades have the hue of the full colour, but the first ones may be grey. The Viterbi algorithm finds the sequence
    with the lowest cost.

    Args:
        shades: Shades from the one next to the background to the full colour.
        full: The fixed colour of the last shade.
        background: Colour behind them.
    """
    has_hue, fixed = _match_hue(shades[-1]), _compute_fixed_lab()
    if has_hue is None:
        return (*find_nearest_colours(shades[:-1]), full)
    shades_lab = to_oklab(shades)
    chroma, shades_chroma = np.hypot(fixed[:, 1], fixed[:, 2]), np.hypot(shades_lab[:, 1], shades_lab[:, 2])
    costs = _compute_distances(shades_lab, EXCESS_WEIGHT)
    is_grey = chroma < MIN_HUE_CHROMA / 3
    costs += np.where(has_hue, 0, np.where(is_grey & (shades_chroma < MAX_GREY_CHROMA)[:, None], GREY_COST, np.inf))
    costs[-1] = np.inf
    costs[-1, FIXED_COLOURS.index(full)] = 0
    contrast_direction = np.sign(shades_lab[-1, 0] - to_oklab((background,))[0, 0]) * fixed[:, 0]
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


@lru_cache(maxsize=8)
def _compute_contrasts(background: str) -> npt.NDArray[np.float64]:
    """Return the contrast of each of `FIXED_COLOURS` to a background."""
    return np.array([contrast(colour, background) for colour in FIXED_COLOURS])


@cache
def _compute_fixed_lab() -> npt.NDArray[np.float64]:
    return to_oklab(FIXED_COLOURS)
