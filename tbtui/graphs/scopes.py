"""Scopes by the names of nodes: a `/` in a name is one, and a node that is called like a scope is inside of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.graphs.naming import LIBRARY, Names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.graphs.graph import Graph

DEEPEST = 64
"""Scopes within each other; what is deeper keeps the rest of its name, slashes and all, as the last part."""


class Scopes:
    """Every node and scope of a graph with its name, the last part of it, and what it is in.

    `names`, `leaves` and `parents` have one entry for each node and then one for each scope, whose own number is higher
    than that of the scope that it is in.
    """

    def __init__(self, graph: Graph) -> None:
        self.names = list(graph.names)
        self.leaves = [""] * len(self.names)
        self.parents = [-1] * len(self.names)
        self.root = self._add("", "model" if graph.written.layers else "graph", -1)
        self.library = -1
        self.bodies: list[int] = []
        """The scope of each function."""

        embedded = graph.embedded.tolist()
        self._read(graph, graph.main, 0, self.root, embedded)
        if graph.bodies:
            self.library = self._add(LIBRARY, "functions", -1)
        for body in graph.bodies:
            scope = self._add(body.prefix[:-1], body.name, self.library)
            self.bodies.append(scope)
            self._read(graph, (*body.arguments, *body.nodes), len(body.prefix), scope, embedded)

    def _add(self, name: str, leaf: str, parent: int) -> int:
        self.names.append(name)
        self.leaves.append(leaf)
        self.parents.append(parent)
        return len(self.names) - 1

    def _read(self, graph: Graph, rows: Sequence[int], prefix: int, top: int, embedded: Sequence[bool]) -> None:
        """Place nodes whose names have `prefix` characters that belong to `top`."""
        scopes: dict[str, int] = {}
        for row in rows:
            name = self.names[row]
            cut = _last_slash(name, prefix)
            self.leaves[row] = name[cut + 1 :] if cut >= 0 else name[prefix:]
            if not embedded[row]:
                self.parents[row] = self._scope(name, cut, prefix, top, scopes)
        self._put_inside(rows, scopes)
        host = graph.host
        for row in rows:
            if embedded[row]:
                self.parents[row] = int(host[row])
                if host[row] == row:
                    self.parents[row] = _nearest(self.names[row], prefix, top, scopes)

    def _scope(self, name: str, cut: int, prefix: int, top: int, scopes: dict[str, int]) -> int:
        """The scope `name[:cut]`, made with those around it where it is new."""
        missing = []
        while cut >= 0 and name[:cut] not in scopes:
            missing.append(cut)
            cut = name.rfind("/", prefix, cut)
        above = top if cut < 0 else scopes[name[:cut]]
        for end in reversed(missing):
            path = name[:end]
            above = scopes[path] = self._add(path, path[max(cut + 1, prefix) :], above)
            cut = end
        return above

    def _put_inside(self, rows: Sequence[int], scopes: dict[str, int]) -> None:
        """Give nodes that are called like a scope the name `scope/(node)` and put them into it."""
        inside = [row for row in rows if self.names[row] in scopes]
        if not inside:
            return
        names = Names(self.names[row] for row in rows)
        for row in inside:
            leaf = f"({self.leaves[row]})"
            given = names.free(f"{self.names[row]}/{leaf}")
            self.parents[row] = scopes[self.names[row]]
            self.leaves[row] = given[len(self.names[row]) + 1 :]
            self.names[row] = given


def _last_slash(name: str, prefix: int) -> int:
    """Where the last part of a name begins, less one; -1 without scopes."""
    cut = name.rfind("/", prefix)
    if cut >= 0 and name.count("/", prefix) > DEEPEST:
        cut = prefix - 1
        for _ in range(DEEPEST):
            cut = name.index("/", cut + 1)
    return cut


def _nearest(name: str, prefix: int, top: int, scopes: dict[str, int]) -> int:
    """The innermost of the scopes there are around a name."""
    cut = _last_slash(name, prefix)
    while cut >= 0:
        if (scope := scopes.get(name[:cut])) is not None:
            return scope
        cut = name.rfind("/", prefix, cut)
    return top
