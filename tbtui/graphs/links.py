"""Edges collected to links: what flows between two boxes, in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.graphs.labels import elements, tensors_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.graphs.diagram import Tensor
    from tbtui.graphs.graph import Graph

    Indices: TypeAlias = npt.NDArray[np.intp]
    Boxes: TypeAlias = npt.NDArray[np.integer[Any]]

MEASURED = 16
"""Tensors of one link whose shapes are asked for; the others are taken to be as large as these on average."""


WAITED = int(np.iinfo(np.int32).min)
"""In place of the output of a node that is only waited for."""


@frozen(eq=False)
class Collected:
    """Links, sorted by the box that they come from, then by the box that they lead to."""

    source: Boxes
    target: Boxes
    control: npt.NDArray[np.bool_]
    """Nothing flows along it."""

    first: Indices
    """Index into `tensors` of the first of each link; those of the next one begin where its own end."""

    waits: Indices
    """How many of them are only waited for; these come first."""

    tensors: list[Tensor]
    """Node and output, as in `Edges`, or `WAITED`; each once in a link."""

    def carries(self, link: int) -> tuple[Tensor, ...]:
        """All that a link stands for."""
        return tuple(self.tensors[self.first[link] : self._end(link)])

    def _end(self, link: int) -> int:
        return int(self.first[link + 1]) if link + 1 < len(self.first) else len(self.tensors)

    def told(self, link: int, graph: Graph | None) -> tuple[str, float]:
        """`32×10` or `3 tensors`, and how many numbers flow, at least 1; no words where nothing is known of them.

        Without a graph, which knows the shapes, each tensor counts as one number.
        """
        begin, end = int(self.first[link] + self.waits[link]), self._end(link)
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
    node, control = flow.source[edges], flow.control[edges]
    output = np.where(control, WAITED, flow.output[edges])
    order = np.lexsort((output, node, ~control, target, source))
    source, target, node, output, control = source[order], target[order], node[order], output[order], control[order]
    new_link = _changes(source, target)
    # Edges that wait come first in a link; of edges from the same output one is a tensor.
    new_tensor = new_link | _changes(node, output)
    starts = np.flatnonzero(new_link)
    first: Indices = (np.cumsum(new_tensor) - new_tensor)[starts]
    tensors = list(zip(node[new_tensor].tolist(), output[new_tensor].tolist(), strict=True))
    flows = np.append(0, np.cumsum(~control[new_tensor]))
    ends = np.append(first[1:], len(tensors))
    counts = flows[ends] - flows[first]
    return Collected(source[starts], target[starts], counts == 0, first, ends - first - counts, tensors)


def carrying(links: Sequence[tuple[int, int, Sequence[Tensor]]]) -> Collected:
    """Links of which it is known what flows along them: nothing more is told of those that carry nothing."""
    ends = np.array([(source, target) for source, target, _ in links], np.intp).reshape(-1, 2)
    counts = np.array([len(tensors) for _, _, tensors in links], np.intp)
    none = np.zeros(len(links), np.intp)
    tensors = [tensor for _, _, some in links for tensor in some]
    return Collected(ends[:, 0], ends[:, 1], none != 0, np.cumsum(counts) - counts, none, tensors)


def _changes(*columns: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    """Rows that differ from the row before, and the first."""
    changed = np.zeros(len(columns[0]), np.bool_)
    changed[:1] = True
    for column in columns:
        changed[1:] |= column[1:] != column[:-1]
    return changed
