"""Write graphs for other programs: JSON, DOT with all nodes, Mermaid with some scopes open, text of a `GraphDef`.

Sources: graphviz.org `doc/info/lang.html` (in quotes only `"` and backslash escapes are special),
`doc/info/attrs.html` `escString`, `doc/info/shapes.html` (labels interpret HTML entities); mermaid.js.org
`syntax/flowchart` (in quotes `#35;` is the character of that number; icons, Markdown, HTML, formulas and directives
all begin with characters that are escaped here). Mermaid draws only a few hundred boxes (`maxEdges` is 500,
`maxTextSize` 50,000 characters), so that large graphs are written with closed scopes.

The text format of `GraphDef` is that of TensorFlow's `.pbtxt` files and TensorBoard's upload. Fields that the readers
skip (`schema`) are missing; tbtui shows none of them.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from google.protobuf import text_format

from tbtui.charts.numbers import format_count
from tbtui.charts.text import UNKNOWN_MARK
from tbtui.events.schema import decode_text, get_message_class
from tbtui.events.tensors import REFERENCE_OFFSET, TYPE_NAMES
from tbtui.frozen import frozen
from tbtui.plugins.graphs.formats.graph_def import OUTPUT_SHAPES, OpGraph
from tbtui.plugins.graphs.formats.salvage import GraphError
from tbtui.plugins.graphs.graph import format_tensors, shape_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    import numpy.typing as npt

    from tbtui.plugins.graphs.formats.keras import LayerGraph
    from tbtui.plugins.graphs.graph import Graph
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.parsed_graph import Parameter


def iter_json_lines(graph: Graph, header: Mapping[str, Any]) -> Iterator[str]:
    """Yield the complete graph as ASCII JSON, one object per line.

    A node has a unique `name`; `op`; `device`; `shapes` of its outputs, with -1 for an unknown length and null for an
    unknown shape; `parameters`; `parameters_at_least`, true if they are a lower bound; and `attributes` as text. A
    parameter counts at the first of its nodes; the others name that node as `parameter_of`. An edge has `source` and
    `target` (names of nodes); `output`, the output number of the source or null if it is unknown; and `control`, true
    if no data flows. The outputs of a layer that is called twice are those of the first call, then of the second.

    Args:
        graph: Any graph.
        header: Entries before the nodes; JSON values.
    """
    parameters = graph.parsed.all_parameters
    total = {
        "parameters": sum(parameter.elements for parameter in parameters),
        "parameters_at_least": any(parameter.is_at_least for parameter in parameters),
    }
    start = json.dumps({**header, **total, "notes": list(graph.notes)}).removesuffix("}")
    yield start + ', "nodes": [\n'
    by_node = {node: parameter for parameter in parameters for node in parameter.nodes}
    nodes = range(len(graph.names))
    yield from _separate_lines((_encode_json_node(graph, node, by_node.get(node)) for node in nodes), len(nodes))
    yield '], "edges": [\n'
    edges = graph.edges
    columns = (edges.source.tolist(), edges.target.tolist(), edges.output.tolist(), edges.is_control.tolist())
    yield from _separate_lines((_encode_json_edge(graph, *row) for row in zip(*columns, strict=True)), len(edges))
    yield "]}\n"


def _separate_lines(lines: Iterable[str], count: int) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        yield f"{line},\n" if number < count else f"{line}\n"


def _encode_json_node(graph: Graph, node: int, parameter: Parameter | None) -> str:
    shapes = [None if shape is None else list(shape) for shape in graph.shapes(node)]
    first = parameter.nodes[0] if parameter is not None else node
    return json.dumps(
        {
            "name": graph.names[node],
            "op": graph.ops[node],
            "device": graph.device(node),
            "shapes": shapes,
            "parameters": parameter.elements if parameter is not None and first == node else 0,
            "parameters_at_least": parameter is not None and parameter.is_at_least,
            **({"parameter_of": graph.names[first]} if first != node else {}),
            "attributes": {attribute.name: attribute.text for attribute in graph.attributes(node)},
        }
    )


def _encode_json_edge(graph: Graph, source: int, target: int, output: int, control: bool) -> str:
    names = {"source": graph.names[source], "target": graph.names[target]}
    return json.dumps({**names, "output": None if output < 0 else output, "control": control})


_INVISIBLE = frozenset(("Cc", "Cn", "Co", "Cs", "Zl", "Zp"))
"""Unicode categories of invisible characters and line separators."""


def escape_unprintable(text: str) -> str:
    """Return a text on one line that can be encoded; invisible characters become `·`."""
    if text.isascii() and text.isprintable():
        return text
    return _replace_invisible(text)


@lru_cache(maxsize=1024)  # shapes of tensors, such as ?×64, recur
def _replace_invisible(text: str) -> str:
    return "".join(UNKNOWN_MARK if unicodedata.category(letter) in _INVISIBLE else letter for letter in text)


NO_BOX = -1


class OpenScope(NamedTuple):
    """Start of a scope; the following parts are inside it, until it closes."""

    item: int


class BoxPart(NamedTuple):
    """A box."""

    item: int


class CloseScope(NamedTuple):
    """End of the innermost open scope."""

    item: int


Part: TypeAlias = "OpenScope | BoxPart | CloseScope"


class Link(NamedTuple):
    """A link from one box to another; a pair of boxes has at most one data link and one control link."""

    source: int
    target: int
    """Items."""

    label: str
    """`32×10`, `scalar`, `3 tensors`; empty for control links and unknown shapes."""

    is_control: bool


@frozen(slots=False, eq=False)
class Outline:
    """Scopes, boxes and links to write. An open scope contains parts; a closed one is a box with all its links.

    Args:
        hierarchy: Hierarchy of the graph.
        opened: Open scopes, series and functions. None: all are open, and embedded nodes are boxes.
    """

    hierarchy: Hierarchy
    opened: AbstractSet[int] | None = None

    def iter_parts(self) -> Iterator[Part]:
        """Yield all scopes and boxes in file order, the library last; iterative, because scopes may nest deeply."""
        hierarchy = self.hierarchy
        pending: list[Part] = [] if hierarchy.library < 0 else [self._build_part(hierarchy.library)]
        pending += reversed(self._list_parts(hierarchy.root))
        while pending:
            part = pending.pop()
            yield part
            if isinstance(part, OpenScope):
                pending.append(CloseScope(part.item))
                pending += reversed(self._list_parts(part.item))

    def iter_links(self) -> Iterator[Link]:
        """Yield the links, ordered by target."""
        graph = self.hierarchy.graph
        edges = graph.edges if self.opened is None else graph.flow
        boxes = self._find_boxes()
        sources, targets = boxes[edges.source], boxes[edges.target]
        rows = np.flatnonzero((sources != targets) & (sources != NO_BOX) & (targets != NO_BOX))
        keys = np.stack([targets[rows], sources[rows], edges.is_control[rows]], axis=1)
        _, first_rows, links = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        tensors = _count_tensors(edges.source[rows], edges.output[rows], links.reshape(-1), len(first_rows))
        for link in np.argsort(first_rows, kind="stable").tolist():
            row = int(rows[first_rows[link]])
            control = bool(edges.is_control[row])
            label = "" if control else self._label(int(edges.source[row]), int(edges.output[row]), tensors[link])
            yield Link(int(sources[row]), int(targets[row]), label, control)

    def _list_parts(self, item: int) -> list[Part]:
        hierarchy, parts = self.hierarchy, list[Part]()
        if self.opened is not None:
            return [self._build_part(child) for child in hierarchy.children(item).tolist()]
        for child in hierarchy.children(item, ungrouped=True).tolist():
            parts.append(self._build_part(child))
            if child < hierarchy.nodes:
                parts += map(BoxPart, self._list_embedded(child))
        return parts + [BoxPart(node) for node in self._list_embedded(item)]

    def _list_embedded(self, item: int) -> list[int]:
        """Return embedded nodes of an item, without the copies in calls."""
        if item not in self._hosts:
            return []
        return [node for node in self.hierarchy.embedded(item).tolist() if node < self.hierarchy.nodes]

    @cached_property
    def _hosts(self) -> frozenset[int]:
        """Items with embedded nodes."""
        hierarchy = self.hierarchy
        return frozenset(hierarchy.parent[: hierarchy.nodes][hierarchy.graph.embedded].tolist())

    def _build_part(self, item: int) -> Part:
        """Return the part of an item; calls of functions stay closed, because no link ends at a copy."""
        is_open = item >= self.hierarchy.nodes and (self.opened is None or item in self.opened)
        return OpenScope(item) if is_open else BoxPart(item)

    def _find_boxes(self) -> npt.NDArray[np.int64]:
        """Return int64[nodes]: box of each node."""
        if self.opened is None:
            return np.arange(self.hierarchy.nodes)
        boxes = np.full(self.hierarchy.nodes, NO_BOX, np.int64)
        for part in self.iter_parts():
            if isinstance(part, BoxPart):
                boxes[part.item if part.item < len(boxes) else self.hierarchy.list_all_nodes(part.item)] = part.item
        return boxes

    def _label(self, source: int, output: int, tensors: int) -> str:
        if tensors > 1:
            return f"{tensors:,} tensors"
        shapes = self.hierarchy.graph.shapes(source)
        return shape_text(shapes[output]) if 0 <= output < len(shapes) else ""


def _count_tensors(
    sources: npt.NDArray[np.int32], outputs: npt.NDArray[np.int32], links: npt.NDArray[np.int64], count: int
) -> list[int]:
    """Return the number of distinct tensors of each of `count` links."""
    tensors = np.unique(np.stack([links, sources, outputs], axis=1), axis=0)
    counts: list[int] = np.bincount(tensors[:, 0], minlength=count).tolist()
    return counts


def choose_open_scopes(hierarchy: Hierarchy, max_boxes: int) -> frozenset[int]:
    """Return the scopes to open for about `max_boxes` boxes: outer scopes first, then small ones.

    A scope that is the only box is always opened.
    """
    boxes: list[int] = hierarchy.children(hierarchy.root).tolist()
    count, opened = len(boxes), set[int]()
    while scopes := [item for item in boxes if hierarchy.kind(item) == "scope"]:
        is_only_box = count == 1
        boxes = []
        for scope in sorted(scopes, key=lambda item: len(hierarchy.children(item))):
            children = hierarchy.children(scope).tolist()
            if is_only_box or count + len(children) - 1 <= max_boxes:
                count += len(children) - 1
                opened.add(scope)
                boxes += children
    return frozenset(opened)


INDENT = "  "

DEFAULT_ATTRIBUTES = """\
  graph [fontname="Helvetica,Arial,sans-serif", labelloc=t, rankdir=TB];
  node [fontname="Helvetica,Arial,sans-serif", shape=box, style=rounded];
  edge [fontname="Helvetica,Arial,sans-serif", fontsize=10];
"""

KIND_ATTRIBUTES = {
    "input": ", style=bold",
    "output": ", style=bold",
    "function": ", shape=component",
}
"""Attributes of nodes by kind."""

EMBEDDED_ATTRIBUTES = ", shape=ellipse, fontsize=10"
CONTROL_ATTRIBUTE = "style=dashed"

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "&": "&amp;"})


def quote_dot(*lines: str) -> str:
    """Return lines of any text as a quoted DOT label, with all special characters escaped."""
    return '"' + "\\n".join([escape_unprintable(line).translate(_ESCAPES) for line in lines]) + '"'


def iter_dot_lines(hierarchy: Hierarchy, title: str) -> Iterator[str]:
    """Yield the complete graph as DOT, line by line.

    Args:
        hierarchy: Hierarchy of the graph.
        title: Title; any text.
    """
    outline = Outline(hierarchy)
    embedded = hierarchy.graph.embedded.tolist()
    yield f"digraph {quote_dot(title)} {{\n{DEFAULT_ATTRIBUTES}{INDENT}label={quote_dot(title)};\n"
    depth = 1
    for part in outline.iter_parts():
        if isinstance(part, OpenScope):
            yield f"{INDENT * depth}subgraph cluster_{part.item} {{\n"
            depth += 1
            label, tip = quote_dot(hierarchy.leaf(part.item)), quote_dot(hierarchy.name(part.item))
            yield f"{INDENT * depth}label={label}; tooltip={tip};\n"
        elif isinstance(part, BoxPart):
            yield INDENT * depth + _encode_dot_node(hierarchy, part.item, embedded[part.item])
        else:
            depth -= 1
            yield f"{INDENT * depth}}}\n"
    for link in outline.iter_links():
        attributes = (
            [CONTROL_ATTRIBUTE] if link.is_control else [f"label={quote_dot(link.label)}"] if link.label else []
        )
        yield f"{INDENT}n{link.source} -> n{link.target}{_encode_attributes(attributes)};\n"
    yield "}\n"


def _encode_dot_node(hierarchy: Hierarchy, item: int, is_embedded: bool) -> str:
    attributes = EMBEDDED_ATTRIBUTES if is_embedded else KIND_ATTRIBUTES.get(hierarchy.kind(item), "")
    label, tip = quote_dot(*list_box_lines(hierarchy, item)), quote_dot(hierarchy.name(item))
    return f"n{item} [label={label}, tooltip={tip}{attributes}];\n"


def _encode_attributes(attributes: Sequence[str]) -> str:
    return f" [{', '.join(attributes)}]" if attributes else ""


def list_box_lines(hierarchy: Hierarchy, item: int) -> list[str]:
    """Return the lines of a box: name, operation, size of a scope, output shape, parameters."""
    op, shapes = hierarchy.op(item), hierarchy.shapes(item)
    shape = format_tensors(len(shapes), shapes[0] if shapes else None)
    leaf = hierarchy.leaf(item)
    noun = "layer" if hierarchy.graph.parsed.layers else "operation"
    count_text = format_count(int(hierarchy.node_counts[item]), noun) if item >= hierarchy.nodes and not op else ""
    lines = [leaf, op if op != leaf else "", count_text, shape, hierarchy.parameters.count_text(item)]
    return [line for line in lines if line]


MERMAID_INDENT = "    "

_SPECIAL = re.compile(r"[^\w ()\[\]+,\-./=?×→·…]|(?<![^\W_])_|_(?![^\W_])")
"""Characters that may be special in Mermaid quotes: all that are not listed here, and `_` except between letters."""

_LIST = re.compile(r"^(\d*)([-+.)])(?=\s|$)")
"""Start of a Markdown list."""

_SHAPES = {"scope": ("[[", "]]"), "series": ("[[", "]]"), "function": ("[[", "]]"), "input": ("([", "])")}
_SHAPES["output"] = _SHAPES["input"]


def quote_mermaid(*lines: str) -> str:
    """Return lines of any text in quotes, with all special characters escaped."""
    return '"' + "<br/>".join(map(_escape, lines)) + '"'


def _escape(line: str) -> str:
    escaped = _SPECIAL.sub(lambda match: f"#{ord(match[0])};", escape_unprintable(line))
    return _LIST.sub(lambda match: f"{match[1]}#{ord(match[2])};", escaped)


def iter_mermaid_lines(hierarchy: Hierarchy, title: str, opened: AbstractSet[int]) -> Iterator[str]:
    """Yield the graph as a Mermaid flowchart with some scopes open, line by line.

    Args:
        hierarchy: Hierarchy of the graph.
        title: Title; any text.
        opened: Scopes, series and functions whose content is written.
    """
    outline = Outline(hierarchy, opened)
    yield f"flowchart TB\n{MERMAID_INDENT}accTitle: {_escape(title)}\n"
    depth = 1
    for part in outline.iter_parts():
        if isinstance(part, OpenScope):
            yield f"{MERMAID_INDENT * depth}subgraph s{part.item}[{quote_mermaid(hierarchy.leaf(part.item))}]\n"
            depth += 1
        elif isinstance(part, BoxPart):
            left, right = _SHAPES.get(hierarchy.kind(part.item), ("[", "]"))
            label = quote_mermaid(*list_box_lines(hierarchy, part.item))
            yield f"{MERMAID_INDENT * depth}n{part.item}{left}{label}{right}\n"
        else:
            depth -= 1
            yield f"{MERMAID_INDENT * depth}end\n"
    for link in outline.iter_links():
        arrow = "-.->" if link.is_control else "-->"
        label = f"|{quote_mermaid(link.label)}|" if link.label else ""
        yield f"{MERMAID_INDENT}n{link.source} {arrow}{label} n{link.target}\n"


_TYPES = {number: f"DT_{name.upper()}" for number, name in TYPE_NAMES.items()}

_TYPE = re.compile(r"^( *(?:type|dtype): )(\d+)$", re.MULTILINE)
"""A line with a type; texts in this format have no line breaks, so that no text can match."""


def encode_text_proto(graph: OpGraph | LayerGraph) -> str:
    """Return a graph in protobuf text format; layers of a model become nodes as in TensorBoard.

    Raises:
        GraphError: Some names cannot be encoded.
    """
    try:
        return _TYPE.sub(_with_type_name, text_format.MessageToString(build_graph_def(graph)))
    except (UnicodeDecodeError, TypeError) as error:
        # The exception depends on whether protobuf decodes the names or sorts them.
        raise GraphError("some attributes have names that are not texts") from error


def build_graph_def(graph: OpGraph | LayerGraph) -> Any:
    """Return a graph as one `GraphDef`."""
    if not isinstance(graph, OpGraph):
        return _build_layer_graph_def(graph)
    return graph.messages[0] if len(graph.messages) == 1 else _merge(graph)


def _with_type_name(match: re.Match[str]) -> str:
    number = int(match[2])
    name = _TYPES.get(number % REFERENCE_OFFSET)
    return match[0] if name is None else f"{match[1]}{name}{'_REF' if number > REFERENCE_OFFSET else ''}"


def _build_layer_graph_def(graph: LayerGraph) -> Any:
    graph_message = get_message_class("GraphDef")()
    for row, name in enumerate(graph.names):
        node = graph_message.node.add(name=name, op=graph.ops[row], input=graph.inputs[row])
        node.attr["keras_class"].s = graph.ops[row].encode()
        shapes = graph.shapes(row)
        for shape in shapes:
            shape_field = node.attr[OUTPUT_SHAPES].list.shape.add(unknown_rank=shape is None)
            for size in shape or ():
                shape_field.dim.add(size=size)
    return graph_message


def _merge(graph: OpGraph) -> Any:
    """Merge several graphs, with the names of the columns."""
    graph_message = get_message_class("GraphDef")()
    graph_message.versions.CopyFrom(graph.messages[0].versions)
    rows = len(graph.names) - sum(len(function.nodes) for function in graph.functions)
    for row in range(rows):
        _copy_node(graph_message.node.add(), graph, row)
    messages = (function for part in graph.messages for function in part.library.function)
    for function_message, function in zip(messages, graph.functions, strict=True):
        copied = graph_message.library.function.add()
        copied.CopyFrom(function_message)
        copied.signature.name = function.name
        del copied.node_def[:]
        for row in function.nodes:
            _copy_node(copied.node_def.add(), graph, row)
    return graph_message


def _copy_node(node: Any, graph: OpGraph, row: int) -> None:
    node.CopyFrom(graph.node(row))
    node.name, node.op = graph.names[row], graph.ops[row]
    node.input[:] = graph.inputs[row]
    rename = graph.get_renaming(row)
    for value in node.attr.values():
        for function in (*([value.func] if value.HasField("func") else []), *value.list.func):
            function.name = rename(decode_text(function.name))
