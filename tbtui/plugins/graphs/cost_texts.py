"""Texts about the costs of a run: of one item, of the graph, and of the operations that match no node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.numbers import brief, counted
from tbtui.plugins.graphs.costs import MEASURES
from tbtui.plugins.graphs.edges import find_constants_and_summaries
from tbtui.plugins.graphs.item_labels import memory_text, time_text

if TYPE_CHECKING:
    from tbtui.plugins.graphs.costs import Measure, RunCosts

MAX_NAMED_OPERATIONS = 3
"""Maximum number of operations that are named as missing from the graph."""


def cost_text(cost: float, measure: Measure) -> str:
    """Return `21µs` or `512 B`; empty for 0."""
    return time_text(cost) if measure == "time" else memory_text(cost)


def total_cost_text(costs: RunCosts | None) -> str:
    """Return `153µs in all, 95µs of it in 3 summaries set aside`, which explains why the tree adds up to less."""
    if costs is None or not costs.total("time"):
        return ""
    total = f"{time_text(costs.total('time'))} in all"
    graph, node_times = costs.hierarchy.graph, costs.by_item("time")[: costs.hierarchy.nodes]
    set_aside = np.flatnonzero(graph.embedded & (node_times > 0))
    if not len(set_aside):
        return total
    time = time_text(float(node_times[set_aside].sum()))
    is_constant, _ = find_constants_and_summaries([graph.ops[node] for node in set_aside.tolist()], ())
    noun = "constant" if is_constant.all() else "operation" if is_constant.any() else "summary"
    return f"{total}, {time} of it in {counted(len(set_aside), noun)} set aside"


def item_cost_text(costs: RunCosts, item: int, measure: Measure) -> str:
    """Return the text of a cell in a column of time or memory."""
    return cost_text(costs.cost(item, measure), measure)


def item_cost_lines(costs: RunCosts, item: int) -> tuple[str, ...]:
    """Return the costs of an item for the details, or that it was not run."""
    original = int(costs.hierarchy.original[item])
    count = int(costs.items.counts[original])
    if not count:
        return ("not run in this step",)
    texts = [_format_with_share(costs, item, measure) for measure in MEASURES]
    span = float(costs.items.spans[original])
    if count > 1:
        texts.append(counted(count, "execution"))
        if span > 0:
            texts.append(f"{time_text(span)} from the first start to the last end")
    return (" · ".join(filter(None, texts)),)


def _format_with_share(costs: RunCosts, item: int, measure: Measure) -> str:
    cost, total = costs.cost(item, measure), costs.total(measure)
    text = cost_text(cost, measure) or ("time not measured" if measure == "time" else "")
    share = f" ({brief(100 * cost / total)} %)" if cost > 0 and total > 0 else ""
    return f"{text}{share}" if measure == "time" or not text else f"{text} allocated{share}"


def run_cost_lines(costs: RunCosts) -> tuple[str, ...]:
    """Return lines about the executions that are counted, those that are not, and those that match no node."""
    executions = costs.executions
    if not len(executions):
        names = ", ".join(device.short for device in costs.devices)
        return (f"no operation was timed on {names}" if names else "no operation was timed", *executions.notes)
    lines = [_format_counted_line(costs)]
    ignored = [device for device in costs.devices if not device.is_counted]
    if ignored:
        names = ", ".join(f"{device.short} ({device.executions:,})" for device in ignored)
        reason = "" if any(device.is_real for device in ignored) else ": streams and copies repeat the same executions"
        lines.append(f"not counted: {names}{reason}")
    if unmatched := costs.items.unmatched:
        count = sum(operation.executions for operation in unmatched)
        names = ", ".join(operation.name for operation in unmatched[:MAX_NAMED_OPERATIONS])
        more = ", …" if len(unmatched) > MAX_NAMED_OPERATIONS else ""
        lines.append(f"{counted(count, 'execution')} of operations that are not nodes of this graph: {names}{more}")
    return (*lines, *executions.notes)


def _format_counted_line(costs: RunCosts) -> str:
    devices = [device for device in costs.devices if device.is_counted]
    executions = sum(device.executions for device in devices)
    names = ", ".join(device.short for device in devices) or "no device"
    total = time_text(costs.total("time"))
    return f"{counted(executions, 'execution')} on {names}" + (f", {total} in nodes of this graph" if total else "")
