"""Ticks for every kind of axis, in sets from fine to coarse; a layout takes the first set whose labels fit."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from tbtui.charts.numbers import (
    BRIEF_BELOW,
    PLAIN_BELOW,
    PLAIN_FROM,
    SI_PREFIXES,
    format_clock,
    format_duration,
    format_number,
    format_step,
    trim_zeros,
)
from tbtui.charts.numbers import DIGITS as DEFAULT_DIGITS
from tbtui.frozen import frozen
from tbtui.maths.domain import choose_nice_step
from tbtui.maths.stops import stop_x
from tbtui.maths.x_values import MAX_EXACT_INTEGER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import tzinfo

    from tbtui.charts.axis import Axis, Kind


DIGITS = ((1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 5), (1, 3), (1,))
"""First digits of ticks, from fine to coarse."""

STRIDES = (2, 3, 5, 10, 20, 50, 100, 200)
"""Decades between ticks of a log axis with many decades."""

_CLOCKS = (
    ((1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200), 1, (1, 2, 5)),
    ((1, 10, 60, 600, 3600, 21600), 1, (1,)),
    ((1, 60, 3600), 3, (1,)),
    ((1, 3600), 3, (1,)),
    *(((1,), stride, (1,)) for stride in STRIDES[2:]),
)
"""Ticks of a log axis of durations, from fine to coarse: seconds from one to a day; stride and first digits of
fractions of a second and of days."""


def iter_log_values(low: float, high: float, kind: Kind, max_ticks: int) -> Iterator[list[float]]:
    """Yield sets of two to `max_ticks` positive values, from fine to coarse; none if the axis spans few digits."""
    for ladder, digits in _iter_ladders(low, high, kind, max_ticks):
        values = _slice_ladder(ladder, low, high)
        if min(digits, 2) + 1 <= len(values) <= max_ticks:
            yield list(values)


def iter_symlog_values(low: float, high: float, threshold: float, kind: Kind, max_ticks: int) -> Iterator[list[float]]:
    """Yield sets of two to `max_ticks` values: zero, and magnitudes from the threshold on in both directions.

    A decade next to zero is shorter on a symlog scale than the others, so the smallest magnitudes are dropped first.
    """
    if low > 0:
        yield from iter_log_values(low, high, kind, max_ticks)
        return
    if high < 0:
        for values in iter_log_values(-high, -low, kind, max_ticks):
            yield [-value for value in reversed(values)]
        return
    sets: dict[tuple[float, ...], int] = {}
    for ladder, digits in _iter_ladders(threshold, max(-low, high, threshold), kind, max_ticks):
        sizes = _slice_ladder(ladder, threshold, math.inf)
        for skipped in range(max(len(sizes) - max_ticks, 0), len(sizes)) if digits == 1 else (0,):
            below, above = _slice_ladder(sizes[skipped:], 0, -low), _slice_ladder(sizes[skipped:], 0, high)
            sets.setdefault((*(-size for size in reversed(below)), 0.0, *above), skipped)
    for ticks in sorted(sets, key=lambda ticks: (-len(ticks), sets[ticks])):
        if 2 <= len(ticks) <= max_ticks:
            yield list(ticks)


def _slice_ladder(ladder: tuple[float, ...], low: float, high: float) -> tuple[float, ...]:
    return ladder[bisect_left(ladder, low) : bisect_right(ladder, high)]


def _iter_ladders(low: float, high: float, kind: Kind, max_ticks: int) -> Iterator[tuple[tuple[float, ...], int]]:
    """Yield ascending round values (at least those within limits) and their number per decade, from fine to coarse."""
    if kind == "duration":
        for clock, stride, digits in _CLOCKS:
            parts = _list_decade_values(min(low, 1.0), 0.99, stride, digits)
            days = _list_decade_values(1.0, max(high / _DAY, 1.0), stride, digits)
            yield (*parts, *map(float, clock), *(day * _DAY for day in days)), len(digits)
        return
    if math.log10(high) - math.log10(low) <= max_ticks:
        for digits in DIGITS:
            yield _list_decade_values(low, high, 1, digits, integers_only=kind == "step"), len(digits)
    for stride in STRIDES:
        yield _list_decade_values(low, high, stride, (1,), integers_only=kind == "step"), 1


def _list_decade_values(
    low: float, high: float, stride: int, digits: Sequence[int], *, integers_only: bool = False
) -> tuple[float, ...]:
    """Return the products of digits and powers of ten from low to high; exponents are multiples of the stride."""
    first, last = math.floor(math.log10(low)) // stride * stride, math.floor(math.log10(high))
    if integers_only:
        first = max(first, 0)
    values = (float(f"{digit}e{exponent}") for exponent in range(first, last + 1, stride) for digit in digits)
    return tuple(value for value in values if low <= value <= high)


LABEL_WIDTH = 8
"""Maximum width of the label of a number."""


MAX_EXACT_DIGITS = 17
"""Significant digits that identify any float64."""


def format_linear_labels(values: Sequence[float], step_exponent: int, plain_below: float = PLAIN_BELOW) -> list[str]:
    """Return labels of evenly spaced values, all with the same decimals and the same prefix or exponent.

    If these are too wide because the values differ only in late digits, the first value is written in full and the
    others as differences from it: `1.0000G`, `+2`, `+4`, or `0.69314716`, `+2e-8`, `+4e-8`.

    Args:
        values: Multiples of the step, ascending.
        step_exponent: Exponent of the step, which is 1, 2 or 5 times this power of ten.
        plain_below: Minimum magnitude of values with a prefix.
    """
    greatest = max(map(abs, values))
    power = _find_common_power(greatest, plain_below)
    decimals = max(power - step_exponent, 0)
    if decimals <= LABEL_WIDTH:
        labels = [_format_label(value, power, decimals) for value in values]
        if max(map(len, labels)) <= LABEL_WIDTH:
            return labels
    base = values[0]
    digits = math.floor(math.log10(abs(base))) - step_exponent + 1 if base else 1
    return [
        _format_exactly(base, digits),
        *("+" + format_number(value - base, LABEL_WIDTH - 1) for value in values[1:]),
    ]


def _format_exactly(value: float, digits: int) -> str:
    """Return a value with `digits` significant digits, or with fewer if the others are zero."""
    digits_needed = DEFAULT_DIGITS
    while digits_needed < min(digits, MAX_EXACT_DIGITS) and float(f"{value:.{digits_needed - 1}e}") != value:
        digits_needed += 1
    return format_number(value, LABEL_WIDTH, digits_needed)


def _find_common_power(greatest: float, plain_below: float) -> int:
    """Return the exponent of the power of ten that all labels of an axis share."""
    if greatest == 0 or PLAIN_FROM <= greatest < plain_below:
        return 0
    exponent = math.floor(math.log10(greatest))
    return exponent // 3 * 3 if 3 <= exponent < 15 else exponent


def _format_label(value: float, power: int, decimals: int) -> str:
    suffix = "" if power == 0 else SI_PREFIXES.get(power, f"e{power}")
    if value == 0:
        return f"{0:.{decimals}f}" if not suffix else "0"
    half = power // 2  # in two steps, since 10 ** 320 is no float
    return f"{value / 10.0**half / 10.0 ** (power - half):.{decimals}f}{suffix}"


def log_labels(values: Sequence[float]) -> list[str]:
    """Return labels of values on a log axis: plain if all are between 0.001 and 10,000, else all with exponents."""
    sizes = [abs(value) for value in values if value]
    if all(PLAIN_FROM <= size <= 1e4 for size in sizes):
        return [trim_zeros(f"{value:.6f}") for value in values]
    return [_format_exponential(value) for value in values]


def _format_exponential(value: float) -> str:
    if value == 0:
        return "0"
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"{trim_zeros(mantissa)}e{int(exponent)}"


def step_labels(values: Sequence[float]) -> list[str]:
    """Return labels of whole steps on a log axis: plain if all are below 10,000, else thousands with a prefix: `1k`."""
    if max(map(abs, values)) < BRIEF_BELOW:
        return [str(int(value)) for value in values]
    return [f"{value / 1000:g}k" if 1000 <= abs(value) < BRIEF_BELOW else format_step(int(value)) for value in values]


def format_offset_labels(values: Sequence[float], origin: int) -> list[str]:
    """Return labels of enormous steps relative to `origin`, whose own label is written in full."""
    return [
        format_number(origin) if value == 0 else f"{'+' if value > 0 else ''}{format_number(value, 7)}"
        for value in values
    ]


def format_duration_labels(values: Sequence[float]) -> list[str]:
    """Return labels of durations: `0`, `30s`, `1m30s`, `2h`.

    If two units do not distinguish them, all but the first are differences from it: `3h12m`, `+5s`, `+10s`.
    """
    labels = ["0" if value == 0 else format_duration(value) for value in values]
    if len(set(labels)) < len(labels):
        labels[1:] = ["+" + format_duration(value - values[0]) for value in values[1:]]
    return labels


def format_axis_value(axis: Axis, value: float, zone: tzinfo | None = None) -> str:
    """Return the label of one value of an axis, such as the cursor: steps in full, times to the second.

    Enormous steps are counted from the origin, like the ticks.
    """
    if axis.kind == "wall":
        return format_clock(value, zone)
    if axis.kind == "duration":
        return format_duration(stop_x(value))
    if axis.kind == "step" and axis.origin:
        return format_offset_labels((value,), axis.origin)[0]
    if axis.kind == "step" and abs(value) < MAX_EXACT_INTEGER and (step := stop_x(value)) == math.floor(step):
        return str(int(step))
    return format_number(value)


NEXT_DIGIT = {1: 2, 2: 5, 5: 1}

DURATION_STEPS = (
    *(1, 2, 5, 10, 15, 30),
    *(60, 120, 300, 600, 900, 1800),
    *(3600, 7200, 10800, 21600, 43200),
)
"""Steps in seconds. Shorter steps, and longer ones in days, are 1, 2 or 5 times a power of ten."""

_DAY = 86400


@frozen
class Tick:
    """A labelled value on an axis."""

    value: float
    label: str


def iter_tick_sets(axis: Axis, max_ticks: int, zone: tzinfo | None = None) -> Iterator[tuple[Tick, ...]]:
    """Yield sets of ticks within the axis, each coarser than the one before; a set has at least one tick.

    Args:
        axis: The axis.
        max_ticks: Maximum number of ticks in a set.
        zone: Time zone of wall times; None: the zone of the machine.
    """
    max_ticks = max(max_ticks, 1)
    if axis.kind == "wall":
        from tbtui.charts.calendar_ticks import iter_wall_tick_sets  # other axes start faster without

        for values, labels in iter_wall_tick_sets(axis.low, axis.high, max_ticks, zone):
            yield tuple(map(Tick, values, labels))
    elif axis.scale == "log":
        yield from _iter_log_sets(axis, max_ticks)
    elif axis.scale == "symlog":
        yield from _iter_symlog_sets(axis, max_ticks)
    else:
        yield from _iter_even_sets(axis, max_ticks)


def _iter_even_sets(axis: Axis, max_ticks: int) -> Iterator[tuple[Tick, ...]]:
    """Yield sets of evenly spaced ticks."""
    yield from (_iter_duration_sets if axis.kind == "duration" else _iter_linear_sets)(axis, max_ticks)


def choose_ticks(sets: Iterator[tuple[Tick, ...]], fits: Callable[[tuple[Tick, ...]], bool]) -> tuple[Tick, ...]:
    """Return the finest set that fits; empty if none does."""
    return next((ticks for ticks in sets if fits(ticks)), ())


def _iter_linear_sets(axis: Axis, max_ticks: int) -> Iterator[tuple[Tick, ...]]:
    digit, exponent = _find_first_step(axis.low, axis.high, max_ticks)
    if axis.kind == "step" and exponent < 0:
        digit, exponent = 1, 0
    for values, step_exponent in _iter_coarser_steps(axis.low, axis.high, digit, exponent):
        if len(values) <= max_ticks:
            yield tuple(map(Tick, values, _number_labels(axis, values, step_exponent)))


def _iter_coarser_steps(low: float, high: float, digit: int, exponent: int) -> Iterator[tuple[list[float], int]]:
    """Yield multiples of a round step within limits, then of longer ones, with their power of ten.

    The last set has a single value; steps finer than the resolution of floats are skipped.
    """
    while float(f"{digit}e{exponent}") / 4 <= high / 2 - low / 2:
        values = compute_multiples(low, high, digit, exponent)
        if values:
            yield values, exponent
        if len(values) == 1:
            return
        exponent += digit == 5
        digit = NEXT_DIGIT[digit]


def _find_first_step(low: float, high: float, max_ticks: int) -> tuple[int, int]:
    return choose_nice_step(min(max((high / 2 - low / 2) / max_ticks * 2, 5e-324), 8e307))


def _number_labels(axis: Axis, values: Sequence[float], exponent: int) -> list[str]:
    if axis.origin:
        return format_offset_labels(values, axis.origin)
    return format_linear_labels(values, exponent, BRIEF_BELOW if axis.kind == "step" else PLAIN_BELOW)


def compute_multiples(low: float, high: float, digit: int, exponent: int) -> list[float]:
    """Return the multiples of `digit * 10 ** exponent` from low to high, each rounded once.

    Empty if the step is finer than the resolution of floats. The step must not be small compared with the range.
    """
    step = float(f"{digit}e{exponent}")
    if step == 0 or not math.isfinite(step) or low + step == low or high - step == high:
        return []
    slack = 1e-9  # of a step: 3 * 0.1 belongs to an axis that ends at 0.3
    first, last = math.ceil(low / step - slack), math.floor(high / step + slack)
    values = (float(f"{count * digit}e{exponent}") for count in range(first, last + 1))
    clamped = [min(max(value, low), high) for value in values]
    return clamped if all(before < after for before, after in pairwise(clamped)) else []


def _iter_log_sets(axis: Axis, max_ticks: int) -> Iterator[tuple[Tick, ...]]:
    """Yield round values; if the axis spans less than a decade, also the ticks of a linear axis."""
    for values in iter_log_values(axis.low, axis.high, axis.kind, max_ticks):
        yield tuple(map(Tick, values, _format_log_labels(axis, values)))
    if axis.high / 10 < axis.low:
        yield from _iter_even_sets(axis, max_ticks)


def _iter_symlog_sets(axis: Axis, max_ticks: int) -> Iterator[tuple[Tick, ...]]:
    for values in iter_symlog_values(axis.low, axis.high, axis.threshold, axis.kind, max_ticks):
        yield tuple(map(Tick, values, _format_log_labels(axis, values)))
    yield from _iter_even_sets(axis, max_ticks)


def _format_log_labels(axis: Axis, values: Sequence[float]) -> list[str]:
    if axis.kind == "duration":
        return format_duration_labels(values)
    return step_labels(values) if axis.kind == "step" else log_labels(values)


def _iter_duration_sets(axis: Axis, max_ticks: int) -> Iterator[tuple[Tick, ...]]:
    min_spacing = (axis.high / 2 - axis.low / 2) / max_ticks * 2
    if min_spacing <= DURATION_STEPS[0] / 2:
        yield from _iter_duration_multiples(axis, max_ticks, 1.0)
        return
    for seconds in DURATION_STEPS[bisect_left(DURATION_STEPS, min_spacing) :]:
        values = [
            float(seconds * count)
            for count in range(math.ceil(axis.low / seconds), math.floor(axis.high / seconds) + 1)
        ]
        if 1 <= len(values) <= max_ticks:
            yield tuple(map(Tick, values, format_duration_labels(values)))
    yield from _iter_duration_multiples(axis, max_ticks, _DAY)


def _iter_duration_multiples(axis: Axis, max_ticks: int, unit: float) -> Iterator[tuple[Tick, ...]]:
    """Yield round multiples of a second, or whole ones of a day."""
    low, high = axis.low / unit, axis.high / unit
    digit, exponent = _find_first_step(low, high, max_ticks)
    if unit == _DAY and exponent < 0:
        digit, exponent = 1, 0
    for values, _ in _iter_coarser_steps(low, high, digit, exponent):
        if len(values) <= max_ticks:
            seconds = [min(max(value * unit, axis.low), axis.high) for value in values]
            yield tuple(map(Tick, seconds, format_duration_labels(seconds)))
