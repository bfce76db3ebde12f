"""Test that a folder of files is written completely or not at all."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from tbtui.export.output import OutputError, OutputExistsError, OutputFolder, check_folder

if TYPE_CHECKING:
    from pathlib import Path


def held(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def interrupted(path: Path) -> None:
    folder = OutputFolder(path)
    with suppress(KeyboardInterrupt), folder:
        folder.put("a", b"1")
        raise KeyboardInterrupt


def test_output_folder_files_appear_when_all_are_written(tmp_path: Path) -> None:
    with OutputFolder(tmp_path / "out") as folder:
        folder.put("a", b"1")
        folder.file("b").write_bytes(b"2")
        assert not (tmp_path / "out" / "a").exists()
    assert held(tmp_path / "out") == {"a": b"1", "b": b"2"}
    assert folder.count == 1


def test_output_folder_interrupted_leaves_nothing(tmp_path: Path) -> None:
    interrupted(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_output_folder_without_files_is_not_created(tmp_path: Path) -> None:
    with OutputFolder(tmp_path / "out"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_output_folder_empty_folder_is_filled_and_kept(tmp_path: Path) -> None:
    interrupted(tmp_path)
    assert held(tmp_path) == {}
    with OutputFolder(tmp_path) as folder:
        folder.put("a", b"1")
    assert held(tmp_path) == {"a": b"1"}


def test_output_folder_force_replaces_only_files_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"dear")
    (tmp_path / "mine").write_bytes(b"dear")
    with pytest.raises(OutputExistsError, match="exists already and is not empty"):
        OutputFolder(tmp_path)
    with OutputFolder(tmp_path, force=True) as folder:
        folder.put("a", b"1")
        assert (tmp_path / "a").read_bytes() == b"dear"
    assert held(tmp_path) == {"a": b"1", "mine": b"dear"}


def test_output_folder_file_created_meanwhile_is_kept(tmp_path: Path) -> None:
    folder = OutputFolder(tmp_path / "out")
    folder.put("a", b"1")
    (tmp_path / "out" / "a").write_bytes(b"dear")
    with pytest.raises(OutputExistsError), folder:
        pass
    assert held(tmp_path / "out") == {"a": b"dear"}


def test_output_folder_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"dear")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").symlink_to(tmp_path / "secret")
    with OutputFolder(tmp_path / "out", force=True) as folder:
        folder.put("a", b"1")
    assert (tmp_path / "secret").read_bytes() == b"dear"
    assert held(tmp_path / "out") == {"a": b"1"}


def test_output_folder_links_to_other_folders_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "out" / "b").symlink_to(tmp_path / "nowhere")
    with OutputFolder(tmp_path / "out", force=True) as folder:
        folder.put("a", b"1")
        folder.put("b", b"2")
    assert held(tmp_path / "out") == {"a": b"1", "b": b"2"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "out"]
    assert held(tmp_path / "elsewhere") == {}


def test_output_folder_directory_in_place_of_a_file_raises(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "a").write_bytes(b"dear")
    folder = OutputFolder(tmp_path, force=True)
    folder.put("a", b"1")
    folder.put("b", b"2")
    with pytest.raises(OutputError, match="b cannot be written: it is a folder"), folder:
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
    assert (tmp_path / "a").read_bytes() == b"dear"


def test_output_folder_name_is_no_path_and_is_unique(tmp_path: Path) -> None:
    with OutputFolder(tmp_path / "out") as folder:
        for name in ("../a", "a/b", "..", ".", "", "/a"):
            with pytest.raises(ValueError, match="not a valid file name"):
                folder.put(name, b"")
        folder.put("a", b"1")
        with pytest.raises(OutputError, match="File exists"):
            folder.put("a", b"2")
    assert held(tmp_path / "out") == {"a": b"1"}


def test_output_folder_invalid_places_raise(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, words in (
        (tmp_path / "file", "is not a folder"),
        (tmp_path / "nowhere" / "out", "no folder can be created in"),
        (tmp_path / "a\0b", "null character"),
    ):
        with pytest.raises(OutputError, match=words):
            check_folder(path)


def test_output_folder_subfolders_are_filled_with_it(tmp_path: Path) -> None:
    with OutputFolder(tmp_path / "out") as folder:
        inner = folder.open_subfolder("inner")
        folder.open_subfolder("empty")
        inner.put("a", b"1")
        inner.file("b").write_bytes(b"2")
        folder.put("c", b"3")
        assert not (tmp_path / "out" / "inner").exists()
        for name in ("../a", "a/b", ".."):
            with pytest.raises(ValueError, match="not a valid file name"):
                folder.open_subfolder(name)
            with pytest.raises(ValueError, match="not a valid file name"):
                inner.put(name, b"")
    assert held(tmp_path / "out" / "inner") == {"a": b"1", "b": b"2"}
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["c", "inner"]
    assert (inner.count, folder.count) == (1, 2)


def test_output_folder_failed_move_rolls_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").write_bytes(b"dear")
    real, moved = type(tmp_path).replace, []

    def replace(path: Path, target: Path) -> Path:
        if len(moved) == 2:
            raise OSError(28, "No space left on device")
        moved.append(target)
        return real(path, target)

    monkeypatch.setattr(type(tmp_path), "replace", replace)
    folder = OutputFolder(tmp_path, force=True)
    for name in "abc":
        folder.open_subfolder("inner").put(name, b"1")
    with pytest.raises(OutputError, match="No space left"), folder:
        pass
    assert held(tmp_path) == {"mine": b"dear"}
    assert len(moved) == 2
