"""Coordinates across the flow: of nodes, of the ports along their borders, and of labels beside lines."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tbtui.plugins.graphs.layout.ranks import NO_NODE, topological_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.graphs.layout.ranks import Ranked


MAX_ROUNDS = 8
"""Maximum rounds of moving all blocks; fewer for large flows."""

MAX_EDGE_VISITS = 40_000
"""Maximum number of edges visited by all rounds, which bounds the time."""


class Joint(NamedTuple):
    """A line between two nodes; `leaves` and `enters` are its end cells, counted from the first cell of each node."""

    upper: int
    leaves: int
    lower: int
    enters: int
    pulls: bool = True
    """True if it should be short."""


def assign_columns(
    ranks: Ranked,
    widths: Sequence[int],
    below: Sequence[int],
    joints: Sequence[Joint],
    gaps: tuple[int, int],
    boxes: int,
) -> list[int]:
    """Return the first cell of each node; the lowest is 0.

    Args:
        ranks: Nodes of each rank in order.
        widths: Cells of each node.
        below: Node aligned below each node: their joint is a straight line.
        joints: All lines of the layout.
        gaps: Blank cells between two boxes, and beside a passing line.
        boxes: Number of boxes. Nodes with this index or a higher one are lines that pass through a rank.
    """
    block, shift = _blocks(ranks, below, {(joint.upper, joint.lower): joint for joint in joints})
    apart = _apart(ranks, widths, block, shift, gaps, boxes)
    count = max(block, default=-1) + 1
    lefts: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    rights: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for (one, other), distance in apart.items():
        lefts[other].append((one, distance))
        rights[one].append((other, distance))
    order = topological_order(count, list(apart))
    at = [0] * count
    for index in order:
        at[index] = max((at[left] + distance for left, distance in lefts[index]), default=0)
    _settle(at, order, lefts, rights, _drawn(joints, block, shift, count))
    columns = [at[of] + by for of, by in zip(block, shift, strict=True)]
    least = min(columns, default=0)
    return [column - least for column in columns]


def _blocks(ranks: Ranked, below: Sequence[int], joints: dict[tuple[int, int], Joint]) -> tuple[list[int], list[int]]:
    """Return the block of each node and the offset of the node in it. The nodes of a block move together."""
    block, shift = [NO_NODE] * len(below), [0] * len(below)
    count = 0
    for rank in ranks:
        for node in rank:
            if block[node] == NO_NODE:
                block[node], shift[node] = count, 0
                count += 1
            lower = below[node]
            if lower != NO_NODE:
                joint = joints[node, lower]
                block[lower], shift[lower] = block[node], shift[node] + joint.leaves - joint.enters
    return block, shift


def _apart(
    ranks: Ranked, widths: Sequence[int], block: list[int], shift: list[int], gaps: tuple[int, int], boxes: int
) -> dict[tuple[int, int], int]:
    """Return the minimum distance of blocks that are neighbours."""
    apart: dict[tuple[int, int], int] = {}
    for rank in ranks:
        for one, other in pairwise(rank):
            gap = gaps[one >= boxes or other >= boxes]
            distance = shift[one] + widths[one] + gap - shift[other]
            pair = block[one], block[other]
            apart[pair] = max(apart.get(pair, distance), distance)
    return apart


def _drawn(joints: Sequence[Joint], block: list[int], shift: list[int], count: int) -> list[list[tuple[int, int]]]:
    """Return, for each block, the connected blocks and the distance at which the line is straight."""
    drawn: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for upper, leaves, lower, enters, pulls in joints:
        one, other = block[upper], block[lower]
        if pulls and one != other:
            distance = shift[upper] + leaves - shift[lower] - enters
            drawn[other].append((one, distance))
            drawn[one].append((other, -distance))
    return drawn


def _settle(
    at: list[int],
    order: list[int],
    lefts: list[list[tuple[int, int]]],
    rights: list[list[tuple[int, int]]],
    drawn: list[list[tuple[int, int]]],
) -> None:
    """Move every block to the median of the positions that make its lines straight, within its neighbours."""
    rounds = min(MAX_ROUNDS, max(MAX_EDGE_VISITS // (sum(map(len, drawn)) + 1), 2))
    for turn in range(rounds):
        moved = False
        for index in order if turn % 2 else reversed(order):
            if not drawn[index]:
                continue
            preferred_columns = sorted(at[other] + distance for other, distance in drawn[index])
            middle = len(preferred_columns) // 2
            goal = (
                preferred_columns[middle]
                if len(preferred_columns) % 2
                else (preferred_columns[middle - 1] + preferred_columns[middle]) // 2
            )
            for right, distance in rights[index]:
                goal = min(goal, at[right] - distance)
            for left, distance in lefts[index]:
                goal = max(goal, at[left] + distance)
            moved |= goal != at[index]
            at[index] = goal
        if not moved and turn:
            break


class Label(NamedTuple):
    """A label to place."""

    thread: int
    line: int
    """Cell across the flow of its line."""

    columns: int


def place_labels(labels: Sequence[Label], lines: Sequence[int]) -> list[tuple[Label, int]]:
    """Place labels in one row that vertical lines cross; return those with room, and their start columns.

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


MAX_PORT_DISTANCE = 4
"""Maximum cells from one port to the next."""

MAX_SEPARATE_PORTS = 24
"""Maximum number of ports for which a box is enlarged; more may share a cell."""


def min_breadth(ports: int, pitch: int) -> int:
    """Return the minimum cells of a box for its ports, which are `pitch` cells apart."""
    return pitch * (min(ports, MAX_SEPARATE_PORTS) - 1) + 3 if ports > 1 else 1


def spread_ports(count: int, width: int, main: int | None = None) -> list[int]:
    """Return cells of ports in order, counted from the first cell of the box.

    Args:
        count: Number of ports.
        width: Cells of the box; corners get no ports unless there is no other cell.
        main: Port that is in the middle if the others have room; None: all are spread about the middle.
    """
    low, high = (1, width - 2) if width > 2 else (0, width - 1)
    middle = width // 2
    if main is None:
        return _between(count, low, high, middle)
    before, after = main, count - 1 - main
    if low + before <= high - after:
        middle = min(max(middle, low + before), high - after)
    sides = ((before, middle - low), (after, high - middle))
    step = min([MAX_PORT_DISTANCE, *(room // ports for ports, room in sides if ports)])
    left = [2 * middle - cell for cell in reversed(_beside(before, middle, 2 * middle - low, step))]
    return [*left, middle, *_beside(after, middle, high, step)]


def _between(count: int, low: int, high: int, middle: int) -> list[int]:
    if count < 2:
        return [middle] * count
    step = min(MAX_PORT_DISTANCE, (high - low) // (count - 1))
    if step < 1:
        return [low + index * (high - low) // (count - 1) for index in range(count)]
    if step % 2 and count % 2 == 0 and step > 1:
        step -= 1  # an even number of ports is symmetric only with an even step
    first = max(min(middle - (count - 1) * step // 2, high - (count - 1) * step), low)
    return [first + index * step for index in range(count)]


def _beside(count: int, middle: int, high: int, step: int) -> list[int]:
    """Return the ports after the middle."""
    if step < 1:
        return [min(middle + 1 + index * max(high - middle, 1) // count, high) for index in range(count)]
    return [middle + (index + 1) * step for index in range(count)]


def match_ports(count: int, cells: Sequence[int], width: int) -> list[int]:
    """Return the cells of ports; they match `cells`, the ports inside the box, evenly if the numbers differ."""
    if not cells:
        return spread_ports(count, width)
    if count <= len(cells):
        return [cells[index * len(cells) // count] for index in range(count)]
    others = [cell for cell in range(1, width - 1, 2) if all(abs(cell - one) > 1 for one in cells)]
    missing = count - len(cells)
    if len(others) < missing:
        return spread_ports(count, width)
    near = sorted(others, key=lambda cell: min(abs(cell - one) for one in cells))[:missing]
    return sorted([*cells, *near])
