"""What is inside of the calls of functions: a copy of the body each, so that they are opened one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.graphs.graph import Graph
    from tbtui.graphs.order import Order

    Ints: TypeAlias = npt.NDArray[np.int32]

MOST = 200_000
"""Items in copies; calls for which no more are left cannot be opened, and show which function they call."""

MOST_KINDS = 2000
"""Functions, counted anew for each set of others that they are called in."""


@frozen(eq=False)
class Copies:
    """Numbered behind the items that they are copies of; a copy of a body is numbered as its items are in order."""

    parent: Ints
    original: Ints
    """What each is a copy of."""

    opened: dict[int, int]
    """Of each call that can be opened, copies of calls too: the first item in it."""


def copies_of(graph: Graph, bodies: Sequence[int], order: Order, parent: Ints) -> Copies:
    """Copy the body of each function into its calls, and so on in these, but no function into itself.

    Args:
        graph: What calls what.
        bodies: The scope of each function.
        order: Of all items.
        parent: Of all items.
    """
    made = _Copying(bodies, order, parent)
    inner: dict[int, list[tuple[int, int]]] = {}
    waiting: dict[tuple[int, frozenset[int]], list[Ints]] = {}
    homes = np.array([body.nodes.stop for body in graph.bodies], np.int64)
    for node, body in graph.calls.items():
        home = -1 if node in graph.main else int(np.searchsorted(homes, node, "right"))
        inner.setdefault(home, []).append((node, body))
        running = frozenset() if home < 0 else frozenset((home,))
        waiting.setdefault((body, running), []).append(np.array([node], np.int32))
    for _ in range(MOST_KINDS):
        if not waiting:
            break
        body, running = next(iter(waiting))
        groups = waiting.pop((body, running))
        if body in running:
            continue
        first, size, count = made.copy(np.concatenate(groups), body)
        if not count:
            continue
        for node, callee in inner.get(body, ()):
            offset = int(order.places[node] - order.places[bodies[body]]) - 1
            copied = first + offset + size * np.arange(count, dtype=np.int32)
            waiting.setdefault((callee, running | {body}), []).append(copied)
    return made.copies()


class _Copying:
    """Copies that are being made."""

    def __init__(self, bodies: Sequence[int], order: Order, parent: Ints) -> None:
        self._bodies, self._order, self._parent = bodies, order, parent
        self._parents: list[Ints] = []
        self._originals: list[Ints] = []
        self._opened: dict[int, int] = {}
        self._next = len(parent)

    def copy(self, calls: Ints, body: int) -> tuple[int, int, int]:
        """Put a body into each call: the first new item, how many items a copy has, how many calls got one."""
        scope = self._bodies[body]
        begin, end = int(self._order.places[scope]) + 1, int(self._order.ends[scope])
        size = end - begin
        left = MOST - (self._next - len(self._parent))
        calls = calls[: left // size if size else 0]
        first, count = self._next, len(calls)
        if not count:
            return first, size, 0
        originals = self._order.items[begin:end]
        starts = (first + size * np.arange(count, dtype=np.int32))[:, None]
        above = self._order.places[self._parent[originals]] - begin
        parents = np.where(above < 0, calls[:, None], starts + above)
        self._parents.append(parents.astype(np.int32).ravel())
        self._originals.append(np.tile(originals, count))
        self._opened.update(zip(calls.tolist(), starts.ravel().tolist(), strict=True))
        self._next += size * count
        return first, size, count

    def copies(self) -> Copies:
        """All that were made."""
        none = np.zeros(0, np.int32)
        parent, original = (
            np.concatenate((none, *parts)).astype(np.int32) for parts in (self._parents, self._originals)
        )
        return Copies(parent, original, self._opened)
