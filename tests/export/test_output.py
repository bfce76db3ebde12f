"""Test that output files are written atomically."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tbtui.export.output import OutputError, OutputExistsError, check_output, write_file

if TYPE_CHECKING:
    from collections.abc import Iterator


class ReaderLeftError(Exception):
    pass


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def breaking() -> Iterator[str]:
    yield "half of it"
    raise ReaderLeftError


def test_output_text_is_written_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    write_file(path, ["a\r\n", "", "b\rä\n"])
    assert path.read_bytes() == "a\r\nb\rä\n".encode()
    assert names_in(tmp_path) == ["out.csv"]


def test_output_bytes_are_written_unchanged(tmp_path: Path) -> None:
    write_file(tmp_path / "out", [b"\x89PNG\r\n\xff", "ü", b"\n"])
    assert (tmp_path / "out").read_bytes() == b"\x89PNG\r\n\xff\xc3\xbc\n"


def test_output_new_file_has_default_permissions(tmp_path: Path) -> None:
    write_file(tmp_path / "out", ["x"])
    (tmp_path / "other").touch()
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_output_existing_file_needs_force(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("old")
    with pytest.raises(OutputExistsError, match=r"out exists already$"):
        write_file(path, ["new"])
    assert path.read_text() == "old"
    write_file(path, ["new"], force=True)
    assert path.read_text() == "new"
    assert names_in(tmp_path) == ["out"]


def test_output_file_created_meanwhile_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "out"

    def slow() -> Iterator[str]:
        yield "mine"
        path.write_text("theirs")

    with pytest.raises(OutputExistsError):
        write_file(path, slow())
    assert path.read_text() == "theirs"
    assert names_in(tmp_path) == ["out"]


@pytest.mark.parametrize("force", [False, True])
def test_output_interrupted_text_leaves_nothing(tmp_path: Path, force: bool) -> None:
    path = tmp_path / "out"
    if force:
        path.write_text("old")
    with pytest.raises(ReaderLeftError):
        write_file(path, breaking(), force=force)
    assert names_in(tmp_path) == (["out"] if force else [])
    assert not force or path.read_text() == "old"


def test_output_old_file_stays_until_the_text_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("old")

    def checking_parts() -> Iterator[str]:
        yield "new"
        assert path.read_text() == "old"

    write_file(path, checking_parts(), force=True)
    assert path.read_text() == "new"


def test_output_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to("real/out")
    write_file(link, ["first"])
    with pytest.raises(OutputExistsError):
        write_file(link, ["second"])
    write_file(link, ["second"], force=True)
    assert link.is_symlink()
    assert (tmp_path / "real" / "out").read_text() == "second"
    assert names_in(tmp_path / "real") == ["out"]


def test_output_accepts_the_longest_file_name(tmp_path: Path) -> None:
    path = tmp_path / ("a" * os.pathconf(tmp_path, "PC_NAME_MAX"))
    write_file(path, ["x"])
    assert path.read_text() == "x"


def test_output_pipe_is_written_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=write_file, args=(pipe, ["one ", "two"]))
    writer.start()
    read = pipe.read_text()
    writer.join()
    assert read == "one two"
    assert pipe.is_fifo()
    assert names_in(tmp_path) == ["pipe"]


def test_output_pipe_without_reader_raises(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    def leaving() -> Iterator[str]:
        os.close(reader)
        yield "x"

    with pytest.raises(BrokenPipeError):
        write_file(pipe, leaving())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (".", "is a directory; name a file in it"),
        ("missing/out", "no file can be created in"),
        ("file/out", "cannot be written: Not a directory"),
        ("loop", "cannot be written: Too many levels"),
        ("a" * 300, "cannot be written: File name too long"),
        ("nu\0ll", "null character"),
    ],
)
def test_output_impossible_target_raises_before_any_work(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OutputError, match=message) as refused:
        check_output(tmp_path / name, force=True)
    assert "\n" not in str(refused.value)
    with pytest.raises(OutputError, match=message):
        write_file(tmp_path / name, breaking(), force=True)
    assert names_in(tmp_path) == ["file", "loop"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_output_unwritable_directory_raises(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o555)
    with pytest.raises(OutputError, match="no file can be created in"):
        write_file(tmp_path / "closed" / "out", ["x"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_output_full_disk_raises() -> None:
    with pytest.raises(OutputError, match="/dev/full cannot be written: No space left on device"):
        write_file(Path("/dev/full"), ["x"])
