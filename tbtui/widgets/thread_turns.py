"""Let the UI thread run first: the interpreter runs one thread at a time, and a key must not wait for the others.

A thread that wants to run waits for one switch interval before the running one has to stop. While logs are read, one or
two other threads always want to run. With equal turns the UI thread had a third of the time, and each turn of its event
loop, of which a key takes dozens, gave the interpreter away and waited to get it back.
"""

from __future__ import annotations

import asyncio
import selectors
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

WAITING_SWITCH_SECONDS = 0.0005
"""Switch interval while the UI thread waits: it runs this long after something happens. With the 5 ms of Python, a
reaction that takes several turns takes several frames."""

WORKING_SWITCH_SECONDS = 0.005
"""Switch interval while the UI thread works, the default of Python: most turns of an answer to a key take less, and are
not interrupted."""

MAX_POLL_AGE_SECONDS = 0.004
"""Time after which a busy event loop looks for input again. Each look lets another thread run."""


MAX_UI_TURN_SECONDS = 0.05
"""Longest time for which work that is not urgent waits for the UI thread."""

_ui_waits = threading.Event()
"""Set while the UI thread waits for input or for another thread."""

_ui_waits.set()


def give_way() -> None:
    """Wait until the UI thread has nothing to do, but not for long; for threads whose work is not urgent.

    A call of numpy in the UI thread lets another thread run, which stops after a switch interval at the earliest. A
    table that is drawn in 10 ms took 0.3 s while another thread spelled its cells.
    """
    _ui_waits.wait(MAX_UI_TURN_SECONDS)


class UiSelector(selectors.DefaultSelector):
    """Selector of the event loop of the UI thread, which sets the switch interval.

    While callbacks are ready, the loop asks for input before each round of them. The answer "nothing yet" is given
    without a system call, during which another thread would take over, if the last look was a moment ago.
    """

    def __init__(self) -> None:
        super().__init__()
        self._polled_at = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return the files that are ready; see `selectors.BaseSelector`."""
        if timeout is not None and timeout <= 0 and time.monotonic() - self._polled_at < MAX_POLL_AGE_SECONDS:
            return []
        sys.setswitchinterval(WAITING_SWITCH_SECONDS)
        if timeout is None or timeout > 0:
            _ui_waits.set()
        try:
            return super().select(timeout)
        finally:
            _ui_waits.clear()
            sys.setswitchinterval(WORKING_SWITCH_SECONDS)
            self._polled_at = time.monotonic()

    def close(self) -> None:
        """Close the selector; no thread waits for the UI any more."""
        _ui_waits.set()
        super().close()


class UiLoopPolicy(asyncio.DefaultEventLoopPolicy):
    """Makes event loops for the UI thread: `asyncio.run` takes no loop before Python 3.12."""

    def new_event_loop(self) -> Any:
        """Return a loop with a `UiSelector`."""
        return asyncio.SelectorEventLoop(UiSelector())


def hand_over() -> None:
    """Let another thread run soon, until the event loop next looks for input: it has to write what is drawn."""
    sys.setswitchinterval(WAITING_SWITCH_SECONDS)


@contextmanager
def waiting_for_threads() -> Iterator[None]:
    """Let other threads run while the UI thread waits for one of them outside of its event loop."""
    interval, waited = sys.getswitchinterval(), _ui_waits.is_set()
    sys.setswitchinterval(WAITING_SWITCH_SECONDS)
    _ui_waits.set()
    try:
        yield
    finally:
        if not waited:
            _ui_waits.clear()
        sys.setswitchinterval(interval)
