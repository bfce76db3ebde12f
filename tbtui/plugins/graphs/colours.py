"""What the boxes of a diagram are coloured by, and what the colours say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import palette
from tbtui.charts.cells import Ink
from tbtui.plugins.graphs.signs import device_word
from tbtui.plugins.graphs.times import cost_word, tints

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tbtui.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.times import Measure, Times
    from tbtui.viewstate.graph_looks import GraphColour
    from tbtui.widgets.line import Piece

MOST_DEVICES = 4
"""Devices whose colours are told."""

KINDS_OF_INK = (0, 2, 3, 7, 8, 9, 10)
"""Series inks that tell devices, or structures, apart: none is near the accent in which what leads is drawn."""

MEASURES: Mapping[GraphColour, Measure] = {"time": "time", "memory": "memory"}


def inks_of(hierarchy: Hierarchy, times: Times | None, items: Iterable[int], colour: GraphColour) -> Mapping[int, int]:
    """The ink of each item that has one."""
    if measure := MEASURES.get(colour):
        return {} if times is None else tints(times, items, measure)
    if colour == "device":
        places = {device: place for place, device in enumerate(devices(hierarchy)) if device}
        main = {item: next((name for name, _ in hierarchy.devices(item).most_common(1)), "") for item in items}
        return {item: kind_ink(places[name]) for item, name in main.items() if name in places}
    if colour == "structure":
        found = {item: int(hierarchy.template[item]) for item in items}
        return {item: kind_ink(template) for item, template in found.items() if template >= 0}
    return {}


def kind_ink(number: int) -> int:
    """The ink of one of several kinds; where colours come again their signs are others."""
    again, place = divmod(number, len(KINDS_OF_INK))
    return KINDS_OF_INK[place] + palette.SIZE * again


def devices(hierarchy: Hierarchy) -> Sequence[str]:
    """All devices of a graph, those that most nodes are on first."""
    return [device for device, _ in hierarchy.devices(hierarchy.root).most_common() if device]


def legend(hierarchy: Hierarchy, times: Times | None, colour: GraphColour) -> tuple[Piece, ...]:
    """What the colours say, in a line; empty where nothing is coloured."""
    if colour == "device":
        known = devices(hierarchy)
        if not known:
            return (("no devices are given", Ink.DIM),)
        pieces: list[Piece] = []
        for ink, device in zip(map(kind_ink, range(MOST_DEVICES)), known, strict=False):
            pieces += [(f"{palette.marker(ink)} ", ink), (f"{device_word(device)}  ", Ink.DIM)]
        more = f"+{len(known) - MOST_DEVICES}" if len(known) > MOST_DEVICES else ""
        return (*pieces, (more, Ink.DIM))
    if measure := MEASURES.get(colour):
        if times is None or not times.whole(measure):
            return ((f"no {measure} was measured", Ink.DIM),)
        return ((f"{measure}: {cost_word(times.whole(measure), measure)} in all", Ink.DIM),)
    return ()
