"""A grid of cards as one widget: it knows every card by its key and costs no more than the cards in sight."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message

from tbtui.widgets.card_keys import CardKeys
from tbtui.widgets.card_layout import CardLayout
from tbtui.widgets.frames import CardPainter, Frame, FrameCache, ShownFrames, Wanted
from tbtui.widgets.notice import notice
from tbtui.widgets.picture import Picture

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual import events

    from tbtui.widgets.background import Background


class CardOpened(Message):
    """A card was asked for in full size."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key


class CardGrid(Picture, can_focus=True):
    """Cards in rows and columns, one of them focused.

    The focus and what is in sight are kept by key: cards may come and go, nothing jumps, and a card that comes back has
    the focus it had. Until the user moves for the first time the grid stays at its first card.

    Args:
        background: Computes the frames.
    """

    DEFAULT_CSS = """
    CardGrid {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        scrollbar-background: $background;
        scrollbar-background-hover: $background;
        scrollbar-background-active: $background;
        scrollbar-color: $foreground 25%;
        scrollbar-color-hover: $foreground 40%;
        scrollbar-color-active: $accent;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "open", id="grid.open"),
        Binding("up,k", "move_row(-1)", "card above", show=False, id="grid.up"),
        Binding("down,j", "move_row(1)", "card below", show=False, id="grid.down"),
        Binding("left,h", "move(-1)", "card before", show=False, id="grid.left"),
        Binding("right,l", "move(1)", "card after", show=False, id="grid.right"),
        Binding("pageup", "move_page(-1)", "page back", show=False, id="grid.page_up"),
        Binding("pagedown", "move_page(1)", "page on", show=False, id="grid.page_down"),
        Binding("g,home", "move_to(0)", "first card", show=False, id="grid.first"),
        Binding("G,end", "move_to(-1)", "last card", show=False, id="grid.last"),
    ]

    def __init__(self, background: Background, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.cache = FrameCache()
        self._background = background
        self._painter: CardPainter | None = None
        self._cards = CardKeys()
        self._layout_now = CardLayout.of(0, 0, 0)
        self._message = ("", "")
        self._frames = ShownFrames()

    # What is shown

    @property
    def keys(self) -> tuple[str, ...]:
        """The cards, in order."""
        return self._cards.keys

    @property
    def focused_key(self) -> str | None:
        """The focused card; None when there is none at all."""
        return self._cards.focused

    @property
    def keys_in_sight(self) -> tuple[str, ...]:
        """The cards on the screen."""
        return tuple(self.keys[index] for index in self._layout_now.in_sight(self._top))

    def show(self, painter: CardPainter, keys: tuple[str, ...]) -> None:
        """Show other cards, or the same with other content."""
        self._painter = painter
        if keys != self.keys:
            self._replace_keys(keys)
        self._ask()

    def say(self, headline: str, hint: str = "") -> None:
        """Show no card but say why."""
        self._message = headline, hint
        self._replace_keys(())

    def focus_card(self, key: str) -> None:
        """Focus card `key` and bring it into sight; nothing when there is no such card."""
        if key in self._cards:
            self._move_to(self._cards.index_of(key))

    def _replace_keys(self, keys: tuple[str, ...]) -> None:
        in_sight = self.keys_in_sight
        self._cards.replace(keys)
        self._frames.keep(self._cards)
        self._arrange(in_sight)

    def _arrange(self, in_sight: Sequence[str]) -> None:
        """Lay the cards out anew; the first card of those that were in sight, or the focused one, keeps its place."""
        width = max(0, self.size.width - self.scrollbar_gutter.width)
        layout = self._layout_now = CardLayout.of(width, self.size.height, len(self._cards))
        self.virtual_size = Size(width, layout.virtual_height)
        anchor = next((key for key in in_sight if key in self._cards), self.focused_key)
        top = self._cards.index_of(anchor) // layout.columns if anchor is not None and self._cards.touched else 0
        if self.focused_key in in_sight:
            top = layout.top_showing(self._cards.index, top)
        self._scroll_to_top(top)
        self._draw()

    # Drawing

    @property
    def _top(self) -> int:
        return round(self.scroll_y) // self._layout_now.card_height

    def _draw(self) -> None:
        """Start the picture anew from what is painted; what is not shows its outline."""
        self.clear(self.size.height, self.size.width)
        if not self.keys:
            self.put(0, 0, notice(*self._message, self.size.width, self.size.height))
        self._put_cards()

    def _put_cards(self) -> None:
        for y, x, wanted in self._wanted():
            frame = self._frames.of(wanted)
            if frame is not None:
                self.put(y, x, frame.with_focus(focused=wanted.focused))
            elif self._painter is not None:
                painter = self._painter
                self.put(y, x, painter.outline(wanted.key, wanted.width, wanted.height, focused=wanted.focused))

    def _wanted(self) -> Iterator[tuple[int, int, Wanted]]:
        """Row, column and description of each card in sight."""
        layout, top = self._layout_now, self._top
        for index in layout.in_sight(top):
            y, x, width = layout.place(index, top)
            focused = index == self._cards.index and self.has_focus
            yield y, x, Wanted(self.keys[index], width, layout.card_height, focused)

    def _ask(self) -> None:
        """Have the cards in sight painted, the stalest first."""
        painter = self._painter
        if painter is None or not self.is_mounted or self._layout_now.width == 0:
            return
        wanted = sorted((card for _, _, card in self._wanted()), key=self._frames.urgency)
        self._background.ask("frames", lambda: self.cache.frames(painter, wanted), self._take, self._fail)

    def _show_focus(self) -> None:
        """Move the focus on the screen at once; what else it changes comes with the next frames."""
        self._put_cards()
        self._ask()

    def _take(self, frame: Frame) -> None:
        self._frames.take(frame)
        for y, x, wanted in self._wanted():
            if wanted.key == frame.wanted.key and self._frames.of(wanted) is frame:
                self.put(y, x, frame.cells)

    def _fail(self, error: Exception) -> None:
        raise error

    # Moving

    def action_open(self) -> None:
        """Ask for the focused card in full size."""
        if self.focused_key is not None:
            self.post_message(CardOpened(self.focused_key))

    def action_move(self, cards: int) -> None:
        """Focus the card so many further on."""
        self._move_to(self._cards.index + cards)

    def action_move_row(self, rows: int) -> None:
        """Focus the card so many rows further down; from the last whole row down goes to the last card."""
        columns = self._layout_now.columns
        row = self._cards.index // columns + rows
        if 0 <= row < self._layout_now.all_rows:
            self._move_to(self._cards.index + rows * columns)

    def action_move_page(self, pages: int) -> None:
        """Focus the card a screenful further on."""
        layout = self._layout_now
        self._scroll_to_top(self._top + pages * layout.rows)
        self._move_to(self._cards.index + pages * layout.rows * layout.columns)

    def action_move_to(self, index: int) -> None:
        """Focus a card by its index; -1 is the last."""
        self._move_to(index if index >= 0 else len(self._cards) - 1)

    def _move_to(self, index: int) -> None:
        self._cards.choose(index)
        self._scroll_to_top(self._layout_now.top_showing(self._cards.index, self._top))
        self._show_focus()

    def _scroll_to_top(self, top: int) -> None:
        layout = self._layout_now
        self.scroll_to(
            y=max(0, min(top, layout.last_top)) * layout.card_height, animate=False, force=True, immediate=True
        )

    def validate_scroll_y(self, value: float) -> float:
        """Only whole rows of cards: the first in sight is never cut."""
        height = self._layout_now.card_height
        return min(round(value / height), self._layout_now.last_top) * height

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Draw what has come into sight."""
        super().watch_scroll_y(old_value, new_value)
        if old_value != new_value:
            self._draw()
            self._ask()

    # Events

    def on_resize(self) -> None:
        """Lay the cards out for the new size."""
        self._arrange(self.keys_in_sight)
        self._ask()

    def watch_has_focus(self, _has_focus: bool) -> None:
        """Show which card has the focus; none looks focused while the keys go elsewhere."""
        super().watch_has_focus(_has_focus)
        self._show_focus()

    def on_click(self, event: events.Click) -> None:
        """Focus the card under the mouse; open it when it was focused already."""
        offset = event.get_content_offset(self)
        index = None if offset is None else self._layout_now.index_at(offset.y, offset.x, self._top)
        if index is None:
            return
        event.stop()
        if index == self._cards.index and (self._cards.touched or event.chain > 1):
            self.action_open()
        else:
            self._move_to(index)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """One row of cards further down."""
        self._on_wheel(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """One row of cards further up."""
        self._on_wheel(event, -1)

    def _on_wheel(self, event: events.MouseScrollDown | events.MouseScrollUp, rows: int) -> None:
        event.stop()
        event.prevent_default()
        self._cards.touched = True
        self._scroll_to_top(self._top + rows)
