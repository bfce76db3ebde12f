"""Write hierarchies and diagrams as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.graphs.diagram import INLET, OUTLET
from tbtui.plugins.graphs.graph import build_graph
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tbtui.plugins.graphs.scope_diagram import build_diagram

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.plugins.graphs.diagram import Diagram
    from tbtui.plugins.graphs.parsed_graph import ParsedGraph
    from tests.helpers.graphs import Node


def hierarchy_of(*nodes: Node, layers: bool = False) -> Hierarchy:
    """Of nodes alone."""
    from tests.helpers.graphs import MadeGraph

    return hierarchy(MadeGraph(nodes, layers=layers))


def hierarchy(written: ParsedGraph) -> Hierarchy:
    """Of a whole graph."""
    return Hierarchy(build_graph(written))


def item(of: Hierarchy, name: str) -> int:
    """The item of a name, which is there."""
    found = of.find_item(name)
    assert found is not None, name
    return found


def tree(of: Hierarchy, top: int | None = None, indent: str = "") -> list[str]:
    """Each item in a line, with what is in it below: `dense: scope of 5`, `x: Placeholder`, `x: Add + constant`."""
    lines = []
    for child in of.children(of.root if top is None else top).tolist():
        inside = f"{of.kind(child)} of {of.node_counts[child]}" if of.node(child) < 0 else of.op(child)
        small = "".join(f" + {of.leaf(node)}" for node in of.embedded(child).tolist())
        lines.append(f"{indent}{of.leaf(child)}: {inside}{small}")
        lines += tree(of, child, indent + "  ")
    return lines


def links(diagram: Diagram) -> list[str]:
    """`a -> b: 32×10` for each link, `a ~> b` where it only waits; `↧` and `↥` are the upper and lower border."""
    names = {INLET: "↧", OUTLET: "↥"} | {number: box.lines[0] for number, box in enumerate(diagram.boxes)}
    return [
        f"{names[link.source]} {'~' if link.is_control else '-'}> {names[link.target]}"
        + (f": {link.label}" if link.label else "")
        for link in diagram.links
    ]


def drawn(of: Hierarchy, top: str = "", *opened: str, apart: tuple[str, ...] = (), aside: bool = True) -> list[str]:
    """One level: boxes, then links, then what is set aside; what is in a box below it."""
    some = frozenset(item(of, name) for name in opened)
    taken = frozenset(item(of, name) for name in apart)
    return list(_lines(build_diagram(of, item(of, top), some, ungrouped=taken, hubs_aside=aside)))


def _lines(diagram: Diagram, indent: str = "") -> Iterator[str]:
    for box in diagram.boxes:
        yield f"{indent}[{' | '.join(box.lines)}]{''.join(f' + {name}' for name in box.aside_names)}"
        if box.content is not None:
            yield from _lines(box.content, indent + "    ")
    yield from (indent + line for line in links(diagram))
    yield from (f"{indent}aside [{' | '.join(box.lines)}]" for box in diagram.aside_boxes)
