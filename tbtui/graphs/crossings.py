"""Which routes go on in which beyond the border of an opened box."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tbtui.graphs.diagram import Tensor
    from tbtui.graphs.places import Layout, Route


class _Gate(NamedTuple):
    """One side of one border of a place."""

    place: int
    outward: bool
    """Where routes go out of the place, or come in."""

    inside: bool

    def across(self) -> _Gate:
        """Its other side."""
        return self._replace(inside=not self.inside)


class Crossings:
    """The routes of a layout by the borders that they begin or end at and by what they carry."""

    def __init__(self, layout: Layout) -> None:
        self._carries = [frozenset(route.carries) for route in layout.routes]
        self._gates = [_gates(layout, route) for route in layout.routes]
        self._known: dict[tuple[_Gate, frozenset[Tensor]], frozenset[int]] = {}
        self._all: dict[_Gate, list[int]] = {}
        self._carrying: dict[_Gate, dict[Tensor, list[int]]] = {}
        self._untold: dict[_Gate, list[int]] = {}
        for index, route in enumerate(layout.routes):
            for gate in self._gates[index]:
                self._all.setdefault(gate, []).append(index)
                carrying = self._carrying.setdefault(gate, {})
                for tensor in route.carries:
                    carrying.setdefault(tensor, []).append(index)
                if not route.carries:
                    self._untold.setdefault(gate, []).append(index)

    def followed(self, routes: Iterable[int]) -> set[int]:
        """These routes, and all that what they carry goes on along, through any number of borders."""
        found: dict[tuple[int, _Gate | None], set[Tensor]] = {}
        ways: list[tuple[int, _Gate | None, frozenset[Tensor]]] = [
            (index, None, self._carries[index]) for index in routes
        ]
        while ways:
            index, came, carries = ways.pop()
            if (before := found.get((index, came))) is not None and before >= carries:
                continue
            found.setdefault((index, came), set()).update(carries)
            for gate in self._gates[index]:
                if gate == came:  # other routes go on there, but this one came from it
                    continue
                for other in self._beyond(gate, carries):
                    own = self._carries[other]
                    ways.append((other, gate.across(), carries & own if carries and own else carries or own))
        return {index for index, _ in found}

    def led_on(self, routes: Iterable[int]) -> set[int]:
        """Those of some routes that inside of no opened box begin or end at its border with none of them beyond it."""
        led = set(routes)
        for index in sorted(led, reverse=True):  # those outside come after those inside
            for gate in self._gates[index]:
                beyond = self._beyond(gate, self._carries[index]) if gate.inside else frozenset[int]()
                if beyond and led.isdisjoint(beyond):
                    led.discard(index)
        return led

    def _beyond(self, gate: _Gate, carries: frozenset[Tensor]) -> frozenset[int]:
        """Routes beyond a border that carry some of it; all of them where it is not told what."""
        known = self._known.get((gate, carries))
        if known is None:
            across = gate.across()
            found = set(self._untold.get(across, ()) if carries else self._all.get(across, ()))
            carrying = self._carrying.get(across, {})
            found.update(*(carrying.get(tensor, ()) for tensor in carries))
            known = self._known[gate, carries] = frozenset(found)
        return known


def _gates(layout: Layout, route: Route) -> list[_Gate]:
    """Borders of opened places that a route begins or ends at."""
    gates = []
    for end, other, leads in ((route.source, route.target, False), (route.target, route.source, True)):
        if end >= 0 and layout.places[end].opened:
            inside = other >= 0 and layout.places[other].inside == end
            gates.append(_Gate(end, leads == inside, inside))
    return gates
