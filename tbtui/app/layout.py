"""What of the screen shows at which terminal size."""

from __future__ import annotations

from tbtui.frozen import frozen

LEAST_WIDTH, LEAST_HEIGHT = 30, 8
WIDE_FROM = 80
"""Columns from which on the sidebar stands beside the charts."""

LEAST_SIDEBAR, LEAST_PANE = 16, 40
"""Columns of the sidebar and of what stands beside it, however wide the user wants the sidebar."""


@frozen
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


def layout_for(width: int, height: int, tabs: int, sidebar: int | None = None) -> Layout:
    """Decide what shows. Charts come first: in a low terminal the key line goes, then the legend and the tab strip.

    Args:
        width: Columns of the terminal.
        height: Its rows.
        tabs: How many there are.
        sidebar: Columns that the user wants for the sidebar; None: what suits the terminal.
    """
    wide = width >= WIDE_FROM
    return Layout(
        fits=width >= LEAST_WIDTH and height >= LEAST_HEIGHT,
        wide=wide,
        sidebar_width=sidebar_width(width, sidebar),
        tabs=height >= 14 and (wide or tabs > 1),
        legend=height >= 14 and not wide,
        keys=height >= 16,
    )


def sidebar_width(width: int, wanted: int | None) -> int:
    """Columns of the sidebar beside the charts: as wide as wanted, but always with room for one chart."""
    if wanted is None:
        return max(22, min(width // 5, 40))
    return max(LEAST_SIDEBAR, min(wanted, width - LEAST_PANE))
