"""Edges of a graph as columns, read from the inputs of its nodes, and which nodes are embedded in which."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.plugins.graphs.graph import Graph

    Ints: TypeAlias = npt.NDArray[np.int32]
    Flags: TypeAlias = npt.NDArray[np.bool_]
    Indices: TypeAlias = npt.NDArray[np.intp]

NO_NODE = -1
"""Stands for a node that does not exist."""

_OUTPUT = re.compile(r"([^:]+):(\w+:)?([0-9]{1,9})", re.ASCII)

_WRITE_OPS = re.compile(r"(resource_?)?(assign|scatter)\w*|count_?up_?to", re.ASCII | re.IGNORECASE)
"""Operations that change what their first input refers to; old files spell `AssignAdd` as `assign_add`."""


@frozen(eq=False)
class Edges:
    """Edges as columns, ordered by their target node and by the position of the input."""

    source: Ints
    target: Ints
    output: Ints
    """Index of the output of the source; or -1 - i if the output was written by name, as `keys[i]`."""

    control: Flags
    """True for control edges: the target waits, no tensor flows."""

    reference: Flags
    """True if the target changes the source in place, as an assignment does."""

    keys: tuple[str, ...] = ()
    """Outputs by name, as functions use them: `z:0`."""

    def __len__(self) -> int:
        return len(self.source)

    def at(self, rows: npt.NDArray[np.intp] | Flags) -> Edges:
        """Return the edges of some rows."""
        return Edges(
            self.source[rows],
            self.target[rows],
            self.output[rows],
            self.control[rows],
            self.reference[rows],
            self.keys,
        )

    def and_also(self, more: Edges) -> Edges:
        """Return these edges followed by others with the same `keys`."""
        return Edges(
            np.concatenate((self.source, more.source)),
            np.concatenate((self.target, more.target)),
            np.concatenate((self.output, more.output)),
            np.concatenate((self.control, more.control)),
            np.concatenate((self.reference, more.reference)),
            self.keys,
        )


class RowIndex:
    """Index from a number to the rows of a column that hold it, in the order of the rows."""

    def __init__(self, column: Ints, count: int) -> None:
        """Index a column that holds numbers below `count`."""
        self.rows = np.argsort(column, kind="stable")
        self.bounds = np.searchsorted(column[self.rows], np.arange(count + 1))

    def of(self, number: int) -> npt.NDArray[np.intp]:
        """Return the rows in which the column holds a number."""
        return self.rows[self.bounds[number] : self.bounds[number + 1]]


_MODULE_ATTRIBUTE_OP = "prim::GetAttr"
"""PyTorch operation for a parameter. Its input is the module that owns it, which `torch.utils.tensorboard` omits.

Only tensors get nodes (`_pytorch_graph.py`, `CLASSTYPE_KIND`), so this input is never reported as missing.
"""


class EdgeCollector:
    """Collects edges, one group of nodes after another; nodes of a group refer to each other by name."""

    def __init__(self) -> None:
        self.missing: dict[int, list[str]] = {}
        """Inputs that name no node, by the node that has them."""

        self._edges: list[tuple[int, int, int, bool, bool]] = []
        self._keys: dict[str, int] = {}

    def read(
        self, rows: Iterable[int], inputs: Sequence[Sequence[str]], ops: Sequence[str], nodes: Mapping[str, int]
    ) -> None:
        """Add the edges into `rows`, whose inputs use the names of `nodes`.

        Skips self-loops, and an input that repeats the tensor of the input before it.
        """
        known: dict[str, tuple[int, int, bool]] = {}
        writing = {op for op in set(ops) if _WRITE_OPS.fullmatch(op)}
        for target in rows:
            before = None
            for position, text in enumerate(inputs[target]):
                tensor = known.get(text)
                if tensor is None:
                    tensor = known[text] = self._tensor(text, nodes)
                source, output, control = tensor
                if source == NO_NODE and ops[target] == _MODULE_ATTRIBUTE_OP:
                    continue
                if source == NO_NODE:
                    self.missing.setdefault(target, []).append(text)
                elif source != target and tensor != before:
                    reference = not position and not control and ops[target] in writing
                    self._edges.append((source, target, output, control, reference))
                before = tensor

    def edges(self) -> Edges:
        """Return all collected edges."""
        columns = np.array(self._edges, np.int32).reshape(-1, 5).T
        source, target, output = (np.ascontiguousarray(column) for column in columns[:3])
        return Edges(source, target, output, columns[3] != 0, columns[4] != 0, tuple(self._keys))

    def _tensor(self, text: str, nodes: Mapping[str, int]) -> tuple[int, int, bool]:
        """Return the node, the output, and True for a control input."""
        node = nodes.get(text)
        if node is not None:
            return node, 0, False
        if text.startswith("^"):
            return node_of(text[1:], nodes), 0, True
        match = _OUTPUT.fullmatch(text)
        node = nodes.get(match[1]) if match else None
        if match is None or node is None:
            return NO_NODE, 0, False
        _, key, index = match.groups()
        if key is None:
            return node, int(index), False
        return node, -1 - self._keys.setdefault(key + index, len(self._keys)), False


def node_of(text: str, nodes: Mapping[str, int]) -> int:
    """Return the node that `name`, `name:1` or `name:out:0` is an output of; `NO_NODE` if there is no such node.

    Nothing forbids a colon in a name, so the whole text is tried as a name first.
    """
    node = nodes.get(text)
    if node is None and (match := _OUTPUT.fullmatch(text)):
        node = nodes.get(match[1])
    return NO_NODE if node is None else node


class Adjacency:
    """Edges by their end nodes, and embedded nodes by host. Each index is built on first use."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def edges_into(self, node: int) -> Indices:
        """Return rows of `edges` that lead to a node, in the order of its inputs."""
        return self._into.of(node)

    def edges_out_of(self, node: int) -> Indices:
        """Return rows of `edges` that leave a node, in the order of their readers."""
        return self._out_of.of(node)

    def embedded_beside(self, node: int) -> Ints:
        """Return nodes embedded in a node, and constants that it reads but that are embedded elsewhere."""
        rows, others = self._beside
        return others[rows.of(node)]

    @cached_property
    def _into(self) -> RowIndex:
        return RowIndex(self._graph.edges.target, len(self._graph.names))

    @cached_property
    def _out_of(self) -> RowIndex:
        return RowIndex(self._graph.edges.source, len(self._graph.names))

    @cached_property
    def _beside(self) -> tuple[RowIndex, Ints]:
        edges, host, count = self._graph.edges, self._graph.host, len(self._graph.names)
        read = (host[edges.source] >= 0) & (host[edges.target] < 0)
        embedded = np.flatnonzero((host >= 0) & (host != np.arange(count)))
        nodes = np.concatenate((host[embedded], edges.target[read]))
        others = np.concatenate((embedded, edges.source[read]))
        pairs = np.unique(np.stack((nodes, self._graph.rank[others], others), axis=1), axis=0)
        return RowIndex(pairs[:, 0], count), pairs[:, 2].astype(np.int32)


_CONSTANT = "Const"
"""Part of the operation name of constants; matches `prim::Constant` too."""

_SUMMARY = re.compile(r"[a-zA-Z]+Summary")
_MAX_CHAIN = 32
"""Maximum length of a chain of embedded nodes (constants of summaries of constants …)."""

MAX_MOVED_EDGES = 1_000_000
"""Maximum number of edges that are made of the inputs of constants."""


def constants_and_summaries(ops: Sequence[str], never: Collection[int]) -> tuple[Flags, Flags]:
    """Return flags for constants and for summaries; nodes in `never` are neither."""
    kinds = {op: 1 if _CONSTANT in op else 2 if _SUMMARY.fullmatch(op) else 0 for op in set(ops)}
    kind = np.array([kinds[op] for op in ops], np.int8)
    kind[list(never)] = 0
    return kind == 1, kind == 2


def embedding_hosts(edges: Edges, constant: Flags, summary: Flags) -> Ints:
    """Return the node that each node is embedded in; -1 if it is not embedded, itself if it has no host.

    A constant is embedded in the first node that reads it. A summary is embedded in its last input that is not embedded
    itself: the inputs before are its name, a writer and a step. If all inputs are embedded, their host is used.
    """
    host = np.full(len(constant), -1, np.int32)
    embedded = constant | summary
    if not embedded.any():
        return host
    # The last assignment wins, so edges with data come after control edges.
    waits, flows = np.flatnonzero(edges.control), np.flatnonzero(~edges.control)
    reads = np.concatenate((waits[::-1], flows[::-1]))
    reads = reads[constant[edges.source[reads]]]
    is_of = np.concatenate((waits, flows))
    is_of = is_of[summary[edges.target[is_of]]]
    small = np.concatenate((edges.source[reads], edges.target[is_of]))
    other = np.concatenate((edges.target[reads], edges.source[is_of]))
    for _ in range(_MAX_CHAIN):
        place = np.where(embedded[other], host[other], other)
        found = place >= 0
        if not found.any():
            break
        host[small[found]] = place[found]
        open_still = ~found & (host[small] < 0)
        small, other = small[open_still], other[open_still]
    alone = embedded & (host < 0)
    host[alone] = np.flatnonzero(alone)
    return host


def flow_edges(edges: Edges, constant: Flags, embedded: Flags) -> tuple[Edges, bool]:
    """Return the edges between nodes that are not embedded, and False if some had to be left out.

    The control inputs of a constant become control inputs of the nodes that read it.
    """
    plain = edges.at(~embedded[edges.source] & ~embedded[edges.target])
    into = edges.at(constant[edges.target] & ~embedded[edges.source])
    out_of = edges.at(constant[edges.source] & ~embedded[edges.target])
    if not len(into) or not len(out_of):
        return plain, True
    out_of = out_of.at(np.argsort(out_of.source, kind="stable"))
    first = np.searchsorted(out_of.source, into.target, "left")
    count = np.searchsorted(out_of.source, into.target, "right") - first
    total = int(count.sum())
    if total > MAX_MOVED_EDGES:
        return plain, False
    which = np.repeat(np.arange(len(into)), count)
    readers = np.arange(total) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)
    moved = replace(into.at(which), target=out_of.target[readers])
    return plain.and_also(moved.at(moved.source != moved.target)), True
