"""The app's themes: few roles, one accent; runs alone have colours of their own."""

from __future__ import annotations

from textual.theme import Theme

DARK, LIGHT, ANSI_DARK, ANSI_LIGHT = "tbtui-dark", "tbtui-light", "ansi-dark", "ansi-light"

THEMES = (
    Theme(
        name=DARK,
        primary="#7aa2c8",
        accent="#e8b04b",
        foreground="#d8dce2",
        background="#14171c",
        surface="#1a1e25",
        panel="#20252d",
        success="#7fb77e",
        warning="#e0a458",
        error="#e0625f",
        dark=True,
        variables={"block-cursor-blurred-background": "#2a313b", "input-cursor-text-style": "reverse"},
    ),
    Theme(
        name=LIGHT,
        primary="#2f5f8a",
        accent="#9a5b00",
        foreground="#22262b",
        background="#fbfaf7",
        surface="#f3f1ec",
        panel="#eae7e0",
        success="#2f7d32",
        warning="#a05a00",
        error="#b3261e",
        dark=False,
        variables={"block-cursor-blurred-background": "#dfe5ea", "input-cursor-text-style": "reverse"},
    ),
    # The terminal's own sixteen colours and its own background, whatever they are.
    Theme(
        name=ANSI_DARK,
        ansi=True,
        primary="ansi_blue",
        accent="ansi_bright_yellow",
        warning="ansi_yellow",
        error="ansi_bright_red",
        success="ansi_green",
        foreground="ansi_default",
        background="ansi_default",
        surface="ansi_default",
        panel="ansi_default",
        boost="ansi_default",
        dark=True,
    ),
    Theme(
        name=ANSI_LIGHT,
        ansi=True,
        primary="ansi_blue",
        accent="ansi_magenta",
        warning="ansi_red",
        error="ansi_red",
        success="ansi_green",
        foreground="ansi_default",
        background="ansi_default",
        surface="ansi_default",
        panel="ansi_default",
        boost="ansi_default",
        dark=False,
    ),
)
NAMES = tuple(theme.name for theme in THEMES)


def default_theme(no_color: bool) -> str:
    """The theme of a start without `--theme`: `NO_COLOR` is only honoured by the terminal's own colours."""
    return ANSI_DARK if no_color else DARK
