"""A chart in full size: its table scrolls, the rest is counted, keys ask for neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.app import App, ComposeResult
from textual.events import MouseScrollDown

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import write
from tbtui.widgets import background as background_module
from tbtui.widgets.background import Background
from tbtui.widgets.chart_view import ChartClosed, ChartTurned, ChartView
from tbtui.widgets.frames import Opened

if TYPE_CHECKING:
    from collections.abc import Hashable


class Counting:
    """Paints a card as its key, over numbered table rows."""

    def __init__(self, rows: int = 3, look: str = "") -> None:
        self.rows = rows
        self.looks = look
        self.opened = 0

    def look(self, key: str) -> Hashable:
        return self.looks

    def open(self, key: str, width: int, height: int) -> Opened:
        self.opened += 1
        if self.looks == "broken":
            raise ValueError("cannot draw this")
        return Opened(
            key, self._text([f"{key} {self.looks}"], width, height // 2), self._text(["run"], width), self._rows(width)
        )

    def broken_open(self, key: str, width: int, height: int, error: Exception) -> Opened:
        return Opened(key, self._text([str(error)], width, height), Cells.blank(0, width), Cells.blank(0, width))

    def _rows(self, width: int) -> Cells:
        return self._text([f"row {index}" for index in range(self.rows)], width)

    def _text(self, lines: list[str], width: int, height: int | None = None) -> Cells:
        cells = Cells.blank(len(lines) if height is None else height, width)
        for y, line in enumerate(lines):
            write(cells, y, 0, line, Ink.TEXT)
        return cells


class Chart(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.background = Background(lambda: self.call_later(self.background.drain))
        self.heard: list[object] = []

    def compose(self) -> ComposeResult:
        yield ChartView(self.background)

    @property
    def chart(self) -> ChartView:
        return self.query_one(ChartView)

    def on_chart_closed(self, message: ChartClosed) -> None:
        self.heard.append("closed")

    def on_chart_turned(self, message: ChartTurned) -> None:
        self.heard.append(message.cards)

    def on_unmount(self) -> None:
        self.background.close()

    def lines(self) -> list[str]:
        return [line.strip() for line in self.chart.picture_text().splitlines() if line.strip()]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_module, "PATIENCE", 30)


async def test_picture_header_and_all_rows_where_they_fit() -> None:
    app = Chart()
    async with app.run_test(size=(50, 20)):
        app.chart.show(Counting(), "loss")
        assert app.lines() == ["loss", "run", "row 0", "row 1", "row 2"]


async def test_rows_that_do_not_fit_are_counted_and_reached_by_scrolling() -> None:
    app = Chart()
    async with app.run_test(size=(50, 12)) as pilot:
        app.chart.show(Counting(rows=30), "loss")
        assert app.lines()[2:] == ["row 0", "row 1", "row 2", "row 3", "⋯ 1–4 of 30, ↑ ↓ for the others"]
        await pilot.press("j", "down", "k")
        assert app.lines()[2] == "row 1"
        await pilot.press("pagedown")
        assert app.lines()[2] == "row 5"
        await pilot.press("G")
        assert app.lines()[2:] == ["row 26", "row 27", "row 28", "row 29", "⋯ 27–30 of 30, ↑ ↓ for the others"]
        await pilot.press("pageup")
        assert app.lines()[2] == "row 22"
        await pilot.press("g", "up")
        assert app.lines()[2] == "row 0"
        await pilot._post_mouse_events([MouseScrollDown], ChartView)
        await pilot.pause()
        assert app.lines()[2] == "row 1"


async def test_scroll_is_kept_through_updates_and_reset_for_another_card() -> None:
    app = Chart()
    async with app.run_test(size=(50, 12)) as pilot:
        app.chart.show(Counting(rows=30), "loss")
        await pilot.press("j", "j")
        app.chart.show(Counting(rows=30, look="new"), "loss")
        assert app.lines()[0] == "loss new"
        assert app.lines()[2] == "row 2"
        app.chart.show(Counting(rows=30), "acc")
        assert app.lines()[2] == "row 0"


async def test_an_unchanged_look_is_not_drawn_again() -> None:
    app = Chart()
    async with app.run_test(size=(50, 12)) as pilot:
        painter = Counting()
        app.chart.show(painter, "loss")
        app.chart.show(painter, "loss")
        assert painter.opened == 1
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        assert painter.opened == 2


async def test_keys_ask_for_neighbours_and_for_the_way_back() -> None:
    app = Chart()
    async with app.run_test(size=(50, 12)) as pilot:
        app.chart.show(Counting(), "loss")
        await pilot.press("left", "l", "escape")
        await pilot.pause()
        assert app.heard == [-1, 1, "closed"]


async def test_what_cannot_be_drawn_says_so_and_is_tried_again() -> None:
    app = Chart()
    async with app.run_test(size=(50, 12)):
        app.chart.show(Counting(look="broken"), "loss")
        assert app.lines() == ["cannot draw this"]
        app.chart.show(Counting(look="fine"), "loss")
        assert app.lines()[0] == "loss fine"


@pytest.mark.parametrize("size", [(2, 1), (20, 5), (40, 3)])
async def test_any_size(size: tuple[int, int]) -> None:
    app = Chart()
    async with app.run_test(size=size) as pilot:
        app.chart.show(Counting(rows=30), "loss")
        await pilot.press("G", "pageup", "j")
        assert app.lines() != []
