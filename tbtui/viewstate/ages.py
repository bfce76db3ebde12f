"""Ages in few steps: what has been quiet for how long, and when that will be said in other words."""

from __future__ import annotations

from bisect import bisect_right

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
YEAR = 365 * DAY

QUIET: tuple[tuple[float, str], ...] = (
    *((n * MINUTE, f"{n}m") for n in (1, 2, 5, 10, 30)),
    *((n * HOUR, f"{n}h") for n in (1, 2, 5, 12)),
    *((n * DAY, f"{n}d") for n in (1, 2, 5, 10, 30, 100)),
    *((n * YEAR, f"{n}y") for n in (1, 2, 3, 5, 10, 20, 50, 100)),
)
"""Seconds without news, and how they are called. Few steps, so that an idle screen is written seldom."""

CLOCK_AHEAD = "clock ahead"
AHEAD_SECONDS = MINUTE
"""News from this far in the future come from a clock that is ahead: nobody knows when they were written."""

_STEPS = tuple(seconds for seconds, _ in QUIET)


def is_known(age: float | None) -> bool:
    """Whether an age says how long ago something was: neither missing nor that of a clock that is ahead."""
    return age is not None and age >= -AHEAD_SECONDS


def age_word(age: float) -> str:
    """`5m`: the greatest step that `age` seconds have passed; nothing within the first minute."""
    passed = bisect_right(_STEPS, age)
    return QUIET[passed - 1][1] if passed else ""


def freshness(age: float | None) -> str:
    """`live` while news came within the last minute, then `quiet 5m`; nothing without any news.

    Args:
        age: Seconds since the last news; negative where clocks differ.
    """
    if age is None:
        return ""
    if not is_known(age):
        return CLOCK_AHEAD
    word = age_word(age)
    return f"quiet {word}" if word else "live"


def seconds_until_change(age: float | None) -> float | None:
    """After how many seconds `freshness` says something else; None when it never will."""
    if age is None:
        return None
    if not is_known(age):
        return -AHEAD_SECONDS - age
    passed = bisect_right(_STEPS, age)
    return _STEPS[passed] - age if passed < len(_STEPS) else None
