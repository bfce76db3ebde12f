from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from tbtui.loading.discovery import DirectoryIdentity
from tbtui.loading.loader import Wakeups
from tbtui.loading.watcher import Watcher, WatchManager

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

PATIENCE = 30.0


class WatchRecorder:
    """A watcher and the paths that it has reported."""

    def __init__(self, *directories: Path) -> None:
        self.begun = threading.Event()
        self.lost = threading.Event()
        self.ended = threading.Event()
        self.reported: set[str] = set()
        self._news = threading.Condition()
        self.watcher = Watcher(
            map(str, directories),
            on_begin=self.begun.set,
            on_change=self.record,
            on_loss=self.lost.set,
            on_end=self.ended.set,
        )

    def record(self, paths: Iterable[str]) -> None:
        with self._news:
            self.reported.update(paths)
            self._news.notify_all()

    def until(self, path: Path) -> None:
        with self._news:
            assert self._news.wait_for(lambda: str(path) in self.reported, PATIENCE), self.reported


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[WatchRecorder]:
    started_recorder = WatchRecorder(tmp_path)
    started_recorder.watcher.start()
    assert started_recorder.begun.wait(PATIENCE)
    yield started_recorder
    started_recorder.watcher.stop()


def test_watch_reports_created_written_renamed_and_removed_paths(recorder: WatchRecorder, tmp_path: Path) -> None:
    one, two, directory = tmp_path / "one", tmp_path / "two", tmp_path / "sub"
    one.touch()
    recorder.until(one)
    recorder.reported.clear()
    one.write_bytes(b"x")
    recorder.until(one)
    one.rename(two)
    recorder.until(two)
    recorder.reported.clear()
    two.unlink()
    recorder.until(two)
    directory.mkdir()
    recorder.until(directory)


def test_watch_stop_is_no_failure(recorder: WatchRecorder) -> None:
    recorder.watcher.stop()
    assert not recorder.ended.is_set()


def test_watch_missing_directory_ends_the_watch(tmp_path: Path) -> None:
    recorder = WatchRecorder(tmp_path, tmp_path / "missing")
    recorder.watcher.start()
    assert recorder.ended.wait(PATIENCE)
    assert not recorder.begun.is_set()
    recorder.watcher.stop()


def test_watch_undecodable_path_is_rejected(tmp_path: Path) -> None:
    directory = tmp_path / "not utf-8 \udcff"
    directory.mkdir()
    recorder = WatchRecorder(directory)
    recorder.watcher.start()
    assert recorder.ended.wait(PATIENCE)


def test_watch_directories_are_not_recursive(recorder: WatchRecorder, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    recorder.until(tmp_path / "sub")
    (tmp_path / "sub/below").touch()
    (tmp_path / "here").touch()
    recorder.until(tmp_path / "here")
    assert str(tmp_path / "sub/below") not in recorder.reported


class ManagerDriver:
    """A watch manager with a method that waits until new directories are watched."""

    def __init__(self) -> None:
        self.notices = Wakeups()
        self.manager = WatchManager(self.notices)

    def follow(self, *directories: Path) -> None:
        """Watch these directories with their current identities."""
        statuses = {str(path): path.stat() for path in directories}
        self.manager.follow(
            {path: DirectoryIdentity(status.st_dev, status.st_ino) for path, status in statuses.items()}
        )

    def until_begun(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while not self.notices.take()[1]:
            assert time.monotonic() < deadline
            self.notices.wait(PATIENCE)


@pytest.fixture
def driver() -> Iterator[ManagerDriver]:
    made = ManagerDriver()
    yield made
    made.manager.stop()


def test_watch_reports_the_directories_once_started(driver: ManagerDriver, tmp_path: Path) -> None:
    assert driver.manager.notified == frozenset()
    driver.follow(tmp_path)
    driver.until_begun()
    assert driver.manager.notified == {str(tmp_path)}


def test_watch_same_directories_keep_their_watcher(driver: ManagerDriver, tmp_path: Path) -> None:
    driver.follow(tmp_path)
    first = driver.manager._watcher
    driver.follow(tmp_path)
    assert driver.manager._watcher is first is not None


def test_watch_replaced_directory_is_watched_again(driver: ManagerDriver, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    driver.follow(root)
    driver.until_begun()
    root.rename(tmp_path / "before")
    root.mkdir()
    driver.follow(root)
    driver.until_begun()
    (root / "file").touch()
    started_recorder: set[str] = set()
    while str(root / "file") not in started_recorder:
        driver.notices.wait(PATIENCE)
        started_recorder |= driver.notices.take()[0]


def test_watch_returned_directory_is_watched_again(driver: ManagerDriver, tmp_path: Path) -> None:
    """Many file systems reuse the inode number for a directory that was deleted and recreated."""
    run = tmp_path / "run"
    run.mkdir()
    driver.follow(tmp_path, run)
    driver.until_begun()
    run.rename(tmp_path / "away")
    (tmp_path / "away").rename(run)
    started_recorder: set[str] = set()
    while str(run) not in started_recorder:
        driver.notices.wait(PATIENCE)
        started_recorder |= driver.notices.take()[0]
    driver.follow(tmp_path, run)
    driver.until_begun()
    (run / "file").touch()
    while str(run / "file") not in started_recorder:
        driver.notices.wait(PATIENCE)
        started_recorder |= driver.notices.take()[0]


def test_watch_directory_missing_at_the_start_is_watched_on_return(driver: ManagerDriver, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    identity = {str(run): DirectoryIdentity(run.stat().st_dev, run.stat().st_ino)}
    run.rename(tmp_path / "away")
    driver.manager.follow(identity)
    driver.until_begun()
    assert driver.manager.notified == frozenset()
    (tmp_path / "away").rename(run)
    driver.manager.follow(identity)
    driver.until_begun()
    assert driver.manager.notified == {str(run)}


def test_watch_deleted_entry_does_not_end_the_watch(recorder: WatchRecorder, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    recorder.until(tmp_path / "file")
    recorder.reported.clear()
    (tmp_path / "file").unlink()
    recorder.until(tmp_path / "file")
    assert not recorder.lost.is_set()


def test_watch_without_directories_has_no_watcher(driver: ManagerDriver, tmp_path: Path) -> None:
    driver.follow(tmp_path)
    driver.until_begun()
    driver.manager.follow({})
    assert driver.manager._watcher is None
    assert driver.manager.notified == frozenset()


def test_watch_directories_added_to_many_get_their_own_watcher(
    driver: ManagerDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbtui.loading.watcher.MIN_KEPT_DIRECTORIES", 2)
    one, two, three = (tmp_path / name for name in ("one", "two", "three"))
    for path in (one, two, three):
        path.mkdir()
    driver.follow(one, two)
    driver.until_begun()
    first = driver.manager._watcher
    driver.follow(one, two, three)
    assert driver.manager._watcher is first
    reported: set[str] = set()
    while str(three) not in reported:  # what changed in it before is looked for
        driver.notices.wait(PATIENCE)
        reported |= driver.notices.take()[0]
    assert driver.manager.notified == {str(one), str(two), str(three)}
    for path in (three / "file", one / "file"):
        path.touch()
        while str(path) not in reported:
            driver.notices.wait(PATIENCE)
            reported |= driver.notices.take()[0]
    driver.follow(one, three)
    driver.until_begun()
    assert driver.manager.notified == {str(one), str(three)}


def test_watch_refused_directories_are_reported(driver: ManagerDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> object:
        raise OSError(28, "OS file watch limit reached")

    monkeypatch.setattr("watchfiles.watch", refuse)
    driver.manager.follow({"/nowhere": DirectoryIdentity(1, 2)})
    driver.until_begun()
    assert driver.manager.is_refused
    driver.manager.follow({})
    assert not driver.manager.is_refused
