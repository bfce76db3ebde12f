"""Test run metadata of TensorFlow 1 as captures: executions by hand, and those that TensorFlow wrote."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tbtui.events.schema import get_message_class
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.plugins.profile.capture import list_capture_sources, load_capture
from tbtui.plugins.profile.formats.columns import TraceFormatError
from tbtui.plugins.profile.formats.step_stats import StepStatsReader
from tbtui.plugins.profile.launches import build_call_tree
from tbtui.plugins.profile.trace import Kind
from tbtui.run_health.summaries import collect_contents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.plugins.profile.trace import Trace
    from tbtui.store.snapshot import RunSnapshot

CORPUS = Path(__file__).parents[1] / "corpus" / "writers"
GPU = "/job:localhost/replica:0/task:0/device:GPU:0"
EPOCH = 1_500_000_000_000_000_000

Execution = tuple[str, str, int, int]
"""Name, label, begin and duration in nanoseconds."""


def metadata(devices: Mapping[str, Sequence[Execution]]) -> bytes:
    found = get_message_class("RunMetadata")()
    for name, executions in devices.items():
        device = found.step_stats.dev_stats.add(device=name)
        for node, label, start, length in executions:
            device.node_stats.add(
                node_name=node, timeline_label=label, all_start_nanos=EPOCH + start, all_end_rel_nanos=length
            )
    data: bytes = found.SerializeToString()
    return data


def trace_of(devices: Mapping[str, Sequence[Execution]]) -> Trace:
    (trace,) = StepStatsReader(metadata(devices), 7).read()
    return trace


@pytest.fixture(scope="module")
def runs() -> Mapping[str, RunSnapshot]:
    return Loader(parse_sources([str(CORPUS)]), reload_seconds=0).load_all().snapshot.runs


def test_executions_of_tensorflow_are_a_capture_of_one_step(runs: Mapping[str, RunSnapshot]) -> None:
    assert collect_contents(runs["tf/v1"]).tags["profile"] == {"step2"}
    (source,) = list_capture_sources(runs["tf/v1"])
    analysis = load_capture(source)
    assert (source.title, len(analysis.trace), [step.number for step in analysis.steps.steps]) == ("step2", 29, [2])
    assert analysis.breakdown.times.sum() == pytest.approx(analysis.steps.durations.sum())
    assert "layer_1/mm:_MklMatMul" in {row.name for row in analysis.operators}
    assert analysis.arguments(0)["label"]


def test_run_metadata_that_names_a_device_alone_is_no_capture(runs: Mapping[str, RunSnapshot]) -> None:
    assert "graph_tagged_run_metadata" in {series.metadata.plugin_name for series in runs["torch/run1"].series.values()}
    assert "profile" not in collect_contents(runs["torch/run1"]).tags
    assert list_capture_sources(runs["torch/run1"]) == []


def test_kernel_belongs_to_its_operation_and_counts_once() -> None:
    trace = trace_of(
        {
            GPU: [("mul", "mul = MatMul(a, b)", 0, 1_000)],
            f"{GPU}/stream:all": [("mul", "volta_sgemm", 2_000, 5_000)],
            f"{GPU}/stream:7": [("mul", "volta_sgemm", 2_000, 5_000), ("a", "MEMCPYHtoD 4096", 9_000, 250)],
            f"{GPU}/memcpy": [("a", "MEMCPYHtoD 4096", 9_000, 250)],
        }
    )
    calls = build_call_tree(trace)
    assert [trace.kinds[row] for row in calls.device_rows] == [Kind.KERNEL, Kind.COPY]
    assert [trace.name(row) for row in calls.owners if row >= 0] == ["mul:MatMul"]
    assert calls.device_own.sum() == pytest.approx(5.0)


def test_executions_that_overlap_on_one_thread_do_not_take_time_from_each_other() -> None:
    trace = trace_of({"/device:CPU:0": [("a", "a = Add()", 0, 10_000), ("b", "b = Mul()", 1_000, 4_000)]})
    calls = build_call_tree(trace)
    own = {trace.name(row): calls.self_times[row] for row in range(len(trace))}
    assert own == {"a:Add": 10.0, "b:Mul": 4.0}
    assert len(np.unique(trace.track_ids)) == 2


def test_times_since_the_epoch_keep_their_nanoseconds() -> None:
    trace = trace_of({"/device:CPU:0": [("a", "", 0, 7), ("b", "", 13, 1)]})
    assert (trace.starts[1], trace.durations.tolist()) == (0.013, pytest.approx([0.007, 0.001]))


@pytest.mark.parametrize("data", [b"", b"\xff\xff\xff", metadata({"/device:CPU:0": []})])
def test_metadata_without_times_is_refused(data: bytes) -> None:
    with pytest.raises(TraceFormatError):
        list(StepStatsReader(data, 0).read())
