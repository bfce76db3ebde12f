"""Test the index folder: its size limit, atomic writes, and harmless failures."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tbtui.loading.cache.format import IndexContents
from tbtui.loading.cache.index_folder import IndexFolder

if TYPE_CHECKING:
    import pytest


def kept(count: int, value: int = 0) -> IndexContents:
    return IndexContents({"value": value}, {"numbers": np.full(count, value, np.int64)})


def value_of(folder: IndexFolder, name: str) -> int | None:
    found = folder.read(name)
    return None if found is None else int(found.head["value"])


def test_index_folder_each_name_has_its_own_index(tmp_path: Path) -> None:
    folder = IndexFolder(tmp_path / "cache" / "index")
    assert value_of(folder, "/a") is None
    assert folder.write("/a", kept(3, 1))
    assert folder.write("/b\udcff", kept(3, 2))
    assert folder.write("/a", kept(3, 3))
    assert (value_of(folder, "/a"), value_of(folder, "/b\udcff"), value_of(folder, "/c")) == (3, 2, None)
    assert folder.measure_usage().files == 2


def test_index_folder_names_are_not_paths(tmp_path: Path) -> None:
    folder = IndexFolder(tmp_path / "index")
    folder.write("../../out", kept(1))
    folder.write("/etc/passwd\0", kept(1))
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    assert len(list((tmp_path / "index").iterdir())) == 2


def test_index_folder_drops_the_least_recently_used(tmp_path: Path) -> None:
    folder = IndexFolder(tmp_path, max_bytes=4000)
    for value, name in enumerate("abc"):
        folder.write(name, kept(125, value))  # slightly more than 1,000 bytes each
        path = max(tmp_path.iterdir(), key=lambda path: path.stat().st_mtime)
        os.utime(path, (1000 + value, 1000 + value))
    assert value_of(folder, "a") == 0  # marks it as used
    folder.write("d", kept(125, 3))
    assert [value_of(folder, name) for name in "abcd"] == [0, None, 2, 3]
    assert folder.measure_usage().bytes <= 4000
    assert IndexFolder(tmp_path, max_bytes=4000).write("e", kept(125, 4))  # another process applies the same limit
    assert folder.measure_usage().bytes <= 4000


def test_index_folder_index_above_the_limit_is_not_saved(tmp_path: Path) -> None:
    folder = IndexFolder(tmp_path, max_bytes=2000)
    folder.write("a", kept(10))
    assert not folder.write("a", kept(1000))
    assert folder.measure_usage().files == 0
    assert folder.failure is None


def test_index_folder_damaged_index_is_deleted(tmp_path: Path) -> None:
    folder = IndexFolder(tmp_path)
    folder.write("a", kept(10))
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    assert folder.read("a") is None
    assert not path.exists()


def test_index_folder_pipe_in_place_of_an_index_is_replaced(tmp_path: Path) -> None:
    folder = IndexFolder(tmp_path)
    folder.write("a", kept(10))
    (path,) = tmp_path.iterdir()
    path.unlink()
    os.mkfifo(path)
    assert folder.read("a") is None
    assert folder.write("a", kept(10, 1))
    assert value_of(folder, "a") == 1


def test_index_folder_oversized_index_is_deleted_unread(tmp_path: Path) -> None:
    folder = IndexFolder(tmp_path)
    folder.write("a", kept(10))
    (path,) = tmp_path.iterdir()
    os.truncate(path, 1 << 40)  # sparse: uses no disk space but all memory when read
    assert folder.read("a") is None
    assert not path.exists()


def test_index_folder_obstacle_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    folder = IndexFolder(tmp_path / "file")
    assert folder.read("a") is None
    assert not folder.write("a", kept(1))
    assert folder.failure in {f"{tmp_path}/file cannot be written: {why}" for why in ("File exists", "Not a directory")}
    assert folder.measure_usage().files == 0
    folder.path = tmp_path / "now"
    assert folder.write("a", kept(1))
    assert folder.failure is None


def test_index_folder_full_disk_keeps_the_old_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = IndexFolder(tmp_path)
    folder.write("a", kept(10, 1))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("pathlib.Path.replace", full)
        assert not folder.write("a", kept(10, 2))
    assert folder.failure == f"{tmp_path} cannot be written: No space left on device"
    assert value_of(folder, "a") == 1
    assert len(list(tmp_path.iterdir())) == 1  # no partial file stays


def test_index_folder_clear_deletes_only_its_own_files(tmp_path: Path) -> None:
    folder = IndexFolder(tmp_path)
    folder.write("a", kept(10))
    folder.write("b", kept(10))
    (tmp_path / "killed.new").write_bytes(b"half")
    (tmp_path / "notes.txt").write_text("mine")
    held = folder.measure_usage()
    assert held.files == 2
    cleared = folder.clear()
    assert (cleared.files, cleared.bytes) == (3, held.bytes + 4)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    assert IndexFolder(tmp_path / "none").clear().files == 0


def test_index_folder_leftovers_of_a_killed_process_are_deleted(tmp_path: Path) -> None:
    (tmp_path / "killed.new").write_bytes(b"half")
    os.utime(tmp_path / "killed.new", (1000, 1000))
    folder = IndexFolder(tmp_path)
    folder.write("a", kept(10))
    IndexFolder(tmp_path).write("b", kept(10))
    assert not (tmp_path / "killed.new").exists()
    assert folder.measure_usage().files == 2


def test_index_folder_of_another_user_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = IndexFolder(tmp_path / "index")
    folder.write("/a", kept(1))

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    for owner in (os, Path):  # pathlib calls one or the other, depending on the Python version
        monkeypatch.setattr(owner, "stat", refuse)
    assert not folder.contains("/a")


def test_index_folder_without_write_permission_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = IndexFolder(tmp_path / "index")
    folder.write("/a", kept(1, 7))

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(os, "utime", refuse)
    assert value_of(folder, "/a") == 7
