"""Test the readers of traces with the dialects and the damage that occur."""

from __future__ import annotations

import gzip
import json
import random
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.events.schema import get_message_class
from tbtui.plugins.profile.capture import Analysis, CaptureSource, load_capture
from tbtui.plugins.profile.formats import trace_bytes
from tbtui.plugins.profile.formats.chrome import ChromeReader
from tbtui.plugins.profile.formats.chrome_events import find_kind
from tbtui.plugins.profile.formats.columns import TraceFormatError
from tbtui.plugins.profile.formats.xspace import XSpaceReader
from tbtui.plugins.profile.tables import shorten_kernel_name
from tbtui.plugins.profile.trace import EventTexts, Kind
from tbtui.store.snapshot import AssetFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.profile.trace import Trace

CORPUS = Path(__file__).parents[1] / "corpus" / "profile"


def event(name: str = "aten::mm", ts: Any = 0, dur: Any = 1, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur, **more}


def write(path: Path, text: str | bytes) -> str:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


def read(path: str) -> Trace:
    traces = [trace for trace in ChromeReader(path).read() if trace is not None]
    assert traces[-1].is_complete
    return traces[-1]


def trace_of(path: Path, events: Sequence[Any], **head: Any) -> Trace:
    return read(write(path / "a.pt.trace.json", json.dumps({**head, "traceEvents": events})))


def analysis_of(path: Path, events: Sequence[Any], **head: Any) -> Analysis:
    name = write(path / "a.pt.trace.json", json.dumps({**head, "traceEvents": events}))
    return load_capture(CaptureSource("run", "a", "a", AssetFile("profile", "a", name, 1, 1)))


@pytest.mark.parametrize(
    "text",
    [
        '{"traceEvents": [%s]}',
        '{"a": {"b": "}"}, "traceEvents":\n[\n  %s\n],\n"otherData": {"x": [1, 2]}}',
        "[%s]",
        "[%s",
    ],
)
def test_layouts_of_files_hold_the_same_events(tmp_path: Path, text: str) -> None:
    events = ",\n".join(json.dumps(event(f'quote " and \\ {{ {number}', number)) for number in range(5))
    trace = read(write(tmp_path / "a.json", text % events))
    assert len(trace) == 5
    assert trace.names[0] == 'quote " and \\ { 0'


def test_compressed_trace_equals_the_plain_one(tmp_path: Path) -> None:
    text = json.dumps({"traceEvents": [event(f"op{number % 7}", number, 0.5) for number in range(1000)]})
    plain = read(write(tmp_path / "a.json", text))
    parts = gzip.compress(text[:200].encode()), gzip.compress(text[200:].encode())
    packed = read(write(tmp_path / "a.json.gz", b"".join(parts)))
    assert plain.names == packed.names
    assert np.array_equal(plain.starts, packed.starts)


def test_blocks_of_any_size_hold_the_same_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events = [event(f"op{number % 7}", number, 0.5, args={"External id": number}) for number in range(300)]
    path = write(tmp_path / "a.json", json.dumps({"traceEvents": events}, indent=1))
    whole = read(path)
    for size in (100, 1000, 7777):
        monkeypatch.setattr(trace_bytes, "BLOCK_BYTES", size)
        trace = read(path)
        assert np.array_equal(trace.external_ids, whole.external_ids)
        assert np.array_equal(trace.locators, whole.locators)


@pytest.mark.parametrize("indent", [1, 2, 3])
def test_spans_of_an_indented_file_equal_those_of_any(indent: int) -> None:
    events = [event(f'quote " }} {{ {number}', args={"a": {"b": [{}]}}) for number in range(20)]
    text = json.dumps({"traceEvents": events}, indent=indent)
    data = text[text.index("[") + 1 :].encode()
    found = trace_bytes.find_indented_events(data)
    assert found is not None
    assert np.array_equal(found, trace_bytes.find_events(np.frombuffer(data, np.uint8)))


def test_events_that_share_a_line_are_all_read(tmp_path: Path) -> None:
    text = '[\n  {"ph": "X", "name": "a"}, {"ph": "X", "name": "b"\n  },\n  {"ph": "X", "name": "c"\n  }\n]'
    trace = read(write(tmp_path / "a.json", text))
    assert sorted(trace.names) == ["a", "b", "c"]


def test_ids_that_grow_beyond_32_bits_stay_exact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_bytes, "BLOCK_BYTES", 1000)
    ids = [number if number < 50 else (1 << 40) + number for number in range(100)]
    trace = trace_of(tmp_path, [event(ts=ts, args={"correlation": each}) for ts, each in enumerate(ids)])
    assert trace.correlations.tolist() == ids


def test_identifiers_of_unusual_types_do_not_lose_the_event(tmp_path: Path) -> None:
    odd = {"External id": "7", "correlation": None, "est. achieved occupancy %": "high", "blocks per SM": 2}
    trace = trace_of(tmp_path, [event(cat="kernel", args=odd), event(ts=3, args={"External id": 5})])
    assert trace.external_ids.tolist() == [-1, 5]
    assert trace.blocks[0] == 2
    assert np.isnan(trace.occupancies).all()


def test_first_blocks_are_shown_before_the_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_bytes, "BLOCK_BYTES", 1000)
    path = write(tmp_path / "a.json", json.dumps({"traceEvents": [event(ts=number) for number in range(100)]}))
    traces = [trace for trace in ChromeReader(path).read() if trace is not None]
    assert [trace.is_complete for trace in traces[:-1]] == [False] * (len(traces) - 1)
    lengths = [len(trace) for trace in traces]
    assert 0 < lengths[0] < 20
    assert lengths == sorted(lengths)
    assert lengths[-1] == 100


@pytest.mark.parametrize("suffix", ["json", "json.gz"])
def test_arguments_are_read_again(tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_bytes, "BLOCK_BYTES", 3000)
    monkeypatch.setattr(trace_bytes, "_CHECKPOINT_BYTES", 4000)
    monkeypatch.setattr(trace_bytes, "WINDOW_BYTES", 100)
    rng = random.Random(1)
    events = [event(ts=number, args={"Input Dims": [[rng.random()]], "n": number}) for number in range(500)]
    text = json.dumps({"traceEvents": events}).encode()
    path = write(tmp_path / f"a.{suffix}", gzip.compress(text) if suffix.endswith("gz") else text)
    reader = ChromeReader(path)
    *_, trace = (trace for trace in reader.read() if trace is not None)
    for row in (0, 1, 250, 499):
        assert reader.arguments(int(trace.locators[row])) == events[row]["args"]


@pytest.mark.parametrize("name", ["half \\ud83d only", "\\udc00 last half", "\\ud83d\\ud83d\\ude00"])
def test_half_a_character_in_a_name_does_not_lose_the_event(tmp_path: Path, name: str) -> None:
    text = json.dumps({"traceEvents": [event("NAME", 0), event("after", 5)]}).replace("NAME", name)
    trace = read(write(tmp_path / "t.json", text))
    assert len(trace) == 2
    assert not trace.problems
    assert "�" in trace.name(0)
    trace.name(0).encode()


@pytest.mark.parametrize(("place", "kept"), [(-8, 3000), (-9000, 2000)])
def test_damaged_compressed_trace_holds_what_comes_before(tmp_path: Path, place: int, kept: int) -> None:
    chance = random.Random(1)
    events = [event(f"e{chance.random()}", at) for at in range(3000)]
    data = bytearray(gzip.compress(json.dumps({"traceEvents": events}).encode()))
    data[place] ^= 0x55  # in the checksum, or in a block
    trace = read(write(tmp_path / "t.json.gz", bytes(data)))
    assert {each["name"] for each in events[:kept]} <= set(trace.names)  # damage may change the times of later events
    assert any("damaged" in problem for problem in trace.problems)


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("bad", ["", '{"ph": "X", "name": "n", "ts": NaN, "args": {"Input Dims": [[9]]}}, '])
def test_shapes_of_all_operators_are_read_in_one_pass(
    tmp_path: Path, suffix: str, bad: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace_bytes, "BLOCK_BYTES", 512)
    events = [event(ts=at, cat="cpu_op", args={"Input Dims": [[at % 3, 4], [], [5]]}) for at in range(40)]
    events += [event("bare", 50, cat="cpu_op"), event("odd", 60, cat="cpu_op", args={"Input Dims": "many"})]
    text = '{"traceEvents": [' + bad + json.dumps(events)[1:] + "}"
    path = write(tmp_path / f"t.json{suffix}", gzip.compress(text.encode()) if suffix else text)
    analysis = load_capture(CaptureSource("run", "w", "w", AssetFile("profile", "w", path, 1, 1)))
    *shares, groups = analysis.group("shape")
    assert isinstance(groups, EventTexts)
    shapes = {analysis.trace.starts[row]: groups.texts[groups.numbers[row]] for row in range(len(analysis.trace))}
    assert shapes == {
        **{float(at): f"[{at % 3},4] [5]" for at in range(40)},
        50.0: "(no shapes)",
        60.0: "(no shapes)",
    }
    assert len(shares) > 3
    assert shares == sorted(shares)


@pytest.mark.parametrize(
    ("bad", "lost"),
    [
        ('{"ph": "X", "name": "bad \x01 name", "ts": 1, "dur": 1}', 0),
        ('{"ph": "X", "name": "x", "ts": 1, "dur": 1, "args": {"a": N/A, "b": nan, "c": -inf}}', 0),
        ('{"ph": "X", "name": "x", "ts": 1, "dur": 1, "args": {"a": 99999999999999999999999}}', 0),
        ('{"ph": "X", "name": ["x"], "ts": "1", "dur": null, "pid": {"a": 1}}', 0),
        ('{"ph": "X", "name": "x", "ts": 1, "dur": 1, "args": "text"}', 1),
        ('{"ph": "X", "name": "x" "ts": 1}', 1),
        ('{"ph": 7}', 1),
    ],
)
def test_bad_event_does_not_lose_its_neighbours(tmp_path: Path, bad: str, lost: int) -> None:
    good = json.dumps(event())
    trace = read(write(tmp_path / "a.json", f'{{"traceEvents": [{good}, {bad}, {good}]}}'))
    assert len(trace) == 3 - lost
    assert trace.problems == ((f"{lost} events could not be read and are left out",) if lost else ())


@pytest.mark.parametrize(
    "args", ["[]", "[1, 2]", "null", "7", '"text"', "{}", '{"a": null}', '{"a": "many"}', '{"a": [1]}']
)
def test_counter_without_values_is_left_out(tmp_path: Path, args: str) -> None:
    counter = f'{{"ph": "C", "name": "used", "ts": 1, "pid": 1, "args": {args}}}'
    trace = read(write(tmp_path / "a.json", f"[{counter}, {json.dumps(event())}]"))
    assert trace.counters == ()
    assert trace.names == ("aten::mm",)


def test_time_that_goes_back_does_not_lose_events(tmp_path: Path) -> None:
    trace = trace_of(tmp_path, [event("late", 1000, 5), event("early", 10, 5), event("ends first", 20, -7)])
    assert [trace.name(row) for row in range(3)] == ["early", "ends first", "late"]
    assert trace.durations.tolist() == [5, 0, 5]


def test_hole_in_a_huge_file_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.pt.trace.json"
    with path.open("wb") as file:
        file.write(b'{"traceEvents": [' + json.dumps(event()).encode() + b",")
        file.seek(256 << 20)
        file.write(json.dumps(event("after", 5)).encode() + b"]}")
    tracemalloc.start()
    try:
        trace = read(str(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert trace.names == ("aten::mm", "after")
    assert peak < 64 << 20
    assert "could not be read" in trace.problems[0]


def test_times_that_are_no_times_are_counted(tmp_path: Path) -> None:
    events = [event(), event(ts="later"), event(ts=1e300), event(dur=-5), event(dur="x"), {}]
    trace = trace_of(tmp_path, events)
    assert len(trace) == 3
    assert trace.problems == ("2 events have no valid time and are left out",)
    assert trace.durations.min() == 0


def test_cut_trace_holds_all_whole_events(tmp_path: Path) -> None:
    events = [event(f"op {number}", number, args={"a": [{"b": "}"}]}) for number in range(40)]
    data = json.dumps({"traceEvents": events}, indent=1).encode()
    ends = [data.index(json.dumps(f"op {number}").encode()) for number in range(40)]
    rng = random.Random(3)
    for _ in range(60):
        cut = rng.randrange(ends[0] + 200, len(data) - 4)
        trace = read(write(tmp_path / "cut.json", data[:cut]))
        whole = sum(end + 200 < cut for end in ends)
        assert whole - 2 <= len(trace) <= 40
        assert len(trace) >= sum(begin < cut for begin in ends) - 1
        assert any("cut" in problem for problem in trace.problems)


def test_cut_compressed_trace_says_so(tmp_path: Path) -> None:
    rng = random.Random(1)
    text = json.dumps({"traceEvents": [event(f"{rng.random()}", number) for number in range(5000)]})
    data = gzip.compress(text.encode())
    trace = read(write(tmp_path / "a.json.gz", data[: len(data) // 2]))
    assert 2000 < len(trace) < 3000
    assert trace.problems[-1] == "the compressed file ends early: its writer may have been stopped"


@pytest.mark.parametrize("data", [b"", b"{}", b"not json at all", b'{"traceEvents": 7}', b"\x1f\x8b\x00\x01broken"])
def test_file_that_is_no_trace_is_refused(tmp_path: Path, data: bytes) -> None:
    path = write(tmp_path / "a.json", data)
    with pytest.raises(TraceFormatError):
        read(path)


def test_trace_without_events_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceFormatError, match="holds no events"):
        trace_of(tmp_path, [])


def test_begins_and_ends_make_ranges(tmp_path: Path) -> None:
    def part(phase: str, name: str, ts: float, **more: Any) -> dict[str, Any]:
        return {"ph": phase, "name": name, "ts": ts, "pid": 1, "tid": 1, **more}

    events = [
        part("B", "outer", 0),
        part("B", "inner", 1),
        part("E", "", 2),
        part("E", "", 5),
        part("E", "stray", 6),
        part("B", "open", 7),
        part("b", "async", 0, cat="c", id="0x1"),
        part("e", "async", 3, cat="c", id="0x1"),
        part("C", "memory", 1, args={"used": 5}),
        part("C", "memory", 2, args={}),
        part("C", "memory", 3, args={"used": "much"}),
        part("C", "memory", 4, args={"used": 7}),
    ]
    trace = trace_of(tmp_path, events)
    found = {trace.name(row): (trace.starts[row], trace.ends[row]) for row in range(len(trace))}
    assert found == {"outer": (0, 5), "inner": (1, 2), "async": (0, 3)}
    assert trace.problems == ("1 events begin and do not end: they are left out",)
    (counter,) = trace.counters
    assert (counter.times.tolist(), counter.values.tolist()) == ([1, 4], [5, 7])


def test_markers_far_away_do_not_stretch_the_capture(tmp_path: Path) -> None:
    days = 4e11
    events = [
        event(ts=100, dur=50),
        {"ph": "i", "s": "g", "name": "Record Window End", "ts": days, "pid": "", "tid": ""},
        event("PyTorch Profiler (0)", 0, days, cat="Trace", pid="Spans", tid="PyTorch Profiler"),
    ]
    assert trace_of(tmp_path, events).extent == (0, 50)


def test_step_repeated_on_a_stream_counts_once(tmp_path: Path) -> None:
    events = [
        event("ProfilerStep#3", 0, 100, cat="user_annotation"),
        event("ProfilerStep#3", 10, 120, cat="gpu_user_annotation", pid=0, tid=7),
        event("launch", 10, 5, cat="cuda_runtime", args={"correlation": 1}),
        event("kernel", 50, 100, cat="kernel", pid=0, tid=7, args={"correlation": 1}),
    ]
    analysis = analysis_of(tmp_path, events)
    assert [(step.number, step.start, step.end) for step in analysis.steps.steps] == [(3, 0, 150)]
    (device,) = analysis.devices
    assert device.busy == pytest.approx(100 / 150)
    assert (device.waiting, device.host_late) == (0, pytest.approx(50 / 150))  # launched after the gap had begun


def test_whole_microseconds_leave_no_negative_self_time(tmp_path: Path) -> None:
    events = [
        event("outer", 0, 10),
        event("zero", 0, 0),
        event("late", 8, 3),
        event("late child", 9, 2),
        event("next", 11, 1),
    ]
    analysis = analysis_of(tmp_path, events)
    own = {row.name: row.host_own for row in analysis.operators}
    assert own == {"outer": 8, "zero": 0, "late": 1, "late child": 2, "next": 1}


def test_runtime_call_inside_an_operator_is_not_its_own_time_whatever_its_id(tmp_path: Path) -> None:
    """In the NCCL capture of the benchmarks 2.39 ms have an `External id` that no operator has."""
    call = event("cudaStreamGetPriority", 10, 70, cat="cuda_runtime", args={"External id": 99, "correlation": 3})
    analysis = analysis_of(tmp_path, [event("aten::norm", 0, 100, args={"External id": 7}), call])
    (row,) = analysis.operators
    assert (row.host_total, row.host_own) == (100, 30)


def test_recursion_counts_once_in_totals(tmp_path: Path) -> None:
    events = [event("f", 0, 10), event("g", 1, 8), event("f", 2, 4)]
    rows = {row.name: row for row in analysis_of(tmp_path, events).operators}
    assert (rows["f"].host_total, rows["f"].host_own, rows["f"].calls) == (10, 6, 2)


def test_communication_is_hidden_behind_compute(tmp_path: Path) -> None:
    events = [
        event("ProfilerStep#1", 0, 100, cat="user_annotation"),
        event("gemm", 10, 30, cat="kernel", pid=0, tid=7),
        event("ncclKernel_AllReduce", 30, 40, cat="kernel", pid=0, tid=8),
    ]
    analysis = analysis_of(tmp_path, events)
    times = analysis.breakdown.mean
    assert (times[0], times[1], times.sum()) == (30, 30, 100)
    assert any("communication" in advice.finding for advice in analysis.advice)


def xspace(**planes: Any) -> Any:
    return get_message_class("XSpace")(**planes)


def gpu_space() -> Any:
    space = get_message_class("XSpace")()
    host = space.planes.add(name="/host:CPU")
    for number, name in enumerate(("train", "cuLaunchKernel", "MatMul:MatMul"), 1):
        host.event_metadata[number].id = number
        host.event_metadata[number].name = name
    for number, name in enumerate(("step_num", "correlation_id"), 1):
        host.stat_metadata[number].name = name
    line = host.lines.add(id=-5, name="python", timestamp_ns=1000)
    step = line.events.add(metadata_id=1, offset_ps=0, duration_ps=100_000_000)
    step.stats.add(metadata_id=1, int64_value=7)
    launch = line.events.add(metadata_id=2, offset_ps=10_000_000, duration_ps=5_000_000)
    launch.stats.add(metadata_id=2, uint64_value=42)
    line.events.add(metadata_id=3, offset_ps=5_000_000, duration_ps=20_000_000)
    line.events.add(metadata_id=99, offset_ps=50_000_000, duration_ps=1)
    device = space.planes.add(name="/device:GPU:0")
    device.event_metadata[1].name = "gemm_kernel"
    device.event_metadata[2].name = "MemcpyH2D"
    device.event_metadata[3].name = "7"
    device.stat_metadata[1].name = "correlation_id"
    stream = device.lines.add(id=7, name="Stream #7(Compute)", timestamp_ns=1000)
    kernel = stream.events.add(metadata_id=1, offset_ps=40_000_000, duration_ps=30_000_000)
    kernel.stats.add(metadata_id=1, uint64_value=42)
    stream.events.add(metadata_id=2, offset_ps=80_000_000, duration_ps=10_000_000)
    device.lines.add(id=9, name="Steps", timestamp_ns=1000).events.add(metadata_id=3, duration_ps=90_000_000)
    return space


def test_xspace_of_a_gpu_has_kernels_launches_and_steps(tmp_path: Path) -> None:
    name = write(tmp_path / "vm.xplane.pb", gpu_space().SerializeToString())
    analysis = load_capture(CaptureSource("run", "s", "vm", AssetFile("profile", "s", name, 1, 1)))
    assert [step.number for step in analysis.steps.steps] == [7]
    (kernel, copy) = analysis.kernels
    assert (kernel.name, kernel.total, kernel.operator) == ("gemm_kernel", 30, "MatMul:MatMul")
    assert copy.total == 10
    assert analysis.devices[0].name == "GPU 0"
    row = int(kernel.rows[0])
    assert analysis.arguments(row) == {"correlation_id": 42}
    assert "event 99" in analysis.trace.names


def test_xspace_of_a_gpu_has_occupancy_and_blocks_of_its_kernels(tmp_path: Path) -> None:
    space = gpu_space()
    device = space.planes[1]
    device.stat_metadata[2].name, device.stat_metadata[3].name = "kernel_details", "core_count"
    device.stats.add(metadata_id=3, uint64_value=108)
    details = "regs:32 static_shared:0 dynamic_shared:0 grid:54,2,1 block:256,1,1 occ_pct:62.5"
    device.lines[0].events[0].stats.add(metadata_id=2, str_value=details)
    name = write(tmp_path / "vm.xplane.pb", space.SerializeToString())
    analysis = load_capture(CaptureSource("run", "s", "vm", AssetFile("profile", "s", name, 1, 1)))
    kernel, copy = analysis.kernels
    assert kernel.occupancy == 62.5
    assert np.isnan(copy.occupancy)
    (use,) = analysis.devices
    assert (use.occupancy, use.kernels) == (62.5, 1)
    assert use.efficiency == pytest.approx(30 / 100)


def test_launches_in_the_plane_of_the_driver_belong_to_the_thread_of_the_host(tmp_path: Path) -> None:
    space = gpu_space()
    host = space.planes[0]
    driver = space.planes.add(name="/host:CUPTI")
    driver.event_metadata[2].name, driver.stat_metadata[2].name = "cuLaunchKernel", "correlation_id"
    driver.lines.add(id=-5, name="Driver", timestamp_ns=1000).events.add().CopyFrom(host.lines[0].events[1])
    del host.lines[0].events[1]
    name = write(tmp_path / "vm.xplane.pb", space.SerializeToString())
    analysis = load_capture(CaptureSource("run", "s", "vm", AssetFile("profile", "s", name, 1, 1)))
    assert analysis.kernels[0].operator == "MatMul:MatMul"
    assert [track.title for track in analysis.trace.tracks].count("python") == 1


def test_operations_of_xla_count_on_a_tpu_and_repeat_the_streams_of_a_gpu(tmp_path: Path) -> None:
    space = gpu_space()
    for name in ("/device:GPU:0", "/device:TPU:0"):
        plane = next((plane for plane in space.planes if plane.name == name), None) or space.planes.add(name=name)
        plane.event_metadata[8].name = "fusion.1"
        plane.lines.add(id=20, name="XLA Ops", timestamp_ns=1000).events.add(
            metadata_id=8, offset_ps=40_000_000, duration_ps=30_000_000
        )
    name = write(tmp_path / "vm.xplane.pb", space.SerializeToString())
    analysis = load_capture(CaptureSource("run", "s", "vm", AssetFile("profile", "s", name, 1, 1)))
    assert {device.name: device.kernels for device in analysis.devices} == {"GPU 0": 1, "TPU 0": 1}


def test_damaged_xspace_holds_what_comes_before(tmp_path: Path) -> None:
    data = gpu_space().SerializeToString()
    rng = random.Random(5)
    for _ in range(60):
        cut = rng.randrange(1, len(data))
        path = write(tmp_path / "vm.xplane.pb", data[:cut])
        try:
            *_, trace = XSpaceReader(path).read()
        except TraceFormatError:
            continue
        assert trace is not None
        assert len(trace) <= 7
        assert trace.problems or cut == len(data) or len(trace) >= 4
    flipped = bytearray(data)
    flipped[2] ^= 0xFF
    path = write(tmp_path / "vm.xplane.pb", bytes(flipped))
    try:
        *_, trace = XSpaceReader(path).read()
        assert trace is not None
        assert trace.problems
    except TraceFormatError:
        pass


@pytest.mark.parametrize("data", [b"", b"\xff\xff\xff", b"plain text of any kind"])
def test_file_that_is_no_xspace_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(TraceFormatError):
        list(XSpaceReader(write(tmp_path / "vm.xplane.pb", data)).read())


def test_kinds_of_events_have_their_names() -> None:
    assert Kind(find_kind("cuda_driver", "cuLaunchKernel")) is Kind.RUNTIME
    assert Kind(find_kind("cpu_op", "enumerate(DataLoader)#_Iter.__next__")) is Kind.INPUT
    assert Kind(find_kind("cpu_op", "gloo:all_reduce")) is Kind.COLLECTIVE


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("void at::native::vectorized_elementwise_kernel<4, at::F<float> >(int)", "vectorized_elementwise_kernel"),
        ("void (anonymous namespace)::softmax<float>(float*)", "softmax"),
        ("void cutlass::Kernel<cutlass_80_s1688gemm_64x64>(cutlass_80::Params)", "cutlass_80_s1688gemm_64x64"),
        ("void cutlass::device_kernel<at::cuda::Gemm<int, 3> >(X)", "Gemm"),
        ("kernel", "kernel"),
        ("ampere_sgemm_32x32_tn", "ampere_sgemm_32x32_tn"),
    ],
)
def test_short_name_of_a_kernel_says_what_runs(name: str, short: str) -> None:
    assert shorten_kernel_name(name) == short
