"""Write columns of floats as the shortest texts that give the same numbers again, as `repr` does, three times as fast.

A float is an integer below 2**53 times a power of two. Times a power of ten it becomes an integer of 16 or 17 digits
and a rest, both exact in 128 bits. The shortest text is the multiple of ten, else the integer, that is nearer to the
float than half of the distance to the next float (R. Giulietti, The Schubfach way to render doubles, 2020).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

MIN_COLUMN_VALUES = 500
"""Fewer values are written faster one by one."""

CHUNK_VALUES = 4096
"""Values that are written at once: their columns stay in the caches of the processor."""

_MIN_VALUE, _MAX_VALUE = 1e-4, 2.0**53
"""Between these, `repr` writes no exponent. Other values are written one by one."""

_BIAS, _HIDDEN_BIT, _FRACTION_BITS = 1075, 1 << 52, 52
_EXPONENTS = range(-66, 1)
"""Powers of two that the integers of 53 bits are multiplied with."""

_SCALES = [-((exponent * 1262611) >> 22) for exponent in _EXPONENTS]
"""For each, the power of ten: minus the floor of its decimal logarithm."""

_SHIFTS = np.array([-exponent - scale for exponent, scale in zip(_EXPONENTS, _SCALES, strict=True)], np.uint64)
_FIVES = np.array([5**scale for scale in _SCALES], np.uint64)
_POINTS = np.array([17 - scale for scale in _SCALES], np.int64)
_DIGITS = 17
_MAX_WIDTH = 24
"""Characters of the longest text, which is shorter by one: a sign, `0.000`, all digits."""

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def format_floats(values: npt.NDArray[np.float64]) -> list[str]:
    """Return `list(map(repr, values.tolist()))`.

    Args:
        values: float64[n]; also infinities and NaN.
    """
    if len(values) < MIN_COLUMN_VALUES:
        return list(map(repr, values.tolist()))
    texts: list[str] = []
    for start in range(0, len(values), CHUNK_VALUES):
        texts += _format_chunk(np.ascontiguousarray(values[start : start + CHUNK_VALUES]))
    return texts


def _format_chunk(values: npt.NDArray[np.float64]) -> list[str]:
    sizes = np.abs(values)
    is_plain = (sizes >= _MIN_VALUE) & (sizes < _MAX_VALUE)
    others = np.flatnonzero(~(is_plain | (values == 0)))
    if len(others) > len(values) // 2:
        return list(map(repr, values.tolist()))
    if not is_plain.all():
        sizes = np.where(is_plain, sizes, 1.0)
    digits, points = _find_shortest_digits(sizes.view(np.uint64))
    if not is_plain.all():
        digits = np.where(is_plain, digits, np.uint64(0))
    matrix = _layout(digits, points)
    negative = np.flatnonzero(np.signbit(values))
    if len(negative):
        matrix[negative, 1:] = matrix[negative, :-1]
        matrix[negative, 0] = ord("-")
    texts: list[str] = matrix.astype(np.uint32).view(f"<U{_MAX_WIDTH}")[:, 0].tolist()
    for index, value in zip(others.tolist(), values[others].tolist(), strict=True):
        texts[index] = repr(value)
    return texts


def _find_shortest_digits(bits: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """Return the digits of floats as integers of 17 digits, and how many of them are before the point.

    Args:
        bits: Floats between the limits, as bits, uint64[n].
    """
    row = (bits >> np.uint64(_FRACTION_BITS)).astype(np.int64) - (_BIAS + _EXPONENTS.start)
    integers = (bits & np.uint64(_HIDDEN_BIT - 1)) | np.uint64(_HIDDEN_BIT)
    fives, shifts = _FIVES.take(row), _SHIFTS.take(row)
    high, low = _multiply(integers, fives)
    # A shift by 64 is undefined, and without a shift there are no high bits.
    quotient = (low >> shifts) | ((high << (np.uint64(63) - shifts)) << np.uint64(1))
    unit = np.uint64(1) << shifts
    rest = low & (unit - np.uint64(1))
    # All distances are even numbers when doubled, and the powers of five are odd: none is equal to half of a gap.
    tens = quotient // np.uint64(10)
    below = ((quotient - tens * np.uint64(10)) << shifts) + rest
    above = np.uint64(10) * unit - below
    is_below, is_above = below + below < fives, above + above < fives
    doubled = rest + rest
    is_greater = (doubled > unit) | ((doubled == unit) & ((quotient & np.uint64(1)) == 1))
    # Of the two integers around the float, the nearer one is always near enough.
    nearest = quotient + is_greater
    digits = np.where(is_below | is_above, (tens + is_above) * np.uint64(10), nearest)
    is_short = digits < np.uint64(10**16)
    points = _POINTS.take(row) - is_short
    return np.where(is_short, digits * np.uint64(10), digits), points


def _multiply(
    first: npt.NDArray[np.uint64], second: npt.NDArray[np.uint64]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Return the products of integers, their high and their low 64 bits."""
    first_low, first_high = first & _LOW, first >> _HALF
    second_low, second_high = second & _LOW, second >> _HALF
    middle = first_high * second_low + ((first_low * second_low) >> _HALF)
    high = first_high * second_high + (middle >> _HALF) + ((first_low * second_high + (middle & _LOW)) >> _HALF)
    return high, first * second


def _layout(digits: npt.NDArray[np.uint64], points: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """Return the texts as rows of characters, filled up with zero bytes.

    Args:
        digits: 17 digits each, or 0.
        points: How many of them are before the point, -3 to 16.
    """
    windows = _build_character_windows(_build_digit_characters(digits))
    before = np.maximum(points, 1)
    starts = np.arange(len(digits)) * _ROW_BYTES + _FIRST_DIGIT + np.minimum(points - 1, 0)
    lengths = before + 1 + np.maximum(_DIGITS - _count_trailing_zeros(digits) - points, 1)
    # The digits behind the point are those of the window that begins one character earlier.
    texts = _as_words(windows[starts]) & _BEFORE_POINT.take(before, axis=0)
    texts |= _as_words(windows[starts - 1]) & _AFTER_POINT.take(before * (_MAX_WIDTH + 1) + lengths, axis=0)
    texts |= _POINT_MASKS.take(before, axis=0)
    return texts.view(np.uint8)


def _build_digit_characters(digits: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint8]:
    """Return rows of characters: zeros, from `_FIRST_DIGIT` on 17 digits, zero bytes."""
    words = np.zeros((len(digits), _ROW_BYTES // 4), np.uint32)
    words[:, 0] = _FOUR_DIGITS[0]
    remaining = digits
    for column in (5, 4, 3, 2):
        next_remaining = remaining // np.uint64(10_000)
        words[:, column] = _FOUR_DIGITS.take((remaining - next_remaining * np.uint64(10_000)).view(np.int64))
        remaining = next_remaining
    words[:, 1] = _FOUR_DIGITS.take(remaining.view(np.int64))
    return words.view(np.uint8)


def _build_character_windows(characters: npt.NDArray[np.uint8]) -> npt.NDArray[np.void]:
    """Return the `_MAX_WIDTH` characters from each one on, in order of the rows."""
    text = np.dtype((np.void, _MAX_WIDTH))
    windows: npt.NDArray[np.void] = np.ndarray((characters.size - _MAX_WIDTH + 1,), text, characters, strides=(1,))
    return windows


def _as_words(texts: npt.NDArray[np.void]) -> npt.NDArray[np.uint64]:
    return texts.view(np.uint64).reshape(len(texts), -1)


def _count_trailing_zeros(digits: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Return the number of zeros at the end of integers of 17 digits."""
    zeros = np.zeros(len(digits), np.int64)
    rows = np.flatnonzero(digits // np.uint64(10) * np.uint64(10) == digits)
    remaining, counts = digits[rows], np.zeros(len(rows), np.int64)
    for count in (8, 4, 2, 1, 1):
        quotients = remaining // np.uint64(10**count)
        has_zeros = quotients * np.uint64(10**count) == remaining
        remaining = np.where(has_zeros, quotients, remaining)
        counts += count * has_zeros
    zeros[rows] = counts
    return zeros


def _compute_masks(starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Return the bytes from `begins` to `ends` of a text as bits that are set, as words."""
    columns = np.arange(_MAX_WIDTH)
    is_inside = (columns >= starts[..., None]) & (columns < ends[..., None])
    return np.where(is_inside, 0xFF, 0).astype(np.uint8).view(np.uint64)


_ROW_BYTES, _FIRST_DIGIT = 32, 7
_FOUR_DIGITS = np.array([f"{number:04d}".encode() for number in range(10_000)], "S4").view(np.uint32)
"""The characters of four digits, as one word."""

_COUNTS, _NONE = np.arange(_DIGITS), np.zeros(_DIGITS, np.int64)
_BEFORE_POINT = _compute_masks(_NONE, _COUNTS)
"""The characters before the point, by their number."""

_POINT_MASKS = _compute_masks(_COUNTS, _COUNTS + 1) & np.frombuffer(b"." * _MAX_WIDTH, np.uint64)
_AFTER_POINT = _compute_masks(_COUNTS[:, None] + 1, np.arange(_MAX_WIDTH + 1)[None, :]).reshape(-1, _MAX_WIDTH // 8)
"""The characters behind the point, by the number before it times 25, and the length of the text."""
