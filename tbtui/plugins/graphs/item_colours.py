"""Colours of boxes by device, structure, time or memory, and their legend."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import colours as palette
from tbtui.charts.cells import HEAT_LEVELS, Ink, heat
from tbtui.plugins.graphs.item_labels import short_device
from tbtui.plugins.graphs.profile import NOWHERE, cost_text, execution_nodes
from tbtui.plugins.graphs.settings import GRAPH_COLOURS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.profile import Measure, Times
    from tbtui.plugins.graphs.settings import GraphColour


def cost_inks(times: Times, items: Iterable[int], measure: Measure) -> dict[int, int]:
    """Return inks of items by their cost; the highest cost at the top of the graph has the last colour.

    Items that cost nothing have none.
    """
    top = highest_top_cost(times, measure)
    costs = {item: times.cost(item, measure) for item in items}
    return {item: _ink(heat_level(cost, top)) for item, cost in costs.items() if cost > 0}


def heat_level(cost: float, top: float) -> int:
    """Return the level of the colour map, from 1 on; a cost of `top` gets the last level."""
    return 1 + round((HEAT_LEVELS - 2) * min(cost / top, 1.0)) if top > 0 else 1


def _ink(level: int) -> int:
    return int(heat(text_level(level), level))


def text_level(ground: int) -> int:
    """Return the level of text that is most readable on a background."""
    return 0 if ground > HEAT_LEVELS // 2 else HEAT_LEVELS - 1


def highest_top_cost(times: Times, measure: Measure) -> float:
    """Return the highest cost of the items at the top of the graph, which has the last colour."""
    children = times.hierarchy.children(times.hierarchy.root)
    return float(times.of(measure)[children].max(initial=0.0))


MAX_LEGEND_DEVICES = 4
"""Maximum number of devices in the legend."""


KIND_INKS = (0, 2, 3, 7, 8, 9, 10)
"""Series inks for devices and structures; none is near the accent colour of highlighted edges."""


MEASURES: Mapping[GraphColour, Measure] = {"time": "time", "memory": "memory"}


def item_inks(
    hierarchy: Hierarchy, times: Times | None, items: Iterable[int], colour: GraphColour
) -> Mapping[int, int]:
    """Return the ink of each item that has one."""
    if measure := MEASURES.get(colour):
        return {} if times is None else cost_inks(times, items, measure)
    if colour == "device":
        known = graph_devices(hierarchy)
        ran = () if known or times is None else run_devices(times)
        places = {device: index for index, device in enumerate(known or ran)}
        if ran and times is not None:
            main = _run_on(times, items)
        else:
            main = {item: next((name for name, _ in hierarchy.devices(item).most_common(1)), "") for item in items}
        return {item: kind_ink(places[name]) for item, name in main.items() if name in places}
    if colour == "structure":
        templates = {item: int(hierarchy.template[item]) for item in items}
        return {item: kind_ink(template) for item, template in templates.items() if template >= 0}
    return {}


def available_colours(hierarchy: Hierarchy, times: Times | None) -> tuple[GraphColour, ...]:
    """Return the properties that are known of the boxes of a graph; the cost is one pass over all nodes."""
    tells: Mapping[GraphColour, bool] = {
        "structure": bool((hierarchy.template >= 0).any()),
        "device": bool(graph_devices(hierarchy) or (times is not None and run_devices(times))),
        "time": times is not None and times.whole("time") > 0,
        "memory": times is not None and times.whole("memory") > 0,
        "none": True,
    }
    return tuple(colour for colour in GRAPH_COLOURS if tells[colour])


def kind_ink(number: int) -> int:
    """Return the ink of one of several kinds; repeated colours have other markers."""
    again, place = divmod(number, len(KIND_INKS))
    return KIND_INKS[place] + palette.PALETTE_SIZE * again


def graph_devices(hierarchy: Hierarchy) -> Sequence[str]:
    """Return all devices of a graph, the one of most nodes first."""
    return [device for device, _ in hierarchy.devices(hierarchy.root).most_common() if device]


def run_devices(times: Times) -> Sequence[str]:
    """Return all devices of a run, for a graph that names none itself."""
    ran = [row for row in times.devices if row.executions]
    return [row.name for row in ran if row.real] or [row.name for row in ran]


def _run_on(times: Times, items: Iterable[int]) -> dict[int, str]:
    """Return the device of most executions of each item that was run."""
    hierarchy, names = times.hierarchy, times.executions.devices
    known = [names.index(name) for name in run_devices(times)]
    nodes = execution_nodes(hierarchy, times.executions)
    counts = np.zeros((len(known), hierarchy.nodes), np.int64)
    for row, device in enumerate(known):
        ran = nodes[(times.executions.device == device) & (nodes != NOWHERE)]
        counts[row] = np.bincount(ran, minlength=hierarchy.nodes)
    found = {item: counts[:, hierarchy.original[hierarchy.under(item)]].sum(axis=1) for item in items}
    return {item: names[known[int(one.argmax())]] for item, one in found.items() if one.any()}


def legend(hierarchy: Hierarchy, times: Times | None, colour: GraphColour) -> tuple[Piece, ...]:
    """Return the meaning of the colours in one line; empty if nothing is coloured."""
    if colour == "device":
        known = graph_devices(hierarchy)
        pieces: list[Piece] = []
        if not known and times is not None and (known := run_devices(times)):
            pieces = [("run on  ", Ink.DIM)]
        if not known:
            return (("no device is recorded", Ink.DIM),)
        for ink, device in zip(map(kind_ink, range(MAX_LEGEND_DEVICES)), known, strict=False):
            pieces += [(f"{palette.marker(ink)} ", ink), (f"{short_device(device)}  ", Ink.DIM)]
        more = f"+{len(known) - MAX_LEGEND_DEVICES}" if len(known) > MAX_LEGEND_DEVICES else ""
        return (*pieces, (more, Ink.DIM))
    if measure := MEASURES.get(colour):
        if times is None or not times.whole(measure):
            return ((f"no {measure} was measured", Ink.DIM),)
        return ((f"{measure}: {cost_text(times.whole(measure), measure)} in all", Ink.DIM),)
    return ()
