"""What of the screen shows at which terminal size."""

from __future__ import annotations

from dataclasses import dataclass

LEAST_WIDTH, LEAST_HEIGHT = 30, 8
WIDE_FROM = 80
"""Columns from which on the sidebar stands beside the charts."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Which lines and columns a terminal of some size has room for."""

    fits: bool
    """False: nothing but a message that says what is needed."""

    wide: bool
    """The sidebar stands beside the pane; otherwise one of the two shows."""

    sidebar_width: int
    tabs: bool
    legend: bool
    keys: bool


def layout_for(width: int, height: int, tabs: int) -> Layout:
    """Decide by the terminal's size in cells and the number of tabs.

    Charts come first: in a low terminal the key line goes, then the legend and the tab strip.
    """
    wide = width >= WIDE_FROM
    return Layout(
        fits=width >= LEAST_WIDTH and height >= LEAST_HEIGHT,
        wide=wide,
        sidebar_width=max(22, min(width // 5, 40)),
        tabs=height >= 14 and (wide or tabs > 1),
        legend=height >= 14 and not wide,
        keys=height >= 16,
    )
