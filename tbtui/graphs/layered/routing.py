"""The way of each line from border to border, corner by corner, through the channels between ranks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from tbtui.graphs.layered.channels import lanes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tbtui.graphs.layered.channels import Bundle, Lane
    from tbtui.graphs.layered.nets import Strand, Web
    from tbtui.graphs.places import Point


@dataclass(slots=True)
class Channel:
    """What lies between two ranks."""

    lanes: list[Lane]
    """Of each hop."""

    rows: int
    row: int
    """Cells along the flow that each row takes."""

    front: int = 0
    """Cells before the first row, for labels."""

    begin: int = 0
    """Where it begins along the flow."""

    @staticmethod
    def of(bundles: Sequence[Bundle], row: int) -> Channel:
        """A channel in which all bundles have their lanes."""
        found, rows = lanes(bundles)
        return Channel(found, rows, row)

    @property
    def depth(self) -> int:
        """Cells along the flow; a line is seen between two boxes even when none turns there."""
        return max(self.front + self.rows * self.row, self.row)

    def bends(self, lane: Lane, enters: int, leaves: int) -> list[Point]:
        """Corners of a line between two columns."""
        first = self._at(lane.row)
        if lane.second < 0:
            return [(enters, first), (leaves, first)]
        second = self._at(lane.second)
        return [(enters, first), (lane.column, first), (lane.column, second), (leaves, second)]

    def _at(self, row: int) -> int:
        return self.begin + self.front + row * self.row


def corners(points: Iterable[Point]) -> tuple[Point, ...]:
    """A way without points that lie on the straight line between those beside them."""
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


class Ways:
    """Ways of strands through all channels; what the strands of a net have in common is led once.

    Args:
        web: What is joined with what.
        channels: Between each rank and the next, with places.
        top: Where across the flow a net leaves a node downwards.
        bottom: Where it enters a node from above.
    """

    def __init__(
        self,
        web: Web,
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

    def of(self, strands: Sequence[Strand], begins: Sequence[int], depths: Sequence[int]) -> list[tuple[Point, ...]]:
        """Corners of each strand from its upper end to its lower; none of those that were left out.

        Args:
            strands: All of the web.
            begins: Where along the flow each rank begins.
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
        """Corners between two nodes that are joined."""
        gap = self._web.ranks[upper]
        return self._channels[gap].bends(self._lanes[gap][net], self._top(upper, net), self._bottom(lower, net))

    def _from_begin(self, upper: int, last: int, begin: Point, net: int) -> tuple[Point, ...]:
        """From the one that a net comes from to a node where it passes a rank."""
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
        """From a node where a net passes a rank to the one that it leads to."""
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
