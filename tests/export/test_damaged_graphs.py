"""Read, lay out, draw, time, search and export graphs of the corpus with damaged bytes.

A longer search for failures: pytest tests/export/test_damaged_graphs.py --hypothesis-profile search
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.charts.text import safe
from tbtui.plugins.graphs.costs import join_costs
from tbtui.plugins.graphs.counts import count_nodes
from tbtui.plugins.graphs.diagram import Window
from tbtui.plugins.graphs.diagram_layout import FULL, ZOOMS
from tbtui.plugins.graphs.diagram_painter import draw_diagram
from tbtui.plugins.graphs.formats.documents import (
    choose_open_scopes,
    encode_text_proto,
    iter_dot_lines,
    iter_json_lines,
    iter_mermaid_lines,
)
from tbtui.plugins.graphs.formats.graph_def import read_graph, read_meta_graph, read_run_metadata
from tbtui.plugins.graphs.formats.keras import read_keras_model
from tbtui.plugins.graphs.formats.run_metadata import read_executions
from tbtui.plugins.graphs.formats.salvage import GraphError
from tbtui.plugins.graphs.graph import build_graph
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tbtui.plugins.graphs.layout.layout import lay_out
from tbtui.plugins.graphs.scope_diagram import build_diagram
from tbtui.plugins.graphs.search import match_items, match_leaves
from tbtui.plugins.graphs.svg import encode_svg
from tbtui.plugins.graphs.tracing import (
    find_path_to_output,
    list_inputs,
    list_missing_inputs,
    list_outputs,
    trace_inputs,
)
from tbtui.settings.filters import compile_pattern
from tests.helpers.event_bytes import field
from tests.helpers.graph_corpus import bytes_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from tbtui.plugins.graphs.parsed_graph import ParsedGraph

pytestmark = pytest.mark.hypothesis

READERS: dict[str, Callable[[bytes], ParsedGraph]] = {
    "torch/run1 __run_graph__": read_graph,
    "tf/v1 __run_graph__": read_graph,
    "tf/v1 __run_graph__ as a meta graph": lambda data: read_meta_graph(field(2, data)),
    "tf/v2 ftrace": read_run_metadata,
    "tf/keras/train batch_2": read_run_metadata,
    "tf/keras/train keras": read_keras_model,
}
"""Graphs of the corpus by writer, and the function that reads each."""

LOOKED_AT = 12
"""Number of graph items whose details are all computed."""

MOST_OPEN = 60


@cache
def written(name: str) -> bytes:
    folder, tag = name.split(" ")[:2]
    return bytes_in(folder, tag)


class Damage(NamedTuple):
    """One mutation of bytes."""

    kind: str
    at: int
    """Position, modulo the number of bytes."""

    to: int
    """Target position, modulo the number of bytes, or the new value of a byte."""

    length: int

    def done_to(self, data: bytes) -> bytes:
        """Change a byte or a bit, truncate, or delete, duplicate or move a range."""
        at, to = self.at % (len(data) + 1), self.to % (len(data) + 1)
        end = at + self.length
        if self.kind == "change":
            return data[:at] + bytes([self.to % 256]) + data[at + 1 :]
        if self.kind == "flip":
            return data[:at] + bytes(byte ^ 1 << self.to % 8 for byte in data[at : at + 1]) + data[at + 1 :]
        if self.kind == "cut":
            return data[:at]
        if self.kind == "drop":
            return data[:at] + data[end:]
        if self.kind == "double":
            return data[:end] + data[at:]
        return data[:to] + data[at:end] + data[to:]


KINDS = st.sampled_from(["change", "change", "flip", "flip", "cut", "drop", "double", "move"])
NUMBERS = st.integers(0, 1 << 20)
DAMAGES = st.lists(st.builds(Damage, KINDS, NUMBERS, NUMBERS, st.integers(1, 300)), min_size=1, max_size=4)


def damaged(name: str, damages: list[Damage]) -> bytes:
    """Return the bytes after several mutations."""
    data = written(name)
    for damage in damages:
        data = damage.done_to(data)
    return data


def go_the_whole_way(graph: ParsedGraph, seed: int) -> Hierarchy:
    """Compute everything the product derives from a graph, with all details of a few items."""
    hierarchy = Hierarchy(build_graph(graph))
    assert sum(count_nodes(hierarchy)) == hierarchy.nodes
    assert all(isinstance(note, str) for note in hierarchy.graph.notes)
    opened = choose_open_scopes(hierarchy, MOST_OPEN) | {node for node in hierarchy.graph.calls if node % 3 == seed % 3}
    for of in {hierarchy.root, hierarchy.library} - {-1}:
        layout = lay_out(build_diagram(hierarchy, of, opened), ZOOMS[seed % len(ZOOMS)], across=bool(seed % 2))
        cells = draw_diagram(layout, Window(0, 0, min(layout.width, 300), min(layout.height, 300)))
        assert all(safe(cells.get_row_text(y)) == cells.get_row_text(y) for y in range(cells.height))
    layout = lay_out(build_diagram(hierarchy, hierarchy.root, opened), FULL)
    ET.fromstring(encode_svg(layout, title="a"))
    documents = (
        iter_dot_lines(hierarchy, "a"),
        iter_mermaid_lines(hierarchy, "a", opened),
        iter_json_lines(hierarchy.graph, {}),
    )
    assert all("".join(document).encode() for document in documents)
    with suppress(GraphError):
        encode_text_proto(graph)  # type: ignore[arg-type]
    for step in range(min(LOOKED_AT, len(hierarchy))):
        look_at(hierarchy, (seed + step * max(len(hierarchy) // LOOKED_AT, 1)) % len(hierarchy))
    pattern = compile_pattern("a|Mat|conv")[0]
    matches = match_items(hierarchy, pattern)
    assert len(match_leaves(hierarchy, pattern, matches)) <= len(matches)
    return hierarchy


def look_at(hierarchy: Hierarchy, item: int) -> None:
    """Return all details of an item."""
    for neighbour in (*list_inputs(hierarchy, item), *list_outputs(hierarchy, item)):
        assert 0 <= neighbour.item < len(hierarchy)
    assert trace_inputs(hierarchy, item)[item]
    assert bool(find_path_to_output(hierarchy, item)) == bool(hierarchy.list_all_nodes(item).size)
    node = hierarchy.node(item)
    if node >= 0:
        assert all(len(one.text) < 400 for one in hierarchy.graph.attributes(node))
        assert isinstance(list_missing_inputs(hierarchy, item), tuple)
    hierarchy.shapes(item), hierarchy.devices(item), hierarchy.count_ops(item)


FEW = settings(max_examples=max(settings().max_examples // 12, 1))
"""Each example is slow; the search profile tries ten times as many."""


@pytest.mark.parametrize("name", READERS)
@FEW
@given(DAMAGES, st.integers(0, 1000))
def test_damaged_graph_is_exported_or_refused_in_a_sentence(name: str, damages: list[Damage], seed: int) -> None:
    try:
        graph = READERS[name](damaged(name, damages))
    except GraphError:
        return
    go_the_whole_way(graph, seed)


@FEW
@given(DAMAGES)
def test_damaged_run_metadata_are_joined_or_refused(damages: list[Damage]) -> None:
    hierarchy = Hierarchy(build_graph(read_graph(written("tf/v1 __run_graph__"))))
    try:
        executions = read_executions(damaged("tf/v1 step2", damages))
    except GraphError:
        return
    stats = join_costs(hierarchy, executions, range(len(executions.devices)))
    assert stats.counts[hierarchy.root] + sum(stray.executions for stray in stats.unmatched) == len(executions)
