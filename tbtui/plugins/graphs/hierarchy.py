"""Hierarchy of a graph: scopes within scopes by the names of its nodes, series, and copies of functions.

The rules are TensorBoard's (`tf_graph_common/hierarchy.ts`): a `/` in a name starts a scope; a node `A` next to nodes
`A/...` becomes `A/(A)` inside the scope `A`; five or more nodes of one operation in one scope with consecutive
numbers form a series `prefix[1-5]`, shown as one item until it is expanded. Embedded nodes make no scopes.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.graphs.edges import Adjacency, RowIndex
from tbtui.plugins.graphs.functions import copy_bodies
from tbtui.plugins.graphs.graph import NO_NAME
from tbtui.plugins.graphs.parameters import ParameterCounts
from tbtui.plugins.graphs.scopes import Scopes, find_series, value_labels

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    import numpy.typing as npt

    from tbtui.plugins.graphs.graph import Graph
    from tbtui.plugins.graphs.parsed_graph import Shape

    Ints: TypeAlias = npt.NDArray[np.int32]


@frozen(eq=False)
class Preorder:
    """Preorder of a tree: each item is followed by all items inside it, at any depth."""

    places: Ints
    """Position of each item."""

    ends: Ints
    """Position behind the last item inside each item."""

    items: Ints
    """Item at each position."""


def preorder(parent: Ints, rank: Ints) -> Preorder:
    """Compute the preorder of a tree.

    Args:
        parent: Parent of each item; -1 for roots, which are ordered by number.
        rank: Order of items with the same parent.
    """
    count = len(parent)
    depth = _depths(parent)
    by_depth = np.argsort(depth, kind="stable")
    bounds = np.searchsorted(depth[by_depth], np.arange(int(depth.max(initial=0)) + 2))
    layers = [by_depth[bounds[index] : bounds[index + 1]] for index in range(len(bounds) - 1)]

    size = np.ones(count, np.int64)
    for layer in reversed(layers[1:]):
        size += np.bincount(parent[layer], size[layer], count).astype(np.int64)

    places = np.zeros(count, np.int64)
    for index, layer in enumerate(layers):
        above = parent[layer]
        sorted_layer = layer[np.lexsort((layer if not index else rank[layer], above))]
        above = parent[sorted_layer]
        before = np.cumsum(size[sorted_layer]) - size[sorted_layer]
        first = np.searchsorted(above, above, "left")
        within = before - before[first]
        places[sorted_layer] = within if not index else places[above] + 1 + within
    items = np.empty(count, np.int32)
    items[places] = np.arange(count, dtype=np.int32)
    return Preorder(places.astype(np.int32), (places + size).astype(np.int32), items)


def _depths(parent: Ints) -> npt.NDArray[np.int32]:
    """Return the nesting depth of each item."""
    depth = np.zeros(len(parent), np.int32)
    above = parent
    while (inside := above >= 0).any():
        depth += inside
        above = np.where(inside, parent[above], -1)
    return depth


def first_ranks(rank: Ints, embedded: npt.NDArray[np.bool_], parent: Ints, first_series: int) -> Ints:
    """Return the lowest rank of the nodes in each item; items without nodes come last.

    Args:
        rank: Rank of each node.
        embedded: Flags of embedded nodes; they do not count for the items around them.
        parent: Parent of each item: nodes, then scopes (numbered higher than the scope around them), then series.
        first_series: Number of the first series.
    """
    nodes = len(rank)
    ranks = np.arange(nodes, nodes + len(parent), dtype=np.int32)
    ranks[:nodes] = rank
    for items in (np.flatnonzero(~embedded), np.arange(first_series, len(parent))):
        np.minimum.at(ranks, parent[items], ranks[items])
    firsts, above = ranks.tolist(), parent.tolist()
    for scope in range(first_series - 1, nodes - 1, -1):
        if above[scope] >= 0:
            firsts[above[scope]] = min(firsts[above[scope]], firsts[scope])
    return np.array(firsts, np.int32)


UNIQUE = -1


def scope_templates(hierarchy: Hierarchy) -> Ints:
    """Return the template number of each item that is not a copy; `UNIQUE` if no other scope has the same structure.

    Two scopes have the same structure if they hold the same operations, series and scopes (these again compared by
    structure) and the same links between them; names are ignored. TensorBoard compares depth, counts of nodes, links
    and
    operations, and the links of each node; this rule is at least as strict.
    """
    form = _forms(hierarchy)
    scopes: npt.NDArray[np.int64] = np.arange(hierarchy.nodes, hierarchy.items, dtype=np.int64)
    scopes = scopes[[hierarchy.kind(int(scope)) == "scope" for scope in scopes]]
    scopes = scopes[scopes != hierarchy.root]
    template = np.full(hierarchy.items, UNIQUE, np.int32)
    occurs = Counter(form[scope] for scope in scopes)
    size = {form[scope]: int(hierarchy.inside[scope]) for scope in scopes}
    alike = sorted((kind for kind, count in occurs.items() if count > 1), key=lambda kind: (-size[kind], kind))
    numbers = {kind: number for number, kind in enumerate(alike)}
    template[scopes] = [numbers.get(form[scope], UNIQUE) for scope in scopes]
    return template


def _forms(hierarchy: Hierarchy) -> list[int]:
    """Return a number for each item; items of equal structure have the same number."""
    graph = hierarchy.graph
    known: dict[object, int] = {}
    forms = [known.setdefault(("op", op), len(known)) for op in graph.ops] + [0] * (hierarchy.items - hierarchy.nodes)
    inside: list[list[int]] = [[] for _ in forms]
    links = _links_by_scope(hierarchy)
    embedded = graph.embedded.tolist()
    above = hierarchy.parent.tolist()
    # Inside out: items inside an item have higher positions.
    for item in hierarchy.order.items[::-1].tolist():
        if item >= hierarchy.nodes:
            between = sorted((forms[source], forms[target]) for source, target in links.get(item, ()))
            form = (hierarchy.kind(item), tuple(sorted(inside[item])), tuple(between))
            forms[item] = known.setdefault(form, len(known))
        elif embedded[item]:
            continue
        inside[above[item]].append(forms[item])
    return forms


def _links_by_scope(hierarchy: Hierarchy) -> dict[int, list[tuple[int, int]]]:
    """Return the linked pairs of direct children of each scope or series, each pair once."""
    flow = hierarchy.graph.flow
    parent, places, ends = hierarchy.parent, hierarchy.order.places, hierarchy.order.ends
    source, target = flow.source.astype(np.int64), flow.target.astype(np.int64)
    for moving, other in ((source, target), (target, source)):
        fixed = places[other]
        climbing = np.arange(len(flow))
        while climbing.size:  # up to the direct child of the item that holds both ends
            above = parent[moving[climbing]]
            apart = (above >= 0) & ((fixed[climbing] < places[above]) | (fixed[climbing] >= ends[above]))
            climbing = climbing[apart]
            moving[climbing] = above[apart]
    pairs = np.unique(source * hierarchy.items + target)
    links: dict[int, list[tuple[int, int]]] = {}
    first, second = np.divmod(pairs, hierarchy.items)
    for scope, one, other in zip(parent[first].tolist(), first.tolist(), second.tolist(), strict=True):
        links.setdefault(scope, []).append((one, other))
    return links


MAX_SHAPES = 8
"""Maximum number of output shapes of a scope."""


_NONE = np.zeros(0, np.int32)


class Hierarchy:
    """Tree of items. Items are numbers: nodes of the graph (`0 .. nodes - 1`), then scopes, series, and copies.

    Copies are what a call of a function shows inside: the nodes, scopes and series of its body, copied so that two
    calls of one function can be opened separately. Copies count in no sum and are not found by name.

    Every item but `root` and `library` has one parent. Members of a series have the series as parent, embedded nodes
    their host. Immutable: any thread may use it.
    """

    def __init__(self, graph: Graph) -> None:
        """Build the hierarchy in about 5 µs per node."""
        self.graph = graph

        self.nodes = len(graph.names)
        """Number of nodes of the graph."""

        scopes = Scopes(graph)
        self.root = scopes.root

        self.library = scopes.library
        """Scope that holds the functions; -1 if there are none. It has no parent and does not count in the root."""

        self._names, self._leaves, self._bodies = scopes.names, scopes.leaves, scopes.bodies
        self._labels = value_labels(self._leaves, graph.ops)
        parent = self._with_series(scopes.parents)

        self.items = len(parent)
        """Number of items without copies."""

        self._ranks = first_ranks(graph.rank, graph.embedded, parent, self._first_series)
        self._ranks[self._bodies] = self._bodies  # in the order of the library, without nodes too
        self.order = preorder(parent, self._ranks)
        """Preorder of all items without copies; embedded nodes are included."""

        copies = copy_bodies(graph, self._bodies, self.order, parent)
        self._opened = copies.opened

        self.parent: Ints = np.concatenate((parent, copies.parent))
        """Parent of each item; -1 for `root` and `library`."""

        self.original: Ints = np.concatenate((np.arange(self.items, dtype=np.int32), copies.original))
        """Item that each item is a copy of; itself if it is not a copy."""

        self._originals: list[int] = self.original.tolist()  # single lookups are faster in a list
        self._embedded = np.zeros(self.items, np.bool_)
        self._embedded[: self.nodes] = graph.embedded
        counted = ~self._embedded
        counted[self.nodes :] = False

        self.inside: npt.NDArray[np.int64] = self._sums(counted)
        """Number of nodes in each item, a node itself included; embedded nodes are not counted (TensorBoard).

        The call of a function counts as one node; `body` gives the function.
        """

    def _with_series(self, parents: list[int]) -> Ints:
        """Put numbered nodes into series."""
        nodes = np.flatnonzero(~self.graph.embedded).tolist()
        self._first_series = len(parents)
        for series in find_series(nodes, self._leaves, self.graph.ops, parents):
            number = len(parents)
            if (label := self._labels.get(series.members[0])) is not None:
                self._labels[number] = f"{label}[{series.leaf.partition('[')[2]}"
            parents.append(series.scope)
            self._leaves.append(series.leaf)
            self._names.append(
                self._names[series.members[0]].removesuffix(self._leaves[series.members[0]]) + series.leaf
            )
            for node in series.members:
                parents[node] = number
        return np.array(parents, np.int32)

    def _sums(self, values: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Return the sum of the values of each item and all items inside it."""
        up_to = np.zeros(self.items + 1, np.int64)
        np.cumsum(values[self.order.items], out=up_to[1:])
        return (up_to[self.order.ends] - up_to[self.order.places])[self.original]

    @cached_property
    def parameters(self) -> ParameterCounts:
        """Number of trained parameters of each item."""
        return ParameterCounts(self)

    @cached_property
    def adjacency(self) -> Adjacency:
        """Edges by their end nodes."""
        return Adjacency(self.graph)

    @cached_property
    def template(self) -> Ints:
        """Template number of each item: scopes of equal structure share one, the largest first; -1 if unique."""
        return scope_templates(self)[self.original]

    def __len__(self) -> int:
        """Return the number of items, copies included."""
        return len(self.parent)

    def name(self, item: int) -> str:
        """Return the full name, such as `dense/MatMul` or `dense/w/(w)`; empty for the root."""
        return self._names[self._originals[item]]

    def leaf(self, item: int) -> str:
        """Return the last part of the name; for a function the name without `__function_library__`; never empty.

        A node of a trace that the writer named by a number has the type of its operation, such as `add`.
        """
        original = self._originals[item]
        return self._labels.get(original) or self._leaves[original] or NO_NAME

    def written_leaf(self, item: int) -> str:
        """Return the last part of the name as written."""
        return self._leaves[self._originals[item]]

    def kind(self, item: int) -> str:
        """Return `op`, `scope`, `series`, `function` (a body or a call), `input`, `output` or `layer`."""
        original = self._originals[item]
        if original < self.nodes:
            return self.graph.kinds[original]
        if original >= self._first_series:
            return "series"
        return "function" if self.parent[original] == self.library != -1 else "scope"

    def op(self, item: int) -> str:
        """Return the operation or class as written; for a series that of its members; empty for scopes."""
        original = self._originals[item]
        if original >= self._first_series:
            original = int(self.order.items[self.order.places[original] + 1])
        return self.graph.ops[original] if original < self.nodes else ""

    def node(self, item: int) -> int:
        """Return the node that an item is or is a copy of; -1 for scopes and series."""
        original = self._originals[item]
        return original if original < self.nodes else -1

    def body(self, item: int) -> int:
        """Return the scope of the function that an item calls; -1 for items that call none."""
        called = self.graph.calls.get(self._originals[item])
        return -1 if called is None else self._bodies[called]

    def children(self, item: int, apart: bool | AbstractSet[int] = False) -> Ints:
        """Return the direct children as written, without embedded nodes; a call has the children of its body.

        Args:
            item: Any item; items that cannot be opened have no children.
            apart: Series that are replaced by their members; True for all series.
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
        """Return nodes embedded in a node; for a scope or the body of a call, nodes without a host."""
        children = self._in(item)
        return children[self._embedded[self.original[children]]]

    def embedded_beside(self, item: int) -> Ints:
        """Return nodes embedded in a node, and constants that it reads but that are embedded elsewhere."""
        node = self.node(item)
        return self.beside(item, self.adjacency.embedded_beside(node)) if node >= 0 else _NONE

    def opens(self, item: int) -> bool:
        """Return True if an item has children."""
        return bool(self.children(item).size)

    def under(self, item: int) -> Ints:
        """Return all nodes inside an item at any depth, embedded ones and itself included; of a copy, copies."""
        original = self.original[item]
        within = self.order.items[self.order.places[original] : self.order.ends[original]]
        return self.beside(item, within[within < self.nodes])

    def nodes_in(self, item: int) -> list[int]:
        """Return the nodes of the graph that `inside` counts; for a copy those of its original."""
        nodes = self.original[self.under(item)]
        counted: list[int] = nodes[~self._embedded[nodes]].tolist()
        return counted

    def beside(self, item: int, originals: Ints) -> Ints:
        """Return the copies of `originals` in the same call as `item`; the originals if it is not a copy."""
        if item < self.items:
            return originals
        return self._moved(originals, item - int(self.order.places[self.original[item]]))

    def call_around(self, item: int) -> int | None:
        """Return the innermost call around a copy; None if the item is not a copy."""
        while item >= self.items:
            above = int(self.parent[item])
            if self.body(above) >= 0 and above in self._opened:
                return above
            item = above
        return None

    def op_counts(self, item: int) -> Counter[str]:
        """Return the number of nodes of each operation in an item, counted as in `inside`."""
        return Counter(self.graph.ops[node] for node in self.nodes_in(item))

    def devices(self, item: int) -> Counter[str]:
        """Return the number of nodes on each device; nodes without a device have the key ""."""
        return Counter(self.graph.device(node) for node in self.nodes_in(item))

    def shapes(self, item: int) -> tuple[Shape | None, ...]:
        """Return the shapes of the outputs of a node; for a scope or series, of tensors that are read outside."""
        if (node := self.node(item)) >= 0:
            return self.graph.shapes(node)
        flow = self.graph.flow
        places, ends = self.order.places, self.order.ends
        original = self.original[item]
        begin, end = places[original], ends[original]
        source, target = places[flow.source], places[flow.target]
        leaving = (source >= begin) & (source < end) & ((target < begin) | (target >= end)) & ~flow.control
        tensors = dict.fromkeys(zip(flow.source[leaving].tolist(), flow.output[leaving].tolist(), strict=True))
        return tuple(self.graph.tensor(*tensor) for tensor in list(tensors)[:MAX_SHAPES])

    def path(self, item: int) -> tuple[int, ...]:
        """Return the items from `root` (or `library`) down to the item itself."""
        path = [item]
        while (above := int(self.parent[path[-1]])) >= 0:
            path.append(above)
        return tuple(reversed(path))

    def item_of(self, name: str) -> int | None:
        """Return the item with a full name."""
        return self._by_name.get(name)

    def node_of(self, name: str) -> int | None:
        """Return the node that was written with a name, as run metadata uses it: `A` finds `A/(A)`."""
        return self._by_written_name.get(name)

    def _moved(self, originals: Ints, by: int) -> Ints:
        """Return copies whose numbers are the positions of their originals plus an offset."""
        copies: Ints = self.order.places[originals] + np.int32(by)
        return copies

    def _in(self, item: int) -> Ints:
        """Return all items with a parent, in order."""
        rows, items = self._below
        own = self.beside(item, items[rows.of(int(self.original[item]))])
        if (first := self._opened.get(item)) is None:
            return own
        body = self.body(item)
        return np.concatenate((own, self._moved(items[rows.of(body)], first - int(self.order.places[body]) - 1)))

    @cached_property
    def _below(self) -> tuple[RowIndex, Ints]:
        """Items by their parent."""
        items = self.order.items
        above = self.parent[items]
        return RowIndex(np.where(above < 0, self.items, above), self.items), items

    @cached_property
    def _by_name(self) -> dict[str, int]:
        return {name: item for item, name in reversed(list(enumerate(self._names)))}

    @cached_property
    def _by_written_name(self) -> dict[str, int]:
        return {name: node for node, name in reversed(list(enumerate(self.graph.names)))}
