"""Ticks of wall time at round local times; a label shows the unit that changes from tick to tick."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tbtui.charts.numbers import short
from tbtui.maths.x_values import wall_time_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import tzinfo

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_MONTH, _YEAR = 30.4 * _DAY, 365.25 * _DAY

CLOCK_STEPS = (
    *(1, 2, 5, 10, 15, 30),
    *(60, 120, 300, 600, 900, 1800),
    *(3600, 7200, 10800, 21600, 43200),
)
"""Seconds; counted from local midnight."""

MAX_DATED_SECONDS = 2.0
"""An axis of up to this length, such as that of one moment, shows date and time in its first label."""

DAY_STEPS = (1, 2, 7, 14)
MONTH_STEPS = (1, 2, 3, 6)
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
"""Independent of the locale: a chart looks the same everywhere."""


def wall_tick_sets(
    low: float, high: float, most: int, zone: tzinfo | None = None
) -> Iterator[tuple[list[float], list[str]]]:
    """Yield times and their labels, from fine to coarse; times outside the calendar are labelled as numbers.

    Args:
        low: Seconds since the epoch.
        high: Seconds since the epoch, above `low`.
        most: Maximum number of ticks in a set.
        zone: Time zone; None: the zone of the machine.
    """
    factor, _ = wall_time_unit(low)
    if factor != 1:  # times in milliseconds by mistake: the dates that are meant
        for times, labels in wall_tick_sets(low / factor, high / factor, most, zone):
            yield [min(max(time * factor, low), high) for time in times], labels
        return
    try:
        start, end = datetime.fromtimestamp(low, zone), datetime.fromtimestamp(high, zone)
    except (ValueError, OverflowError, OSError):
        yield [low, high][:most], [short(low), short(high)][:most]
        return
    for moments, label in _moments(start.replace(tzinfo=None), end.replace(tzinfo=None), (high - low) / most):
        ticks = _within(moments, low, high, most, zone)
        if ticks:
            labels = [label(moment) for _, moment in ticks]
            if high - low <= MAX_DATED_SECONDS:
                first = f"{ticks[0][1]:%Y-%m-%d %H:%M:%S}{_fraction(ticks[0][1])}"
                yield [time for time, _ in ticks], [first, *labels[1:]]
                yield [time for time, _ in ticks], [first.partition(" ")[2], *labels[1:]]
            yield [time for time, _ in ticks], labels


def _within(
    moments: Iterator[datetime], low: float, high: float, most: int, zone: tzinfo | None
) -> list[tuple[float, datetime]]:
    """Return moments with their times, in order; empty if there are too many.

    A local time that a change to summer time skips or repeats is dropped if it breaks the order.
    """
    kept: list[tuple[float, datetime]] = []
    for moment in moments:
        try:
            time = moment.replace(tzinfo=zone).timestamp()
        except (ValueError, OverflowError, OSError):
            continue
        if time > high:
            break
        if (moment.hour or moment.minute) and datetime.fromtimestamp(time, zone).replace(tzinfo=None) != moment:
            continue  # clocks went forward: this local time did not exist
        if time >= low and (not kept or time > kept[-1][0]):
            kept.append((time, moment))
        if len(kept) > most:
            return []
    return kept


def _moments(
    start: datetime, end: datetime, apart: float
) -> Iterator[tuple[Iterator[datetime], Callable[[datetime], str]]]:
    """Yield candidate ticks with their label function, for every step of at least `apart` seconds."""
    if apart <= 0.1:
        yield _from_midnight(start, end, _second_part(apart)), _with_fraction
    for seconds in CLOCK_STEPS:
        if seconds >= apart:
            yield _from_midnight(start, end, timedelta(seconds=seconds)), (_clock if seconds < _MINUTE else _hour)
    for days in DAY_STEPS:
        if days * _DAY >= apart:
            yield _days(start, end, days), _day
    for months in MONTH_STEPS:
        if months * _MONTH >= apart:
            yield _months(start, end, months), _month
    years = 1
    while years <= 5000:
        if years * _YEAR >= apart:
            yield _years(start, end, years), _year
        years *= 5 if str(years)[0] == "1" else 2


def _second_part(apart: float) -> timedelta:
    """Return the smallest power of ten of at least `apart` < 1 seconds, but no less than a microsecond."""
    return timedelta(seconds=10.0 ** math.ceil(math.log10(max(apart, 1e-6))))


def _from_midnight(start: datetime, end: datetime, step: timedelta) -> Iterator[datetime]:
    midnight = start.replace(hour=0, minute=0, second=0, microsecond=0)
    moment = midnight + (start - midnight) // step * step
    # An hour of slack at both ends: local time may have been set forward or back in between.
    for _ in range(10_000):
        if moment > end + timedelta(hours=1):
            return
        yield moment
        moment = _later(moment, step)


def _later(moment: datetime, step: timedelta) -> datetime:
    try:
        return moment + step
    except OverflowError:  # the year 9999 is over: nothing that follows is within any window
        return moment.replace(year=9999, month=12, day=31)


def _days(start: datetime, end: datetime, days: int) -> Iterator[datetime]:
    """Yield every n-th day, counted from a fixed one, so that ticks stay when the window moves."""
    first = start.toordinal() // days * days
    for ordinal in range(max(first, 1), end.toordinal() + 1, days):
        yield datetime.fromordinal(ordinal)


def _months(start: datetime, end: datetime, months: int) -> Iterator[datetime]:
    first = (start.year * 12 + start.month - 1) // months * months
    for index in range(max(first, 12), end.year * 12 + end.month, months):
        yield start.replace(index // 12, index % 12 + 1, 1, 0, 0, 0, 0)


def _years(start: datetime, end: datetime, years: int) -> Iterator[datetime]:
    for year in range(max(start.year // years * years, 1), end.year + 1, years):
        yield start.replace(year, 1, 1, 0, 0, 0, 0)


def _with_fraction(moment: datetime) -> str:
    return f"{moment:%S}{_fraction(moment)}s"


def _fraction(moment: datetime) -> str:
    """Return the part of a second: `.25`; empty for a whole second."""
    return f"{moment.microsecond / 1e6:.6f}"[1:].rstrip("0").rstrip(".")


def _clock(moment: datetime) -> str:
    return f"{moment:%H:%M:%S}"


def _hour(moment: datetime) -> str:
    return f"{moment:%H:%M}" if moment.hour or moment.minute else _day(moment)


def _day(moment: datetime) -> str:
    return f"{moment.day} {MONTHS[moment.month - 1]}"


def _month(moment: datetime) -> str:
    return MONTHS[moment.month - 1] if moment.month > 1 else str(moment.year)


def _year(moment: datetime) -> str:
    return str(moment.year)
