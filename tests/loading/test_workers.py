"""Test that workers read the same as the loader, and that failed workers lose and leave nothing."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.events.writer import EventFileWriter
from tbtui.loading.cache.index_folder import IndexFolder, RunIndexes
from tbtui.loading.loader import Loader
from tbtui.loading.logdir import LogdirLoader
from tbtui.loading.run import FIRST_READ_BYTES, SHARED_READ_BYTES
from tbtui.loading.sources import parse_sources
from tbtui.loading.state import LoadState
from tbtui.loading.workers import pool as jobs
from tbtui.loading.workers import process
from tbtui.loading.workers import process as worker
from tbtui.loading.workers.process import WorkerProcess
from tbtui.store.staging import Store
from tests.helpers.log_directory import START, Clock, LogDirectory, state_contents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CORPUS = Path(__file__).parents[1] / "corpus"
PATIENCE = 30.0
"""Timeout in seconds for other processes; passing tests never wait that long."""


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[WorkerProcess]]:
    """Collect the workers of a test; check that no process and no descriptor is left after it."""
    workers: list[WorkerProcess] = []
    begin = WorkerProcess.__init__

    def counted(self: WorkerProcess, **how: bool) -> None:
        begin(self, **how)
        workers.append(self)

    monkeypatch.setattr(WorkerProcess, "__init__", counted)
    before = descriptors()
    yield workers
    assert [each._process.returncode for each in workers if each._process.returncode is None] == []
    assert descriptors() <= before


def descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


class ControlledLoader:
    """A loader whose test controls when worker replies are processed."""

    def __init__(self, root: Path, workers: int = 1, **how: Any) -> None:
        self.store = Store()
        self.loader = LogdirLoader(parse_sources([str(root)]), self.store, clock=Clock(), now=lambda: START, **how)
        self.pool = self.loader.pool
        self.pool.jobs = 1 + workers
        self.pool.min_bytes = self.pool.min_run_bytes = 1
        self.loader.round(1.0, 0)  # walks

    def assign(self) -> int:
        """Lend all runs that can be lent before the parent reads; return their number."""
        self.pool.start()
        self.pool.assign()
        return sum(len(each._requests) for each in self.pool._workers)

    def wait(self) -> None:
        """Wait until every remaining worker has replied."""
        for each in self.pool._workers:
            while each._unsent:
                assert select.select([], [each._channel], [], PATIENCE)[1]
                each._send()
            assert not each._requests or select.select([each._channel], [], [], PATIENCE)[0]

    def finish(self, *, waits: bool = True) -> Any:
        """Read and lend until loading is complete."""
        while self.loader.busy:
            self.assign()
            if waits:
                self.wait()
            self.loader.round(1.0, 1)
        return self.state_contents()

    def state_contents(self) -> Any:
        self.pool.stop()
        self.loader.commit()
        return state_contents(LoadState(self.store.snapshot, problems=self.loader.problems))


def read_alone(root: Path, **how: Any) -> Any:
    return state_contents(Loader(parse_sources([str(root)]), clock=Clock(), now=lambda: START, **how).load_all())


def write_runs(logs: LogDirectory, count: int = 6, steps: int = 50) -> Path:
    """Write several runs; the last one is the newest."""
    for number in range(count):
        os.utime(logs.log(f"run{number}", range(number, steps + number)), (1e9 + number, 1e9 + number))
    return logs.root


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("how", [{}, {"whole": True}])
def test_workers_read_real_logs_like_one_process(
    started: list[WorkerProcess], workers: int, how: dict[str, bool]
) -> None:
    shared = ControlledLoader(CORPUS, workers, **how)
    assert shared.finish() == read_alone(CORPUS, **how)
    assert len(started) == workers


def test_workers_read_odd_directories_like_one_process(logs: LogDirectory) -> None:
    write_runs(logs)
    whole = logs.log("damaged", range(300))
    data = bytearray(whole.read_bytes())
    data[2000] ^= 255
    whole.write_bytes(data[:-5])
    wrong = logs.log("a tag that was overwritten", range(300))
    wrong.write_bytes(wrong.read_bytes().replace(b"loss", b"lass", 1).replace(b"loss", b"less", 9))
    logs.path("empty").parent.mkdir()
    logs.path("empty").touch()
    logs.log("two files", range(9))
    logs.log("two files", range(5, 20), file="events.out.tfevents.2.host")
    logs.log("steps that go back", [*range(50), *range(20, 70)])
    logs.log("é \x1b[31m\udcff", range(5), tag="\x00")
    logs.path("no events").parent.mkdir()
    logs.path("no events").write_bytes(b"something else" * 1000)
    logs.path("a directory").mkdir(parents=True)
    logs.path("a link that leads nowhere").parent.mkdir()
    logs.path("a link that leads nowhere").symlink_to("nowhere")
    logs.path("closed").parent.mkdir()
    shutil.copy(whole, logs.path("closed"))
    logs.path("closed").chmod(0)
    with EventFileWriter(str(logs.path("two files", "events.out.tfevents.3.host")), wall_time=START) as writer:
        writer.histogram("weights", np.arange(30.0), 0, START)
        writer.scalar("loss", float("nan"), 0, START)
    assert ControlledLoader(logs.root, 2).finish() == read_alone(logs.root)


def test_workers_run_with_more_file_names_than_a_socket_buffer(logs: LogDirectory) -> None:
    folder = "d" * 200
    for number in range(1000):
        logs.path(folder, f"events.out.tfevents.{number:0200d}").parent.mkdir(exist_ok=True)
        logs.path(folder, f"events.out.tfevents.{number:0200d}").touch()
    logs.log(folder, range(9), file="events.out.tfevents.9.host")
    os.utime(logs.log("later", range(9)), (2e9, 2e9))
    assert ControlledLoader(logs.root).finish() == read_alone(logs.root)


def test_workers_read_most_and_the_parent_reads_the_newest(logs: LogDirectory) -> None:
    shared = ControlledLoader(write_runs(logs))
    assert shared.assign() == 5
    assert [run.name for run in shared.loader._queue] == ["run5"]
    shared.finish()


def test_workers_are_niced_and_import_no_textual(logs: LogDirectory, started: list[WorkerProcess]) -> None:
    shared = ControlledLoader(write_runs(logs))
    shared.assign()
    shared.wait()
    nice = os.getpriority(os.PRIO_PROCESS, started[0].pid)
    assert nice == min(19, os.getpriority(os.PRIO_PROCESS, 0) + process.NICENESS)
    shared.finish()
    code = "import sys, tbtui.loading.workers.process; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"textual", "rich", "asyncio", "PIL", "watchfiles"} & {*modules}


def grow(logs: LogDirectory, run: str) -> None:
    logs.log(run, range(1000, 1020))


def replace(logs: LogDirectory, run: str) -> None:
    logs.path(run).unlink()
    logs.log(run, range(2000, 2200))


def rewrite(logs: LogDirectory, run: str) -> None:
    logs.path(run).write_bytes(logs.bytes_of(range(3), tag="other", start=START + 1))


def add_before(logs: LogDirectory, run: str) -> None:
    logs.log(run, range(7), file="events.out.tfevents.0.host")


def add_behind(logs: LogDirectory, run: str) -> None:
    logs.log(run, range(7), file="events.out.tfevents.2.host")


def delete(logs: LogDirectory, run: str) -> None:
    shutil.rmtree(logs.path(run).parent)


@pytest.mark.parametrize("change", [grow, replace, rewrite, add_before, add_behind, delete])
@pytest.mark.parametrize("answered", [True, False])
def test_workers_files_may_change_during_a_job(
    logs: LogDirectory, change: Callable[[LogDirectory, str], None], answered: bool
) -> None:
    shared = ControlledLoader(write_runs(logs))
    shared.assign()
    if answered:
        shared.wait()
    for run in ("run0", "run2"):
        change(logs, run)
    shared.loader.poll_everywhere()
    told_by_both = shared.finish()
    shown = {name for name, run in shared.store.snapshot.runs.items() if not run.vanished}
    expected = read_alone(logs.root)
    assert {name: told_by_both[0][name] for name in shown} == expected[0]
    assert told_by_both[1] == expected[1]


def test_workers_runs_read_by_the_parent_meanwhile_are_kept(logs: LogDirectory) -> None:
    shared = ControlledLoader(write_runs(logs))
    shared.assign()
    while shared.loader._queue:
        run = shared.loader._queue.pop()
        run.read()
        shared.loader._touch(run)
    shared.wait()
    assert list(shared.pool.collect()) == []
    assert shared.state_contents() == read_alone(logs.root)


@pytest.mark.parametrize("answers", [0, 1, 3])
def test_workers_killed_worker_loses_nothing(logs: LogDirectory, started: list[WorkerProcess], answers: int) -> None:
    shared = ControlledLoader(write_runs(logs), 2)
    shared.assign()
    for _ in range(answers):
        shared.wait()
        shared.loader.round(1.0, 1)
    for each in started:
        each._process.kill()
    assert shared.finish() == read_alone(logs.root)


SAY = "import socket, tempfile; s = socket.socket(fileno=0); s.recv(1 << 20); "


@pytest.mark.parametrize(
    ("code", "jobs_left"),
    [
        ("raise SystemExit(3)", 1),
        ("import nothing_of_this_name", 1),
        (SAY, 1),
        (SAY + "s.sendall(b'-')", 1),
        (SAY + "s.sendall(b'-' * 50); s.recv(1 << 20); s.recv(1)", 2),
        (SAY + "s.sendall(b'+' * 50); s.recv(1 << 20); s.recv(1)", 2),
        (SAY + "socket.send_fds(s, [b'+'] * 9, [0, 0, 0]); s.recv(1)", 2),
        (SAY + "f = open('/dev/zero', 'rb').read(99); t = tempfile.TemporaryFile(); t.write(f); t.flush(); "
         "[socket.send_fds(s, [b'+'], [t.fileno()]) for _ in range(9)]; s.recv(1)", 2),
        ("import signal; signal.pause()", 2),
    ],
)  # fmt: skip
def test_workers_invalid_reply_loses_nothing(
    logs: LogDirectory, started: list[WorkerProcess], monkeypatch: pytest.MonkeyPatch, code: str, jobs_left: int
) -> None:
    monkeypatch.setattr(worker, "_CODE", code)
    shared = ControlledLoader(write_runs(logs))
    shared.assign()
    assert shared.finish(waits="pause" not in code) == read_alone(logs.root)
    assert len(started) == 1
    assert shared.pool.jobs == jobs_left


def test_workers_failed_process_start_loses_nothing(logs: LogDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    shared = ControlledLoader(write_runs(logs))
    assert shared.assign() == 0
    assert shared.finish() == read_alone(logs.root)


@pytest.mark.parametrize("busy", [True, False])
def test_workers_end_with_their_parent(logs: LogDirectory, started: list[WorkerProcess], busy: bool) -> None:
    shared = ControlledLoader(write_runs(logs, 3, 20_000 if busy else 50))
    shared.assign()
    if not busy:
        shared.wait()
    started[0]._channel.close()
    assert started[0]._process.wait(PATIENCE) == 0


def test_workers_stop_ends_an_unresponsive_worker(
    logs: LogDirectory, started: list[WorkerProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_CODE", "import signal; signal.pause()")
    shared = ControlledLoader(write_runs(logs))
    shared.assign()
    shared.pool.stop()
    assert started[0]._process.returncode == -9


def test_workers_are_not_started_for_small_logs(logs: LogDirectory, started: list[WorkerProcess]) -> None:
    Loader(parse_sources([str(write_runs(logs))]), jobs=8, reload_seconds=0).load_all()
    assert started == []


@pytest.mark.parametrize(("small_steps", "workers"), [(0, 0), (100, 0), (3000, 1)])
def test_workers_are_not_started_for_one_large_run(
    logs: LogDirectory, started: list[WorkerProcess], small_steps: int, workers: int
) -> None:
    small = logs.log("small", range(small_steps)).stat().st_size
    large = logs.log("large", range(3000)).stat().st_size
    shared = ControlledLoader(logs.root)
    shared.pool.min_bytes = small + large
    shared.assign()
    assert len(started) == workers
    shared.finish()


def test_workers_are_not_started_for_indexed_runs(
    logs: LogDirectory, started: list[WorkerProcess], tmp_path: Path
) -> None:
    indexes = RunIndexes(IndexFolder(tmp_path / "cache"), min_bytes=1)
    expected = read_alone(write_runs(logs), indexes=indexes)
    shared = ControlledLoader(logs.root, indexes=indexes)
    assert shared.assign() == 0
    assert shared.finish() == expected
    assert started == []


def test_workers_results_are_saved_in_the_index(logs: LogDirectory, tmp_path: Path) -> None:
    indexes = RunIndexes(IndexFolder(tmp_path / "cache"), min_bytes=1)
    shared = ControlledLoader(write_runs(logs), indexes=indexes)
    expected = shared.finish()
    while shared.loader.keep_next():
        pass
    assert indexes.folder.measure_usage().files == 6
    assert read_alone(logs.root, indexes=indexes) == expected


@pytest.mark.parametrize("count", [0, 1])
def test_workers_one_job_reads_in_this_process(logs: LogDirectory, started: list[WorkerProcess], count: int) -> None:
    shared = ControlledLoader(write_runs(logs), count - 1)
    assert shared.assign() == 0
    assert started == []


@pytest.mark.parametrize(
    ("cores", "quota", "expected"),
    [
        (1, None, 1),
        (2, None, 2),
        (7, None, 2),
        (16, None, 4),
        (128, None, 8),
        (64, "max 100000", 8),
        (64, "100000 100000", 1),
        (64, "1600000 100000", 4),
        (64, "50000 100000", 1),
        (8, "nonsense", 2),
    ],
)
def test_workers_default_is_a_quarter_of_the_cores(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cores: int, quota: str | None, expected: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)), raising=False)
    monkeypatch.setattr(jobs, "_QUOTA", tmp_path / "cpu.max")
    if quota is not None:
        (tmp_path / "cpu.max").write_text(quota + "\n")
    assert jobs.choose_jobs() == expected


def test_workers_small_run_is_read_at_once_beside_large_ones(logs: LogDirectory) -> None:
    run = ControlledLoader(write_runs(logs, 1, 20_000)).loader._runs["run0"]
    assert FIRST_READ_BYTES < run.unread < SHARED_READ_BYTES
    run.read(shared=True)
    assert not run.pending


def test_workers_large_run_publishes_a_first_part(logs: LogDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tbtui.loading.run.SHARED_READ_BYTES", FIRST_READ_BYTES + 1)
    run = ControlledLoader(write_runs(logs, 1, 20_000)).loader._runs["run0"]
    before = run.unread
    run.read(shared=True)
    assert 0 < before - run.unread <= FIRST_READ_BYTES
