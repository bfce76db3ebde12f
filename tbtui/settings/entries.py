"""Conversion of form entries to values and back: a displayed value is parsed to the same value.

Every reader raises ValueError with a short reason for an entry that cannot be used.
"""

from __future__ import annotations

import math
import re
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tbtui.frozen import frozen
from tbtui.settings.filters import NameFilter
from tbtui.settings.kinds import MAX_LINES
from tbtui.settings.settings import ReferenceLine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tbtui.maths.domain import Scale
    from tbtui.settings.settings import Range, XAxis

_POWERS = {"": "", "k": "e3", "K": "e3", "M": "e6", "G": "e9", "T": "e12"}
_DIGITS = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
_NUMBER = re.compile(rf"([+-]?{_DIGITS})([eE][+-]?[0-9]+|[kKMGT])?")

_SECONDS: Mapping[str, Decimal] = {
    **{unit: Decimal(seconds) for unit, seconds in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1))},
    **{unit: Decimal(seconds) for unit, seconds in (("ms", "1e-3"), ("us", "1e-6"), ("µs", "1e-6"))},
}
_PART = re.compile(rf"\s*({_DIGITS}(?:e[+-]?[0-9]+)?)\s*(ms|us|µs|[dhms])")
_PARTS_BELOW = 1e10
"""Seconds; longer times are shown in seconds: days would not help."""


@frozen
class EntryKind:
    """Conversion between the text of a form entry and a value."""

    read: Callable[[str], Any]
    format: Callable[[Any], str]
    hint: str
    """Examples of valid entries."""


# Numbers


def read_number(text: str) -> float:
    """Read a finite number: `0.5`, `1e-3`, `12.5k`, `3M`."""
    plain = text.strip().replace("−", "-")
    match = _NUMBER.fullmatch(plain)
    if match is None:
        raise ValueError(f"not a number: {plain}" if plain else "a number is needed")
    power = match[2] or ""
    value = float(match[1] + _POWERS.get(power, power))
    if math.isinf(value):
        raise ValueError(f"out of range: {plain}")
    return value


def format_exact_number(value: float) -> str:
    """Return a finite number in the fewest characters that read back to it."""
    text = repr(float(value)).removesuffix(".0")
    mantissa, exponent, power = text.partition("e")
    return f"{mantissa}e{int(power)}" if exponent else text


def read_integer(text: str, minimum: int, maximum: int) -> int:
    """Read a whole number: `500`, `12k`."""
    value = read_number(text)
    if not value.is_integer():
        raise ValueError(f"not a whole number: {text.strip()}")
    # Beyond what a float holds exactly, every digit that was typed counts.
    plain = text.strip()
    exact = int(plain) if plain.lstrip("+-").isdecimal() else int(value)
    if not minimum <= exact <= maximum:
        if maximum < 1000:
            raise ValueError(f"between {minimum} and {maximum}")
        raise ValueError(f"{minimum} or more" if exact < minimum else f"{maximum} at most")
    return exact


def read_number_between(text: str, low: float, high: float) -> float:
    """Read a number from `low` to `high`."""
    value = read_number(text)
    if not low <= value <= high:
        raise ValueError(f"between {low:g} and {high:g}")
    return value


# Times


def read_duration(text: str) -> float:
    """Read a length of time in seconds: `1h30m`, `90s`, `350ms`, `2d 4h`, or a number of seconds."""
    plain = text.strip().replace("−", "-")
    sign, rest = (-1, plain[1:]) if plain.startswith("-") else (1, plain)
    seconds, end = Decimal(0), 0
    try:
        while (part := _PART.match(rest, end)) is not None:
            seconds += Decimal(part[1]) * _SECONDS[part[2]]
            end = part.end()
    except ArithmeticError:
        raise ValueError(f"out of range: {plain}") from None
    if end == 0:
        return _read_seconds(plain, "not a length of time")
    if rest[end:].strip():
        raise ValueError(f"not a length of time: {plain}")
    return sign * _check_finite(float(seconds), plain)


def format_exact_duration(seconds: float) -> str:
    """Return a length of time in days, hours, minutes and seconds: `1h30m`, `4.2s`."""
    if not 60 <= abs(seconds) < _PARTS_BELOW:
        return f"{format_exact_number(seconds)}s"
    left, text = Decimal(repr(abs(float(seconds)))), "-" if seconds < 0 else ""
    for unit in "dhm":
        amount, left = divmod(left, _SECONDS[unit])
        text += f"{amount}{unit}" if amount else ""
    return text + (f"{format_exact_number(float(left))}s" if left else "")


def read_wall_time(text: str) -> float:
    """Read a time in seconds since the epoch: `2026-11-20 18:23:05` (local time), or these seconds."""
    plain = text.strip()
    try:
        return datetime.fromisoformat(plain).timestamp() if "-" in plain[1:] else read_number(plain)
    except (ValueError, OverflowError, OSError):
        return _read_seconds(plain, "not a time")


def format_wall_time(seconds: float) -> str:
    """Return local date and time, or seconds if these would not be parsed to the same value."""
    try:
        moment = datetime.fromtimestamp(seconds)  # noqa: DTZ006 - what is typed is local time too
        text = moment.isoformat(" ", "seconds" if moment.microsecond == 0 else "microseconds")
        return text if read_wall_time(text) == seconds else format_exact_number(seconds)
    except (ValueError, OverflowError, OSError):
        return format_exact_number(seconds)


def _read_seconds(text: str, complaint: str) -> float:
    """Read an entry in seconds.

    Raises:
        ValueError: It is not a number; the message is `complaint` with the entry.
    """
    try:
        return read_number(text)
    except ValueError:
        raise ValueError(f"{complaint}: {text}") from None


def _check_finite(value: float, text: str) -> float:
    if math.isinf(value):
        raise ValueError(f"out of range: {text}")
    return value


# Ranges

NUMBER = EntryKind(read_number, format_exact_number, "a number, such as 0.5, 1e-3 or 12k")

X_AXIS_ENTRIES: Mapping[XAxis, EntryKind] = {
    "step": EntryKind(read_number, format_exact_number, "a step, such as 500 or 12.5k"),
    "relative": EntryKind(read_duration, format_exact_duration, "a time, such as 1h30m or 90s"),
    "wall": EntryKind(read_wall_time, format_wall_time, "such as 2026-11-20 18:23"),
    "order": EntryKind(read_number, format_exact_number, "the n-th value, such as 500 or 12.5k"),
    "tag": EntryKind(read_number, format_exact_number, "a value of the tag on the x axis, such as 500 or 12.5k"),
    "active": EntryKind(read_duration, format_exact_duration, "a time without pauses, such as 1h30m or 90s"),
}
"""Entries in the units of each x axis."""


EMPTY = "empty: "
"""Prefix of the meaning of an empty entry in a hint; forms show this meaning in the empty field."""


def make_optional(entry: EntryKind, hint: str) -> EntryKind:
    """Return an entry that may be empty, which is None."""

    def read(text: str) -> Any:
        return entry.read(text) if text.strip() else None

    def formatted(value: Any) -> str:
        return "" if value is None else entry.format(value)

    return EntryKind(read, formatted, f"{entry.hint}; {EMPTY}{hint}")


def check_range(ends: Range, scale: Scale) -> None:
    """Check that a range can be an axis.

    Raises:
        ValueError: It cannot; the message is the reason.
    """
    low, high = ends
    if low is not None and high is not None and low >= high:
        raise ValueError("the lower end must be below the upper")
    if scale == "log" and any(end is not None and end <= 0 for end in ends):
        raise ValueError("a log axis needs a range above 0")


# Reference lines


def read_reference_lines(text: str) -> tuple[ReferenceLine, ...]:
    """Read reference lines: values, each optionally followed by a name, `0.5 goal, 1e-3`."""
    lines = tuple(_parse_line(part) for part in text.split(",") if part.strip())
    if len(lines) > MAX_LINES:
        raise ValueError(f"{MAX_LINES} lines at most")
    return lines


def _parse_line(text: str) -> ReferenceLine:
    value, *words = text.split()
    y, name = read_number(value), " ".join(words)
    if _NUMBER.fullmatch(name):
        raise ValueError(f"put a comma between {value} and {name}")
    return ReferenceLine(y, name)


def format_reference_lines(lines: Sequence[ReferenceLine]) -> str:
    """Return reference lines as text that `read_reference_lines` parses."""
    return ", ".join(f"{format_exact_number(line.y)} {line.name}".rstrip() for line in lines)


# Patterns


def read_pattern(text: str, names: Iterable[str] = ()) -> str:
    """Read a regular expression that can be searched for in all these names; it may be empty."""
    error = NameFilter(text).check(names)
    if error is not None:
        raise ValueError(error)
    return text
