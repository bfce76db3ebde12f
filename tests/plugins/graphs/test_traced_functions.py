"""Of a trace of many graphs it is found which is of what was to be traced."""

from __future__ import annotations

from tbtui.plugins.graphs.functions import find_last_function, is_trace, trace_text
from tests.helpers.graph_corpus import graph_in
from tests.helpers.graphs import Attribute, Body, MadeGraph, Node
from tests.helpers.hierarchy_text import hierarchy, hierarchy_of

CALLED = (Attribute("_user_specified_name", "x"),)


def test_traced_function_of_keras_fit_is_the_training_step() -> None:
    graph = graph_in("tf/keras/train", "batch_2")
    found = find_last_function(graph)
    assert found is not None
    assert graph.leaf(found).startswith("graph_45___inference_one_step_on_data_")
    assert trace_text(graph) == "47 graphs that ran, 2 of them functions of the program, last graph_45"


def test_traced_function_is_the_last_one_not_an_eager_operation() -> None:
    body = Body("step", tuple(Node(f"n{at}") for at in range(9)))
    nodes = (
        Node("graph_1/x", "_Arg", attributes=CALLED),
        Node("graph_1/call", "step", ("graph_1/x",)),
        Node("graph_2/x", "_Arg", attributes=CALLED),
        Node("graph_2/act", "Relu", ("graph_2/x",)),
        Node("graph_3/x", "_Arg"),
        Node("graph_3/y", "_Arg"),
        Node("graph_3/Mul", "Mul", ("graph_3/x", "graph_3/y")),
    )
    for count, name in ((7, "graph_2"), (2, "__function_library__step")):
        graph = hierarchy(MadeGraph(nodes[:count], (body,)))
        found = find_last_function(graph)
        assert found is not None
        assert graph.name(found) == name


def test_traced_function_is_none_for_plain_operations_or_one_graph() -> None:
    eager = hierarchy_of(Node("graph_1/x", "_Arg"), Node("graph_2/y", "_Arg"))
    assert is_trace(eager)
    assert find_last_function(eager) is None
    assert trace_text(eager) == "2 graphs that ran, 0 of them functions of the program"
    one = hierarchy_of(Node("x", "_Arg", attributes=CALLED), Node("graph_1/y"))
    assert (is_trace(one), find_last_function(one), trace_text(one)) == (False, None, "")
