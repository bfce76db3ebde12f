"""What the times of a run and the documents of a graph cost, of 50,000 nodes that all ran: milliseconds.

python tests/benchmarks/bench_graph_times.py

Goals: a frame (16 ms) for whatever a key asks for; the others run beside the interface.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from tbtui.plugins.graphs.costs import build_run_costs
from tbtui.plugins.graphs.formats.documents import (
    choose_open_scopes,
    iter_dot_lines,
    iter_json_lines,
    iter_mermaid_lines,
)
from tbtui.plugins.graphs.formats.graph_def import read_graph
from tbtui.plugins.graphs.formats.run_metadata import read_executions
from tbtui.plugins.graphs.graph import build_graph
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tbtui.plugins.graphs.item_colours import colour_by_cost
from tbtui.plugins.graphs.slowest_operations import rank_operations
from tbtui.plugins.graphs.timeline_state import TimelineState, build_run_timeline
from tests.benchmarks.bench_graph_reading import NODES, network, report
from tests.helpers.step_stats import CPU, GPU, Ran, step_stats

FRAME = "16 wanted"


def main() -> None:
    """From the bytes of run metadata to cells, and from a hierarchy to documents."""
    graph = read_graph(network(NODES).SerializeToString())
    hierarchy = Hierarchy(build_graph(graph))
    random = np.random.default_rng(0)
    starts = (1_800_000_000_000_000_000 + np.cumsum(random.integers(0, 2000, NODES))).tolist()
    took = random.integers(1, 4000, NODES).tolist()
    rows = [Ran(name, start, time, (64,)) for name, start, time in zip(graph.names, starts, took, strict=True)]
    data = step_stats({CPU: rows[::2], GPU: rows[1::2]})
    report(f"{NODES:,} executions in {len(data) / 1e6:.1f} MB", lambda: read_executions(data))
    executions = read_executions(data)
    report("their sums by item", lambda: build_run_costs(hierarchy, executions))
    times = build_run_costs(hierarchy, executions)
    report("the 100 that cost most", lambda: rank_operations(times, "time", 100), FRAME)
    report("the colours of 500 boxes", lambda: colour_by_cost(times, range(500), "time"), FRAME)
    report("lanes of the timeline", lambda: build_run_timeline(times))
    view = TimelineState(build_run_timeline(times)).step(1)
    near = view.zoom(1000)
    report("all of the timeline, 160x50", lambda: view.draw(160, 50), FRAME)
    report("a thousandth of it", lambda: near.step(1).change_lane(1).draw(160, 50), FRAME)
    report("all as DOT", lambda: sum(map(len, iter_dot_lines(hierarchy, ""))), repeats=2)
    report("all as JSON", lambda: sum(map(len, iter_json_lines(hierarchy.graph, {}))), repeats=2)
    report(
        "about 150 boxes as Mermaid",
        lambda: sum(map(len, iter_mermaid_lines(hierarchy, "", choose_open_scopes(hierarchy, 150)))),
    )


if __name__ == "__main__":
    main()
