"""The layout of the main screen: which parts are shown at which terminal size."""

from __future__ import annotations

from dataclasses import replace

from tbtui.frozen import frozen

MIN_WIDTH, MIN_HEIGHT = 30, 8
WIDE_FROM = 80
"""Minimum terminal columns with the sidebar beside the charts."""

MIN_SIDEBAR, MIN_PANE = 16, 40
"""Smallest widths in columns of the sidebar and of the charts beside it, whatever width the user asks for."""

SIDEBAR_STEP = 4
"""Columns that one key press widens the sidebar by."""


@frozen
class Layout:
    """The parts that a terminal of some size has room for."""

    fits: bool
    """False: the terminal shows only a message with the size that is needed."""

    wide: bool
    """True if the sidebar is beside the pane; otherwise only one of the two is shown."""

    sidebar_width: int
    tabs: bool
    legend: bool
    keys: bool


def layout_for(width: int, height: int, tabs: int, sidebar: int | None = None) -> Layout:
    """Return the layout for a terminal size.

    Charts come first: with decreasing height the footer goes, then the legend and the tab strip.

    Args:
        width: Columns of the terminal.
        height: Rows of the terminal.
        tabs: Number of tabs.
        sidebar: Columns that the user asks for; None: a width that suits the terminal.
    """
    wide = width >= WIDE_FROM
    return Layout(
        fits=width >= MIN_WIDTH and height >= MIN_HEIGHT,
        wide=wide,
        sidebar_width=sidebar_width(width, sidebar),
        tabs=height >= 14 and (wide or tabs > 1),
        legend=height >= 14 and not wide,
        keys=height >= 16,
    )


def sidebar_width(width: int, requested: int | None) -> int:
    """Return the columns of the sidebar: the requested width, within limits that leave room for one chart."""
    if requested is None:
        return max(22, min(width // 5, 40))
    return max(MIN_SIDEBAR, min(requested, width - MIN_PANE))


@frozen
class SidebarPlacement:
    """The user's choice for the sidebar, kept separately for wide and narrow terminals."""

    beside: bool = True
    """In a wide terminal: True if the sidebar is beside the pane."""

    over: bool = False
    """In a narrow terminal: the sidebar replaces the pane."""

    width: int | None = None
    """Columns that the user asks for; None: a width that suits the terminal."""

    def is_shown(self, *, wide: bool) -> bool:
        """Return True if the sidebar is shown."""
        return self.beside if wide else self.over

    def toggled(self, *, wide: bool) -> SidebarPlacement:
        """Return the placement after the sidebar was shown or hidden."""
        return replace(self, beside=not self.beside) if wide else replace(self, over=not self.over)

    def widened(self, columns: int, layout: Layout, terminal_width: int) -> SidebarPlacement:
        """Return the placement for a sidebar of `columns` within limits; the same object if nothing changes."""
        width = sidebar_width(terminal_width, columns)
        return self if width == layout.sidebar_width else replace(self, width=width)
