"""Ticks of wall time at round local times; a label shows the unit that changes from tick to tick."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from tbtui.charts.numbers import format_number
from tbtui.maths.x_values import guess_wall_time_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import tzinfo

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_MONTH, _YEAR = 30.4 * _DAY, 365.25 * _DAY

MAX_YEARS = 5000
"""Longest distance of ticks in years."""

MAX_CLOCK_TICKS = 10_000
"""Maximum number of candidates of one clock step, more than fit on any screen: a guard against an endless loop."""

CLOCK_STEPS = (
    *(1, 2, 5, 10, 15, 30),
    *(60, 120, 300, 600, 900, 1800),
    *(3600, 7200, 10800, 21600, 43200),
)
"""Seconds; counted from local midnight."""

MAX_DATED_SECONDS = 2.0
"""Maximum length of an axis, such as that of a single point, that shows date and time in its first label."""

DAY_STEPS = (1, 2, 7, 14)
MONTH_STEPS = (1, 2, 3, 6)
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
"""Independent of the locale: a chart looks the same everywhere."""


class _WallTick(NamedTuple):
    """A tick as wall time, in seconds since the epoch, and as local time."""

    time: float
    moment: datetime


class _Candidates(NamedTuple):
    """Candidate ticks in local time, and the function that formats their labels."""

    moments: Iterator[datetime]
    label: Callable[[datetime], str]


def iter_wall_tick_sets(
    low: float, high: float, max_ticks: int, zone: tzinfo | None = None
) -> Iterator[tuple[list[float], list[str]]]:
    """Yield sets of times with their labels, from fine to coarse; labels outside the calendar are numbers.

    Args:
        low: Seconds since the epoch.
        high: Seconds since the epoch, above `low`.
        max_ticks: Maximum number of ticks in a set.
        zone: Time zone; None: the zone of the machine.
    """
    factor, _ = guess_wall_time_unit(low)
    if factor != 1:  # times logged in milliseconds by mistake
        for times, labels in iter_wall_tick_sets(low / factor, high / factor, max_ticks, zone):
            yield [min(max(time * factor, low), high) for time in times], labels
        return
    try:
        start, end = datetime.fromtimestamp(low, zone), datetime.fromtimestamp(high, zone)
    except (ValueError, OverflowError, OSError):
        yield [low, high][:max_ticks], [format_number(low), format_number(high)][:max_ticks]
        return
    for candidates in _iter_candidates(start.replace(tzinfo=None), end.replace(tzinfo=None), (high - low) / max_ticks):
        ticks = _list_ticks_in_range(candidates.moments, low, high, max_ticks, zone)
        if ticks:
            times, labels = [tick.time for tick in ticks], [candidates.label(tick.moment) for tick in ticks]
            if high - low <= MAX_DATED_SECONDS:
                first = f"{ticks[0].moment:%Y-%m-%d %H:%M:%S}{_format_fraction(ticks[0].moment)}"
                yield times, [first, *labels[1:]]
                yield times, [first.partition(" ")[2], *labels[1:]]
            yield times, labels


def _list_ticks_in_range(
    moments: Iterator[datetime], low: float, high: float, max_ticks: int, zone: tzinfo | None
) -> list[_WallTick]:
    """Return the ticks between two wall times, in order; empty if there are too many.

    A local time that a change to summer time skips or repeats is dropped if it breaks the order.
    """
    ticks: list[_WallTick] = []
    for moment in moments:
        try:
            time = moment.replace(tzinfo=zone).timestamp()
        except (ValueError, OverflowError, OSError):
            continue
        if time > high:
            break
        if (moment.hour or moment.minute) and datetime.fromtimestamp(time, zone).replace(tzinfo=None) != moment:
            continue  # clocks went forward: this local time did not exist
        if time >= low and (not ticks or time > ticks[-1].time):
            ticks.append(_WallTick(time, moment))
        if len(ticks) > max_ticks:
            return []
    return ticks


def _iter_candidates(start: datetime, end: datetime, min_spacing_seconds: float) -> Iterator[_Candidates]:
    """Yield candidate ticks, from fine to coarse, at least `min_spacing_seconds` apart."""
    if min_spacing_seconds <= 0.1:
        yield _Candidates(
            _iter_clock_times(start, end, _choose_fraction_step(min_spacing_seconds)), _format_seconds_with_fraction
        )
    for seconds in CLOCK_STEPS:
        if seconds >= min_spacing_seconds:
            label = _format_clock if seconds < _MINUTE else _format_hour
            yield _Candidates(_iter_clock_times(start, end, timedelta(seconds=seconds)), label)
    for days in DAY_STEPS:
        if days * _DAY >= min_spacing_seconds:
            yield _Candidates(_iter_days(start, end, days), _format_day)
    for months in MONTH_STEPS:
        if months * _MONTH >= min_spacing_seconds:
            yield _Candidates(_iter_months(start, end, months), _format_month)
    years = 1
    while years <= MAX_YEARS:
        if years * _YEAR >= min_spacing_seconds:
            yield _Candidates(_iter_years(start, end, years), _format_year)
        years *= 5 if str(years).startswith("1") else 2  # 1, 5, 10, 50, 100 …


def _choose_fraction_step(min_spacing_seconds: float) -> timedelta:
    """Return the smallest power of ten of at least `min_spacing_seconds` < 1, but no less than a microsecond."""
    return timedelta(seconds=10.0 ** math.ceil(math.log10(max(min_spacing_seconds, 1e-6))))


def _iter_clock_times(start: datetime, end: datetime, step: timedelta) -> Iterator[datetime]:
    midnight = start.replace(hour=0, minute=0, second=0, microsecond=0)
    moment = midnight + (start - midnight) // step * step
    # An hour of slack: local time may change to or from summer time between both ends.
    for _ in range(MAX_CLOCK_TICKS):
        if moment > end + timedelta(hours=1):
            return
        yield moment
        moment = _find_next_moment(moment, step)


def _find_next_moment(moment: datetime, step: timedelta) -> datetime:
    try:
        return moment + step
    except OverflowError:  # after the year 9999, which is after the end of any window
        return moment.replace(year=9999, month=12, day=31)


def _iter_days(start: datetime, end: datetime, days: int) -> Iterator[datetime]:
    """Yield every n-th day, counted from a fixed one, so that ticks keep their days when the window moves."""
    first = start.toordinal() // days * days
    for ordinal in range(max(first, 1), end.toordinal() + 1, days):
        yield datetime.fromordinal(ordinal)


def _iter_months(start: datetime, end: datetime, months: int) -> Iterator[datetime]:
    first = (start.year * 12 + start.month - 1) // months * months
    for index in range(max(first, 12), end.year * 12 + end.month, months):
        yield start.replace(index // 12, index % 12 + 1, 1, 0, 0, 0, 0)


def _iter_years(start: datetime, end: datetime, years: int) -> Iterator[datetime]:
    for year in range(max(start.year // years * years, 1), end.year + 1, years):
        yield start.replace(year, 1, 1, 0, 0, 0, 0)


def _format_seconds_with_fraction(moment: datetime) -> str:
    return f"{moment:%S}{_format_fraction(moment)}s"


def _format_fraction(moment: datetime) -> str:
    """Return the part of a second: `.25`; empty for a whole second."""
    return f"{moment.microsecond / 1e6:.6f}"[1:].rstrip("0").rstrip(".")


def _format_clock(moment: datetime) -> str:
    return f"{moment:%H:%M:%S}"


def _format_hour(moment: datetime) -> str:
    return f"{moment:%H:%M}" if moment.hour or moment.minute else _format_day(moment)


def _format_day(moment: datetime) -> str:
    return f"{moment.day} {MONTHS[moment.month - 1]}"


def _format_month(moment: datetime) -> str:
    return MONTHS[moment.month - 1] if moment.month > 1 else str(moment.year)


def _format_year(moment: datetime) -> str:
    return str(moment.year)
