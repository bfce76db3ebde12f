"""Where and when runs ended, and what that tells of one of them."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from itertools import accumulate, chain
from typing import TYPE_CHECKING, TypeAlias

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Kind: TypeAlias = "frozenset[str]"
"""The scalar tags of a run: how far one of other tags went tells nothing."""


@frozen
class End:
    """The last write of a run that has stopped."""

    step: int
    time: float
    """Seconds since the epoch."""

    kind: Kind
    stride: int = 0
    """Usual steps between two writes: ends no further apart are the same step."""

    moment: float = 0.0
    """Seconds: ends no further apart are the same time. What ended together may be parts of one training, which have
    stopped together, and tells nothing of one another."""


class Ends:
    """The ends of all runs that have stopped, and how far the others are.

    Args:
        ends: Of those that have stopped.
        furthest: Greatest step of those that are still written, by their kind.
    """

    def __init__(self, ends: Iterable[End], furthest: Mapping[Kind, int]) -> None:
        by_kind: dict[Kind, list[End]] = {}
        for end in ends:
            by_kind.setdefault(end.kind, []).append(end)
        self._all = _Times(chain.from_iterable(by_kind.values()))
        self._of_kind = {kind: _Times(held) for kind, held in by_kind.items()}
        self._furthest = furthest

    def shared(self, end: End) -> bool:
        """Whether another run ended at the same step at another time."""
        return _is_apart(end, self._all.between(end.step - end.stride, end.step + end.stride))

    def passed(self, end: End) -> bool:
        """Whether another run of the same kind is further, or ended further at another time."""
        beyond = end.step + end.stride + 1
        if self._furthest.get(end.kind, end.step) >= beyond:
            return True
        held = self._of_kind.get(end.kind)
        return held is not None and _is_apart(end, held.since(beyond))


def _is_apart(end: End, times: Iterable[float]) -> bool:
    return any(abs(time - end.time) > end.moment for time in times)


class _Times:
    """Earliest and latest end at each step."""

    def __init__(self, ends: Iterable[End]) -> None:
        times: dict[int, tuple[float, float]] = {}
        for end in ends:
            first, last = times.get(end.step, (math.inf, -math.inf))
            times[end.step] = min(first, end.time), max(last, end.time)
        self._steps = sorted(times)
        self._at = [times[step] for step in self._steps]
        self._first_from = [*accumulate((first for first, _ in reversed(self._at)), min)][::-1]
        self._last_from = [*accumulate((last for _, last in reversed(self._at)), max)][::-1]

    def between(self, low: int, high: int) -> Iterator[float]:
        """Times among which are the earliest and the latest end at steps from `low` to `high`."""
        begin, end = bisect_left(self._steps, low), bisect_right(self._steps, high)
        return chain.from_iterable(self._at[begin:end])

    def since(self, low: int) -> Iterator[float]:
        """The earliest and the latest end at any step from `low` on."""
        begin = bisect_left(self._steps, low)
        return chain(self._first_from[begin : begin + 1], self._last_from[begin : begin + 1])
