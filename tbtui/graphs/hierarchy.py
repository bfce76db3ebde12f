"""A graph as scopes within scopes, by the names of its nodes.

The rules are TensorBoard's (`tf_graph_common/hierarchy.ts`): a `/` in a name is a scope; a node `A` beside nodes
`A/...` is `A/(A)` inside of the scope `A`; five or more nodes of one operation in one scope whose names are numbered
without a gap are a series `prefix[1-5]`, shown as one until it is taken apart. Embedded nodes make no scopes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections import Counter

    from tbtui.graphs.graph import Graph
    from tbtui.graphs.written import Shape

Ints: TypeAlias = "npt.NDArray[np.int32]"


class Hierarchy:
    """Items are numbers: the nodes of the graph (`0 .. nodes - 1`), then scopes, then series, then copies.

    Copies are what is seen inside of the call of a function: the nodes, scopes and series of its body once more, so that
    two calls of one function are opened one by one. They are in no sum and are not found; `original` tells of what.

    Every item but `root` and `library` has one parent. Members of a series have the series as their parent.
    Immutable: any thread may ask.
    """

    graph: Graph
    nodes: int
    """How many nodes the graph has."""

    root: int
    library: int
    """The scope that holds the functions; -1 without any. It has no parent and its sums are not in the root's."""

    parent: Ints
    """Of each item; -1 of `root` and `library`. Of an embedded node the node it is embedded in."""

    inside: npt.NDArray[np.int64]
    """How many nodes are in each item, itself if it is one; embedded ones are not counted, as by TensorBoard."""

    parameters: npt.NDArray[np.int64]
    """How many trained numbers its nodes hold; embedded ones' too."""

    original: Ints
    """What an item is a copy of; itself if it is none."""

    def __init__(self, graph: Graph) -> None:
        """Read the names: about 5 µs a node."""
        raise NotImplementedError

    def __len__(self) -> int:
        """How many items there are."""
        return len(self.parent)

    def name(self, item: int) -> str:
        """In full, such as `dense/MatMul` or `dense/w/(w)`; no two items of the graph have the same one."""
        raise NotImplementedError

    def leaf(self, item: int) -> str:
        """The last part of its name; of a function the name without `__function_library__`; never empty."""
        raise NotImplementedError

    def kind(self, item: int) -> str:
        """`op`, `scope`, `series`, `function` (a body in the library, or a call), `input`, `output` or `layer`."""
        raise NotImplementedError

    def op(self, item: int) -> str:
        """Its operation or class as written; of a series that of its members; empty for scopes."""
        raise NotImplementedError

    def children(self, item: int, apart: bool = False) -> Ints:
        """What is directly in it, as written, without embedded nodes; a series in place of its members.

        Empty for what cannot be opened. With `apart` the members themselves. The call of a function holds its body.
        """
        raise NotImplementedError

    def embedded(self, item: int) -> Ints:
        """Constants and summaries embedded in a node; of a scope those that are embedded nowhere."""
        raise NotImplementedError

    def opens(self, item: int) -> bool:
        """Whether it has children."""
        raise NotImplementedError

    def node(self, item: int) -> int:
        """The node of the graph that it is, copies included, for its attributes; -1 for scopes and series."""
        raise NotImplementedError

    def under(self, item: int) -> Ints:
        """All nodes in it at any depth, embedded ones too; itself if it is one."""
        raise NotImplementedError

    def op_counts(self, item: int) -> Counter[str]:
        """How often each operation occurs in it, as `inside` counts."""
        raise NotImplementedError

    def devices(self, item: int) -> Counter[str]:
        """How many nodes in it are on each device; those without one are under the empty name."""
        raise NotImplementedError

    def shapes(self, item: int) -> tuple[Shape | None, ...]:
        """Of the outputs of a node; of a scope or series, of the tensors in it that are read outside of it."""
        raise NotImplementedError

    def path(self, item: int) -> tuple[int, ...]:
        """From `root` (or `library`) down to the item itself."""
        raise NotImplementedError

    def item_of(self, name: str) -> int | None:
        """The item of this name in full; a scope before a node that is not called `A/(A)`."""
        raise NotImplementedError

    def node_of(self, name: str) -> int | None:
        """The node that was written under this name, by which run metadata knows it: `A` finds `A/(A)`."""
        raise NotImplementedError

    @property
    def template(self) -> Ints:
        """Scopes that look alike inside have the same number, from 0 in the order of their size; -1 for all others."""
        raise NotImplementedError
