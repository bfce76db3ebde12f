"""Textual's pilot without the clock: a pause is over when the app has nothing left to do, not when the process is idle.

Textual's own pause sleeps for 20 ms at a time until the process has used less than a millisecond of them: slow where a
test presses many keys, and too short where other processes take the time. Here the event loop is looked at instead.
What a timer is to do within 40 ms (Textual repaints by one) is done at once: the clock is moved on. Threads are not
waited for: whoever needs what they compute says so (`Pane.idle`, `screen_text.until`).
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
"""Timers that are due this soon, in seconds, are not waited for: more than two beats of the one that repaints, which
waits for the beat after the next when it has missed one."""

MOST_BEATS = 60
"""How many times timers may follow one another in one pause: some beat without end."""


class MovedClock:
    """A clock that is moved on by what nobody waits for."""

    skipped = 0.0
    """Seconds; the same for every such clock, for a timer of Textual is told by two: its own and the event loop's."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock

    def __call__(self) -> float:
        return self._clock() + MovedClock.skipped


async def until_settled(*_: float) -> None:
    """Let the event loop turn until all that is left to it is to wait; takes and heeds no times."""
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
    """Put it in the place of Textual's."""
    textual.app.wait_for_idle = textual.pilot.wait_for_idle = until_settled
    textual._time.get_time = MovedClock(textual._time.get_time)
