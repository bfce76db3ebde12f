"""The key hints of the footer."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pytest
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widget import Widget

from tbtui.app.footer import Footer
from tests.helpers.screen_text import screen_lines

if TYPE_CHECKING:
    from textual.pilot import Pilot


class Chart(Widget, can_focus=True):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "back"),
        Binding("left,h", "cursor(-1)", "cursor"),
        Binding("right,l", "cursor(1)", "cursor"),
        Binding("v", "stretch", show=False),
    ]

    moved = 0

    def action_cursor(self, stops: int) -> None:
        self.moved += stops


class Host(App[None]):
    """A chart, and further away keys that do what some of its own do."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("comma", "far(-1)", "cursor"),
        Binding("full_stop", "far(1)", "cursor"),
        Binding("x", "axis", "axis"),
    ]

    def __init__(self, words: dict[str, str]) -> None:
        super().__init__()
        self.words = words

    def compose(self) -> ComposeResult:
        yield Chart()
        yield Footer(self.words.get, id="keys")

    async def shown(self, pilot: Pilot[None]) -> str:
        self.query_one("#keys").styles.height = 1
        self.query_one(Chart).styles.height = 3
        self.query_one(Chart).focus()
        await pilot.pause()
        return next(line for line in screen_lines(self) if "back" in line).strip()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ({}, "← → cursor  esc back  x axis"),
        ({"cursor(-1)": "step", "cursor(1)": "step"}, "← → step  esc back  , . cursor  x axis"),
        ({"stretch": "beside"}, "← → cursor  esc back  v beside  x axis"),
    ],
)
async def test_footer_merges_keys_of_opposite_directions(words: dict[str, str], line: str) -> None:
    app = Host(words)
    async with app.run_test(size=(60, 6)) as pilot:
        shown = await app.shown(pilot)
        assert sorted(shown.split("  ")) == sorted(line.split("  "))


async def test_footer_click_runs_either_key_of_a_hint() -> None:
    app = Host({})
    async with app.run_test(size=(60, 6)) as pilot:
        await app.shown(pilot)
        row = next(y for y, line in enumerate(screen_lines(app)) if "back" in line)
        line, chart = screen_lines(app)[row], app.query_one(Chart)
        for sign, moved in (("→", 1), ("→", 2), ("←", 1)):
            await pilot.click(offset=(line.index(sign), row))
            await pilot.pause()
            assert chart.moved == moved
