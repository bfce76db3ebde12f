"""Test that reading runs one by one gives the same values as loading all of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.loading.cache.index_folder import IndexFolder, RunIndexes
from tbtui.loading.event_file import FollowedFile
from tbtui.loading.loader import Loader
from tbtui.loading.sequential_reader import SequentialReader
from tbtui.loading.sources import parse_sources
from tbtui.store import spill as spilled
from tbtui.tfrecord.framing import frame_record
from tests.helpers.log_directory import LogDirectory

if TYPE_CHECKING:
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.tfrecord.framing import RecordBlock

CORPUS = Path(__file__).parents[1] / "corpus"


def everything(_name: str) -> bool:
    return True


def run_contents(run: RunSnapshot) -> Any:
    """Return the files and series of a run in a comparable form."""
    columns = ("steps", "wall_times", "values", "files", "offsets", "lengths", "indices")
    return run.files, [
        (tag, series.metadata, *(getattr(series, name).tobytes() for name in columns if hasattr(series, name)))
        for tag, series in run.series.items()
    ]


def load_together(path: Path) -> dict[str, Any]:
    state = Loader(parse_sources([str(path)]), reload_seconds=0).load_all()
    return {name: run_contents(run) for name, run in state.snapshot.runs.items()}


@pytest.mark.parametrize("spill_bytes", [1 << 30, 0], ids=["in memory", "on disk"])
def test_sequential_reader_reads_the_corpus_like_the_loader(monkeypatch: pytest.MonkeyPatch, spill_bytes: int) -> None:
    monkeypatch.setattr(spilled.SpilledRun.__init__, "__kwdefaults__", {"max_points": 100})
    runs = SequentialReader(parse_sources([str(CORPUS)]), spill_bytes=spill_bytes)
    found = {run.name: run_contents(run) for run in runs.read(everything)}
    expected = load_together(CORPUS)
    assert found == expected
    assert list(found) == list(expected) == list(runs.names)


def test_sequential_reader_reads_and_reports_only_selected_runs(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path / "logs")
    logs.log("b", range(3), start=5.0)
    logs.log("a", range(3), start=7.0)
    logs.log("c", range(3), start=6.0)
    steps: list[tuple[int, int]] = []
    runs = SequentialReader(
        parse_sources([str(logs.root)]), on_progress=lambda done, total: steps.append((done, total))
    )
    assert runs.names == ("b", "c", "a")
    assert [run.name for run in runs.read("c b".__contains__)] == ["b", "c"]
    total = sum(logs.path(name).stat().st_size for name in "bc")
    assert steps[-1] == (total, total)
    assert all(done <= total for done, _ in steps)


def test_sequential_reader_workers_read_ahead(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path / "logs")
    for number in range(6):
        logs.log(f"run{number}", range(4000), start=1000.0 + number)
    sources = parse_sources([str(logs.root)])
    found = {run.name: run_contents(run) for run in SequentialReader(sources, jobs=2, min_bytes=1).read(everything)}
    assert found == load_together(logs.root)


def test_sequential_reader_index_is_saved_and_used(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path / "logs")
    logs.log("run", range(100))
    folder = IndexFolder(tmp_path / "index")
    for _ in range(2):
        indexes = RunIndexes(folder, min_bytes=1)
        runs = SequentialReader(parse_sources([str(logs.root)]), indexes=indexes)
        (run,) = runs.read(everything)
        assert len(run.series["loss"]) == 100
        assert runs.index_failure is None
        assert folder.measure_usage().files == 1


def test_sequential_reader_lists_damage(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path / "logs")
    path = logs.log("run", range(3))
    path.write_bytes(path.read_bytes() + b"\xff" * 40)
    os.utime(path, (1, 1))
    runs = SequentialReader(parse_sources([str(logs.root)]))
    assert runs.problems == []
    (run,) = runs.read(everything)
    assert len(run.series["loss"]) == 3
    assert {problem.path for problem in runs.problems} == {str(path)}


def test_sequential_reader_abandoned_leaves_no_process(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path / "logs")
    for number in range(3):
        logs.log(f"run{number}", range(4000), start=1000.0 + number)
    runs = SequentialReader(parse_sources([str(logs.root)]), jobs=3, min_bytes=1)
    reading = runs.read(everything)
    next(reading)
    pids = [worker.pid for worker in runs._workers]
    assert len(pids) == 2
    reading.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_sequential_reader_large_run_is_spilled_from_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spilled.SpilledRun.__init__, "__kwdefaults__", {"max_points": 10})
    monkeypatch.setattr("tbtui.loading.run.MAX_RUN_BYTES", 0)  # too large to be read whole
    logs = LogDirectory(tmp_path / "logs")
    for tag in "ab":
        logs.log("run", range(25), tag=tag)
    (run,) = SequentialReader(parse_sources([str(logs.root)]), spill_bytes=0).read(everything)
    assert list(run.series) == ["a", "b"]
    first = run.series["a"]
    assert first is not run.series["a"]
    np.testing.assert_array_equal(first.steps, np.arange(25))
    assert not first.steps.flags.writeable


def test_sequential_reader_large_run_stays_in_memory_on_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    monkeypatch.setattr(spilled.SpilledRun.__init__, "__kwdefaults__", {"max_points": 10})
    logs = LogDirectory(tmp_path / "logs")
    logs.log("run", range(25))
    (run,) = SequentialReader(parse_sources([str(logs.root)]), spill_bytes=0).read(everything)
    np.testing.assert_array_equal(run.series["loss"].steps, np.arange(25))


def test_sequential_reader_file_without_events_needs_no_more_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Datasets are TFRecord files too and may be named like event files."""
    logs = LogDirectory(tmp_path / "logs")
    logs.log("a", range(3))
    logs.path("b").parent.mkdir()
    logs.path("b").write_bytes(frame_record(b"\xff" * 1_000) * 9_000)
    sizes = []
    read = FollowedFile.read

    def noted(file: FollowedFile, max_bytes: int) -> RecordBlock | None:
        sizes.append(max_bytes)
        return read(file, max_bytes)

    monkeypatch.setattr(FollowedFile, "read", noted)
    assert set(SequentialReader(parse_sources([str(logs.root)])).names) == {"a", "b"}
    assert max(sizes) == 2 << 20
