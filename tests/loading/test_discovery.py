from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tbtui.loading.discovery import Discovery
from tbtui.loading.sources import parse_sources
from tbtui.loading.state import Searched

if TYPE_CHECKING:
    from collections.abc import Callable

LONG_AGO = 1_000_000_000
"""Seconds since the epoch."""


class Tree:
    """A directory tree and a recorder of the system calls of a walk."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self._monkeypatch = monkeypatch
        self.listed: list[str] = []
        self.refused: dict[str, OSError] = {}

    def file(self, path: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()

    def age(self) -> None:
        """Advance the clock by an hour."""
        later = time.time_ns() + 3_600 * 10**9
        self._monkeypatch.setattr(time, "time_ns", lambda: later)

    def discovery(self, *paths: str) -> Discovery:
        sources = parse_sources([str(self.root / path) if ":" not in path else path for path in paths or (".",)])
        return Discovery(sources, scandir=self.scandir)

    def scandir(self, path: str) -> os._ScandirIterator[str]:
        name = os.path.relpath(path, self.root)
        self.listed.append(name)
        if name in self.refused:
            raise self.refused[name]
        return os.scandir(path)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    root = tmp_path / "logs"
    root.mkdir()
    return Tree(root, monkeypatch)


def names(discovery: Discovery) -> list[str]:
    return [found.name for found in discovery.walk() if found is not None]


def test_discovery_run_is_a_directory_with_event_files(tree: Tree) -> None:
    for path in ("a/x.tfevents.1", "b/deep/er/x.tfevents.1", "b/notes.txt", "c/.keep"):
        tree.file(path)
    assert names(tree.discovery()) == ["a", "b/deep/er"]


def test_discovery_log_directory_itself_is_run_dot(tree: Tree) -> None:
    tree.file("x.tfevents.1")
    tree.file("sub/x.tfevents.1")
    assert names(tree.discovery()) == [".", "sub"]


def test_discovery_files_are_in_reading_order(tree: Tree) -> None:
    for file in ("e.tfevents.2", "e.tfevents.10", "a.tfevents", "model.ckpt"):
        tree.file(f"run/{file}")
    (found,) = filter(None, tree.discovery().walk())
    assert [Path(path).name for path in found.files] == ["a.tfevents", "e.tfevents.10", "e.tfevents.2"]
    assert found.directory == str(tree.root / "run")


def test_discovery_enters_hidden_directories(tree: Tree) -> None:
    tree.file(".hid/run/x.tfevents.1")
    assert names(tree.discovery()) == [".hid/run"]


def test_discovery_directory_named_like_an_event_file_is_a_directory(tree: Tree) -> None:
    tree.file("odd.tfevents.1/x.tfevents.1")
    assert names(tree.discovery()) == ["odd.tfevents.1"]


def test_discovery_follows_links_to_other_directories_once(tree: Tree, tmp_path: Path) -> None:
    elsewhere = tmp_path.with_name("elsewhere") / "run"
    elsewhere.mkdir(parents=True)
    (elsewhere / "x.tfevents.1").touch()
    for name in ("first", "second"):
        (tree.root / name).symlink_to(elsewhere.parent)
    assert names(tree.discovery()) == ["first/run"]


@pytest.mark.parametrize("name", ["latest", "a_first", "sub/latest"])
def test_discovery_run_and_a_link_to_it_are_one_run(tree: Tree, name: str) -> None:
    tree.file("run1/x.tfevents.1")
    tree.file("run1/train/x.tfevents.1")
    (tree.root / "sub").mkdir()
    (tree.root / name).symlink_to(tree.root / "run1")
    assert names(tree.discovery()) == ["run1", "run1/train"]


def test_discovery_run_and_links_to_its_files_are_one_run(tree: Tree) -> None:
    for path in ("trial3/x.tfevents.1", "trial3/x.tfevents.2"):
        tree.file(path)
    (tree.root / "best").mkdir()
    for number in (1, 2):
        (tree.root / f"best/x.tfevents.{number}").symlink_to(f"../trial3/x.tfevents.{number}")
    assert names(tree.discovery()) == ["trial3"]


def test_discovery_run_with_a_file_of_its_own_beside_a_link_is_a_run(tree: Tree) -> None:
    for path in ("first/x.tfevents.1", "resumed/x.tfevents.2"):
        tree.file(path)
    (tree.root / "resumed/x.tfevents.1").symlink_to("../first/x.tfevents.1")
    assert names(tree.discovery()) == ["first", "resumed"]


def test_discovery_links_to_a_file_outside_are_one_run(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "x.tfevents.1").touch()
    for run in ("a", "b"):
        (tree.root / run).mkdir(parents=True)
        (tree.root / run / "x.tfevents.1").symlink_to(tmp_path / "x.tfevents.1")
    assert names(tree.discovery()) == ["a"]


@pytest.mark.parametrize("target", [".", "..", "../..", "../sub"])
def test_discovery_link_loop_terminates(tree: Tree, target: str) -> None:
    tree.file("sub/run/x.tfevents.1")
    (tree.root / "sub/link").symlink_to(target)
    assert names(tree.discovery()).count("sub/run") == 1


def test_discovery_mutually_linked_directories_terminate(tree: Tree) -> None:
    tree.file("a/x.tfevents.1")
    tree.file("b/x.tfevents.1")
    (tree.root / "a/to_b").symlink_to("../b")
    (tree.root / "b/to_a").symlink_to("../a")
    assert names(tree.discovery()) == ["a", "b"]


def test_discovery_many_link_paths_terminate(tree: Tree) -> None:
    """Ten directories that link to all others have a million paths."""
    for number in range(10):
        tree.file(f"run{number}/x.tfevents.1")
        for other in range(10):
            (tree.root / f"run{number}/to{other}").symlink_to(f"../run{other}")
    assert names(tree.discovery()) == [f"run{number}" for number in range(10)]


def test_discovery_broken_link_with_event_file_name_is_a_file(tree: Tree) -> None:
    for name in ("lost", "lost.tfevents.1"):
        (tree.root / name).symlink_to("nowhere")
    (found,) = filter(None, tree.discovery().walk())
    assert found.files == (str(tree.root / "lost.tfevents.1"),)


def test_discovery_single_file_is_the_only_file_of_its_run(tree: Tree) -> None:
    tree.file("run/a.tfevents")
    tree.file("run/b.tfevents")
    (found,) = filter(None, tree.discovery("run/a.tfevents").walk())
    assert (found.name, found.files) == (".", (str(tree.root / "run/a.tfevents"),))


def test_discovery_single_files_of_one_directory_are_one_run(tree: Tree) -> None:
    for file in ("run/a.tfevents", "run/b.tfevents", "run/c.tfevents", "other/a.tfevents"):
        tree.file(file)
    found = list(filter(None, tree.discovery("run/b.tfevents", "run/a.tfevents", "other/a.tfevents").walk()))
    assert [(run.name, len(run.files)) for run in found] == [("run", 2), ("other", 1)]


def test_discovery_file_given_twice_is_listed_once(tree: Tree) -> None:
    tree.file("run/a.tfevents")
    (found,) = filter(None, tree.discovery("run/a.tfevents", "run/../run/a.tfevents").walk())
    assert found.files == (str(tree.root / "run/a.tfevents"),)


def test_discovery_named_files_of_one_directory_are_two_runs(tree: Tree) -> None:
    tree.file("run/a.tfevents")
    tree.file("run/b.tfevents")
    discovery = tree.discovery(*(f"{name}:{tree.root}/run/{name[0]}.tfevents" for name in ("aaa", "bbb")))
    assert [(run.name, len(run.files)) for run in discovery.walk() if run is not None] == [("aaa", 1), ("bbb", 1)]


def test_discovery_overlapping_sources_list_a_run_once_with_all_files(tree: Tree) -> None:
    tree.file("run/a.tfevents")
    tree.file("run/b.tfevents")
    found = list(filter(None, tree.discovery("run/a.tfevents", ".", "run").walk()))
    assert [(run.name, len(run.files)) for run in found] == [("run", 2)]


def test_discovery_name_conflict_falls_back_to_the_path(tree: Tree) -> None:
    tree.file("one/base/x.tfevents.1")
    tree.file("two/x.tfevents.1")
    discovery = tree.discovery("one", f"base:{tree.root}/two")
    assert names(discovery) == ["base", str(tree.root / "two")]


def test_discovery_glob_finds_new_runs(tree: Tree) -> None:
    tree.file("exp1/x.tfevents.1")
    tree.file("note/x.tfevents.1")
    discovery = tree.discovery("exp*")
    assert names(discovery) == ["exp1"]
    assert discovery.may_gain_roots
    tree.file("exp2/x.tfevents.1")
    assert names(discovery) == ["exp1", "exp2"]
    assert list(discovery.directories) == [str(tree.root / "exp1"), str(tree.root / "exp2")]


def test_discovery_missing_log_directory_is_empty_and_may_return(tree: Tree) -> None:
    discovery = tree.discovery()
    assert names(discovery) == []
    assert not discovery.may_gain_roots
    tree.root.rmdir()
    assert names(discovery) == []
    assert discovery.unreadable == ()
    assert discovery.may_gain_roots
    tree.root.mkdir()
    assert names(discovery) == []
    assert not discovery.may_gain_roots


def test_discovery_repeated_walk_lists_only_changed_directories(tree: Tree) -> None:
    for run in ("a", "b", "c"):
        tree.file(f"{run}/x.tfevents.1")
    tree.age()
    discovery = tree.discovery()
    names(discovery)
    tree.file("b/y.tfevents.1")
    tree.listed.clear()
    found = {run.name: len(run.files) for run in discovery.walk() if run is not None}
    assert found == {"a": 1, "b": 2, "c": 1}
    assert tree.listed == ["b"]


def test_discovery_recently_changed_directory_is_listed_again(tree: Tree) -> None:
    tree.file("a/x.tfevents.1")
    discovery = tree.discovery()
    names(discovery)
    tree.listed.clear()
    names(discovery)
    assert tree.listed == [".", "a"]


def test_discovery_link_target_is_checked_again(tree: Tree) -> None:
    (tree.root / "link").symlink_to("../later")
    tree.age()
    discovery = tree.discovery()
    assert names(discovery) == []
    tree.file("../later/x.tfevents.1")
    assert names(discovery) == ["link"]


def test_discovery_directory_with_older_mtime_is_listed_again(tree: Tree) -> None:
    """`tar` and `rsync` reset the mtime of a directory after they write into it."""
    tree.file("a/x.tfevents.1")
    os.utime(tree.root / "a", (LONG_AGO, LONG_AGO))
    tree.age()
    discovery = tree.discovery()
    names(discovery)
    tree.file("a/y.tfevents.1")
    os.utime(tree.root / "a", (LONG_AGO, LONG_AGO))
    (found,) = filter(None, discovery.walk())
    assert len(found.files) == 2


def test_discovery_directory_with_recently_reset_mtime_is_listed_again(tree: Tree) -> None:
    tree.file("a/x.tfevents.1")
    os.utime(tree.root / "a", (LONG_AGO, LONG_AGO))
    discovery = tree.discovery()
    names(discovery)
    tree.listed.clear()
    names(discovery)
    assert "a" in tree.listed


def test_discovery_unreadable_directory_is_reported_with_the_reason(tree: Tree) -> None:
    tree.file("good/x.tfevents.1")
    tree.file("secret/x.tfevents.1")
    tree.refused["secret"] = PermissionError(13, "Permission denied")
    discovery = tree.discovery()
    assert names(discovery) == ["good"]
    (place,) = discovery.unreadable
    assert (place.name, place.path, place.reason) == ("secret", str(tree.root / "secret"), "Permission denied")


def test_discovery_transient_error_removes_no_run(tree: Tree) -> None:
    tree.file("sub/run/x.tfevents.1")
    discovery = tree.discovery()
    names(discovery)
    tree.refused["sub"] = OSError(5, "Input/output error")
    assert names(discovery) == ["sub/run"]
    assert [place.name for place in discovery.unreadable] == ["sub"]
    tree.refused.clear()
    assert names(discovery) == ["sub/run"]
    assert discovery.unreadable == ()


def after(count: int, action: Callable[[], None], discovery: Discovery) -> list[str]:
    """Return the run names found by a walk that is interrupted after a number of directories."""
    found = []
    for number, run in enumerate(discovery.walk(), 1):
        if run is not None:
            found.append(run.name)
        if number == count:
            action()
    return found


def test_discovery_entries_that_vanish_during_the_walk_are_skipped(tree: Tree) -> None:
    for run in ("a", "b", "c"):
        tree.file(f"{run}/x.tfevents.1")

    def remove() -> None:
        (tree.root / "b/x.tfevents.1").unlink()
        (tree.root / "b").rmdir()

    discovery = tree.discovery()
    assert after(2, remove, discovery) == ["a", "c"]
    assert discovery.unreadable == ()


def test_discovery_entries_that_appear_during_the_walk_are_found(tree: Tree) -> None:
    for run in ("a", "c"):
        tree.file(f"{run}/x.tfevents.1")
    discovery = tree.discovery()
    first = after(2, lambda: tree.file("b/x.tfevents.1"), discovery)
    assert {"a", "c"} <= set(first)
    assert names(discovery) == ["a", "b", "c"]


def test_discovery_keeps_no_descriptor_open_between_steps(tree: Tree) -> None:
    for run in range(5):
        tree.file(f"{run}/x.tfevents.1")
    before = len(list(Path("/dev/fd").iterdir()))
    for _ in tree.discovery().walk():
        assert len(list(Path("/dev/fd").iterdir())) == before


def test_discovery_directories_are_those_of_the_last_walk(tree: Tree) -> None:
    tree.file("sub/run/x.tfevents.1")
    tree.file("secret/x.tfevents.1")
    tree.refused["secret"] = PermissionError(13, "Permission denied")
    discovery = tree.discovery()
    names(discovery)
    assert list(discovery.directories) == [str(tree.root), str(tree.root / "sub"), str(tree.root / "sub/run")]
    status = (tree.root / "sub").stat()
    assert discovery.directories[str(tree.root / "sub")] == (status.st_dev, status.st_ino)


def test_discovery_directories_include_that_of_a_single_file(tree: Tree) -> None:
    tree.file("run/a.tfevents")
    discovery = tree.discovery("run/a.tfevents")
    names(discovery)
    assert list(discovery.directories) == [str(tree.root / "run")]


def test_discovery_counts_directories_files_and_depth(tree: Tree) -> None:
    for path in ("a/b/c/notes.txt", "a/x.py", "a/y.py", "z"):
        tree.file(path)
    discovery = tree.discovery()
    assert names(discovery) == []
    assert discovery.searched == Searched(directories=4, files=4, depth=3)
    tree.age()
    assert names(discovery) == []
    assert discovery.searched == Searched(directories=4, files=4, depth=3)
