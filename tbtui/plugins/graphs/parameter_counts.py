"""Numbers of parameters of nodes, layers and scopes; each trained tensor counts once.

A scope has the parameters that it holds and those that its nodes compute with, because a layer may use a weight of
another scope. A weight that several scopes use counts in each of them, and once in the scope around them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.numbers import format_step
from tbtui.plugins.graphs.edges import RowIndex
from tbtui.plugins.graphs.model_operations import find_model_nodes

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.plugins.graphs.graph import Graph
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.parsed_graph import Parameter

    Ints: TypeAlias = npt.NDArray[np.int32]
    Flags: TypeAlias = npt.NDArray[np.bool_]

PASSING_OPS = frozenset({
    "Identity", "ReadVariableOp", "Cast", "Enter", "aten::t", "aten::transpose", "aten::numpy_T", "aten::to",
    "aten::contiguous", "aten::view", "aten::reshape", "aten::chunk", "aten::split", "aten::split_with_sizes",
    "aten::unbind", "aten::_weight_norm", "prim::ListConstruct", "prim::ListUnpack",
})  # fmt: skip
"""Operations that pass a parameter on to the operation that computes with it."""

LOSS_OPS = frozenset({"L2Loss"})
"""Operations that read a parameter for the loss alone."""

MAX_USERS = 256
"""Maximum number of nodes that one parameter is followed to: an unrolled network has a call for each step."""

UNKNOWN_COUNT = "?"
"""Text for an unknown number of parameters."""


class ParameterCounts:
    """Number of parameters of each item.

    Args:
        hierarchy: Hierarchy of the graph.
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        graph, scopes = hierarchy.graph, _InnermostScopes(hierarchy)
        users = _Users(graph)
        counts = [0] * hierarchy.items
        is_at_least = np.zeros(hierarchy.items, np.bool_)
        self.repeats: dict[int, int] = {}
        """First node of the parameter, for nodes that read a parameter again; only the first node shows its count."""

        for parameter in graph.parsed.all_parameters:
            first, *others = parameter.nodes
            self.repeats.update(dict.fromkeys(others, first))
            including = set[int]()
            for item in (first, *map(scopes.find, others), *map(scopes.find, users.find_users(parameter))):
                while item >= 0 and item not in including:  # with an item, all items around it are included
                    including.add(item)
                    counts[item] += parameter.elements
                    item = scopes.parents[item]  # noqa: PLW2901 - the walk up from it
            if parameter.is_at_least:
                is_at_least[list(including)] = True
        if graph.parsed.losses and counts[hierarchy.root]:
            is_at_least[hierarchy.root] = True
        self.counts: npt.NDArray[np.int64] = np.array(counts, np.int64)[hierarchy.original]
        self.is_at_least: Flags = is_at_least[hierarchy.original]
        """True where the count is a lower bound."""

    def __bool__(self) -> bool:
        """Return True if any item has parameters."""
        return bool(self.counts.any() or self.is_at_least.any())

    def text(self, item: int, max_chars: int = 24) -> str:
        """Return `4,160`, `37,690+` for a lower bound, `?` if nothing is known, `12.5k` if there are few characters.

        The text is empty for no parameters.
        """
        return number_text(int(self.counts[item]), max_chars, is_at_least=bool(self.is_at_least[item]))

    def count_text(self, item: int) -> str:
        """Return `4,160 parameters`, `37,690+ parameters`; empty for no parameters."""
        text = self.text(item)
        return f"{text} {'parameter' if text == '1' else 'parameters'}" if text else ""


def number_text(count: int, max_chars: int, *, is_at_least: bool) -> str:
    """Return a count, shortened to at most `max_chars` characters if possible; a lower bound ends in `+`."""
    if not count:
        return UNKNOWN_COUNT if is_at_least else ""
    sign = "+" if is_at_least else ""
    exact = f"{count:,}{sign}"
    if len(exact) <= max_chars:
        return exact
    if is_at_least:  # round down, so that the number stays a lower bound
        unit = 10 ** max(len(str(count)) - 3, 0)
        count = count // unit * unit
    return f"{format_step(count)}{sign}"


class _InnermostScopes:
    """Finds the innermost scope around each node, which is neither a series nor a node."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._hierarchy = hierarchy
        self.parents: list[int] = hierarchy.parent[: hierarchy.items].tolist()
        self._scopes: dict[int, int] = {}
        """The scope of each parent of a node."""

    def find(self, node: int) -> int:
        parent = self.parents[node]
        scope = self._scopes.get(parent)
        if scope is None:
            scope = parent
            while scope < self._hierarchy.nodes or self._hierarchy.kind(scope) == "series":
                scope = self.parents[scope]
            self._scopes[parent] = scope
        return scope


class _Users:
    """Nodes of the model that compute with a parameter, without optimizers and gradients."""

    def __init__(self, graph: Graph) -> None:
        self._ops = graph.ops
        edges = graph.edges.select(~graph.edges.is_control)
        count = len(graph.names)
        if graph.parsed.layers or not graph.parsed.all_parameters:  # layers hold their parameters
            edges = edges.select(np.zeros(0, np.intp))
        else:
            edges = edges.select(find_model_nodes(graph, edges)[edges.target])
        index = RowIndex(edges.source, count)
        self._bounds: list[int] = index.bounds.tolist()
        self._targets: list[int] = edges.target[index.rows].tolist()
        """Targets in the order of their sources; `_bounds` has the range of each source."""

    def find_users(self, parameter: Parameter) -> list[int]:
        """Return the nodes that compute with a parameter, and those that pass it on."""
        users: dict[int, None] = {}
        pending = list(parameter.nodes)
        for node in pending:  # grows in the loop
            for user in self._targets[self._bounds[node] : self._bounds[node + 1]]:
                if user not in users and self._ops[user] not in LOSS_OPS and len(users) < MAX_USERS:
                    users[user] = None
                    if self._ops[user] in PASSING_OPS:
                        pending.append(user)
        return list(users)
