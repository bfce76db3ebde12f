"""Test memory, communication across ranks, and the comparison of captures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.plugins.profile.communication import (
    describe_straggler,
    list_collectives,
    rank_summaries,
    rank_waits,
)
from tbtui.plugins.profile.comparison import compare_classes, compare_operators
from tbtui.plugins.profile.memory import describe_memory, draw_memory, list_memory_owners
from tests.plugins.test_profile_traces import analysis_of, event, gpu_space, write

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.plugins.profile.capture import Analysis


def allocation(ts: float, size: int, address: int, total: int, device: int = 1) -> dict[str, Any]:
    arguments = {"Bytes": size, "Addr": address, "Total Allocated": total, "Device Type": device, "Device Id": 0}
    return {"ph": "i", "s": "t", "name": "[memory]", "ts": ts, "pid": 1, "tid": 1, "args": arguments}


def steps(*ends: float) -> list[dict[str, Any]]:
    starts = (0.0, *ends[:-1])
    return [
        event(f"ProfilerStep#{number}", start, end - start, cat="user_annotation")
        for number, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]


@pytest.fixture
def memory(tmp_path: Path) -> Analysis:
    events = [
        event("nn.Module: Net_0", 5, 50, cat="python_function"),
        event("aten::mm", 10, 20),
        event("aten::add", 40, 10),
        allocation(15, 1000, 7, 1000),
        allocation(42, 500, 8, 1500),
        allocation(60, -1000, 7, 500),
        allocation(70, 200, 7, 700),
        event("end", 90, 10),
    ]
    return analysis_of(tmp_path, events)


def test_peak_is_broken_down_by_operator_and_module(memory: Analysis) -> None:
    (device,) = memory.memory
    assert (device.name, device.peak, device.peak_time) == ("GPU 0", 1500, 37)
    rows = {row.name: (row.calls, row.allocated, row.freed, row.at_peak) for row in device.rows}
    assert rows == {
        "aten::mm": (1, 1000, 0, 1000),
        "aten::add": (1, 500, 0, 500),
        "(outside of operators)": (1, 200, 1000, 0),
    }
    assert device.modules == (("Net_0", 1500),)
    assert device.unknown_at_peak == 0
    assert describe_memory(device) == "GPU 0: peak 1.5 kB at 37 µs · most in Net_0 (1.5 kB)"
    assert any("aten::mm, 1 allocation" in line for line in list_memory_owners(device))


def test_curve_marks_its_peak(memory: Analysis) -> None:
    (device,) = memory.memory
    text = draw_memory(memory, device, 60, 8).text()
    assert "▲ 1.5 kB" in text
    assert "█" in text
    for size in ((8, 3), (20, 4), (200, 12)):
        assert draw_memory(memory, device, *size).width == size[0]


def test_memory_that_grows_with_each_step_is_named(tmp_path: Path) -> None:
    events = [
        *steps(100, 200, 300, 400),
        *(allocation(number * 100 + 50, 64, number, 64 * number + 64) for number in range(4)),
    ]
    (device,) = analysis_of(tmp_path, events).memory
    assert device.growth == 64
    assert "each step ends 64 B higher: a leak?" in describe_memory(device)
    steady = [*steps(100, 200, 300, 400), *(allocation(number * 100 + 50, 64, 1, 64) for number in range(4))]
    assert analysis_of(tmp_path, steady).memory[0].growth == 0


def test_memory_freed_of_before_the_capture_is_drawn_from_the_minimum(tmp_path: Path) -> None:
    (device,) = analysis_of(tmp_path, [event(), allocation(1, -500, 1, -500), allocation(2, 100, 2, -400)]).memory
    assert device.totals.tolist() == [0, 100]


def test_allocations_of_tensorflow_are_read_from_the_xspace(tmp_path: Path) -> None:
    from tbtui.plugins.profile.capture import CaptureSource, load_capture
    from tbtui.store.snapshot import AssetFile

    space = gpu_space()
    host = space.planes[0]
    names = ("allocation_bytes", "addr", "bytes_allocated", "allocator_name")
    for number, name in enumerate(names, 10):
        host.stat_metadata[number].name = name
    host.event_metadata[20].name = "MemoryAllocation"
    host.event_metadata[21].name = "MemoryDeallocation"
    line = host.lines[0]
    for metadata, offset, total in ((20, 30, 640), (21, 60, 0)):
        added = line.events.add(metadata_id=metadata, offset_ps=offset * 1_000_000)
        added.stats.add(metadata_id=10, int64_value=640)
        added.stats.add(metadata_id=11, uint64_value=99)
        added.stats.add(metadata_id=12, int64_value=total)
        added.stats.add(metadata_id=13, str_value="GPU_0_bfc")
    path = write(tmp_path / "vm.xplane.pb", space.SerializeToString())
    (device,) = load_capture(CaptureSource("run", "s", "vm", AssetFile("profile", "s", path, 1, 1))).memory
    assert (device.name, device.peak) == ("GPU_0_bfc", 640)


def rank(path: Path, number: int, starts: tuple[float, ...], end: float = 100) -> Analysis:
    arguments = {
        "Collective name": "allreduce",
        "In msg nelems": 1000,
        "dtype": "Float",
        "Group size": 2,
        "Process Group Name": "0",
    }
    events = [event("ProfilerStep#1", 0, 200, cat="user_annotation")]
    for position, start in enumerate(starts):
        stop = end + 50 * position
        events.append(event("ncclDevKernel_AllReduce", start, stop - start, cat="kernel", pid=0, tid=9, args=arguments))
    events.append(event("gemm", starts[0], 5, cat="kernel", pid=0, tid=7))
    folder = path / f"rank{number}"
    folder.mkdir()
    return analysis_of(folder, events, distributedInfo={"rank": number, "world_size": 2})


def test_collectives_have_bytes_bandwidth_and_what_compute_hides(tmp_path: Path) -> None:
    (row,) = list_collectives(rank(tmp_path, 0, (60, 130)))
    assert (row.name, row.calls, row.total, row.exposed) == ("allreduce (group 0)", 2, 60, 55)
    assert row.nbytes == 8000
    assert row.bandwidth == pytest.approx(8000 / 60e-6)
    assert math.isnan(row.wait)


def test_ranks_wait_for_the_one_that_comes_last(tmp_path: Path) -> None:
    early, late = rank(tmp_path, 0, (20, 110)), rank(tmp_path, 1, (90, 140))
    waits = rank_waits([early, late])
    assert [sum(each.values()) for each in waits] == [100, 0]
    (row,) = list_collectives(early, [early, late])
    assert (row.wait, row.transfer) == (100, 20)
    summaries = rank_summaries([early, late])
    assert [each.wait for each in summaries] == [100, 0]
    assert describe_straggler(summaries) == "rank 1 of 2 is the straggler: rank 0 of 2 waits 100 µs a step longer"
    assert describe_straggler(rank_summaries([late, late])).startswith("the ranks are even")


def test_captures_are_compared_by_step(tmp_path: Path) -> None:
    def capture(name: str, length: float, *more: dict[str, Any]) -> Analysis:
        folder = tmp_path / name
        folder.mkdir()
        return analysis_of(folder, [*steps(100, 200), event("mm", 10, length), event("mm", 110, length), *more])

    now = capture("now", 30, event("new", 60, 5))
    before = capture("before", 20, event("gone", 60, 10))
    rows = {row.name: (row.now, row.before, row.difference, row.ratio) for row in compare_operators(now, before)}
    assert rows == {"mm": (30, 20, 10, 1.5), "gone": (0, 5, -5, 0), "new": (2.5, 0, 2.5, math.inf)}
    differences = {kind.key: (time, was) for kind, time, was in compare_classes(now, before)}
    assert differences == {"operators": (32.5, 25), "nothing": (67.5, 75)}
