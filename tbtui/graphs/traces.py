"""Several graphs that were written as one, as TensorFlow exports what it traced.

`tf.summary.trace_export` and the callback of Keras write a graph for whatever ran since, in that order: functions, and
each operation that ran by itself, which are by far the most. What was to be traced ran last.
Source: TensorFlow `eager/context.py` `export_run_metadata`; `framework/func_graph.py` marks the arguments of functions
by what the program calls them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tbtui.graphs.labels import counted

if TYPE_CHECKING:
    from tbtui.graphs.hierarchy import Hierarchy

_ONE_OF_SEVERAL = re.compile(r"graph_[0-9]+", re.ASCII)
_CALLED_BY_PROGRAM = "_user_specified_name"
_ARGUMENTS = frozenset({"_Arg", "_DeviceArg"})


def is_trace(hierarchy: Hierarchy) -> bool:
    """Whether a graph is several."""
    graphs = hierarchy.children(hierarchy.root).tolist()
    return bool(graphs) and all(_ONE_OF_SEVERAL.fullmatch(hierarchy.leaf(graph)) for graph in graphs)


def last_function(hierarchy: Hierarchy) -> int | None:
    """What was to be traced: the graph of the function that ran last, or the largest function that it calls.

    None where that is not told: the graph is no trace, or no function in it takes an argument.
    """
    if not is_trace(hierarchy):
        return None
    for graph in reversed(hierarchy.children(hierarchy.root).tolist()):
        if _is_function(hierarchy, graph):
            called = [hierarchy.body(node) for node in hierarchy.nodes_in(graph) if hierarchy.body(node) >= 0]
            return int(max((graph, *called), key=lambda item: int(hierarchy.inside[item])))
    return None


def _is_function(hierarchy: Hierarchy, graph: int) -> bool:
    arguments = (node for node in hierarchy.nodes_in(graph) if hierarchy.op(node) in _ARGUMENTS)
    return any(one.name == _CALLED_BY_PROGRAM for argument in arguments for one in hierarchy.graph.attributes(argument))


def trace_word(hierarchy: Hierarchy) -> str:
    """`697 graphs that ran, 23 of them functions of the program, last graph_697`; empty of what is no trace."""
    if not is_trace(hierarchy):
        return ""
    graphs = hierarchy.children(hierarchy.root).tolist()
    functions = [graph for graph in graphs if _is_function(hierarchy, graph)]
    last = f", last {hierarchy.leaf(functions[-1])}" if functions else ""
    return f"{counted(len(graphs), 'graph')} that ran, {len(functions):,} of them functions of the program{last}"
