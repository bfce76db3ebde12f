"""Nice ticks for every kind of axis, from fine to coarse: a layout takes the first set whose labels fit."""

from __future__ import annotations

import math
from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING

from tbtui.charts.calendar_ticks import wall_tick_sets
from tbtui.charts.log_ticks import log_values, symlog_values
from tbtui.charts.numbers import BRIEF_BELOW, PLAIN_BELOW
from tbtui.charts.tick_labels import (
    duration_labels,
    linear_labels,
    log_labels,
    offset_labels,
    step_labels,
)
from tbtui.frozen import frozen
from tbtui.series.domain import nice_step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import tzinfo

    from tbtui.charts.axis import Axis

NEXT_DIGIT = {1: 2, 2: 5, 5: 1}

DURATION_STEPS = (
    *(1, 2, 5, 10, 15, 30),
    *(60, 120, 300, 600, 900, 1800),
    *(3600, 7200, 10800, 21600, 43200),
)
"""Seconds; below and above (in days) come 1, 2 and 5 times powers of ten."""

_DAY = 86400


@frozen
class Tick:
    """A labelled place on an axis."""

    value: float
    label: str


def tick_sets(axis: Axis, most: int, zone: tzinfo | None = None) -> Iterator[tuple[Tick, ...]]:
    """Sets of ticks within the axis, each coarser than the one before; a set has at least one tick.

    Args:
        axis: The axis.
        most: No set has more ticks.
        zone: Time zone of wall times; None is the machine's.
    """
    most = max(most, 1)
    if axis.kind == "wall":
        for values, labels in wall_tick_sets(axis.low, axis.high, most, zone):
            yield tuple(map(Tick, values, labels))
    elif axis.scale == "log":
        yield from _log_sets(axis, most)
    elif axis.scale == "symlog":
        yield from _symlog_sets(axis, most)
    else:
        yield from _even_sets(axis, most)


def _even_sets(axis: Axis, most: int) -> Iterator[tuple[Tick, ...]]:
    """Ticks one distance apart."""
    yield from (_duration_sets if axis.kind == "duration" else _linear_sets)(axis, most)


def first_fitting(sets: Iterator[tuple[Tick, ...]], fits: Callable[[tuple[Tick, ...]], bool]) -> tuple[Tick, ...]:
    """The finest set that fits; none when no set does."""
    return next((ticks for ticks in sets if fits(ticks)), ())


def _linear_sets(axis: Axis, most: int) -> Iterator[tuple[Tick, ...]]:
    digit, exponent = _first_step(axis.low, axis.high, most)
    if axis.kind == "step" and exponent < 0:
        digit, exponent = 1, 0
    for values, exponent_now in _coarser(axis.low, axis.high, digit, exponent):
        if len(values) <= most:
            yield tuple(map(Tick, values, _number_labels(axis, values, exponent_now)))


def _coarser(low: float, high: float, digit: int, exponent: int) -> Iterator[tuple[list[float], int]]:
    """Multiples of a nice step within limits, and of ever longer ones, with the step's power of ten.

    Ends with a single value; steps finer than the floats there can tell apart are passed over.
    """
    while float(f"{digit}e{exponent}") / 4 <= high / 2 - low / 2:
        values = multiples(low, high, digit, exponent)
        if values:
            yield values, exponent
        if len(values) == 1:
            return
        exponent += digit == 5
        digit = NEXT_DIGIT[digit]


def _first_step(low: float, high: float, most: int) -> tuple[int, int]:
    return nice_step(min(max((high / 2 - low / 2) / most * 2, 5e-324), 8e307))


def _number_labels(axis: Axis, values: Sequence[float], exponent: int) -> list[str]:
    if axis.origin:
        return offset_labels(values, axis.origin)
    return linear_labels(values, exponent, BRIEF_BELOW if axis.kind == "step" else PLAIN_BELOW)


def multiples(low: float, high: float, digit: int, exponent: int) -> list[float]:
    """The multiples of `digit * 10 ** exponent` from low to high, each rounded once; few, unless the step is small.

    Empty when the step is finer than the floats there can tell apart.
    """
    step = float(f"{digit}e{exponent}")
    if step == 0 or not math.isfinite(step) or low + step == low or high - step == high:
        return []
    slack = 1e-9  # of a step: 3 * 0.1 belongs to an axis that ends at 0.3
    first, last = math.ceil(low / step - slack), math.floor(high / step + slack)
    values = (float(f"{count * digit}e{exponent}") for count in range(first, last + 1))
    kept = [min(max(value, low), high) for value in values]
    return kept if all(before < after for before, after in pairwise(kept)) else []


def _log_sets(axis: Axis, most: int) -> Iterator[tuple[Tick, ...]]:
    """Round values as far as they fit; the steps of a linear axis where the axis spans few digits."""
    for values in log_values(axis.low, axis.high, axis.kind, most):
        yield tuple(map(Tick, values, _log_labels(axis, values)))
    if axis.high / 10 < axis.low:
        yield from _even_sets(axis, most)


def _symlog_sets(axis: Axis, most: int) -> Iterator[tuple[Tick, ...]]:
    for values in symlog_values(axis.low, axis.high, axis.threshold, axis.kind, most):
        yield tuple(map(Tick, values, _log_labels(axis, values)))
    yield from _even_sets(axis, most)


def _log_labels(axis: Axis, values: Sequence[float]) -> list[str]:
    if axis.kind == "duration":
        return duration_labels(values)
    return step_labels(values) if axis.kind == "step" else log_labels(values)


def _duration_sets(axis: Axis, most: int) -> Iterator[tuple[Tick, ...]]:
    apart = (axis.high / 2 - axis.low / 2) / most * 2
    if apart <= DURATION_STEPS[0] / 2:
        yield from _duration_multiples(axis, most, 1.0)
        return
    for step in DURATION_STEPS[bisect_left(DURATION_STEPS, apart) :]:
        values = [float(step * count) for count in range(math.ceil(axis.low / step), math.floor(axis.high / step) + 1)]
        if 1 <= len(values) <= most:
            yield tuple(map(Tick, values, duration_labels(values)))
    yield from _duration_multiples(axis, most, _DAY)


def _duration_multiples(axis: Axis, most: int, unit: float) -> Iterator[tuple[Tick, ...]]:
    """Nice multiples of a second, or whole ones of a day."""
    low, high = axis.low / unit, axis.high / unit
    digit, exponent = _first_step(low, high, most)
    if unit == _DAY and exponent < 0:
        digit, exponent = 1, 0
    for values, _ in _coarser(low, high, digit, exponent):
        if len(values) <= most:
            seconds = [min(max(value * unit, axis.low), axis.high) for value in values]
            yield tuple(map(Tick, seconds, duration_labels(seconds)))
