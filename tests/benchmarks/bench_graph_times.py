"""What the times of a run and the documents of a graph cost, of 50,000 nodes that all ran: milliseconds.

python tests/benchmarks/bench_graph_times.py

Goals: a frame (16 ms) for whatever a key asks for; the others run beside the interface.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from tbtui.plugins.graphs.formats.documents import dot, graph_json, mermaid, opened_within
from tbtui.plugins.graphs.formats.graph_def import read_graph
from tbtui.plugins.graphs.formats.run_metadata import read_executions
from tbtui.plugins.graphs.graph import graph_of
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tbtui.plugins.graphs.item_colours import tints
from tbtui.plugins.graphs.profile import times_of
from tbtui.plugins.graphs.slowest_operations import top_rows
from tbtui.plugins.graphs.timeline_view import TimelineView, timeline_of
from tests.benchmarks.bench_graph_reading import NODES, network, report
from tests.made_step_stats import CPU, GPU, Ran, step_stats

FRAME = "16 wanted"


def main() -> None:
    """From the bytes of run metadata to cells, and from a hierarchy to documents."""
    graph = read_graph(network(NODES).SerializeToString())
    hierarchy = Hierarchy(graph_of(graph))
    random = np.random.default_rng(0)
    starts = (1_800_000_000_000_000_000 + np.cumsum(random.integers(0, 2000, NODES))).tolist()
    took = random.integers(1, 4000, NODES).tolist()
    rows = [Ran(name, start, time, (64,)) for name, start, time in zip(graph.names, starts, took, strict=True)]
    data = step_stats({CPU: rows[::2], GPU: rows[1::2]})
    report(f"{NODES:,} executions in {len(data) / 1e6:.1f} MB", lambda: read_executions(data))
    executions = read_executions(data)
    report("their sums by item", lambda: times_of(hierarchy, executions))
    times = times_of(hierarchy, executions)
    report("the 100 that cost most", lambda: top_rows(times, "time", 100), FRAME)
    report("the colours of 500 boxes", lambda: tints(times, range(500), "time"), FRAME)
    report("lanes of the timeline", lambda: timeline_of(times))
    view = TimelineView(timeline_of(times)).stepped(1)
    near = view.zoomed(0.001)
    report("all of the timeline, 160x50", lambda: view.draw(160, 50), FRAME)
    report("a thousandth of it", lambda: near.stepped(1).changed_lane(1).draw(160, 50), FRAME)
    report("all as DOT", lambda: sum(map(len, dot(hierarchy, ""))), repeats=2)
    report("all as JSON", lambda: sum(map(len, graph_json(hierarchy.graph, {}))), repeats=2)
    report("about 150 boxes as Mermaid", lambda: sum(map(len, mermaid(hierarchy, "", opened_within(hierarchy, 150)))))


if __name__ == "__main__":
    main()
