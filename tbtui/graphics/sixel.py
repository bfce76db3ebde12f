"""Pictures as sixels: what xterm, foot, mlterm, WezTerm, Windows Terminal and tmux itself (where it is built so) draw.

A picture has no name and is nowhere kept: it is drawn at the cursor as text is, and text drawn there covers it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.graphics.adjust import on_checker
from tbtui.graphics.few_colours import in_palette
from tbtui.graphics.kitty import at

if TYPE_CHECKING:
    from PIL import Image

    from tbtui.graphics.pictures import Pixels

Colours: TypeAlias = Literal[16, 32, 64, 128, 256]

_DEFINED = re.compile(r"#(\d+);2;\d+;\d+;\d+")
"""Where a colour is defined. The library draws with it at once; xterm and WezTerm have to be told to."""

CHECKER_SQUARE = 8
"""Pixels that a square of the board behind a transparent picture is wide."""


def encode(pixels: Pixels, colours: Colours = 256) -> str:
    """A picture as sixels: see `in_sixels`.

    Args:
        pixels: See `graphics.pictures.Pixels`, as many as it has on the screen.
        colours: Of its palette at most.
    """
    return in_sixels(in_palette(on_checker(pixels, CHECKER_SQUARE), colours))


def in_sixels(image: Image.Image) -> str:
    """A picture in a palette as sixels, to be written with the cursor at its upper left cell.

    Takes tenths of a second for a photo that fills a screen, and some hundred kilobytes; fewer colours are fewer bytes.
    The last row of the screen must be left free: where a picture touches it, some terminals scroll.
    """
    # This module of the library alone asks the terminal nothing when it is imported; its public ones do, at once, while
    # Textual reads the answers as keys.
    from textual_image._sixel import image_to_sixels

    return _DEFINED.sub(r"\g<0>#\1", image_to_sixels(image))


def sixels_at(row: int, column: int, sixels: str) -> str:
    """What draws sixels at a cell of the screen, from 0, with the cursor back where it was afterwards."""
    return at(row, column, sixels)
