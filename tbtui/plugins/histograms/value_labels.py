"""Texts of counts, edges and statistics of histograms, in the dashboard and in print."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.numbers import format_distinct

if TYPE_CHECKING:
    from collections.abc import Sequence

ESTIMATE_SIGN = "~"
"""Sign of a number interpolated within buckets, or computed from their centres."""

MAX_LABEL_COLUMNS = 10
"""Columns of the lower edge of a bar; longer edges are differences from a round number."""

MAX_DECIMALS = 17

COUNT_ROUNDING = 1e-6
"""A count that differs less from a whole number is whole: the rest is a rounding error of added fractions."""


NO_VALUES = "no values in this histogram"

WITHIN_UNKNOWN = "their distribution within it is unknown"
"""Follows the label of one bucket."""

ESTIMATE_NOTE = f"{ESTIMATE_SIGN}: estimated, as if values were spread evenly within their bucket"


def count_label(count: float) -> str:
    """Return `1,200`, or `~34.133` for a fraction that was interpolated within a bucket."""
    if not math.isfinite(count) or count >= 1e15:
        return numbers.format_number(count)
    rounded = round(count)
    if abs(count - rounded) <= max(COUNT_ROUNDING, 1e-12 * count):
        return f"{rounded:,}"
    return ESTIMATE_SIGN + (f"{rounded:,}" if count >= 1000 else numbers.format_number(count))


def estimate_label(text: str, *, is_exact: bool) -> str:
    """Return a text, preceded by the sign of an estimate if it is one."""
    return text if is_exact else ESTIMATE_SIGN + text


def format_edge_labels(edges: Sequence[float]) -> list[str]:
    """Return labels of ascending edges, all different: `100M`, `+2`, `+4` if they differ in late digits only."""
    texts = [numbers.format_number(edge) for edge in edges]
    if len(set(texts)) == len(set(edges)):
        return texts
    texts = format_distinct(edges)
    is_large = max(map(abs, edges)) >= numbers.PLAIN_BELOW
    return _format_offset_labels(edges) if is_large or max(map(len, texts)) > MAX_LABEL_COLUMNS else texts


def _format_offset_labels(values: Sequence[float]) -> list[str]:
    """Return values as differences from a round number, which the first label contains."""
    unit = 10.0 ** math.ceil(math.log10(max(values) - min(values)))
    lower = math.floor(values[0] / unit) * unit
    name, base = min(((_format_exact(base), base) for base in (lower, lower + unit)), key=lambda pair: len(pair[0]))
    differences = [value - base for value in values]
    step = min((after - before for before, after in pairwise(values) if after > before), default=unit)
    decimals = min(max(1 - math.floor(math.log10(step)), 0), MAX_DECIMALS)
    labels = [numbers.trim_zeros(f"{each:+.{decimals}f}") for each in differences]
    if max(map(len, labels)) > MAX_LABEL_COLUMNS:
        labels = format_distinct(differences, numbers.format_difference)
    return [name if differences[0] == 0 else name + labels[0], *labels[1:]]


def _format_exact(value: float) -> str:
    """Return a value in as few digits as identify it."""
    digits = next((digits for digits in range(1, 17) if float(f"{value:.{digits - 1}e}") == value), 17)
    return numbers.format_number(value, width=24, digits=digits)


def format_mean_label(mean: float, std: float, *, is_exact: bool) -> str:
    """Return `0.970 ± 0.005`: the deviation in one digit, in two if it begins with 1 or 2; the mean as precise.

    Only the mean if the deviation is not known.
    """
    if not 0 < std < math.inf or not math.isfinite(mean):
        return estimate_label(numbers.format_number(mean), is_exact=is_exact)
    digits = 2 if f"{std:.1e}"[0] in "12" else 1
    decimals = min(max(digits - 1 - math.floor(math.log10(std)), 0), MAX_DECIMALS)
    text, deviation = f"{mean:.{decimals}f}", f"{std:.{decimals}f}"
    if max(abs(mean), std) >= numbers.PLAIN_BELOW or decimals > MAX_LABEL_COLUMNS or float(text) == 0 != mean:
        digits_of_mean = (
            min(max(math.ceil(math.log10(abs(mean) / std)) + digits, numbers.DIGITS), numbers.MAX_DIGITS) if mean else 1
        )
        text, deviation = numbers.format_number(mean, digits=digits_of_mean), numbers.format_number(std, digits=2)
    return estimate_label(f"{text} ± {deviation}", is_exact=is_exact)


def format_one_bucket_label(count: float, low: float, high: float) -> str:
    """Return `all 512 in one bucket, 0.95 to 0.99`: the edges rounded outwards to the first digit of their distance."""
    return f"all {count_label(count)} in one bucket, {' to '.join(_round_outwards(low, high))}"


def _round_outwards(low: float, high: float) -> tuple[str, str]:
    span = high - low
    if not 0 < span < math.inf:
        return numbers.format_number(low), numbers.format_number(high)
    decimals = -math.floor(math.log10(span))
    if not 0 <= decimals <= MAX_DECIMALS or max(abs(low), abs(high)) >= numbers.PLAIN_BELOW:
        lower, upper = format_distinct((low, high))
        return lower, upper
    unit = 10.0**decimals
    ends = math.floor(low * unit + 1e-9) / unit, math.ceil(high * unit - 1e-9) / unit
    return f"{ends[0]:.{decimals}f}", f"{ends[1]:.{decimals}f}"


def format_content_label(count: float, minimum: float, maximum: float, *, is_one_bucket: bool) -> str:
    """Return a label if the values have no known distribution: none, all equal or in one bucket; otherwise empty."""
    if count == 0:
        return NO_VALUES
    if minimum == maximum and count > 1:
        return f"all {count_label(count)} values are {numbers.format_number(minimum, width=12, digits=9)}"
    return format_one_bucket_label(count, minimum, maximum) if is_one_bucket else ""
