"""What time it is for a session: whoever sets the clock meanwhile makes no run look stalled, or just written."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def passed() -> float:
    """Seconds on a clock that is never set, and goes on while the machine sleeps where the system has such a one."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


def steady_clock(wall: Callable[[], float] = time.time, passed: Callable[[], float] = passed) -> Callable[[], float]:
    """A clock that tells seconds since the epoch: as the wall clock now, and from now on as they pass.

    When news of a run came is told by it as well. So the age of a run that writes is right whatever the wall clock
    does; that of one that does not is as wrong as the wall clock was when the session began.
    """
    began = wall() - passed()
    return lambda: began + passed()
