"""The app's themes, and the choice of one at the start.

A theme has few roles and one accent; only runs have colours of their own. The terminal is asked for the colour of its
background, so that the default theme fits it; nothing waits for the answer.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.message import Message
from textual.theme import BUILTIN_THEMES, Theme

from tbtui.app.theme_names import ANSI_DARK, ANSI_LIGHT, DARK, LIGHT
from tbtui.charts.ink_colours import DARK_THEME_COLOURS, LIGHT_THEME_COLOURS

if TYPE_CHECKING:
    from collections.abc import Collection

    from textual.app import App

    from tbtui.terminal_images.terminal_query import BackgroundParser
    from tbtui.widgets.textual_patches.driver import PatchedLinuxDriver

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
    # The green of xterm is too light for text on white.
    replace(BUILTIN_THEMES[ANSI_LIGHT], accent="ansi_magenta", success="ansi_blue"),
)
NAMES = tuple(theme.name for theme in THEMES)


def choose_default_theme(no_color: bool, color_system: str | None) -> str:
    """Return the theme of a start without `--theme`.

    A terminal with sixteen colours cannot show shades of one colour; its own colours are distinct. Only a theme of the
    terminal's own colours honours `NO_COLOR`.

    Args:
        no_color: True if `NO_COLOR` is set.
        color_system: The colour system that Rich detected; `standard` means sixteen colours.
    """
    return ANSI_DARK if no_color or color_system == "standard" else DARK


def choose_light_theme(theme: str) -> str:
    """Return the light counterpart of a dark default theme, and any other theme unchanged."""
    return {DARK: LIGHT, ANSI_DARK: ANSI_LIGHT}.get(theme, theme)


def choose_initial_theme(requested: str | None, saved: str | None, known: Collection[str], default: str) -> str:
    """Return the theme of a start: the requested one, the saved one, or the default.

    Args:
        requested: The value of `--theme`; not checked here.
        saved: The saved theme; ignored if it no longer exists, or if this terminal needs its own colours.
        known: Names of all themes.
        default: The result of `choose_default_theme`.
    """
    terminal_themes = (ANSI_DARK, ANSI_LIGHT)
    is_usable = saved in known and (default not in terminal_themes or saved in terminal_themes)
    return requested or (saved if saved and is_usable else default)


class BackgroundAnswered(Message):
    """The terminal has answered with the colour of its background."""

    def __init__(self, *, is_light: bool) -> None:
        super().__init__()
        self.is_light = is_light


class BackgroundListener:
    """Reads the answer on the input thread: the driver keeps the colour, the app gets `BackgroundAnswered`."""

    def __init__(self, app: App[int], driver: PatchedLinuxDriver, parser: BackgroundParser) -> None:
        self._app, self._driver, self._parser = app, driver, parser

    def feed(self, data: str) -> str:
        """Return the input without the answer: keys."""
        before = self._parser.is_light
        keys = self._parser.feed(data)
        if before is None and self._parser.is_light is not None:
            self._driver.background = self._parser.colour
            self._app.post_message(BackgroundAnswered(is_light=self._parser.is_light))
        return keys

    def release(self, waited: float) -> str:
        """Return input that was held back and is a key after all."""
        return self._parser.release(waited)


def query_background(app: App[int], driver: PatchedLinuxDriver) -> None:
    """Send the query; a terminal that knows it answers with `BackgroundAnswered`."""
    from tbtui.terminal_images.terminal_query import BACKGROUND_QUERY, NO_BACKGROUND_ANSWER, BackgroundParser

    if os.environ.get("TERM", "unknown") not in NO_BACKGROUND_ANSWER:
        driver.add_listener(BackgroundListener(app, driver, BackgroundParser()))
        driver.write(BACKGROUND_QUERY)
