"""Whatever a graph says: nothing is raised, every node has one place, sums agree, links join boxes of their diagram."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.plugins.graphs.diagram import INLET, OUTLET, Diagram
from tbtui.plugins.graphs.graph import build_graph
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tbtui.plugins.graphs.scope_diagram import build_diagram
from tbtui.plugins.graphs.search import match_items
from tbtui.plugins.graphs.tracing import (
    find_path_to_output,
    list_inputs,
    list_missing_inputs,
    list_outputs,
    trace_inputs,
)
from tbtui.settings.filters import compile_pattern
from tests.helpers.graphs import Body, MadeGraph, Node
from tests.helpers.property_examples import examples

pytestmark = pytest.mark.hypothesis

PARTS = st.sampled_from(["", "a", "b", "w", "(a)", "a (2)", "x_1", "x_2", "x_3", "x_4", "x_5"])
ODD = st.sampled_from(["n" * 2000, "/" * 2000, "s/" * 1000, "d" + "7" * 2000, "\x1b[31m", "/", ":", "^", "a:"])
NAMES = st.one_of(PARTS, st.lists(PARTS, max_size=3).map("/".join), ODD)
INPUTS = st.builds("{}{}{}".format, st.sampled_from(["", "", "^"]), NAMES, st.sampled_from(["", "", ":1", ":z:0"]))
OPS = st.sampled_from(["Add", "Const", "NoOp", "ScalarSummary", "Placeholder", "IO Node", "", "f", "g", "Assign"])
SHAPES = st.lists(st.one_of(st.none(), st.lists(st.integers(-1, 2**62), max_size=3).map(tuple)), max_size=3).map(tuple)
NODES = st.builds(
    Node,
    NAMES,
    OPS,
    st.lists(INPUTS, max_size=4).map(tuple),
    st.sampled_from(["", "/device:GPU:0"]),
    SHAPES,
    st.integers(0, 2**40),
)
BODIES = st.builds(
    Body,
    st.sampled_from(["f", "g", "", "a/b"]),
    st.lists(NODES, max_size=4).map(tuple),
    st.lists(st.tuples(NAMES, st.just("float32")), max_size=3).map(tuple),
    st.lists(INPUTS, max_size=2).map(tuple),
    st.lists(INPUTS, max_size=2).map(tuple),
)
GRAPHS = st.builds(MadeGraph, st.lists(NODES, max_size=12), st.lists(BODIES, max_size=2), st.booleans())


def hierarchy_of(graph: MadeGraph) -> Hierarchy:
    """What the rules make of it."""
    return Hierarchy(build_graph(graph))


def all_below(hierarchy: Hierarchy, item: int) -> list[int]:
    """Every item in one, found from child to child."""
    below = []
    waiting = [item]
    while waiting:
        at = waiting.pop()
        inside = [*hierarchy.children(at).tolist(), *hierarchy.embedded(at).tolist()]
        below += inside
        waiting += inside
    return below


def diagrams(diagram: Diagram) -> list[Diagram]:
    """A diagram and those inside of its boxes."""
    boxes = (*diagram.boxes, *diagram.aside_boxes)
    return [diagram, *(inner for box in boxes if box.content for inner in diagrams(box.content))]


def shown(diagram: Diagram) -> set[int]:
    """The items of a diagram, without what is inside of its boxes."""
    return {box.item for box in (*diagram.boxes, *diagram.aside_boxes)}


@given(GRAPHS)
def test_every_node_is_in_exactly_one_place(made: MadeGraph) -> None:
    """From child to child every item is met once, and its parent is where it was met; in tree order likewise."""
    hierarchy = hierarchy_of(made)
    tops = [top for top in (hierarchy.root, hierarchy.library) if top >= 0]
    met = [item for top in tops for item in [top, *all_below(hierarchy, top)]]
    assert sorted(met) == list(range(len(hierarchy)))
    assert sorted(hierarchy.order.items.tolist()) == list(range(hierarchy.items))
    for item in met:
        for child in hierarchy.children(item).tolist():
            assert hierarchy.parent[child] == item
        apart = hierarchy.children(item, ungrouped=True).tolist()
        assert not any(hierarchy.kind(child) == "series" for child in apart)


@given(GRAPHS)
def test_scope_sums_equal_the_sums_of_their_children(made: MadeGraph) -> None:
    """A scope has at least the parameters that it holds: those of others that its nodes use come on top."""
    hierarchy = hierarchy_of(made)
    graph = hierarchy.graph
    for item in range(len(hierarchy)):
        children = hierarchy.children(item)
        if hierarchy.node(item) < 0:
            assert hierarchy.node_counts[item] == hierarchy.node_counts[children].sum()
            nodes = set(hierarchy.original[hierarchy.list_all_nodes(item)].tolist())
            held = sum(each.elements for each in graph.parsed.all_parameters if each.nodes[0] in nodes)
            assert held <= hierarchy.parameters.counts[item]
        assert hierarchy.count_ops(item).total() == hierarchy.devices(item).total() == hierarchy.node_counts[item]
    tops = [top for top in (hierarchy.root, hierarchy.library) if top >= 0]
    assert hierarchy.node_counts[tops].sum() + graph.embedded.sum() == hierarchy.nodes
    assert hierarchy.parameters.counts[tops].sum() == sum(node.parameters for node in (*made.nodes, *sum_of(made)))


def sum_of(made: MadeGraph) -> list[Node]:
    """The nodes of all functions."""
    return [node for body in made.bodies for node in body.nodes]


@given(GRAPHS)
def test_names_are_unique_and_found(made: MadeGraph) -> None:
    """No two nodes of the graph and no two of one function are called alike, and all are found by their names."""
    hierarchy = hierarchy_of(made)
    graph = hierarchy.graph
    for nodes in (graph.main, *((*body.arguments, *body.nodes) for body in graph.bodies)):
        names = [hierarchy.name(node) for node in nodes]
        assert len(set(names)) == len(names)
        assert all(hierarchy.leaf(node) for node in nodes)
    for node in graph.main:
        assert hierarchy.find_node(graph.names[node]) == node


@given(GRAPHS, st.data())
def test_links_join_boxes_of_their_diagram(made: MadeGraph, data: st.DataObject) -> None:
    """Each pair once, none from a box to itself; borders are linked only inside of boxes; every child is a box."""
    hierarchy = hierarchy_of(made)
    items = st.integers(0, len(hierarchy) - 1)
    of = data.draw(items)
    opened = data.draw(st.one_of(st.just(frozenset(range(len(hierarchy)))), st.frozensets(items)))
    apart, aside = data.draw(st.frozensets(items)), data.draw(st.booleans())
    outer = build_diagram(hierarchy, of, opened, ungrouped=apart, hubs_aside=aside)
    for diagram in diagrams(outer):
        border = diagram is not outer
        pairs = [(link.source, link.target) for link in diagram.links]
        assert len(set(pairs)) == len(pairs)
        for link in diagram.links:
            assert link.source != link.target
            assert link.source in range(INLET if border else 0, len(diagram.boxes))
            assert link.target in range(len(diagram.boxes)) or (border and link.target == OUTLET)
            assert link.weight >= 1
            assert not (link.is_control and link.label)
        for box in (*diagram.boxes, *diagram.aside_boxes):
            assert box.lines[0] == hierarchy.leaf(box.item)
            assert box.content is None or box.item in opened
            if box.content is not None:
                assert shown(box.content) >= set(hierarchy.children(box.item, ungrouped=apart).tolist())
    assert shown(outer) >= set(hierarchy.children(of, ungrouped=apart).tolist())
    assert len(shown(outer)) == len(outer.boxes) + len(outer.aside_boxes)


@given(GRAPHS, st.data())
def test_neighbours_are_symmetric(made: MadeGraph, data: st.DataObject) -> None:
    """What is an input of a node has the node among its outputs; tracing and ways go through the same."""
    hierarchy = hierarchy_of(made)
    item = data.draw(st.integers(0, len(hierarchy) - 1))
    before, after = list_inputs(hierarchy, item), list_outputs(hierarchy, item)
    traced = trace_inputs(hierarchy, item)
    assert traced[item]
    if hierarchy.node(item) >= 0:
        for neighbour in before:
            assert item in [back.item for back in list_outputs(hierarchy, neighbour.item)]
        for neighbour in after:
            assert item in [back.item for back in list_inputs(hierarchy, neighbour.item)]
    for neighbour in before:
        assert traced[neighbour.item]
    way = find_path_to_output(hierarchy, item)
    assert bool(way) == bool(hierarchy.list_all_nodes(item).size)
    for one, other in pairwise(way):
        assert other in [neighbour.item for neighbour in list_outputs(hierarchy, one)]
    assert isinstance(list_missing_inputs(hierarchy, item), tuple)


@given(GRAPHS, st.sampled_from(["a", "^$", "x_", "Add|Const", "."]))
@settings(max_examples=examples(30))
def test_search_finds_every_match(made: MadeGraph, pattern: str) -> None:
    """What matches by name or by operation, embedded or not, is found, and nothing else."""
    hierarchy = hierarchy_of(made)
    compiled, _ = compile_pattern(pattern)
    expected = {
        item
        for item in range(hierarchy.items)
        if hierarchy.parent[item] >= 0
        and (
            compiled.search(hierarchy.name(item))
            or (item < hierarchy.nodes and compiled.search(hierarchy.graph.ops[item]))
        )
    }
    assert set(match_items(hierarchy, compiled).tolist()) == expected


@given(GRAPHS)
@settings(max_examples=examples(50))
def test_templates_are_shared_by_scopes_of_equal_size(made: MadeGraph) -> None:
    """A template has at least two scopes, of as many nodes each."""
    hierarchy = hierarchy_of(made)
    templates = hierarchy.template[: hierarchy.items]
    for template in set(templates.tolist()) - {-1}:
        members = np.flatnonzero(templates == template)
        assert len(members) > 1
        assert len(set(hierarchy.node_counts[members].tolist())) == 1
        assert len({tuple(sorted(hierarchy.count_ops(int(member)).items())) for member in members}) == 1
