"""What is to happen a little later happens, however busy the machine is."""

from __future__ import annotations

import time
from itertools import count
from typing import TYPE_CHECKING

from textual import _time
from textual.app import App
from textual.widget import Widget

from tbtui.app.app import Dashboard
from tbtui.widgets.lean_screen import LeanWidget
from tbtui.widgets.pane import Pane
from tbtui.widgets.timers import LateTimers
from tests.screen_text import until

if TYPE_CHECKING:
    import pytest
    from textual.app import ComposeResult


class Waiting(LateTimers, Widget):
    pass


class Page(App[None]):
    def compose(self) -> ComposeResult:
        yield Waiting()


async def test_a_timer_beats_though_its_moment_was_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Page().run_test() as pilot:
        standstills = count(step=0.1)
        monkeypatch.setattr(_time, "get_time", lambda: time.monotonic() + next(standstills))
        beats: list[str] = []
        pilot.app.query_one(Waiting).set_timer(1 / 120, lambda: beats.append("late"))
        await until(pilot, lambda: beats, 2)
        assert beats == ["late"]


def test_all_that_waits_has_such_timers() -> None:
    assert issubclass(Dashboard, LateTimers)
    assert issubclass(LeanWidget, LateTimers)
    assert issubclass(Pane, LateTimers)
