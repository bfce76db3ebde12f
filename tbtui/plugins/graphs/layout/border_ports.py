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
    """The end of a line inside a box at its border."""

    cell: int
    """Cell across the flow, from the first cell of the box."""

    carries: Carried = None


def collect_tensors(links: Iterable[Sequence[Tensor]]) -> Carried:
    """Return all tensors of these links; None if those of one link are unknown."""
    all_carried: set[Tensor] = set()
    for tensors in links:
        if not tensors:
            return None
        all_carried.update(tensors)
    return frozenset(all_carried)


class BorderContents(NamedTuple):
    """Tensors of lines at each box with border ports, by box and net."""

    below: dict[tuple[int, int], Carried]
    above: dict[tuple[int, int], Carried]


def collect_border_contents(
    sizes: Sequence[NodeSize], links: Sequence[FlowLink], is_forward: Sequence[bool], nets: Sequence[int]
) -> BorderContents:
    """Collect the tensors that cross each border.

    Args:
        sizes: Sizes of the boxes.
        links: Links between boxes.
        is_forward: True for links that run down; others run backwards.
        nets: Net of each link.
    """
    contents: tuple[dict[tuple[int, int], Carried], ...] = ({}, {})
    for link, runs_forward, net in zip(links, is_forward, nets, strict=True):
        upper, lower = (link.source, link.target) if runs_forward else (link.target, link.source)
        carries = collect_tensors([link.carries]) if runs_forward else NOTHING
        for side, node, ports in zip(
            contents, (upper, lower), (sizes[upper].outlets, sizes[lower].inlets), strict=True
        ):
            if ports:
                before = side.get((node, net), NOTHING)
                side[node, net] = None if carries is None or before is None else carries | before
    return BorderContents(*contents)


def is_continued(outside: Carried, inside: Carried) -> bool:
    """Return True if a line outside may continue in a line inside."""
    if outside is None or inside is None:
        return NOTHING not in (outside, inside)
    return not outside.isdisjoint(inside)


def align_ports(lines: Sequence[Carried], ports: Sequence[BorderPort], width: int) -> list[int]:
    """Return cells for lines outside: each at the port of a line that it continues in, or at no port.

    Args:
        lines: Tensors of each line, in the preferred order.
        ports: Ports of lines inside, ascending.
        width: Cells of the box; with too few, lines outside may share one.
    """
    cells = match_ports(len(lines), [port.cell for port in ports], width)
    inside = {port.cell: port.carries for port in ports}
    if all(cell not in inside or is_continued(line, inside[cell]) for line, cell in zip(lines, cells, strict=True)):
        return cells
    free_ports = set(inside)
    port_cells: list[int | None] = []
    for line, preferred in zip(lines, cells, strict=True):
        matching = [cell for cell in free_ports if is_continued(line, inside[cell])]
        port_cells.append(min(matching, key=lambda cell: (abs(cell - preferred), cell), default=None))
        free_ports -= {port_cells[-1]}
    return _fill_cells(port_cells, cells, set(inside), width)


def _fill_cells(
    port_cells: Sequence[int | None], preferred_cells: Sequence[int], ports: set[int], width: int
) -> list[int]:
    """Return the cells of all lines; those without a port get cells near the preferred ones, with gaps if possible."""
    blank = [cell for cell in range(1, width - 1) if cell not in ports] or [0]
    used_cells = set(ports)
    cells = []
    for port_cell, preferred in zip(port_cells, preferred_cells, strict=True):
        if port_cell is not None:
            cells.append(port_cell)
            continue
        with_gaps = [cell for cell in blank if used_cells.isdisjoint((cell - 1, cell, cell + 1))]
        candidates = with_gaps or [cell for cell in blank if cell not in used_cells] or blank
        cells.append(min(candidates, key=lambda cell: (abs(cell - preferred), cell)))
        used_cells.add(cells[-1])
    return cells


def order_ports(
    node: int,
    nets: list[tuple[int, list[int]]],
    breadth: int,
    ports: Sequence[BorderPort],
    aligned: int,
    rank_positions: Sequence[int],
    carries: Mapping[tuple[int, int], Carried],
) -> dict[tuple[int, int], int]:
    """Return the ports at one side of a box, ordered by the other ends; the line to the aligned node is in the middle.

    Args:
        node: The box.
        nets: Number and other ends of each net at this side.
        breadth: Cells of the box.
        ports: Ports of lines inside; empty for a closed box.
        aligned: Node that is aligned with the box.
        rank_positions: Position of each node in its rank.
        carries: Tensors of lines by box and net.
    """
    nets = sorted(nets, key=lambda net: sum(rank_positions[end] for end in net[1]) / len(net[1]))
    if ports:
        cells = align_ports([carries[node, net] for net, _ in nets], ports, breadth)
    else:
        main = next((index for index, (_, ends) in enumerate(nets) if aligned in ends), None)
        cells = spread_ports(len(nets), breadth, main)
    return {(node, net): cell for (net, _), cell in zip(nets, cells, strict=True)}
