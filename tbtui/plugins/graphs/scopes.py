"""Scopes and series by the names of nodes: `/` starts a scope, `conv_1`, `conv_2` and so on form a series."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tbtui.plugins.graphs.graph import LIBRARY, UniqueNames

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from tbtui.plugins.graphs.graph import Graph

    Ints: TypeAlias = npt.NDArray[np.int32]


MIN_SERIES_MEMBERS = 5
"""Minimum number of members of a series."""


_NUMBERED = re.compile(r"([^0-9]*)([0-9]{1,15})")


_TORCH_OP = re.compile(r"\w+::(\w+)", re.ASCII)

_PYTORCH_ATTRIBUTE = "prim::GetAttr"

_VALUE_NAME = re.compile(r"(?:input\.?)?[0-9]*", re.ASCII)
"""Names that PyTorch gives to values of a trace: `329`, `input`, `input.3`. Other names are variables of the user."""


def label_values(leaves: Sequence[str], ops: Sequence[str]) -> dict[int, str]:
    """Return labels of nodes of a PyTorch trace with generated names: `add` for `329` of type `aten::add`."""
    types = {op: match[1] for op in set(ops) if op != _PYTORCH_ATTRIBUTE and (match := _TORCH_OP.fullmatch(op))}
    if not types:
        return {}
    return {
        node: types[op]
        for node, (leaf, op) in enumerate(zip(leaves, ops, strict=False))
        if op in types and leaf and _VALUE_NAME.fullmatch(leaf)
    }


class Series(NamedTuple):
    """Numbered nodes that are shown as one item."""

    scope: int
    leaf: str
    """Label such as `conv_[1-5]`."""

    members: tuple[int, ...]
    """Nodes in the order of their numbers."""


def find_series(
    nodes: Iterable[int], leaves: Sequence[str], ops: Sequence[str], parents: Sequence[int]
) -> list[Series]:
    """Find all series: nodes of one operation, directly in one scope, with consecutive numbers.

    A name is numbered if its only digits are at its end; the name may consist of digits alone.
    """
    groups: dict[tuple[int, str, str], list[tuple[int, int]]] = {}
    for node in nodes:
        leaf = leaves[node]
        if leaf[-1:].isdigit() and (match := _NUMBERED.fullmatch(leaf)):
            groups.setdefault((parents[node], ops[node], match[1]), []).append((int(match[2]), node))
    return [
        Series(scope, f"{stem}[{run[0][0]}-{run[-1][0]}]", tuple(node for _, node in run))
        for (scope, _, stem), members in groups.items()
        if len(members) >= MIN_SERIES_MEMBERS
        for run in _iter_runs(sorted(members))
        if len(run) >= MIN_SERIES_MEMBERS
    ]


def _iter_runs(members: Sequence[tuple[int, int]]) -> Iterator[Sequence[tuple[int, int]]]:
    """Yield runs of consecutive numbers."""
    start = 0
    for end in range(1, len(members) + 1):
        if end == len(members) or members[end][0] != members[end - 1][0] + 1:
            yield members[start:end]
            start = end


MAX_SCOPE_DEPTH = 64
"""Maximum nesting of scopes; the last part of a deeper name keeps its slashes."""


class Scopes:
    """Name, leaf name and parent of every node and scope of a graph.

    `names`, `leaves` and `parents` have one entry for each node, then one for each scope. The number of a scope is
    higher than the number of the scope around it.
    """

    def __init__(self, graph: Graph) -> None:
        self.names = list(graph.names)
        self.leaves = [""] * len(self.names)
        self.parents = [-1] * len(self.names)
        self.root = self._add("", "model" if graph.parsed.layers else "graph", -1)
        self.library = -1
        self.bodies: list[int] = []
        """Scope of each function."""

        embedded = graph.embedded.tolist()
        self._add_nodes(graph, graph.main, 0, self.root, embedded)
        if graph.bodies:
            self.library = self._add(LIBRARY, "functions", -1)
        for body in graph.bodies:
            scope = self._add(body.prefix[:-1], body.name, self.library)
            self.bodies.append(scope)
            self._add_nodes(graph, (*body.arguments, *body.nodes), len(body.prefix), scope, embedded)

    def _add(self, name: str, leaf: str, parent: int) -> int:
        self.names.append(name)
        self.leaves.append(leaf)
        self.parents.append(parent)
        return len(self.names) - 1

    def _add_nodes(self, graph: Graph, rows: Sequence[int], prefix: int, top: int, embedded: Sequence[bool]) -> None:
        """Set leaves and parents of nodes, and create their scopes.

        Args:
            graph: The graph.
            rows: Nodes.
            prefix: Characters at the start of their names that belong to `top`.
            top: The scope around all of them.
            embedded: bool[nodes]: embedded nodes.
        """
        scopes: dict[str, int] = {}
        for row in rows:
            name = self.names[row]
            slash = _find_last_slash(name, prefix)
            self.leaves[row] = name[slash + 1 :] if slash >= 0 else name[prefix:]
            if not embedded[row]:
                self.parents[row] = self._find_or_add_scope(name, slash, prefix, top, scopes)
        self._move_into_scopes(rows, scopes)
        host = graph.host
        for row in rows:
            if embedded[row]:
                self.parents[row] = int(host[row])
                if host[row] == row:
                    self.parents[row] = _find_innermost_scope(self.names[row], prefix, top, scopes)

    def _find_or_add_scope(self, name: str, slash: int, prefix: int, top: int, scopes: dict[str, int]) -> int:
        """Return the scope `name[:slash]`; create it and the scopes around it if they are new."""
        new_ends = []
        while slash >= 0 and name[:slash] not in scopes:
            new_ends.append(slash)
            slash = name.rfind("/", prefix, slash)
        scope = top if slash < 0 else scopes[name[:slash]]
        for end in reversed(new_ends):
            path = name[:end]
            scope = scopes[path] = self._add(path, path[max(slash + 1, prefix) :], scope)
            slash = end
        return scope

    def _move_into_scopes(self, rows: Sequence[int], scopes: dict[str, int]) -> None:
        """Rename each node `A` that has the name of a scope to `A/(A)`, and move it into that scope."""
        moved = [row for row in rows if self.names[row] in scopes]
        if not moved:
            return
        names = UniqueNames(self.names[row] for row in rows)
        for row in moved:
            leaf = f"({self.leaves[row]})"
            unique_name = names.add_uncounted(f"{self.names[row]}/{leaf}")
            self.parents[row] = scopes[self.names[row]]
            self.leaves[row] = unique_name[len(self.names[row]) + 1 :]
            self.names[row] = unique_name


def _find_last_slash(name: str, prefix: int) -> int:
    """Return the index of the slash before the leaf name; -1 without scopes."""
    slash = name.rfind("/", prefix)
    if slash >= 0 and name.count("/", prefix) > MAX_SCOPE_DEPTH:
        slash = prefix - 1
        for _ in range(MAX_SCOPE_DEPTH):
            slash = name.index("/", slash + 1)
    return slash


def _find_innermost_scope(name: str, prefix: int, top: int, scopes: dict[str, int]) -> int:
    """Return the innermost existing scope around a name."""
    slash = _find_last_slash(name, prefix)
    while slash >= 0:
        if (scope := scopes.get(name[:slash])) is not None:
            return scope
        slash = name.rfind("/", prefix, slash)
    return top
