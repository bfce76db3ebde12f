"""A graph in the language of Graphviz: every node, in clusters as its scopes are.

Source: graphviz.org `doc/info/lang.html` (in quotes only `"` and what a backslash stands before mean anything),
`doc/info/attrs.html` `escString`, `doc/info/shapes.html` (entities of HTML are read in labels).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.numbers import counted
from tbtui.export.names import printable
from tbtui.export.outline import Holds, Opens, Outline
from tbtui.graphs.labels import tensors_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.graphs.hierarchy import Hierarchy

INDENT = "  "

HEAD = """\
  graph [fontname="Helvetica,Arial,sans-serif", labelloc=t, rankdir=TB];
  node [fontname="Helvetica,Arial,sans-serif", shape=box, style=rounded];
  edge [fontname="Helvetica,Arial,sans-serif", fontsize=10];
"""

LOOKS = {
    "input": ", style=bold",
    "output": ", style=bold",
    "function": ", shape=component",
}
"""What is added to a node of a kind."""

EMBEDDED = ", shape=ellipse, fontsize=10"
CONTROL = "style=dashed"

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "&": "&amp;"})


def quoted(*lines: str) -> str:
    """Lines of any text as a label: in quotes, which nothing in it ends, and meaning nothing but itself."""
    return '"' + "\\n".join([printable(line).translate(_ESCAPES) for line in lines]) + '"'


def dot(hierarchy: Hierarchy, title: str) -> Iterator[str]:
    """The whole graph, line by line.

    Args:
        hierarchy: Of the graph.
        title: Any text that says which graph it is.
    """
    outline = Outline(hierarchy)
    embedded = hierarchy.graph.embedded.tolist()
    yield f"digraph {quoted(title)} {{\n{HEAD}{INDENT}label={quoted(title)};\n"
    depth = 1
    for part in outline.parts():
        if isinstance(part, Opens):
            yield f"{INDENT * depth}subgraph cluster_{part.item} {{\n"
            depth += 1
            label, tip = quoted(hierarchy.leaf(part.item)), quoted(hierarchy.name(part.item))
            yield f"{INDENT * depth}label={label}; tooltip={tip};\n"
        elif isinstance(part, Holds):
            yield INDENT * depth + _node(hierarchy, part.item, embedded[part.item])
        else:
            depth -= 1
            yield f"{INDENT * depth}}}\n"
    for link in outline.links():
        looks = [CONTROL] if link.control else [f"label={quoted(link.label)}"] if link.label else []
        yield f"{INDENT}n{link.source} -> n{link.target}{_attributes(looks)};\n"
    yield "}\n"


def _node(hierarchy: Hierarchy, item: int, is_embedded: bool) -> str:
    look = EMBEDDED if is_embedded else LOOKS.get(hierarchy.kind(item), "")
    label, tip = quoted(*box_lines(hierarchy, item)), quoted(hierarchy.name(item))
    return f"n{item} [label={label}, tooltip={tip}{look}];\n"


def _attributes(looks: Sequence[str]) -> str:
    return f" [{', '.join(looks)}]" if looks else ""


def box_lines(hierarchy: Hierarchy, item: int) -> list[str]:
    """What stands in a box: its name, its operation, the shape that comes out of it, how much it holds."""
    op, shapes = hierarchy.op(item), hierarchy.shapes(item)
    shape = tensors_text(len(shapes), shapes[0] if shapes else None)
    parameters = int(hierarchy.parameters[item])
    leaf = hierarchy.leaf(item)
    noun = "layer" if hierarchy.graph.written.layers else "operation"
    held = counted(int(hierarchy.inside[item]), noun) if item >= hierarchy.nodes and not op else ""
    lines = [leaf, op if op != leaf else "", held, shape, counted(parameters, "parameter") if parameters else ""]
    return [line for line in lines if line]
