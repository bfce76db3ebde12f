"""A graph as scopes within scopes, by the names of its nodes.

The rules are TensorBoard's (`tf_graph_common/hierarchy.ts`): a `/` in a name is a scope; a node `A` beside nodes
`A/...` is `A/(A)` inside of the scope `A`; five or more nodes of one operation in one scope whose names are numbered
without a gap are a series `prefix[1-5]`, shown as one until it is taken apart. Embedded nodes make no scopes.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.graphs.edges import Adjacency, Rows
from tbtui.plugins.graphs.functions import copies_of
from tbtui.plugins.graphs.graph import LIBRARY, NO_NAME, Names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    import numpy.typing as npt

    from tbtui.plugins.graphs.graph import Graph, Shape

    Ints: TypeAlias = npt.NDArray[np.int32]

# Nodes of one scope that are numbered without a gap: `conv_1`, `conv_2` and so on.


FEWEST = 5
"""Members; fewer are no series."""

_NUMBERED = re.compile(r"([^0-9]*)([0-9]{1,15})")


class Series(NamedTuple):
    """Nodes that can be shown as one."""

    scope: int
    leaf: str
    """Such as `conv_[1-5]`."""

    members: tuple[int, ...]
    """By their numbers."""


def numbered(nodes: Iterable[int], leaves: Sequence[str], ops: Sequence[str], parents: Sequence[int]) -> list[Series]:
    """All series among nodes: those of one operation, directly in one scope, whose numbers follow each other.

    A name is numbered if its only digits are at its end; the number alone may be all of it.
    """
    groups: dict[tuple[int, str, str], list[tuple[int, int]]] = {}
    for node in nodes:
        leaf = leaves[node]
        if leaf[-1:].isdigit() and (match := _NUMBERED.fullmatch(leaf)):
            groups.setdefault((parents[node], ops[node], match[1]), []).append((int(match[2]), node))
    return [
        Series(scope, f"{stem}[{run[0][0]}-{run[-1][0]}]", tuple(node for _, node in run))
        for (scope, _, stem), members in groups.items()
        if len(members) >= FEWEST
        for run in _runs(sorted(members))
        if len(run) >= FEWEST
    ]


def _runs(members: Sequence[tuple[int, int]]) -> Iterator[Sequence[tuple[int, int]]]:
    """Stretches in which each number is one more than the one before."""
    begin = 0
    for end in range(1, len(members) + 1):
        if end == len(members) or members[end][0] != members[end - 1][0] + 1:
            yield members[begin:end]
            begin = end


# Items of a tree in the order in which they are shown: what is in one item is a stretch of it.


@frozen(eq=False)
class Order:
    """Each item has a place; right behind it are all items in it, at any depth."""

    places: Ints
    """Of each item."""

    ends: Ints
    """Of each item: the place behind the last one in it."""

    items: Ints
    """At each place."""


def in_order(parent: Ints, rank: Ints) -> Order:
    """Put a tree in order.

    Args:
        parent: Of each item; -1 of the outermost, which come one after the other as they are numbered.
        rank: Of each item; those of one parent are in this order.
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
    return Order(places.astype(np.int32), (places + size).astype(np.int32), items)


def _depths(parent: Ints) -> npt.NDArray[np.int32]:
    """How many items each is in."""
    depth = np.zeros(len(parent), np.int32)
    above = parent
    while (inside := above >= 0).any():
        depth += inside
        above = np.where(inside, parent[above], -1)
    return depth


def first_ranks(rank: Ints, embedded: npt.NDArray[np.bool_], parent: Ints, first_series: int) -> Ints:
    """Of each item the first of the ranks of the nodes in it; of what holds none a place behind all others.

    Args:
        rank: Of each node.
        embedded: Whether each node is; these do not count for what they are in.
        parent: Of each item: nodes, then scopes, numbered higher than what they are in, then series.
        first_series: Where these begin.
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


# Scopes by the names of nodes: a `/` in a name is one, and a node that is called like a scope is inside of it.


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


# Which scopes look alike inside, such as the blocks of a deep network.


UNIQUE = -1


def templates(hierarchy: Hierarchy) -> Ints:
    """For each item that is no copy, the number of its template; `UNIQUE` where no other scope has the same.

    Two scopes look alike if the same operations, series and scopes are in them, these again alike, and the same number
    of links leads from each sort to each other; names do not matter. TensorBoard compares depth, counts of nodes, links
    and operations, and the links of each node; this is at least as strict.
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
    """A number for each item; those that look alike have the same."""
    graph = hierarchy.graph
    known: dict[object, int] = {}
    forms = [known.setdefault(("op", op), len(known)) for op in graph.ops] + [0] * (hierarchy.items - hierarchy.nodes)
    inside: list[list[int]] = [[] for _ in forms]
    links = _links_by_scope(hierarchy)
    embedded = graph.embedded.tolist()
    above = hierarchy.parent.tolist()
    # From the inside out: what is in an item has a higher place.
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
    """For each scope or series, between which two items directly in it something flows; each pair once."""
    flow = hierarchy.graph.flow
    parent, places, ends = hierarchy.parent, hierarchy.order.places, hierarchy.order.ends
    source, target = flow.source.astype(np.int64), flow.target.astype(np.int64)
    for moving, other in ((source, target), (target, source)):
        fixed = places[other]
        climbing = np.arange(len(flow))
        while climbing.size:  # up to what is directly in an item that holds both ends
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
