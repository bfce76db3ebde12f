"""Numbers, steps, durations and times in few characters, with a bounded width for any input."""

from __future__ import annotations

import math
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

from tbtui.maths.x_values import guess_wall_time_unit

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import tzinfo

DIGITS = 5
"""Default maximum of significant digits."""

MAX_DIGITS = 15
"""Maximum of significant digits that separate values: more would show rounding errors of doubles."""

EXACT_DIGITS, MIN_ULPS = 17, 3
"""All digits of a double. They are used for values with equal texts that differ by more than rounding errors: integers,
or values more than `MIN_ULPS` units in the last place apart."""

PLAIN_DIGITS = 7
"""Significant digits from which on a large number with all its digits has neither prefix nor exponent."""

BRIEF_DIGITS = 3
"""Default maximum of significant digits of brief texts."""

MAX_BRIEF_COLUMNS = 8
"""Maximum characters of brief texts."""

SI_PREFIXES = {3: "k", 6: "M", 9: "G", 12: "T"}
PLAIN_FROM, PLAIN_BELOW = 1e-3, 1e5
"""Magnitudes from `PLAIN_FROM` to before `PLAIN_BELOW` have neither prefix nor exponent."""

BRIEF_BELOW = 1e4
"""Magnitude below which numbers in brief texts, and steps, are plain."""

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def name_nonfinite(value: float) -> str | None:
    """Return `NaN`, `Inf` or `-Inf`; None for a finite value."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    return None


def format_number(value: float, width: int = 8, digits: int = DIGITS) -> str:
    """Return a value in at most `width` characters and 5 significant digits: `0.0213`, `12345`, `1.2346M`, `1.235e38`.

    Args:
        value: Any float; NaN and infinities are written as words.
        width: Maximum characters, at least 7, which is enough for every float; digits are dropped to fit.
        digits: Maximum of significant digits; with more than `DIGITS`, `width` does not apply.
    """
    word = name_nonfinite(value)
    if word is not None:
        return word
    max_width = width if digits <= DIGITS else digits + 8
    for count in range(digits, 0, -1):
        # `1234567` rather than `1.234567M`
        text = _round_digits(value, count, 10.0**count if count >= PLAIN_DIGITS else PLAIN_BELOW)
        if len(text) <= max_width:
            break
    return text


def format_difference(value: float, width: int = 9, digits: int = DIGITS) -> str:
    """Return a difference: `+0.0106`, `-1.2`, `±0`; like `format_number`, but at least 8 wide."""
    if value == 0:
        return "±0"
    sign = "" if math.isnan(value) else "+" if value > 0 else "-"
    return sign + format_number(abs(value), width - 1, digits)


class NumberFormat(Protocol):
    """A function that formats a number, such as `format_number` or `format_difference`."""

    def __call__(self, value: float, /, *, digits: int) -> str:
        """Return a value with at most `digits` significant digits."""


def format_distinct(
    values: Sequence[float], format_value: NumberFormat = format_number, digits: int = DIGITS
) -> list[str]:
    """Format values of one column so that different values have different texts.

    Values with equal texts get as many more digits as separate them: at most `MAX_DIGITS`, or `EXACT_DIGITS` if their
    differences are not rounding errors.

    Args:
        values: Any values; all NaN are equal.
        format_value: Formats a value.
        digits: Significant digits of values with different texts.
    """
    texts = [format_value(value, digits=digits) for value in values]
    values_by_text: dict[str, set[float]] = {}
    for value, label in zip(values, texts, strict=True):
        if math.isfinite(value):
            values_by_text.setdefault(label, set()).add(value)
    longer: dict[float, str] = {}
    for group in values_by_text.values():
        if len(group) > 1:
            longer.update(_lengthen(group, format_value, digits))
    return [longer.get(value, label) for value, label in zip(values, texts, strict=True)]


def _lengthen(values: Collection[float], format_value: NumberFormat, digits: int) -> dict[float, str]:
    """Return texts of different values with the fewest digits that separate most of them."""
    best: dict[float, str] = {}
    best_count = 0
    for count in range(digits, (EXACT_DIGITS if _are_exact(values) else MAX_DIGITS) + 1):
        texts = {value: format_value(value, digits=count) for value in values}
        distinct = len(set(texts.values()))
        if distinct > best_count:
            best, best_count = texts, distinct
        if distinct == len(values):
            break
    return best


def _are_exact(values: Collection[float]) -> bool:
    """Return True if different finite values differ by more than rounding errors."""
    if all(value.is_integer() for value in values):
        return True
    ordered = sorted(values)
    return all(after - before > MIN_ULPS * math.ulp(after) for before, after in pairwise(ordered))


def format_brief(value: float, digits: int = BRIEF_DIGITS) -> str:
    """Return a value in three significant digits and at most 8 characters: `0.0213`, `2.35`, `12.3k`.

    Used at the end of a line and in the title of a card. Integers below 1,000 have no decimals.

    Args:
        value: Any float.
        digits: Maximum of significant digits; with more than three, the text may be longer.
    """
    word = name_nonfinite(value)
    if word is not None:
        return word
    if value == int(value) and abs(value) < 1000:
        return str(int(value))
    if digits > BRIEF_DIGITS:
        plain_below = 10.0**digits if digits >= PLAIN_DIGITS else BRIEF_BELOW
        return _round_digits(value, digits, plain_below, keep_zeros=True)
    for count in range(digits, 0, -1):
        text = _round_digits(value, count, BRIEF_BELOW, keep_zeros=True)
        if len(text) <= MAX_BRIEF_COLUMNS:
            break
    return text


def format_brief_distinct(values: Sequence[float]) -> list[str]:
    """Return brief texts of values, with more digits for different values with equal texts."""
    return format_distinct(values, format_brief, BRIEF_DIGITS)


def _round_digits(value: float, digits: int, plain_below: float = PLAIN_BELOW, *, keep_zeros: bool = False) -> str:
    """Return a value with `digits` significant digits: plain, with an SI prefix or with an exponent."""
    if value == 0:
        return "0"
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    exponent = int(power)
    magnitude = abs(float(f"{mantissa}e{power}")) if exponent < 308 else math.inf
    if PLAIN_FROM <= magnitude < plain_below:
        scaled, suffix = f"{value:.{max(digits - 1 - exponent, 0)}f}", ""
    elif plain_below <= magnitude < 1e15:
        thousands = exponent // 3 * 3
        decimals = max(digits - 1 - exponent + thousands, 0)
        scaled, suffix = f"{value / 10.0**thousands:.{decimals}f}", SI_PREFIXES[thousands]
    else:
        scaled, suffix = mantissa, f"e{exponent}"
    if keep_zeros and not suffix:
        return scaled
    return trim_zeros(scaled) + suffix


def trim_zeros(digits: str) -> str:
    """Return decimal digits without trailing zeros after the point."""
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def format_count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: `1 run`, `7 runs`, `1,200 values`, `3 summaries`; `plural` if it is irregular."""
    plural = plural or (f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s")
    return f"{number:,} {noun if number == 1 else plural}"


def format_size(nbytes: float) -> str:
    """Return bytes as `512 B`, `4.2 kB`, `123 MB`; powers of 1000."""
    amount, unit = float(nbytes), "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if amount < 999.5 or unit == "TB":
            break
        amount /= 1000
    return f"{amount:.1f} {unit}" if unit != "B" and amount < 99.95 else f"{amount:,.0f} {unit}"


def format_step(value: int) -> str:
    """Return a short step: all digits below 10,000, otherwise three digits and a prefix: `440`, `12.5k`, `1.23M`."""
    value = int(value)
    if abs(value) < BRIEF_BELOW:
        return str(value)
    mantissa, _, power = f"{value:.2e}".partition("e")
    exponent = int(power)
    if exponent >= 15:
        return f"{trim_zeros(mantissa)}e{exponent}"
    thousands = exponent // 3 * 3
    scaled = float(mantissa) * 10 ** (exponent - thousands)
    return trim_zeros(f"{scaled:.{2 - exponent + thousands}f}") + SI_PREFIXES[thousands]


def format_duration(seconds: float) -> str:
    """Return a duration in its two leading units: `350ms`, `4.2s`, `42s`, `3m12s`, `3h12m`, `2d4h`, `412d`."""
    word = name_nonfinite(seconds)
    if word is not None:
        return word
    if seconds < 0:
        return "-" + format_duration(-seconds)
    if seconds < 59.5:
        return _format_seconds(seconds)
    if seconds < _HOUR - 0.5:
        return _format_two_units(round(seconds), 60, "m", "s")
    if seconds < _DAY - 30:
        return _format_two_units(round(seconds / _MINUTE), 60, "h", "m")
    if seconds < 100 * _DAY:
        return _format_two_units(round(seconds / _HOUR), 24, "d", "h")
    return format_number(round(seconds / _DAY), 7) + "d"


def _format_seconds(seconds: float) -> str:
    if seconds == 0:
        return "0s"
    if seconds < 0.9995e-9:
        return format_number(seconds, 7) + "s"
    if seconds < 0.9995e-3:
        amount, unit = (seconds * 1e9, "ns") if seconds < 0.9995e-6 else (seconds * 1e6, "µs")
    else:
        amount, unit = (seconds * 1e3, "ms") if seconds < 0.9995 else (seconds, "s")
    return trim_zeros(f"{amount:.{1 if amount < 9.95 else 0}f}") + unit


def _format_two_units(amount: int, size: int, large_unit: str, small_unit: str) -> str:
    large, small = divmod(amount, size)
    return f"{large}{large_unit}{small}{small_unit}" if small else f"{large}{large_unit}"


def spell_age(seconds: float) -> str:
    """Return an age in one unit as words: `4 seconds`, `1 minute`, `5 days`; `0 seconds` for a time in the future."""
    word = name_nonfinite(seconds)
    if word is not None:
        return word
    unit_seconds, unit = next((unit for unit in _AGE_UNITS if seconds >= unit[0]), (1, "second"))
    amount = max(int(seconds // unit_seconds), 0)
    if amount >= 100_000:
        return f"{format_number(amount, 7)} {unit}s"
    return format_count(amount, unit, f"{unit}s")


_AGE_UNITS = ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute"))


def format_clock(wall_time: float, zone: tzinfo | None = None) -> str:
    """Return a wall time as local date and time, `2026-11-20 18:23:05`, or as a number outside the calendar.

    A wall time that was logged in milliseconds or smaller units by mistake is converted to seconds.

    Args:
        wall_time: Seconds since the epoch.
        zone: Time zone; None: the zone of the machine.
    """
    try:
        return datetime.fromtimestamp(wall_time / guess_wall_time_unit(wall_time)[0], zone).strftime(
            "%Y-%m-%d %H:%M:%S"
        )
    except (ValueError, OverflowError, OSError):
        return format_number(wall_time)
