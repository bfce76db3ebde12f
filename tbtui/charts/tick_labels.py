"""Words for ticks: one form for a whole axis, so that labels align on the decimal and stay short."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts.numbers import (
    BRIEF_BELOW,
    PLAIN_BELOW,
    PLAIN_FROM,
    SI_PREFIXES,
    clock,
    duration,
    short,
    step,
    trim_zeros,
)
from tbtui.series.axes import EXACT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    from tbtui.charts.axis import Axis

LABEL_WIDTH = 8
"""No label of a number is wider."""


def linear_labels(values: Sequence[float], step_exponent: int, plain_below: float = PLAIN_BELOW) -> list[str]:
    """Labels of evenly spaced values, all with the same decimals and the same prefix or exponent.

    Where that would be too wide because the values differ only in late digits, the first is written in full and the
    others as what they add to it: `1.0000G`, `+2`, `+4`.

    Args:
        values: Multiples of the step, ascending.
        step_exponent: Power of ten of the step, which is 1, 2 or 5 times it.
        plain_below: Magnitudes from here on take a prefix.
    """
    greatest = max(map(abs, values))
    power = _common_power(greatest, plain_below)
    decimals = max(power - step_exponent, 0)
    if decimals <= LABEL_WIDTH:
        labels = [_label(value, power, decimals) for value in values]
        if max(map(len, labels)) <= LABEL_WIDTH:
            return labels
    base = values[0]
    return [short(base, LABEL_WIDTH), *("+" + short(value - base, LABEL_WIDTH - 1) for value in values[1:])]


def _common_power(greatest: float, plain_below: float) -> int:
    """The power of ten that all labels of an axis leave out."""
    if greatest == 0 or PLAIN_FROM <= greatest < plain_below:
        return 0
    exponent = math.floor(math.log10(greatest))
    return exponent // 3 * 3 if 3 <= exponent < 15 else exponent


def _label(value: float, power: int, decimals: int) -> str:
    suffix = "" if power == 0 else SI_PREFIXES.get(power, f"e{power}")
    if value == 0:
        return f"{0:.{decimals}f}" if not suffix else "0"
    half = power // 2  # in two steps, since 10 ** 320 is no float
    return f"{value / 10.0**half / 10.0 ** (power - half):.{decimals}f}{suffix}"


def log_labels(values: Sequence[float]) -> list[str]:
    """Labels of values on a log axis: plain while all are between a thousandth and 10,000, else all with exponents."""
    sizes = [abs(value) for value in values if value]
    if all(PLAIN_FROM <= size <= 1e4 for size in sizes):
        return [trim_zeros(f"{value:.6f}") for value in values]
    return [_exponential(value) for value in values]


def _exponential(value: float) -> str:
    if value == 0:
        return "0"
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"{trim_zeros(mantissa)}e{int(exponent)}"


def step_labels(values: Sequence[float]) -> list[str]:
    """Labels of whole steps on a log axis: plain while all are below 10,000, else thousands with a prefix: `1k`."""
    if max(map(abs, values)) < BRIEF_BELOW:
        return [str(int(value)) for value in values]
    return [f"{value / 1000:g}k" if 1000 <= abs(value) < BRIEF_BELOW else step(int(value)) for value in values]


def offset_labels(values: Sequence[float], origin: int) -> list[str]:
    """Labels of enormous steps, counted from `origin`: the origin's own is written out, the others add to it."""
    return [short(origin) if value == 0 else f"{'+' if value > 0 else ''}{short(value, 7)}" for value in values]


def duration_labels(values: Sequence[float]) -> list[str]:
    """Labels of durations: `0`, `30s`, `1m30s`, `2h`.

    Where two units do not tell them apart, the others say what they add to the first: `3h12m`, `+5s`, `+10s`.
    """
    labels = ["0" if value == 0 else duration(value) for value in values]
    if len(set(labels)) < len(labels):
        labels[1:] = ["+" + duration(value - values[0]) for value in values[1:]]
    return labels


def value_label(axis: Axis, value: float, zone: tzinfo | None = None) -> str:
    """One value of an axis by itself, such as where a cursor stands: steps in full, times to the second.

    Enormous steps are counted from the origin, as the ticks beside it are.
    """
    if axis.kind == "wall":
        return clock(value, zone)
    if axis.kind == "duration":
        return duration(value)
    if axis.kind == "step" and axis.origin:
        return offset_labels((value,), axis.origin)[0]
    if axis.kind == "step" and abs(value) < EXACT and value == math.floor(value):
        return str(int(value))
    return short(value)
