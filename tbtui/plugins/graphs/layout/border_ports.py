"""Ports at the border of an open box: a line outside meets a line inside only if both carry the same tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tbtui.plugins.graphs.layout.coordinates import match_ports, spread_ports

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tbtui.plugins.graphs.diagram import Tensor
    from tbtui.plugins.graphs.layout.flow import FlowLink, NodeSize


Carried: TypeAlias = "frozenset[Tensor] | None"
"""Tensors of a line; None if they are unknown, so that it may carry any."""


NOTHING: frozenset[Tensor] = frozenset()
"""No tensors: for a line that continues in no other, such as one against the flow."""


class BorderPort(NamedTuple):
    """A port where a line inside a box begins or ends at its border."""

    cell: int
    """Cell across the flow, from the first cell of the box."""

    carries: Carried = None


def all_tensors(links: Iterable[Sequence[Tensor]]) -> Carried:
    """Return all tensors of some links; None if those of one are unknown."""
    found: set[Tensor] = set()
    for tensors in links:
        if not tensors:
            return None
        found.update(tensors)
    return frozenset(found)


class BorderContents(NamedTuple):
    """Tensors of lines at each box with border ports, by box and net."""

    below: dict[tuple[int, int], Carried]
    above: dict[tuple[int, int], Carried]


def border_contents(
    sizes: Sequence[NodeSize], threads: Sequence[FlowLink], is_forward: Sequence[bool], nets: Sequence[int]
) -> BorderContents:
    """Collect the tensors that cross each border.

    Args:
        sizes: Sizes of the boxes.
        threads: Links between boxes.
        is_forward: True for links that lead down; others run back.
        nets: Net of each link.
    """
    contents: tuple[dict[tuple[int, int], Carried], ...] = ({}, {})
    for thread, keep, net in zip(threads, is_forward, nets, strict=True):
        upper, lower = (thread.source, thread.target) if keep else (thread.target, thread.source)
        carries = all_tensors([thread.carries]) if keep else NOTHING
        for carrying, node, ports in zip(
            contents, (upper, lower), (sizes[upper].outlets, sizes[lower].inlets), strict=True
        ):
            if ports:
                before = carrying.get((node, net), NOTHING)
                carrying[node, net] = None if carries is None or before is None else carries | before
    return BorderContents(*contents)


def continues(outside: Carried, inside: Carried) -> bool:
    """Return True if a line continues in another one."""
    if outside is None or inside is None:
        return NOTHING not in (outside, inside)
    return not outside.isdisjoint(inside)


def align_ports(lines: Sequence[Carried], ports: Sequence[BorderPort], width: int) -> list[int]:
    """Return cells for lines outside: each at a port of a line that it continues in, or at no port.

    Args:
        lines: Tensors of each line, in the preferred order.
        ports: Ports of lines inside, ascending.
        width: Cells of the box; if there are too few, lines outside may share one.
    """
    cells = match_ports(len(lines), [port.cell for port in ports], width)
    inside = {port.cell: port.carries for port in ports}
    if all(cell not in inside or continues(line, inside[cell]) for line, cell in zip(lines, cells, strict=True)):
        return cells
    free = set(inside)
    found: list[int | None] = []
    for line, near in zip(lines, cells, strict=True):
        fitting = [cell for cell in free if continues(line, inside[cell])]
        found.append(min(fitting, key=lambda cell: (abs(cell - near), cell), default=None))
        free -= {found[-1]}
    return _fill_cells(found, cells, set(inside), width)


def _fill_cells(found: Sequence[int | None], preferred_cells: Sequence[int], ports: set[int], width: int) -> list[int]:
    """Return cells for lines without one: near the preferred cells, with a blank beside each if possible."""
    blank = [cell for cell in range(1, width - 1) if cell not in ports] or [0]
    used_cells = set(ports)
    cells = []
    for given_cell, near in zip(found, preferred_cells, strict=True):
        if given_cell is not None:
            cells.append(given_cell)
            continue
        apart = [one for one in blank if used_cells.isdisjoint((one - 1, one, one + 1))]
        rest = apart or [one for one in blank if one not in used_cells] or blank
        cells.append(min(rest, key=lambda one: (abs(one - near), one)))
        used_cells.add(cells[-1])
    return cells


def box_ports(
    node: int,
    nets: list[tuple[int, list[int]]],
    breadth: int,
    ports: Sequence[BorderPort],
    straight: int,
    place: Sequence[int],
    carries: Mapping[tuple[int, int], Carried],
) -> dict[tuple[int, int], int]:
    """Return the ports at one side of a box, ordered by the other ends; the aligned line is in the middle."""
    nets = sorted(nets, key=lambda net: sum(place[end] for end in net[1]) / len(net[1]))
    if ports:
        cells = align_ports([carries[node, net] for net, _ in nets], ports, breadth)
    else:
        main = next((index for index, (_, ends) in enumerate(nets) if straight in ends), None)
        cells = spread_ports(len(nets), breadth, main)
    return {(node, net): cell for (net, _), cell in zip(nets, cells, strict=True)}
