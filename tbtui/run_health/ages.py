"""Texts of the ages of runs, and clocks that disagree with those of the file system."""

from __future__ import annotations

from bisect import bisect_right

from tbtui.charts import numbers
from tbtui.maths.x_values import guess_wall_time_unit

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0

YEAR = 365 * DAY

AGE_STEPS: tuple[tuple[float, str], ...] = (
    *((n * MINUTE, f"{n}m") for n in range(1, 60)),
    *((n * HOUR, f"{n}h") for n in range(1, 48)),
    *((n * DAY, f"{n}d") for n in range(2, 730)),
    *((n * YEAR, f"{n}y") for n in range(2, 101)),
)
"""Seconds without data, and their labels: whole units, of which an idle screen writes at most one a minute."""

CLOCK_AHEAD = "clock ahead"

AHEAD_SECONDS = MINUTE
"""Data from this far in the future come from a clock that is ahead."""

_STEPS = tuple(seconds for seconds, _ in AGE_STEPS)


def is_known_age(age: float | None) -> bool:
    """Return True if an age is valid: neither missing nor from a clock that is ahead."""
    return age is not None and age >= -AHEAD_SECONDS


def format_age(age: float) -> str:
    """Return `5m`: the greatest step that `age` seconds have passed; empty within the first minute."""
    passed = bisect_right(_STEPS, age)
    return AGE_STEPS[passed - 1][1] if passed else ""


def format_freshness(age: float | None, *, brief: bool = False) -> str:
    """Return `live` while data came within the last minute, then `last write 5m ago`; empty without any data.

    Args:
        age: Seconds since the last data; negative if clocks differ.
        brief: True for `5m ago`, where there is little room.
    """
    if age is None:
        return ""
    if not is_known_age(age):
        return CLOCK_AHEAD
    word = format_age(age)
    if not word:
        return "live"
    return f"{word} ago" if brief else f"last write {word} ago"


def time_until_change(age: float | None) -> float | None:
    """Return the seconds until `format_freshness` changes; None if it never will."""
    if age is None:
        return None
    if not is_known_age(age):
        return -AHEAD_SECONDS - age
    passed = bisect_right(_STEPS, age)
    return _STEPS[passed] - age if passed < len(_STEPS) else None


def format_clock_offset(offset: float) -> str:
    """Return `clock 3 days behind` or `clock 1m30s ahead`."""
    size = abs(offset)
    words = numbers.spell_age(size) if size >= DAY else numbers.format_duration(size)
    return f"clock {words} {'ahead' if offset > 0 else 'behind'}"


def guess_time_unit(wall_time: float | None) -> str:
    """Return `milliseconds` if a wall time is a date only in this unit; empty if it may be in seconds."""
    return "" if wall_time is None else guess_wall_time_unit(wall_time)[1]
