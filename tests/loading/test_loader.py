from __future__ import annotations

import itertools
import shutil
import threading
import time
from typing import TYPE_CHECKING

import pytest

from tbtui.loading import loader as loader_module
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.loading.state import LoadState, Searched
from tbtui.loading.watcher import WatchManager
from tbtui.tfrecord.reader import RecordReader
from tests.helpers.log_directory import START, Clock, LogDirectory, steps_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tbtui.loading.discovery import DirectoryIdentity
    from tbtui.tfrecord.framing import RecordBlock

PATIENCE = 30.0
"""Timeout in seconds for other threads; passing tests never wait that long."""


class Follower:
    """A loader on its own thread with methods that wait for a state."""

    def __init__(self, logs: LogDirectory, reload_seconds: float | None = None) -> None:
        self._news = threading.Condition()
        self.threads: set[str] = set()
        self.loader = Loader(parse_sources([str(logs.root)]), reload_seconds=reload_seconds, on_change=self._changed)

    def _changed(self) -> None:
        with self._news:
            self.threads.add(threading.current_thread().name)
            self._news.notify_all()

    def until(self, what: Callable[[LoadState], bool]) -> LoadState:
        with self._news:
            assert self._news.wait_for(lambda: what(self.loader.state), PATIENCE), self.loader.state
        return self.loader.state


@pytest.fixture
def follow(logs: LogDirectory) -> Iterator[Callable[..., Follower]]:
    """Return a function that starts loaders and stop them after the test."""
    started: list[Follower] = []

    def start(reload_seconds: float | None = None) -> Follower:
        started.append(Follower(logs, reload_seconds))
        started[-1].loader.start()
        return started[-1]

    yield start
    for follower in started:
        follower.loader.stop()


def shows(run: str, steps: list[int]) -> Callable[[LoadState], bool]:
    """Return True if a state shows exactly these steps."""

    def matches(state: LoadState) -> bool:
        found = state.snapshot.runs.get(run)
        return found is not None and "loss" in found.series and steps_of(state, run) == steps

    return matches


def watches(state: LoadState) -> bool:
    return state.watching == "notified"


def test_loader_initial_state_is_empty(logs: LogDirectory) -> None:
    assert Loader(parse_sources([str(logs.root)])).state == LoadState(watching="polled")
    assert Loader(parse_sources([str(logs.root)]), reload_seconds=0).state.watching == "off"


def test_loader_step_returns_true_if_the_state_changed(logs: LogDirectory, loader: Loader) -> None:
    logs.log("run", range(3))
    assert loader.step()
    assert not loader.step()
    logs.log("run", [3])
    assert loader.step()
    assert steps_of(loader.state) == [0, 1, 2, 3]


def test_loader_announces_every_new_state_once(logs: LogDirectory, loader: Loader) -> None:
    announced: list[LoadState] = []
    loader.on_change = lambda: announced.append(loader.state)
    logs.log("run", range(3))
    loader.load_all()
    loader.load_all()
    assert announced == [loader.state]


def test_loader_publishes_the_first_state_at_once_then_ten_a_second(
    logs: LogDirectory, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(8):
        logs.log(f"run{number}", range(9_000))
    monkeypatch.setattr("tbtui.loading.loader._ROUND_BYTES", 1)
    monkeypatch.setattr("tbtui.loading.run.MAX_RUN_BYTES", 0)  # runs are read in pieces
    loader = Loader(parse_sources([str(logs.root)]), clock=clock, now=lambda: START)
    announced: list[float] = []
    loader.on_change = lambda: announced.append(clock())
    began = clock()
    while not loader.state.complete:
        loader.step()
        clock.advance(0.03)
    assert announced[0] == began
    gaps = [later - earlier for earlier, later in itertools.pairwise(announced)]
    assert len(gaps) > 3
    assert all(gap >= 0.1 for gap in gaps[:-1])


def test_loader_slow_listener_does_not_delay_states(
    logs: LogDirectory, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(8):
        logs.log(f"run{number}", range(9_000))
    monkeypatch.setattr("tbtui.loading.loader._ROUND_BYTES", 1)
    loader = Loader(parse_sources([str(logs.root)]), clock=clock, now=lambda: START)
    times: list[float] = []

    def take_time() -> None:
        times.append(clock())
        clock.advance(5)

    loader.on_change = take_time
    while not loader.state.complete:
        loader.step()
        clock.advance(0.03)
    assert len(times) > 3
    assert all(later - earlier < 5.2 for earlier, later in itertools.pairwise(times))


def test_loader_progress_grows_to_the_total(
    logs: LogDirectory, loader: Loader, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        logs.log(f"run{number}", range(9_000))
    monkeypatch.setattr("tbtui.loading.loader._ROUND_BYTES", 1)
    progress = []
    while not loader.state.complete:
        loader.step()
        clock.advance(1)
        progress.append((loader.state.bytes_read, loader.state.bytes_total))
    assert progress == sorted(progress)
    assert progress[0][0] < progress[0][1]
    assert progress[-1][0] == progress[-1][1]


def test_loader_thread_loads_and_follows(logs: LogDirectory, follow: Callable[..., Follower]) -> None:
    logs.log("run", [1])
    follower = follow()
    follower.until(shows("run", [1]))
    follower.until(watches)
    logs.log("run", [2])
    follower.until(shows("run", [1, 2]))
    assert follower.threads == {"tbtui-loader"}


def test_loader_watches_many_directories_a_while_after_they_are_read(
    logs: LogDirectory, follow: Callable[..., Follower], monkeypatch: pytest.MonkeyPatch
) -> None:
    logs.log("run", [1])
    monkeypatch.setattr("tbtui.loading.loader.MIN_KEPT_DIRECTORIES", 1)
    monkeypatch.setattr("tbtui.loading.loader.WATCH_DELAY_SECONDS", 0.1)
    began: list[float] = []
    watch = WatchManager.follow

    def watch_timed(manager: WatchManager, directories: Mapping[str, DirectoryIdentity]) -> None:
        began.append(time.monotonic())
        watch(manager, directories)

    monkeypatch.setattr(WatchManager, "follow", watch_timed)
    started = time.monotonic()
    follower = follow()
    assert follower.until(lambda state: state.complete).watching == "polled"
    follower.until(watches)
    assert began[0] - started >= 0.1
    logs.log("run", [2])
    follower.until(shows("run", [1, 2]))


def test_loader_new_nested_run_is_detected(logs: LogDirectory, follow: Callable[..., Follower]) -> None:
    follower = follow()
    follower.until(watches)
    logs.log("a/b/c", [1])
    follower.until(shows("a/b/c", [1]))
    logs.log("a/b/c", [2])
    follower.until(shows("a/b/c", [1, 2]))


def test_loader_deleted_run_is_detected(logs: LogDirectory, follow: Callable[..., Follower]) -> None:
    logs.log("run", [1])
    follower = follow()
    follower.until(watches)
    shutil.rmtree(logs.root / "run")
    follower.until(lambda state: state.snapshot.runs["run"].vanished)


def test_loader_without_notifications_polls(
    logs: LogDirectory, follow: Callable[..., Follower], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*directories: str, **options: object) -> Iterator[set[tuple[int, str]]]:
        raise OSError(28, "OS file watch limit reached")

    monkeypatch.setattr("watchfiles.watch", refuse)
    logs.log("run", [1])
    follower = follow()
    follower.until(lambda state: state.complete)
    logs.log("run", [2])
    follower.until(shows("run", [1, 2]))
    assert follower.loader.state.watching == "polled"


def test_loader_failed_watcher_is_replaced_by_polling(
    logs: LogDirectory, follow: Callable[..., Follower], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = threading.Event()

    def break_down(*directories: str, **options: object) -> Iterator[set[tuple[int, str]]]:
        yield set()
        broken.wait(PATIENCE)
        raise RuntimeError("no watches left")

    monkeypatch.setattr("watchfiles.watch", break_down)
    logs.log("run", [1])
    follower = follow()
    follower.until(watches)
    broken.set()
    follower.until(lambda state: state.watching == "polled")


def test_loader_without_notifications_keeps_the_reload_interval(
    logs: LogDirectory, follow: Callable[..., Follower]
) -> None:
    logs.log("run", [1])
    follower = follow(0.05)
    follower.until(shows("run", [1]))
    logs.log("run", [2])
    assert follower.until(shows("run", [1, 2])).watching == "polled"


def test_loader_wake_checks_at_once(logs: LogDirectory, follow: Callable[..., Follower]) -> None:
    logs.log("run", [1])
    follower = follow(0)
    follower.until(lambda state: state.complete)
    logs.log("run", [2])
    follower.loader.wake()
    assert follower.until(shows("run", [1, 2])).watching == "off"


def test_loader_double_start_and_stop_is_harmless(logs: LogDirectory, follow: Callable[..., Follower]) -> None:
    logs.log("run", [1])
    follower = follow()
    follower.loader.start()
    follower.until(shows("run", [1]))
    follower.loader.stop()
    follower.loader.stop()


def test_loader_stop_ends_all_threads(logs: LogDirectory, follow: Callable[..., Follower]) -> None:
    logs.log("run", [1])
    follower = follow()
    follower.until(watches)
    follower.loader.stop()
    names = {thread.name for thread in threading.enumerate()}
    assert not {"tbtui-loader", "tbtui-watcher"} & names


def test_loader_stop_with_a_blocked_file_system_times_out(
    logs: LogDirectory, follow: Callable[..., Follower], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loader_module, "_STOP_TIMEOUT_SECONDS", 0.01)
    requested, gate = threading.Event(), threading.Event()
    read = RecordReader.read

    def read_late(reader: RecordReader, max_bytes: int) -> RecordBlock:
        requested.set()
        assert gate.wait(PATIENCE)
        return read(reader, max_bytes)

    monkeypatch.setattr(RecordReader, "read", read_late)
    monkeypatch.setattr("tbtui.loading.run.MAX_RUN_BYTES", 0)  # runs are read in pieces
    logs.log("run", [1])
    follower = follow()
    assert requested.wait(PATIENCE)
    assert list(follower.loader.state.snapshot.runs) in ([], ["run"])  # the state stays readable meanwhile
    follower.loader.stop()
    thread = follower.loader._thread
    assert thread is not None
    assert thread.is_alive()
    gate.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_loader_never_started_can_be_stopped(logs: LogDirectory, loader: Loader) -> None:
    loader.stop()


def test_loader_hundreds_of_runs_need_few_descriptors(logs: LogDirectory) -> None:
    resource = pytest.importorskip("resource")
    content = logs.bytes_of(range(3))
    for number in range(300):
        path = logs.path(f"run{number}")
        path.parent.mkdir()
        path.write_bytes(content)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(64, limits[0]), limits[1]))
    try:
        state = Loader(parse_sources([str(logs.root)]), reload_seconds=0).load_all()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert len(state.snapshot.runs) == 300
    assert state.problems == ()


def test_loader_says_what_it_searched_until_a_run_is_found(logs: LogDirectory, loader: Loader) -> None:
    (logs.root / "src").mkdir(parents=True)
    (logs.root / "src" / "train.py").touch()
    assert loader.load_all().searched == Searched(directories=2, files=1, depth=1)
    logs.log("run", range(3))
    assert loader.load_all().searched is None


def test_loader_searches_until_all_directories_are_walked(logs: LogDirectory, loader: Loader) -> None:
    logs.log("run", range(3))
    assert not loader.state.complete
    state = loader.load_all()
    assert not state.is_searching
    assert state.seconds_left is None


def test_loader_set_sources_adds_and_removes_directories(logs: LogDirectory, loader: Loader) -> None:
    logs.log("a/run", range(3))
    logs.log("b/run", range(5))
    loader.set_sources(parse_sources([str(logs.root / "a")]))
    assert set(loader.load_all().snapshot.runs) == {"run"}
    loader.set_sources(parse_sources([str(logs.root / "a"), str(logs.root / "b")]))
    state = loader.load_all()
    assert set(state.snapshot.runs) == {"a/run", "b/run"}
    assert steps_of(state, "b/run") == [0, 1, 2, 3, 4]
    loader.set_sources(parse_sources([f"new:{logs.root / 'b'}"]))
    state = loader.load_all()
    assert set(state.snapshot.runs) == {"new/run"}
    assert state.problems == ()


def test_loader_set_sources_on_its_thread(logs: LogDirectory, follow: Callable[..., Follower]) -> None:
    logs.log("a/run", range(3))
    logs.log("b/other", range(5))
    follower = follow()
    follower.until(lambda state: set(state.snapshot.runs) == {"a/run", "b/other"})
    follower.loader.set_sources(parse_sources([str(logs.root / "b")]))
    follower.until(lambda state: set(state.snapshot.runs) == {"other"})
