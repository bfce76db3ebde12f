"""Where labels of lines begin: beside the line that leaves a box, where nothing else is written or drawn."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Label(NamedTuple):
    """A label that looks for room."""

    thread: int
    line: int
    """Cell across the flow of its line."""

    columns: int


def beside_lines(labels: Sequence[Label], lines: Sequence[int]) -> list[tuple[Label, int]]:
    """Labels in one row that lines run down through: those that have room, and the column where each begins.

    Args:
        labels: Any.
        lines: Columns of all lines in the row, ascending.
    """
    found: list[tuple[Label, int]] = []
    end = 0
    for label in sorted(labels, key=lambda label: label.line):
        after, before = bisect_right(lines, label.line), bisect_left(lines, label.line)
        left = max(end, lines[before - 1] + 2 if before else 0)
        begin = label.line + 2
        if after < len(lines) and begin + label.columns >= lines[after]:
            begin = label.line - 1 - label.columns
            if begin < left:
                continue
        found.append((label, begin))
        end = begin + label.columns + 1
    return found
