"""Route lines from border to border, corner by corner, through the channels between ranks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tbtui.plugins.graphs.layout.nets import NO_NET

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tbtui.plugins.graphs.layout.nets import RankedGraph, RankedLink


FlowCell: TypeAlias = tuple[int, int]
"""Cell of a layout: its distances from the first cell, across the flow and along it."""


MAX_COMPARED_SEGMENTS = 48
"""Maximum number of lines in a channel that are compared pairwise; more are sorted by their start columns."""


class ChannelNet(NamedTuple):
    """Columns at which a net enters a channel from above and leaves it below."""

    tops: tuple[int, ...]
    bottoms: tuple[int, ...]

    @property
    def is_straight(self) -> bool:
        """True if the net has no turn in the channel."""
        return len({*self.tops, *self.bottoms}) == 1


class Track(NamedTuple):
    """Path of a net through a channel: along one row, or along two with a column between them."""

    row: int
    """Row, from 0; not used for a straight net."""

    column: int = -1
    """Column between both rows; -1 with a single row."""

    second_row: int = -1


class _Segment(NamedTuple):
    """Horizontal segment of a net in one row of a channel."""

    net: int
    """Index into the nets of the channel."""

    tops: frozenset[int]
    bottoms: frozenset[int]
    low: int
    high: int


def _build_segment(net: int, tops: Sequence[int], bottoms: Sequence[int]) -> _Segment:
    ends = (*tops, *bottoms)
    return _Segment(net, frozenset(tops), frozenset(bottoms), min(ends), max(ends))


def assign_tracks(nets: Sequence[ChannelNet]) -> tuple[list[Track], int]:
    """Return a track for each net, and the number of rows.

    A net that leaves by a column at which another net enters must turn below that net. A cycle of such conditions is
    broken by a net that takes two rows.
    """
    segments = [_build_segment(index, *net) for index, net in enumerate(nets) if not net.is_straight]
    used_columns = {column for net in nets for column in (*net.tops, *net.bottoms)}
    tracks = [Track(0)] * len(nets)
    if not segments:
        return tracks, 0
    order_segments = _order_by_cost if len(segments) <= MAX_COMPARED_SEGMENTS else _order_by_start
    order, split = order_segments(segments)
    split_columns: dict[int, int] = {}
    rows = np.full(max(used_columns) + len(split) + 2, -1, np.int32)
    second_segments: list[_Segment] = []
    for index in order:
        segment = segments[index]
        if index in split:
            column = _find_free_column(used_columns, segment)
            used_columns.add(column)
            split_columns[segment.net] = column
            second_segments.append(_build_segment(segment.net, [column], sorted(segment.bottoms)))
            segment = _build_segment(segment.net, sorted(segment.tops), [column])
        tracks[segment.net] = Track(_occupy_row(rows, segment))
    for segment in second_segments:
        row = _occupy_row(rows, segment)
        tracks[segment.net] = Track(tracks[segment.net].row, split_columns[segment.net], row)
    return tracks, int(rows.max()) + 1


def _occupy_row(rows: np.ndarray[tuple[int], np.dtype[np.int32]], segment: _Segment) -> int:
    """Return the first free row below all segments in the same columns, and occupy it."""
    last_rows = rows[segment.low : segment.high + 1]
    row = int(last_rows.max()) + 1
    last_rows[:] = row
    return row


def _find_free_column(used_columns: set[int], segment: _Segment) -> int:
    """Return the column nearest to the middle of a segment at which no line enters or leaves."""
    middle = (segment.low + segment.high) // 2
    return next(
        column
        for distance in range(len(used_columns) + middle + 2)
        for column in (middle + distance, middle - distance)
        if column >= 0 and column not in used_columns
    )


def _order_by_cost(segments: Sequence[_Segment]) -> tuple[list[int], set[int]]:
    """Return an order from top to bottom with few crossings, and the segments to split."""
    count = len(segments)
    must_be_above = [[False] * count for _ in range(count)]
    cost = [[0] * count for _ in range(count)]
    for i, segment in enumerate(segments):
        for j in range(i):
            other = segments[j]
            if segment.low > other.high or other.low > segment.high:
                continue
            must_be_above[i][j] = not segment.tops.isdisjoint(other.bottoms)
            must_be_above[j][i] = not other.tops.isdisjoint(segment.bottoms)
            above, below = _count_crossings(segment, other), _count_crossings(other, segment)
            cost[i][j], cost[j][i] = max(above - below, 0), max(below - above, 0)
    return _order_greedily(count, must_be_above, cost)


def _count_crossings(upper: _Segment, lower: _Segment) -> int:
    """Return the number of crossings of two segments, one above the other."""
    from_above = sum(upper.low <= top <= upper.high for top in lower.tops)
    return from_above + sum(lower.low <= bottom <= lower.high for bottom in upper.bottoms)


def _order_greedily(count: int, must_be_above: list[list[bool]], cost: list[list[int]]) -> tuple[list[int], set[int]]:
    """Select, one after another, the segment that may be above all remaining ones at the lowest cost."""
    remaining = list(range(count))
    order: list[int] = []
    split: set[int] = set()
    while remaining:
        free = [
            index
            for index in remaining
            if not any(must_be_above[other][index] for other in remaining if other != index)
        ]
        if not free:
            first = min(remaining, key=lambda index: sum(must_be_above[other][index] for other in remaining))
            split.add(first)
        else:
            first = min(free, key=lambda index: sum(cost[index][other] for other in remaining))
        order.append(first)
        remaining.remove(first)
    return order, split


def _order_by_start(segments: Sequence[_Segment]) -> tuple[list[int], set[int]]:
    """Return the same as `_order_by_cost` for many segments: an order by start columns, per direction."""
    leaving: dict[int, list[int]] = {}
    for index, segment in enumerate(segments):
        for column in segment.bottoms:
            leaving.setdefault(column, []).append(index)
    lower = [
        {other for top in segment.tops for other in leaving.get(top, ())} - {i} for i, segment in enumerate(segments)
    ]
    upper_counts = [0] * len(segments)
    for others in lower:
        for other in others:
            upper_counts[other] += 1

    def get_start_key(index: int) -> int:
        segment = segments[index]
        runs_right = sum(segment.bottoms) * len(segment.tops) >= sum(segment.tops) * len(segment.bottoms)
        return -min(segment.tops) if runs_right else max(segment.tops)

    from heapq import heapify, heappop, heappush

    order: list[int] = []
    split: set[int] = set()
    is_done = [False] * len(segments)
    by_start = iter(sorted(range(len(segments)), key=get_start_key))
    free = [(get_start_key(index), index) for index, count in enumerate(upper_counts) if not count]
    heapify(free)
    while len(order) < len(segments):
        if free:
            index = heappop(free)[1]
        else:
            index = next(other for other in by_start if not is_done[other])
            split.add(index)
        if is_done[index]:
            continue
        is_done[index] = True
        order.append(index)
        for other in lower[index]:
            upper_counts[other] -= 1
            if not upper_counts[other] and not is_done[other]:
                heappush(free, (get_start_key(other), other))
    return order, split


@dataclass(slots=True)
class Channel:
    """Space between two ranks."""

    tracks: list[Track]
    """Track of each hop."""

    rows: int
    row_depth: int
    """Cells along the flow per row."""

    front: int = 0
    """Cells before the first row, for labels."""

    start: int = 0
    """First cell along the flow."""

    @staticmethod
    def build(nets: Sequence[ChannelNet], row_depth: int) -> Channel:
        """Return a channel with tracks for all nets."""
        tracks, rows = assign_tracks(nets)
        return Channel(tracks, rows, row_depth)

    @property
    def depth(self) -> int:
        """Cells along the flow; at least one row, so that a line is visible between two boxes."""
        return max(self.front + self.rows * self.row_depth, self.row_depth)

    def list_corners(self, track: Track, top_column: int, bottom_column: int) -> list[FlowCell]:
        """Return the corners of a line between two columns."""
        first = self._get_row_start(track.row)
        if track.second_row < 0:
            return [(top_column, first), (bottom_column, first)]
        second = self._get_row_start(track.second_row)
        return [(top_column, first), (track.column, first), (track.column, second), (bottom_column, second)]

    def _get_row_start(self, row: int) -> int:
        return self.start + self.front + row * self.row_depth


def drop_straight_points(points: Iterable[FlowCell]) -> tuple[FlowCell, ...]:
    """Return the points without those on a straight line between their neighbours."""
    result: list[FlowCell] = []
    for point in points:
        if result and result[-1] == point:
            continue
        if len(result) > 1:
            (x, y), (last_x, last_y) = result[-2:]
            if x == last_x == point[0] or y == last_y == point[1]:
                result.pop()
        result.append(point)
    return tuple(result)


class Router:
    """Routes links through all channels; corners that links of a net share are computed once.

    Args:
        graph: Connections between nodes.
        channels: Channels between ranks, with coordinates.
        get_bottom_port: Returns the cell at which a net leaves a node downwards.
        get_top_port: Returns the cell at which a net enters a node from above.
    """

    def __init__(
        self,
        graph: RankedGraph,
        channels: Sequence[Channel],
        get_bottom_port: Callable[[int, int], int],
        get_top_port: Callable[[int, int], int],
    ) -> None:
        self._graph, self._channels, self._get_bottom_port, self._get_top_port = (
            graph,
            channels,
            get_bottom_port,
            get_top_port,
        )
        self._tracks = [
            {hop.net: track for hop, track in zip(hops, channel.tracks, strict=True)}
            for hops, channel in zip(graph.channel_hops, channels, strict=True)
        ]
        self._trunks: dict[int, tuple[FlowCell, ...]] = {}
        """Corners from the shared end of a net to each of its nodes that pass a rank."""

    def route_links(
        self, links: Sequence[RankedLink], rank_starts: Sequence[int], depths: Sequence[int]
    ) -> list[tuple[FlowCell, ...]]:
        """Return the corners of each link from its upper to its lower end; empty for links that are left out.

        Args:
            links: All links of the graph.
            rank_starts: Start of each rank along the flow.
            depths: Cells along the flow of each box.
        """
        ranks, link_counts = self._graph.ranks, Counter(self._graph.nets)
        routes: list[tuple[FlowCell, ...]] = []
        for link, net in zip(links, self._graph.nets, strict=True):
            if net == NO_NET:
                routes.append(())
                continue
            upper, lower, is_single = link.upper, link.lower, link_counts[net] == 1
            start = (self._get_bottom_port(upper, net), rank_starts[ranks[upper]] + depths[upper] - 1)
            end = (self._get_top_port(lower, net), rank_starts[ranks[lower]])
            pass_nodes = self._graph.pass_nodes[net]
            if is_single or ranks[lower] - ranks[upper] == 1:
                nodes = [pass_nodes[rank] for rank in range(ranks[upper] + 1, ranks[lower])] if is_single else []
                points = self._route_along([upper, *nodes, lower], start, end, net)
            elif self._graph.converges[net]:
                first = pass_nodes[ranks[upper] + 1]
                points = drop_straight_points(
                    (start, *self._list_corners(upper, first, net), *self._route_to_end(first, lower, end, net))
                )
            else:
                last = pass_nodes[ranks[lower] - 1]
                trunk = self._route_from_start(upper, last, start, net)
                points = drop_straight_points((*trunk, *self._list_corners(last, lower, net), end))
            routes.append(points)
        return routes

    def _route_along(self, nodes: Sequence[int], start: FlowCell, end: FlowCell, net: int) -> tuple[FlowCell, ...]:
        points = [start]
        for upper, lower in pairwise(nodes):
            points += self._list_corners(upper, lower, net)
        return drop_straight_points((*points, end))

    def _list_corners(self, upper: int, lower: int, net: int) -> list[FlowCell]:
        """Return the corners between two connected nodes."""
        rank = self._graph.ranks[upper]
        track = self._tracks[rank][net]
        return self._channels[rank].list_corners(
            track, self._get_bottom_port(upper, net), self._get_top_port(lower, net)
        )

    def _route_from_start(self, upper: int, last: int, start: FlowCell, net: int) -> tuple[FlowCell, ...]:
        """Return the corners from the source of a net to its node that passes a rank."""
        pass_nodes, rank = self._graph.pass_nodes[net], self._graph.ranks[last]
        first = self._graph.ranks[upper] + 1
        while rank > first and pass_nodes[rank] not in self._trunks:
            rank -= 1
        if rank == first:
            self._trunks[pass_nodes[first]] = drop_straight_points(
                (start, *self._list_corners(upper, pass_nodes[first], net))
            )
        for next_rank in range(rank + 1, self._graph.ranks[last] + 1):
            above, below = pass_nodes[next_rank - 1], pass_nodes[next_rank]
            self._trunks[below] = drop_straight_points((*self._trunks[above], *self._list_corners(above, below, net)))
        return self._trunks[last]

    def _route_to_end(self, first: int, lower: int, end: FlowCell, net: int) -> tuple[FlowCell, ...]:
        """Return the corners from the node of a net that passes a rank to its target."""
        pass_nodes, rank = self._graph.pass_nodes[net], self._graph.ranks[first]
        last = self._graph.ranks[lower] - 1
        while rank < last and pass_nodes[rank] not in self._trunks:
            rank += 1
        if rank == last:
            self._trunks[pass_nodes[last]] = drop_straight_points(
                (*self._list_corners(pass_nodes[last], lower, net), end)
            )
        for lower_rank in range(rank, self._graph.ranks[first], -1):
            above, below = pass_nodes[lower_rank - 1], pass_nodes[lower_rank]
            self._trunks[above] = drop_straight_points((*self._list_corners(above, below, net), *self._trunks[below]))
        return self._trunks[first]
