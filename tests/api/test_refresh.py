"""Test logs that grow while they are open, and concurrent reads by several threads."""

from __future__ import annotations

import pickle
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tbtui
from tbtui.loading.workers import pool
from tests.helpers.log_directory import FILE, LogDirectory

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

PRODUCT = str(Path(tbtui.__file__).parent)


@pytest.fixture
def made(tmp_path: Path) -> LogDirectory:
    return LogDirectory(tmp_path / "logs")


def test_refresh_is_needed_to_see_appended_points(made: LogDirectory) -> None:
    made.log("run", range(3))
    logs = tbtui.open(made.root)
    run = logs["run"]
    before = run.scalars("loss")
    made.log("run", range(3, 5))
    assert run.scalars("loss").steps.tolist() == [0, 1, 2]
    revision, of_run, of_loss = logs.revision, run.revision, before.revision
    assert logs.refresh() is True
    assert logs["run"] is run
    after = run.scalars("loss")
    assert after.steps.tolist() == [0, 1, 2, 3, 4]
    assert before.steps.tolist() == [0, 1, 2]
    assert (logs.revision > revision, run.revision > of_run, after.revision > of_loss) == (True, True, True)
    revision = logs.revision
    assert logs.refresh() is False
    assert logs.revision == revision
    assert run.scalars("loss").revision == after.revision


def test_refresh_finds_a_new_tag_of_a_read_run(made: LogDirectory) -> None:
    made.log("run", range(3))
    logs = tbtui.open(made.root)
    assert list(logs["run"].tags) == ["loss"]
    made.log("run", range(1), tag="acc")
    assert logs.refresh()
    assert list(logs["run"].tags) == ["loss", "acc"]


def test_refresh_adds_and_removes_runs(made: LogDirectory) -> None:
    made.log("a", range(3))
    made.log("b", range(3))
    logs = tbtui.open(made.root)
    a, runs = logs["a"], logs.runs
    assert len(a.scalars("loss")) == 3
    shutil.rmtree(made.root / "a")
    made.log("c", range(1))
    assert list(logs) == ["a", "b"]
    assert logs.refresh()
    assert list(logs) == ["b", "c"]
    assert list(runs) == ["a", "b"]
    assert len(a.scalars("loss")) == 3  # points that were read stay
    with pytest.raises(tbtui.UnknownRunError):
        logs["a"]
    assert [scalars.run for scalars in logs.scalars()] == ["b", "c"]
    made.log("a", range(2))
    assert logs.refresh()
    assert len(logs["a"].scalars("loss")) == 2


def test_refresh_growth_of_an_unread_run_is_no_change(made: LogDirectory) -> None:
    made.log("run", range(3))
    logs = tbtui.open(made.root)
    made.log("run", range(3, 5))
    assert not logs.refresh()
    assert len(logs["run"].scalars("loss")) == 5


def test_refresh_incomplete_record_is_neither_damage_nor_change(made: LogDirectory) -> None:
    path = made.log("run", range(3))
    whole = path.read_bytes()
    more = made.bytes_of(range(3, 4))[len(made.bytes_of([])) :]
    logs = tbtui.open(made.root)
    assert len(logs["run"].scalars("loss")) == 3
    path.write_bytes(whole + more[:-5])
    assert logs["run"].problems == ()
    logs.refresh()
    assert len(logs["run"].scalars("loss")) == 3
    assert logs["run"].problems == ()
    with path.open("ab") as file:
        file.write(more[-5:])
    assert logs.refresh()
    assert len(logs["run"].scalars("loss")) == 4


def test_refresh_replaced_file_is_read_again(made: LogDirectory) -> None:
    path = made.log("run", range(5))
    logs = tbtui.open(made.root)
    before = logs["run"].scalars("loss")
    other = made.bytes_of([7, 8], start=1_800_000_000.0)
    path.unlink()
    path.write_bytes(other)
    assert logs.refresh()
    assert logs["run"].scalars("loss").steps.tolist() == [7, 8]
    assert before.steps.tolist() == [0, 1, 2, 3, 4]


def test_refresh_finds_a_new_file_of_a_read_run(made: LogDirectory) -> None:
    made.log("run", range(3))
    logs = tbtui.open(made.root)
    assert len(logs["run"].scalars("loss")) == 3
    made.log("run", range(3, 4), file=f"{FILE}.later")
    assert logs.refresh()
    assert logs["run"].scalars("loss").steps.tolist() == [0, 1, 2, 3]
    assert len(logs["run"].files) == 2


def test_refresh_unpickled_logs_are_opened_again(made: LogDirectory) -> None:
    made.log("run", range(3))
    made.log("other", range(3))
    logs = tbtui.open(made.root, runs="^run")
    assert len(logs["run"].scalars("loss")) == 3
    made.log("run", range(3, 4))
    again = pickle.loads(pickle.dumps(logs))
    assert list(again) == ["run"]
    assert len(again["run"].scalars("loss")) == 4


def test_refresh_keeps_no_file_open(made: LogDirectory) -> None:
    made.log("run", range(3))
    before = len(list(Path("/dev/fd").iterdir()))
    logs = tbtui.open(made.root)
    assert len(logs.scalars()) == 1
    logs.refresh()
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_refresh_concurrent_reads_return_the_same_run(made: LogDirectory) -> None:
    for number in range(6):
        made.log(f"r{number}", range(50))
    logs = tbtui.open(made.root)

    def action(number: int) -> tuple[int, int, float]:
        made_new = logs.refresh() if number % 7 == 0 else False
        run = logs[f"r{number % 6}"]
        many = logs.scalars(runs=f"r{(number + 1) % 6}")
        return len(run.scalars("loss")), len(many), float(np.sum(many[0].values)) + made_new

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(action, range(60))) == {(50, 1, 2450.0)}


def interrupted_at(line: int, action: Callable[[], object]) -> int:
    """Raise KeyboardInterrupt before the `line`th line of tbtui that `action` runs; return the lines run."""
    lines = 0

    def count(frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal lines
        if PRODUCT not in frame.f_code.co_filename:
            return None
        lines += event == "line"
        if lines == line:
            sys.settrace(None)
            raise KeyboardInterrupt
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        with suppress(KeyboardInterrupt):
            action()
    finally:
        sys.settrace(before)
    return lines


def test_refresh_after_an_interrupted_read_is_complete(made: LogDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tbtui.loading.lazy_runs.MIN_RUN_BYTES", 1)  # so that the index is saved
    for run in ("a", "b"):
        for tag in ("acc", "loss"):
            made.log(run, range(100), tag=tag)
    runs = ("a", "b")

    def all_of(logs: tbtui.Logs) -> list[list[int]]:
        return [logs[run].scalars(tag).steps.tolist() for run in runs for tag in ("acc", "loss")]

    whole = [[*range(100)]] * 4
    lines = interrupted_at(-1, lambda: all_of(tbtui.open(made.root, cache=False)))
    assert lines > 1000
    for place in range(1, lines, lines // 60):
        monkeypatch.setenv("XDG_CACHE_HOME", str(made.root.parent / f"{place}"))
        logs = tbtui.open(made.root)
        interrupted_at(place, lambda logs=logs: all_of(logs))
        assert all_of(logs) == whole, place
        assert all_of(tbtui.open(made.root)) == whole, place


@pytest.mark.parametrize("jobs", [1, 2, None])
def test_refresh_many_runs_are_read_by_worker_processes(
    made: LogDirectory, jobs: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbtui.loading.lazy_runs.MIN_POOL_BYTES", 0)
    monkeypatch.setattr(pool, "MIN_TOTAL_BYTES", 1)
    monkeypatch.setattr(pool, "MIN_RUN_BYTES", 1)
    for number in range(5):
        made.log(f"r{number}", range(100 + number))
    logs = tbtui.open(made.root, cache=False, jobs=jobs)
    found = {scalars.run: len(scalars) for scalars in logs.scalars()}
    assert found == {f"r{number}": 100 + number for number in range(5)}
    made.log("r1", range(101, 103))
    assert logs.refresh()
    assert logs["r1"].scalars("loss").steps.tolist() == list(range(103))
