"""Operations of a run by cost: rows of the list below the timeline, and its drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.numbers import brief
from tbtui.charts.text import fit, pad, shorten, write
from tbtui.plugins.graphs.profile import cost_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.plugins.graphs.profile import Measure, Times


MIN_LIST_HEIGHT = 3
"""Minimum number of lines of the list: the titles and two rows."""


MIN_NAME_WIDTH = 16


OP_WIDTH, FIGURE_WIDTH, COUNT_WIDTH = 16, 9, 6


HEADERS: Mapping[Measure, tuple[str, ...]] = {
    "time": ("longest", "type", "time", "share", "runs"),
    "memory": ("largest", "type", "memory", "share", "runs"),
}


def draw_slowest(rows: Sequence[SlowOperation], measure: Measure, width: int, height: int) -> Cells:
    """Draw as many rows as fit, the most costly first.

    Args:
        rows: Rows in order of cost.
        measure: Measure that the rows are ordered by.
        width: Columns; count and type are omitted if there are few.
        height: Lines; the first line is the header.
    """
    cells = Cells.blank(height, width)
    costs = (row.time if measure == "time" else row.memory for row in rows)
    rows_and_costs = zip(rows, costs, strict=True)
    texts = [
        HEADERS[measure],
        *((row.name, row.op, cost, row.share, f"{row.executions:,}") for row, cost in rows_and_costs),
    ]
    for y, (name, op, cost, share, count) in enumerate(texts[:height]):
        right = f"{cost:>{FIGURE_WIDTH}}{share:>{FIGURE_WIDTH}}"
        if width >= MIN_NAME_WIDTH + len(right) + COUNT_WIDTH:
            right += f"{count:>{COUNT_WIDTH}}"
        if width >= MIN_NAME_WIDTH + len(right) + OP_WIDTH:
            right = f" {pad(shorten(op, OP_WIDTH - 1), OP_WIDTH - 1)}{right}"
        room = max(width - len(right) - 1, 0)
        write(cells, y, 0, shorten(name, room), Ink.TEXT if y else Ink.DIM)
        write(cells, y, width - len(right), fit(right, width), Ink.DIM)
    return cells


NO_NODE = "no node"
"""Type shown for an operation that is not a node of the graph."""


class SlowOperation(NamedTuple):
    """An operation that ran."""

    item: int | None
    """Node of the graph; None if there is none."""

    name: str
    """Full name."""

    op: str
    time: str
    share: str
    """Share of the total time or memory on the counted devices."""

    memory: str
    executions: int


def slowest_operations(times: Times, measure: Measure, most: int | None = None) -> tuple[SlowOperation, ...]:
    """Return the operations by descending cost; equal ones in graph order, those without a node last.

    Args:
        times: Costs of one run.
        measure: Measure for the order and the share.
        most: Maximum number of rows; None: all.
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


def _node_row(times: Times, node: int, cost: float, whole: float) -> SlowOperation:
    stats, hierarchy = times.stats, times.hierarchy
    costs = float(stats.times[node]), float(stats.memory[node])
    return _row(node, hierarchy.name(node), hierarchy.op(node), costs, _share(cost, whole), int(stats.counts[node]))


def _stray_row(times: Times, index: int, cost: float, whole: float) -> SlowOperation:
    stray = times.stats.strays[index]
    return _row(None, stray.name, NO_NODE, (stray.time, stray.memory), _share(cost, whole), stray.executions)


def _row(
    item: int | None, name: str, op: str, costs: tuple[float, float], share: str, executions: int
) -> SlowOperation:
    time, memory = costs
    return SlowOperation(item, name, op, cost_text(time, "time"), share, cost_text(memory, "memory"), executions)


def _share(cost: float, whole: float) -> str:
    return f"{brief(100 * cost / whole)} %" if cost > 0 else ""
