"""Columns of numbers: decimal points stand below each other, all else ends where they end."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def _has_point(text: str) -> bool:
    """Whether the text is a number that stands by its decimal point; one with an exponent ends where others end."""
    return text[-1:].isdigit() and "e" not in text


def decimals(text: str) -> int:
    """Characters from the decimal point on; none where the text is no plain number (`NaN`, `12.5M`, `-8e-5`)."""
    return len(text) - len(text.partition(".")[0]) if _has_point(text) else 0


def most_decimals(texts: Iterable[str]) -> int:
    """Characters that a column needs from the decimal point on."""
    return max(map(decimals, texts), default=0)


def placed(text: str, room: int, width: int) -> str:
    """The text in at least `width` characters with its decimal point `room` from their end.

    Where that would take more than `width` the point stands as far left as it can: a column that is not to grow keeps
    its numbers whole rather than in line.
    """
    missing = room - decimals(text) if _has_point(text) else 0
    return (text + " " * max(min(missing, width - len(text)), 0)).rjust(width)


def aligned(texts: Sequence[str]) -> tuple[str, ...]:
    """The texts padded to one width, just wide enough for all points to be in line."""
    room = most_decimals(texts)
    width = max((len(text) + (room - decimals(text) if _has_point(text) else 0) for text in texts), default=0)
    return tuple(placed(text, room, width) for text in texts)
