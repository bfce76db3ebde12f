"""Late one-shot timers fire; stopped ones do not."""

from __future__ import annotations

import asyncio
import sys
import time
from itertools import count
from typing import TYPE_CHECKING

import pytest
from textual import _time
from textual.app import App
from textual.widget import Widget

from tbtui.app.app import Dashboard
from tbtui.widgets.textual_patches.input_queue import PatchedApp
from tbtui.widgets.textual_patches.timers import start_timer
from tests.helpers.screen_text import until

if TYPE_CHECKING:
    from textual.app import ComposeResult


class Waiting(Widget):
    pass


class Page(App[None]):
    def compose(self) -> ComposeResult:
        yield Waiting()


@pytest.mark.parametrize("eager", [False, True])
async def test_a_timer_beats_though_its_moment_was_missed(monkeypatch: pytest.MonkeyPatch, eager: bool) -> None:
    async with Page().run_test() as pilot:
        if eager:  # as where the product runs
            if sys.version_info < (3, 12):
                pytest.skip("there are no eager tasks")
            asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
        standstills = count(step=0.1)
        monkeypatch.setattr(_time, "get_time", lambda: time.monotonic() + next(standstills))
        beats: list[str] = []
        start_timer(pilot.app.query_one(Waiting), 1 / 120, lambda: beats.append("late"))
        await until(pilot, lambda: beats, 2)
        assert beats == ["late"]


async def test_one_that_is_stopped_before_its_turn_has_come_is_silent() -> None:
    async with Page().run_test() as pilot:
        waiting = pilot.app.query_one(Waiting)
        told: list[str] = []

        async def stop_too_late() -> None:
            timer = start_timer(waiting, 0, lambda: told.append("beat"))
            await asyncio.wait([timer._task])
            timer.stop()
            waiting.call_later(told.append, "stopped")

        waiting.call_later(stop_too_late)
        await until(pilot, lambda: "stopped" in told, 2)
        assert told == ["stopped"]


async def test_set_timer_of_the_app_fires_late(monkeypatch: pytest.MonkeyPatch) -> None:
    async with PatchedApp().run_test() as pilot:
        standstills = count(step=0.1)
        monkeypatch.setattr(_time, "get_time", lambda: time.monotonic() + next(standstills))
        beats: list[str] = []
        pilot.app.set_timer(1 / 120, lambda: beats.append("late"))
        await until(pilot, lambda: beats, 2)


def test_dashboard_is_a_patched_app() -> None:
    assert issubclass(Dashboard, PatchedApp)


async def test_canary_plain_timer_that_is_late_never_fires(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Page().run_test() as pilot:
        standstills = count(step=0.1)
        with monkeypatch.context() as patch:
            patch.setattr(_time, "get_time", lambda: time.monotonic() + next(standstills))
            beats: list[str] = []
            timer = pilot.app.query_one(Waiting).set_timer(1 / 120, lambda: beats.append("late"))
            await asyncio.wait([timer._task], timeout=2)
        await pilot.pause(0.1)
        assert beats == []


async def test_canary_plain_timer_fires_after_stop() -> None:
    async with Page().run_test() as pilot:
        waiting = pilot.app.query_one(Waiting)
        told: list[str] = []

        async def stop_too_late() -> None:
            timer = waiting.set_timer(0.05, lambda: told.append("beat"))
            await asyncio.wait([timer._task])
            timer.stop()
            waiting.call_later(told.append, "stopped")

        waiting.call_later(stop_too_late)
        await until(pilot, lambda: "stopped" in told, 2)
        assert "beat" in told
