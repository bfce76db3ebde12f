"""Edges collected to links: what flows between two boxes, in one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.graphs.labels import elements, tensors_text

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.graphs.graph import Graph

    Indices: TypeAlias = npt.NDArray[np.intp]
    Boxes: TypeAlias = npt.NDArray[np.integer[Any]]

MEASURED = 16
"""Tensors of one link whose shapes are asked for; the others are taken to be as large as these on average."""


@dataclass(frozen=True, slots=True, eq=False)
class Collected:
    """Links, sorted by the box that they come from, then by the box that they lead to."""

    source: Boxes
    target: Boxes
    control: npt.NDArray[np.bool_]
    """Nothing flows along it."""

    first: Indices
    """Index into `tensors` of the first that flows; those of the next link begin where its own end."""

    tensors: list[tuple[int, int]]
    """Node and output, as in `Edges`; each once in a link."""

    def bounds(self, link: int) -> tuple[int, int]:
        """Of its tensors."""
        end = int(self.first[link + 1]) if link + 1 < len(self.first) else len(self.tensors)
        return int(self.first[link]), end

    def told(self, link: int, graph: Graph | None) -> tuple[str, float]:
        """`32×10` or `3 tensors`, and how many numbers flow, at least 1; no words where nothing is known of them.

        Without a graph, which knows the shapes, each tensor counts as one number.
        """
        begin, end = self.bounds(link)
        if begin == end:
            return "", 1.0
        if graph is None:
            return "", float(end - begin)
        shapes = [graph.tensor(*tensor) for tensor in self.tensors[begin : min(end, begin + MEASURED)]]
        size = sum(map(elements, shapes)) * (end - begin) / len(shapes)
        return tensors_text(end - begin, shapes[0]), max(1.0, size)


def collect(graph: Graph, edges: Indices, source: Boxes, target: Boxes) -> Collected:
    """Collect edges of `graph.flow` between boxes.

    Args:
        graph: The graph.
        edges: Rows of its `flow`.
        source: Box that each comes from; any numbers.
        target: Box that each leads to.
    """
    flow = graph.flow
    node, output, control = flow.source[edges], flow.output[edges], flow.control[edges]
    order = np.lexsort((np.where(control, 0, output), np.where(control, 0, node), ~control, target, source))
    source, target, node, output, control = source[order], target[order], node[order], output[order], control[order]
    new_link = _changes(source, target)
    # Edges that wait come first in a link and are no tensors; of edges from the same output one is.
    new_tensor = (new_link | _changes(control, node, output)) & ~control
    starts = np.flatnonzero(new_link)
    first: Indices = (np.cumsum(new_tensor) - new_tensor)[starts]
    tensors = list(zip(node[new_tensor].tolist(), output[new_tensor].tolist(), strict=True))
    counts = np.diff(np.append(first, len(tensors)))
    return Collected(source[starts], target[starts], counts == 0, first, tensors)


def untold(source: Boxes, target: Boxes) -> Collected:
    """Links along which something flows of which nothing more is told."""
    return Collected(source, target, np.zeros(len(source), np.bool_), np.zeros(len(source), np.intp), [])


def _changes(*columns: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    """Rows that differ from the row before, and the first."""
    changed = np.zeros(len(columns[0]), np.bool_)
    changed[:1] = True
    for column in columns:
        changed[1:] |= column[1:] != column[:-1]
    return changed
