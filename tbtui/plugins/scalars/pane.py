"""The pane of the Scalars tab: a grid of charts, and one of them in full size."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.plugins.scalars.data import ScalarData
from tbtui.plugins.scalars.drawing import Drawing
from tbtui.plugins.scalars.painter import ScalarsPainter
from tbtui.plugins.scalars.words import FOLDED, READING, settings
from tbtui.viewstate.choices import next_scale
from tbtui.widgets.background import Background
from tbtui.widgets.card_grid import CardGrid, CardOpened
from tbtui.widgets.chart_view import ChartClosed, ChartTurned, ChartView
from tbtui.widgets.pane import Choose, Pane

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult

    from tbtui.viewstate.view import View


class ScalarsPane(Pane):
    """One card a tag; enter shows one in full size."""

    DEFAULT_CSS = """
    ScalarsPane ChartView { display: none; }
    ScalarsPane.opened ChartView { display: block; }
    ScalarsPane.opened CardGrid { display: none; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("y", "next_y_scale", "y scale", id="scalars.y_scale")]

    class Computed(Message):
        """Results of the background thread wait."""

        def can_replace(self, message: Message) -> bool:
            """One look finds all results that wait."""
            return isinstance(message, ScalarsPane.Computed)

    def __init__(self) -> None:
        super().__init__()
        self._data = ScalarData()
        self._drawing = Drawing()
        self._background = Background(lambda: self.post_message(self.Computed()))
        self._grid = CardGrid(self._background)
        self._opened = ChartView(self._background)
        self._view: View | None = None

    def compose(self) -> ComposeResult:
        """The grid; over it the opened chart."""
        yield self._grid
        yield self._opened

    def on_mount(self) -> None:
        """Show what there is to show already, or say that there is more to come."""
        if self._view is None:
            self._grid.say(READING)
        else:
            self.show(self._view)

    def on_unmount(self) -> None:
        """End the thread."""
        self._background.close()

    async def idle(self) -> None:
        """Wait until everything that was to be shown is shown."""
        await self._background.idle()

    # What the app asks for

    def show(self, view: View) -> None:
        """Draw `view`."""
        self._view = view
        if self.is_attached:
            self._background.ask("tags", lambda: self._tags_of(view), self._show_tags, self._say_error)

    def status(self) -> str:
        """How the charts are drawn."""
        return "" if self._view is None else settings(self._view.choices, self._opened.key)

    def reveal(self, tag: str) -> None:
        """Focus the card of `tag`; when a chart is open in full size, open that of `tag` instead."""
        self._grid.focus_card(tag)
        if self._opened.key is not None and self._grid.focused_key == tag:
            self._open(tag)

    # What the view shows

    def _tags_of(self, view: View) -> Iterator[tuple[View, tuple[str, ...]]]:
        yield view, self._data.tags(view)

    def _show_tags(self, result: tuple[View, tuple[str, ...]]) -> None:
        view, tags = result
        painter = ScalarsPainter(self._data, self._drawing, view)
        if tags:
            self._grid.show(painter, tags, view.choices.columns)
        else:
            self._grid.say(*FOLDED)
        if self._opened.key is not None:
            self._opened.show(painter, self._opened.key, view.choices)

    def _say_error(self, error: Exception) -> None:
        self._grid.say("the charts cannot be listed", f"{type(error).__name__}: {error}")

    # What happens

    def on_scalars_pane_computed(self) -> None:
        """Show what the thread has computed."""
        self._background.drain()

    def on_card_opened(self, message: CardOpened) -> None:
        """Show a card in full size."""
        message.stop()
        self._open(message.key)

    def on_chart_turned(self, message: ChartTurned) -> None:
        """Show a neighbour in full size; the grid will stand there too."""
        message.stop()
        self._grid.action_move(message.cards)
        if self._grid.focused_key is not None:
            self._open(self._grid.focused_key)

    def on_chart_closed(self, message: ChartClosed) -> None:
        """Back to the grid."""
        message.stop()
        self._opened.forget()
        self.remove_class("opened")
        self._grid.focus()

    def _open(self, tag: str) -> None:
        if self._view is not None:
            self.add_class("opened")
            self._opened.show(ScalarsPainter(self._data, self._drawing, self._view), tag, self._view.choices)
            self._opened.focus()

    def action_next_y_scale(self) -> None:
        """Ask for the other y scale of the card that is focused or open."""
        tag = self._opened.key or self._grid.focused_key
        if tag is not None and self._view is not None:
            choices = self._view.choices
            self.post_message(Choose(charts=choices.with_chart(tag, y_scale=next_scale(choices.y_scale_of(tag)))))
