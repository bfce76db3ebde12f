"""The grid of cards: one widget that paints only the cards in sight, and moves, marks and opens them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message

from tbtui.charts.card import draw_heading
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.numbers import format_count
from tbtui.charts.text import format_run_name
from tbtui.view.card_groups import NO_GROUPS, CardHeadings
from tbtui.view.painted_cards import CardRequest
from tbtui.widgets.card_frames import (
    MARK_SIGN,
    PIN_SIGN,
    FrameCache,
    PlottedChart,
    ShownFrames,
    WaitingActions,
    put_sign,
)
from tbtui.widgets.card_keys import CardKeys
from tbtui.widgets.card_layout import CardLayout, arrange_cards
from tbtui.widgets.cells_view import CellsView
from tbtui.widgets.data_grid import compose_cells
from tbtui.widgets.empty_state import draw_empty_state
from tbtui.widgets.plot_view import PlotMouse, Pointed
from tbtui.widgets.scroll_state import PAGE_DOWN_KEYS, PAGE_UP_KEYS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterator, Sequence

    from textual import events

    from tbtui.view.card_groups import CardGroup, GroupedCards
    from tbtui.view.painted_cards import CardPainter
    from tbtui.widgets.card_frames import Frame
    from tbtui.widgets.card_layout import GridLayout
    from tbtui.widgets.worker import Worker


class CardOpened(Message):
    """The user asks for a card in full size."""

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key


class AllFolded(Message):
    """The user wants to fold all groups, or to unfold them."""


class JoinRequested(Message):
    """The user asks to join the marked cards."""

    def __init__(self, keys: tuple[str, ...]) -> None:
        super().__init__()
        self.keys = keys


class CardGrid(CellsView, can_focus=True):
    """Shows cards in rows and columns, and scrolls by whole rows of them.

    The grid keeps the focus and the scroll position by card key: cards may come and go, nothing jumps, and a card that
    comes back has the focus it had. Until the user moves for the first time the first card stays in sight.

    Args:
        worker: Computes the frames.
        joins: True if the user can mark cards, to join them.
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
    CardGrid:ansi { scrollbar-color: ansi_bright_black; scrollbar-color-hover: ansi_bright_black; }
    """

    BINDING_GROUP_TITLE = "All charts"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "open", id="grid.open"),
        Binding("space", "mark", "mark", show=False, id="grid.mark", tooltip="select for merging"),
        Binding("M", "join", "join", id="grid.join", tooltip="merge the selected"),
        Binding("escape", "unmark", "unmark", id="grid.unmark", tooltip="clear the selection"),
        Binding("underscore", "fold", "fold", show=False, id="grid.fold", tooltip="fold this group of tags"),
        Binding("asterisk", "fold_all", show=False, id="grid.fold_all", tooltip="fold all groups"),
        Binding("up,k", "move_row(-1)", "card above", show=False, id="grid.up"),
        Binding("down,j", "move_row(1)", "card below", show=False, id="grid.down"),
        Binding("left,h", "move(-1)", "card previous", show=False, id="grid.left"),
        Binding("right,l", "move(1)", "card next", show=False, id="grid.right"),
        Binding(PAGE_UP_KEYS, "move_page(-1)", "page up", show=False, id="grid.page_up"),
        Binding(PAGE_DOWN_KEYS, "move_page(1)", "page down", show=False, id="grid.page_down"),
        Binding("g,home", "move_to(0)", "first card", show=False, id="grid.first"),
        Binding("G,end", "move_to(-1)", "last card", show=False, id="grid.last"),
    ]

    def __init__(self, worker: Worker, *, joins: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.mouse: PlotMouse = PlotMouse(self, self)
        self.cache = FrameCache()
        self._worker = worker
        self._joins = joins
        self._painter: CardPainter | None = None
        self._cards = CardKeys()
        self._columns = 0
        self._overview = False
        self._pinned: Collection[str] = ()
        self._headings = CardHeadings()
        self._layout_now: GridLayout = CardLayout.of(0, 0, 0)
        self._message = ("", "")
        self._frames = ShownFrames()
        self._waiting = WaitingActions()
        self._late: set[str] = set()
        self._expected: str | None = None

    # What is shown

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys of the cards, in order, without the headings of groups."""
        groups = self._headings.grouped.headings
        return tuple(key for key in self._cards.keys if key not in groups) if groups else self._cards.keys

    @property
    def focused_key(self) -> str | None:
        """Return the key of the focused card; None without any card."""
        return self._cards.focused

    @property
    def keys_in_sight(self) -> tuple[str, ...]:
        """Return the keys of the cards on the screen, without the headings of groups."""
        groups = self._headings.grouped.headings
        in_sight = (self._cards.keys[index] for index in self._layout_now.in_sight(self._top))
        return tuple(key for key in in_sight if key not in groups)

    @property
    def columns(self) -> int:
        """Return the number of cards in a row."""
        return self._layout_now.columns

    @property
    def plotted(self) -> PlottedChart | None:
        """Return the chart of the focused card; None if it is out of sight or has no chart."""
        chart = self._find_chart(self.focused_key)
        return None if chart is None else chart[2]

    @property
    def runs(self) -> tuple[str, ...]:
        """Return the runs of the focused card that keys select; none while it is out of sight."""
        for _, _, request in self._requests():
            if request.key == self.focused_key and (frame := self._frames.of(request)) is not None:
                return frame.card.runs
        return ()

    def show(
        self,
        painter: CardPainter,
        keys: tuple[str, ...],
        columns: int = 0,
        pinned: Collection[str] = (),
        *,
        overview: bool = False,
        headings: Collection[str] = (),
        groups: GroupedCards = NO_GROUPS,
    ) -> None:
        """Show other cards, or the same with other content.

        Args:
            painter: Draws the cards.
            keys: Keys of the cards, in order.
            columns: Cards in a row; 0: as many as stay readable.
            pinned: Keys of the cards with the sign of a pin.
            overview: True for small cards, so that as many as possible fit.
            headings: Keys of the cards that are headings, of one line each.
            groups: The same cards below headings that the grid draws; low grids do without these.
        """
        self._painter = painter
        self._headings.replace(keys, headings, groups)
        keys = self._add_headings()
        in_sight, rearranged = self.keys_in_sight, (columns, overview) != (self._columns, self._overview)
        self._columns, self._pinned, self._overview = columns, pinned, overview
        if keys != self._cards.keys:
            self._replace_keys(keys)
        elif rearranged:
            self._arrange(in_sight)
        self._ask()

    def _add_headings(self) -> tuple[str, ...]:
        """Return the keys of the cards, with those of their headings if there is room for these."""
        self._headings.fit_to(self.size.height)
        return self._headings.card_keys

    def group_of(self, key: str | None) -> CardGroup | None:
        """Return the group of a heading; None for a card."""
        return self._headings.group_of(key)

    def show_message(self, headline: str, hint: str = "") -> None:
        """Show a message instead of cards."""
        self._message = headline, hint
        self._headings.replace(())
        self._replace_keys(())

    def _replace_keys(self, keys: tuple[str, ...]) -> None:
        in_sight, headings = self.keys_in_sight, self._headings.keys
        first = next((index for index, key in enumerate(keys) if key not in headings), 0)
        self._cards.replace(keys, first)
        self._frames.discard_others(self._cards)
        self._waiting.discard_others(self._cards)
        self._arrange(in_sight)

    def _arrange(self, in_sight: Sequence[str]) -> None:
        """Compute the layout; the first card that was in sight, or the focused one, stays in place."""
        width = max(0, self.size.width - self.scrollbar_gutter.width)
        layout = self._layout_now = arrange_cards(
            width,
            self.size.height,
            self._cards.keys,
            self._headings.keys,
            self._columns,
            overview=self._overview,
            breaks=self._headings.grouped.breaks,
        )
        self._resize_content(Size(width, layout.virtual_height))
        anchor = next((key for key in in_sight if key in self._cards), self.focused_key)
        top = layout.line_of(self._cards.index_of(anchor)) if anchor is not None and self._cards.touched else 0
        has_come = self.focused_key == self._expected
        if has_come or self.focused_key in in_sight:
            top = layout.top_showing(self._cards.index, top)
        if has_come:
            self._expected = None
        self._scroll_to_top(top)
        self._draw()

    def _resize_content(self, size: Size) -> None:
        """Set the size of the scrollable area; the screen is laid out again only if the scroll bar comes or goes."""
        height = self.container_size.height
        if size.width != self.virtual_size.width or not self.virtual_size.height > height < size.height:
            self.virtual_size = size
        elif size != self.virtual_size:
            self.set_reactive(CardGrid.virtual_size, size)
            self.vertical_scrollbar.window_virtual_size = size.height

    # Drawing

    @property
    def _top(self) -> int:
        return self._layout_now.top_at(self.scroll_y)

    def _draw(self) -> None:
        """Draw all cards in sight; a card without a frame shows its outline."""
        width, height = self.size
        if self._cells.glyphs.shape == (height, width):
            self.mouse.drop_box()  # the chart below it is elsewhere now
        else:
            self.clear(height, width)
        if self._cards.keys:
            self.put(0, 0, compose_cells(self._iter_drawn_cards(), height, width))
        else:
            self.put(0, 0, draw_empty_state(*self._message, width, height))

    def _put_cards(self) -> None:
        for y, x, cells in self._iter_drawn_cards():
            self.put(y, x, cells)

    def _iter_drawn_cards(self) -> Iterator[tuple[int, int, Cells]]:
        """Yield row, column and cells of each card in sight."""
        return ((y, x, self._drawn(request)) for y, x, request in self._requests())

    def _drawn(self, request: CardRequest) -> Cells:
        """Return the last frame of a card, its outline, or a heading."""
        group = self.group_of(request.key)
        if group is not None:
            parts = ((format_count(group.tags, "tag"), int(Ink.DIM)),)
            size = request.width, request.height
            title = format_run_name(group.name)
            return draw_heading(title, parts, *size, is_folded=group.is_folded, focused=request.focused)
        frame = self._frames.of(request)
        if frame is not None:
            cells = frame.draw_focus(focused=request.focused)
        elif self._painter is not None:
            size = request.width, request.height
            cells = self._painter.paint_outline(request.key, *size, focused=request.focused, heading=request.heading)
        else:
            return Cells.blank(0, 0)
        return put_sign(cells, self._sign(request.key))

    def _sign(self, key: str) -> str:
        """Return the sign in the corner of a card."""
        if self._cards.is_marked(key):
            return MARK_SIGN
        return PIN_SIGN if key in self._pinned else ""

    def _requests(self) -> Iterator[tuple[int, int, CardRequest]]:
        """Yield row, column and description of each card in sight."""
        layout, top = self._layout_now, self._top
        for index in layout.in_sight(top):
            y, x, width = layout.locate(index, top)
            focused = index == self._cards.index and self.has_focus
            key = self._cards.keys[index]
            yield y, x, CardRequest(key, width, layout.height_of(index), focused, self._headings.name_above(key))

    def _find_chart(self, key: str | None) -> tuple[int, int, PlottedChart] | None:
        """Return row, column and chart of a card in sight; None if it has no chart."""
        for y, x, request in self._requests():
            if request.key == key and (frame := self._frames.of(request)) is not None:
                chart = PlottedChart.of_card(request.key, frame.card.plot, frame.card.stops, frame.card.value_stops)
                return None if chart is None else (y, x, chart)
        return None

    def pointed(self, column: int, row: int) -> Pointed | None:
        """Return the cell of a card at a cell of the grid."""
        index = self._layout_now.index_at(row, column, self._top)
        position = None if index is None else self._find_chart(self._cards.keys[index])
        if position is None:
            return None
        y, x, chart = position
        return Pointed(chart, column - x, row - y, x, y)

    def _ask(self) -> None:
        """Request the frames of the cards in sight: the focused one, which the keys work on, then the stalest."""
        painter = self._painter
        if painter is None or not self.is_mounted or not self.display or self._layout_now.width == 0:
            return
        focused = self.focused_key
        requests = [card for _, _, card in self._requests() if self.group_of(card.key) is None]
        requests.sort(key=lambda card: (card.key != focused, self._frames.urgency(card)))
        self._worker.ask("frames", lambda: self.cache.frames(painter, requests), self._take, self._fail)

    def _show_focus(self, *, is_requested: bool = False) -> None:
        """Draw the focus at once; other changes come with the next frames.

        Args:
            is_requested: The grid has scrolled: it is drawn, and its frames are requested.
        """
        if not is_requested:
            self._put_cards()
            self._ask()

    @property
    def has_waiting(self) -> bool:
        """True while keys wait for a card to be drawn."""
        return bool(self._waiting)

    def when_drawn(self, act: Callable[[], object]) -> None:
        """Call `act` now, or once the focused card is drawn."""
        key = self.focused_key
        if key is not None and self.group_of(key) is None and not self._is_drawn(key):
            self._waiting.add(key, act)
        else:
            act()

    def with_plot(self, act: Callable[[PlottedChart], object]) -> None:
        """Call `act` with the chart of the focused card now, or once it is drawn; do nothing without a chart."""
        key = self.focused_key

        def act_on_chart() -> None:
            if (chart := self._find_chart(key)) is not None:
                act(chart[2])

        self.when_drawn(act_on_chart)

    def _is_drawn(self, key: str) -> bool:
        """Return True if a card in sight has a frame of its present size."""
        return any(request.key == key and self._frames.of(request) is not None for _, _, request in self._requests())

    def _take(self, frame: Frame) -> None:
        """Show a frame: the focused card at once, the others after the next refresh."""
        self._frames.add(frame)
        if frame.request.key == self.focused_key:
            self._put_frames({frame.request.key})
        else:
            self._put_later(frame.request.key)
        if self._waiting and self._is_drawn(frame.request.key):
            for act in self._waiting.take(frame.request.key):
                self.call_next(act)

    def _put_later(self, key: str) -> None:
        if not self._late:
            self.call_after_refresh(self._put_late)
        self._late.add(key)

    def _put_late(self) -> None:
        late, self._late = self._late, set()
        self._put_frames(late)

    def _put_frames(self, keys: Container[str]) -> None:
        """Draw cards that have new frames."""
        for y, x, request in self._requests():
            if request.key in keys and self._frames.of(request) is not None:
                self.put(y, x, self._drawn(request))

    def _fail(self, error: Exception) -> None:
        raise error

    # Scrolling

    def _scroll_to_top(self, top: int) -> None:
        layout = self._layout_now
        offset = layout.offset_of(max(0, min(top, layout.last_top)))
        self.scroll_to(y=offset, animate=False, force=True, immediate=True)

    def validate_scroll_y(self, value: float) -> float:
        """Round to whole rows of cards: the first row in sight is never cut."""
        return self._layout_now.offset_of(self._layout_now.top_at(value))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Draw the cards that came into sight."""
        super().watch_scroll_y(old_value, new_value)
        if old_value != new_value:
            self._draw()
            self._ask()

    # Events

    def on_resize(self) -> None:
        """Compute the layout for the new size."""
        keys = self._add_headings()
        if keys == self._cards.keys:
            self._arrange(self.keys_in_sight)
        else:
            self._replace_keys(keys)
        self._ask()

    def watch_has_focus(self, _has_focus: bool) -> None:
        """Draw the focused card; no card looks focused while another widget has the keys."""
        super().watch_has_focus(_has_focus)
        self._show_focus()

    def on_show(self) -> None:
        """Request what changed while a card was open in full size."""
        self._ask()

    # Keys

    def action_open(self) -> None:
        """Ask for the focused card in full size."""
        if self.focused_key is not None:
            self.post_message(CardOpened(self.focused_key))

    def action_mark(self) -> None:
        """Mark the focused card, or unmark it; fold or unfold the group of a heading."""
        if self.group_of(self.focused_key) is not None:
            self.action_open()
            return
        self._cards.mark()
        self._show_marks()

    def action_unmark(self) -> None:
        """Unmark all cards."""
        self._cards.unmark()
        self._show_marks()

    def _show_marks(self) -> None:
        self._put_cards()
        self.refresh_bindings()

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        """Offer to join and unmark only while cards are marked: without marks these keys mean something else."""
        if action == "mark":
            return self._joins or self.group_of(self.focused_key) is not None
        if action in ("fold", "fold_all"):
            return bool(self._headings.grouped.headings)
        return action not in ("join", "unmark") or bool(self._cards.marked)

    def action_fold(self) -> None:
        """Ask to fold the group of the focused card, or to unfold that of a heading."""
        keys = self._cards.keys
        index = self._headings.find_heading(keys, self._cards.index)
        if index is not None:
            self.post_message(CardOpened(keys[index]))

    def action_fold_all(self) -> None:
        """Ask to fold all groups, or to unfold them."""
        self.post_message(AllFolded())

    def action_join(self) -> None:
        """Ask to join the marked cards."""
        self.post_message(JoinRequested(self._cards.marked))

    def action_move(self, cards: int) -> None:
        """Focus the card this number of cards further on."""
        self._move_to(self._beside_headings(self._cards.index + cards, 1 if cards > 0 else -1))

    def move_over_headings(self, cards: int) -> None:
        """Focus the next card in a direction that is no heading; stay without one."""
        index = self._headings.find_card(self._cards.keys, self._cards.index + cards, 1 if cards > 0 else -1)
        if index is not None:
            self._move_to(index)

    def action_move_row(self, rows: int) -> None:
        """Focus the card this number of rows further down; down from the last whole row leads to the last card."""
        index = self._layout_now.neighbour(self._cards.index, rows) if self._cards.keys else None
        while index is not None and self._headings.is_passed(self._cards.keys[index]):
            rows += 1 if rows > 0 else -1
            index = self._layout_now.neighbour(self._cards.index, rows)
        if index is not None:
            self._move_to(index)

    def action_move_page(self, pages: int) -> None:
        """Focus the card one screen further on."""
        top, index = self._layout_now.page(self._cards.index, self._top, pages)
        self._move_to(self._beside_headings(index, 1), top)

    def action_move_to(self, index: int) -> None:
        """Focus a card by its index; -1 is the last one."""
        self._move_to(self._beside_headings(index, 1) if index >= 0 else len(self._cards) - 1)

    def _beside_headings(self, index: int, step: int) -> int:
        """Return the index, or the next one in a direction that keys do not pass; the focused one without any."""
        return self._headings.find_stop(self._cards.keys, index, step, self._cards.index)

    def focus_card(self, key: str) -> None:
        """Focus card `key` and scroll to it; do nothing without such a card."""
        if key in self._cards:
            self._move_to(self._cards.index_of(key))

    def expect_card(self, key: str) -> None:
        """Focus card `key` and scroll to it as soon as there is such a card."""
        self._expected = key
        self._cards.expect(key)

    def _move_to(self, index: int, top: int | None = None) -> None:
        """Focus a card; scroll as little as shows it, from the row `top` or from the present one."""
        self._cards.choose(index)
        before = self.scroll_y
        self._scroll_to_top(self._layout_now.top_showing(self._cards.index, self._top if top is None else top))
        self._waiting.discard_others(self.keys_in_sight)
        self._show_focus(is_requested=self.scroll_y != before)

    # Mouse

    def on_click(self, event: events.Click) -> None:
        """Focus the card under the mouse; on the focused card, move the cursor; open the card on a double click."""
        offset = event.get_content_offset(self)
        index = None if offset is None else self._layout_now.index_at(offset.y, offset.x, self._top)
        if self.mouse.ends_drag(event) or index is None:
            return
        event.stop()
        if self.group_of(self._cards.keys[index]) is not None:
            self.post_message(CardOpened(self._cards.keys[index]))
        elif event.chain > 1:
            self.action_open()
        elif index == self._cards.index and (pointed := self.mouse.find_pointed_cell(event)) is not None:
            self.put_cursor(pointed)
        else:
            self._move_to(index)

    def put_cursor(self, pointed: Pointed) -> None:
        """Ask for the cursor at a cell of a chart."""
        self.mouse.post_cursor(pointed)

    def wheel_zooms(self, event: events.MouseEvent) -> bool:
        """Zoom with ctrl or meta; without either the wheel scrolls."""
        return event.ctrl or event.meta

    def scroll_by_wheel(self, notches: int) -> None:
        """Scroll by this number of rows of cards."""
        self._cards.touched = True
        self._scroll_to_top(self._top + notches)
        self._waiting.discard_others(self.keys_in_sight)
