"""The app's themes: few roles and one accent; only runs have colours of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual.theme import BUILTIN_THEMES, Theme

from tbtui.app.theme_names import ANSI_DARK, ANSI_LIGHT, DARK, LIGHT
from tbtui.charts.ink_colours import DARK_THEME_COLOURS, LIGHT_THEME_COLOURS

if TYPE_CHECKING:
    from collections.abc import Collection

THEMES = (
    Theme(
        name=DARK,
        primary="#7aa2c8",
        accent=DARK_THEME_COLOURS.accent,
        foreground=DARK_THEME_COLOURS.foreground,
        background=DARK_THEME_COLOURS.background,
        surface="#1a1e25",
        panel="#20252d",
        success=DARK_THEME_COLOURS.good,
        warning=DARK_THEME_COLOURS.warn,
        error=DARK_THEME_COLOURS.bad,
        dark=True,
        variables={
            "block-cursor-blurred-background": "#2a313b",
            # Reversed, so that it is visible without colours too.
            "input-cursor-foreground": DARK_THEME_COLOURS.foreground,
            "input-cursor-background": DARK_THEME_COLOURS.background,
            "input-cursor-text-style": "reverse",
        },
    ),
    Theme(
        name=LIGHT,
        primary="#2f5f8a",
        accent=LIGHT_THEME_COLOURS.accent,
        foreground=LIGHT_THEME_COLOURS.foreground,
        background=LIGHT_THEME_COLOURS.background,
        surface="#f3f1ec",
        panel="#eae7e0",
        success=LIGHT_THEME_COLOURS.good,
        warning=LIGHT_THEME_COLOURS.warn,
        error=LIGHT_THEME_COLOURS.bad,
        dark=False,
        variables={
            "block-cursor-blurred-background": "#dfe5ea",
            # Reversed, so that it is visible without colours too.
            "input-cursor-foreground": LIGHT_THEME_COLOURS.foreground,
            "input-cursor-background": LIGHT_THEME_COLOURS.background,
            "input-cursor-text-style": "reverse",
        },
    ),
    # The terminal's own sixteen colours and background.
    replace(BUILTIN_THEMES[ANSI_DARK], accent="ansi_bright_yellow", error="ansi_bright_red"),
    replace(BUILTIN_THEMES[ANSI_LIGHT], accent="ansi_magenta"),
)
NAMES = tuple(theme.name for theme in THEMES)


def default_theme(no_color: bool, color_system: str | None) -> str:
    """Return the theme of a start without `--theme`.

    A terminal with sixteen colours cannot show shades of one colour; its own colours are distinct. Only a theme of the
    terminal's own colours honours `NO_COLOR`.

    Args:
        no_color: True if `NO_COLOR` is set.
        color_system: The colour system that Rich detected; `standard` means sixteen colours.
    """
    return ANSI_DARK if no_color or color_system == "standard" else DARK


def light_theme(theme: str) -> str:
    """Return the light theme in place of a dark default; any other theme stays."""
    return {DARK: LIGHT, ANSI_DARK: ANSI_LIGHT}.get(theme, theme)


def initial_theme(requested: str | None, saved: str | None, known: Collection[str], default: str) -> str:
    """Return the theme of a start: the requested one, the saved one, or the default.

    Args:
        requested: The value of `--theme`; not checked here.
        saved: The saved theme; ignored if it no longer exists, or if this terminal needs its own colours.
        known: Names of all themes.
        default: The result of `default_theme`.
    """
    own = (ANSI_DARK, ANSI_LIGHT)
    usable = saved in known and (default not in own or saved in own)
    return requested or (saved if saved and usable else default)
