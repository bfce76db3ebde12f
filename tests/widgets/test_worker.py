"""The worker thread: newest request of a kind, delivery on the UI thread, clean shutdown."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from tbtui.widgets import worker as worker_module
from tbtui.widgets.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Iterator


class Desk:
    """Asks for work and keeps what comes back."""

    def __init__(self) -> None:
        self.announced = 0
        self.results: list[object] = []
        self.errors: list[Exception] = []
        self.worker = Worker(self._announce)

    def _announce(self) -> None:
        self.announced += 1

    def ask(self, kind: str, *values: object, gate: threading.Event | None = None) -> None:
        def work() -> Iterator[object]:
            for value in values:
                if gate is not None:
                    gate.wait(30)
                if isinstance(value, Exception):
                    raise value
                yield value

        self.worker.ask(kind, work, self.results.append, self.errors.append)


@pytest.fixture
def desk() -> Iterator[Desk]:
    desk = Desk()
    yield desk
    desk.worker.close()
    assert not any(thread.name == "tbtui-worker" and thread is desk.worker._thread for thread in threading.enumerate())


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 30)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_WAIT_SECONDS", 0)


@pytest.mark.usefixtures("patient")
def test_worker_delivers_quick_results_before_ask_returns(desk: Desk) -> None:
    desk.ask("a", 1, 2, 3)
    assert desk.results == [1, 2, 3]


@pytest.mark.usefixtures("patient")
def test_worker_gives_way_before_it_continues(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "give_way", lambda: desk.results.append("gave way"))
    desk.worker.ask("a", lambda: iter([1]), lambda _: None, desk.errors.append)
    assert desk.results == ["gave way"]  # before it looks for a second result
    desk.results.clear()
    desk.worker.ask("b", lambda: iter([1, 2]), lambda _: None, desk.errors.append)
    assert desk.results == ["gave way"] * 2


@pytest.mark.usefixtures("patient")
def test_worker_delivers_on_the_asking_thread(desk: Desk) -> None:
    threads: list[str] = []

    def work() -> Iterator[str]:
        yield threading.current_thread().name

    desk.worker.ask(
        "a", work, lambda worker: threads.extend((worker, threading.current_thread().name)), desk.errors.append
    )
    assert threads == ["tbtui-worker", "MainThread"]


@pytest.mark.usefixtures("hasty")
async def test_worker_announces_slow_results(desk: Desk) -> None:
    gate = threading.Event()
    desk.ask("a", 1, 2, gate=gate)
    assert desk.results == []
    gate.set()
    await desk.worker.idle()
    assert desk.results == [1, 2]
    assert desk.announced >= 1


@pytest.mark.usefixtures("hasty")
async def test_worker_newer_request_replaces_older_ones_of_its_kind(desk: Desk) -> None:
    begun, gate = threading.Event(), threading.Event()

    def old() -> Iterator[str]:
        begun.set()
        gate.wait(30)
        yield "was being made"
        yield "never reached"

    desk.worker.ask("a", old, desk.results.append, desk.errors.append)
    assert begun.wait(30)
    desk.ask("a", "skipped")
    desk.ask("a", "new")
    gate.set()
    await desk.worker.idle()
    assert desk.results == ["was being made", "new"]


@pytest.mark.usefixtures("hasty")
async def test_worker_runs_a_short_request_within_a_long_one(desk: Desk) -> None:
    begun, gate = threading.Event(), threading.Event()

    def long() -> Iterator[int]:
        begun.set()
        gate.wait(30)
        yield from range(3)

    desk.worker.ask("long", long, desk.results.append, desk.errors.append)
    assert begun.wait(30)
    desk.ask("short", "between")
    gate.set()
    await desk.worker.idle()
    assert desk.results == [0, "between", 1, 2]


@pytest.mark.usefixtures("hasty")
async def test_worker_delivers_results_of_replaced_requests(desk: Desk) -> None:
    for number in range(5):
        begun = threading.Event()

        def work(number: int = number, begun: threading.Event = begun) -> Iterator[int]:
            begun.set()
            yield number

        desk.worker.ask("picture", work, desk.results.append, desk.errors.append)
        assert begun.wait(30)
    await desk.worker.idle()
    assert desk.results == [0, 1, 2, 3, 4]


@pytest.mark.usefixtures("hasty")
async def test_worker_keeps_requests_of_different_kinds(desk: Desk) -> None:
    gate = threading.Event()
    desk.ask("a", 1, gate=gate)
    desk.ask("b", 2)
    gate.set()
    await desk.worker.idle()
    assert desk.results == [1, 2]


@pytest.mark.usefixtures("patient")
def test_worker_delivers_an_error_and_continues(desk: Desk) -> None:
    desk.ask("a", 1, ValueError("no"), 2)
    assert desk.results == [1]
    assert [str(error) for error in desk.errors] == ["no"]
    desk.ask("a", 3)
    assert desk.results == [1, 3]


@pytest.mark.usefixtures("patient")
def test_worker_accepts_requests_during_delivery(desk: Desk) -> None:
    def again(value: object) -> None:
        desk.results.append(value)
        desk.ask("b", "second")

    desk.worker.ask("a", lambda: iter(["first"]), again, desk.errors.append)
    assert desk.results == ["first", "second"]


@pytest.mark.usefixtures("hasty")
def test_worker_close_stops_the_thread_and_drops_results(desk: Desk) -> None:
    gate = threading.Event()
    desk.ask("a", 1, 2, gate=gate)
    desk.ask("b", 3)
    gate.set()
    desk.worker.close()
    desk.worker.drain()
    desk.ask("c", 4)
    assert desk.results == []
    assert desk.worker._thread is not None
    assert not desk.worker._thread.is_alive()


@pytest.mark.usefixtures("hasty")
def test_worker_close_does_not_wait_for_endless_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "MAX_CLOSE_SECONDS", 0.01)
    desk, begun, gate = Desk(), threading.Event(), threading.Event()

    def work() -> Iterator[int]:
        begun.set()
        gate.wait(30)
        yield 1

    desk.worker.ask("a", work, desk.results.append, desk.errors.append)
    assert begun.wait(30)
    desk.worker.close()
    thread = desk.worker._thread
    assert thread is not None
    assert thread.is_alive()
    gate.set()
    thread.join(30)
    assert not thread.is_alive()
    assert (desk.announced, desk.results) == (0, [])  # nobody is there any more whom it could tell
