from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tbtui.events.decoder import RunDecoder
from tbtui.loading.event_file import FollowedFile
from tbtui.tfrecord.reader import FileReplaced, RecordReader
from tests.helpers.failing_disk import BadDisk

if TYPE_CHECKING:
    from tbtui.tfrecord.framing import RecordBlock
    from tests.helpers.log_directory import LogDirectory

LARGE = 1 << 20


class FakeStat:
    """Replacement of `os.stat` that returns prepared results or raises prepared errors."""

    def __init__(self) -> None:
        self.error: OSError | None = None
        self.calls = 0

    def stat(self, path: str) -> os.stat_result:
        self.calls += 1
        if self.error is not None:
            raise self.error
        return Path(path).stat()


def read(file: FollowedFile, max_bytes: int = LARGE) -> None:
    decoder = RunDecoder()
    while file.pending and (block := file.read(max_bytes)) is not None:
        file.record_block(block, decoder.decode(block))


def test_event_file_before_the_first_check_is_unknown(logs: LogDirectory) -> None:
    file = FollowedFile(str(logs.log("run", range(3))))
    assert (file.pending, file.size, file.offset) == (False, 0, 0)


def test_event_file_check_reports_unread_bytes(logs: LogDirectory) -> None:
    file = FollowedFile(str(logs.log("run", range(3))))
    assert file.poll()
    read(file)
    assert not file.poll()
    logs.log("run", [3])
    assert file.poll()


def test_event_file_unchanged_is_not_opened(logs: LogDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    file = FollowedFile(str(logs.log("run", range(3))))
    file.poll()
    read(file)

    def refuse(*arguments: object) -> int:
        raise AssertionError("opened")

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", refuse)
        assert not file.poll()
    assert not file.pending


def test_event_file_progress_grows_to_the_file_size(logs: LogDirectory) -> None:
    path = logs.log("run", range(3_000))
    file = FollowedFile(str(path))
    file.poll()
    assert (file.consumed, file.size) == (0, path.stat().st_size)
    file.read(64 << 10)
    assert 0 < file.consumed < file.size
    read(file)
    assert file.consumed == file.size


def test_event_file_failed_stat_is_temporary(logs: LogDirectory) -> None:
    disk = FakeStat()
    file = FollowedFile(str(logs.log("run", range(3))), status_of=disk.stat)
    disk.error = OSError(5, "Input/output error")
    assert not file.poll()
    assert (file.state, file.failure) == ("unreadable", "Input/output error")
    assert file.describe().problems[0].message == "cannot be read: Input/output error"
    disk.error = None
    assert file.poll()
    read(file)
    assert (file.state, file.failure) == ("ok", None)


def test_event_file_missing_is_gone_and_not_unreadable(logs: LogDirectory) -> None:
    disk = FakeStat()
    file = FollowedFile(str(logs.log("run", range(3))), status_of=disk.stat)
    file.poll()
    read(file)
    disk.error = FileNotFoundError(2, "No such file or directory")
    assert not file.poll()
    assert file.gone
    assert file.state == "ok"
    file.miss()
    assert file.failure == "no such file or directory"
    disk.error = None
    assert file.poll()
    read(file)
    assert (file.gone, file.state) == (False, "ok")


def test_event_file_with_new_inode_alone_is_not_read_again(logs: LogDirectory) -> None:
    """File systems without persistent inodes, such as sshfs, assign new numbers."""
    path = logs.log("run", range(3))
    number = path.stat().st_ino

    def status_of(path: str) -> os.stat_result:
        real = Path(path).stat()
        status = list(real)
        status[stat.ST_INO] = number
        return os.stat_result(status, {name: getattr(real, name) for name in ("st_mtime_ns", "st_ctime_ns")})

    file = FollowedFile(str(path), status_of=status_of)
    file.poll()
    read(file)
    number += 1
    assert file.poll()
    read(file)
    assert file.describe().records == 4


def test_event_file_with_file_as_parent_is_gone(logs: LogDirectory) -> None:
    path = logs.log("run", range(3))
    file = FollowedFile(str(path))
    file.poll()
    path.unlink()
    path.parent.rmdir()
    path.parent.touch()
    assert file.read(LARGE) is None
    assert (file.gone, file.failure) == (True, None)
    assert not file.poll()
    assert (file.gone, file.failure) == (True, None)


def test_event_file_that_vanishes_before_the_read_is_gone(logs: LogDirectory) -> None:
    path = logs.log("run", range(3))
    file = FollowedFile(str(path))
    file.poll()
    path.unlink()
    assert file.read(LARGE) is None
    assert (file.gone, file.pending) == (True, False)


@pytest.mark.parametrize("noticed_by", ["look", "read"])
def test_event_file_missing_during_the_read_is_read_to_its_end(logs: LogDirectory, noticed_by: str) -> None:
    path = logs.log("run", range(3_000))
    file = FollowedFile(str(path))
    file.poll()
    file.read(64 << 10)
    away = path.rename(path.with_name("away"))
    if noticed_by == "look":
        file.poll()
    else:
        file.read(64 << 10)
    assert file.gone
    away.rename(path)
    assert file.poll()
    assert file.index() is None
    read(file)
    assert file.offset == path.stat().st_size


def test_event_file_failed_read_is_not_retried_with_fewer_bytes(
    logs: LogDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A retry with fewer bytes would appear to advance within an unreadable block at each check."""
    requested: list[int] = []

    def refuse(reader: RecordReader, max_bytes: int) -> RecordBlock:
        requested.append(max_bytes)
        raise OSError(5, "Input/output error")

    file = FollowedFile(str(logs.log("run", range(3))))
    file.poll()
    with monkeypatch.context() as patched:
        patched.setattr(RecordReader, "read", refuse)
        file.read(2000)
        file.poll()
        file.read(1000)
    assert requested == [2000, 2000]
    file.poll()
    read(file)
    assert (file.state, file.caught_up) == ("ok", True)


def test_event_file_replaced_content_is_not_resumed(logs: LogDirectory) -> None:
    path = logs.log("run", range(3))
    file = FollowedFile(str(path))
    file.poll()
    read(file)
    path.write_bytes(logs.bytes_of(range(50, 90)))
    file.poll()
    with pytest.raises(FileReplaced):
        file.read(LARGE)


def test_event_file_reports_the_worst_damage_first(logs: LogDirectory) -> None:
    path = logs.log("run", range(3))
    content = path.read_bytes()
    path.write_bytes(content[:60] + b"\xff" * 30 + content + content[:20])
    file = FollowedFile(str(path))
    file.poll()
    read(file)
    described = file.describe()
    assert described.state == "corrupt"
    assert [problem.kind for problem in described.problems][-1] == "truncated"
    assert len(described.problems) >= 2


@pytest.mark.parametrize("damaged", [(10, 11, 12), ()])
@pytest.mark.parametrize("keeps_time", [True, False])
@pytest.mark.parametrize("replaces", [True, False])
def test_event_file_changed_without_growth_is_read_again(
    logs: LogDirectory, damaged: tuple[int, ...], keeps_time: bool, replaces: bool
) -> None:
    """Only the first offset of a damaged range is stored, and no offset of a value with a wrong checksum."""
    path = logs.log("run", range(30))
    content = bytearray(path.read_bytes())
    lengths = np.diff([0, *(len(logs.bytes_of(range(count))) for count in range(1, 14))])
    begins = np.cumsum(lengths)
    for row in damaged:
        content[begins[row]] ^= 255
    path.write_bytes(content)
    os.utime(path, (1_000, 1_000))
    file = FollowedFile(str(path))
    file.poll()
    read(file)
    assert file.describe().records == 31 - len(damaged)
    for row in damaged[1:2]:
        content[begins[row]] ^= 255
    mended = path.with_name("mended") if replaces else path
    mended.write_bytes(content)
    mended.replace(path)
    os.utime(path, (1_000, 1_000) if keeps_time else (2_000, 2_000))
    assert file.poll()
    with pytest.raises(FileReplaced):
        read(file)


@pytest.mark.parametrize("comes_back", [True, False])
def test_event_file_disk_errors_are_retried_and_not_indexed(
    logs: LogDirectory, monkeypatch: pytest.MonkeyPatch, comes_back: bool
) -> None:
    file = FollowedFile(str(logs.log("run", range(1_000))))
    disk = BadDisk(monkeypatch)
    disk.bad = {4}
    file.poll()
    read(file)
    (problem, *_) = file.describe().problems
    assert (file.state, problem.kind, problem.is_about_file) == ("corrupt", "unreadable_bytes", False)
    assert 900 < file.describe().records < 1_000
    assert file.index() is None
    assert not any(file.poll() for _ in range(10))
    if comes_back:
        disk.bad = set()
    assert any(file.poll() for _ in range(10))
    if comes_back:
        with pytest.raises(FileReplaced):
            read(file)
    else:
        read(file)
        assert not file.pending
