"""Write the one of 256 colours that looks most like a colour.

Replaces: `Color.downgrade` of Rich 13.3 to 15 for the 256 fixed colours; Textual writes every colour through it.

Rich rounds each channel by itself, so that the dark grey blues of a theme turn into teal (`#2a313b`, the ground of a
cursor, into `#005f5f`) and a dark background into black. Distances in OKLab find a grey. Not reported upstream. Can go
when the canary in the tests fails.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rich.color import Color, ColorSystem, ColorType

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_COLOURS = 4096
"""Colours whose nearest one is kept: a page of pictures in half blocks has few, as they are fixed ones already."""

FIRST_FIXED = 16


def write_nearest_colours() -> None:
    """Replace the method of Rich; later calls do nothing."""
    rounding: Callable[..., Color] = Color.downgrade
    if getattr(rounding, "is_nearest", False):
        return

    def downgrade(self: Color, system: ColorSystem) -> Color:
        if system != ColorSystem.EIGHT_BIT or self.type != ColorType.TRUECOLOR or self.triplet is None:
            return rounding(self, system)
        return Color(self.name, ColorType.EIGHT_BIT, number=_find_number(self.triplet.hex))

    downgrade.is_nearest = True  # type: ignore[attr-defined]
    replaced: Any = Color
    replaced.downgrade = downgrade


@lru_cache(maxsize=MAX_COLOURS)
def _find_number(colour: str) -> int:
    """Return the number of the fixed colour that looks most like `#rrggbb`."""
    from tbtui.charts.xterm_colours import FIXED_COLOURS, find_nearest_colours

    return FIRST_FIXED + FIXED_COLOURS.index(find_nearest_colours((colour,))[0])
