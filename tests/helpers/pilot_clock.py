"""Make a pause of Textual's pilot end when the app has nothing left to do, without waiting for the clock.

Textual's own pause sleeps for 20 ms at a time until the process has used less than one of them: slow if a test presses
many keys, and too short on a busy machine. This pause inspects the event loop instead. Timers that are due within 40 ms
(Textual repaints by one) fire at once, because the clock is moved on. A pause does not wait for threads: a test that
needs their results uses `Pane.idle` or `screen_text.until`.
"""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Any

import textual._time
import textual.app
import textual.pilot

if TYPE_CHECKING:
    from collections.abc import Callable

WITHIN = 0.04
"""Seconds; timers due this soon fire at once. More than two periods of the timer that repaints: after a missed one it
waits for the period after the next."""

MOST_BEATS = 60
"""Maximum number of timers that may follow one another in one pause: some repeat without end."""


class MovedClock:
    """A clock that skips the waits of a pause."""

    skipped = 0.0
    """Seconds; shared by all such clocks, because a timer of Textual uses two: its own and that of the event loop."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock

    def __call__(self) -> float:
        return self._clock() + MovedClock.skipped


async def until_settled(*_: float) -> None:
    """Run the event loop until it only waits; ignores its arguments."""
    loop: Any = asyncio.get_running_loop()
    if not isinstance(loop.time, MovedClock):
        loop.time = MovedClock(loop.time)
    beats = 0
    while beats < MOST_BEATS:
        await asyncio.sleep(0)
        if loop._ready:
            continue
        waiting = [timer.when() for timer in loop._scheduled if not timer.cancelled()]
        wait = min(waiting, default=math.inf) - loop.time()
        if wait > WITHIN:
            return
        MovedClock.skipped += max(0.0, wait)
        beats += 1


def take_over() -> None:
    """Replace Textual's pause and clock."""
    textual.app.wait_for_idle = textual.pilot.wait_for_idle = until_settled
    textual._time.get_time = MovedClock(textual._time.get_time)
