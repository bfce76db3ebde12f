"""Test that a second program start resumes from the index that the first one saved."""

from __future__ import annotations

import json
import os
import struct
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tbtui
from tbtui.events.writer import EventFileWriter
from tbtui.loading.cache.format import index_contents, parse_index, unpack
from tbtui.loading.cache.index_folder import IndexFolder, RunIndexes
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.tfrecord.file import OpenFile
from tbtui.tfrecord.framing import frame_record
from tests.helpers.event_bytes import event, simple
from tests.helpers.log_directory import START, Clock, LogDirectory, state_contents, steps_of
from tests.helpers.property_examples import examples

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tbtui.loading.state import LoadState


@pytest.fixture
def folder(tmp_path: Path) -> IndexFolder:
    return IndexFolder(tmp_path / "cache")


@pytest.fixture
def opened(logs: LogDirectory, folder: IndexFolder) -> Callable[..., LoadState]:
    """Return a function that opens the log directory like a new process and saves its index."""

    def load(*, kept: bool = True, **how: Any) -> LoadState:
        indexes = RunIndexes(folder, min_bytes=1) if kept else None
        clock = Clock()
        return Loader(
            parse_sources([str(logs.root)]), clock=clock, now=lambda: START, indexes=indexes, **how
        ).load_all()

    return load


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Record (offset, bytes) of every read of an event file."""
    monkeypatch.setattr("tbtui.loading.run.MAX_RUN_BYTES", 0)  # runs are read in pieces, which are counted
    stretches = []
    fill = OpenFile.fill

    def counted(file: OpenFile, offset: int, data: Any) -> int:
        count = fill(file, offset, data)
        stretches.append((offset, count))
        return count

    monkeypatch.setattr(OpenFile, "fill", counted)
    return stretches


def many_kinds(path: Path) -> None:
    """Write a file with scalars, other kinds, an undecodable tag name and extreme numbers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with EventFileWriter(str(path), wall_time=START) as writer:
        for step in range(300):
            writer.scalar("loss", [0.1 + step, float("nan"), float("inf"), -0.0][step % 4], step, START + step / 3)
            if step % 50 == 0:
                writer.histogram("weights \x1b[31m é", np.arange(30.0) * step, step, START + step)
        writer.scalar("once", 1e-320, -5, START)


def test_index_second_open_equals_the_first(logs: LogDirectory, opened: Any, read: list[tuple[int, int]]) -> None:
    many_kinds(logs.path("a"))
    many_kinds(logs.path("a", "events.out.tfevents.2.host"))
    logs.log("b/deep", range(100))
    first = opened()
    read.clear()
    second = opened()
    assert state_contents(second) == state_contents(first) == state_contents(opened(kept=False))
    assert second.complete
    assert (second.bytes_read, second.bytes_total) == (first.bytes_total, first.bytes_total)


def test_index_unchanged_files_read_only_their_heads(
    logs: LogDirectory, opened: Any, read: list[tuple[int, int]]
) -> None:
    size = logs.log("a", range(5000)).stat().st_size
    opened()
    read.clear()
    opened()
    assert sum(count for _, count in read) <= 4096 < size / 10


def test_index_grown_file_reads_only_the_rest(logs: LogDirectory, opened: Any, read: list[tuple[int, int]]) -> None:
    size = logs.log("a", range(5000)).stat().st_size
    opened()
    logs.log("a", range(5000, 5010))
    logs.log("a", range(7), file="events.out.tfevents.2.host", start=START + 9000)
    read.clear()
    state = opened()
    assert steps_of(state, "a") == [*range(5010), *range(7)]
    assert state_contents(state) == state_contents(opened(kept=False))
    assert all(offset == 0 or offset >= size - 100 for offset, _ in read[:6])


def test_index_new_first_file_is_read_with_all_others(logs: LogDirectory, opened: Any) -> None:
    logs.log("a", range(10), file="events.out.tfevents.5.host", start=START + 9000)
    opened()
    logs.log("a", range(5), file="events.out.tfevents.3.host", start=START - 100)
    assert steps_of(opened(), "a") == [*range(5), *range(10)]


def test_index_deleted_file_is_forgotten(logs: LogDirectory, opened: Any) -> None:
    logs.log("a", range(10))
    second = logs.log("a", range(20, 25), file="events.out.tfevents.5.host")
    opened()
    second.unlink()
    assert steps_of(opened(), "a") == [*range(10)]


@pytest.mark.parametrize("in_place", [True, False])
@pytest.mark.parametrize("count", [3, 50, 51, 90])
def test_index_replaced_file_is_read_again(logs: LogDirectory, opened: Any, in_place: bool, count: int) -> None:
    path = logs.log("a", range(50))
    opened()
    other = logs.bytes_of(range(100, 100 + count), start=START + 1)
    if not in_place:
        path.unlink()
    path.write_bytes(other)
    assert steps_of(opened(), "a") == [*range(100, 100 + count)]
    assert steps_of(opened(), "a") == [*range(100, 100 + count)]


def test_index_touched_file_is_read_again(logs: LogDirectory, opened: Any, read: list[tuple[int, int]]) -> None:
    path = logs.log("a", range(5000))
    opened()
    os.utime(path, (5, 5))
    read.clear()
    opened()
    assert sum(count for _, count in read) > path.stat().st_size


def test_index_grown_file_detects_changes_at_the_old_end_only(logs: LogDirectory, opened: Any) -> None:
    path = logs.log("a", range(50))
    opened()
    longer = logs.bytes_of(range(60), tag="lost", start=START)
    path.write_bytes(longer)
    state = opened()
    assert list(state.snapshot.runs["a"].series) == ["lost"]


def test_index_keeps_damage_and_pending_tails(logs: LogDirectory, opened: Any) -> None:
    path = logs.log("a", range(200))
    data = bytearray(path.read_bytes())
    data[2000] ^= 255
    path.write_bytes(data[:-5])
    first = opened()
    assert [problem.kind for file in first.snapshot.runs["a"].files for problem in file.problems] != []
    assert state_contents(opened()) == state_contents(first)
    path.write_bytes(data)
    assert state_contents(opened()) == state_contents(opened(kept=False))
    assert steps_of(opened(), "a")[-1] == 199


@pytest.mark.parametrize("keeps_time", [True, False])
@pytest.mark.parametrize("more", [0, 10])
def test_index_file_repaired_in_place_is_read_again(
    logs: LogDirectory, opened: Any, more: int, keeps_time: bool
) -> None:
    path = logs.log("a", range(300))
    good = path.read_bytes()
    path.write_bytes(good[:6000] + b"?" * 40 + good[6040:])
    os.utime(path, (5, 5))
    assert len(steps_of(opened(), "a")) < 300
    with path.open("r+b") as file:
        file.write(good + logs.bytes_of(range(300, 300 + more)) * (more > 0))
    if keeps_time:
        os.utime(path, (5, 5))  # like `cp -p` and `rsync`
    assert steps_of(opened(), "a") == [*range(300 + more)]


@pytest.mark.parametrize("size", [1, 12, 40, 100, 5000])
def test_index_damaged_tails_may_grow(logs: LogDirectory, opened: Any, size: int) -> None:
    path = logs.log("a", range(50))
    whole = path.read_bytes()
    path.write_bytes(whole + bytes(range(1, 251)) * 20)
    with path.open("r+b") as file:
        file.truncate(len(whole) + size)
    opened()
    with path.open("ab") as file:
        file.write(logs.bytes_of(range(50, 60)))
    state = opened()
    assert steps_of(state, "a") == steps_of(opened(kept=False), "a")
    assert steps_of(state, "a")[-1] == 59


def test_index_without_large_payloads_is_not_used_for_a_whole_read(
    logs: LogDirectory, opened: Any, read: list[tuple[int, int]]
) -> None:
    path = logs.log("a", range(500))
    plain = opened()
    read.clear()
    assert state_contents(opened()) == state_contents(plain)
    assert sum(count for _, count in read) < path.stat().st_size
    read.clear()
    assert state_contents(opened(whole=True)) == state_contents(plain)
    assert sum(count for _, count in read) >= path.stat().st_size


def test_index_file_grown_before_its_read_is_saved_at_the_next_check(
    logs: LogDirectory, folder: IndexFolder, clock: Clock, opened: Any, read: list[tuple[int, int]]
) -> None:
    """The size at the time of the check is smaller than the number of bytes read later."""
    path = logs.log("a", range(500))
    loader = Loader(
        parse_sources([str(logs.root)]), clock=clock, now=lambda: START, indexes=RunIndexes(folder, min_bytes=1)
    )
    loader._logdir.round(1.0, 0)
    logs.log("a", range(500, 510))
    while loader._logdir.busy:
        loader._logdir.round(1.0, 1 << 20)
    while loader._logdir.keep_next():
        pass
    clock.advance(100)
    loader.load_all()
    read.clear()
    assert steps_of(opened(), "a") == list(range(510))
    assert sum(count for _, count in read) < path.stat().st_size


def test_index_growing_run_is_saved_again_by_quarters(logs: LogDirectory, folder: IndexFolder, clock: Clock) -> None:
    loader = Loader(
        parse_sources([str(logs.root)]), clock=clock, now=lambda: START, indexes=RunIndexes(folder, min_bytes=1)
    )
    writes = []
    for end in range(0, 2000, 20):
        logs.log("a", range(end, end + 20))
        loader.load_all()
        (path,) = folder.path.iterdir()
        writes.append(path.stat().st_mtime_ns)
    assert 10 < len(set(writes)) < 30


def test_index_small_runs_are_not_saved(logs: LogDirectory, folder: IndexFolder, clock: Clock) -> None:
    logs.log("a", range(10))
    Loader(parse_sources([str(logs.root)]), clock=clock, now=lambda: START, indexes=RunIndexes(folder)).load_all()
    assert folder.measure_usage().files == 0


def test_index_of_another_version_is_ignored(
    logs: LogDirectory, opened: Any, read: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = logs.log("a", range(5000))
    opened()
    monkeypatch.setattr(tbtui, "__version__", "0.0.0.next")
    read.clear()
    opened()
    assert sum(count for _, count in read) >= path.stat().st_size


def test_index_unwritable_folder_is_reported_and_harmless(logs: LogDirectory, opened: Any, tmp_path: Path) -> None:
    logs.log("a", range(50))
    (tmp_path / "cache").write_text("not a directory")
    state = opened()
    assert steps_of(state, "a") == [*range(50)]
    assert state.index_failure is not None
    assert state.index_failure.startswith(f"{tmp_path}/cache cannot be written: ")


def test_index_content_is_validated(logs: LogDirectory, opened: Any, folder: IndexFolder) -> None:
    """No value of an index may lead to an access outside the bytes that were read."""
    many_kinds(logs.path("a"))
    opened()
    (path,) = folder.path.iterdir()
    kept = unpack(np.fromfile(path, np.uint8))
    assert kept is not None
    index = parse_index(kept)
    assert index is not None
    assert parse_index(index_contents(index)) is not None
    for name, column in kept.columns.items():
        if column.dtype == np.int64 and not name.endswith("steps") and len(column):
            for value in (-1, 2**62):
                wrong = column.copy()
                wrong[-1] = value
                assert parse_index(kept._replace(columns={**kept.columns, name: wrong})) is None, name
        assert parse_index(kept._replace(columns={k: v for k, v in kept.columns.items() if k != name})) is None
        if len(column):
            assert parse_index(kept._replace(columns={**kept.columns, name: column[:-1]})) is None
    for name in kept.head:
        assert parse_index(kept._replace(head={k: v for k, v in kept.head.items() if k != name})) is None
    for wrong_file in (
        {},
        {"reader_state": [10**9, None, None, None, [], 0, []]},
        {"others": 5},
        {"reader_state": "here"},
    ):
        file = {**kept.head["files"][0], **wrong_file} if wrong_file else {}
        assert parse_index(kept._replace(head={**kept.head, "files": [file]})) is None
    problem = {"kind": "odd", "offset": 0, "bytes_skipped": "0", "message": ""}
    for wrong_type in (
        {"records": "5"}, {"size": True}, {"writer": 3}, {"truncated": 0}, {"last_wall_time": []}, {"inode": 1.5},
        {"others": ["a", 0, 0]}, {"listed": [problem]},
    ):  # fmt: skip
        file = {**kept.head["files"][0], **wrong_type}
        assert parse_index(kept._replace(head={**kept.head, "files": [file]})) is None, wrong_type
    first, *others = json.loads(kept.columns["tags"].tobytes())
    for tags in ([{**first, "description": None}, *others], [first, first, *others[1:]], others):
        wrong = np.frombuffer(json.dumps(tags).encode(), np.uint8)
        assert parse_index(kept._replace(columns={**kept.columns, "tags": wrong})) is None
    for name, wrong_value in (("whole", 1), ("whole", "1"), ("verified_files", 0), ("verified_files", [True])):
        assert parse_index(kept._replace(head={**kept.head, name: wrong_value})) is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=examples(30))
@given(
    st.lists(st.tuples(st.integers(0, 2**20), st.integers(0, 8), st.binary(max_size=8)), min_size=1, max_size=4),
    st.booleans(),
)
def test_index_with_any_bytes_still_reads_the_files(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[int, int, bytes]], made_right: bool
) -> None:
    """A modified index with a valid checksum may give other numbers but never prevents reading."""
    root = tmp_path_factory.mktemp("logs")
    logs, folder = LogDirectory(root / "logs"), root / "cache"
    logs.log("a", range(30))

    def loaded(indexes: RunIndexes | None) -> LoadState:
        return Loader(parse_sources([str(logs.root)]), clock=Clock(), now=lambda: START, indexes=indexes).load_all()

    expected = loaded(RunIndexes(IndexFolder(folder), min_bytes=1))
    (index,) = (path for path in folder.rglob("*") if path.is_file())
    content = index.read_bytes()
    for place, count, other in edits:
        at = place % len(content)
        content = content[:at] + other + content[at + count :]
    if made_right and len(content) > 24:
        content = content[:12] + struct.pack("<I", zlib.crc32(content[24:])) + content[16:]
    index.write_bytes(content)
    found = loaded(RunIndexes(IndexFolder(folder), min_bytes=1))
    assert found.complete
    assert made_right or state_contents(found) == state_contents(expected)
    logs.log("a", range(30, 40))
    assert loaded(RunIndexes(IndexFolder(folder), min_bytes=1)).complete


def test_indexes_of_small_runs_of_scalars_are_not_written(logs: LogDirectory, tmp_path: Path) -> None:
    folder = IndexFolder(tmp_path / "cache")
    indexes = RunIndexes(folder, min_bytes=0, min_scalar_bytes=1 << 20)
    path = logs.path("run")
    path.parent.mkdir()
    path.write_bytes(b"".join(frame_record(event(simple("loss", step), step=step)) for step in range(1, 50)))
    Loader(parse_sources([str(logs.root)]), reload_seconds=0, indexes=indexes).load_all()
    assert folder.measure_usage().files == 0
    assert not indexes.is_due(1000, 0, is_scalar=True)
    assert indexes.is_due(1 << 20, 0, is_scalar=True)
    assert indexes.is_due(1000, 0)
