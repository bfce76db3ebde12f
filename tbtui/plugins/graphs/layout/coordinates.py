"""Coordinates of nodes across the flow, and start columns of labels next to lines."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tbtui.plugins.graphs.layout.ranks import UNALIGNED, sort_topologically

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.graphs.layout.ranks import RankOrder


MAX_ROUNDS = 8
"""Maximum rounds of moving all blocks; fewer for large flows."""

MAX_EDGE_VISITS = 40_000
"""Maximum number of edges visited by all rounds, which bounds the time."""


_NO_BLOCK = -1
"""Block of a node that has none yet."""


class NodeSpacing(NamedTuple):
    """Minimum blank cells between two neighbours in a rank."""

    between_boxes: int
    next_to_line: int
    """If one of both is a line that passes the rank."""


class Connection(NamedTuple):
    """A line between two nodes; its end cells are counted from the first cell of each node."""

    upper: int
    upper_cell: int
    lower: int
    lower_cell: int
    attracts: bool = True
    """True if the line should be short."""


def assign_columns(
    rank_order: RankOrder,
    widths: Sequence[int],
    aligned_below: Sequence[int],
    connections: Sequence[Connection],
    spacing: NodeSpacing,
    box_count: int,
) -> list[int]:
    """Return the first cell of each node; the lowest is 0.

    Args:
        rank_order: Nodes of each rank in order.
        widths: Cells of each node.
        aligned_below: Node aligned below each node; their connection is a straight line.
        connections: All lines of the layout.
        spacing: Minimum blank cells between two nodes.
        box_count: Number of boxes. Nodes with this index or a higher one are lines that pass through a rank.
    """
    block, offset = _build_blocks(
        rank_order, aligned_below, {(connection.upper, connection.lower): connection for connection in connections}
    )
    distances = _find_min_distances(rank_order, widths, block, offset, spacing, box_count)
    count = max(block, default=-1) + 1
    lefts: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    rights: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for (left, right), distance in distances.items():
        lefts[right].append((left, distance))
        rights[left].append((right, distance))
    order = sort_topologically(count, list(distances))
    positions = [0] * count
    for index in order:
        positions[index] = max((positions[left] + distance for left, distance in lefts[index]), default=0)
    _straighten(positions, order, lefts, rights, _find_attractions(connections, block, offset, count))
    columns = [positions[node_block] + node_offset for node_block, node_offset in zip(block, offset, strict=True)]
    first = min(columns, default=0)
    return [column - first for column in columns]


def _build_blocks(
    rank_order: RankOrder, aligned_below: Sequence[int], connections: dict[tuple[int, int], Connection]
) -> tuple[list[int], list[int]]:
    """Return the block of each node and the offset of the node in it. The nodes of a block move together."""
    block, offset = [_NO_BLOCK] * len(aligned_below), [0] * len(aligned_below)
    count = 0
    for rank in rank_order:
        for node in rank:
            if block[node] == _NO_BLOCK:
                block[node], offset[node] = count, 0
                count += 1
            lower = aligned_below[node]
            if lower != UNALIGNED:
                connection = connections[node, lower]
                block[lower] = block[node]
                offset[lower] = offset[node] + connection.upper_cell - connection.lower_cell
    return block, offset


def _find_min_distances(
    rank_order: RankOrder,
    widths: Sequence[int],
    block: list[int],
    offset: list[int],
    spacing: NodeSpacing,
    box_count: int,
) -> dict[tuple[int, int], int]:
    """Return the minimum distance of each two neighbouring blocks."""
    distances: dict[tuple[int, int], int] = {}
    for rank in rank_order:
        for left, right in pairwise(rank):
            blank = spacing.next_to_line if max(left, right) >= box_count else spacing.between_boxes
            distance = offset[left] + widths[left] + blank - offset[right]
            pair = block[left], block[right]
            distances[pair] = max(distances.get(pair, distance), distance)
    return distances


def _find_attractions(
    connections: Sequence[Connection], block: list[int], offset: list[int], count: int
) -> list[list[tuple[int, int]]]:
    """Return, for each block, the connected blocks and the distance at which the line is straight."""
    attractions: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for upper, upper_cell, lower, lower_cell, attracts in connections:
        upper_block, lower_block = block[upper], block[lower]
        if attracts and upper_block != lower_block:
            distance = offset[upper] + upper_cell - offset[lower] - lower_cell
            attractions[lower_block].append((upper_block, distance))
            attractions[upper_block].append((lower_block, -distance))
    return attractions


def _straighten(
    positions: list[int],
    order: list[int],
    lefts: list[list[tuple[int, int]]],
    rights: list[list[tuple[int, int]]],
    attractions: list[list[tuple[int, int]]],
) -> None:
    """Move every block to the median of the positions that make its lines straight, between its neighbours."""
    rounds = min(MAX_ROUNDS, max(MAX_EDGE_VISITS // (sum(map(len, attractions)) + 1), 2))
    for turn in range(rounds):
        moved = False
        for index in order if turn % 2 else reversed(order):
            if not attractions[index]:
                continue
            preferred_columns = sorted(positions[other] + distance for other, distance in attractions[index])
            middle = len(preferred_columns) // 2
            goal = (
                preferred_columns[middle]
                if len(preferred_columns) % 2
                else (preferred_columns[middle - 1] + preferred_columns[middle]) // 2
            )
            for right, distance in rights[index]:
                goal = min(goal, positions[right] - distance)
            for left, distance in lefts[index]:
                goal = max(goal, positions[left] + distance)
            moved |= goal != positions[index]
            positions[index] = goal
        if not moved and turn:
            break


class Label(NamedTuple):
    """The label of a link."""

    link: int
    """Index of the link."""

    line: int
    """Cell across the flow of its line."""

    columns: int


def place_labels(labels: Sequence[Label], lines: Sequence[int]) -> list[tuple[Label, int]]:
    """Place labels in one row that vertical lines cross; return those that fit, and their start columns.

    Args:
        labels: Labels of the row.
        lines: Columns of all lines in the row, ascending.
    """
    placed: list[tuple[Label, int]] = []
    end = 0
    for label in sorted(labels, key=lambda label: label.line):
        after, before = bisect_right(lines, label.line), bisect_left(lines, label.line)
        left = max(end, lines[before - 1] + 2 if before else 0)
        start = label.line + 2
        if after < len(lines) and start + label.columns >= lines[after]:
            start = label.line - 1 - label.columns
            if start < left:
                continue
        placed.append((label, start))
        end = start + label.columns + 1
    return placed
