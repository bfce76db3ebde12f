"""Test graphs as DOT, Mermaid and JSON, parsed by the grammars of those formats."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.graphs.formats.documents import (
    escape_unprintable,
    iter_dot_lines,
    iter_json_lines,
    iter_mermaid_lines,
)
from tbtui.plugins.graphs.graph import build_graph
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tests.helpers.graphs import MadeGraph, Node, residual_block, two_layers, with_function

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HOSTILE = (
    '"', "\\", '\\"', 'x"];\n}', "\\N", "&lt;", "&amp;", "#35;", "#quot;", "%%{init: {}}%%", "`x`", "$$x$$", "<b>x</b>",
    "</script>", "fa:fa-car", "end", "__x__", "1. x", "- x", "style a:b#c;", "\n", "\r\n", "\x1b[31m", "\u202e",
    "\u2028", "\ud800", "\0", "ﬂ°°35¶ß", "-->", "subgraph", "|x|", "日本",
)  # fmt: skip
"""Texts with a special meaning in Graphviz, Mermaid, HTML, Markdown or a terminal."""

ANY_TEXT = st.lists(st.sampled_from(HOSTILE) | st.text(st.characters(), max_size=4), max_size=4).map("".join)


def hierarchy_of(graph: MadeGraph) -> Hierarchy:
    return Hierarchy(build_graph(graph))


def chained(names: Sequence[str], ops: Sequence[str]) -> Hierarchy:
    """Return a graph of nodes of any names; names without a scope are in one scope."""
    nodes = [Node(f"scope/{name}", op, shapes=((2, -1),)) for name, op in zip(names, ops, strict=True)]
    return hierarchy_of(MadeGraph(nodes))


# DOT

QUOTED = r'"(?:[^"\\\n]|\\.)*"'
DOT_LINES = {
    "graph": rf"digraph {QUOTED} {{",
    "look": r"(?:graph|node|edge) \[[^\"\n]*\"[\w,-]+\"[^\"\n]*\];",
    "title": rf"label=({QUOTED});",
    "scope": r"subgraph cluster_(\d+) \{",
    "label": rf"label=({QUOTED}); tooltip=({QUOTED});",
    "node": rf"n(\d+) \[label=({QUOTED}), tooltip=({QUOTED})(?:, [a-z]+=\w+)*\];",
    "edge": rf"n(\d+) -> n(\d+)(?: \[(?:style=dashed|label=({QUOTED}))\])?;",
    "end": r"\}",
}
"""Patterns of every kind of line in a document."""


def parsed(text: str, lines: dict[str, str]) -> list[tuple[str, ...]]:
    """Return the kind and content of each line; assert that every line matches the grammar."""
    found = []
    for line in text.removesuffix("\n").split("\n"):
        kinds = [(kind, match) for kind, form in lines.items() if (match := re.fullmatch(form, line.lstrip(" ")))]
        assert len(kinds) == 1, line
        found.append((kinds[0][0], *(group or "" for group in kinds[0][1].groups())))
    return found


def dot_text(quoted: str) -> list[str]:
    """Return the lines of a label as Graphviz draws it: escapes first, then entities."""
    lines = re.findall(r"(?:[^\\]|\\[^n])+", quoted[1:-1])
    return [re.sub(r"\\(.)", r"\1", line).replace("&amp;", "&") for line in lines]


def test_dot_of_a_small_network() -> None:
    text = "".join(iter_dot_lines(hierarchy_of(two_layers()), "run · graph"))
    hierarchy = hierarchy_of(two_layers())
    dense = hierarchy.find_item("dense")
    assert text.startswith('digraph "run · graph" {\n')
    assert f'  subgraph cluster_{dense} {{\n    label="dense"; tooltip="dense";\n' in text
    assert '      n1 [label="(w)\\nVariableV2\\n20×10\\n200 parameters", tooltip="dense/w/(w)"];\n' in text
    assert '    n4 [label="MatMul\\n?×10", tooltip="dense/MatMul"];\n' in text
    assert '  n11 [label="axis\\nConst\\nscalar", tooltip="loss/axis", shape=ellipse, fontsize=10];\n' in text
    assert '  n0 -> n4 [label="?×20"];\n' in text
    assert "[style=dashed];\n" in text
    parsed(text, DOT_LINES)


def test_dot_function_calls_and_arguments_have_their_own_shapes() -> None:
    text = "".join(iter_dot_lines(hierarchy_of(with_function()), "t"))
    assert '  n2 [label="call\\nsquare_sum\\n4", tooltip="call", shape=component];\n' in text
    assert 'label="x\\ninput_arg", tooltip="__function_library__square_sum/x", style=bold];\n' in text


@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT), min_size=1, max_size=6), ANY_TEXT)
def test_dot_names_are_escaped(nodes: list[tuple[str, str]], title: str) -> None:
    hierarchy = chained(*zip(*nodes, strict=True))
    lines = parsed("".join(iter_dot_lines(hierarchy, title)), DOT_LINES)
    held = [line for line in lines if line[0] == "node"]
    assert sorted(int(line[1]) for line in held) == list(range(hierarchy.nodes))
    for _, item, label, tip in held:
        assert dot_text(label)[0] == escape_unprintable(hierarchy.leaf(int(item)))
        assert "".join(dot_text(tip)) == escape_unprintable(hierarchy.name(int(item)))
    kinds = [line[0] for line in lines]
    assert kinds.count("end") == kinds.count("scope") + 1
    assert dot_text(lines[4][1]) == ([escape_unprintable(title)] if title else [])


# Mermaid

TEXT = r'"(?:[\w ()\[\]+,./=?×→·…-]|#\d+;|<br/>)*"'
MERMAID_LINES = {
    "graph": "flowchart TB",
    "title": r'accTitle: [^"\n]*',
    "scope": rf"subgraph s(\d+)\[({TEXT})\]",
    "node": rf"n(\d+)(?:\[|\[\[|\(\[)({TEXT})(?:\]|\]\]|\]\))",
    "edge": rf"n(\d+) -\.?->(?:\|({TEXT})\|)? n(\d+)",
    "end": "end",
}


def mermaid_text(quoted: str) -> list[str]:
    lines = quoted[1:-1].split("<br/>")
    return [re.sub(r"#(\d+);", lambda found: chr(int(found[1])), line) for line in lines]


def test_mermaid_of_a_small_network() -> None:
    hierarchy = hierarchy_of(two_layers())
    dense, out = (hierarchy.find_item(name) for name in ("dense", "out"))
    assert dense is not None
    assert "".join(iter_mermaid_lines(hierarchy, "run · graph", frozenset([out or 0]))).splitlines() == [
        "flowchart TB",
        "    accTitle: run · graph",
        '    n0(["x<br/>Placeholder<br/>?×20"])',
        f'    n{dense}[["dense<br/>5 operations<br/>?×10<br/>210 parameters"]]',
        f'    subgraph s{out}["out"]',
        f'        n{hierarchy.find_item("out/w")}[["w<br/>2 operations<br/>10×1<br/>10 parameters"]]',
        '        n8["b<br/>VariableV2<br/>1<br/>1 parameter"]',
        '        n9["MatMul<br/>?×1"]',
        '        n10["BiasAdd<br/>?×1"]',
        "    end",
        '    n12["loss<br/>Mean<br/>scalar"]',
        '    n15["init<br/>NoOp"]',
        f'    n0 -->|"?×20"| n{dense}',
        f'    n{dense} -->|"?×10"| n9',
        f'    n{hierarchy.find_item("out/w")} -->|"10×1"| n9',
        '    n9 -->|"?×1"| n10',
        '    n8 -->|"1"| n10',
        '    n10 -->|"?×1"| n12',
        f"    n{dense} -.-> n15",
        f"    n{hierarchy.find_item('out/w')} -.-> n15",
        "    n8 -.-> n15",
    ]


@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT), min_size=1, max_size=6), ANY_TEXT)
def test_mermaid_names_are_escaped(nodes: list[tuple[str, str]], title: str) -> None:
    hierarchy = chained(*zip(*nodes, strict=True))
    text = "".join(iter_mermaid_lines(hierarchy, title, frozenset(range(len(hierarchy)))))
    lines = parsed(text, MERMAID_LINES)
    for line in lines:
        if line[0] == "node":
            assert mermaid_text(line[2])[0] == escape_unprintable(hierarchy.leaf(int(line[1])))
        elif line[0] == "scope":
            assert mermaid_text(line[2]) == [escape_unprintable(hierarchy.leaf(int(line[1])))]
    kinds = [line[0] for line in lines]
    assert kinds.count("end") == kinds.count("scope")
    assert not re.search(r"[`$<>&%{}\\]", text.replace("<br/>", "").replace("-->", "").replace("-.->", ""))


# JSON


def json_of(graph: MadeGraph, **about: Any) -> dict[str, Any]:
    text = "".join(iter_json_lines(build_graph(graph), about))
    assert text.isascii()
    read: dict[str, Any] = json.loads(text)
    return read


def test_json_has_nodes_and_edges() -> None:
    read = json_of(residual_block(), run="a", step=3)
    assert list(read) == ["run", "step", "parameters", "parameters_at_least", "notes", "nodes", "edges"]
    assert (read["parameters"], read["parameters_at_least"]) == (4640, False)
    assert read["nodes"][1] == {
        "name": "conv_1",
        "op": "Conv2D",
        "device": "",
        "shapes": [[-1, 32, 32, 16]],
        "parameters": 2320,
        "parameters_at_least": False,
        "attributes": {},
    }
    assert [(edge["source"], edge["target"]) for edge in read["edges"]] == [
        ("input", "conv_1"),
        ("conv_1", "relu_1"),
        ("relu_1", "conv_2"),
        ("conv_2", "add"),
        ("input", "add"),
        ("add", "relu_2"),
    ]
    assert read["edges"][0] == {"source": "input", "target": "conv_1", "output": 0, "control": False}


def test_json_has_control_edges_and_missing_inputs() -> None:
    read = json_of(MadeGraph([Node("a"), Node("b", inputs=("^a", "gone"))]))
    assert [(edge["output"], edge["control"]) for edge in read["edges"]] == [(None, True)] or read["edges"][0][
        "control"
    ]
    assert any("gone" in note or "1" in note for note in read["notes"])


def test_json_of_an_empty_graph() -> None:
    read = json_of(MadeGraph([]))
    assert (read["nodes"], read["edges"]) == ([], [])


@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT), max_size=6))
def test_json_names_are_unchanged(nodes: list[tuple[str, str]]) -> None:
    graph = build_graph(MadeGraph([Node(name, op) for name, op in nodes]))
    read = json.loads("".join(iter_json_lines(graph, {})))
    assert [(node["name"], node["op"]) for node in read["nodes"]] == list(zip(graph.names, graph.ops, strict=True))


@pytest.mark.parametrize(
    "form", [lambda h: iter_dot_lines(h, "t"), lambda h: iter_mermaid_lines(h, "t", frozenset(range(len(h))))]
)
def test_graph_documents_accept_deep_scopes(form: Callable[[Hierarchy], Any]) -> None:
    deep = "/".join("a" * 1000)
    hierarchy = hierarchy_of(MadeGraph([Node(deep)]))
    scopes = len(hierarchy) - hierarchy.nodes - 1
    assert scopes > 30
    assert "".join(form(hierarchy)).count("subgraph") == scopes
