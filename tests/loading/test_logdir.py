from __future__ import annotations

import itertools
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tbtui.events.decoder import RunDecoder
from tbtui.loading.discovery import Mounts
from tbtui.loading.logdir import LogdirLoader
from tbtui.loading.run_queue import PollSchedule
from tbtui.loading.sources import parse_sources
from tbtui.store.staging import Store
from tests.helpers.log_directory import FILE, START, Clock, LogDirectory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.events.block import EventBlock
    from tbtui.tfrecord.framing import RecordBlock

LONG = 1e9
LARGE = 1 << 40


class CheckRecorder:
    """Counter of checked files and directories."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    def stat(self, path: str) -> os.stat_result:
        self.paths.append(path)
        return Path(path).stat()


class Logdir:
    """A loader whose file checks are counted."""

    def __init__(
        self, logs: LogDirectory, clock: Clock, reload_seconds: float | None = None, paths: Sequence[str] = ()
    ) -> None:
        self.store = Store()
        self.checks = CheckRecorder()
        self.loader = LogdirLoader(
            parse_sources(paths or [str(logs.root)]),
            self.store,
            reload_seconds=reload_seconds,
            clock=clock,
            now=lambda: START,
            status_of=self.checks.stat,
        )
        self.finish()

    def finish(self) -> list[str]:
        """Run the due checks and return the checked paths."""
        self.checks.paths.clear()
        self.loader.round(LONG, LARGE)
        while self.loader.busy:
            self.loader.round(LONG, LARGE)
        self.loader.commit()
        return list(self.checks.paths)


def count(logdir: Logdir, run: str) -> int:
    return len(logdir.store.snapshot.runs[run].series["loss"])


def old(path: Path, seconds: float = 1e6) -> Path:
    """Set the mtime of a file back by a number of seconds."""
    os.utime(path, (START - seconds, START - seconds))
    return path


def test_logdir_notified_file_checks_only_its_run(logs: LogDirectory, clock: Clock) -> None:
    paths = [logs.log(f"run{number}", range(3)) for number in range(20)]
    logdir = Logdir(logs, clock)
    logdir.loader.notified = frozenset(logdir.loader.watchable)
    logs.log("run7", [3])
    logdir.loader.poll_changed([str(paths[7])])
    assert logdir.finish() == [str(paths[7])]
    assert count(logdir, "run7") == 4


def test_logdir_run_is_notified_under_its_link_too(logs: LogDirectory, clock: Clock) -> None:
    path = logs.log("run42", [1])
    (logs.root / "latest").symlink_to("run42")
    logdir = Logdir(logs, clock)
    for step, notified_path in ((2, path), (3, logs.path("latest"))):
        logs.log("run42", [step])
        logdir.loader.poll_changed([str(notified_path)])
        logdir.finish()
    assert count(logdir, "run42") == 3
    assert "latest" not in logdir.store.snapshot.runs


def test_logdir_run_under_two_names_is_notified_under_both(logs: LogDirectory, clock: Clock) -> None:
    path = logs.log("run", range(3))
    logdir = Logdir(logs, clock, paths=[f"one:{logs.root}", f"two:{logs.root}"])
    logs.log("run", [3])
    logdir.loader.poll_changed([str(path)])
    logdir.finish()
    assert [count(logdir, name) for name in ("one/run", "two/run")] == [4, 4]


def test_logdir_deleted_run_forgets_its_files(logs: LogDirectory, clock: Clock) -> None:
    path, other = logs.log("run", range(3)), logs.log("run", range(3), file="events.out.tfevents.2.host")
    logdir = Logdir(logs, clock)
    for gone in (other, path):
        gone.unlink()
        logdir.loader.poll_everywhere()
        logdir.finish()
    clock.advance(100)
    logdir.finish()
    assert logdir.store.snapshot.runs == {}
    assert logdir.loader._names_by_path == {}
    logdir.loader.poll_changed([str(path), str(other)])
    logdir.finish()
    assert logdir.store.snapshot.runs == {}


def test_logdir_recreated_file_returns_at_once(logs: LogDirectory, clock: Clock) -> None:
    path = logs.log("run", range(5))
    logdir = Logdir(logs, clock)
    logdir.loader.notified = frozenset(logdir.loader.watchable)
    path.unlink()
    logdir.loader.poll_changed([str(path)])
    logdir.finish()
    assert logdir.store.snapshot.runs["run"].vanished
    logs.log("run", range(3))
    logdir.loader.poll_changed([str(path)])
    logdir.finish()
    assert not logdir.store.snapshot.runs["run"].vanished
    assert count(logdir, "run") == 3


def test_logdir_new_event_file_starts_a_walk(logs: LogDirectory, clock: Clock) -> None:
    logs.log("a", range(3))
    logdir = Logdir(logs, clock)
    logdir.loader.poll_changed([str(logs.log("b", range(3)))])
    logdir.finish()
    assert count(logdir, "b") == 3


def test_logdir_new_directory_starts_a_walk(logs: LogDirectory, clock: Clock) -> None:
    logdir = Logdir(logs, clock)
    logs.log("a/b", range(3))
    logdir.loader.poll_changed([str(logs.root / "a")])
    logdir.finish()
    assert count(logdir, "a/b") == 3


def test_logdir_removed_directory_starts_a_walk(logs: LogDirectory, clock: Clock) -> None:
    path = logs.log("a/b", range(3))
    logdir = Logdir(logs, clock)
    path.unlink()
    path.parent.rmdir()
    logdir.loader.poll_changed([str(path.parent)])
    logdir.finish()
    assert logdir.store.snapshot.runs["a/b"].vanished


def test_logdir_other_files_are_ignored(logs: LogDirectory, clock: Clock) -> None:
    path = logs.log("a", range(3))
    logdir = Logdir(logs, clock)
    (path.parent / "model.ckpt").touch()
    logdir.loader.poll_changed([str(path.parent / "model.ckpt")])
    assert logdir.finish() == []


def test_logdir_nothing_is_checked_before_it_is_due(logs: LogDirectory, clock: Clock) -> None:
    logs.log("a", range(3))
    logdir = Logdir(logs, clock)
    assert logdir.loader.due > clock()
    assert logdir.finish() == []


def test_logdir_polled_file_interval_follows_the_write_rate(logs: LogDirectory, clock: Clock) -> None:
    active = old(logs.log("active", range(3)), 1)
    quiet = old(logs.log("quiet", range(3)))
    logdir = Logdir(logs, clock)
    checks = []
    for _ in range(20):
        clock.advance(1.01)
        checks += logdir.finish()
    assert checks.count(str(active)) == 20
    assert checks.count(str(quiet)) == 2


def test_logdir_watched_file_is_rarely_checked(logs: LogDirectory, clock: Clock) -> None:
    active = old(logs.log("active", range(3)), 1)
    logdir = Logdir(logs, clock)
    logdir.loader.notified = frozenset(logdir.loader.watchable)
    logdir.loader.poll_everywhere()
    logdir.finish()
    checks = []
    for _ in range(20):
        clock.advance(1.01)
        checks += logdir.finish()
    assert checks.count(str(active)) == 2


def test_logdir_linked_file_without_notifications_is_polled(logs: LogDirectory, clock: Clock, tmp_path: Path) -> None:
    elsewhere = LogDirectory(tmp_path / "elsewhere")
    target = old(elsewhere.log("run", [1]), 1)
    link = logs.path("run")
    link.parent.mkdir()
    link.symlink_to(target)
    logdir = Logdir(logs, clock)
    logdir.loader.notified = frozenset(logdir.loader.watchable)
    logdir.loader.poll_everywhere()
    logdir.finish()
    old(elsewhere.log("run", [2]), 0)
    clock.advance(1.01)
    assert logdir.finish() == [str(link)]
    assert count(logdir, "run") == 2


def test_logdir_network_file_system_is_polled(
    logs: LogDirectory, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Mounts, "is_network", lambda self, device: True)
    old(logs.log("active", range(3)), 1)
    logdir = Logdir(logs, clock)
    assert logdir.loader.watchable == {}
    logdir.loader.poll_everywhere()
    logdir.finish()
    assert logdir.loader.due == pytest.approx(clock() + 1)


def test_logdir_reload_interval_overrides_the_schedule(logs: LogDirectory, clock: Clock) -> None:
    path = old(logs.log("a", range(3)))
    logdir = Logdir(logs, clock, reload_seconds=3)
    clock.advance(2.9)
    assert logdir.finish() == []
    clock.advance(0.2)
    assert str(path) in logdir.finish()
    assert logdir.loader.due == pytest.approx(clock() + 3)


def test_logdir_zero_seconds_reads_once(logs: LogDirectory, clock: Clock) -> None:
    logs.log("a", range(3))
    logdir = Logdir(logs, clock, reload_seconds=0)
    assert logdir.loader.due == math.inf
    logs.log("a", [3])
    clock.advance(1e9)
    logdir.finish()
    assert count(logdir, "a") == 3
    logdir.loader.poll_everywhere()
    logdir.finish()
    assert count(logdir, "a") == 4


def test_logdir_unwatched_directories_are_walked_more_often(logs: LogDirectory, clock: Clock) -> None:
    logs.log("a", [1])
    logdir = Logdir(logs, clock)
    for watched, seconds in ((set(logdir.loader.watchable), 30), ({str(logs.root)}, 3), (set(), 3)):
        logdir.loader.notified = frozenset(watched)
        logdir.loader.poll_everywhere()
        logdir.finish()
        clock.advance(2.9)
        walked = [str(logs.root) in logdir.finish()]
        clock.advance(0.2)
        walked.append(str(logs.root) in logdir.finish())
        assert walked == [False, seconds == 3]


def test_logdir_polling_finds_new_directories(logs: LogDirectory, clock: Clock) -> None:
    logdir = Logdir(logs, clock)
    logs.log("late", range(3))
    clock.advance(5.1)
    logdir.finish()
    assert count(logdir, "late") == 3


def test_logdir_newest_runs_are_read_first_and_all_a_little(
    logs: LogDirectory, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbtui.loading.run.MAX_RUN_BYTES", 0)  # all runs are too large to be read whole
    for number in range(4):
        old(logs.log(f"run{number}", range(9_000)), 1_000 - number)
    loader = LogdirLoader(parse_sources([str(logs.root)]), store := Store(), clock=clock, now=lambda: START)
    seen = []
    for _ in range(5):
        loader.round(LONG, 1)
        loader.commit()
        seen.append({name: len(run.series["loss"]) for name, run in store.snapshot.runs.items() if run.series})
    assert [max(seen[n], key=lambda run: (run not in seen[n - 1] if n else True, run)) for n in range(4)] == [
        "run3",
        "run2",
        "run1",
        "run0",
    ]
    assert seen[4]["run3"] > seen[3]["run3"] == seen[3]["run0"]


def test_logdir_round_ends_when_its_time_is_over(logs: LogDirectory) -> None:
    for number in range(10):
        logs.log(f"run{number}", range(3))
    ticking = iter(range(10_000))
    loader = LogdirLoader(parse_sources([str(logs.root)]), Store(), clock=lambda: float(next(ticking)), now=lambda: 0)
    rounds = 0
    while loader.busy or not loader.complete:
        loader.round(6.0, LARGE)
        rounds += 1
    assert rounds > 3
    assert sum(loader.progress) > 0


def log_aging(logs: LogDirectory, count: int) -> None:
    """Write runs, each one second newer than the previous one."""
    for number in range(count):
        os.utime(logs.log(f"run{number}", [1]), (START + number, START + number))


class SlowStatus:
    """Replacement of `os.stat` that advances the clock at each check of an event file."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self.checks: list[str] = []
        """The runs that were checked."""

        self._clock, self._seconds = clock, seconds

    def __call__(self, path: str) -> os.stat_result:
        if path.endswith(FILE):
            self.checks.append(Path(path).parent.name)
            self._clock.advance(self._seconds)
        return Path(path).stat()


def test_logdir_slow_checks_continue_in_the_next_round(logs: LogDirectory, clock: Clock) -> None:
    """On a network file system a check may take milliseconds, and there may be thousands of runs."""
    log_aging(logs, 10)
    slow = SlowStatus(clock, 1.0)
    checks = slow.checks
    loader = LogdirLoader(
        parse_sources([str(logs.root)]), Store(), clock=clock, now=lambda: START, status_of=slow, reload_seconds=0
    )
    while loader.busy:
        loader.round(1_000.0, LARGE)
    checks.clear()
    loader.poll_everywhere()
    loader.round(6.0, LARGE)
    assert checks == ["run9", "run8", "run7"]
    assert loader.busy
    while loader.busy:
        loader.round(6.0, LARGE)
    assert checks == [f"run{number}" for number in reversed(range(10))]


def test_logdir_overdue_runs_are_all_checked(logs: LogDirectory, clock: Clock) -> None:
    """The newest run is checked whenever it is due; an old run with new data is found eventually."""
    log_aging(logs, 30)
    slow = SlowStatus(clock, 0.1)
    checks = slow.checks
    loader = LogdirLoader(
        parse_sources([str(logs.root)]), Store(), clock=clock, now=lambda: START, status_of=slow, reload_seconds=1.0
    )
    while not loader.complete:
        loader.round(1_000.0, LARGE)
    checks.clear()
    clock.advance(1.0)
    while len(checks) < 100:
        loader.round(1.0, LARGE)
    assert set(checks) == {f"run{number}" for number in range(30)}
    assert checks.count("run29") > 5


def test_logdir_first_round_finds_all_runs_without_reading_time(
    logs: LogDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbtui.loading.run.MAX_RUN_BYTES", 0)  # a batch has no time limit, only a size
    for number in range(40):
        logs.log(f"run{number}", range(3))
    ticking = itertools.count()
    loader = LogdirLoader(
        parse_sources([str(logs.root)]), store := Store(), clock=lambda: next(ticking) / 1000, now=lambda: START
    )
    loader.round(0.02, LARGE)
    loader.commit()
    assert len(store.snapshot.runs) == 40
    assert sum(bool(run.series) for run in store.snapshot.runs.values()) < 40


def test_logdir_of_a_large_tree_runs_and_their_parents_are_watched(
    logs: LogDirectory, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbtui.loading.logdir.MAX_WATCHED_DIRECTORIES", 3)
    for number in range(3):
        logs.log(f"sweep/run{number}", [1])
    for name in ("code", "code/tests", "wandb/files"):
        (logs.root / name).mkdir(parents=True)
    watchable = Logdir(logs, clock).loader.watchable
    assert [os.path.relpath(path, logs.root) for path in watchable] == ["sweep", *(f"sweep/run{n}" for n in range(3))]


def test_logdir_of_very_many_runs_the_last_written_are_watched(
    logs: LogDirectory, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbtui.loading.logdir.MAX_WATCHES", 3)
    for number in range(5):
        old(logs.log(f"run{number}", [1]), 100 - number)
    logdir = Logdir(logs, clock)
    chosen = logdir.loader.watchable
    assert [os.path.relpath(path, logs.root) for path in chosen] == [".", "run3", "run4"]
    os.utime(logs.path("run0"))
    logdir.loader.poll_everywhere()
    logdir.finish()
    assert logdir.loader.watchable is chosen  # to watch others would block all threads for a moment


def test_logdir_refused_watches_are_fewer_the_next_time(
    logs: LogDirectory, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbtui.loading.logdir.MIN_WATCHES", 2)
    for number in range(8):
        logs.log(f"run{number}", [1])
    loader = Logdir(logs, clock).loader
    counts = []
    for _ in range(4):
        counts.append(len(loader.watchable))
        loader.reduce_watches()
    assert counts == [9, 3, 2, 2]


def test_logdir_polls_of_very_many_files_take_a_small_share_of_time() -> None:
    schedule = PollSchedule()
    assert schedule.poll_after(0, notified=True, cost=0.2) == pytest.approx(60)
    assert schedule.poll_after(1e6, notified=False, cost=0.2) == pytest.approx(60)
    assert schedule.poll_after(0, notified=False, cost=0.2) == 1
    assert PollSchedule(2).poll_after(0, notified=True, cost=0.2) == 2


def test_logdir_walk_requested_during_a_walk_runs_afterwards(logs: LogDirectory, clock: Clock) -> None:
    logs.log("a", [1])
    logdir = Logdir(logs, clock)
    logdir.loader.poll_everywhere()
    logdir.loader.round(0, LARGE)
    assert logdir.loader.busy
    logs.log("b", [1])
    logdir.loader.poll_everywhere()
    logdir.finish()
    assert logdir.loader.due > clock()
    assert count(logdir, "b") == 1


def test_logdir_unreadable_directory_is_not_watched(
    logs: LogDirectory, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run in ("a", "b/c", "secret"):
        logs.log(run, [1])
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("secret"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    logdir = Logdir(logs, clock)
    assert str(logs.root / "secret") in logdir.loader.watchable
    monkeypatch.setattr(logdir.loader._discovery, "_scandir", refuse)
    logdir.loader.poll_everywhere()
    logdir.finish()
    assert [os.path.relpath(path, logs.root) for path in logdir.loader.watchable] == [".", "a", "b", "b/c"]


def test_logdir_directory_with_undecodable_name_is_polled(logs: LogDirectory, clock: Clock) -> None:
    logs.log("not utf-8 \udcff", [1])
    assert list(Logdir(logs, clock).loader.watchable) == [str(logs.root)]


@pytest.mark.parametrize("at", [0, 1])
def test_logdir_run_without_enough_memory_is_reported_and_retried(
    logs: LogDirectory, clock: Clock, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    monkeypatch.setattr("tbtui.loading.run.MAX_RUN_BYTES", 0)  # runs are read in pieces
    logs.log("large", range(3_000), tag="large")
    logs.log("small", range(30))
    decode = RunDecoder.decode
    pieces: list[int] = []
    is_short = True

    def decode_in_little_memory(decoder: RunDecoder, block: RecordBlock, *how: Any) -> EventBlock:
        if b"large" in block.data.tobytes():
            pieces.append(len(block))
            if is_short and len(pieces) > at:
                raise MemoryError
        return decode(decoder, block, *how)

    monkeypatch.setattr(RunDecoder, "decode", decode_in_little_memory)
    logdir = Logdir(logs, clock)
    large, small = (logdir.store.snapshot.runs[name] for name in ("large", "small"))
    assert len(small.series["loss"]) == 30
    assert large.files[0].state == "unreadable"
    assert sum(len(series) for series in large.series.values()) == (pieces[0] - 1 if at else 0)
    (problem,) = logdir.loader.problems
    assert problem.problem.message == "cannot be read: there is not enough memory for the rest of it"
    is_short = False
    tries = len(pieces)
    for checks in range(40):
        clock.advance(100)
        logdir.finish()
        if len(pieces) > tries:
            assert checks > 5
            break
    assert len(logdir.store.snapshot.runs["large"].series["large"]) == 3_000
    assert logdir.loader.problems == ()
