"""Between two ranks: which line turns in which row, so that no two lie on one another and few cross."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

FEW = 48
"""So many lines are compared one with another; more are put in order by where they begin."""


class Bundle(NamedTuple):
    """Where a net enters a channel from above, and where it leaves it."""

    tops: tuple[int, ...]
    bottoms: tuple[int, ...]

    @property
    def straight(self) -> bool:
        """Whether it runs through without a turn."""
        return len({*self.tops, *self.bottoms}) == 1


class Lane(NamedTuple):
    """How a net runs through a channel: along one row, or along two with a column between them."""

    row: int
    """Counted from 0; for what is straight as well, where it means nothing."""

    column: int = -1
    """Where it goes on to the second row."""

    second: int = -1


class _Piece(NamedTuple):
    """What lies in one row."""

    bundle: int
    tops: frozenset[int]
    bottoms: frozenset[int]
    low: int
    high: int


def _piece(bundle: int, tops: Sequence[int], bottoms: Sequence[int]) -> _Piece:
    ends = (*tops, *bottoms)
    return _Piece(bundle, frozenset(tops), frozenset(bottoms), min(ends), max(ends))


def lanes(bundles: Sequence[Bundle]) -> tuple[list[Lane], int]:
    """A lane for each bundle, and how many rows they take.

    Bundles that leave by a column where another enters turn below it; where several would each have to be below the
    next, one goes through two rows.
    """
    pieces = [_piece(index, *bundle) for index, bundle in enumerate(bundles) if not bundle.straight]
    ends = [(index, {*bundle.tops, *bundle.bottoms}) for index, bundle in enumerate(bundles)]
    taken = {column for _, columns in ends for column in columns}
    found = [Lane(0)] * len(bundles)
    if not pieces:
        return found, 0
    order, split = _few_in_order(pieces) if len(pieces) <= FEW else _many_in_order(pieces)
    turns: dict[int, int] = {}
    rows = np.full(max(taken) + len(split) + 2, -1, np.int32)
    lowest: list[_Piece] = []
    for index in order:
        piece = pieces[index]
        if index in split:
            column = _free_column(taken, piece)
            taken.add(column)
            turns[piece.bundle] = column
            lowest.append(_piece(piece.bundle, [column], sorted(piece.bottoms)))
            piece = _piece(piece.bundle, sorted(piece.tops), [column])
        found[piece.bundle] = Lane(_put(rows, piece))
    for piece in lowest:
        found[piece.bundle] = Lane(found[piece.bundle].row, turns[piece.bundle], _put(rows, piece))
    return found, int(rows.max()) + 1


def _put(rows: np.ndarray[tuple[int], np.dtype[np.int32]], piece: _Piece) -> int:
    """The first row below all that have been put where it lies; marks it as taken."""
    part = rows[piece.low : piece.high + 1]
    row = int(part.max()) + 1
    part[:] = row
    return row


def _free_column(taken: set[int], piece: _Piece) -> int:
    """The column nearest to the middle of a piece in which no line enters or leaves."""
    middle = (piece.low + piece.high) // 2
    return next(
        column
        for away in range(len(taken) + middle + 2)
        for column in (middle + away, middle - away)
        if column >= 0 and column not in taken
    )


def _few_in_order(pieces: Sequence[_Piece]) -> tuple[list[int], set[int]]:
    """An order from above to below with few crossings, and which pieces must be split."""
    count = len(pieces)
    must = [[False] * count for _ in range(count)]
    cost = [[0] * count for _ in range(count)]
    for i, one in enumerate(pieces):
        for j in range(i):
            other = pieces[j]
            if one.low > other.high or other.low > one.high:
                continue
            must[i][j], must[j][i] = not one.tops.isdisjoint(other.bottoms), not other.tops.isdisjoint(one.bottoms)
            above, below = _crossed(one, other), _crossed(other, one)
            cost[i][j], cost[j][i] = max(above - below, 0), max(below - above, 0)
    return _by_cost(count, must, cost)


def _crossed(upper: _Piece, lower: _Piece) -> int:
    """How often two pieces cross when one lies above the other."""
    down = sum(upper.low <= top <= upper.high for top in lower.tops)
    return down + sum(lower.low <= bottom <= lower.high for bottom in upper.bottoms)


def _by_cost(count: int, must: list[list[bool]], cost: list[list[int]]) -> tuple[list[int], set[int]]:
    """Take, one after another, the piece that may lie above all that are left at the least cost."""
    left = list(range(count))
    order: list[int] = []
    split: set[int] = set()
    while left:
        free = [index for index in left if not any(must[other][index] for other in left if other != index)]
        if not free:
            first = min(left, key=lambda index: sum(must[other][index] for other in left))
            split.add(first)
        else:
            first = min(free, key=lambda index: sum(cost[index][other] for other in left))
        order.append(first)
        left.remove(first)
    return order, split


def _many_in_order(pieces: Sequence[_Piece]) -> tuple[list[int], set[int]]:
    """The same for very many: those to the right in turn from the right, those to the left from the left."""
    leaving: dict[int, list[int]] = {}
    for index, piece in enumerate(pieces):
        for column in piece.bottoms:
            leaving.setdefault(column, []).append(index)
    lower = [{other for top in piece.tops for other in leaving.get(top, ())} - {i} for i, piece in enumerate(pieces)]
    waiting = [0] * len(pieces)
    for others in lower:
        for other in others:
            waiting[other] += 1

    def turn(index: int) -> int:
        piece = pieces[index]
        to_the_right = sum(piece.bottoms) * len(piece.tops) >= sum(piece.tops) * len(piece.bottoms)
        return -min(piece.tops) if to_the_right else max(piece.tops)

    from heapq import heapify, heappop, heappush

    order: list[int] = []
    split: set[int] = set()
    done = [False] * len(pieces)
    rest = iter(sorted(range(len(pieces)), key=turn))
    free = [(turn(index), index) for index, count in enumerate(waiting) if not count]
    heapify(free)
    while len(order) < len(pieces):
        if free:
            index = heappop(free)[1]
        else:
            index = next(one for one in rest if not done[one])
            split.add(index)
        if done[index]:
            continue
        done[index] = True
        order.append(index)
        for other in lower[index]:
            waiting[other] -= 1
            if not waiting[other] and not done[other]:
                heappush(free, (turn(other), other))
    return order, split
