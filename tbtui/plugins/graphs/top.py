"""The operations that cost most, as rows: nodes of the graph and operations that are no nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.numbers import brief
from tbtui.plugins.graphs.times import cost_word

if TYPE_CHECKING:
    from tbtui.plugins.graphs.times import Measure, Times

NO_NODE = "no node"
"""Type of an operation that is no node of the graph."""


class TopRow(NamedTuple):
    """One operation that was run."""

    item: int | None
    """None: it is no node of the graph."""

    name: str
    """In full."""

    op: str
    time: str
    share: str
    """Of all time, or of all memory, that the counted devices tell of."""

    memory: str
    executions: int


def top_rows(times: Times, measure: Measure, most: int | None = None) -> tuple[TopRow, ...]:
    """Return what was run, the costly first; equal ones in graph order, those without a node last.

    Args:
        times: Of one run.
        measure: What the order and the share are by.
        most: Rows at most; None: all.
    """
    stats, nodes = times.stats, times.hierarchy.nodes
    run = np.flatnonzero(stats.counts[:nodes])
    costs = times.of(measure)[run].tolist()
    strays = [stray.time if measure == "time" else stray.memory for stray in stats.strays]
    whole = sum(costs) + sum(strays)
    order = np.argsort(-np.array(costs + strays), kind="stable")[:most].tolist()
    return tuple(
        _node_row(times, int(run[place]), costs[place], whole)
        if place < len(run)
        else _stray_row(times, place - len(run), strays[place - len(run)], whole)
        for place in order
    )


def _node_row(times: Times, node: int, cost: float, whole: float) -> TopRow:
    stats, hierarchy = times.stats, times.hierarchy
    costs = float(stats.times[node]), float(stats.memory[node])
    return _row(node, hierarchy.name(node), hierarchy.op(node), costs, _share(cost, whole), int(stats.counts[node]))


def _stray_row(times: Times, index: int, cost: float, whole: float) -> TopRow:
    stray = times.stats.strays[index]
    return _row(None, stray.name, NO_NODE, (stray.time, stray.memory), _share(cost, whole), stray.executions)


def _row(item: int | None, name: str, op: str, costs: tuple[float, float], share: str, executions: int) -> TopRow:
    time, memory = costs
    return TopRow(item, name, op, cost_word(time, "time"), share, cost_word(memory, "memory"), executions)


def _share(cost: float, whole: float) -> str:
    return f"{brief(100 * cost / whole)} %" if cost > 0 else ""
