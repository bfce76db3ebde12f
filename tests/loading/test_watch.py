from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from tbtui.loading.listening import Listening
from tbtui.loading.notices import Notices
from tbtui.loading.watch import Watched, Watcher, watch_root

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

PATIENCE = 30.0


def watched(*roots: Path, recursive: bool = True) -> Watched:
    found = [watch_root(str(root)) for root in roots]
    return Watched(tuple(root for root in found if root is not None), recursive)


class Ear:
    """A watcher and what it has told."""

    def __init__(self, *roots: Path) -> None:
        self.begun = threading.Event()
        self.ended = threading.Event()
        self.told: set[str] = set()
        self._news = threading.Condition()
        self.watcher = Watcher(watched(*roots), on_begin=self.begun.set, on_change=self.hear, on_end=self.ended.set)

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


def test_it_names_what_was_made_written_renamed_and_removed(ear: Ear, tmp_path: Path) -> None:
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


def test_stopping_is_not_failing(ear: Ear) -> None:
    ear.watcher.stop()
    assert not ear.ended.is_set()


def test_a_root_that_is_not_there_ends_the_watch(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    ear = Ear(tmp_path / "root")
    (tmp_path / "root").rmdir()
    ear.watcher.start()
    assert ear.ended.wait(PATIENCE)
    assert not ear.begun.is_set()
    ear.watcher.stop()


def test_a_root_tells_which_directory_it_is(tmp_path: Path) -> None:
    root = watch_root(str(tmp_path))
    assert root is not None
    assert (root.path, root.inode) == (str(tmp_path), tmp_path.stat().st_ino)
    assert watch_root(str(tmp_path / "missing")) is None


@pytest.fixture
def listening() -> Iterator[Listening]:
    listening = Listening(Notices())
    yield listening
    listening.stop()


def test_the_same_roots_keep_their_watcher(listening: Listening, tmp_path: Path) -> None:
    listening.follow(watched(tmp_path))
    first = listening._watcher
    listening.follow(watched(tmp_path))
    assert listening._watcher is first is not None


def test_a_root_that_was_replaced_is_watched_anew(listening: Listening, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    listening.follow(watched(root))
    first = listening._watcher
    root.rename(tmp_path / "before")
    root.mkdir()
    listening.follow(watched(root))
    assert listening._watcher is not first


def test_no_roots_no_watcher(listening: Listening) -> None:
    listening.follow(Watched())
    assert listening._watcher is None
    assert not listening.active


def test_directories_may_be_watched_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    ear = Ear()
    ear.watcher = Watcher(
        watched(tmp_path, recursive=False), on_begin=ear.begun.set, on_change=ear.hear, on_end=ear.ended.set
    )
    ear.watcher.start()
    assert ear.begun.wait(PATIENCE)
    (tmp_path / "sub/below").touch()
    (tmp_path / "here").touch()
    ear.until(tmp_path / "here")
    ear.watcher.stop()
    assert str(tmp_path / "sub/below") not in ear.told


def test_a_path_that_is_no_text_cannot_be_watched(tmp_path: Path) -> None:
    root = tmp_path / "not utf-8 \udcff"
    root.mkdir()
    ear = Ear(root)
    ear.watcher.start()
    assert ear.ended.wait(PATIENCE)
