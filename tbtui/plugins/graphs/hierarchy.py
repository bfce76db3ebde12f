"""Hierarchy of a graph: scopes within scopes by the names of its nodes, series, and copies of functions.

The rules are TensorBoard's (`tf_graph_common/hierarchy.ts`): a `/` in a name starts a scope; a node `A` next to nodes
`A/...` becomes `A/(A)` inside the scope `A`; five or more nodes of one operation in one scope with consecutive
numbers form a series `prefix[1-5]`, shown as one item until it is ungrouped. Embedded nodes make no scopes.

Names of an item, for an item `model/add` that PyTorch wrote as `model/329`:

* `Hierarchy.name`: unique full name, with the section of functions: `model/329`;
* `Hierarchy.get_written_leaf`: last part of the name as written: `329`;
* `Hierarchy.leaf`: last part as shown: `add`;
* `item_labels.full_name`: `name` without the section of functions;
* `item_labels.label_path`: `full_name` that ends in `leaf`: `model/add`;
* `graph.format_argument_title`: a leaf without the suffix that TensorFlow adds to all arguments that are variables.
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
from tbtui.plugins.graphs.parameter_counts import ParameterCounts
from tbtui.plugins.graphs.scopes import Scopes, find_series, label_values

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    import numpy.typing as npt

    from tbtui.plugins.graphs.graph import Graph
    from tbtui.plugins.graphs.parsed_graph import Shape

    Ints: TypeAlias = npt.NDArray[np.int32]


@frozen(eq=False)
class Preorder:
    """Preorder of a tree: each item is followed by all items inside it, at any depth."""

    positions: Ints
    """Position of each item."""

    ends: Ints
    """Position after the last item inside each item."""

    items: Ints
    """Item at each position."""


def compute_preorder(parent: Ints, rank: Ints) -> Preorder:
    """Compute the preorder of a tree.

    Args:
        parent: Parent of each item; -1 for roots, which are ordered by number.
        rank: Order of items with the same parent.
    """
    count = len(parent)
    depth = _compute_depths(parent)
    by_depth = np.argsort(depth, kind="stable")
    bounds = np.searchsorted(depth[by_depth], np.arange(int(depth.max(initial=0)) + 2))
    layers = [by_depth[bounds[index] : bounds[index + 1]] for index in range(len(bounds) - 1)]

    size = np.ones(count, np.int64)
    for layer in reversed(layers[1:]):
        size += np.bincount(parent[layer], size[layer], count).astype(np.int64)

    positions = np.zeros(count, np.int64)
    for index, layer in enumerate(layers):
        sorted_layer = layer[np.lexsort((layer if not index else rank[layer], parent[layer]))]
        parents = parent[sorted_layer]
        offsets = np.cumsum(size[sorted_layer]) - size[sorted_layer]
        first_siblings = np.searchsorted(parents, parents, "left")
        sibling_offsets = offsets - offsets[first_siblings]
        positions[sorted_layer] = sibling_offsets if not index else positions[parents] + 1 + sibling_offsets
    items = np.empty(count, np.int32)
    items[positions] = np.arange(count, dtype=np.int32)
    return Preorder(positions.astype(np.int32), (positions + size).astype(np.int32), items)


def _compute_depths(parent: Ints) -> npt.NDArray[np.int32]:
    """Return the nesting depth of each item."""
    depth = np.zeros(len(parent), np.int32)
    ancestor = parent
    while (has_ancestor := ancestor >= 0).any():
        depth += has_ancestor
        ancestor = np.where(has_ancestor, parent[ancestor], -1)
    return depth


def compute_first_ranks(rank: Ints, embedded: npt.NDArray[np.bool_], parent: Ints, first_series: int) -> Ints:
    """Return the lowest rank of the nodes in each item; items without nodes come last.

    Args:
        rank: Rank of each node.
        embedded: bool[nodes]: embedded nodes, which are ignored in the ranks of the items around them.
        parent: Parent of each item: nodes, then scopes (numbered higher than the scope around them), then series.
        first_series: Number of the first series.
    """
    nodes = len(rank)
    ranks = np.arange(nodes, nodes + len(parent), dtype=np.int32)
    ranks[:nodes] = rank
    for items in (np.flatnonzero(~embedded), np.arange(first_series, len(parent))):
        np.minimum.at(ranks, parent[items], ranks[items])
    lowest, parents = ranks.tolist(), parent.tolist()
    for scope in range(first_series - 1, nodes - 1, -1):
        if parents[scope] >= 0:
            lowest[parents[scope]] = min(lowest[parents[scope]], lowest[scope])
    return np.array(lowest, np.int32)


UNIQUE = -1
"""Template number of a scope with a unique structure."""


def number_templates(hierarchy: Hierarchy) -> Ints:
    """Return the template number of each item that is not a copy; `UNIQUE` if no other scope has the same structure.

    Two scopes have the same structure if they hold the same operations, series and scopes (these again compared by
    structure) and the same links between them; names are ignored. TensorBoard compares depth, counts of nodes, links
    and operations, and the links of each node; this rule is at least as strict.
    """
    structures = _number_structures(hierarchy)
    scopes: npt.NDArray[np.int64] = np.arange(hierarchy.nodes, hierarchy.items, dtype=np.int64)
    scopes = scopes[[hierarchy.kind(int(scope)) == "scope" for scope in scopes]]
    scopes = scopes[scopes != hierarchy.root]
    template = np.full(hierarchy.items, UNIQUE, np.int32)
    occurrences = Counter(structures[scope] for scope in scopes)
    size = {structures[scope]: int(hierarchy.node_counts[scope]) for scope in scopes}
    repeated = [structure for structure, count in occurrences.items() if count > 1]
    repeated.sort(key=lambda structure: (-size[structure], structure))
    numbers = {structure: number for number, structure in enumerate(repeated)}
    template[scopes] = [numbers.get(structures[scope], UNIQUE) for scope in scopes]
    return template


def _number_structures(hierarchy: Hierarchy) -> list[int]:
    """Return a number for each item; items of equal structure have the same number."""
    graph = hierarchy.graph
    numbers: dict[object, int] = {}
    structures = [numbers.setdefault(("op", op), len(numbers)) for op in graph.ops]
    structures += [0] * (hierarchy.items - hierarchy.nodes)
    children: list[list[int]] = [[] for _ in structures]
    links = _group_links(hierarchy)
    embedded = graph.embedded.tolist()
    parents = hierarchy.parent.tolist()
    # From the innermost items outwards: items inside an item have higher positions.
    for item in hierarchy.order.items[::-1].tolist():
        if item >= hierarchy.nodes:
            inner_links = sorted((structures[source], structures[target]) for source, target in links.get(item, ()))
            structure = (hierarchy.kind(item), tuple(sorted(children[item])), tuple(inner_links))
            structures[item] = numbers.setdefault(structure, len(numbers))
        elif embedded[item]:
            continue
        children[parents[item]].append(structures[item])
    return structures


def _group_links(hierarchy: Hierarchy) -> dict[int, list[tuple[int, int]]]:
    """Return the linked pairs of direct children of each scope or series, each pair once."""
    flow = hierarchy.graph.flow
    parent, positions, ends = hierarchy.parent, hierarchy.order.positions, hierarchy.order.ends
    source, target = flow.source.astype(np.int64), flow.target.astype(np.int64)
    for moving, other in ((source, target), (target, source)):
        other_positions = positions[other]
        edges = np.arange(len(flow))
        while edges.size:  # move this end up to the direct child of the item that contains both ends
            parents, position = parent[moving[edges]], other_positions[edges]
            is_other_outside = (parents >= 0) & ((position < positions[parents]) | (position >= ends[parents]))
            edges = edges[is_other_outside]
            moving[edges] = parents[is_other_outside]
    pairs = np.unique(source * hierarchy.items + target)
    links: dict[int, list[tuple[int, int]]] = {}
    sources, targets = np.divmod(pairs, hierarchy.items)
    scopes = parent[sources].tolist()
    for scope, link_source, link_target in zip(scopes, sources.tolist(), targets.tolist(), strict=True):
        links.setdefault(scope, []).append((link_source, link_target))
    return links


MAX_SHAPES = 8
"""Maximum number of output shapes of a scope."""


_NO_ITEMS = np.zeros(0, np.int32)


class Hierarchy:
    """Tree of items. Items are numbers: nodes of the graph (`0 .. nodes - 1`), then scopes, series, and copies.

    A call of a function contains copies of the nodes, scopes and series of its body, so that two calls of one function
    can be opened separately. Sums and lookups by name ignore copies.

    Every item except `root` and `library` has one parent. The parent of a member is its series, the parent of an
    embedded node its host. Immutable: any thread may use it.
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
        self._labels = label_values(self._leaves, graph.ops)
        parent = self._with_series(scopes.parents)

        self.items = len(parent)
        """Number of items without copies."""

        self._ranks = compute_first_ranks(graph.rank, graph.embedded, parent, self._first_series)
        self._ranks[self._bodies] = self._bodies  # in the order of the library, even without nodes
        self.order = compute_preorder(parent, self._ranks)
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
        is_counted = ~self._embedded
        is_counted[self.nodes :] = False

        self.node_counts: npt.NDArray[np.int64] = self._sum_items(is_counted)
        """Number of nodes in each item, a node itself included; embedded nodes are not counted (TensorBoard).

        The call of a function counts as one node; `body` gives the function.
        """

    def _with_series(self, parents: list[int]) -> Ints:
        """Move numbered nodes into series, and return the parents of all items."""
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

    def _sum_items(self, values: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Return the sum of the values of each item and all items inside it."""
        running_sum = np.zeros(self.items + 1, np.int64)
        np.cumsum(values[self.order.items], out=running_sum[1:])
        return (running_sum[self.order.ends] - running_sum[self.order.positions])[self.original]

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
        return number_templates(self)[self.original]

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

    def get_written_leaf(self, item: int) -> str:
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
            original = int(self.order.items[self.order.positions[original] + 1])
        return self.graph.ops[original] if original < self.nodes else ""

    def node(self, item: int) -> int:
        """Return the node that an item is or is a copy of; -1 for scopes and series."""
        original = self._originals[item]
        return original if original < self.nodes else -1

    def body(self, item: int) -> int:
        """Return the scope of the function that an item calls; -1 for items that call none."""
        called = self.graph.calls.get(self._originals[item])
        return -1 if called is None else self._bodies[called]

    def children(self, item: int, ungrouped: bool | AbstractSet[int] = False) -> Ints:
        """Return the direct children in file order, without embedded nodes; a call has the children of its body.

        Args:
            item: Any item; items that cannot be opened have no children.
            ungrouped: Series that are replaced by their members; True for all series.
        """
        children = self._list_children(item)
        children = children[~self._embedded[self.original[children]]]
        is_series = self.original[children] >= self._first_series
        if not ungrouped or not is_series.any():
            return children
        if ungrouped is not True:
            is_series[is_series] = [child in ungrouped for child in children[is_series].tolist()]
        members = [self._list_children(child) for child in children[is_series].tolist()]
        children = np.concatenate((children[~is_series], *members))
        return children[np.argsort(self._ranks[self.original[children]], kind="stable")]

    def embedded(self, item: int) -> Ints:
        """Return nodes embedded in a node; for a scope or the body of a call, nodes without a host."""
        children = self._list_children(item)
        return children[self._embedded[self.original[children]]]

    def find_attached_nodes(self, item: int) -> Ints:
        """Return nodes embedded in a node, and constants that it reads but that are embedded elsewhere."""
        node = self.node(item)
        return self.find_copies(item, self.adjacency.find_attached_nodes(node)) if node >= 0 else _NO_ITEMS

    def has_children(self, item: int) -> bool:
        """Return True if an item has children."""
        return bool(self.children(item).size)

    def list_all_nodes(self, item: int) -> Ints:
        """Return all nodes inside an item at any depth, embedded ones and itself included; of a copy, copies."""
        original = self.original[item]
        items = self.order.items[self.order.positions[original] : self.order.ends[original]]
        return self.find_copies(item, items[items < self.nodes])

    def list_nodes(self, item: int) -> list[int]:
        """Return the nodes of the graph that `node_counts` counts; for a copy those of its original."""
        nodes = self.original[self.list_all_nodes(item)]
        counted_nodes: list[int] = nodes[~self._embedded[nodes]].tolist()
        return counted_nodes

    def find_copies(self, item: int, originals: Ints) -> Ints:
        """Return the copies of `originals` in the same call as `item`; the originals if it is not a copy."""
        if item < self.items:
            return originals
        return self._list_copies(originals, item - int(self.order.positions[self.original[item]]))

    def find_enclosing_call(self, item: int) -> int | None:
        """Return the innermost call around a copy; None if the item is not a copy."""
        while item >= self.items:
            item = int(self.parent[item])
            if self.body(item) >= 0 and item in self._opened:
                return item
        return None

    def count_ops(self, item: int) -> Counter[str]:
        """Return the number of nodes of each operation in an item, counted as in `node_counts`."""
        return Counter(self.graph.ops[node] for node in self.list_nodes(item))

    def devices(self, item: int) -> Counter[str]:
        """Return the number of nodes on each device; nodes without a device have the key ""."""
        return Counter(self.graph.device(node) for node in self.list_nodes(item))

    def shapes(self, item: int) -> tuple[Shape | None, ...]:
        """Return the shapes of the outputs of a node; for a scope or series, of tensors that are read outside."""
        if (node := self.node(item)) >= 0:
            return self.graph.shapes(node)
        flow = self.graph.flow
        positions, original = self.order.positions, self.original[item]
        start, end = positions[original], self.order.ends[original]
        source, target = positions[flow.source], positions[flow.target]
        leaving = (source >= start) & (source < end) & ((target < start) | (target >= end)) & ~flow.is_control
        tensors = dict.fromkeys(zip(flow.source[leaving].tolist(), flow.output[leaving].tolist(), strict=True))
        return tuple(self.graph.tensor(*tensor) for tensor in list(tensors)[:MAX_SHAPES])

    def path(self, item: int) -> tuple[int, ...]:
        """Return the items from `root` (or `library`) down to the item itself."""
        path = [item]
        while (parent := int(self.parent[path[-1]])) >= 0:
            path.append(parent)
        return tuple(reversed(path))

    def find_item(self, name: str) -> int | None:
        """Return the item with a full name."""
        return self._by_name.get(name)

    def find_node(self, name: str) -> int | None:
        """Return the node with a written name, as run metadata uses it: `A` is the name of `A/(A)`."""
        return self._by_written_name.get(name)

    def _list_copies(self, originals: Ints, offset: int) -> Ints:
        """Return the copies whose numbers are the positions of their originals plus an offset."""
        copies: Ints = self.order.positions[originals] + np.int32(offset)
        return copies

    def _list_children(self, item: int) -> Ints:
        """Return the direct children of an item, embedded nodes included; those of a call include its copies."""
        rows, items = self._children_index
        children = self.find_copies(item, items[rows.find_rows(int(self.original[item]))])
        if (first_copy := self._opened.get(item)) is None:
            return children
        body = self.body(item)
        copies = self._list_copies(items[rows.find_rows(body)], first_copy - int(self.order.positions[body]) - 1)
        return np.concatenate((children, copies))

    @cached_property
    def _children_index(self) -> tuple[RowIndex, Ints]:
        """Items by their parent."""
        items = self.order.items
        parents = self.parent[items]
        return RowIndex(np.where(parents < 0, self.items, parents), self.items), items

    @cached_property
    def _by_name(self) -> dict[str, int]:
        return {name: item for item, name in reversed(list(enumerate(self._names)))}

    @cached_property
    def _by_written_name(self) -> dict[str, int]:
        return {name: node for node, name in reversed(list(enumerate(self.graph.names)))}
