"""Ends of stopped runs, compared with one another: did a run end where others did, or did others go further."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from itertools import accumulate, chain
from typing import TYPE_CHECKING, TypeAlias

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


ScalarTags: TypeAlias = "frozenset[str]"
"""Scalar tags of a run; runs with other tags are not comparable."""


@frozen
class RunEnd:
    """The last write of a run that has stopped."""

    step: int
    time: float
    """Seconds since the epoch."""

    kind: ScalarTags
    stride: int = 0
    """Usual steps between two writes: ends no further apart are the same step."""

    moment: float = 0.0
    """Seconds: ends no further apart are simultaneous. They may be parts of one training that stopped together, which
    proves nothing about either."""


class RunEnds:
    """Ends of all stopped runs, and the progress of the others.

    Args:
        ends: Ends of stopped runs.
        furthest: Greatest step of the active runs, by their tags.
    """

    def __init__(self, ends: Iterable[RunEnd], furthest: Mapping[ScalarTags, int]) -> None:
        by_kind: dict[ScalarTags, list[RunEnd]] = {}
        for end in ends:
            by_kind.setdefault(end.kind, []).append(end)
        self._all = _Times(chain.from_iterable(by_kind.values()))
        self._of_kind = {kind: _Times(times) for kind, times in by_kind.items()}
        self._furthest = furthest

    def shared(self, end: RunEnd) -> bool:
        """Return True if another run ended at the same step at another time."""
        return _is_apart(end, self._all.between(end.step - end.stride, end.step + end.stride))

    def passed(self, end: RunEnd) -> bool:
        """Return True if another run with the same tags is further, or ended further at another time."""
        beyond = end.step + end.stride + 1
        if self._furthest.get(end.kind, end.step) >= beyond:
            return True
        times = self._of_kind.get(end.kind)
        return times is not None and _is_apart(end, times.since(beyond))


def _is_apart(end: RunEnd, times: Iterable[float]) -> bool:
    return any(abs(time - end.time) > end.moment for time in times)


class _Times:
    """Earliest and latest end at each step."""

    def __init__(self, ends: Iterable[RunEnd]) -> None:
        times: dict[int, tuple[float, float]] = {}
        for end in ends:
            first, last = times.get(end.step, (math.inf, -math.inf))
            times[end.step] = min(first, end.time), max(last, end.time)
        self._steps = sorted(times)
        self._at = [times[step] for step in self._steps]
        self._first_from = [*accumulate((first for first, _ in reversed(self._at)), min)][::-1]
        self._last_from = [*accumulate((last for _, last in reversed(self._at)), max)][::-1]

    def between(self, low: int, high: int) -> Iterator[float]:
        """Yield times that include the earliest and the latest end at steps from `low` to `high`."""
        begin, end = bisect_left(self._steps, low), bisect_right(self._steps, high)
        return chain.from_iterable(self._at[begin:end])

    def since(self, low: int) -> Iterator[float]:
        """Yield the earliest and the latest end at any step from `low`."""
        begin = bisect_left(self._steps, low)
        return chain(self._first_from[begin : begin + 1], self._last_from[begin : begin + 1])
