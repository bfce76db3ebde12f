"""Coordinates across the flow: of nodes, of the ports along their borders, and of labels next to lines."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tbtui.plugins.graphs.layout.ranks import NO_NODE, sort_topologically

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.graphs.layout.ranks import Ranked


MAX_ROUNDS = 8
"""Maximum rounds of moving all blocks; fewer for large flows."""

MAX_EDGE_VISITS = 40_000
"""Maximum number of edges visited by all rounds, which bounds the time."""


class Connection(NamedTuple):
    """A line between two nodes; its end cells are counted from the first cell of each node."""

    upper: int
    upper_cell: int
    lower: int
    lower_cell: int
    attracts: bool = True
    """True if the line should be short."""


def assign_columns(
    ranks: Ranked,
    widths: Sequence[int],
    below: Sequence[int],
    connections: Sequence[Connection],
    gaps: tuple[int, int],
    boxes: int,
) -> list[int]:
    """Return the first cell of each node; the lowest is 0.

    Args:
        ranks: Nodes of each rank in order.
        widths: Cells of each node.
        below: Node aligned below each node; their connection is a straight line.
        connections: All lines of the layout.
        gaps: Blank cells between two boxes, and next to a passing line.
        boxes: Number of boxes. Nodes with this index or a higher one are lines that pass through a rank.
    """
    block, offset = _build_blocks(
        ranks, below, {(connection.upper, connection.lower): connection for connection in connections}
    )
    distances = _find_min_distances(ranks, widths, block, offset, gaps, boxes)
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
    ranks: Ranked, below: Sequence[int], connections: dict[tuple[int, int], Connection]
) -> tuple[list[int], list[int]]:
    """Return the block of each node and the offset of the node in it. The nodes of a block move together."""
    block, offset = [NO_NODE] * len(below), [0] * len(below)
    count = 0
    for rank in ranks:
        for node in rank:
            if block[node] == NO_NODE:
                block[node], offset[node] = count, 0
                count += 1
            lower = below[node]
            if lower != NO_NODE:
                connection = connections[node, lower]
                block[lower] = block[node]
                offset[lower] = offset[node] + connection.upper_cell - connection.lower_cell
    return block, offset


def _find_min_distances(
    ranks: Ranked, widths: Sequence[int], block: list[int], offset: list[int], gaps: tuple[int, int], boxes: int
) -> dict[tuple[int, int], int]:
    """Return the minimum distance of each two neighbouring blocks."""
    distances: dict[tuple[int, int], int] = {}
    for rank in ranks:
        for left, right in pairwise(rank):
            gap = gaps[left >= boxes or right >= boxes]
            distance = offset[left] + widths[left] + gap - offset[right]
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


MAX_PORT_DISTANCE = 4
"""Maximum cells from one port to the next."""

MAX_SEPARATE_PORTS = 24
"""Maximum number of ports for which a box is enlarged; more may share a cell."""


def min_breadth(ports: int, pitch: int) -> int:
    """Return the minimum cells of a box for its ports, with a distance of `pitch` cells."""
    return pitch * (min(ports, MAX_SEPARATE_PORTS) - 1) + 3 if ports > 1 else 1


def spread_ports(count: int, width: int, main: int | None = None) -> list[int]:
    """Return cells of ports in order, counted from the first cell of the box.

    Args:
        count: Number of ports.
        width: Cells of the box; corners get no ports unless there is no other cell.
        main: Port that is in the middle if the others fit at its sides; None: all are spread about the middle.
    """
    low, high = (1, width - 2) if width > 2 else (0, width - 1)
    middle = width // 2
    if main is None:
        return _spread_evenly(count, low, high, middle)
    before, after = main, count - 1 - main
    if low + before <= high - after:
        middle = min(max(middle, low + before), high - after)
    sides = ((before, middle - low), (after, high - middle))
    step = min([MAX_PORT_DISTANCE, *(cells // ports for ports, cells in sides if ports)])
    left = [2 * middle - cell for cell in reversed(_place_ports_after(before, middle, 2 * middle - low, step))]
    return [*left, middle, *_place_ports_after(after, middle, high, step)]


def _spread_evenly(count: int, low: int, high: int, middle: int) -> list[int]:
    if count < 2:
        return [middle] * count
    step = min(MAX_PORT_DISTANCE, (high - low) // (count - 1))
    if step < 1:
        return [low + index * (high - low) // (count - 1) for index in range(count)]
    if step % 2 and count % 2 == 0 and step > 1:
        step -= 1  # an even number of ports is symmetric only with an even step
    first = max(min(middle - (count - 1) * step // 2, high - (count - 1) * step), low)
    return [first + index * step for index in range(count)]


def _place_ports_after(count: int, middle: int, high: int, step: int) -> list[int]:
    """Return the ports after the middle."""
    if step < 1:
        return [min(middle + 1 + index * max(high - middle, 1) // count, high) for index in range(count)]
    return [middle + (index + 1) * step for index in range(count)]


def match_ports(count: int, cells: Sequence[int], width: int) -> list[int]:
    """Return cells of ports that match `cells`, the ports inside the box, evenly if the numbers differ."""
    if not cells:
        return spread_ports(count, width)
    if count <= len(cells):
        return [cells[index * len(cells) // count] for index in range(count)]
    others = [cell for cell in range(1, width - 1, 2) if all(abs(cell - port) > 1 for port in cells)]
    missing = count - len(cells)
    if len(others) < missing:
        return spread_ports(count, width)
    nearest = sorted(others, key=lambda cell: min(abs(cell - port) for port in cells))[:missing]
    return sorted([*cells, *nearest])
