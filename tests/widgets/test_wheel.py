"""Wheel events of a widget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual import events
from textual.app import App
from textual.containers import VerticalScroll
from textual.widget import Widget

from tbtui.widgets.cells_view import WheelMixin

if TYPE_CHECKING:
    from textual.app import ComposeResult


class Turned(WheelMixin, Widget):
    DEFAULT_CSS = """
    Turned { height: 100; width: 200; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.turns: list[tuple[int, int]] = []

    def handle_wheel(self, across: int, down: int) -> None:
        self.turns.append((across, down))


class TurnedApp(App[None]):
    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Turned()


@pytest.mark.parametrize(
    ("turn", "shift", "wanted"),
    [
        (events.MouseScrollDown, False, (0, 1)),
        (events.MouseScrollUp, False, (0, -1)),
        (events.MouseScrollDown, True, (1, 0)),
        (events.MouseScrollUp, True, (-1, 0)),
        (events.MouseScrollRight, False, (1, 0)),
        (events.MouseScrollLeft, False, (-1, 0)),
    ],
)
async def test_a_turn_is_told_and_scrolls_nothing_else(
    turn: type[events.MouseEvent], shift: bool, wanted: tuple[int, int]
) -> None:
    app = TurnedApp()
    async with app.run_test(size=(30, 10)) as pilot:
        widget = app.query_one(Turned)
        await pilot._post_mouse_events([turn], widget, offset=(2, 2), shift=shift)
        await pilot.pause()
        assert widget.turns == [wanted]
        assert app.query_one(VerticalScroll).scroll_offset == (0, 0)
