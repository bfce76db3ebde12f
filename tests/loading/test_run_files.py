"""The files of a run: columns for those that are well, an object for any other one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tests.helpers.log_directory import START, LogDirectory, steps_of

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.loading.run_files import RunFiles

FILES = 12


def write_files(logs: LogDirectory, count: int = FILES) -> list[Path]:
    return [write_file(logs, number, [number]) for number in range(count)]


def write_file(logs: LogDirectory, number: int, steps: list[int]) -> Path:
    return logs.log("run", steps, file=f"events.out.tfevents.{number:02d}", start=START + 100 * number)


@pytest.fixture
def loader(logs: LogDirectory) -> Loader:
    return Loader(parse_sources([str(logs.root)]), reload_seconds=0)


def files_of(loader: Loader) -> RunFiles:
    return loader._logdir._runs["run"]._reader.files


def test_run_files_that_are_well_have_no_objects(logs: LogDirectory, loader: Loader) -> None:
    paths = write_files(logs)
    described = loader.load_all().snapshot.runs["run"].files
    assert not files_of(loader).followed
    assert [file.path for file in described] == list(map(str, paths))
    assert [(file.bytes, file.modified) for file in described] == [
        (path.stat().st_size, path.stat().st_mtime_ns / 1e9) for path in paths
    ]
    assert {(file.records, file.state, file.problems) for file in described} == {(2, "ok", ())}


def test_run_files_only_a_grown_one_becomes_an_object(logs: LogDirectory, loader: Loader) -> None:
    paths = write_files(logs)
    loader.load_all()
    write_file(logs, 3, [50, 51])
    while loader.step():
        pass
    assert [file.path for file in files_of(loader).followed] == [str(paths[3])]
    run = loader.state.snapshot.runs["run"]
    assert {50, 51} <= set(steps_of(loader.state))
    assert [file.records for file in run.files] == [2] * 3 + [4] + [2] * (FILES - 4)
    assert run.files == tuple(run.files)


def test_run_files_added_later_are_read(logs: LogDirectory, loader: Loader) -> None:
    write_files(logs, 3)
    loader.load_all()
    for number in (3, 4):
        write_file(logs, number, [number])
    while loader.step():
        pass
    run = loader.state.snapshot.runs["run"]
    assert len(run.files) == 5
    assert sum(file.records for file in run.files) == len(steps_of(loader.state)) + 5


def test_run_files_each_is_opened_once(logs: LogDirectory, loader: Loader, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = set(map(str, write_files(logs)))
    called: list[str] = []

    def counted(name: str) -> None:
        call = getattr(os, name)

        def count(path: object, *others: object, **options: object) -> object:
            if path in paths:
                called.append(name)
            return call(path, *others, **options)

        monkeypatch.setattr(os, name, count)

    for name in ("lstat", "open"):
        counted(name)
    watched = Loader(parse_sources([str(logs.root)]), reload_seconds=0)
    assert len(watched.load_all().snapshot.runs["run"].files) == FILES
    assert called == ["open"] * FILES


def test_run_files_copies_are_found_before_they_are_read(logs: LogDirectory, loader: Loader) -> None:
    paths = write_files(logs)
    copy = paths[4].with_name(f"{paths[4].name}.bak")
    copy.write_bytes(paths[4].read_bytes())
    run = loader.load_all().snapshot.runs["run"]
    assert [file.path for file in run.set_aside] == [str(copy)]
    assert [file.path for file in run.files] == list(map(str, paths))


def test_run_files_removed_one_is_missed(logs: LogDirectory, loader: Loader) -> None:
    paths = write_files(logs)
    loader.load_all()
    paths[2].unlink()
    while loader.step():
        pass
    run = loader.state.snapshot.runs["run"]
    assert str(paths[2]) not in [file.path for file in run.files]
    assert 2 not in steps_of(loader.state)


def test_run_files_many_are_polled_when_they_are_read(logs: LogDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = set(map(str, write_files(logs)))
    polled: list[object] = []
    status_of = os.stat

    def count(path: object, *others: object, **options: object) -> os.stat_result:
        polled.extend([path] if path in paths else [])
        return status_of(path, *others, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "stat", count)
    watched = Loader(parse_sources([str(logs.root)]), reload_seconds=0)
    state = watched.load_all()
    assert (len(steps_of(state)), polled) == (FILES, [])
    assert state.bytes_read == state.bytes_total == sum(status_of(path).st_size for path in paths)
    write_file(logs, 3, [50])
    assert 50 in steps_of(watched.load_all())


def test_run_files_many_with_an_unusual_one_are_read(logs: LogDirectory) -> None:
    paths = write_files(logs)
    paths[2].write_bytes(b"")
    damaged = bytearray(paths[5].read_bytes())
    damaged[-3] ^= 1
    paths[5].write_bytes(damaged)
    os.mkfifo(paths[0].with_name("events.out.tfevents.pipe"))
    run = Loader(parse_sources([str(logs.root)]), reload_seconds=0).load_all().snapshot.runs["run"]
    assert [file.state for file in run.files[:FILES]] == ["ok", "ok", "empty", "ok", "ok", "corrupt", *["ok"] * 6]
    assert run.series["loss"].steps.tolist() == [0, 1, 3, 4, *range(6, FILES)]
