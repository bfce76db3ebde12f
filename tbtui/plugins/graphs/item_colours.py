"""Colours of boxes by device, structure, time or memory, and their legend."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import HEAT_LEVELS, Ink, to_heat_inks
from tbtui.charts.series_colours import PALETTE_SIZE, get_series_marker
from tbtui.plugins.graphs.costs import match_executions
from tbtui.plugins.graphs.edges import NO_NODE
from tbtui.plugins.graphs.item_labels import format_cost, shorten_device
from tbtui.plugins.graphs.settings import GRAPH_COLOURS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.graphs.costs import Measure, RunCosts
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.settings import GraphColour


def colour_by_cost(costs: RunCosts, items: Iterable[int], measure: Measure) -> dict[int, int]:
    """Return inks of items by their cost; the highest cost at the top of the graph has the last colour.

    Items that cost nothing have none.
    """
    top = find_highest_cost(costs, measure)
    item_costs = {item: costs.cost(item, measure) for item in items}
    return {item: _choose_heat_ink(choose_heat_level(cost, top)) for item, cost in item_costs.items() if cost > 0}


def choose_heat_level(cost: float, top: float) -> int:
    """Return the level of the colour map, from 1 on; a cost of `top` gets the last level."""
    return 1 + round((HEAT_LEVELS - 2) * min(cost / top, 1.0)) if top > 0 else 1


def _choose_heat_ink(level: int) -> int:
    return int(to_heat_inks(choose_text_level(level), level))


def choose_text_level(ground: int) -> int:
    """Return the level of text that is most readable on a background."""
    return 0 if ground > HEAT_LEVELS // 2 else HEAT_LEVELS - 1


def find_highest_cost(costs: RunCosts, measure: Measure) -> float:
    """Return the highest cost of the items at the top of the graph, which has the last colour."""
    children = costs.hierarchy.children(costs.hierarchy.root)
    return float(costs.list_by_item(measure)[children].max(initial=0.0))


MAX_LEGEND_DEVICES = 4
"""Maximum number of devices in the legend."""


KIND_INKS = (0, 2, 3, 7, 8, 9, 10)
"""Series inks for devices and structures; none is near the accent colour of highlighted edges."""


COLOUR_MEASURES: Mapping[GraphColour, Measure] = {"time": "time", "memory": "memory"}


def colour_items(
    hierarchy: Hierarchy, costs: RunCosts | None, items: Iterable[int], colour: GraphColour
) -> Mapping[int, int]:
    """Return the ink of each item that has one."""
    if measure := COLOUR_MEASURES.get(colour):
        return {} if costs is None else colour_by_cost(costs, items, measure)
    if colour == "device":
        return _colour_by_device(hierarchy, costs, items)
    if colour == "structure":
        templates = {item: int(hierarchy.template[item]) for item in items}
        return {item: get_kind_ink(template) for item, template in templates.items() if template >= 0}
    return {}


def _colour_by_device(hierarchy: Hierarchy, costs: RunCosts | None, items: Iterable[int]) -> Mapping[int, int]:
    """Return the ink of the main device of each item: as the graph names it, or else where the item ran."""
    graph_names = list_devices(hierarchy)
    run_names = () if graph_names or costs is None else run_devices(costs)
    if run_names and costs is not None:
        main = _find_main_devices(costs, items)
    else:
        main = {item: next((name for name, _ in hierarchy.devices(item).most_common(1)), "") for item in items}
    indices = {name: index for index, name in enumerate(graph_names or run_names)}
    return {item: get_kind_ink(indices[name]) for item, name in main.items() if name in indices}


def list_colours(hierarchy: Hierarchy, costs: RunCosts | None) -> tuple[GraphColour, ...]:
    """Return the properties that are known of the boxes of a graph; the cost is one pass over all nodes."""
    is_known: Mapping[GraphColour, bool] = {
        "structure": bool((hierarchy.template >= 0).any()),
        "device": bool(list_devices(hierarchy) or (costs is not None and run_devices(costs))),
        "time": costs is not None and costs.total("time") > 0,
        "memory": costs is not None and costs.total("memory") > 0,
        "none": True,
    }
    return tuple(colour for colour in GRAPH_COLOURS if is_known[colour])


def get_kind_ink(number: int) -> int:
    """Return the ink of one of several kinds; repeated colours have other markers."""
    cycle, index = divmod(number, len(KIND_INKS))
    return KIND_INKS[index] + PALETTE_SIZE * cycle


def list_devices(hierarchy: Hierarchy) -> Sequence[str]:
    """Return all devices of a graph, the one of most nodes first."""
    return [device for device, _ in hierarchy.devices(hierarchy.root).most_common() if device]


def run_devices(costs: RunCosts) -> Sequence[str]:
    """Return all devices of a run, for a graph that names none itself."""
    used = [device for device in costs.devices if device.executions]
    return [device.name for device in used if device.is_real] or [device.name for device in used]


def _find_main_devices(costs: RunCosts, items: Iterable[int]) -> dict[int, str]:
    """Return the device of most executions of each item that was run."""
    hierarchy, names = costs.hierarchy, costs.executions.devices
    indices = [names.index(name) for name in run_devices(costs)]
    nodes = match_executions(hierarchy, costs.executions)
    counts = np.zeros((len(indices), hierarchy.nodes), np.int64)
    for row, index in enumerate(indices):
        run_nodes = nodes[(costs.executions.device == index) & (nodes != NO_NODE)]
        counts[row] = np.bincount(run_nodes, minlength=hierarchy.nodes)
    item_counts = {item: counts[:, hierarchy.original[hierarchy.list_all_nodes(item)]].sum(axis=1) for item in items}
    return {item: names[indices[int(row.argmax())]] for item, row in item_counts.items() if row.any()}


def build_legend(hierarchy: Hierarchy, costs: RunCosts | None, colour: GraphColour) -> tuple[Piece, ...]:
    """Return the meaning of the colours in one line; empty if nothing is coloured."""
    if colour == "device":
        names = list_devices(hierarchy)
        pieces: list[Piece] = []
        if not names and costs is not None and (names := run_devices(costs)):
            pieces = [("run on  ", Ink.DIM)]
        if not names:
            return (("no device is recorded", Ink.DIM),)
        for ink, device in zip(map(get_kind_ink, range(MAX_LEGEND_DEVICES)), names, strict=False):
            pieces += [(f"{get_series_marker(ink)} ", ink), (f"{shorten_device(device)}  ", Ink.DIM)]
        more = f"+{len(names) - MAX_LEGEND_DEVICES}" if len(names) > MAX_LEGEND_DEVICES else ""
        return (*pieces, (more, Ink.DIM))
    if measure := COLOUR_MEASURES.get(colour):
        if costs is None or not costs.total(measure):
            return ((f"no {measure} was measured", Ink.DIM),)
        return ((f"{measure}: {format_cost(costs.total(measure), measure)} in all", Ink.DIM),)
    return ()
