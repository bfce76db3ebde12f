"""Time and memory of nodes and scopes, by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.graphs.costs import (
    ItemCosts,
    UnmatchedOperation,
    is_device,
    join_costs,
    match_executions,
    select_default_devices,
)
from tbtui.plugins.graphs.edges import NO_NODE
from tbtui.plugins.graphs.graph import build_graph
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tests.helpers.graphs import MadeGraph, Node, two_layers, with_function

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy.typing as npt

CPU, GPU = "/job:localhost/replica:0/task:0/device:CPU:0", "/job:localhost/replica:0/task:0/device:GPU:0"
STREAM, COPIES = f"{GPU}/stream:all", f"{GPU}/memcpy"


@dataclass(frozen=True)
class Step:
    """Executions as rows: name, start, duration, memory, device."""

    rows: Sequence[tuple[str, int, int, int, int]]
    devices: Sequence[str] = (CPU,)
    names: Sequence[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", [row[0] for row in self.rows])

    def _column(self, place: int) -> npt.NDArray[np.int64]:
        return np.array([row[place] for row in self.rows], np.int64)

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        return self._column(1)

    @property
    def durations(self) -> npt.NDArray[np.int64]:
        return self._column(2)

    @property
    def memory(self) -> npt.NDArray[np.int64]:
        return self._column(3)

    @property
    def device(self) -> npt.NDArray[np.int32]:
        return self._column(4).astype(np.int32)


def costs(
    graph: MadeGraph, step: Step, names: Sequence[str], devices: Collection[int] | None = None
) -> list[tuple[int, float, float, float]]:
    """Executions, time, span and memory of some items by name; the root is called `/`."""
    hierarchy = Hierarchy(build_graph(graph))
    stats = join_costs(hierarchy, step, devices)
    items = [hierarchy.root if name == "/" else hierarchy.find_item(name) for name in names]
    return [
        (int(stats.counts[item]), float(stats.times[item]), float(stats.spans[item]), float(stats.memory[item]))
        for item in items
    ]


def test_profile_scope_has_the_sum_and_the_span_of_its_content() -> None:
    step = Step(
        [
            ("dense/w", 100, 10, 800, 0),
            ("dense/MatMul", 120, 30, 64, 0),
            ("dense/BiasAdd", 155, 5, 32, 0),
            ("out/MatMul", 170, 20, 16, 0),
        ]
    )
    assert costs(two_layers(), step, ["dense/w/(w)", "dense/w", "dense", "out", "/"]) == [
        (1, 10, 10, 800),
        (1, 10, 10, 800),
        (3, 45, 60, 896),  # 155 + 5 - 100
        (1, 20, 20, 16),
        (4, 65, 90, 912),  # 170 + 20 - 100
    ]


def test_profile_repeated_node_has_sum_of_times_and_peak_memory() -> None:
    step = Step([("x", 10, 5, 100, 0), ("x", 50, 7, 40, 0), ("x", 30, 1, 60, 0)])
    assert costs(two_layers(), step, ["x", "/"]) == [(3, 13, 47, 100)] * 2


def test_profile_unmeasured_time_differs_from_not_executed() -> None:
    step = Step([("x", 10, 0, 8, 0), ("loss", 90, 4, 0, 0)])
    assert costs(two_layers(), step, ["x", "dense", "/"]) == [(1, 0, 0, 8), (0, 0, 0, 0), (2, 4, 4, 8)]


def test_profile_embedded_nodes_count_in_the_scope_of_their_name() -> None:
    graph = MadeGraph(
        [
            Node("a/x"),
            Node("b/size", "Const"),
            Node("b/y", "Op", ("a/x", "b/size")),
            Node("seen", "ScalarSummary", ("b/y",)),
            Node("c/d/e", "Const"),
            Node("b/z", "Op", ("b/y", "c/d/e")),
        ]
    )
    step = Step([("a/x", 0, 1, 0, 0), ("b/size", 1, 2, 0, 0), ("seen", 3, 4, 0, 0), ("c/d/e", 7, 8, 0, 0)])
    assert [row[:2] for row in costs(graph, step, ["a", "b", "b/y", "/"])] == [(1, 1), (1, 2), (0, 0), (4, 15)]


def test_profile_series_members_are_summed_once() -> None:
    graph = MadeGraph([Node(f"s/add_{number}", "Add") for number in range(1, 7)])
    step = Step([(f"s/add_{number}", 10 * number, 1, 2, 0) for number in range(1, 7)])
    assert costs(graph, step, ["s/add_[1-6]", "s", "/"]) == [(6, 6, 51, 12)] * 3


def test_profile_streams_and_copies_count_only_if_selected() -> None:
    step = Step(
        [
            ("dense/MatMul", 10, 5, 4, 0),
            ("dense/MatMul:MatMul", 20, 50, 0, 1),
            ("edge_1_x", 20, 9, 0, 2),
        ],
        (GPU, STREAM, COPIES),
    )
    assert select_default_devices(step.devices) == {0}
    assert costs(two_layers(), step, ["dense"]) == [(1, 5, 5, 4)]
    assert costs(two_layers(), step, ["dense"], [1]) == [(1, 50, 50, 0)]
    assert costs(two_layers(), step, ["dense"], [0, 1, 2]) == [(2, 55, 60, 4)]
    assert costs(two_layers(), step, ["/"], []) == [(0, 0, 0, 0)]


@pytest.mark.parametrize(
    ("name", "real"),
    [
        (CPU, True),
        ("/device:GPU:12", True),
        ("/job:worker/replica:0/task:1/device:TPU:0", True),
        ("/job:localhost/replica:0/task:0/device:XLA_GPU:0", True),
        ("/job:localhost/replica:0/task:0/gpu:1", True),
        (STREAM, False),
        (f"{GPU}/stream:14", False),
        ("/gpu:0/stream:14", False),
        (COPIES, False),
        ("/host:CPU", False),
        ("", False),
    ],
)
def test_profile_devices_are_identified_by_name(name: str, real: bool) -> None:
    assert is_device(name) is real


def test_profile_without_device_names_counts_everything() -> None:
    assert select_default_devices(["/host:CPU", "trace"]) == {0, 1}


def test_profile_executions_without_a_node_are_kept() -> None:
    step = Step(
        [
            ("_SOURCE", 0, 3, 0, 0),
            ("dense/_0__cf__0", 5, 40, 16, 0),
            ("dense/_0__cf__0", 50, 2, 64, 0),
            ("dense", 60, 1, 0, 0),
            ("x:MatMul", 70, 1, 0, 0),
            ("x:Placeholder", 80, 1, 0, 0),
        ]
    )
    hierarchy = Hierarchy(build_graph(two_layers()))
    stats = join_costs(hierarchy, step)
    assert stats.unmatched == (
        UnmatchedOperation("dense/_0__cf__0", 2, 42, 64),
        UnmatchedOperation("_SOURCE", 1, 3, 0),
        UnmatchedOperation("dense", 1, 1, 0),
        UnmatchedOperation("x:MatMul", 1, 1, 0),
    )
    assert match_executions(hierarchy, step).tolist() == [NO_NODE] * 5 + [hierarchy.find_item("x")]


def test_profile_node_of_a_function_ignores_the_same_name_in_the_graph() -> None:
    hierarchy = Hierarchy(build_graph(with_function()))
    stats = join_costs(hierarchy, Step([("Mul", 0, 5, 0, 0), ("call", 5, 6, 0, 0)]))
    assert [stray.name for stray in stats.unmatched] == ["Mul"]
    assert stats.times[hierarchy.root] == 6
    assert stats.times[hierarchy.library] == 0


def test_profile_without_executions_costs_nothing() -> None:
    hierarchy = Hierarchy(build_graph(two_layers()))
    stats = join_costs(hierarchy, Step([]))
    for column in (stats.counts, stats.times, stats.spans, stats.memory):
        assert column.shape == (len(hierarchy),)
        assert not column.any()


def test_profile_maximum_times_do_not_overflow_sums() -> None:
    most = (1 << 62) - 1
    ((count, time, span, memory),) = costs(two_layers(), Step([("x", most, most, most, 0)] * 3), ["/"])
    assert (count, time, span, memory) == (3, 3 * float(most), float(most), float(most))


NAMES = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join)


@given(st.lists(NAMES, min_size=1, max_size=12, unique=True), st.data())
def test_profile_execution_counts_in_all_scopes_of_its_name(names: list[str], data: st.DataObject) -> None:
    ran = st.tuples(st.sampled_from(names), st.integers(0, 99), st.integers(0, 99), st.integers(0, 99), st.just(0))
    step = Step(data.draw(st.lists(ran, max_size=20)))
    hierarchy = Hierarchy(build_graph(MadeGraph([Node(name) for name in names])))
    stats = join_costs(hierarchy, step)
    assert not stats.unmatched
    for item in range(hierarchy.nodes, len(hierarchy)):
        scope = hierarchy.name(item)
        inside = [row for row in step.rows if not scope or f"{row[0]}/".startswith(f"{scope}/")]
        _check(stats, item, inside)


def _check(stats: ItemCosts, item: int, rows: Sequence[tuple[str, int, int, int, int]]) -> None:
    measured = [row for row in rows if row[2]]
    most = {name: max(row[3] for row in rows if row[0] == name) for name, *_ in rows}
    span = max(row[1] + row[2] for row in measured) - min(row[1] for row in measured) if measured else 0
    assert stats.counts[item] == len(rows)
    assert stats.times[item] == sum(row[2] for row in rows)
    assert stats.spans[item] == span
    assert stats.memory[item] == sum(most.values())
