"""Files that options name: followed while they change, break, vanish and come back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tbtui.settings.kinds import FileText, TextFile
from tbtui.settings.text_files import FollowedTextFile, read_text_file

if TYPE_CHECKING:
    from pathlib import Path


def check_number(content: str) -> None:
    int(content.strip())


NUMBER = FileText(check_number, 20)


def followed(path: Path, content: str = "1") -> FollowedTextFile:
    path.write_text(content)
    found = FollowedTextFile(read_text_file(str(path), NUMBER), NUMBER)
    found.check()
    return found


def test_changed_file_is_read_at_the_next_check(tmp_path: Path) -> None:
    file = followed(tmp_path / "n")
    (tmp_path / "n").write_text("22")
    assert file.check() == TextFile(str(tmp_path / "n"), "22")


def test_unchanged_file_is_the_same_object(tmp_path: Path) -> None:
    file = followed(tmp_path / "n")
    assert file.check() is file.check()


def test_file_replaced_by_one_of_equal_size_is_read(tmp_path: Path) -> None:
    file = followed(tmp_path / "n")
    times = (tmp_path / "n").stat()
    (tmp_path / "new").write_text("7")
    os.utime(tmp_path / "new", ns=(times.st_atime_ns, times.st_mtime_ns))
    (tmp_path / "new").replace(tmp_path / "n")
    assert file.check().content == "7"


def test_file_cut_short_for_a_moment_is_no_problem(tmp_path: Path) -> None:
    file = followed(tmp_path / "n")
    (tmp_path / "n").write_text("")
    assert file.check() == TextFile(str(tmp_path / "n"), "1")
    (tmp_path / "n").write_text("33")
    assert file.check() == TextFile(str(tmp_path / "n"), "33")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"one", "invalid literal for int() with base 10: 'one'"),
        (b"\xff", "it is not UTF-8 text"),
        (b"1" * 21, "it has more than 20 bytes"),
    ],
)
def test_file_that_stays_broken_keeps_the_last_content(tmp_path: Path, content: bytes, problem: str) -> None:
    file = followed(tmp_path / "n")
    (tmp_path / "n").write_bytes(content)
    file.check()
    assert file.check() == TextFile(str(tmp_path / "n"), "1", problem)
    (tmp_path / "n").write_text("4")
    assert file.check() == TextFile(str(tmp_path / "n"), "4")


def test_file_that_vanished_is_used_again_once_it_is_back(tmp_path: Path) -> None:
    file = followed(tmp_path / "n")
    (tmp_path / "n").unlink()
    file.check()
    assert file.check() == TextFile(str(tmp_path / "n"), "1", "no such file or directory")
    (tmp_path / "n").write_text("1")
    assert file.check() == TextFile(str(tmp_path / "n"), "1")


def test_pipe_is_not_read_again(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    file = FollowedTextFile(TextFile(str(tmp_path / "pipe"), "1"), NUMBER)
    assert file.check().content == "1"


def test_file_that_was_never_seen_is_no_problem_and_read_once_it_is_there(tmp_path: Path) -> None:
    file = FollowedTextFile(TextFile(str(tmp_path / "n"), "1"), NUMBER)
    assert [file.check().problem for _ in range(3)] == ["", "", ""]
    (tmp_path / "n").write_text("5")
    assert file.check().content == "5"
