from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.events.decoder import RunDecoder
from tbtui.events.writer import EventFileWriter
from tbtui.loading.event_file import FollowedFile
from tbtui.loading.loader import Loader
from tbtui.loading.run_reader import RunReader
from tbtui.loading.sources import parse_sources
from tbtui.store.staging import Store

if TYPE_CHECKING:
    from collections.abc import Callable

FILES = 200


def log(path: Path, steps: range, wall_time: float = 1.0) -> None:
    with EventFileWriter(str(path), wall_time=1.0) as writer:
        for step in steps:
            writer.scalar("loss", step, step, wall_time)


class Counted(FollowedFile):
    status_calls = 0

    def __getattribute__(self, name: str) -> Any:
        if name in {"pending", "modified"}:
            Counted.status_calls += 1
        return super().__getattribute__(name)


def test_run_reader_does_not_check_all_files_at_each_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(FILES):
        with EventFileWriter(str(tmp_path / f"tfevents.{number:05d}"), wall_time=1.0) as writer:
            writer.scalar("loss", number, number, 1.0)
    monkeypatch.setattr("tbtui.loading.run_reader.FollowedFile", Counted)
    monkeypatch.setattr(Counted, "status_calls", 0)
    state = Loader(parse_sources([str(tmp_path)]), reload_seconds=0).load_all()
    assert state.snapshot.runs["."].series["loss"].steps.tolist() == list(range(FILES))
    assert Counted.status_calls < 50 * FILES


def test_run_reader_bytes_written_after_the_check_are_read(tmp_path: Path) -> None:
    path = tmp_path / "tfevents.1"
    log(path, range(3))
    reading = RunReader((str(path),), Store().stage("."), RunDecoder(), os.stat)
    log(path, range(3, 400))
    reading.read(1 << 20)
    snapshot = reading.snapshot()
    assert snapshot is not None
    assert snapshot.series["loss"].steps.tolist() == list(range(400))


@pytest.mark.parametrize("failing", ["open", "stat"])
def test_run_reader_failed_file_is_merged_before_later_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    paths = tuple(str(tmp_path / f"tfevents.{number}") for number in (1, 2))
    for path, steps in zip(paths, (range(3_000), range(3_000, 3_010)), strict=True):
        with EventFileWriter(path, wall_time=1.0) as writer:
            for step in steps:
                writer.scalar("loss", step, step, 1.0)

    def refused(call: Callable[..., Any]) -> Callable[..., Any]:
        def refuse(path: str, *others: Any, **how: Any) -> Any:
            if fails and path == paths[0]:
                raise OSError(errno.ESTALE, "Stale file handle", path)
            return call(path, *others, **how)

        return refuse

    fails = False
    monkeypatch.setattr(os, failing, refused(getattr(os, failing)))
    reading = RunReader(paths, Store().stage("."), RunDecoder(), os.stat)
    reading.read(64 << 10)
    fails = True
    reading.poll()
    while reading.pending:
        reading.read(64 << 10)
    snapshot = reading.snapshot()
    assert snapshot is not None
    assert snapshot.series["loss"].steps[-1] == 3_009
    fails = False
    reading.poll()
    assert read_to_the_end(reading) == list(range(3_010))


def read_to_the_end(reading: RunReader) -> list[int]:
    """Read all known bytes and return the steps."""
    while reading.pending:
        reading.read(1 << 20)
    snapshot = reading.snapshot()
    assert snapshot is not None
    return snapshot.series["loss"].steps.tolist()


def test_run_reader_old_file_is_finished_before_a_new_one(tmp_path: Path) -> None:
    first, second = (tmp_path / f"tfevents.{number}" for number in (1, 2))
    log(first, range(3))
    reading = RunReader((str(first),), Store().stage("."), RunDecoder(), os.stat)
    assert read_to_the_end(reading) == [0, 1, 2]
    log(first, range(3, 6))
    log(second, range(2, 4), wall_time=2.0)
    reading.put_paths((str(first), str(second)))
    assert read_to_the_end(reading) == [0, 1, 2, 3, 4, 5, 2, 3]


def test_run_reader_two_growing_files_are_read_in_order(tmp_path: Path) -> None:
    first, second = (tmp_path / f"tfevents.{number}" for number in (1, 2))
    added: list[str] = []

    def status_of(path: str) -> os.stat_result:
        status = Path(path).stat()
        if read and not added:
            added.append(path)  # one file has been checked, the other one has not
            log(first, range(3, 6))
            log(second, range(2, 4), wall_time=2.0)
        return status

    log(first, range(3))
    log(second, range(0))
    read: list[int] = []
    reading = RunReader((str(first), str(second)), Store().stage("."), RunDecoder(), status_of)
    read += read_to_the_end(reading)
    for _ in range(2):
        reading.poll()
        while reading.pending:
            reading.read(1 << 20)
    assert len(added) == 1
    assert read_to_the_end(reading) == [0, 1, 2, 3, 4, 5, 2, 3]
