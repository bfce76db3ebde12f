"""Numbers of one column: one notation, and as many decimals as their spread needs.

Numbers in a column are compared digit by digit, which requires equal decimals in all of them: 0.82084 above 0.86783,
not 0.820839 above 0.86782795. Zeros at the end are left out; the table aligns the decimal points.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from tbtui.charts.numbers import (
    DIGITS,
    PLAIN_BELOW,
    PLAIN_FROM,
    SI_PREFIXES,
    format_difference,
    format_distinct,
    format_number,
    trim_zeros,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

SPREAD_DIGITS = 4
"""Significant digits of the difference between the minimum and the maximum of a column."""

MIN_DIGITS = 3
"""Significant digits of the value nearest to zero, within `MAX_USUAL_DIGITS`."""

MAX_USUAL_DIGITS = 7
"""Digits of the largest value, unless its neighbours are closer."""

MAX_EXTRA_DIGITS = 4
"""Maximum additional decimals of all values so that their texts differ. Only values that are closer have more."""

PLAIN_INTEGERS_BELOW = 1e8
"""Integers of a column are written in full below this magnitude."""

SIGNED_WIDTH = 8
"""Maximum characters of a difference that is formatted by itself."""

OUTLIER_FACTOR = 1e3
"""Factor beyond the range of a notation from which a value is written with an exponent; the others keep the
notation."""


def format_column(values: Sequence[float], *, with_signs: bool = False) -> list[str]:
    """Return the texts of one column; different values have different texts, within the precision of doubles.

    Args:
        values: Any values. NaN and infinities are written as words.
        with_signs: Format the values as differences: `+0.0106`, `±0`.
    """
    format_value = partial(format_difference, width=SIGNED_WIDTH) if with_signs else format_number
    different = {value for value in values if math.isfinite(value)}
    if len(different) < 2:
        return [format_value(value) for value in values]
    column = _Column(different)
    texts = column.texts
    for group in _group_equal_texts(texts):
        texts |= zip(group, format_distinct(group), strict=True)
    if with_signs:
        texts = {
            value: "±0" if not value else format_value if value < 0 else f"+{format_value}"
            for value, format_value in texts.items()
        }
    return [texts[value] if value in texts else format_value(value) for value in values]


def format_columns(columns: Sequence[Sequence[float | None]], missing: str = "") -> list[list[str]]:
    """Format columns of one quantity, such as last, minimum and maximum, with different texts for different values.

    Args:
        columns: Any values; None is missing.
        missing: Text of a missing value.
    """
    texts = iter(format_column([value for column in columns for value in column if value is not None]))
    return [[missing if value is None else next(texts) for value in column] for column in columns]


def _group_equal_texts(texts: dict[float, str]) -> Iterable[list[float]]:
    """Return the groups of values with equal texts."""
    if len(set(texts.values())) == len(texts):
        return []  # nearly always; the lists below are expensive
    groups: dict[str, list[float]] = {}
    for value, text in texts.items():
        groups.setdefault(text, []).append(value)
    return [group for group in groups.values() if len(group) > 1]


class _Column:
    """The notation of one column.

    Args:
        values: Different finite values.
    """

    def __init__(self, values: set[float]) -> None:
        sizes = sorted(abs(value) for value in values if value)
        middles = [sizes[(len(sizes) - 1) // 2], sizes[len(sizes) // 2]] if sizes else [1.0]
        are_integers = all(value.is_integer() for value in values)
        below = PLAIN_INTEGERS_BELOW if are_integers else PLAIN_BELOW
        middle = next((size for size in middles if PLAIN_FROM / 10 <= size < below), middles[0])
        self._power = 0 if middle < below else min(math.floor(math.log10(middle)) // 3 * 3, max(SI_PREFIXES))
        is_plain = PLAIN_FROM / 10 <= middle / 10.0**self._power < (1000 if self._power else below)
        bounds = (PLAIN_FROM / OUTLIER_FACTOR, below * OUTLIER_FACTOR) if is_plain else (math.inf, math.inf)
        self._low, self._high = bounds
        plain = [value for value in values if self._is_plain(value)]
        others = [value for value in values if value and not self._is_plain(value)]
        usual = _choose_decimals([value / 10.0**self._power for value in plain])
        self.texts = dict.fromkeys(values, "0")
        """Text of each value."""

        self.texts |= _distinguish(plain, usual, self._format_plain)
        self.texts |= _distinguish(others, DIGITS - 1, _format_exponent)

    def _is_plain(self, value: float) -> bool:
        return value != 0 and self._low <= abs(value) / 10.0**self._power < self._high

    def _format_plain(self, value: float, decimals: int) -> str:
        text = trim_zeros(f"{value / 10.0**self._power:.{decimals}f}")
        # A value that would be rounded to zero has a notation of its own.
        return f"{text}{SI_PREFIXES.get(self._power, '')}" if text.strip("-0.") else format_number(value)


def _distinguish(values: Sequence[float], decimals: int, format_value: Callable[[float, int], str]) -> dict[float, str]:
    """Return the texts with the fewest decimals, at least `decimals`, that give most values different texts."""
    best: list[str] = []
    best_count = 0
    for decimals_tried in range(decimals, decimals + MAX_EXTRA_DIGITS + 1):
        texts = [format_value(value, decimals_tried) for value in values]
        count = len(set(texts))
        if count > best_count:
            best, best_count = texts, count
        if count == len(values):
            break
    return dict(zip(values, best, strict=False))


def _choose_decimals(values: Sequence[float]) -> int:
    """Return the decimals that show the spread of values, and the value nearest to zero, within `MAX_USUAL_DIGITS`."""
    if not values or all(value.is_integer() for value in values):
        return 0
    low, high = min(map(abs, values)), max(map(abs, values))
    spread = max(values) - min(values)
    integer_digits = math.floor(math.log10(high)) + 1
    decimals_of_spread = SPREAD_DIGITS - 1 - math.floor(math.log10(spread)) if spread > 0 else DIGITS - integer_digits
    decimals_of_smallest = MIN_DIGITS - 1 - math.floor(math.log10(low))
    return max(min(max(decimals_of_spread, decimals_of_smallest), MAX_USUAL_DIGITS - max(integer_digits, 0)), 0)


def _format_exponent(value: float, decimals: int) -> str:
    mantissa, _, power = f"{value:.{decimals}e}".partition("e")
    return f"{trim_zeros(mantissa)}e{int(power)}"
