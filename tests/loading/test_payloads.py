"""Test reading histograms from the files of runs that a loader follows."""

from __future__ import annotations

import math
import os
import resource
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.events.schema import get_message_class
from tbtui.events.writer import EventFileWriter
from tbtui.loading import payloads as payloads_module
from tbtui.loading.loader import Loader
from tbtui.loading.payloads import BLOCK_BYTES, RETRY_SECONDS, Payloads, read_payloads
from tbtui.loading.sources import parse_sources
from tbtui.plugins.histograms.read import Histograms, load_histograms
from tbtui.store.snapshot import ReferenceSeries
from tbtui.tfrecord.framing import frame_record
from tests.helpers.log_directory import FILE, START, Clock, LogDirectory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tbtui.loading.payloads import PayloadBlock
    from tbtui.store.snapshot import RunSnapshot

TAG = "weights"
MOVED = "the file no longer holds a record here"
DAMAGED = "the bytes of this value do not match their checksum"


def values_of(step: int, shift: float = 0.0) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.linspace(-1, 1, 50) * (step + 1) + shift


def log(
    logs: LogDirectory, steps: Iterable[int], *, run: str = "run", file: str = FILE, shift: float = 0.0, tag: str = TAG
) -> Path:
    """Append a scalar and a histogram of 50 values per step."""
    path = logs.path(run, file)
    path.parent.mkdir(parents=True, exist_ok=True)
    with EventFileWriter(str(path), wall_time=START, like_pytorch=True) as writer:
        for step in steps:
            writer.scalar("loss", 1.0, step, START + step)
            writer.histogram(tag, values_of(step, shift), step, START + step)
    return path


def follow(logs: LogDirectory) -> Loader:
    return Loader(parse_sources([str(logs.root)]), now=lambda: START)


def found(loader: Loader, run: str = "run", tag: str = TAG) -> tuple[RunSnapshot, ReferenceSeries]:
    snapshot = loader.load_all().snapshot.runs[run]
    series = snapshot.series[tag]
    assert isinstance(series, ReferenceSeries)
    return snapshot, series


def edges(read: Histograms) -> list[tuple[float, float]]:
    """Return the outermost edges of each histogram; NaN without buckets."""
    extents = zip(read.starts[:-1].tolist(), read.starts[1:].tolist(), strict=True)
    return [
        (float(read.lefts[begin]), float(read.rights[end - 1])) if begin < end else (math.nan, math.nan)
        for begin, end in extents
    ]


def expected(steps: Iterable[int], shift: float = 0.0) -> list[tuple[float, float]]:
    return [(-(step + 1.0) + shift, step + 1.0 + shift) for step in steps]


class Reads:
    """Record the points that are read of each series."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.points: list[int] = []
        monkeypatch.setattr(payloads_module, "read_payloads", self._read)

    def _read(self, run: RunSnapshot, series: ReferenceSeries, points: Any, *, largest: int) -> Iterator[PayloadBlock]:
        self.points += points.tolist()
        return read_payloads(run, series, points, largest=largest)

    def taken(self) -> list[int]:
        taken, self.points = self.points, []
        return taken


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    return Reads(monkeypatch)


def test_payloads_all_steps_of_a_tag_are_read(logs: LogDirectory) -> None:
    log(logs, range(40))
    run, series = found(follow(logs))
    read = load_histograms(Payloads(), run, series)
    assert read.steps.tolist() == list(range(40))
    assert read.wall_times.tolist() == [START + step for step in range(40)]
    assert edges(read) == expected(range(40))
    assert read.totals.tolist() == [50] * 40
    assert read.sums == pytest.approx(np.zeros(40), abs=1e-9)
    assert read.squares == pytest.approx([float(values_of(step) @ values_of(step)) for step in range(40)])
    assert [read.counts[read.starts[i] : read.starts[i + 1]].sum() for i in range(40)] == [50] * 40
    assert dict(read.errors) == {}


def test_payloads_arrays_are_read_only(logs: LogDirectory) -> None:
    log(logs, range(3))
    read = load_histograms(Payloads(), *found(follow(logs)))
    for column in (read.starts, read.lefts, read.rights, read.counts, read.totals, read.sums, read.squares):
        with pytest.raises(ValueError, match="read-only"):
            column[:] = 0


def test_payloads_repeated_read_returns_the_same_object(logs: LogDirectory, reads: Reads) -> None:
    log(logs, range(5))
    loader, payloads = follow(logs), Payloads()
    first = load_histograms(payloads, *found(loader))
    assert reads.taken() == [0, 1, 2, 3, 4]
    logs.log("run", [9])
    assert load_histograms(payloads, *found(loader)) is first
    assert reads.taken() == []


def test_payloads_grown_series_reads_only_new_points(logs: LogDirectory, reads: Reads) -> None:
    loader, payloads = follow(logs), Payloads()
    grown = 0
    for size in (3, 1, 40, 1):
        log(logs, range(grown, grown + size))
        read = load_histograms(payloads, *found(loader))
        assert reads.taken() == list(range(grown, grown + size))
        grown += size
        assert edges(read) == expected(range(grown))


def test_payloads_returned_series_does_not_change(logs: LogDirectory) -> None:
    loader, payloads = follow(logs), Payloads()
    taken = []
    for step in range(30):
        log(logs, [step])
        taken.append(load_histograms(payloads, *found(loader)))
    for count, read in enumerate(taken, 1):
        assert edges(read) == expected(range(count))


def test_payloads_older_snapshot_needs_no_read(logs: LogDirectory, reads: Reads) -> None:
    loader, payloads = follow(logs), Payloads()
    log(logs, range(5))
    older = found(loader)
    log(logs, range(5, 9))
    newer = found(loader)
    latest = load_histograms(payloads, *newer)
    assert reads.taken() == list(range(9))
    assert edges(load_histograms(payloads, *older)) == expected(range(5))
    assert load_histograms(payloads, *newer) is latest
    assert reads.taken() == []


def test_payloads_restart_keeps_points_that_stay_current(logs: LogDirectory, reads: Reads) -> None:
    loader, payloads = follow(logs), Payloads()
    log(logs, range(8))
    run, series = found(loader)
    before = load_histograms(payloads, run, series.current)
    assert reads.taken() == list(range(8))
    log(logs, range(5, 7), shift=100)
    run, series = found(loader)
    current = load_histograms(payloads, run, series.current)
    assert reads.taken() == [5, 6]
    assert edges(current) == expected(range(5)) + expected(range(5, 7), 100)
    assert edges(before) == expected(range(8))


def test_payloads_superseded_points_are_kept_beside_current_ones(logs: LogDirectory, reads: Reads) -> None:
    loader, payloads = follow(logs), Payloads()
    log(logs, range(4))
    log(logs, range(2, 5), shift=100)
    run, series = found(loader)
    for _ in range(2):
        everything = load_histograms(payloads, run, series)
        current = load_histograms(payloads, run, series.current)
    assert edges(everything) == expected(range(4)) + expected(range(2, 5), 100)
    assert edges(current) == expected(range(2)) + expected(range(2, 5), 100)
    assert len(reads.taken()) == 7 + 5


def test_payloads_several_files_of_a_run_are_one_series(logs: LogDirectory) -> None:
    for number in range(3):
        log(logs, range(10 * number, 10 * number + 10), file=f"{number}.tfevents")
    assert edges(load_histograms(Payloads(), *found(follow(logs)))) == expected(range(30))


def test_payloads_replaced_file_is_not_mixed_with_the_old_one(logs: LogDirectory) -> None:
    """The new file may have the same steps, wall times and lengths at the same offsets."""
    loader, payloads = follow(logs), Payloads()
    path = log(logs, range(20))
    run, series = found(loader)
    load_histograms(payloads, run, series)
    path.unlink()
    log(logs, range(20), shift=0.5)
    replaced_run, replaced = found(loader)
    assert replaced.offsets.tolist() == series.offsets.tolist()
    assert edges(load_histograms(payloads, replaced_run, replaced)) == expected(range(20), 0.5)


def test_payloads_values_of_a_replaced_file_are_refused(logs: LogDirectory) -> None:
    path = log(logs, range(20))
    run, series = found(follow(logs))
    path.unlink()
    with EventFileWriter(str(path), wall_time=START, like_pytorch=True) as writer:
        for step in range(20):
            writer.scalar("loss", 1.0, step, START + step)
            writer.histogram(TAG, values_of(step), step, START + step + 1000 * (step >= 5))
    read = load_histograms(Payloads(), run, series)
    assert dict(read.errors) == dict.fromkeys(range(5, 20), "the file now holds another event here")
    assert edges(read)[:5] == expected(range(5))
    assert np.isnan(read.totals).tolist() == [False] * 5 + [True] * 15


def test_payloads_damaged_values_are_refused_and_others_stay(logs: LogDirectory) -> None:
    path = log(logs, range(20))
    run, series = found(follow(logs))
    content = bytearray(path.read_bytes())
    content[series.offsets[3] + 40] ^= 1
    content[series.offsets[7] - 12] ^= 1
    path.write_bytes(content[: series.offsets[18]])
    read = load_histograms(Payloads(), run, series)
    ended = "the file ends before this value"
    assert dict(read.errors) == {3: DAMAGED, 7: MOVED, 18: ended, 19: ended}
    right = [step for step in range(20) if step not in read.errors]
    assert [edges(read)[step] for step in right] == expected(right)
    assert read.not_finite.tolist() == []


@pytest.mark.parametrize("huge", [0, 3, 9])
def test_payloads_histogram_claiming_gigabytes_is_refused_unread(
    logs: LogDirectory, monkeypatch: pytest.MonkeyPatch, huge: int
) -> None:
    log(logs, range(huge))
    with EventFileWriter(str(logs.path("run")), wall_time=START, like_pytorch=True) as writer:
        value = get_message_class("SummaryValue")(
            tag=TAG, histo={"bucket_limit": range(300_000), "bucket": [1.0] * 300_000}
        )
        event = get_message_class("Event")(wall_time=START + huge, step=huge)
        event.summary.value.append(value)
        writer.event(event)
    log(logs, range(huge + 1, 10))
    run, series = found(follow(logs))
    monkeypatch.setattr(payloads_module, "MAX_PAYLOAD_BYTES", BLOCK_BYTES)
    histograms = load_histograms(Payloads(), run, series)
    length = int(series.lengths[huge])
    assert length > BLOCK_BYTES
    assert histograms.errors == {huge: f"it has {length:,} bytes, too many to show"}
    assert np.flatnonzero(np.isnan(histograms.totals)).tolist() == [huge]


def test_payloads_other_values_are_refused_with_the_reason(logs: LogDirectory) -> None:
    path = log(logs, range(3))
    with EventFileWriter(str(path)) as writer:
        writer.scalar(TAG, 1.0, 3, START)
        writer.text(TAG, "no histogram", 4, START)
    with EventFileWriter(str(path), like_pytorch=True) as writer:
        writer.histogram(TAG, values_of(5), 5, START)
    read = load_histograms(Payloads(), *found(follow(logs)))
    assert list(read.errors) == [3, 4]
    assert read.errors[3] == "a single number instead of a histogram"
    assert read.totals[5] == 50


def test_payloads_diverged_steps_have_their_own_refusal(logs: LogDirectory) -> None:
    limits = [(0.0, 1.0), (math.nan, math.nan), (-1.0, math.inf), (0.0, 1.0)]
    path = logs.path("run")
    path.parent.mkdir()
    content = b""
    for step, (low, high) in enumerate(limits):
        event = get_message_class("Event")(wall_time=START, step=step)
        histogram = event.summary.value.add(tag=TAG).histo
        histogram.min, histogram.max, histogram.num = low, high, 3
        histogram.bucket_limit.extend([0.5, 1])
        histogram.bucket.extend([1, 2] if step < 3 else [1, -2])
        content += frame_record(event.SerializeToString())
    path.write_bytes(content)
    read = load_histograms(Payloads(), *found(follow(logs)))
    assert list(read.errors) == [1, 2, 3]
    assert read.not_finite.tolist() == [1, 2]
    assert "NaN" in read.errors[1]
    assert "infinite" in read.errors[2]


def test_payloads_missing_file_is_refused_until_it_returns(logs: LogDirectory, clock: Clock, reads: Reads) -> None:
    here = log(logs, range(3), file="1.tfevents")
    log(logs, range(3, 6), file="2.tfevents")
    run, series = found(follow(logs))
    payloads = Payloads(clock=clock)
    away = here.rename(logs.root / "away")
    read = load_histograms(payloads, run, series)
    assert dict(read.errors) == dict.fromkeys(range(3), "the file is gone")
    assert edges(read)[3:] == expected(range(3, 6))
    away.rename(here)
    reads.taken()
    assert load_histograms(payloads, run, series) is read
    assert reads.taken() == []
    clock.advance(RETRY_SECONDS)
    assert edges(load_histograms(payloads, run, series)) == expected(range(6))
    clock.advance(RETRY_SECONDS)
    reads.taken()
    load_histograms(payloads, run, series)
    assert reads.taken() == []


def test_payloads_unreadable_file_reports_the_reason(logs: LogDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    log(logs, range(3))
    run, series = found(follow(logs))

    def refuse(*arguments: object) -> int:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", refuse)
        read = load_histograms(Payloads(), run, series)
    assert set(read.errors.values()) == {"the file cannot be read: permission denied"}


def test_payloads_cache_stays_within_its_bytes(logs: LogDirectory, reads: Reads) -> None:
    tags = [f"layer{number}" for number in range(6)]
    for tag in tags:
        log(logs, range(20), tag=tag)
    loader = follow(logs)
    one = load_histograms(Payloads(), *found(loader, tag=tags[0])).nbytes
    payloads = Payloads(max_bytes=3 * one + 1000)
    for tag in tags:
        load_histograms(payloads, *found(loader, tag=tag))
        assert payloads.nbytes <= 3 * one + 1000
    reads.taken()
    for tag in tags[3:]:
        load_histograms(payloads, *found(loader, tag=tag))
    assert reads.taken() == []
    load_histograms(payloads, *found(loader, tag=tags[0]))
    assert reads.taken() == list(range(20))


def test_payloads_tag_above_the_cache_limit_is_still_read(logs: LogDirectory) -> None:
    log(logs, range(20))
    payloads = Payloads(max_bytes=100)
    assert edges(load_histograms(payloads, *found(follow(logs)))) == expected(range(20))
    assert payloads.nbytes == 0


def test_payloads_hundreds_of_runs_need_few_descriptors(logs: LogDirectory) -> None:
    for number in range(300):
        log(logs, range(2), run=f"run{number}")
    payloads, snapshot = Payloads(), follow(logs).load_all().snapshot
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.open(os.devnull, os.O_RDONLY)
    os.close(free)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (free + 1, hard))
        read = [load_histograms(payloads, run, run.series[TAG]) for run in snapshot.runs.values()]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert [edges(each) for each in read] == [expected(range(2))] * 300


class TestThreads:
    """Tests of concurrent requests by several panes."""

    @pytest.fixture
    def gate(self, monkeypatch: pytest.MonkeyPatch) -> Gate:
        return Gate(monkeypatch)

    def test_payloads_concurrent_requests_read_a_tag_once(self, logs: LogDirectory, gate: Gate) -> None:
        log(logs, range(5))
        payloads, request = Payloads(), found(follow(logs))
        threads = [PaneThread(payloads, *request) for _ in range(2)]
        gate.wait_until_reading()
        gate.open()
        first, second = (thread.result() for thread in threads)
        assert first is second
        assert gate.reads == 1

    def test_payloads_another_tag_does_not_wait(self, logs: LogDirectory, gate: Gate) -> None:
        log(logs, range(5))
        log(logs, range(5), tag="others")
        loader, payloads = follow(logs), Payloads()
        slow = PaneThread(payloads, *found(loader))
        gate.wait_until_reading()
        gate.closed_for = TAG
        quick = PaneThread(payloads, *found(loader, tag="others"))
        assert edges(quick.result()) == expected(range(5))
        gate.open()
        assert edges(slow.result()) == expected(range(5))

    def test_payloads_many_threads_with_a_small_cache_are_correct(self, logs: LogDirectory) -> None:
        tags = [f"layer{number}" for number in range(4)]
        for number, tag in enumerate(tags):
            log(logs, range(6), tag=tag, shift=number)
        loader = follow(logs)
        request = [found(loader, tag=tag) for tag in tags]
        payloads = Payloads(max_bytes=20_000)
        threads = [PaneThread(payloads, *request[number % 4]) for number in range(24)]
        for number, thread in enumerate(threads):
            assert edges(thread.result()) == expected(range(6), number % 4)


class PaneThread(threading.Thread):
    """Thread that reads histograms like a pane."""

    def __init__(self, payloads: Payloads, run: RunSnapshot, series: ReferenceSeries) -> None:
        super().__init__(daemon=True)
        self._arguments = payloads, run, series
        self._result: Histograms | None = None
        self.start()

    def run(self) -> None:
        payloads, run, series = self._arguments
        self._result = load_histograms(payloads, run, series)

    def result(self) -> Histograms:
        self.join(timeout=30)
        assert self._result is not None
        return self._result


class Gate:
    """Blocks reads until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reads = 0
        self.closed_for: str | None = None
        self._reading, self._open = threading.Event(), threading.Event()
        monkeypatch.setattr(payloads_module, "read_payloads", self._read)

    def _read(self, run: RunSnapshot, series: ReferenceSeries, points: Any, *, largest: int) -> Iterator[PayloadBlock]:
        self.reads += 1
        self._reading.set()
        if self.closed_for in {None, series.tag}:
            assert self._open.wait(timeout=30)
        return read_payloads(run, series, points, largest=largest)

    def wait_until_reading(self) -> None:
        assert self._reading.wait(timeout=30)

    def open(self) -> None:
        self._open.set()


class TestRead:
    """Tests of raw payloads of other kinds."""

    def test_payloads_selected_points_of_any_file_are_read(self, logs: LogDirectory) -> None:
        for number in range(2):
            log(logs, range(4 * number, 4 * number + 4), file=f"{number}.tfevents")
        run, series = found(follow(logs))
        block = Payloads().read(run, series, [6, 1, 0])
        assert block.points.tolist() == [6, 1, 0]
        for place, point in enumerate(block.points.tolist()):
            offset = series.offsets[point]
            content = Path(run.files[series.files[point]].path).read_bytes()
            assert block.payload(place) == content[offset : offset + series.lengths[point]]
        assert block.data[-8:].tolist() == [0] * 8

    def test_payloads_no_points_return_nothing(self, logs: LogDirectory) -> None:
        log(logs, range(4))
        assert len(Payloads().read(*found(follow(logs)), [])) == 0

    def test_payloads_unreadable_points_are_refused(self, logs: LogDirectory) -> None:
        log(logs, range(2), file="1.tfevents")
        gone = log(logs, range(2, 4), file="2.tfevents")
        run, series = found(follow(logs))
        gone.unlink()
        block = Payloads().read(run, series, [0, 1, 2, 3])
        assert block.points.tolist() == [0, 1]
        assert dict(block.errors) == {2: "the file is gone", 3: "the file is gone"}
        assert block.is_retryable
