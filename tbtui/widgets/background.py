"""Work off the UI thread: one thread a pane, the newest request of each kind, results back on the UI thread.

A request is a generator. What it yields is handed to the UI one by one, and between two results other requests have
their turn, so that a short one never waits for all of a long one. When a newer request of the same kind arrives the
older one is closed at its next `yield`; what it has yielded by then is handed on all the same: while a key repeats
faster than pictures are made, each picture that was made is seen.
"""

from __future__ import annotations

import asyncio
from collections import deque
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

PATIENCE = 0.008
"""Seconds the UI waits for a request before it goes on: what is done within half a frame shows in that very frame."""

LEAVING_SECONDS = 0.5
"""Who closes need not wait longer for a result: a file system may not answer, a picture may take long to decode."""


@frozen(eq=False)
class _Request:
    kind: str
    work: Callable[[], Iterator[Any]]
    deliver: Callable[[Any], None]
    failed: Callable[[Exception], None]


class Background:
    """A thread that computes for one widget.

    `ask`, `drain` and `close` belong to the UI thread. The work runs on the thread alone, one result at a time, so what
    only the work touches needs no lock. A request begins before those already begun go on.

    Args:
        announce: Called on the thread when results wait; it must make the UI thread call `drain` soon.
    """

    def __init__(self, announce: Callable[[], object]) -> None:
        self._announce = announce
        self._changed = Condition()
        self._waiting: dict[str, _Request] = {}
        self._begun: dict[str, tuple[_Request, Generator[Any, None, None]]] = {}
        self._computing = False
        self._done: deque[tuple[Callable[[Any], None], Any]] = deque()
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
        with self._changed:
            if self._closed:
                return
            patience = PATIENCE if self._is_quiet() else 0
            self._waiting[kind] = _Request(kind, work, deliver, failed)
            self._changed.notify_all()
            self._start()
            self._changed.wait_for(self._is_quiet, patience)
        self.drain()

    def drain(self) -> None:
        """Hand on what is done. Called on the UI thread."""
        while self._done:
            receive, value = self._done.popleft()
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
        """End the thread after the result it is at, for which it is waited a moment; nothing is handed on any more."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(LEAVING_SECONDS)
        self._done.clear()

    def _start(self) -> None:
        if self._thread is None:
            # A daemon: a crash that skips `close` must not keep the process from ending.
            self._thread = Thread(target=self._run, name="tbtui-background", daemon=True)
            self._thread.start()

    def _is_quiet(self) -> bool:
        return not self._waiting and not self._begun and not self._computing

    def _wait_until_quiet(self) -> None:
        with self._changed:
            self._changed.wait_for(self._is_quiet)

    def _run(self) -> None:
        while (begun := self._next()) is not None:
            self._compute(*begun)

    def _next(self) -> tuple[_Request, Generator[Any, None, None]] | None:
        """The request that has its turn: those that wait are begun first, the others go on in the order of asking."""
        with self._changed:
            self._computing = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._closed or bool(self._waiting or self._begun))
            if self._closed:
                return None
            self._computing = True
            if self._waiting:
                request = self._waiting.pop(next(iter(self._waiting)))
                self._begun.pop(request.kind, None)
                self._begun[request.kind] = request, _results(request)
                return self._begun[request.kind]
            return next(iter(self._begun.values()))

    def _compute(self, request: _Request, results: Generator[Any, None, None]) -> None:
        """One result of a request."""
        try:
            self._put(request.deliver, next(results))
        except StopIteration:
            self._end(request)
        except Exception as error:  # noqa: BLE001 - handed to the UI, whose widget says what went wrong
            self._put(request.failed, error)
            self._end(request)

    def _end(self, request: _Request) -> None:
        with self._changed:
            del self._begun[request.kind]

    def _put(self, receive: Callable[[Any], None], value: object) -> None:
        if self._closed:
            return
        self._done.append((receive, value))
        # Whoever emptied the queue last looks again only when told; further results are found by the same look.
        if len(self._done) == 1:
            self._announce()


def _results(request: _Request) -> Generator[Any, None, None]:
    """Calls for the work only when its first result is."""
    yield from request.work()
