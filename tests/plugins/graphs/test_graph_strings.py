"""What a graph's own words count: what was found, what there is in all, what a call does."""

from __future__ import annotations

from tbtui.plugins.graphs.pane.details import build_rows, collect_details
from tbtui.plugins.graphs.pane.strings import format_status, title
from tbtui.plugins.graphs.parameter_counts import number_text
from tbtui.plugins.graphs.read import GraphSource
from tbtui.plugins.graphs.search import format_results, search_graph, trace_highlights
from tests.helpers.graphs import Attribute, Body, MadeGraph, Node, chain, two_layers, with_function
from tests.helpers.hierarchy_text import hierarchy, item
from tests.helpers.snapshots import run


def test_matching_scope_shows_its_number_of_nodes() -> None:
    graph = hierarchy(chain("conv/a", "conv/b", "x/conv_1", "y"))
    matches = search_graph(graph, "conv")
    assert [graph.name(item) for item in matches.items.tolist()] == ["conv", "x/conv_1"]
    assert format_results(0, matches) == "1 of 2 · o lists 2 more inside"
    assert matches.highlights is not None
    assert matches.highlights.flags[[0, 1, 2, 3]].tolist() == [True, True, True, False]


def test_status_distinguishes_operations_in_functions() -> None:
    graph = hierarchy(with_function())
    assert format_status(graph, None, 80, hubs_aside=True) == "4 ops · 5 in functions"
    assert format_status(graph, None, 10, hubs_aside=True) == "4 ops"
    assert format_status(hierarchy(two_layers()), None, 80, hubs_aside=True) == "13 ops · 221 parameters"


def test_short_names_drop_the_function_and_the_common_variable_suffix() -> None:
    variables = tuple((f"net_{name}_readvariableop_resource", "resource") for name in ("conv", "bias"))
    reads = (Node("net/conv", "Conv2D", tuple(name for name, _ in variables)), Node("net/relu", "Relu", ("net/conv",)))
    graph = hierarchy(MadeGraph([], [Body("step", (*reads, Node("out/y", "Sum", ("net/conv",))), variables)]))
    known = collect_details(graph, item(graph, "__function_library__step/net/conv"))
    whole = [f"net_{name}_readvariableop_resource" for name in ("conv", "bias")]
    assert [link.name for link in known.links] == [*whole, "relu", "out/y"]
    rows, _ = build_rows(known, 60)
    assert [row.label for row in rows if row.prefix] == ["net_conv…", "net_bias…", "relu", "out/y"]


def test_scope_named_like_the_graph_keeps_its_name() -> None:
    graph = hierarchy(chain("x", "graph/y"))
    assert [link.name for link in collect_details(graph, item(graph, "x")).links] == ["graph/y"]


def test_figures_are_shortened_only_without_room() -> None:
    assert [number_text(count, 7, is_at_least=False) for count in (0, 74, 4160, 999_999, 1_234_567)] == [
        "",
        "74",
        "4,160",
        "999,999",
        "1.23M",
    ]
    assert number_text(1_234_567, 20, is_at_least=False) == "1,234,567"


def test_call_shows_the_called_function() -> None:
    graph = hierarchy(with_function())
    assert collect_details(graph, item(graph, "call")).properties[:2] == (
        "square_sum",
        "2 input_arg, 1 Mul, 1 Add, 1 Identity",
    )
    made = with_function()
    nodes = [*made.nodes[:2], Node("call", "PartitionedCall", ("a", "b"), attributes=(Attribute("f", "square_sum"),))]
    graph = hierarchy(MadeGraph(nodes, made.bodies))
    assert collect_details(graph, item(graph, "call")).properties[:2] == (
        "PartitionedCall",
        "calls square_sum of 2 input_arg, 1 Mul, 1 Add, 1 Identity",
    )


def test_recursive_call_shows_where_its_function_is() -> None:
    graph = hierarchy(MadeGraph([Node("start", "f")], [Body("f", (Node("x"), Node("again", "f")))]))
    assert collect_details(graph, item(graph, "start")).properties == ("f", "1 Op, 1 f")
    again = item(graph, "__function_library__f/again")
    assert collect_details(graph, again).properties == ("f", "1 Op, 1 f", "shown among the functions only")


def test_path_end_names_its_scope_if_it_differs() -> None:
    graph = hierarchy(chain("layer/x", "layer/y", "loss/Sum"))
    assert trace_highlights(graph, item(graph, "layer"), "output").reason == "1 step from layer to loss/Sum"
    assert trace_highlights(graph, item(graph, "loss"), "output").reason == "0 steps from loss to Sum"
    graph = hierarchy(chain("layer/x", "layer/y"))
    assert trace_highlights(graph, item(graph, "layer/x"), "output").reason == "1 step from x to y"


def test_title_shows_what_distinguishes_long_names_of_runs_and_graphs() -> None:
    names = [f"2026-11-20/sweep/optimizer=adam,lr={lr},batch_size=64,model=resnet50" for lr in ("1e-3", "3e-4")]
    tags = [f"keras/encoder/block{block}/attention/output/dense/graph" for block in (1, 2)]
    sources = [GraphSource(run(name), tag, "graphs", 0, 0.0, 0, "ops") for name in names for tag in tags]
    shown = ["".join(text for text, _ in title(source, 0, (), (), 40, sources=sources)) for source in sources]
    assert ["3e-4" in text for text in shown] == [False, False, True, True]
    assert ["block2" in text for text in shown] == [False, True, False, True]
    assert all(len(text) == 40 for text in shown)
