"""The layout of the main screen: which parts are shown at which terminal size."""

from __future__ import annotations

from dataclasses import replace

from tbtui.frozen import frozen

MIN_WIDTH, MIN_HEIGHT = 30, 8
MIN_WIDE_COLUMNS = 80
"""Minimum terminal columns with the sidebar next to the charts."""

MIN_TABS_HEIGHT, MIN_KEYS_HEIGHT = 14, 16
"""Minimum terminal rows with the tab strip or the legend, and with the footer: a lower terminal shows more chart."""

MIN_SIDEBAR, MIN_PANE = 16, 40
"""Smallest widths in columns of the sidebar and of the charts next to it, whatever width the user asks for."""

USUAL_SIDEBAR = (22, 40)
"""Limits of a sidebar that takes a fifth of the terminal, because the user asks for no width."""

SIDEBAR_STEP = 4
"""Columns that one key press widens the sidebar by."""


@frozen
class Layout:
    """The parts that a terminal of some size has room for."""

    is_usable: bool
    """False: the terminal shows only a message with the size that is needed."""

    is_wide: bool
    """True if the sidebar is next to the pane; otherwise only one of the two is shown."""

    sidebar_width: int
    has_tabs: bool
    has_legend: bool
    has_footer: bool


def choose_layout(width: int, height: int, tabs: int, sidebar: int | None = None) -> Layout:
    """Return the layout for a terminal size.

    Charts come first: with decreasing height the footer goes, then the legend and the tab strip.

    Args:
        width: Columns of the terminal.
        height: Rows of the terminal.
        tabs: Number of tabs.
        sidebar: Columns that the user asks for; None: a width that suits the terminal.
    """
    is_wide = width >= MIN_WIDE_COLUMNS
    return Layout(
        is_usable=width >= MIN_WIDTH and height >= MIN_HEIGHT,
        is_wide=is_wide,
        sidebar_width=clamp_sidebar_width(width, sidebar),
        has_tabs=height >= MIN_TABS_HEIGHT and (is_wide or tabs > 1),
        has_legend=height >= MIN_TABS_HEIGHT and not is_wide,
        has_footer=height >= MIN_KEYS_HEIGHT,
    )


def clamp_sidebar_width(width: int, requested: int | None) -> int:
    """Return the columns of the sidebar: the requested width, within limits that leave room for one chart."""
    if requested is None:
        least, greatest = USUAL_SIDEBAR
        return max(least, min(width // 5, greatest))
    return max(MIN_SIDEBAR, min(requested, width - MIN_PANE))


@frozen
class SidebarPlacement:
    """The user's choice for the sidebar, kept separately for wide and narrow terminals."""

    is_shown_wide: bool = True
    """True if a wide terminal shows the sidebar next to the pane."""

    is_shown_narrow: bool = False
    """True if a narrow terminal shows the sidebar in place of the pane."""

    width: int | None = None
    """Columns that the user asks for; None: a width that suits the terminal."""

    def is_shown(self, *, wide: bool) -> bool:
        """Return True if the sidebar is shown."""
        return self.is_shown_wide if wide else self.is_shown_narrow

    def toggle(self, *, wide: bool) -> SidebarPlacement:
        """Return the placement after the sidebar was shown or hidden."""
        if wide:
            return replace(self, is_shown_wide=not self.is_shown_wide)
        return replace(self, is_shown_narrow=not self.is_shown_narrow)

    def widen(self, columns: int, layout: Layout, terminal_width: int) -> SidebarPlacement:
        """Return the placement for a sidebar of `columns` within limits; the same object if nothing changes."""
        width = clamp_sidebar_width(terminal_width, columns)
        return self if width == layout.sidebar_width else replace(self, width=width)
