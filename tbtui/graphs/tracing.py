"""Where the inputs of an item come from and where its outputs go."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tbtui.graphs.hierarchy import Hierarchy


class Neighbour(NamedTuple):
    """An item from which or to which something flows."""

    item: int
    label: str
    """Such as `32×10`, `scalar` or `3 tensors`; empty where no shape was written."""

    control: bool
    """Only waited for: nothing flows."""


def inputs(hierarchy: Hierarchy, item: int) -> tuple[Neighbour, ...]:
    """What flows into an item, in the order as written, embedded constants too.

    Of a node: each of its inputs. Of a scope or series: the boxes that lead to it, or to a scope around it, as drawn.
    """
    raise NotImplementedError


def outputs(hierarchy: Hierarchy, item: int) -> tuple[Neighbour, ...]:
    """What an item flows into, likewise; embedded summaries too."""
    raise NotImplementedError


def missing_inputs(hierarchy: Hierarchy, item: int) -> tuple[str, ...]:
    """Inputs of a node that no node of the graph is called, as written."""
    raise NotImplementedError


def traced_inputs(hierarchy: Hierarchy, item: int) -> npt.NDArray[np.bool_]:
    """For each item, whether it or something in it leads to `item` through any number of nodes; `item` is in it too."""
    raise NotImplementedError


def way_to_output(hierarchy: Hierarchy, item: int) -> tuple[int, ...]:
    """The shortest way, node by node, from an item to an output of the graph, both ends included.

    An output is what is marked as one; where none can be reached, the last one written of which nothing reads the value.
    Empty where the item holds no node.
    """
    raise NotImplementedError
