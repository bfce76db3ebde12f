"""A widget that shows cells and repaints only those that changed, and a mixin for the mouse wheel."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tbtui.charts.cells import (
    Cells,
    Ink,
)
from tbtui.widgets.ink_styles import InkStyles, get_ink_styles, render_cells
from tbtui.widgets.textual_patches.minimal_repaint import MinimalRepaintScreen, repaints_minimally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rich.style import Style
    from textual import events
    from textual.theme import Theme

    from tbtui.widgets.plot_view import PlotMouse


MIN_GAP = 8
"""Equal cells between two changes that are worth a jump of the terminal's cursor."""


def find_changed_spans(old: Cells, new: Cells, min_gap: int = MIN_GAP) -> Iterator[tuple[int, int, int]]:
    """Yield where cells of one size differ: (row, first column, column after the last), row by row.

    Up to `min_gap` equal cells between two changes belong to the span. A span neither begins nor ends within a wide
    glyph of either.
    """
    differ = (old.glyphs != new.glyphs) | (old.inks != new.inks)
    if old.colours is not None or new.colours is not None:
        differ |= (0 if old.colours is None else old.colours) != (0 if new.colours is None else new.colours)
    # The whole picture at once: a few calls of numpy a row took most of the time of a key in a table.
    rows, columns = np.nonzero(differ)
    if not len(rows):
        return
    is_first = np.empty(len(rows), np.bool_)
    is_first[0] = True
    np.not_equal(rows[1:], rows[:-1], out=is_first[1:])
    is_first[1:] |= columns[1:] - columns[:-1] > min_gap
    firsts = np.flatnonzero(is_first)
    ends = columns[np.append(firsts[1:], len(rows)) - 1] + 1
    has_halves = not (old.glyphs.all() and new.glyphs.all())
    for y, first, end in zip(rows[firsts].tolist(), columns[firsts].tolist(), ends.tolist(), strict=True):
        yield _extend_to_glyphs(old, new, y, first, end) if has_halves else (y, first, end)


def _extend_to_glyphs(old: Cells, new: Cells, y: int, first: int, end: int) -> tuple[int, int, int]:
    """Return a span extended to whole wide glyphs."""
    while first > 0 and (new.glyphs[y, first] == 0 or old.glyphs[y, first] == 0):
        first -= 1
    while end < new.width and (new.glyphs[y, end] == 0 or old.glyphs[y, end] == 0):
        end += 1
    return y, first, end


@repaints_minimally
class CellsView(ScrollView):
    """Shows cells in its content area.

    Subclasses decide what the cells are, also where these depend on the focus. `put` replaces a part of them, and cuts
    off what lies outside.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"cells-view--marked"}

    DEFAULT_CSS = """
    CellsView > .cells-view--marked { background: $block-cursor-blurred-background; text-style: bold; }
    CellsView:ansi > .cells-view--marked { text-style: reverse; }
    CellsView:nocolor > .cells-view--marked { text-style: reverse; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self._cells = Cells.blank(0, 0)
        self._strips: dict[int, Strip] = {}
        self._marked_rows: frozenset[int] = frozenset()
        self._look: tuple[InkStyles, Style] | None = None
        self._overlay: Callable[[Cells], Cells] | None = None
        self._overlaid: Cells | None = None
        """The cells with the overlay on top; None without an overlay."""

        self.mouse: PlotMouse | None = None
        """Zooms the charts among the cells; None where there are no charts."""

    def on_mount(self) -> None:
        """Repaint when the theme, and so the colours of inks, change."""
        self.app.theme_changed_signal.subscribe(self, self._forget_strips)

    def clear(self, height: int, width: int) -> None:
        """Replace all cells by `height` x `width` blank ones, and repaint everything."""
        if self.mouse is not None:
            self.mouse.drop_box()
        self._cells = Cells.blank(height, width)
        self._strips.clear()
        self.refresh()

    def put(self, y: int, x: int, cells: Cells) -> None:
        """Draw `cells` with their upper left corner at row `y`, column `x`, and repaint what changed."""
        height = min(cells.height, self._cells.height - y)
        width = min(cells.width, self._cells.width - x)
        if height <= 0 or width <= 0:
            return
        if cells.colours is not None and self._cells.colours is None:
            self._cells = replace(self._cells, colours=np.zeros(self._cells.inks.shape, np.int64))
        new = cells.crop(slice(height), slice(width))
        old = self._cells.crop(slice(y, y + height), slice(x, x + width))
        # Any other screen sends everything left of a span with it, so that one span per row is best.
        spans = list(find_changed_spans(old, new, MIN_GAP if isinstance(self.screen, MinimalRepaintScreen) else width))
        self._cells.put(y, x, new)
        self._repaint((y + row, x + first, x + end) for row, first, end in spans)
        if self._overlay is not None:
            self._overlaid = self._overlay(self._cells)

    def lay_over(self, overlay: Callable[[Cells], Cells] | None) -> None:
        """Draw something on top of the cells from now on; None removes it.

        Args:
            overlay: Returns the cells with the overlay on top. It is called now and after each `put`.
        """
        before, self._overlay = self._on_screen, overlay
        self._overlaid = None if overlay is None else overlay(self._cells)
        if before is not self._on_screen:
            self._repaint(find_changed_spans(before, self._on_screen))

    def _repaint(self, spans: Iterable[tuple[int, int, int]]) -> None:
        """Repaint spans (row, first column, column after the last)."""
        for row, first, end in spans:
            self._strips.pop(row, None)
            self.refresh(Region(first, row, end - first, 1))

    def mark_rows(self, rows: Iterable[int]) -> None:
        """Mark these rows, such as the row under a cursor, and unmark all others."""
        marked = frozenset(rows)
        self._repaint((y, 0, self.size.width) for y in marked ^ self._marked_rows)
        self._marked_rows = marked

    def get_text(self) -> str:
        """Return the cells as plain text."""
        return self._cells.text()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Render rows of the widget; the theme is looked up once for all of them."""
        self._adopt_theme()
        return super().render_lines(crop)

    def _adopt_theme(self) -> tuple[InkStyles, Style]:
        styles = get_ink_styles(self.app), self.rich_style
        if styles != self._look:
            self._look = styles
            self._strips.clear()
        return styles

    def render_line(self, y: int) -> Strip:
        """Render row `y` in the colours of the theme."""
        styles = self._look or self._adopt_theme()
        if y >= self._cells.height:
            return Strip.blank(self.size.width, self.rich_style)
        if y not in self._strips:
            self._strips[y] = self._strip(y, *styles)
        return self._strips[y]

    @property
    def _on_screen(self) -> Cells:
        """The cells with the overlay on top."""
        return self._overlaid or self._cells

    def _strip(self, y: int, styles: InkStyles, base: Style) -> Strip:
        cells = self._on_screen
        if y in self._marked_rows:
            base += self.get_component_rich_style("cells-view--marked")
            if base.reverse:  # reversed, inks would become patches of background
                from tbtui.charts.monochrome import shade_monochrome

                cells = Cells(shade_monochrome(cells).glyphs, np.full_like(cells.inks, Ink.TEXT))
        return render_cells(cells, y, styles, base)

    def _forget_strips(self, _theme: Theme) -> None:
        self.refresh()

    # The mouse on charts

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin a box on a chart, or take hold of the cursor on a bar of steps."""
        if self.mouse is not None:
            self.mouse.press(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Extend the box, or move the cursor."""
        if self.mouse is not None:
            self.mouse.move(event)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Zoom into the box, or release the cursor."""
        if self.mouse is not None:
            self.mouse.release(event)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Zoom out over a chart, or scroll."""
        if self.mouse is not None:
            self.mouse.turn_wheel(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Zoom in over a chart, or scroll."""
        if self.mouse is not None:
            self.mouse.turn_wheel(event, -1)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        """Move the chart under the mouse."""
        if self.mouse is not None:
            self.mouse.pan(event, 1)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        """Move the chart under the mouse."""
        if self.mouse is not None:
            self.mouse.pan(event, -1)


WHEEL_ROWS = 3
"""Rows that one notch scrolls by."""


class WheelMixin:
    """Mixin of a widget that handles turns of wheel and touchpad itself; no ancestor scrolls then.

    Shift makes a vertical turn horizontal.
    """

    def handle_wheel(self, across: int, down: int) -> None:
        """Scroll by notches to the right and down; negative values scroll to the left and up."""
        raise NotImplementedError

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down, with shift to the right."""
        self._turn(event, 1, sideways=event.shift)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up, with shift to the left."""
        self._turn(event, -1, sideways=event.shift)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        """Scroll to the right."""
        self._turn(event, 1, sideways=True)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        """Scroll to the left."""
        self._turn(event, -1, sideways=True)

    def _turn(self, event: events.MouseEvent, notches: int, *, sideways: bool) -> None:
        event.stop()
        event.prevent_default()
        self.handle_wheel(notches if sideways else 0, 0 if sideways else notches)
