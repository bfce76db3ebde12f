"""What is next to each node of a graph."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.graphs.edges import Rows

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.graphs.graph import Graph

    Ints: TypeAlias = npt.NDArray[np.int32]
    Indices: TypeAlias = npt.NDArray[np.intp]


class Adjacency:
    """Rows of the edges of a graph by their ends, and what is embedded; each found out when first asked for."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def edges_into(self, node: int) -> Indices:
        """Rows of `edges` that lead to a node, as its inputs are written."""
        return self._into.of(node)

    def edges_out_of(self, node: int) -> Indices:
        """Rows of `edges` that come from a node, as what reads it is written."""
        return self._out_of.of(node)

    def embedded_beside(self, node: int) -> Ints:
        """What is embedded in a node, and constants that it reads though they are embedded in another one."""
        rows, others = self._beside
        return others[rows.of(node)]

    @cached_property
    def _into(self) -> Rows:
        return Rows(self._graph.edges.target, len(self._graph.names))

    @cached_property
    def _out_of(self) -> Rows:
        return Rows(self._graph.edges.source, len(self._graph.names))

    @cached_property
    def _beside(self) -> tuple[Rows, Ints]:
        edges, host, count = self._graph.edges, self._graph.host, len(self._graph.names)
        read = (host[edges.source] >= 0) & (host[edges.target] < 0)
        embedded = np.flatnonzero((host >= 0) & (host != np.arange(count)))
        nodes = np.concatenate((host[embedded], edges.target[read]))
        others = np.concatenate((embedded, edges.source[read]))
        pairs = np.unique(np.stack((nodes, self._graph.rank[others], others), axis=1), axis=0)
        return Rows(pairs[:, 0], count), pairs[:, 2].astype(np.int32)
