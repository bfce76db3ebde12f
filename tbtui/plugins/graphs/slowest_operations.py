"""What running a graph cost: time and memory of every item of its hierarchy, and what has no place in it.

Rules: TensorBoard `tf_graph_common/graph.ts` `joinStatsInfoWithGraph`, `hierarchy.ts` `joinAndAggregateStats`, with
three differences. What ran several times has the sum of its executions as its time, beside the span from the first
start to the last end, which is all that TensorBoard tells; likewise a scope. Constants and summaries, which it sets
aside, count in the scopes that they are called by. An execution that matches no node is kept in a list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.numbers import brief
from tbtui.charts.text import fit, pad, shorten, write
from tbtui.plugins.graphs.profile import cost_word

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.plugins.graphs.profile import Measure, Times

# The list of the operations that cost most, below the timeline.


LEAST_HEIGHT = 3
"""Minimum number of lines of the list: the titles and two rows."""


LEAST_NAME = 16


OP_WIDTH, FIGURE_WIDTH, COUNT_WIDTH = 16, 9, 6


HEADS: Mapping[Measure, tuple[str, ...]] = {
    "time": ("longest", "type", "time", "share", "runs"),
    "memory": ("largest", "type", "memory", "share", "runs"),
}


def draw_longest(rows: Sequence[TopRow], measure: Measure, width: int, height: int) -> Cells:
    """Draw as many rows as fit, the costly first.

    Args:
        rows: In order.
        measure: What they are ordered by.
        width: Columns; what is less telling than the time goes where they are few.
        height: Lines; the first has the heads.
    """
    cells = Cells.blank(height, width)
    costs = (row.time if measure == "time" else row.memory for row in rows)
    told = zip(rows, costs, strict=True)
    texts = [HEADS[measure], *((row.name, row.op, cost, row.share, f"{row.executions:,}") for row, cost in told)]
    for y, (name, op, cost, share, count) in enumerate(texts[:height]):
        right = f"{cost:>{FIGURE_WIDTH}}{share:>{FIGURE_WIDTH}}"
        if width >= LEAST_NAME + len(right) + COUNT_WIDTH:
            right += f"{count:>{COUNT_WIDTH}}"
        if width >= LEAST_NAME + len(right) + OP_WIDTH:
            right = f" {pad(shorten(op, OP_WIDTH - 1), OP_WIDTH - 1)}{right}"
        room = max(width - len(right) - 1, 0)
        write(cells, y, 0, shorten(name, room), Ink.TEXT if y else Ink.DIM)
        write(cells, y, width - len(right), fit(right, width), Ink.DIM)
    return cells


# The operations that cost most, as rows: nodes of the graph and operations that are no nodes.


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
