"""Read many files at once: their order, their limits, and files that change or are unusual."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import pytest

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
