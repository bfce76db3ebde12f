"""The UI thread runs before others."""

from __future__ import annotations

import asyncio
import os
import selectors
import sys
from typing import TYPE_CHECKING

import pytest

from tbtui.widgets import thread_turns
from tbtui.widgets.thread_turns import (
    MAX_POLL_AGE_SECONDS,
    WAITING_SWITCH_SECONDS,
    WORKING_SWITCH_SECONDS,
    UiLoopPolicy,
    UiSelector,
    give_way,
    hand_over,
    waiting_for_threads,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def restored_interval() -> Iterator[None]:
    before = sys.getswitchinterval()
    yield
    sys.setswitchinterval(before)
    UiSelector().close()


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which a test changes."""
    times = [100.0]
    monkeypatch.setattr(thread_turns.time, "monotonic", lambda: times[0])
    return times


def test_selector_shortens_the_interval_while_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    intervals: list[float] = []
    monkeypatch.setattr(selectors.DefaultSelector, "select", lambda *_: intervals.append(sys.getswitchinterval()) or [])
    UiSelector().select(0.5)
    assert intervals == [pytest.approx(WAITING_SWITCH_SECONDS)]
    assert sys.getswitchinterval() == pytest.approx(WORKING_SWITCH_SECONDS)


def test_selector_of_a_busy_loop_looks_for_input_at_intervals(now: list[float]) -> None:
    reader, writer = os.pipe()
    try:
        with UiSelector() as selector:
            selector.register(reader, selectors.EVENT_READ)
            assert selector.select(0) == []
            os.write(writer, b"k")
            assert selector.select(0) == []
            now[0] += MAX_POLL_AGE_SECONDS
            assert [key.fd for key, _ in selector.select(0)] == [reader]
    finally:
        os.close(reader)
        os.close(writer)


def test_selector_of_an_idle_loop_looks_at_once(now: list[float]) -> None:
    reader, writer = os.pipe()
    try:
        with UiSelector() as selector:
            selector.register(reader, selectors.EVENT_READ)
            assert selector.select(0) == []
            os.write(writer, b"k")
            assert [key.fd for key, _ in selector.select(None)] == [reader]
    finally:
        os.close(reader)
        os.close(writer)


def test_loop_of_the_policy_runs_callbacks_of_other_threads() -> None:
    async def main() -> int:
        await asyncio.sleep(0)
        return await asyncio.to_thread(lambda: 7)

    loop = UiLoopPolicy().new_event_loop()
    try:
        assert loop.run_until_complete(main()) == 7
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def test_waiting_for_threads_shortens_the_interval_meanwhile() -> None:
    sys.setswitchinterval(0.004)
    with waiting_for_threads():
        assert sys.getswitchinterval() == pytest.approx(WAITING_SWITCH_SECONDS)
    assert sys.getswitchinterval() == pytest.approx(0.004)


def test_hand_over_shortens_the_interval() -> None:
    sys.setswitchinterval(0.004)
    hand_over()
    assert sys.getswitchinterval() == pytest.approx(WAITING_SWITCH_SECONDS)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether `give_way` would have waited, for each call."""
    calls: list[bool] = []
    event = thread_turns._ui_waits
    monkeypatch.setattr(event, "wait", lambda _: calls.append(not event.is_set()))
    return calls


def test_give_way_waits_while_the_loop_works_only(
    waits: list[bool], now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selectors.DefaultSelector, "select", lambda *_: [give_way()])
    with UiSelector() as selector:
        selector.select(0.5)  # the loop waits for input
        give_way()  # it works
        now[0] += MAX_POLL_AGE_SECONDS
        selector.select(0)  # it looks for input while callbacks are ready
        with waiting_for_threads():
            give_way()
        give_way()
    give_way()  # it has ended
    assert waits == [False, True, True, False, True, False]
