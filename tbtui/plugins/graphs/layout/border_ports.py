"""One connected flow in its places: ranks below one another, and lines that run between them.

Nothing here knows which way a flow runs on a screen: cells are counted across it and along it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tbtui.plugins.graphs.layout.coordinates import given, spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tbtui.plugins.graphs.diagram import Tensor
    from tbtui.plugins.graphs.layout.flow import Size, Thread

# Where lines cross the border of an opened box: one goes on in a line inside only where both carry the same.


Carried: TypeAlias = "frozenset[Tensor] | None"
"""What a line carries; None where it is not told, so that it may be anything."""


NOTHING: frozenset[Tensor] = frozenset()
"""Of a line that goes on in none: one that runs back leaves a box where lines go out, and comes in."""


class Gate(NamedTuple):
    """Where a line inside of a box begins or ends at its border."""

    cell: int
    """Across the flow, from the first of the box."""

    carries: Carried = None


def carried(links: Iterable[Sequence[Tensor]]) -> Carried:
    """All that some links carry, of which each is empty where that is not told."""
    found: set[Tensor] = set()
    for tensors in links:
        if not tensors:
            return None
        found.update(tensors)
    return frozenset(found)


class Borders(NamedTuple):
    """What the lines at each box carry, by the box and the net; of boxes that have gates."""

    below: dict[tuple[int, int], Carried]
    above: dict[tuple[int, int], Carried]


def borders(sizes: Sequence[Size], threads: Sequence[Thread], kept: Sequence[bool], nets: Sequence[int]) -> Borders:
    """What crosses which border.

    Args:
        sizes: Of the boxes.
        threads: What joins them.
        kept: Whether each leads down; the others run back.
        nets: Of each thread.
    """
    found: tuple[dict[tuple[int, int], Carried], ...] = ({}, {})
    for thread, keep, net in zip(threads, kept, nets, strict=True):
        upper, lower = (thread.source, thread.target) if keep else (thread.target, thread.source)
        carries = carried([thread.carries]) if keep else NOTHING
        for carrying, node, gates in zip(
            found, (upper, lower), (sizes[upper].outlets, sizes[lower].inlets), strict=True
        ):
            if gates:
                before = carrying.get((node, net), NOTHING)
                carrying[node, net] = None if carries is None or before is None else carries | before
    return Borders(*found)


def joins(outside: Carried, inside: Carried) -> bool:
    """Whether a line goes on in another."""
    if outside is None or inside is None:
        return NOTHING not in (outside, inside)
    return not outside.isdisjoint(inside)


def crossing(lines: Sequence[Carried], gates: Sequence[Gate], width: int) -> list[int]:
    """Cells of lines outside: each at the gate of one that it goes on in, or at no gate at all.

    Args:
        lines: What each carries, in the order in which they would best stand.
        gates: Of the lines inside, ascending.
        width: Cells of the box. Where it has too few, lines outside may share one.
    """
    cells = given(len(lines), [gate.cell for gate in gates], width)
    inside = {gate.cell: gate.carries for gate in gates}
    if all(cell not in inside or joins(line, inside[cell]) for line, cell in zip(lines, cells, strict=True)):
        return cells
    free = set(inside)
    found: list[int | None] = []
    for line, near in zip(lines, cells, strict=True):
        fitting = [cell for cell in free if joins(line, inside[cell])]
        found.append(min(fitting, key=lambda cell: (abs(cell - near), cell), default=None))
        free -= {found[-1]}
    return _between(found, cells, set(inside), width)


def _between(found: Sequence[int | None], wanted: Sequence[int], gates: set[int], width: int) -> list[int]:
    """Cells for those that have none: near the wanted ones, with a blank beside each as far as there is room."""
    blank = [cell for cell in range(1, width - 1) if cell not in gates] or [0]
    taken = set(gates)
    cells = []
    for given_cell, near in zip(found, wanted, strict=True):
        if given_cell is not None:
            cells.append(given_cell)
            continue
        apart = [one for one in blank if taken.isdisjoint((one - 1, one, one + 1))]
        rest = apart or [one for one in blank if one not in taken] or blank
        cells.append(min(rest, key=lambda one: (abs(one - near), one)))
        taken.add(cells[-1])
    return cells


def side(
    node: int,
    nets: list[tuple[int, list[int]]],
    breadth: int,
    gates: Sequence[Gate],
    straight: int,
    place: Sequence[int],
    carries: Mapping[tuple[int, int], Carried],
) -> dict[tuple[int, int], int]:
    """Ports on one side of a box, in the order of what they lead to; that of the straight line in the middle."""
    nets = sorted(nets, key=lambda net: sum(place[end] for end in net[1]) / len(net[1]))
    if gates:
        cells = crossing([carries[node, net] for net, _ in nets], gates, breadth)
    else:
        main = next((index for index, (_, ends) in enumerate(nets) if straight in ends), None)
        cells = spread(len(nets), breadth, main)
    return {(node, net): cell for (net, _), cell in zip(nets, cells, strict=True)}
