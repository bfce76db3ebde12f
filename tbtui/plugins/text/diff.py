"""Compare two texts line by line and word by word, within a bounded time."""

from __future__ import annotations

import re
import time
from difflib import SequenceMatcher
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


MAX_LINES = 20_000
"""Lines of a text that are compared."""

SECONDS = 1.0
"""Seconds of processor time, after which the rest counts as replaced."""

MAX_LINE_CHARACTERS = 2_000
"""Characters of a line that is compared word by word."""

MIN_SIMILARITY = 0.4
"""Two lines are versions of one line if this share of their characters is in words of both."""

MAX_CANDIDATES = 8
"""Added lines that a removed line is compared with."""

CONTEXT = 3
"""Equal lines shown around a difference."""

_WORD = re.compile(r"\w+|\s+|[^\w\s]")

Kind: TypeAlias = Literal["same", "removed", "added", "folded"]
Stretch: TypeAlias = "tuple[int, int]"


@frozen
class DiffLine:
    """A line of one of the texts, or of both."""

    kind: Kind
    text: str = ""
    changed: tuple[Stretch, ...] = ()
    """Ranges that differ from the line in its place; empty where all of it differs."""

    count: int = 0
    """Number of equal lines that are folded away."""


@frozen
class Difference:
    """The comparison of two texts."""

    lines: tuple[DiffLine, ...]
    """Removed lines precede those in their place; equal lines far from any difference are folded."""

    removed: int
    added: int
    is_rough: bool = False
    """True if there was no time to find all equal lines."""

    left_out: int = 0
    """Lines of the longer text that were not compared."""


class _Block(NamedTuple):
    """Equal lines: where they begin in each text, and their number."""

    before: int
    after: int
    size: int


def compare(before: Sequence[str], after: Sequence[str], seconds: float = SECONDS) -> Difference:
    """Return the lines that one text has lost and another one has gained.

    Args:
        before: Lines of the one.
        after: Lines of the other.
        seconds: Seconds of processor time.
    """
    left_out = max(len(before), len(after)) - MAX_LINES
    before, after = before[:MAX_LINES], after[:MAX_LINES]
    comparison = _Comparison(seconds)
    lines = list(comparison.lines(before, after))
    removed, added = (sum(line.kind == kind for line in lines) for kind in ("removed", "added"))
    return Difference(tuple(_fold(lines)), removed, added, comparison.is_rough, max(left_out, 0))


class _Comparison:
    """One comparison within a number of seconds."""

    def __init__(self, seconds: float) -> None:
        self._until = time.thread_time() + seconds
        self.is_rough = False

    def _is_late(self) -> bool:
        self.is_rough = self.is_rough or time.thread_time() > self._until
        return self.is_rough

    def lines(self, before: Sequence[str], after: Sequence[str]) -> Iterator[DiffLine]:
        """Yield all lines of both texts."""
        i = j = 0
        for block in (*self._find_equal_blocks(before, after), _Block(len(before), len(after), 0)):
            yield from self._compare_replaced_lines(before[i : block.before], after[j : block.after])
            i, j = block.before + block.size, block.after + block.size
            for line in before[block.before : i]:
                yield DiffLine("same", line)

    def _find_equal_blocks(self, before: Sequence[str], after: Sequence[str]) -> list[_Block]:
        """Return the equal blocks in order. Both ends are compared first: most texts differ in little."""
        least = min(len(before), len(after))
        head = next((n for n in range(least) if before[n] != after[n]), least)
        tail = next((n for n in range(least - head) if before[-1 - n] != after[-1 - n]), least - head)
        ends = len(before) - tail, len(after) - tail
        blocks = [_Block(0, 0, head), _Block(*ends, tail)]
        matcher = SequenceMatcher(None, before[head : ends[0]], after[head : ends[1]])
        stretches = [(0, ends[0] - head, 0, ends[1] - head)]
        while stretches and not self._is_late():
            low, high, other_low, other_high = stretches.pop()
            begin, other, count = matcher.find_longest_match(low, high, other_low, other_high)
            if count:
                blocks.append(_Block(head + begin, head + other, count))
                remaining = ((low, begin, other_low, other), (begin + count, high, other + count, other_high))
                stretches += (s for s in remaining if s[0] < s[1] and s[2] < s[3])
        return sorted(block for block in blocks if block.size)

    def _compare_replaced_lines(self, removed: Sequence[str], added: Sequence[str]) -> Iterator[DiffLine]:
        """Yield lines that replace others, with the words marked by which they differ."""
        old: dict[int, tuple[Stretch, ...]] = {}
        new: dict[int, tuple[Stretch, ...]] = {}
        first = 0
        for i, line in enumerate(removed):
            for j in range(first, min(first + MAX_CANDIDATES, len(added))):
                words = None if self._is_late() else self._find_changed_ranges(line, added[j])
                if words is not None:
                    old[i], new[j] = words
                    first = j + 1
                    break
        yield from (DiffLine("removed", line, old.get(i, ())) for i, line in enumerate(removed))
        yield from (DiffLine("added", line, new.get(j, ())) for j, line in enumerate(added))

    def _find_changed_ranges(self, before: str, after: str) -> tuple[tuple[Stretch, ...], tuple[Stretch, ...]] | None:
        """Return the differing ranges in two versions of a line; None if they are not versions of one line."""
        if max(len(before), len(after)) > MAX_LINE_CHARACTERS:
            return None
        old_words, new_words = _WORD.findall(before), _WORD.findall(after)
        blocks = self._find_equal_blocks(old_words, new_words)
        equal = sum(len(word) for block in blocks for word in old_words[block.before : block.before + block.size])
        if 2 * equal < MIN_SIMILARITY * (len(before) + len(after)):
            return None
        return (
            tuple(_iter_gaps(old_words, [(block.before, block.size) for block in blocks])),
            tuple(_iter_gaps(new_words, [(block.after, block.size) for block in blocks])),
        )


def _iter_gaps(words: Sequence[str], equal: Sequence[tuple[int, int]]) -> Iterator[Stretch]:
    """Yield the ranges of characters between ranges of equal words."""
    ends = list(accumulate(map(len, words), initial=0))
    position = 0
    for first, count in (*equal, (len(words), 0)):
        if position < first:
            yield ends[position], ends[first]
        position = first + count


def _fold(lines: Sequence[DiffLine]) -> Iterator[DiffLine]:
    """Yield the lines with those folded that are equal and far from any difference."""
    shown_lines = {
        around
        for index, line in enumerate(lines)
        if line.kind != "same"
        for around in range(index - CONTEXT, index + CONTEXT + 1)
    }
    for is_near, indices in groupby(range(len(lines)), shown_lines.__contains__):
        some = [lines[index] for index in indices]
        yield from some if is_near or len(some) == 1 else (DiffLine("folded", count=len(some)),)
