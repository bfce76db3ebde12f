"""Edges of a graph as columns, read from the inputs of its nodes, and the hosts of embedded nodes."""

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
"""Number in place of a node that does not exist."""

_OUTPUT = re.compile(r"([^:]+):(\w+:)?([0-9]{1,9})", re.ASCII)

_WRITE_OPS = re.compile(r"(resource_?)?(assign|scatter)\w*|count_?up_?to", re.ASCII | re.IGNORECASE)
"""Operations that change the variable of their first input; old files spell `AssignAdd` as `assign_add`."""


@frozen(eq=False)
class Edges:
    """Edges as columns, ordered by their target node and by the position of the input."""

    source: Ints
    target: Ints
    output: Ints
    """Index of the output of the source. A negative number stands for an output by name; see `get_output_name`."""

    is_control: Flags
    """True for control edges: the target waits, no tensor flows."""

    changes_source: Flags
    """True if the target changes the source in place, as an assignment does."""

    keys: tuple[str, ...] = ()
    """Outputs by name, as functions use them: `z:0`."""

    def __len__(self) -> int:
        return len(self.source)

    def get_output_name(self, output: int) -> str | None:
        """Return the name of an output that was written by name, such as `z:0`; None for an index."""
        return None if output >= 0 else self.keys[_swap_index_and_code(output)]

    def select(self, rows: npt.NDArray[np.intp] | Flags) -> Edges:
        """Return the edges of these rows."""
        return Edges(
            self.source[rows],
            self.target[rows],
            self.output[rows],
            self.is_control[rows],
            self.changes_source[rows],
            self.keys,
        )

    def concatenate(self, more: Edges) -> Edges:
        """Return these edges, then others with the same `keys`."""
        return Edges(
            np.concatenate((self.source, more.source)),
            np.concatenate((self.target, more.target)),
            np.concatenate((self.output, more.output)),
            np.concatenate((self.is_control, more.is_control)),
            np.concatenate((self.changes_source, more.changes_source)),
            self.keys,
        )


def _swap_index_and_code(number: int) -> int:
    """Return the negative code of an index of `Edges.keys`, or the index of a code."""
    return -1 - number


class RowIndex:
    """Index from a number to the rows of a column that hold it, in the order of the rows."""

    def __init__(self, column: Ints, count: int) -> None:
        """Index a column that holds numbers below `count`."""
        self.rows = np.argsort(column, kind="stable")
        self.bounds = np.searchsorted(column[self.rows], np.arange(count + 1))

    def find_rows(self, number: int) -> npt.NDArray[np.intp]:
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
        """Inputs that name no node, by the node that reads them."""

        self._edges: list[tuple[int, int, int, bool, bool]] = []
        self._keys: dict[str, int] = {}

    def read(
        self, rows: Iterable[int], inputs: Sequence[Sequence[str]], ops: Sequence[str], nodes: Mapping[str, int]
    ) -> None:
        """Add the edges into `rows`, whose inputs use the names of `nodes`.

        Skips self-loops, and an input that repeats the tensor of the input before it.
        """
        tensors: dict[str, tuple[int, int, bool]] = {}
        write_ops = {op for op in set(ops) if _WRITE_OPS.fullmatch(op)}
        for target in rows:
            previous = None
            for position, text in enumerate(inputs[target]):
                tensor = tensors.get(text)
                if tensor is None:
                    tensor = tensors[text] = self._parse_input(text, nodes)
                source, output, control = tensor
                if source == NO_NODE and ops[target] == _MODULE_ATTRIBUTE_OP:
                    continue
                if source == NO_NODE:
                    self.missing.setdefault(target, []).append(text)
                elif source != target and tensor != previous:
                    changes_source = not position and not control and ops[target] in write_ops
                    self._edges.append((source, target, output, control, changes_source))
                previous = tensor

    def edges(self) -> Edges:
        """Return all collected edges."""
        columns = np.array(self._edges, np.int32).reshape(-1, 5).T
        source, target, output = (np.ascontiguousarray(column) for column in columns[:3])
        return Edges(source, target, output, columns[3] != 0, columns[4] != 0, tuple(self._keys))

    def _parse_input(self, text: str, nodes: Mapping[str, int]) -> tuple[int, int, bool]:
        """Return the node, the output, and True for a control input."""
        node = nodes.get(text)
        if node is not None:
            return node, 0, False
        if text.startswith("^"):
            return find_node(text[1:], nodes), 0, True
        match = _OUTPUT.fullmatch(text)
        node = nodes.get(match[1]) if match else None
        if match is None or node is None:
            return NO_NODE, 0, False
        _, key, index = match.groups()
        if key is None:
            return node, int(index), False
        return node, _swap_index_and_code(self._keys.setdefault(key + index, len(self._keys))), False


def find_node(text: str, nodes: Mapping[str, int]) -> int:
    """Return the node that `name`, `name:1` or `name:out:0` is an output of; `NO_NODE` if there is no such node.

    A name may contain a colon, so the complete text is tried as a name first.
    """
    node = nodes.get(text)
    if node is None and (match := _OUTPUT.fullmatch(text)):
        node = nodes.get(match[1])
    return NO_NODE if node is None else node


class Adjacency:
    """Edges by their end nodes, and embedded nodes by host. Each index is built on first use."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def find_edges_into(self, node: int) -> Indices:
        """Return rows of `edges` that lead to a node, in the order of its inputs."""
        return self._by_target.find_rows(node)

    def find_edges_out_of(self, node: int) -> Indices:
        """Return rows of `edges` that leave a node, in the order of their readers."""
        return self._by_source.find_rows(node)

    def find_attached_nodes(self, node: int) -> Ints:
        """Return nodes embedded in a node, and constants that it reads but that are embedded elsewhere."""
        rows, attached = self._attached
        return attached[rows.find_rows(node)]

    @cached_property
    def _by_target(self) -> RowIndex:
        return RowIndex(self._graph.edges.target, len(self._graph.names))

    @cached_property
    def _by_source(self) -> RowIndex:
        return RowIndex(self._graph.edges.source, len(self._graph.names))

    @cached_property
    def _attached(self) -> tuple[RowIndex, Ints]:
        edges, host, count = self._graph.edges, self._graph.host, len(self._graph.names)
        is_read = (host[edges.source] >= 0) & (host[edges.target] < 0)
        embedded = np.flatnonzero((host >= 0) & (host != np.arange(count)))
        nodes = np.concatenate((host[embedded], edges.target[is_read]))
        attached = np.concatenate((embedded, edges.source[is_read]))
        pairs = np.unique(np.stack((nodes, self._graph.rank[attached], attached), axis=1), axis=0)
        return RowIndex(pairs[:, 0], count), pairs[:, 2].astype(np.int32)


_CONSTANT = "Const"
"""Part of the operation name of constants; matches `prim::Constant` too."""

_SUMMARY = re.compile(r"[a-zA-Z]+Summary")
_MAX_CHAIN = 32
"""Maximum length of a chain of embedded nodes (constants of summaries of constants …)."""

MAX_MOVED_EDGES = 1_000_000
"""Maximum number of edges that replace the inputs of constants."""


def find_constants_and_summaries(ops: Sequence[str], never: Collection[int]) -> tuple[Flags, Flags]:
    """Return flags for constants and for summaries; nodes in `never` are neither."""
    kinds = {op: 1 if _CONSTANT in op else 2 if _SUMMARY.fullmatch(op) else 0 for op in set(ops)}
    kind = np.array([kinds[op] for op in ops], np.int8)
    kind[list(never)] = 0
    return kind == 1, kind == 2


def find_embedding_hosts(edges: Edges, constant: Flags, summary: Flags) -> Ints:
    """Return the node that each node is embedded in: `NO_NODE` if it is not embedded, itself if none can hold it.

    A constant is embedded in the first node that reads it. A summary is embedded in its last input that is not embedded
    itself: the inputs before are its name, a writer and a step. If all inputs are embedded, their host is used.
    """
    host = np.full(len(constant), NO_NODE, np.int32)
    embedded = constant | summary
    if not embedded.any():
        return host
    # The last assignment wins, so edges with data come after control edges.
    control_edges, data_edges = np.flatnonzero(edges.is_control), np.flatnonzero(~edges.is_control)
    constant_reads = np.concatenate((control_edges[::-1], data_edges[::-1]))
    constant_reads = constant_reads[constant[edges.source[constant_reads]]]
    summary_inputs = np.concatenate((control_edges, data_edges))
    summary_inputs = summary_inputs[summary[edges.target[summary_inputs]]]
    guests = np.concatenate((edges.source[constant_reads], edges.target[summary_inputs]))
    others = np.concatenate((edges.target[constant_reads], edges.source[summary_inputs]))
    for _ in range(_MAX_CHAIN):
        candidates = np.where(embedded[others], host[others], others)
        has_host = candidates >= 0
        if not has_host.any():
            break
        host[guests[has_host]] = candidates[has_host]
        is_open = ~has_host & (host[guests] < 0)
        guests, others = guests[is_open], others[is_open]
    is_alone = embedded & (host < 0)
    host[is_alone] = np.flatnonzero(is_alone)
    return host


def select_flow_edges(edges: Edges, constant: Flags, embedded: Flags) -> tuple[Edges, bool]:
    """Return the edges between nodes that are not embedded, and True if they are complete.

    The control inputs of a constant become control inputs of the nodes that read it, unless these are more than
    `MAX_MOVED_EDGES`.
    """
    plain = edges.select(~embedded[edges.source] & ~embedded[edges.target])
    inputs = edges.select(constant[edges.target] & ~embedded[edges.source])
    reads = edges.select(constant[edges.source] & ~embedded[edges.target])
    if not len(inputs) or not len(reads):
        return plain, True
    reads = reads.select(np.argsort(reads.source, kind="stable"))
    first = np.searchsorted(reads.source, inputs.target, "left")
    count = np.searchsorted(reads.source, inputs.target, "right") - first
    total = int(count.sum())
    if total > MAX_MOVED_EDGES:
        return plain, False
    input_rows = np.repeat(np.arange(len(inputs)), count)
    read_rows = np.arange(total) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)
    moved = replace(inputs.select(input_rows), target=reads.target[read_rows])
    return plain.concatenate(moved.select(moved.source != moved.target)), True
