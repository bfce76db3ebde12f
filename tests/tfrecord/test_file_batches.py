"""Read many files at once: their order, their limits, and files that change or are unusual."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.tfrecord import file_batches
from tbtui.tfrecord.file_batches import SPARE_BYTES, FileBatch

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.tfrecord.file_batches import FileBytes

CONTENTS = (b"first", b"the second", b"3")
MAX_BYTES = 100


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    files = [tmp_path / str(number) for number in range(len(CONTENTS))]
    for file, content in zip(files, CONTENTS, strict=True):
        file.write_bytes(content)
    return list(map(str, files))


def contents_of(batch: FileBatch) -> list[bytes]:
    content: FileBytes = batch.content()
    ends = zip(content.begins[:-1].tolist(), content.begins[1:].tolist(), strict=True)
    return [content.data[begin:end].tobytes() for begin, end in ends]


@pytest.mark.parametrize("likely_bytes", [1, 1000])
def test_file_batch_later_files_come_first(paths: list[str], likely_bytes: int) -> None:
    batch = FileBatch(likely_bytes)
    batch.put(paths[1:], [len(each) for each in CONTENTS[1:]])
    statuses = batch.put_new(paths[:1], MAX_BYTES)
    assert statuses is not None
    assert [status.st_size for status in statuses] == [len(CONTENTS[0])]
    assert (len(batch), batch.size) == (3, sum(map(len, CONTENTS)))
    assert contents_of(batch) == list(CONTENTS)


def test_file_batch_has_zeros_around_the_files(paths: list[str]) -> None:
    batch = FileBatch(1)
    assert batch.put_new(paths, MAX_BYTES) is not None
    data = batch.content().data
    assert not np.concatenate((data[:SPARE_BYTES], data[-SPARE_BYTES:])).any()


@pytest.mark.parametrize("size", [4, 6])
def test_file_batch_another_size_does_not_count_as_read(paths: list[str], size: int) -> None:
    batch = FileBatch(MAX_BYTES)
    batch.put([paths[0], "missing", paths[2]], [size, 3, 1])
    content = batch.content()
    assert content.is_read.tolist() == [False, False, True]
    assert np.diff(content.begins).tolist() == [0, 0, 1]


def test_file_batch_statuses_are_those_of_the_files(paths: list[str]) -> None:
    statuses = FileBatch(MAX_BYTES).put_new(paths, MAX_BYTES)
    assert statuses == list(map(os.stat, paths))


@pytest.mark.parametrize("other", ["empty", "missing", "pipe", "directory"])
def test_file_batch_unusual_new_file_leaves_batch_as_before(paths: list[str], tmp_path: Path, other: str) -> None:
    path = tmp_path / other
    if other == "pipe":
        os.mkfifo(path)
    elif other == "directory":
        path.mkdir()
    elif other == "empty":
        path.touch()
    batch = FileBatch(1)
    assert batch.put_new(paths[:1], MAX_BYTES) is not None
    assert batch.put_new([paths[1], str(path), paths[2]], MAX_BYTES) is None
    assert contents_of(batch) == [CONTENTS[0]]


def test_file_batch_too_large_new_files_are_not_read(paths: list[str]) -> None:
    batch = FileBatch(1)
    assert batch.put_new(paths, sum(map(len, CONTENTS)) - 1) is None
    assert (len(batch), batch.size) == (0, 0)
    assert batch.put_new(paths, sum(map(len, CONTENTS))) is not None


@pytest.mark.parametrize("max_open", [1, 2, 3])
def test_file_batch_opens_some_files_at_once(paths: list[str], max_open: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_batches, "MAX_OPEN_FILES", max_open)
    batch = FileBatch(1)
    assert batch.put_new(paths, MAX_BYTES) == list(map(os.stat, paths))
    assert batch.put_new([*paths, "missing"], MAX_BYTES) is None
    assert batch.put_new(["missing", *paths], MAX_BYTES) is None
    assert contents_of(batch) == list(CONTENTS)


def test_file_batch_of_many_files_is_left_once_the_last_ones_are_large(
    paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_batches, "MAX_OPEN_FILES", 2)
    opened: list[str] = []
    open_file = os.open

    def open_noted(path: str, *arguments: Any, **named: Any) -> int:
        opened.append(path)
        return open_file(path, *arguments, **named)

    monkeypatch.setattr(os, "open", open_noted)
    batch = FileBatch(1)
    assert batch.put_new(paths, sum(map(len, CONTENTS)) - 1) is None
    assert opened[:2] == [paths[2], paths[1]]
    assert paths[0] not in opened


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_file_batch_closes_its_files(paths: list[str], missing: int) -> None:
    paths[missing] += " is missing"
    before = next_descriptor()
    assert FileBatch(1).put_new(paths, MAX_BYTES) is None
    assert next_descriptor() == before


def next_descriptor() -> int:
    descriptor = os.open(os.devnull, os.O_RDONLY)
    os.close(descriptor)
    return descriptor
