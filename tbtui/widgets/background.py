"""Work off the UI thread: one thread a pane, the newest request of each kind, results back on the UI thread.

A request is a generator. What it yields is handed to the UI one by one; when a newer request of the same kind arrives
the older one is closed at its next `yield`, and those of its results that were not handed on yet are forgotten.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATIENCE = 0.012
"""Seconds the UI waits for a request before it goes on: what is done within a frame then shows in that very frame."""


@dataclass(frozen=True, slots=True, eq=False)
class _Request:
    kind: str
    work: Callable[[], Iterator[Any]]
    deliver: Callable[[Any], None]
    failed: Callable[[Exception], None]


class Background:
    """A thread that computes for one widget.

    `ask`, `drain` and `close` belong to the UI thread. The work runs on the thread alone, one request at a time in the
    order of asking, so what only the work touches needs no lock.

    Args:
        announce: Called on the thread when results wait; it must make the UI thread call `drain` soon.
    """

    def __init__(self, announce: Callable[[], object]) -> None:
        self._announce = announce
        self._changed = Condition()
        self._waiting: dict[str, _Request] = {}
        self._running: _Request | None = None
        self._newest: dict[str, _Request] = {}
        self._done: deque[tuple[_Request, Callable[[Any], None], Any]] = deque()
        self._closed = False
        self._thread: Thread | None = None

    def ask(
        self,
        kind: str,
        work: Callable[[], Iterator[Any]],
        deliver: Callable[[Any], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Have `work` computed instead of what was asked before under the same kind.

        Returns when the work is done, at the latest after `PATIENCE`, and at once when the thread is busy already.

        Args:
            kind: Names the place that the results are for.
            work: Run on the thread; each value it yields is a result.
            deliver: Called on the UI thread with each result.
            failed: Called on the UI thread with what `work` raised, in place of further results.
        """
        request = _Request(kind, work, deliver, failed)
        self._newest[kind] = request
        with self._changed:
            if self._closed:
                return
            patience = PATIENCE if self._is_quiet() else 0
            self._waiting[kind] = request
            self._changed.notify_all()
            self._start()
            self._changed.wait_for(self._is_quiet, patience)
        self.drain()

    def drain(self) -> None:
        """Hand on what is done. Called on the UI thread."""
        while self._done:
            request, receive, value = self._done.popleft()
            if self._newest.get(request.kind) is request:
                receive(value)

    async def idle(self) -> None:
        """Wait until everything asked for is computed and handed on."""
        while True:
            await asyncio.to_thread(self._wait_until_quiet)
            self.drain()
            with self._changed:
                if self._is_quiet() and not self._done:
                    return

    def close(self) -> None:
        """End the thread after the result it is at and join it; nothing is handed on any more."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()
        self._newest.clear()
        self._done.clear()

    def _start(self) -> None:
        if self._thread is None:
            # A daemon: a crash that skips `close` must not keep the process from ending.
            self._thread = Thread(target=self._run, name="tbtui-background", daemon=True)
            self._thread.start()

    def _is_quiet(self) -> bool:
        return not self._waiting and self._running is None

    def _wait_until_quiet(self) -> None:
        with self._changed:
            self._changed.wait_for(self._is_quiet)

    def _run(self) -> None:
        while (request := self._next()) is not None:
            self._compute(request)

    def _next(self) -> _Request | None:
        with self._changed:
            self._running = None
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._closed or bool(self._waiting))
            if not self._closed:
                self._running = self._waiting.pop(next(iter(self._waiting)))
            return self._running

    def _compute(self, request: _Request) -> None:
        try:
            for result in request.work():
                self._put(request, request.deliver, result)
                if self._closed or request.kind in self._waiting:
                    return
        except Exception as error:  # noqa: BLE001 - handed to the UI, whose widget says what went wrong
            self._put(request, request.failed, error)

    def _put(self, request: _Request, receive: Callable[[Any], None], value: object) -> None:
        self._done.append((request, receive, value))
        # Whoever emptied the queue last looks again only when told; further results are found by the same look.
        if len(self._done) == 1:
            self._announce()
