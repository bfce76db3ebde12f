"""Which items of a hierarchy have a name or an operation that matches, or are on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Set

    from tbtui.graphs.hierarchy import Hierarchy

Ints: TypeAlias = "npt.NDArray[np.int32]"


class Pattern(Protocol):
    """A compiled regular expression, of either package."""

    def search(self, string: str, /, *, timeout: float | None = None) -> object | None:
        """Whether and where it is found; `TimeoutError` after so many seconds."""


def in_tree_order(hierarchy: Hierarchy) -> Ints:
    """All items but copies in the order in which a tree with everything opened shows them, embedded ones after theirs."""
    raise NotImplementedError


def found(
    hierarchy: Hierarchy,
    pattern: Pattern | None = None,
    *,
    devices: Set[str] | None = None,
    ops: Set[str] | None = None,
) -> Ints:
    """Items in tree order that match everything asked for; without copies.

    Args:
        hierarchy: Where to look; embedded nodes are found too.
        pattern: Searched in full names and in operations. None asks for nothing.
        devices: Only nodes on one of these; the empty one is that of nodes without. None asks for nothing.
        ops: Only nodes of one of these operations. None asks for nothing.

    Raises:
        TimeoutError: The pattern takes longer than a quarter of a second over all.
    """
    raise NotImplementedError
