"""The grid of cards: keys and mouse move the focus, mark cards, open one and point into charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.widgets.card_picture import CardPicture

if TYPE_CHECKING:
    from textual import events

    from tbtui.widgets.background import Background


class CardOpened(Message):
    """A card was asked for in full size."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key


class JoinAsked(Message):
    """The marked cards are to be joined."""

    def __init__(self, keys: tuple[str, ...]) -> None:
        super().__init__()
        self.keys = keys


class CardGrid(CardPicture, can_focus=True):
    """The cards as the user goes through them.

    Args:
        background: Computes the frames.
        joins: Whether cards can be marked, to be joined.
    """

    BINDING_GROUP_TITLE = "All charts"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "open", id="grid.open"),
        Binding("space", "mark", "mark", show=False, id="grid.mark", tooltip="mark, to join with others"),
        Binding("M", "join", "join", id="grid.join", tooltip="join the marked"),
        Binding("escape", "unmark", "unmark", id="grid.unmark", tooltip="unmark all"),
        Binding("up,k", "move_row(-1)", "card above", show=False, id="grid.up"),
        Binding("down,j", "move_row(1)", "card below", show=False, id="grid.down"),
        Binding("left,h", "move(-1)", "card before", show=False, id="grid.left"),
        Binding("right,l", "move(1)", "card after", show=False, id="grid.right"),
        Binding("pageup", "move_page(-1)", "page back", show=False, id="grid.page_up"),
        Binding("pagedown", "move_page(1)", "page on", show=False, id="grid.page_down"),
        Binding("g,home", "move_to(0)", "first card", show=False, id="grid.first"),
        Binding("G,end", "move_to(-1)", "last card", show=False, id="grid.last"),
    ]

    def __init__(self, background: Background, *, joins: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(background, id=id)
        self._joins = joins

    # Keys

    def action_open(self) -> None:
        """Ask for the focused card in full size."""
        if self.focused_key is not None:
            self.post_message(CardOpened(self.focused_key))

    def action_mark(self) -> None:
        """Mark the focused card, or no longer."""
        self._cards.mark()
        self._show_marks()

    def action_unmark(self) -> None:
        """Mark no card any more."""
        self._cards.unmark()
        self._show_marks()

    def _show_marks(self) -> None:
        self._put_cards()
        self.refresh_bindings()

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """Without marks these keys mean something else."""
        if action == "mark":
            return self._joins
        return action not in ("join", "unmark") or bool(self._cards.marked)

    def action_join(self) -> None:
        """Ask for one card of all that are marked."""
        self.post_message(JoinAsked(self._cards.marked))

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

    def focus_card(self, key: str) -> None:
        """Focus card `key` and bring it into sight; nothing when there is no such card."""
        if key in self._cards:
            self._move_to(self._cards.index_of(key))

    def expect_card(self, key: str) -> None:
        """Focus card `key` and bring it into sight as soon as it comes."""
        self._expected = key
        self._cards.expect(key)

    def _move_to(self, index: int) -> None:
        self._cards.choose(index)
        self._scroll_to_top(self._layout_now.top_showing(self._cards.index, self._top))
        self._show_focus()

    # Mouse

    def on_click(self, event: events.Click) -> None:
        """Focus the card under the mouse; in the chart of the focused one, put the cursor there; twice: open it."""
        offset = event.get_content_offset(self)
        index = None if offset is None else self._layout_now.index_at(offset.y, offset.x, self._top)
        if self.ends_drag(event) or index is None:
            return
        event.stop()
        if event.chain > 1:
            self.action_open()
        elif index == self._cards.index and (pointed := self.pointed_by(event)) is not None:
            self.put_cursor(pointed)
        else:
            self._move_to(index)

    def wheel_zooms(self, event: events.MouseEvent) -> bool:
        """With a key held the wheel zooms; alone it scrolls."""
        return event.ctrl or event.meta

    def scroll_by_wheel(self, notches: int) -> None:
        """So many rows of cards further down."""
        self._cards.touched = True
        self._scroll_to_top(self._top + notches)
