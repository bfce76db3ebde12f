"""Route lines from border to border, corner by corner, through the channels between ranks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tbtui.plugins.graphs.diagram import Point
    from tbtui.plugins.graphs.layout.hyperedges import RankedGraph, RankedLink


MAX_COMPARED_PIECES = 48
"""Maximum number of lines in a channel that are compared pairwise; more are sorted by where they begin."""


class ChannelNet(NamedTuple):
    """Columns where a net enters a channel from above, and where it leaves it."""

    tops: tuple[int, ...]
    bottoms: tuple[int, ...]

    @property
    def straight(self) -> bool:
        """True if it passes without a turn."""
        return len({*self.tops, *self.bottoms}) == 1


class Track(NamedTuple):
    """Path of a net through a channel: along one row, or along two with a column between them."""

    row: int
    """Row, from 0; meaningless for a straight net."""

    column: int = -1
    """Column that leads to the second row."""

    second: int = -1


class _Piece(NamedTuple):
    """Horizontal piece of a net in one row."""

    bundle: int
    tops: frozenset[int]
    bottoms: frozenset[int]
    low: int
    high: int


def _piece(bundle: int, tops: Sequence[int], bottoms: Sequence[int]) -> _Piece:
    ends = (*tops, *bottoms)
    return _Piece(bundle, frozenset(tops), frozenset(bottoms), min(ends), max(ends))


def assign_tracks(bundles: Sequence[ChannelNet]) -> tuple[list[Track], int]:
    """Return a lane for each bundle, and the number of rows.

    A bundle that leaves by a column where another enters must turn below it. A cycle of such conditions is broken by a
    bundle that takes two rows.
    """
    pieces = [_piece(index, *bundle) for index, bundle in enumerate(bundles) if not bundle.straight]
    ends = [(index, {*bundle.tops, *bundle.bottoms}) for index, bundle in enumerate(bundles)]
    used_columns = {column for _, columns in ends for column in columns}
    tracks = [Track(0)] * len(bundles)
    if not pieces:
        return tracks, 0
    order, split = _few_in_order(pieces) if len(pieces) <= MAX_COMPARED_PIECES else _many_in_order(pieces)
    turns: dict[int, int] = {}
    rows = np.full(max(used_columns) + len(split) + 2, -1, np.int32)
    lowest: list[_Piece] = []
    for index in order:
        piece = pieces[index]
        if index in split:
            column = _free_column(used_columns, piece)
            used_columns.add(column)
            turns[piece.bundle] = column
            lowest.append(_piece(piece.bundle, [column], sorted(piece.bottoms)))
            piece = _piece(piece.bundle, sorted(piece.tops), [column])
        tracks[piece.bundle] = Track(_put(rows, piece))
    for piece in lowest:
        tracks[piece.bundle] = Track(tracks[piece.bundle].row, turns[piece.bundle], _put(rows, piece))
    return tracks, int(rows.max()) + 1


def _put(rows: np.ndarray[tuple[int], np.dtype[np.int32]], piece: _Piece) -> int:
    """Return the first free row below all pieces in the same columns, and occupy it."""
    part = rows[piece.low : piece.high + 1]
    row = int(part.max()) + 1
    part[:] = row
    return row


def _free_column(used_columns: set[int], piece: _Piece) -> int:
    """Return the column nearest to the middle of a piece in which no line enters or leaves."""
    middle = (piece.low + piece.high) // 2
    return next(
        column
        for away in range(len(used_columns) + middle + 2)
        for column in (middle + away, middle - away)
        if column >= 0 and column not in used_columns
    )


def _few_in_order(pieces: Sequence[_Piece]) -> tuple[list[int], set[int]]:
    """Return an order from top to bottom with few crossings, and the pieces to split."""
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
    """Return the number of crossings of two pieces, one above the other."""
    down = sum(upper.low <= top <= upper.high for top in lower.tops)
    return down + sum(lower.low <= bottom <= lower.high for bottom in upper.bottoms)


def _by_cost(count: int, must: list[list[bool]], cost: list[list[int]]) -> tuple[list[int], set[int]]:
    """Take, one after another, the piece that may lie above all remaining ones at the lowest cost."""
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
    """Return an order as `_few_in_order` does, for many: by where they begin, per direction."""
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


@dataclass(slots=True)
class Channel:
    """Space between two ranks."""

    lanes: list[Track]
    """Lane of each hop."""

    rows: int
    row: int
    """Cells along the flow per row."""

    front: int = 0
    """Cells before the first row, for labels."""

    begin: int = 0
    """Start along the flow."""

    @staticmethod
    def of(bundles: Sequence[ChannelNet], row: int) -> Channel:
        """Return a channel with lanes for all bundles."""
        found, rows = assign_tracks(bundles)
        return Channel(found, rows, row)

    @property
    def depth(self) -> int:
        """Cells along the flow; at least one row, so that a line shows between two boxes."""
        return max(self.front + self.rows * self.row, self.row)

    def bends(self, lane: Track, enters: int, leaves: int) -> list[Point]:
        """Return the corners of a line between two columns."""
        first = self._at(lane.row)
        if lane.second < 0:
            return [(enters, first), (leaves, first)]
        second = self._at(lane.second)
        return [(enters, first), (lane.column, first), (lane.column, second), (leaves, second)]

    def _at(self, row: int) -> int:
        return self.begin + self.front + row * self.row


def corners(points: Iterable[Point]) -> tuple[Point, ...]:
    """Remove points that lie on the straight line between their neighbours."""
    found: list[Point] = []
    for point in points:
        if found and found[-1] == point:
            continue
        if len(found) > 1:
            (x, y), (u, v) = found[-2:]
            if x == u == point[0] or y == v == point[1]:
                found.pop()
        found.append(point)
    return tuple(found)


class Router:
    """Routes strands through all channels; parts that strands of a net share are computed once.

    Args:
        web: Connections between nodes.
        channels: Channels between ranks, with coordinates.
        top: Returns where a net leaves a node downwards.
        bottom: Returns where a net enters a node from above.
    """

    def __init__(
        self,
        web: RankedGraph,
        channels: Sequence[Channel],
        top: Callable[[int, int], int],
        bottom: Callable[[int, int], int],
    ) -> None:
        self._web, self._channels, self._top, self._bottom = web, channels, top, bottom
        self._lanes = [
            {hop.net: lane for hop, lane in zip(gap, channel.lanes, strict=True)}
            for gap, channel in zip(web.gaps, channels, strict=True)
        ]
        self._trunks: dict[int, tuple[Point, ...]] = {}

    def of(
        self, strands: Sequence[RankedLink], begins: Sequence[int], depths: Sequence[int]
    ) -> list[tuple[Point, ...]]:
        """Return the corners of each strand from its upper to its lower end; empty for strands that are left out.

        Args:
            strands: All strands of the web.
            begins: Start of each rank along the flow.
            depths: Cells along the flow of each box.
        """
        ranks, sharing = self._web.ranks, Counter(self._web.nets)
        ways: list[tuple[Point, ...]] = []
        for strand, net in zip(strands, self._web.nets, strict=True):
            if net < 0:
                ways.append(())
                continue
            upper, lower = strand.upper, strand.lower
            begin = (self._top(upper, net), begins[ranks[upper]] + depths[upper] - 1)
            end = (self._bottom(lower, net), begins[ranks[lower]])
            passing = self._web.passing[net]
            nodes = [passing[rank] for rank in range(ranks[upper] + 1, ranks[lower])] if sharing[net] == 1 else []
            if sharing[net] == 1 or ranks[lower] - ranks[upper] == 1:
                ways.append(self._led(begin, [upper, *nodes, lower], end, net))
            elif self._web.gathers[net]:
                first = passing[ranks[upper] + 1]
                ways.append(corners((begin, *self._bends(upper, first, net), *self._to_end(first, lower, end, net))))
            else:
                last = passing[ranks[lower] - 1]
                ways.append(corners((*self._from_begin(upper, last, begin, net), *self._bends(last, lower, net), end)))
        return ways

    def _led(self, begin: Point, nodes: Sequence[int], end: Point, net: int) -> tuple[Point, ...]:
        points = [begin]
        for one, other in pairwise(nodes):
            points += self._bends(one, other, net)
        return corners((*points, end))

    def _bends(self, upper: int, lower: int, net: int) -> list[Point]:
        """Return the corners between two connected nodes."""
        gap = self._web.ranks[upper]
        return self._channels[gap].bends(self._lanes[gap][net], self._top(upper, net), self._bottom(lower, net))

    def _from_begin(self, upper: int, last: int, begin: Point, net: int) -> tuple[Point, ...]:
        """Return the corners from the source of a net to a node where it passes a rank."""
        passing, rank = self._web.passing[net], self._web.ranks[last]
        first = self._web.ranks[upper] + 1
        while rank > first and passing[rank] not in self._trunks:
            rank -= 1
        if rank == first:
            self._trunks[passing[first]] = corners((begin, *self._bends(upper, passing[first], net)))
        for at in range(rank, self._web.ranks[last]):
            one, other = passing[at], passing[at + 1]
            self._trunks[other] = corners((*self._trunks[one], *self._bends(one, other, net)))
        return self._trunks[last]

    def _to_end(self, first: int, lower: int, end: Point, net: int) -> tuple[Point, ...]:
        """Return the corners from a node where a net passes a rank to its target."""
        passing, rank = self._web.passing[net], self._web.ranks[first]
        last = self._web.ranks[lower] - 1
        while rank < last and passing[rank] not in self._trunks:
            rank += 1
        if rank == last:
            self._trunks[passing[last]] = corners((*self._bends(passing[last], lower, net), end))
        for at in range(rank, self._web.ranks[first], -1):
            one, other = passing[at - 1], passing[at]
            self._trunks[one] = corners((*self._bends(one, other, net), *self._trunks[other]))
        return self._trunks[first]
