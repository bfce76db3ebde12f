"""A graph as scopes within scopes, by the names of its nodes.

The rules are TensorBoard's (`tf_graph_common/hierarchy.ts`): a `/` in a name is a scope; a node `A` beside nodes
`A/...` is `A/(A)` inside of the scope `A`; five or more nodes of one operation in one scope whose names are numbered
without a gap are a series `prefix[1-5]`, shown as one until it is taken apart. Embedded nodes make no scopes.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.graphs.adjacency import Adjacency
from tbtui.graphs.calls import copies_of
from tbtui.graphs.edges import Rows
from tbtui.graphs.naming import NO_NAME
from tbtui.graphs.numbered import numbered
from tbtui.graphs.order import first_ranks, in_order
from tbtui.graphs.scopes import Scopes
from tbtui.graphs.templates import templates

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    import numpy.typing as npt

    from tbtui.graphs.graph import Graph
    from tbtui.graphs.written import Shape

    Ints: TypeAlias = npt.NDArray[np.int32]

MOST_SHAPES = 8
"""Of what leaves a scope."""

_NONE = np.zeros(0, np.int32)


class Hierarchy:
    """Items are numbers: the nodes of the graph (`0 .. nodes - 1`), then scopes, then series, then copies.

    Copies are what is seen inside of the call of a function: the nodes, scopes and series of its body once more, so
    that two calls of one function are opened one by one. They are in no sum and are not found.

    Every item but `root` and `library` has one parent. Members of a series have the series as their parent, and what is
    embedded in a node has that node. Nothing of it ever changes: any thread may ask.
    """

    def __init__(self, graph: Graph) -> None:
        """Read the names: some 5 µs a node."""
        self.graph = graph

        self.nodes = len(graph.names)
        """How many nodes the graph has."""

        scopes = Scopes(graph)
        self.root = scopes.root

        self.library = scopes.library
        """The scope that holds the functions; -1 without any. It has no parent and its sums are not in the root's."""

        self._names, self._leaves, self._bodies = scopes.names, scopes.leaves, scopes.bodies
        parent = self._with_series(scopes.parents)

        self.items = len(parent)
        """How many there are without copies."""

        self._ranks = first_ranks(graph.rank, graph.embedded, parent, self._first_series)
        self._ranks[self._bodies] = self._bodies  # in the order of the library, without nodes too
        self.order = in_order(parent, self._ranks)
        """Of all items without copies, embedded nodes among them."""

        copies = copies_of(graph, self._bodies, self.order, parent)
        self._opened = copies.opened

        self.parent: Ints = np.concatenate((parent, copies.parent))
        """Of each item; -1 of `root` and `library`."""

        self.original: Ints = np.concatenate((np.arange(self.items, dtype=np.int32), copies.original))
        """What an item is a copy of; itself if it is none."""

        self._originals: list[int] = self.original.tolist()  # asked one by one, of which lists are faster than arrays
        self._embedded = np.zeros(self.items, np.bool_)
        self._embedded[: self.nodes] = graph.embedded
        counted = ~self._embedded
        counted[self.nodes :] = False

        self.inside: npt.NDArray[np.int64] = self._sums(counted)
        """How many nodes are in each item, itself if it is one; as by TensorBoard, embedded ones are not counted.

        The call of a function is one node: how many are in the function tells its `body`."""

    def _with_series(self, parents: list[int]) -> Ints:
        """Put numbered nodes into series."""
        nodes = np.flatnonzero(~self.graph.embedded).tolist()
        self._first_series = len(parents)
        for series in numbered(nodes, self._leaves, self.graph.ops, parents):
            number = len(parents)
            parents.append(series.scope)
            self._leaves.append(series.leaf)
            self._names.append(
                self._names[series.members[0]].removesuffix(self._leaves[series.members[0]]) + series.leaf
            )
            for node in series.members:
                parents[node] = number
        return np.array(parents, np.int32)

    def _sums(self, values: npt.NDArray[np.bool_] | npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Of each item, what it and all that is in it are worth together."""
        up_to = np.zeros(self.items + 1, np.int64)
        np.cumsum(values[self.order.items], out=up_to[1:])
        return (up_to[self.order.ends] - up_to[self.order.places])[self.original]

    @cached_property
    def parameters(self) -> npt.NDArray[np.int64]:
        """How many trained numbers the nodes in each item hold."""
        values = np.zeros(self.items, np.int64)
        values[: self.nodes] = [self.graph.parameters(node) for node in range(self.nodes)]
        return self._sums(values)

    @cached_property
    def adjacency(self) -> Adjacency:
        """Which edges lead to and from each node."""
        return Adjacency(self.graph)

    @cached_property
    def template(self) -> Ints:
        """Scopes that look alike inside have the same number, those with most nodes the lowest; -1 of all others."""
        return templates(self)[self.original]

    def __len__(self) -> int:
        """How many items there are, copies too."""
        return len(self.parent)

    def name(self, item: int) -> str:
        """In full, such as `dense/MatMul` or `dense/w/(w)`; empty of the root. A copy is called like its original."""
        return self._names[self._originals[item]]

    def leaf(self, item: int) -> str:
        """The last part of its name; of a function the name without `__function_library__`; never empty."""
        return self._leaves[self._originals[item]] or NO_NAME

    def kind(self, item: int) -> str:
        """`op`, `scope`, `series`, `function` (a body in the library, or a call), `input`, `output` or `layer`."""
        original = self._originals[item]
        if original < self.nodes:
            return self.graph.kinds[original]
        if original >= self._first_series:
            return "series"
        return "function" if self.parent[original] == self.library != -1 else "scope"

    def op(self, item: int) -> str:
        """Its operation or class as written; of a series that of its members; empty for scopes."""
        original = self._originals[item]
        if original >= self._first_series:
            original = int(self.order.items[self.order.places[original] + 1])
        return self.graph.ops[original] if original < self.nodes else ""

    def node(self, item: int) -> int:
        """The node of the graph that it is, or is a copy of, for its attributes; -1 for scopes and series."""
        original = self._originals[item]
        return original if original < self.nodes else -1

    def body(self, item: int) -> int:
        """The scope in the library that holds what the call of a function does; -1 for all other items."""
        called = self.graph.calls.get(self._originals[item])
        return -1 if called is None else self._bodies[called]

    def children(self, item: int, apart: bool | AbstractSet[int] = False) -> Ints:
        """What is directly in it, as written, without embedded nodes; a series in place of its members.

        Empty for what cannot be opened. The call of a function holds its body.

        Args:
            item: Any.
            apart: Series whose members are wanted in place of themselves; True is all of them.
        """
        children = self._in(item)
        children = children[~self._embedded[self.original[children]]]
        series = self.original[children] >= self._first_series
        if not apart or not series.any():
            return children
        if apart is not True:
            series[series] = [child in apart for child in children[series].tolist()]
        members = [self._in(child) for child in children[series].tolist()]
        children = np.concatenate((children[~series], *members))
        return children[np.argsort(self._ranks[self.original[children]], kind="stable")]

    def embedded(self, item: int) -> Ints:
        """Constants and summaries embedded in a node; of a scope, or the body of a call, those embedded nowhere."""
        children = self._in(item)
        return children[self._embedded[self.original[children]]]

    def embedded_beside(self, item: int) -> Ints:
        """What is embedded in a node, and the constants that it reads though they are embedded in another one."""
        node = self.node(item)
        return self.beside(item, self.adjacency.embedded_beside(node)) if node >= 0 else _NONE

    def opens(self, item: int) -> bool:
        """Whether it has children."""
        return bool(self.children(item).size)

    def under(self, item: int) -> Ints:
        """All nodes in it at any depth, embedded ones too; itself if it is one. Of a copy these are copies."""
        original = self.original[item]
        within = self.order.items[self.order.places[original] : self.order.ends[original]]
        return self.beside(item, within[within < self.nodes])

    def nodes_in(self, item: int) -> list[int]:
        """The nodes of the graph that `inside` counts; those of a copy are what it is a copy of."""
        nodes = self.original[self.under(item)]
        counted: list[int] = nodes[~self._embedded[nodes]].tolist()
        return counted

    def beside(self, item: int, originals: Ints) -> Ints:
        """Those copies of `originals` that are in the same call as `item`; themselves if it is no copy."""
        if item < self.items:
            return originals
        return self._moved(originals, item - int(self.order.places[self.original[item]]))

    def call_around(self, item: int) -> int | None:
        """The innermost call that a copy is in; None of what is no copy."""
        while item >= self.items:
            above = int(self.parent[item])
            if self.body(above) >= 0 and above in self._opened:
                return above
            item = above
        return None

    def op_counts(self, item: int) -> Counter[str]:
        """How often each operation occurs in it, as `inside` counts."""
        return Counter(self.graph.ops[node] for node in self.nodes_in(item))

    def devices(self, item: int) -> Counter[str]:
        """How many nodes in it are on each device; those without one are under the empty name."""
        return Counter(self.graph.device(node) for node in self.nodes_in(item))

    def shapes(self, item: int) -> tuple[Shape | None, ...]:
        """Of the outputs of a node; of a scope or series, of the tensors in it that are read outside of it."""
        if (node := self.node(item)) >= 0:
            return self.graph.shapes(node)
        flow = self.graph.flow
        places, ends = self.order.places, self.order.ends
        original = self.original[item]
        begin, end = places[original], ends[original]
        source, target = places[flow.source], places[flow.target]
        leaving = (source >= begin) & (source < end) & ((target < begin) | (target >= end)) & ~flow.control
        tensors = dict.fromkeys(zip(flow.source[leaving].tolist(), flow.output[leaving].tolist(), strict=True))
        return tuple(self.graph.tensor(*tensor) for tensor in list(tensors)[:MOST_SHAPES])

    def path(self, item: int) -> tuple[int, ...]:
        """From `root` (or `library`) down to the item itself."""
        path = [item]
        while (above := int(self.parent[path[-1]])) >= 0:
            path.append(above)
        return tuple(reversed(path))

    def item_of(self, name: str) -> int | None:
        """The item of this name in full."""
        return self._by_name.get(name)

    def node_of(self, name: str) -> int | None:
        """The node that was written under this name, by which run metadata knows it: `A` finds `A/(A)`."""
        return self._by_written_name.get(name)

    def _moved(self, originals: Ints, by: int) -> Ints:
        """The copies that are numbered by this much more than the places of their originals."""
        copies: Ints = self.order.places[originals] + np.int32(by)
        return copies

    def _in(self, item: int) -> Ints:
        """All that have it as their parent, in order."""
        rows, items = self._below
        own = self.beside(item, items[rows.of(int(self.original[item]))])
        if (first := self._opened.get(item)) is None:
            return own
        body = self.body(item)
        return np.concatenate((own, self._moved(items[rows.of(body)], first - int(self.order.places[body]) - 1)))

    @cached_property
    def _below(self) -> tuple[Rows, Ints]:
        """Items by their parent."""
        items = self.order.items
        above = self.parent[items]
        return Rows(np.where(above < 0, self.items, above), self.items), items

    @cached_property
    def _by_name(self) -> dict[str, int]:
        return {name: item for item, name in reversed(list(enumerate(self._names)))}

    @cached_property
    def _by_written_name(self) -> dict[str, int]:
        return {name: node for node, name in reversed(list(enumerate(self.graph.names)))}
