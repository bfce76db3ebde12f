"""Files are written whole or not at all."""

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


def test_the_text_is_written_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    write_file(path, ["a\r\n", "", "b\rä\n"])
    assert path.read_bytes() == "a\r\nb\rä\n".encode()
    assert names_in(tmp_path) == ["out.csv"]


def test_bytes_are_written_as_they_are(tmp_path: Path) -> None:
    write_file(tmp_path / "out", [b"\x89PNG\r\n\xff", "ü", b"\n"])
    assert (tmp_path / "out").read_bytes() == b"\x89PNG\r\n\xff\xc3\xbc\n"


def test_a_new_file_has_the_rights_that_every_new_file_has(tmp_path: Path) -> None:
    write_file(tmp_path / "out", ["x"])
    (tmp_path / "other").touch()
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_file_that_is_there_stays_unless_it_may_go(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("old")
    with pytest.raises(OutputExistsError, match=r"out is there already$"):
        write_file(path, ["new"])
    assert path.read_text() == "old"
    write_file(path, ["new"], force=True)
    assert path.read_text() == "new"
    assert names_in(tmp_path) == ["out"]


def test_a_file_that_comes_meanwhile_stays_too(tmp_path: Path) -> None:
    path = tmp_path / "out"

    def slow() -> Iterator[str]:
        yield "mine"
        path.write_text("theirs")

    with pytest.raises(OutputExistsError):
        write_file(path, slow())
    assert path.read_text() == "theirs"
    assert names_in(tmp_path) == ["out"]


@pytest.mark.parametrize("force", [False, True])
def test_nothing_stays_of_a_text_that_breaks_off(tmp_path: Path, force: bool) -> None:
    path = tmp_path / "out"
    if force:
        path.write_text("old")
    with pytest.raises(ReaderLeftError):
        write_file(path, breaking(), force=force)
    assert names_in(tmp_path) == (["out"] if force else [])
    assert not force or path.read_text() == "old"


def test_until_the_text_is_whole_the_old_one_is_there(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("old")

    def looking() -> Iterator[str]:
        yield "new"
        assert path.read_text() == "old"

    write_file(path, looking(), force=True)
    assert path.read_text() == "new"


def test_a_link_goes_on_to_be_one(tmp_path: Path) -> None:
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


def test_the_longest_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("a" * os.pathconf(tmp_path, "PC_NAME_MAX"))
    write_file(path, ["x"])
    assert path.read_text() == "x"


def test_a_pipe_takes_what_comes_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=write_file, args=(pipe, ["one ", "two"]))
    writer.start()
    read = pipe.read_text()
    writer.join()
    assert read == "one two"
    assert pipe.is_fifo()
    assert names_in(tmp_path) == ["pipe"]


def test_a_pipe_whose_reader_has_gone_says_so(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    def leaving() -> Iterator[str]:
        os.close(reader)
        yield "x"

    with pytest.raises(BrokenPipeError):
        write_file(pipe, leaving())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (".", "is a directory; name a file in it"),
        ("missing/out", "no file can be made in"),
        ("file/out", "cannot be written: Not a directory"),
        ("loop", "cannot be written: Too many levels"),
        ("a" * 300, "cannot be written: File name too long"),
        ("nu\0ll", "null character"),
    ],
)
def test_what_cannot_be_written_is_one_plain_sentence_before_any_work(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OutputError, match=said) as refused:
        check_output(tmp_path / name, force=True)
    assert "\n" not in str(refused.value)
    with pytest.raises(OutputError, match=said):
        write_file(tmp_path / name, breaking(), force=True)
    assert names_in(tmp_path) == ["file", "loop"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o555)
    with pytest.raises(OutputError, match="no file can be made in"):
        write_file(tmp_path / "closed" / "out", ["x"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_is_told() -> None:
    with pytest.raises(OutputError, match="/dev/full cannot be written: No space left on device"):
        write_file(Path("/dev/full"), ["x"])
