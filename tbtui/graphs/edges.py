"""Edges of a graph as columns, from the inputs of its nodes as they are written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    Ints: TypeAlias = npt.NDArray[np.int32]
    Flags: TypeAlias = npt.NDArray[np.bool_]

NONE = -1
"""In place of the node of an input that no node is called."""

_OUTPUT = re.compile(r"([^:]+):(\w+:)?([0-9]{1,9})", re.ASCII)

_WRITES = re.compile(r"(resource_?)?(assign|scatter)\w*|count_?up_?to", re.ASCII | re.IGNORECASE)
"""Operations that write to what their first input refers to; old files spell `AssignAdd` as `assign_add`."""


@frozen(eq=False)
class Edges:
    """One entry for each edge, in the order of the nodes that they lead to and of these nodes' inputs."""

    source: Ints
    target: Ints
    output: Ints
    """Which output of the source it comes from: its index, or -1 - i where it was written as `keys[i]`."""

    control: Flags
    """Only waited for."""

    reference: Flags
    """The source is changed in place, as by an assignment."""

    keys: tuple[str, ...] = ()
    """Outputs by name, as functions have them: `z:0`."""

    def __len__(self) -> int:
        """How many edges there are."""
        return len(self.source)

    def at(self, rows: npt.NDArray[np.intp] | Flags) -> Edges:
        """Some of them."""
        return Edges(
            self.source[rows],
            self.target[rows],
            self.output[rows],
            self.control[rows],
            self.reference[rows],
            self.keys,
        )

    def and_also(self, more: Edges) -> Edges:
        """These, then others with the same `keys`."""
        return Edges(
            np.concatenate((self.source, more.source)),
            np.concatenate((self.target, more.target)),
            np.concatenate((self.output, more.output)),
            np.concatenate((self.control, more.control)),
            np.concatenate((self.reference, more.reference)),
            self.keys,
        )


class Rows:
    """Rows by what is in a column of them, in the order that they have."""

    def __init__(self, column: Ints, count: int) -> None:
        """Index a column that holds numbers below `count`."""
        self.rows = np.argsort(column, kind="stable")
        self.bounds = np.searchsorted(column[self.rows], np.arange(count + 1))

    def of(self, number: int) -> npt.NDArray[np.intp]:
        """Rows in which the column holds a number."""
        return self.rows[self.bounds[number] : self.bounds[number + 1]]


_OF_MODULE = "prim::GetAttr"
"""PyTorch's, of a parameter. Its input is the module that has it, which `torch.utils.tensorboard` leaves out: there are
nodes of tensors only (`_pytorch_graph.py`, `CLASSTYPE_KIND`)."""


class EdgeReader:
    """Collects edges, one group of nodes after the other that know each other by name."""

    def __init__(self) -> None:
        self.missing: dict[int, list[str]] = {}
        """Inputs that name nothing though they should, by the node that has them."""

        self._edges: list[tuple[int, int, int, bool, bool]] = []
        self._keys: dict[str, int] = {}

    def read(
        self, rows: Iterable[int], inputs: Sequence[Sequence[str]], ops: Sequence[str], nodes: Mapping[str, int]
    ) -> None:
        """Add what leads to each of `rows`, whose inputs are called as in `nodes`.

        One that follows another from the same output is the same; from a node to itself there is none.
        """
        known: dict[str, tuple[int, int, bool]] = {}
        writing = {op for op in set(ops) if _WRITES.fullmatch(op)}
        for target in rows:
            before = None
            for position, text in enumerate(inputs[target]):
                tensor = known.get(text)
                if tensor is None:
                    tensor = known[text] = self._tensor(text, nodes)
                source, output, control = tensor
                if source == NONE and ops[target] == _OF_MODULE:
                    continue
                if source == NONE:
                    self.missing.setdefault(target, []).append(text)
                elif source != target and tensor != before:
                    reference = not position and not control and ops[target] in writing
                    self._edges.append((source, target, output, control, reference))
                before = tensor

    def edges(self) -> Edges:
        """All that were collected."""
        columns = np.array(self._edges, np.int32).reshape(-1, 5).T
        source, target, output = (np.ascontiguousarray(column) for column in columns[:3])
        return Edges(source, target, output, columns[3] != 0, columns[4] != 0, tuple(self._keys))

    def _tensor(self, text: str, nodes: Mapping[str, int]) -> tuple[int, int, bool]:
        """Node, output and whether it is only waited for."""
        node = nodes.get(text)
        if node is not None:
            return node, 0, False
        if text.startswith("^"):
            return node_of(text[1:], nodes), 0, True
        match = _OUTPUT.fullmatch(text)
        node = nodes.get(match[1]) if match else None
        if match is None or node is None:
            return NONE, 0, False
        _, key, index = match.groups()
        if key is None:
            return node, int(index), False
        return node, -1 - self._keys.setdefault(key + index, len(self._keys)), False


def node_of(text: str, nodes: Mapping[str, int]) -> int:
    """The node that `name`, `name:1` or `name:out:0` is an output of; `NONE` without one.

    A name that has a colon in it, which no rule forbids, is taken for itself first.
    """
    node = nodes.get(text)
    if node is None and (match := _OUTPUT.fullmatch(text)):
        node = nodes.get(match[1])
    return NONE if node is None else node
