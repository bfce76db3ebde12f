"""A pane that supplies `prepare` and `present` alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.app import App

from tbtui.charts.styled_text import Row
from tbtui.widgets.empty_state import EmptyState
from tbtui.widgets.pane import READING, Pane
from tbtui.widgets.row_list import RowList
from tests.helpers.screen_text import screen_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult

    from tbtui.view.view import View


class PlainPane(Pane):
    def compose(self) -> ComposeResult:
        yield RowList()

    def prepare(self, view: View) -> Iterator[list[Row]]:
        yield [Row("a", label="first row")]

    def present(self, prepared: list[Row]) -> None:
        self.query_one(RowList).show_rows(prepared)


class PlainApp(App[None]):
    def compose(self) -> ComposeResult:
        yield PlainPane()


async def test_pane_without_a_message_of_its_own_shows_an_empty_state() -> None:
    async with PlainApp().run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        pane = pilot.app.query_one(PlainPane)
        rows, notice = pane.query_one(RowList), pane.query_one(EmptyState)
        assert (rows.display, notice.display) == (False, True)
        assert READING in screen_text(pilot.app)
        pane.show(cast("View", object()))
        await pane.idle()
        await pilot.pause()
        assert (rows.display, notice.display) == (True, False)
        assert "first row" in screen_text(pilot.app)
