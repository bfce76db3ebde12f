"""Pauses of the loader thread while the answer to a key is computed and drawn."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

PAUSE_SECONDS = 0.03
"""Length of a pause: most keys are answered in that time if no other thread runs."""

WORK_SHARE = 0.5
"""After a pause the loader works for at least this part of its length: a key that is held down does not stop it."""


class Pauses:
    """Lets another thread ask for a pause, and the loader take it between two pieces of work.

    The interpreter runs one thread at a time, and an answer passes through four: input, UI, worker and output. Each of
    them would wait for the end of a piece of work, as some calls of numpy take milliseconds.

    Args:
        clock: Monotonic clock in seconds.
        sleep: Waits for some seconds.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._clock, self._sleep = clock, sleep
        self._until = 0.0
        self._earliest = 0.0

    def request(self) -> None:
        """Ask for a pause from now on; on any thread."""
        self._until = self._clock() + PAUSE_SECONDS

    def take(self) -> None:
        """Wait until the end of a pause that was asked for; called by the loader between two pieces of work."""
        if not self._until:
            return
        began = now = self._clock()
        if now < self._earliest:
            return
        while now < (until := self._until):
            self._sleep(until - now)
            now = self._clock()
            if now - began >= 2 * PAUSE_SECONDS:
                break
        self._until = 0.0
        self._earliest = now + (now - began) * WORK_SHARE
