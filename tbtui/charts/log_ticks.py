"""Values for ticks of log and symlog axes: decades with round numbers between them; seconds, minutes, hours, days."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.charts.axis import Kind

DIGITS = ((1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 5), (1, 3), (1,))
"""First digits of ticks, from fine to coarse."""

STRIDES = (2, 3, 5, 10, 20, 50, 100, 200)
"""Decades from tick to tick where there is no room for each."""

_DAY = 86400
_CLOCKS = (
    ((1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200), 1, (1, 2, 5)),
    ((1, 10, 60, 600, 3600, 21600), 1, (1,)),
    ((1, 60, 3600), 3, (1,)),
    ((1, 3600), 3, (1,)),
    *(((1,), stride, (1,)) for stride in STRIDES[2:]),
)
"""Seconds up to a day, from fine to coarse; stride and first digits of parts of a second and of days beside them."""


def log_values(low: float, high: float, kind: Kind, most: int) -> Iterator[list[float]]:
    """Two to `most` positive values from low to high, from fine to coarse; nothing where the axis spans few digits."""
    for ladder, digits in _ladders(low, high, kind, most):
        values = _between(ladder, low, high)
        if min(digits, 2) + 1 <= len(values) <= most:
            yield list(values)


def symlog_values(low: float, high: float, threshold: float, kind: Kind, most: int) -> Iterator[list[float]]:
    """Two to `most` values from low to high: zero, and sizes at both sides of it from the threshold outward.

    Near zero a symlog scale has less room than a decade takes, so the least sizes are left out first.
    """
    if low > 0:
        yield from log_values(low, high, kind, most)
        return
    if high < 0:
        for values in log_values(-high, -low, kind, most):
            yield [-value for value in reversed(values)]
        return
    sets: dict[tuple[float, ...], int] = {}
    for ladder, digits in _ladders(threshold, max(-low, high, threshold), kind, most):
        sizes = _between(ladder, threshold, math.inf)
        for skipped in range(max(len(sizes) - most, 0), len(sizes)) if digits == 1 else (0,):
            below, above = _between(sizes[skipped:], 0, -low), _between(sizes[skipped:], 0, high)
            sets.setdefault((*(-size for size in reversed(below)), 0.0, *above), skipped)
    for found in sorted(sets, key=lambda found: (-len(found), sets[found])):
        if 2 <= len(found) <= most:
            yield list(found)


def _between(ladder: tuple[float, ...], low: float, high: float) -> tuple[float, ...]:
    return ladder[bisect_left(ladder, low) : bisect_right(ladder, high)]


def _ladders(low: float, high: float, kind: Kind, most: int) -> Iterator[tuple[tuple[float, ...], int]]:
    """Ascending round values, at least those within limits, and how many a decade has; from fine to coarse."""
    if kind == "duration":
        for clock, stride, digits in _CLOCKS:
            parts = _decades(min(low, 1.0), 0.99, stride, digits)
            days = _decades(1.0, max(high / _DAY, 1.0), stride, digits)
            yield (*parts, *map(float, clock), *(day * _DAY for day in days)), len(digits)
        return
    if math.log10(high) - math.log10(low) <= most:
        for digits in DIGITS:
            yield _decades(low, high, 1, digits, whole=kind == "step"), len(digits)
    for stride in STRIDES:
        yield _decades(low, high, stride, (1,), whole=kind == "step"), 1


def _decades(low: float, high: float, stride: int, digits: Sequence[int], *, whole: bool = False) -> tuple[float, ...]:
    """Digits times powers of ten from low to high; exponents are multiples of the stride."""
    first, last = math.floor(math.log10(low)) // stride * stride, math.floor(math.log10(high))
    if whole:
        first = max(first, 0)
    values = (float(f"{digit}e{exponent}") for exponent in range(first, last + 1, stride) for digit in digits)
    return tuple(value for value in values if low <= value <= high)
