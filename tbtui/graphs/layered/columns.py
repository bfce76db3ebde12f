"""Where across the flow each node stands: lines straight, boxes between what they are joined with, nothing too near."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tbtui.graphs.layered.alignment import NOBODY
from tbtui.graphs.layered.ranks import in_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.graphs.layered.ordering import Ranked

ROUNDS = 8
"""Times that all blocks move to where they are drawn; fewer in flows of which each takes long."""

WORK = 40_000
"""Joints looked at, all rounds together: what bounds the time."""


class Joint(NamedTuple):
    """A line between two nodes, and how far from the first cell of each it ends."""

    upper: int
    leaves: int
    lower: int
    enters: int
    pulls: bool = True
    """Whether it should be short; else it may be as long as it happens to be."""


def columns(
    ranks: Ranked,
    widths: Sequence[int],
    below: Sequence[int],
    joints: Sequence[Joint],
    gaps: tuple[int, int],
    boxes: int,
) -> list[int]:
    """First cell of each node, the least of all being 0.

    Args:
        ranks: Nodes of each rank in their order.
        widths: Cells of each node.
        below: What stands straight below each node: their joint is a straight line.
        joints: All lines.
        gaps: Blank cells between two boxes, and beside a line that passes.
        boxes: Nodes before this one are boxes.
    """
    block, shift = _blocks(ranks, below, {(joint.upper, joint.lower): joint for joint in joints})
    apart = _apart(ranks, widths, block, shift, gaps, boxes)
    count = max(block, default=-1) + 1
    lefts: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    rights: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for (one, other), distance in apart.items():
        lefts[other].append((one, distance))
        rights[one].append((other, distance))
    order = in_order(count, list(apart))
    at = [0] * count
    for index in order:
        at[index] = max((at[left] + distance for left, distance in lefts[index]), default=0)
    _settle(at, order, lefts, rights, _drawn(joints, block, shift, count))
    found = [at[of] + by for of, by in zip(block, shift, strict=True)]
    least = min(found, default=0)
    return [column - least for column in found]


def _blocks(ranks: Ranked, below: Sequence[int], joints: dict[tuple[int, int], Joint]) -> tuple[list[int], list[int]]:
    """Nodes that move together: number of the block of each, and how far right of the block's line it begins."""
    block, shift = [NOBODY] * len(below), [0] * len(below)
    count = 0
    for rank in ranks:
        for node in rank:
            if block[node] == NOBODY:
                block[node], shift[node] = count, 0
                count += 1
            lower = below[node]
            if lower != NOBODY:
                joint = joints[node, lower]
                block[lower], shift[lower] = block[node], shift[node] + joint.leaves - joint.enters
    return block, shift


def _apart(
    ranks: Ranked, widths: Sequence[int], block: list[int], shift: list[int], gaps: tuple[int, int], boxes: int
) -> dict[tuple[int, int], int]:
    """How far right of one block another must stay."""
    apart: dict[tuple[int, int], int] = {}
    for rank in ranks:
        for one, other in pairwise(rank):
            gap = gaps[one >= boxes or other >= boxes]
            distance = shift[one] + widths[one] + gap - shift[other]
            pair = block[one], block[other]
            apart[pair] = max(apart.get(pair, distance), distance)
    return apart


def _drawn(joints: Sequence[Joint], block: list[int], shift: list[int], count: int) -> list[list[tuple[int, int]]]:
    """Of each block: other blocks that it is joined with, and how far right of them the line would be straight."""
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
    """Move every block to the median of where its lines would be straight, as far as its neighbours let it."""
    rounds = min(ROUNDS, max(WORK // (sum(map(len, drawn)) + 1), 2))
    for turn in range(rounds):
        moved = False
        for index in order if turn % 2 else reversed(order):
            if not drawn[index]:
                continue
            wanted = sorted(at[other] + distance for other, distance in drawn[index])
            middle = len(wanted) // 2
            goal = wanted[middle] if len(wanted) % 2 else (wanted[middle - 1] + wanted[middle]) // 2
            for right, distance in rights[index]:
                goal = min(goal, at[right] - distance)
            for left, distance in lefts[index]:
                goal = max(goal, at[left] + distance)
            moved |= goal != at[index]
            at[index] = goal
        if not moved and turn:
            break
