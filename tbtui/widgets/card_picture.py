"""Cards in rows and columns as one picture: it knows every card by its key and costs no more than those in sight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Size

from tbtui.charts.cells import Cells
from tbtui.widgets.card_keys import CardKeys
from tbtui.widgets.card_layout import CardLayout
from tbtui.widgets.frames import MARK_SIGN, PIN_SIGN, FrameCache, ShownFrames, Wanted, plotted, with_sign
from tbtui.widgets.grid_drawing import together
from tbtui.widgets.notice import notice
from tbtui.widgets.plot_picture import PlotPicture, Pointed

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterator, Sequence

    from tbtui.widgets.background import Background
    from tbtui.widgets.frames import CardPainter, Frame, Plotted


class CardPicture(PlotPicture):
    """Shows cards, one of them focused, any of them marked, and scrolls by whole rows of them.

    The focus and what is in sight are kept by key: cards may come and go, nothing jumps, and a card that comes back has
    the focus it had. Until the user moves for the first time the first card stays in sight.

    Args:
        background: Computes the frames.
    """

    DEFAULT_CSS = """
    CardPicture {
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

    def __init__(self, background: Background, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.cache = FrameCache()
        self._background = background
        self._painter: CardPainter | None = None
        self._cards = CardKeys()
        self._columns = 0
        self._overview = False
        self._pinned: Collection[str] = ()
        self._layout_now = CardLayout.of(0, 0, 0)
        self._message = ("", "")
        self._frames = ShownFrames()
        self._late: set[str] = set()
        self._expected: str | None = None

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

    @property
    def columns(self) -> int:
        """Cards a row."""
        return self._layout_now.columns

    @property
    def plotted(self) -> Plotted | None:
        """The chart of the focused card; None where it is out of sight or has none."""
        found = self._chart_of(self.focused_key)
        return None if found is None else found[2]

    def show(
        self,
        painter: CardPainter,
        keys: tuple[str, ...],
        columns: int = 0,
        pinned: Collection[str] = (),
        *,
        overview: bool = False,
    ) -> None:
        """Show other cards, or the same with other content.

        Args:
            painter: Draws them.
            keys: The cards, in order.
            columns: Cards a row; 0: as many as stay readable.
            pinned: Those that have the sign of a pin.
            overview: Whether the cards are small, so that many are seen at a glance.
        """
        self._painter = painter
        in_sight, rearranged = self.keys_in_sight, (columns, overview) != (self._columns, self._overview)
        self._columns, self._pinned, self._overview = columns, pinned, overview
        if keys != self.keys:
            self._replace_keys(keys)
        elif rearranged:
            self._arrange(in_sight)
        self._ask()

    def say(self, headline: str, hint: str = "") -> None:
        """Show no card but say why."""
        self._message = headline, hint
        self._replace_keys(())

    def _replace_keys(self, keys: tuple[str, ...]) -> None:
        in_sight = self.keys_in_sight
        self._cards.replace(keys)
        self._frames.keep(self._cards)
        self._arrange(in_sight)

    def _arrange(self, in_sight: Sequence[str]) -> None:
        """Lay the cards out anew; the first card of those that were in sight, or the focused one, keeps its place."""
        width = max(0, self.size.width - self.scrollbar_gutter.width)
        layout = self._layout_now = CardLayout.of(
            width, self.size.height, len(self._cards), self._columns, overview=self._overview
        )
        self.virtual_size = Size(width, layout.virtual_height)
        anchor = next((key for key in in_sight if key in self._cards), self.focused_key)
        top = self._cards.index_of(anchor) // layout.columns if anchor is not None and self._cards.touched else 0
        has_come = self.focused_key == self._expected
        if has_come or self.focused_key in in_sight:
            top = layout.top_showing(self._cards.index, top)
        if has_come:
            self._expected = None
        self._scroll_to_top(top)
        self._draw()

    # Drawing

    @property
    def _top(self) -> int:
        return round(self.scroll_y) // self._layout_now.card_height

    def _draw(self) -> None:
        """Draw the picture anew from what is painted; what is not shows its outline."""
        width, height = self.size
        if self._cells.glyphs.shape == (height, width):
            self.drop_box()  # what it was drawn over is elsewhere now
        else:
            self.clear(height, width)
        if self.keys:
            self.put(0, 0, together(self._drawn_cards(), height, width))
        else:
            self.put(0, 0, notice(*self._message, width, height))

    def _put_cards(self) -> None:
        for y, x, cells in self._drawn_cards():
            self.put(y, x, cells)

    def _drawn_cards(self) -> Iterator[tuple[int, int, Cells]]:
        """Row, column and look of each card in sight."""
        return ((y, x, self._drawn(wanted)) for y, x, wanted in self._wanted())

    def _drawn(self, wanted: Wanted) -> Cells:
        """A card as it is painted last, or its outline."""
        frame = self._frames.of(wanted)
        if frame is not None:
            cells = frame.with_focus(focused=wanted.focused)
        elif self._painter is not None:
            cells = self._painter.outline(wanted.key, wanted.width, wanted.height, focused=wanted.focused)
        else:
            return Cells.blank(0, 0)
        return with_sign(cells, self._sign(wanted.key))

    def _sign(self, key: str) -> str:
        """What stands at the corner of a card."""
        if self._cards.is_marked(key):
            return MARK_SIGN
        return PIN_SIGN if key in self._pinned else ""

    def _wanted(self) -> Iterator[tuple[int, int, Wanted]]:
        """Row, column and description of each card in sight."""
        layout, top = self._layout_now, self._top
        for index in layout.in_sight(top):
            y, x, width = layout.place(index, top)
            focused = index == self._cards.index and self.has_focus
            yield y, x, Wanted(self.keys[index], width, layout.card_height, focused)

    def _chart_of(self, key: str | None) -> tuple[int, int, Plotted] | None:
        """Row and column of a card in sight, and its chart; None where it has none."""
        for y, x, wanted in self._wanted():
            if wanted.key == key and (frame := self._frames.of(wanted)) is not None:
                chart = plotted(wanted.key, frame.plot, frame.stops)
                return None if chart is None else (y, x, chart)
        return None

    def pointed(self, column: int, row: int) -> Pointed | None:
        """The cell of a card in a cell of the grid."""
        index = self._layout_now.index_at(row, column, self._top)
        found = None if index is None else self._chart_of(self.keys[index])
        if found is None:
            return None
        y, x, chart = found
        return Pointed(chart, column - x, row - y, x, y)

    def _ask(self) -> None:
        """Have the cards in sight painted: the focused one, which the keys work on, then the stalest."""
        painter = self._painter
        if painter is None or not self.is_mounted or not self.display or self._layout_now.width == 0:
            return
        focused = self.focused_key
        wanted = [card for _, _, card in self._wanted()]
        wanted.sort(key=lambda card: (card.key != focused, self._frames.urgency(card)))
        self._background.ask("frames", lambda: self.cache.frames(painter, wanted), self._take, self._fail)

    def _show_focus(self) -> None:
        """Move the focus on the screen at once; what else it changes comes with the next frames."""
        self._put_cards()
        self._ask()

    def _take(self, frame: Frame) -> None:
        """Show a frame: that of the focused card at once, the others when it is on the screen."""
        self._frames.take(frame)
        if frame.wanted.key == self.focused_key:
            self._put_frames({frame.wanted.key})
            return
        if not self._late:
            self.call_after_refresh(self._put_late)
        self._late.add(frame.wanted.key)

    def _put_late(self) -> None:
        late, self._late = self._late, set()
        self._put_frames(late)

    def _put_frames(self, keys: Container[str]) -> None:
        """Put cards of which new frames have come."""
        for y, x, wanted in self._wanted():
            if wanted.key in keys and self._frames.of(wanted) is not None:
                self.put(y, x, self._drawn(wanted))

    def _fail(self, error: Exception) -> None:
        raise error

    # Scrolling

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

    def on_show(self) -> None:
        """Catch up with what has changed while another chart was open."""
        self._ask()
