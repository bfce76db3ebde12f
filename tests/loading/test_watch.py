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


class Ear:
    """A watcher and the paths that it has reported."""

    def __init__(self, *directories: Path) -> None:
        self.begun = threading.Event()
        self.lost = threading.Event()
        self.ended = threading.Event()
        self.told: set[str] = set()
        self._news = threading.Condition()
        self.watcher = Watcher(
            map(str, directories),
            on_begin=self.begun.set,
            on_change=self.hear,
            on_loss=self.lost.set,
            on_end=self.ended.set,
        )

    def hear(self, paths: Iterable[str]) -> None:
        with self._news:
            self.told.update(paths)
            self._news.notify_all()

    def until(self, path: Path) -> None:
        with self._news:
            assert self._news.wait_for(lambda: str(path) in self.told, PATIENCE), self.told


@pytest.fixture
def ear(tmp_path: Path) -> Iterator[Ear]:
    heard = Ear(tmp_path)
    heard.watcher.start()
    assert heard.begun.wait(PATIENCE)
    yield heard
    heard.watcher.stop()


def test_watch_reports_created_written_renamed_and_removed_paths(ear: Ear, tmp_path: Path) -> None:
    one, two, directory = tmp_path / "one", tmp_path / "two", tmp_path / "sub"
    one.touch()
    ear.until(one)
    ear.told.clear()
    one.write_bytes(b"x")
    ear.until(one)
    one.rename(two)
    ear.until(two)
    ear.told.clear()
    two.unlink()
    ear.until(two)
    directory.mkdir()
    ear.until(directory)


def test_watch_stop_is_no_failure(ear: Ear) -> None:
    ear.watcher.stop()
    assert not ear.ended.is_set()


def test_watch_missing_directory_ends_the_watch(tmp_path: Path) -> None:
    ear = Ear(tmp_path, tmp_path / "missing")
    ear.watcher.start()
    assert ear.ended.wait(PATIENCE)
    assert not ear.begun.is_set()
    ear.watcher.stop()


def test_watch_undecodable_path_is_rejected(tmp_path: Path) -> None:
    directory = tmp_path / "not utf-8 \udcff"
    directory.mkdir()
    ear = Ear(directory)
    ear.watcher.start()
    assert ear.ended.wait(PATIENCE)


def test_watch_directories_are_not_recursive(ear: Ear, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    ear.until(tmp_path / "sub")
    (tmp_path / "sub/below").touch()
    (tmp_path / "here").touch()
    ear.until(tmp_path / "here")
    assert str(tmp_path / "sub/below") not in ear.told


class Overheard:
    """A watch manager with a method that waits until new directories are watched."""

    def __init__(self) -> None:
        self.notices = Wakeups()
        self.listening = WatchManager(self.notices)

    def follow(self, *directories: Path) -> None:
        """Watch these directories with their current identities."""
        statuses = {str(path): path.stat() for path in directories}
        self.listening.follow(
            {path: DirectoryIdentity(status.st_dev, status.st_ino) for path, status in statuses.items()}
        )

    def until_begun(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while not self.notices.take()[1]:
            assert time.monotonic() < deadline
            self.notices.wait(PATIENCE)


@pytest.fixture
def overheard() -> Iterator[Overheard]:
    made = Overheard()
    yield made
    made.listening.stop()


def test_watch_reports_the_directories_once_started(overheard: Overheard, tmp_path: Path) -> None:
    assert overheard.listening.notified == frozenset()
    overheard.follow(tmp_path)
    overheard.until_begun()
    assert overheard.listening.notified == {str(tmp_path)}


def test_watch_same_directories_keep_their_watcher(overheard: Overheard, tmp_path: Path) -> None:
    overheard.follow(tmp_path)
    first = overheard.listening._watcher
    overheard.follow(tmp_path)
    assert overheard.listening._watcher is first is not None


def test_watch_replaced_directory_is_watched_again(overheard: Overheard, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    overheard.follow(root)
    overheard.until_begun()
    root.rename(tmp_path / "before")
    root.mkdir()
    overheard.follow(root)
    overheard.until_begun()
    (root / "file").touch()
    heard: set[str] = set()
    while str(root / "file") not in heard:
        overheard.notices.wait(PATIENCE)
        heard |= overheard.notices.take()[0]


def test_watch_returned_directory_is_watched_again(overheard: Overheard, tmp_path: Path) -> None:
    """Many file systems reuse the inode number for a directory that was deleted and recreated."""
    run = tmp_path / "run"
    run.mkdir()
    overheard.follow(tmp_path, run)
    overheard.until_begun()
    run.rename(tmp_path / "away")
    (tmp_path / "away").rename(run)
    heard: set[str] = set()
    while str(run) not in heard:
        overheard.notices.wait(PATIENCE)
        heard |= overheard.notices.take()[0]
    overheard.follow(tmp_path, run)
    overheard.until_begun()
    (run / "file").touch()
    while str(run / "file") not in heard:
        overheard.notices.wait(PATIENCE)
        heard |= overheard.notices.take()[0]


def test_watch_directory_missing_at_the_start_is_watched_on_return(overheard: Overheard, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    identity = {str(run): DirectoryIdentity(run.stat().st_dev, run.stat().st_ino)}
    run.rename(tmp_path / "away")
    overheard.listening.follow(identity)
    overheard.until_begun()
    assert overheard.listening.notified == frozenset()
    (tmp_path / "away").rename(run)
    overheard.listening.follow(identity)
    overheard.until_begun()
    assert overheard.listening.notified == {str(run)}


def test_watch_deleted_entry_does_not_end_the_watch(ear: Ear, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ear.until(tmp_path / "file")
    ear.told.clear()
    (tmp_path / "file").unlink()
    ear.until(tmp_path / "file")
    assert not ear.lost.is_set()


def test_watch_without_directories_has_no_watcher(overheard: Overheard, tmp_path: Path) -> None:
    overheard.follow(tmp_path)
    overheard.until_begun()
    overheard.listening.follow({})
    assert overheard.listening._watcher is None
    assert overheard.listening.notified == frozenset()
