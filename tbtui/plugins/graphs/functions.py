"""Calls of functions: copies of their bodies, the tensors they pass and return, and functions traced by TensorFlow.

`tf.summary.trace_export` and the Keras callback write a graph for each function and for each single operation that ran
since the trace began, in order. Most of them are single operations; the traced function ran last.
Source: TensorFlow `eager/context.py` `export_run_metadata`; `framework/func_graph.py` (`_user_specified_name`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.numbers import format_count
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.plugins.graphs.diagram import Tensor
    from tbtui.plugins.graphs.graph import Graph
    from tbtui.plugins.graphs.hierarchy import Hierarchy, Preorder

    Ints: TypeAlias = npt.NDArray[np.int32]

MAX_COPIED_ITEMS = 200_000
"""Maximum number of copied items; further calls cannot be opened."""

MAX_CALL_CONTEXTS = 2000
"""Maximum number of pairs of a function and the set of functions that call it."""


@frozen(eq=False)
class Copies:
    """Copies of function bodies. Items are numbered after the originals, each body in the order of the tree."""

    parent: Ints
    original: Ints
    """Item that each item is a copy of."""

    opened: dict[int, int]
    """First copied item of each call that can be opened, calls inside copies included."""


def copy_bodies(graph: Graph, bodies: Sequence[int], order: Preorder, parent: Ints) -> Copies:
    """Copy the body of each function into its calls, recursively, but never into the function itself.

    Args:
        graph: The graph with its calls.
        bodies: Scope of each function.
        order: Order of all items.
        parent: Parent of each item.
    """
    copier = _BodyCopier(bodies, order, parent)
    calls_by_caller: dict[int, list[tuple[int, int]]] = {}
    pending: dict[tuple[int, frozenset[int]], list[Ints]] = {}
    body_ends = np.array([body.nodes.stop for body in graph.bodies], np.int64)
    for node, body in graph.calls.items():
        caller = -1 if node in graph.main else int(np.searchsorted(body_ends, node, "right"))
        calls_by_caller.setdefault(caller, []).append((node, body))
        callers = frozenset() if caller < 0 else frozenset((caller,))
        pending.setdefault((body, callers), []).append(np.array([node], np.int32))
    for _ in range(MAX_CALL_CONTEXTS):
        if not pending:
            break
        body, callers = next(iter(pending))
        groups = pending.pop((body, callers))
        if body in callers:
            continue
        first, size, count = copier.copy(np.concatenate(groups), body)
        if not count:
            continue
        for node, callee in calls_by_caller.get(body, ()):
            offset = int(order.positions[node] - order.positions[bodies[body]]) - 1
            copied_calls = first + offset + size * np.arange(count, dtype=np.int32)
            pending.setdefault((callee, callers | {body}), []).append(copied_calls)
    return copier.copy_all()


class _BodyCopier:
    """Collects copies of bodies."""

    def __init__(self, bodies: Sequence[int], order: Preorder, parent: Ints) -> None:
        self._bodies, self._order, self._parent = bodies, order, parent
        self._parents: list[Ints] = []
        self._originals: list[Ints] = []
        self._opened: dict[int, int] = {}
        self._next = len(parent)

    def copy(self, calls: Ints, body: int) -> tuple[int, int, int]:
        """Copy a body into each call. Returns the first new item, the size of a copy, and the number of copies."""
        scope = self._bodies[body]
        start, end = int(self._order.positions[scope]) + 1, int(self._order.ends[scope])
        size = end - start
        free_items = MAX_COPIED_ITEMS - (self._next - len(self._parent))
        calls = calls[: free_items // size if size else 0]
        first, count = self._next, len(calls)
        if not count:
            return first, size, 0
        originals = self._order.items[start:end]
        first_copies = (first + size * np.arange(count, dtype=np.int32))[:, None]
        parent_offsets = self._order.positions[self._parent[originals]] - start
        parents = np.where(parent_offsets < 0, calls[:, None], first_copies + parent_offsets)
        self._parents.append(parents.astype(np.int32).ravel())
        self._originals.append(np.tile(originals, count))
        self._opened.update(zip(calls.tolist(), first_copies.ravel().tolist(), strict=True))
        self._next += size * count
        return first, size, count

    def copy_all(self) -> Copies:
        """Return all copies."""
        empty = np.zeros(0, np.int32)
        parent, original = (
            np.concatenate((empty, *parts)).astype(np.int32) for parts in (self._parents, self._originals)
        )
        return Copies(parent, original, self._opened)


_PASSING_OPS = frozenset({"PartitionedCall", "StatefulPartitionedCall", "While", "StatelessWhile"})
"""Operations that pass their inputs unchanged to the function that an attribute names."""


def match_arguments(hierarchy: Hierarchy, call: int) -> dict[int, Tensor]:
    """Return the tensor that a call passes for each argument, by the node of the argument.

    Empty if the tensors are unknown: some operations, such as those of data sets, pass other values.
    """
    graph = hierarchy.graph
    arguments = graph.bodies[graph.calls[call]].arguments
    inputs = [text for text in graph.parsed.inputs[call] if not text.startswith("^")]
    if not _is_passing_inputs(graph, call) or len(inputs) != len(arguments):
        return {}
    edges = graph.edges.select(hierarchy.adjacency.find_edges_into(call))
    flows = zip(edges.source.tolist(), edges.output.tolist(), edges.is_control.tolist(), strict=True)
    tensors = [(source, output) for source, output, control in flows if not control]
    missing = graph.missing.get(call, ())
    tensor_of_argument: dict[int, Tensor] = {}
    used_count = 0
    previous = ""
    for argument, text in zip(arguments, inputs, strict=True):
        if text in missing:
            previous = ""
            continue
        used_count += _with_output(text) != previous  # `EdgeCollector` merges equal inputs that follow each other
        previous = _with_output(text)
        if used_count > len(tensors):
            return {}
        tensor_of_argument[argument] = tensors[used_count - 1]
    return tensor_of_argument if used_count == len(tensors) else {}


def match_outputs(hierarchy: Hierarchy, call: int) -> dict[int, list[Tensor]]:
    """Return the output tensors of a call, by the node in the function that returns each value."""
    graph = hierarchy.graph
    if not _is_passing_inputs(graph, call):
        return {}
    body = graph.bodies[graph.calls[call]]
    function = graph.parsed.functions[graph.calls[call]]
    edges = graph.edges.select(hierarchy.adjacency.find_edges_out_of(call))
    tensors: dict[int, list[Tensor]] = {}
    for output in sorted(set(edges.output[~edges.is_control].tolist())):
        index = output
        if (output_name := edges.get_output_name(output)) is not None:
            name, _, number = output_name.rpartition(":")
            index = function.outputs.index(name) if name in function.outputs else int(number)
        if index < len(body.returned):
            tensors.setdefault(body.returned[index], []).append((call, output))
    return tensors


def _is_passing_inputs(graph: Graph, call: int) -> bool:
    return graph.ops[call] in _PASSING_OPS or graph.ops[call] == graph.bodies[graph.calls[call]].name


def _with_output(text: str) -> str:
    """Return an input with its output number; it is 0 if none is written."""
    return text if ":" in text else f"{text}:0"


_TRACED_GRAPH = re.compile(r"graph_[0-9]+", re.ASCII)
_USER_NAME_ATTRIBUTE = "_user_specified_name"
"""Attribute of the arguments of functions that the program calls."""

_ARGUMENTS = frozenset({"_Arg", "_DeviceArg"})


def is_trace(hierarchy: Hierarchy) -> bool:
    """Return True if a graph consists of several exported graphs."""
    graphs = hierarchy.children(hierarchy.root).tolist()
    return bool(graphs) and all(_TRACED_GRAPH.fullmatch(hierarchy.leaf(graph)) for graph in graphs)


def find_last_function(hierarchy: Hierarchy) -> int | None:
    """Return the traced function: the graph of the function that ran last, or the largest function it calls.

    None if the graph is not a trace, or no function in it takes an argument.
    """
    if not is_trace(hierarchy):
        return None
    for graph in reversed(hierarchy.children(hierarchy.root).tolist()):
        if _is_function(hierarchy, graph):
            bodies = [hierarchy.body(node) for node in hierarchy.list_nodes(graph) if hierarchy.body(node) >= 0]
            return int(max((graph, *bodies), key=lambda item: int(hierarchy.node_counts[item])))
    return None


def _is_function(hierarchy: Hierarchy, graph: int) -> bool:
    arguments = (node for node in hierarchy.list_nodes(graph) if hierarchy.op(node) in _ARGUMENTS)
    attributes = (attribute for argument in arguments for attribute in hierarchy.graph.attributes(argument))
    return any(attribute.name == _USER_NAME_ATTRIBUTE for attribute in attributes)


def trace_text(hierarchy: Hierarchy) -> str:
    """Return `697 graphs that ran, 23 of them functions of the program, last graph_697`; empty if it is not a trace."""
    if not is_trace(hierarchy):
        return ""
    graphs = hierarchy.children(hierarchy.root).tolist()
    functions = [graph for graph in graphs if _is_function(hierarchy, graph)]
    last = f", last {hierarchy.leaf(functions[-1])}" if functions else ""
    return f"{format_count(len(graphs), 'graph')} that ran, {len(functions):,} of them functions of the program{last}"
