"""The list over the dashboard to choose one of many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.app import App

from tbtui.charts.styled_text import Row
from tbtui.widgets.chooser import Option, open_chooser, open_view_chooser
from tests.helpers.screen_text import screen_lines, screen_text

if TYPE_CHECKING:
    from collections.abc import Sequence

VIEWS = (
    Option("d", "diagram", "diagram"),
    Option("s", "tree of scopes", "tree", "empty"),
    Option("T", "times", "times"),
)


class Host(App[None]):
    """An app that opens a list of graphs, or of views."""

    def __init__(self, count: int = 3) -> None:
        super().__init__()
        self.count = count
        self.widths: list[int] = []
        self.chosen: list[str] = []

    def rows(self, width: int) -> Sequence[Row]:
        self.widths.append(width)
        return [Row(str(number), label=f"graph {number}") for number in range(self.count)]

    def open_graphs(self, cursor: str = "1") -> None:
        open_chooser(self, "choose a graph", self.rows, cursor, "I", self.chosen.append)

    def open_views(self) -> None:
        open_view_chooser(self, "view of the graph", VIEWS, "diagram", "m", self.chosen.append)


@pytest.mark.parametrize(
    ("keys", "chosen"),
    [
        ("enter", ["1"]),
        ("space", ["1"]),
        ("I enter", ["2"]),
        ("I I enter", ["0"]),
        ("G enter", ["2"]),
        ("escape", []),
        ("q", []),
    ],
)
async def test_chooser_begins_at_the_present_row_and_its_key_moves_on(keys: str, chosen: list[str]) -> None:
    app = Host()
    async with app.run_test(size=(120, 40)) as pilot:
        app.open_graphs()
        await pilot.pause()
        await pilot.press(*keys.split())
        await pilot.pause()
        assert app.chosen == chosen
        assert "choose a graph" not in screen_text(app)


@pytest.mark.parametrize(
    ("keys", "chosen"), [("T", ["times"]), ("enter", ["tree"]), ("m enter", ["times"]), ("x q", [])]
)
async def test_view_chooser_takes_letters_and_begins_at_the_next_view(keys: str, chosen: list[str]) -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        app.open_views()
        await pilot.pause()
        lines = screen_lines(app)
        assert any("view of the graph" in line and "⏎ show  esc cancel" in line for line in lines)
        assert any("s  tree of scopes" in line and "empty" in line for line in lines)
        await pilot.press(*keys.split())
        await pilot.pause()
        assert app.chosen == chosen


@pytest.mark.parametrize(("size", "row_width"), [((120, 40), 74), ((40, 12), 38)])
async def test_chooser_scrolls_within_its_frame_and_fits_rows_to_it(size: tuple[int, int], row_width: int) -> None:
    app = Host(count=50)
    async with app.run_test(size=size) as pilot:
        app.open_graphs(cursor="49")
        await pilot.pause()
        lines = [line.rstrip() for line in screen_lines(app)]
        assert app.widths[-1] == row_width
        assert "graph 49" in lines[-2]
        assert lines[-1].endswith("╯")
        assert any("choose a graph" in line for line in lines)
        await pilot.press("g")
        await pilot.pause()
        assert any("graph 0" in line for line in screen_lines(app))


async def test_chooser_draws_no_scroll_bar_where_all_rows_fit() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        app.open_graphs()
        await pilot.pause()
        row = next(line for line in screen_lines(app) if "graph 2" in line)
        assert row.strip().strip("│").strip() == "graph 2"


async def test_chooser_takes_a_clicked_row() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        app.open_graphs()
        await pilot.pause()
        lines = screen_lines(app)
        y = next(number for number, line in enumerate(lines) if "graph 2" in line)
        await pilot.click(offset=(lines[y].index("graph 2"), y))
        await pilot.pause()
        assert app.chosen == ["2"]
