"""What the Graphs tab says of a run's times: words, tints, the costly operations. Figures are of a real step."""

from __future__ import annotations

from pathlib import Path

import pytest

from tbtui.charts.cells import HEAT_LEVELS, to_heat_inks
from tbtui.loading.loader import Loader
from tbtui.loading.payloads import Payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins.graphs.costs import RunCosts, build_run_costs, cycle_device_names, shorten_device_names
from tbtui.plugins.graphs.formats.run_metadata import read_executions
from tbtui.plugins.graphs.graph import build_graph
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tbtui.plugins.graphs.item_colours import choose_heat_level, colour_by_cost
from tbtui.plugins.graphs.item_labels import format_item_cost, format_item_costs, run_cost_lines
from tbtui.plugins.graphs.read import GraphReader, list_graph_sources
from tbtui.plugins.graphs.slowest_operations import NO_NODE_TEXT, rank_operations
from tests.helpers.graphs import two_layers
from tests.helpers.step_stats import CPU, GPU, STREAM, Ran, step_stats

TF1 = Path(__file__).parents[2] / "corpus" / "writers" / "tf" / "v1"


@pytest.fixture(scope="module")
def step() -> RunCosts:
    """The step that TensorFlow 1 timed."""
    (run,) = Loader(parse_sources([str(TF1)]), reload_seconds=0).load_all().snapshot.runs.values()
    reader = GraphReader(Payloads())
    graph, profile = list_graph_sources(run)
    return build_run_costs(Hierarchy(build_graph(reader.read(graph))), read_executions(reader.metadata(profile)))


def made(*ran: Ran, **others: list[Ran]) -> RunCosts:
    devices = {CPU: list(ran), **{{"gpu": GPU, "stream": STREAM}[name]: rows for name, rows in others.items()}}
    return build_run_costs(Hierarchy(build_graph(two_layers())), read_executions(step_stats(devices)))


def item(times: RunCosts, name: str) -> int:
    found = times.hierarchy.find_item(name)
    assert found is not None
    return found


# A real step


def test_times_scope_of_a_recorded_step_is_the_sum_of_its_content(step: RunCosts) -> None:
    # layer_1/mm/ReadVariableOp 1,743 ns, layer_1/mm 21,131 ns; from 50,685 to 53,349 + 21,131 ns
    layer = item(step, "layer_1")
    assert (step.cost(layer, "time"), step.cost(layer, "memory")) == (22_874, 32)
    assert float(step.items.spans[layer]) == 23_795
    # layer_2/mm/ReadVariableOp 5,108 ns, layer_2/mm 2,954 ns: the histogram of its values is not in it
    assert step.cost(item(step, "layer_2"), "time") == 8_062
    # All 29 without the five that are not nodes: 164,238 - 11,169 ns.
    assert step.total("time") == 153_069


def test_times_executions_without_a_node_are_counted_and_named(step: RunCosts) -> None:
    assert [stray.name for stray in step.items.unmatched] == [
        "_arg_a_0_0",
        "pr/pr_curves/_0__cf__0",
        "_retval_Merge/MergeSummary_0_0",
        "_SOURCE",
        "tx/_1__cf__1",
    ]
    assert run_cost_lines(step) == (
        "29 executions on CPU:0, 153µs in nodes of this graph",
        (
            "5 executions of operations that are not nodes of this graph: "
            "_arg_a_0_0, pr/pr_curves/_0__cf__0, _retval_Merge/MergeSummary_0_0, …"
        ),
    )


def test_times_most_expensive_operations_come_first(step: RunCosts) -> None:
    rows = rank_operations(step, "time", 8)
    assert [(row.name, row.op, row.time, row.share) for row in rows] == [
        ("im", "ImageSummary", "48µs", "29.3 %"),
        ("Merge/MergeSummary", "MergeSummary", "22µs", "13.5 %"),
        ("layer_1/mm/(mm)", "MatMul", "21µs", "12.9 %"),
        ("hi", "HistogramSummary", "12µs", "7.26 %"),
        ("au", "AudioSummaryV2", "8.3µs", "5.06 %"),
        ("Tile", "Tile", "6.7µs", "4.06 %"),
        ("Sum", "Sum", "5.5µs", "3.38 %"),
        ("_arg_a_0_0", NO_NODE_TEXT, "5.5µs", "3.36 %"),
    ]
    assert rows[0].item == step.hierarchy.find_node("im")
    assert rows[-1].item is None
    assert len(rank_operations(step, "time")) == 29
    by_memory = rank_operations(step, "memory", 3)
    assert [(row.name, row.memory) for row in by_memory] == [
        ("Tile", "512 B"),
        ("layer_1/mm/(mm)", "32 B"),
        ("layer_2/mm/(mm)", "32 B"),
    ]


def test_times_details_of_a_recorded_step(step: RunCosts) -> None:
    matmul = step.hierarchy.find_node("layer_1/mm")
    assert matmul is not None
    assert format_item_costs(step, matmul) == ("21µs (13.8 %) · 32 B allocated (4.57 %)",)
    assert format_item_costs(step, item(step, "layer_1")) == (
        "23µs (14.9 %) · 32 B allocated (4.57 %) · 2 executions · 24µs from the first start to the last end",
    )
    assert format_item_costs(step, item(step, "a")) == ("not run in this step",)


# Tints


def test_times_colour_scale_ends_at_the_top_level_maximum() -> None:
    times = made(Ran("dense/MatMul", 0, 400), Ran("dense/BiasAdd", 400, 100), Ran("out/MatMul", 500, 250))
    names = ["dense", "dense/MatMul", "out", "x", "loss"]
    found = colour_by_cost(times, [item(times, name) for name in names], "time")
    last = HEAT_LEVELS - 1
    assert found == {
        item(times, "dense"): int(to_heat_inks(0, last)),
        item(times, "dense/MatMul"): int(to_heat_inks(0, 1 + round((last - 1) * 0.8))),
        item(times, "out"): int(to_heat_inks(last, 1 + round((last - 1) * 0.5))),
    }
    assert colour_by_cost(times, [item(times, "dense")], "memory") == {}


def test_times_levels_are_bounded() -> None:
    assert [choose_heat_level(cost, 10.0) for cost in (0.0, 5.0, 10.0, 99.0)] == [1, 24, 47, 47]
    assert choose_heat_level(3.0, 0.0) == 1


# Devices


def test_times_streams_are_named_and_not_counted() -> None:
    times = made(Ran("x", 0, 1000), gpu=[Ran("loss", 0, 2000)], stream=[Ran("loss:Mean", 0, 1500)])
    assert [(row.short, row.is_real, row.is_counted, row.executions) for row in times.devices] == [
        ("CPU:0", True, True, 1),
        ("GPU:0", True, True, 1),
        ("GPU:0/stream:all", False, False, 1),
    ]
    assert run_cost_lines(times) == (
        "2 executions on CPU:0, GPU:0, 3µs in nodes of this graph",
        "not counted: GPU:0/stream:all (1): streams and copies repeat the same executions",
    )


def test_times_devices_are_selectable() -> None:
    executions = read_executions(step_stats({CPU: [Ran("x", 0, 1000)], GPU: [Ran("loss", 0, 2000)]}))
    hierarchy = Hierarchy(build_graph(two_layers()))
    assert build_run_costs(hierarchy, executions, {GPU}).total("time") == 2000
    assert run_cost_lines(build_run_costs(hierarchy, executions, {GPU})) == (
        "1 execution on GPU:0, 2µs in nodes of this graph",
        "not counted: CPU:0 (1)",
    )
    assert run_cost_lines(build_run_costs(hierarchy, executions, set()))[0] == "0 executions on no device"


def test_times_devices_after_the_default_are_counted_separately() -> None:
    times = made(Ran("x", 0, 1), gpu=[Ran("x", 0, 2)], stream=[Ran("x", 0, 4)])
    counted = []
    for _ in range(4):
        devices = cycle_device_names(times.devices)
        times = build_run_costs(times.hierarchy, times.executions, devices)
        counted.append((sorted(shorten_device_names(list(devices))), times.total("time")))
    assert counted == [(["CPU:0"], 1), (["GPU:0"], 2), (["GPU:0/stream:all"], 4), (["CPU:0", "GPU:0"], 3)]


def test_times_single_device_offers_no_choice() -> None:
    times = made(Ran("x", 0, 1))
    assert cycle_device_names(times.devices) == {CPU}
    nothing = build_run_costs(times.hierarchy, read_executions(b""))
    assert cycle_device_names(nothing.devices) == frozenset()


def test_times_devices_of_several_machines_keep_full_names() -> None:
    names = [f"/job:worker/replica:0/task:{task}/device:GPU:0" for task in range(2)]
    assert shorten_device_names(names) == names
    assert shorten_device_names(names[:1]) == ["GPU:0"]


# What was not measured


def test_times_missing_data_is_reported() -> None:
    assert run_cost_lines(made()) == ("no operation was timed on CPU:0",)
    assert rank_operations(made(), "time") == ()
    nowhere = build_run_costs(Hierarchy(build_graph(two_layers())), read_executions(b""))
    assert run_cost_lines(nowhere) == ("no operation was timed",)


def test_times_unmeasured_differs_from_absent() -> None:
    times = made(Ran("x", 5, 0, (100,)))
    assert format_item_costs(times, item(times, "x")) == ("time not measured · 100 B allocated (100 %)",)
    assert (format_item_cost(times, item(times, "x"), "time"), format_item_cost(times, item(times, "x"), "memory")) == (
        "",
        "100 B",
    )


def test_times_uncounted_executions_are_reported_last() -> None:
    assert run_cost_lines(made(Ran("x", 0, 10, (-5,))))[-1] == "allocations below zero: 1"
