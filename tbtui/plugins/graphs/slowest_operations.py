"""Operations of a run by cost: rows of the list below the timeline, and its drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.numbers import format_brief
from tbtui.charts.text import fit, pad, shorten, write
from tbtui.plugins.graphs.item_labels import format_cost

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.plugins.graphs.costs import Measure, RunCosts


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
        name_width = max(width - len(right) - 1, 0)
        write(cells, y, 0, shorten(name, name_width), Ink.TEXT if y else Ink.DIM)
        write(cells, y, width - len(right), fit(right, width), Ink.DIM)
    return cells


NO_NODE_TEXT = "no node"
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


def rank_operations(costs: RunCosts, measure: Measure, limit: int | None = None) -> tuple[SlowOperation, ...]:
    """Return the operations by descending cost; equal ones in graph order, those without a node last.

    Args:
        costs: Costs of one run.
        measure: Measure for the order and the share.
        limit: Maximum number of rows; None: all.
    """
    items, hierarchy = costs.items, costs.hierarchy
    nodes = np.flatnonzero(items.counts[: hierarchy.nodes])
    node_costs = costs.list_by_item(measure)[nodes].tolist()
    unmatched_costs = [operation.cost(measure) for operation in items.unmatched]
    all_costs = [*node_costs, *unmatched_costs]
    total = sum(all_costs)
    order = np.argsort(-np.array(all_costs), kind="stable")[:limit].tolist()
    rows = []
    for index in order:
        share = f"{format_brief(100 * all_costs[index] / total)} %" if all_costs[index] > 0 else ""
        if index < len(nodes):
            node = int(nodes[index])
            name, op, executions = hierarchy.name(node), hierarchy.op(node), int(items.counts[node])
            time, memory = float(items.times[node]), float(items.memory[node])
            rows.append(_build_operation(node, name, op, time, memory, share, executions))
        else:
            operation = items.unmatched[index - len(nodes)]
            time, memory = operation.time, operation.memory
            rows.append(_build_operation(None, operation.name, NO_NODE_TEXT, time, memory, share, operation.executions))
    return tuple(rows)


def _build_operation(
    item: int | None, name: str, op: str, time: float, memory: float, share: str, executions: int
) -> SlowOperation:
    return SlowOperation(item, name, op, format_cost(time, "time"), share, format_cost(memory, "memory"), executions)
