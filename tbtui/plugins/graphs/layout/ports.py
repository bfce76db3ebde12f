"""Ports of boxes: the cells of a border at which lines begin and end.

At the border of an open box, a line outside meets a line inside only if both carry the same tensors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tbtui.plugins.graphs.diagram import Tensor
    from tbtui.plugins.graphs.layout.flow import FlowLink, NodeSize


MAX_PORT_DISTANCE = 4
"""Maximum cells from one port to the next."""

MAX_SEPARATE_PORTS = 24
"""Maximum number of ports for which a box is enlarged; more may share a cell."""


def measure_min_breadth(ports: int, pitch: int) -> int:
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


TensorSet: TypeAlias = "frozenset[Tensor] | None"
"""Tensors of a line; None if they are unknown, so that it may carry any."""


NO_TENSORS: frozenset[Tensor] = frozenset()
"""No tensors: for a line that continues in no other, such as one against the flow."""


BoxNet: TypeAlias = tuple[int, int]
"""Box and net: identifies the end of a net at a box."""


class BorderPort(NamedTuple):
    """The end of a line inside a box at its border."""

    cell: int
    """Cell across the flow, from the first cell of the box."""

    tensors: TensorSet = None


def collect_tensors(links: Iterable[Sequence[Tensor]]) -> TensorSet:
    """Return all tensors of these links; None if those of one link are unknown."""
    all_tensors: set[Tensor] = set()
    for tensors in links:
        if not tensors:
            return None
        all_tensors.update(tensors)
    return frozenset(all_tensors)


class BorderContents(NamedTuple):
    """Tensors of lines at each box with border ports, by box and net."""

    below: dict[BoxNet, TensorSet]
    above: dict[BoxNet, TensorSet]


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
    contents: tuple[dict[BoxNet, TensorSet], ...] = ({}, {})
    for link, runs_forward, net in zip(links, is_forward, nets, strict=True):
        upper, lower = (link.source, link.target) if runs_forward else (link.target, link.source)
        tensors = collect_tensors([link.tensors]) if runs_forward else NO_TENSORS
        for side, node, ports in zip(
            contents, (upper, lower), (sizes[upper].outlets, sizes[lower].inlets), strict=True
        ):
            if ports:
                before = side.get((node, net), NO_TENSORS)
                side[node, net] = None if tensors is None or before is None else tensors | before
    return BorderContents(*contents)


def is_continued(outside: TensorSet, inside: TensorSet) -> bool:
    """Return True if a line outside may continue in a line inside."""
    if outside is None or inside is None:
        return NO_TENSORS not in (outside, inside)
    return not outside.isdisjoint(inside)


def align_ports(lines: Sequence[TensorSet], ports: Sequence[BorderPort], width: int) -> list[int]:
    """Return cells for lines outside: each at the port of a line that it continues in, or at no port.

    Args:
        lines: Tensors of each line, in the preferred order.
        ports: Ports of lines inside, ascending.
        width: Cells of the box; with too few, lines outside may share one.
    """
    cells = match_ports(len(lines), [port.cell for port in ports], width)
    inside = {port.cell: port.tensors for port in ports}
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


class NetEnd(NamedTuple):
    """The end of a net at one side of a box."""

    net: int
    other_nodes: list[int]
    """Nodes at the other ends of the net."""


class BoxSide(NamedTuple):
    """The upper or lower side of a box, at which nets end."""

    box: int
    breadth: int
    """Cells of the box across the flow."""

    net_ends: list[NetEnd]
    aligned_node: int
    """Node that is aligned with the box at this side."""

    inner_ports: Sequence[BorderPort]
    """Ports of lines inside; empty for a closed box."""


def order_ports(
    side: BoxSide, rank_positions: Sequence[int], contents: Mapping[BoxNet, TensorSet]
) -> dict[BoxNet, int]:
    """Return the cell of each net at one side of a box, ordered by the other ends.

    The line to the aligned node is in the middle.

    Args:
        side: The side of the box.
        rank_positions: Position of each node in its rank.
        contents: Tensors of lines at this side.
    """

    def measure_mean_position(end: NetEnd) -> float:
        return sum(rank_positions[node] for node in end.other_nodes) / len(end.other_nodes)

    net_ends = sorted(side.net_ends, key=measure_mean_position)
    if side.inner_ports:
        cells = align_ports([contents[side.box, end.net] for end in net_ends], side.inner_ports, side.breadth)
    else:
        main = next((index for index, end in enumerate(net_ends) if side.aligned_node in end.other_nodes), None)
        cells = spread_ports(len(net_ends), side.breadth, main)
    return {(side.box, end.net): cell for end, cell in zip(net_ends, cells, strict=True)}
