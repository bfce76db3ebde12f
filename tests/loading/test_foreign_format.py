from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from tbtui.loading.file_problems import detect_foreign_format
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tests.helpers.log_directory import FILE, LogDirectory, steps_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def tar(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        entry = tarfile.TarInfo(FILE)
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def zipped(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(FILE, content)
    return buffer.getvalue()


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 2138\n"
HTML = b"<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head></html>\n"
CSV = b"Wall time,Step,Value\n1700000000.0,0,1.0\n"

FORMATS = {
    "gzip": (gzip.compress, "it is compressed with gzip: unpack it first"),
    "bzip2": (bz2.compress, "it is compressed with bzip2: unpack it first"),
    "xz": (lzma.compress, "it is compressed with xz: unpack it first"),
    "lfs": (lambda _: LFS, "it is a pointer of Git LFS: fetch the file with git lfs pull"),
    "html": (lambda _: HTML, "it is an HTML page, perhaps the error page of a download"),
    "csv": (lambda _: CSV, "it is a table in CSV, which begins with “Wall time,Step,Value”"),
    "text": (lambda _: b"loss of the run\n", "it is a text file, which begins with “loss of the run”"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_of_another_format_is_named_in_plain_words(tmp_path: Path, name: str) -> None:
    convert, reason = FORMATS[name]
    logs = LogDirectory(tmp_path)
    path = logs.log("run", range(50))
    path.write_bytes(convert(path.read_bytes()))
    state = Loader(parse_sources([str(tmp_path)])).load_all()
    (problem,) = state.problems
    assert (problem.state, problem.problem.kind) == ("unreadable", "unreadable")
    assert problem.problem.message == f"cannot be read: {reason}"
    assert state.snapshot.runs["run"].problem == reason


@pytest.mark.parametrize(("pack", "name"), [(tar, "tar"), (zipped, "zip")])
def test_the_events_of_an_uncompressed_archive_are_read(
    tmp_path: Path, pack: Callable[[bytes], bytes], name: str
) -> None:
    logs = LogDirectory(tmp_path)
    path = logs.log("run", range(50))
    path.write_bytes(pack(path.read_bytes()))
    state = Loader(parse_sources([str(tmp_path)])).load_all()
    assert steps_of(state) == [*range(50)]
    first = state.problems[0]
    assert (first.state, first.problem.offset) == ("corrupt", 0)
    assert first.problem.message.startswith(f"it is a {name} archive: unpack it first; ")


def test_a_file_is_read_once_it_was_unpacked(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path)
    path = logs.log("run", range(50))
    content = path.read_bytes()
    path.write_bytes(gzip.compress(content))
    loader = Loader(parse_sources([str(tmp_path)]))
    assert len(loader.load_all().problems) == 1
    path.write_bytes(content)
    state = loader.load_all()
    assert (steps_of(state), state.problems) == ([*range(50)], ())


def test_an_event_file_with_a_damaged_beginning_is_no_other_format(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path)
    path = logs.log("run", range(50))
    with path.open("r+b") as file:
        file.write(b"\x1f\x8baaaaaaaaaa")
    state = Loader(parse_sources([str(tmp_path)])).load_all()
    assert steps_of(state) == [*range(50)]
    assert [problem.state for problem in state.problems] == ["corrupt"]


@pytest.mark.parametrize(
    "head", [b"", b"\x18\x00\x00\x00\x00\x00\x00\x00\xa3\x7f\x4b\x22\x09", bytes(512), b"\xff" * 512]
)
def test_other_bytes_are_no_known_format(head: bytes) -> None:
    assert detect_foreign_format(head) is None


def test_text_that_is_cut_in_a_character_is_text() -> None:
    assert detect_foreign_format(b"a" * 511 + "é".encode()[:1]) == f"it is a text file, which begins with “{'a' * 39}…”"
