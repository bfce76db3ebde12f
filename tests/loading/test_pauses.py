"""Pauses of the loader while a key is answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from tbtui.loading.loader import PAUSE_SECONDS, Loader, Pauses
from tbtui.loading.sources import parse_sources

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.helpers.log_directory import LogDirectory


@dataclass
class Time:
    """A clock that sleeping advances."""

    now: float = 100.0
    slept: list[float] = field(default_factory=list)
    on_sleep: Callable[[], None] = lambda: None

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        self.on_sleep()


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def pauses(time: Time) -> Pauses:
    return Pauses(lambda: time.now, time.sleep)


def test_pauses_without_a_request_do_not_wait(time: Time, pauses: Pauses) -> None:
    pauses.take()
    assert time.slept == []


def test_pauses_last_from_the_request_on(time: Time, pauses: Pauses) -> None:
    pauses.request()
    time.now += 0.01
    pauses.take()
    assert time.slept == [pytest.approx(PAUSE_SECONDS - 0.01)]
    pauses.take()
    assert len(time.slept) == 1


def test_pauses_that_are_over_do_not_wait(time: Time, pauses: Pauses) -> None:
    pauses.request()
    time.now += PAUSE_SECONDS
    pauses.take()
    assert time.slept == []


def test_pauses_of_a_key_held_down_leave_time_to_work(time: Time, pauses: Pauses) -> None:
    time.on_sleep = pauses.request  # another key arrives while the answer to this one is drawn
    worked = 0.0
    began = time.now
    for _ in range(1000):
        pauses.request()
        pauses.take()
        time.now += 0.001
        worked += 0.001
    assert worked / (time.now - began) > 0.25


def test_loader_takes_pauses_while_it_reads(logs: LogDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        logs.log(name, range(10))
    taken: list[None] = []
    monkeypatch.setattr(Pauses, "take", lambda _: taken.append(None))
    Loader(parse_sources([str(logs.root)]), reload_seconds=0).load_all()
    assert len(taken) > 3
