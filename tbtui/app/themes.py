"""The app's themes: few roles, one accent; runs alone have colours of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual.theme import BUILTIN_THEMES, Theme

from tbtui.app.theme_names import ANSI_DARK, ANSI_LIGHT, DARK, LIGHT
from tbtui.charts.ink_colours import DARK_TONES, LIGHT_TONES

if TYPE_CHECKING:
    from collections.abc import Collection

THEMES = (
    Theme(
        name=DARK,
        primary="#7aa2c8",
        accent=DARK_TONES.accent,
        foreground=DARK_TONES.foreground,
        background=DARK_TONES.background,
        surface="#1a1e25",
        panel="#20252d",
        success=DARK_TONES.good,
        warning=DARK_TONES.warn,
        error=DARK_TONES.bad,
        dark=True,
        variables={
            "block-cursor-blurred-background": "#2a313b",
            # Reversed, so that it is seen without colours too.
            "input-cursor-foreground": DARK_TONES.foreground,
            "input-cursor-background": DARK_TONES.background,
            "input-cursor-text-style": "reverse",
        },
    ),
    Theme(
        name=LIGHT,
        primary="#2f5f8a",
        accent=LIGHT_TONES.accent,
        foreground=LIGHT_TONES.foreground,
        background=LIGHT_TONES.background,
        surface="#f3f1ec",
        panel="#eae7e0",
        success=LIGHT_TONES.good,
        warning=LIGHT_TONES.warn,
        error=LIGHT_TONES.bad,
        dark=False,
        variables={
            "block-cursor-blurred-background": "#dfe5ea",
            # Reversed, so that it is seen without colours too.
            "input-cursor-foreground": LIGHT_TONES.foreground,
            "input-cursor-background": LIGHT_TONES.background,
            "input-cursor-text-style": "reverse",
        },
    ),
    # The terminal's own sixteen colours and its own background, whatever they are.
    replace(BUILTIN_THEMES[ANSI_DARK], accent="ansi_bright_yellow", error="ansi_bright_red"),
    replace(BUILTIN_THEMES[ANSI_LIGHT], accent="ansi_magenta"),
)
NAMES = tuple(theme.name for theme in THEMES)


def default_theme(no_color: bool, color_system: str | None) -> str:
    """The theme of a start without `--theme`.

    A terminal of sixteen colours would show shades of one colour as the same; its own colours are distinct. `NO_COLOR`
    too is only honoured by those.

    Args:
        no_color: Whether `NO_COLOR` is set.
        color_system: What rich found the terminal to have: `standard` for sixteen colours.
    """
    return ANSI_DARK if no_color or color_system == "standard" else DARK


def first_theme(asked: str | None, kept: str | None, known: Collection[str], default: str) -> str:
    """The theme of a start: the one asked for, the one kept of the last session, or the default.

    Args:
        asked: By `--theme`; not looked at further.
        kept: Not used where there is no such theme any more, nor where this terminal needs its own colours.
        known: Names of all themes.
        default: From `default_theme`.
    """
    own = (ANSI_DARK, ANSI_LIGHT)
    usable = kept in known and (default not in own or kept in own)
    return asked or (kept if kept and usable else default)
