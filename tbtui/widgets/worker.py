"""Work off the UI thread: a worker thread per pane, and calls that never delay the exit of the app."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from contextlib import suppress
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, TypeVar

from tbtui.frozen import frozen
from tbtui.widgets.thread_turns import give_way, waiting_for_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator


T = TypeVar("T")


def call_on_daemon(work: Callable[[], T]) -> asyncio.Future[T]:
    """Run `work`, which may never end (a file system may not answer), on a daemon thread.

    The thread keeps neither the event loop nor the process from ending.

    Returns:
        A future with the result of `work`, or with its exception.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(set_outcome: Callable[[Any], None], value: Any) -> None:
        if not future.done():
            set_outcome(value)

    def run() -> None:
        outcome: tuple[Callable[[Any], None], Any]
        try:
            outcome = future.set_result, work()
        except Exception as error:  # noqa: BLE001 - passed to the caller
            outcome = future.set_exception, error
        with suppress(RuntimeError):  # the loop is closed: no caller waits
            loop.call_soon_threadsafe(settle, *outcome)

    threading.Thread(target=run, name="tbtui-daemon-call", daemon=True).start()
    return future


MAX_WAIT_SECONDS = 0.008
"""Time that the UI waits for a request: results within half a frame are shown in that frame."""

MAX_CLOSE_SECONDS = 0.5
"""Longest wait for the thread on closing: a file system may not answer, a picture may take long to decode."""


@frozen(eq=False)
class _Request:
    kind: str
    work: Callable[[], Iterator[Any]]
    deliver: Callable[[Any], None]
    failed: Callable[[Exception], None]


class Worker:
    """Computes results for one widget on a thread of its own; it keeps the newest request of each kind.

    A request is a generator, and each result is delivered as soon as it is yielded. Other requests run between two
    results, so a short one never waits for all of a long one. A newer request of the same kind closes the older one at
    its next `yield`. Results yielded before are still delivered: key repeat shows each picture that was made.

    `ask`, `drain` and `close` must be called on the UI thread. The work runs on the worker thread only, one result at a
    time, so data that only the work touches needs no lock. New requests start before older ones continue.

    Args:
        announce: Called on the worker thread when results wait; it must make the UI thread call `drain` soon.
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
        """Request `work`, in place of earlier work of the same kind.

        Returns when the work is done, after `MAX_WAIT_SECONDS` at most, and at once if the thread is busy.

        Args:
            kind: Identifies what the results are for.
            work: Runs on the worker thread; each value that it yields is a result.
            deliver: Called on the UI thread with each result.
            failed: Called on the UI thread with the exception of `work`; no more results follow.
        """
        with waiting_for_threads(), self._changed:
            if self._closed:
                return
            wait = MAX_WAIT_SECONDS if self._is_quiet() else 0
            self._waiting[kind] = _Request(kind, work, deliver, failed)
            self._changed.notify_all()
            self._start()
            self._changed.wait_for(self._is_quiet, wait)
        self.drain()

    def drain(self) -> None:
        """Deliver the results that wait."""
        while self._done:
            receive, value = self._done.popleft()
            receive(value)

    @property
    def is_idle(self) -> bool:
        """True if all requests are computed and delivered."""
        with self._changed:
            return self._is_quiet() and not self._done

    async def idle(self) -> None:
        """Wait until all requests are computed and delivered."""
        while True:
            await asyncio.to_thread(self._wait_until_quiet)
            self.drain()
            with self._changed:
                if self._is_quiet() and not self._done:
                    return

    def close(self) -> None:
        """Stop the thread after its present result, within `MAX_CLOSE_SECONDS`; nothing is delivered any more."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(MAX_CLOSE_SECONDS)
        self._done.clear()

    def _start(self) -> None:
        if self._thread is None:
            # A daemon: a crash that skips `close` must not keep the process from ending.
            self._thread = Thread(target=self._run, name="tbtui-worker", daemon=True)
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
        """Return the next request: new ones first, then the started ones in the order of their requests.

        Before it continues a request, the UI thread shows the results that it has.
        """
        if self._begun and not self._waiting:
            give_way()
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
                self._begun[request.kind] = request, _iterate_results(request)
                return self._begun[request.kind]
            return next(iter(self._begun.values()))

    def _compute(self, request: _Request, results: Generator[Any, None, None]) -> None:
        """Compute one result of a request."""
        try:
            self._put(request.deliver, next(results))
        except StopIteration:
            self._end(request)
        except Exception as error:  # noqa: BLE001 - the widget shows the error
            self._put(request.failed, error)
            self._end(request)

    def _end(self, request: _Request) -> None:
        with self._changed:
            del self._begun[request.kind]

    def _put(self, receive: Callable[[Any], None], value: object) -> None:
        if self._closed:
            return
        self._done.append((receive, value))
        # Only the first result of an empty queue needs an announcement: one drain takes all.
        if len(self._done) == 1:
            self._announce()


def _iterate_results(request: _Request) -> Generator[Any, None, None]:
    """Start the work only when its first result is requested."""
    yield from request.work()
