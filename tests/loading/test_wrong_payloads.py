"""Test that overwritten payloads neither invent nor hide a tag, in every way of reading a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tbtui.loading.cache.index_folder import IndexFolder, RunIndexes
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.tfrecord.framing import MIN_LONG_BYTES, frame_record
from tests.helpers.event_bytes import event, image
from tests.helpers.log_directory import START, Clock, LogDirectory, steps_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tbtui.loading.state import LoadState

STEPS = range(1, 41)
"""Each of these steps is encoded in one byte."""


def overwritten(logs: LogDirectory, *steps: int) -> bytes:
    """Return a file of `STEPS` with the tag of some records overwritten."""
    content = logs.bytes_of(STEPS)
    places = [at for at in range(len(content)) if content.startswith(b"loss", at)]
    for step in steps:
        at = places[STEPS.index(step)]
        content = content[:at] + b"lass" + content[at + 4 :]
    return content


def gone_back(logs: LogDirectory, *steps: int) -> bytes:
    """Return a file of `STEPS` with the step of some records set to 0."""
    content = bytearray(logs.bytes_of(STEPS))
    places = [at for at in range(len(content)) if content.startswith(b"loss", at)]
    for step in steps:
        key = content.rindex(bytes([16, step]), 0, places[STEPS.index(step)])
        content[key + 1] = 0
    return bytes(content)


DAMAGES = overwritten, gone_back


def loaded(logs: LogDirectory, **how: Any) -> LoadState:
    return Loader(parse_sources([str(logs.root)]), clock=Clock(), now=lambda: START, **how).load_all()


def write(logs: LogDirectory, content: bytes) -> Path:
    path = logs.path("run")
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def shows_none_of(state: LoadState, *steps: int) -> None:
    run = state.snapshot.runs["run"]
    assert list(run.series) == ["loss"]
    assert steps_of(state) == [step for step in STEPS if step not in steps]
    assert run.files[0].state == "corrupt"
    assert {problem.kind for problem in run.files[0].problems} == {"payload_checksum"}
    assert all(problem.bytes_skipped for problem in run.files[0].problems)


@pytest.mark.parametrize("steps", [(1,), (7,), (1, 2, 3), range(5, 30), (40,)])
@pytest.mark.parametrize("damage", DAMAGES)
def test_wrong_payload_overwritten_tag_or_step_is_damage(
    logs: LogDirectory, damage: Callable[..., bytes], steps: Sequence[int]
) -> None:
    write(logs, damage(logs, *steps))
    shows_none_of(loaded(logs), *steps)
    shows_none_of(loaded(logs, whole=True), *steps)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("at", [7, 20, 21, 22])
def test_wrong_payload_in_a_growing_file_is_damage(
    logs: LogDirectory, clock: Clock, tmp_path: Path, damage: Callable[..., bytes], at: int
) -> None:
    """Both by a following loader and by one that starts from an index of the first half."""
    content = damage(logs, at)
    path = write(logs, content[: len(content) // 2])
    indexes = RunIndexes(IndexFolder(tmp_path / "cache"), min_bytes=1)
    loader = Loader(parse_sources([str(logs.root)]), clock=clock, now=lambda: START)
    loader.load_all()
    loaded(logs, indexes=indexes)
    path.write_bytes(content)
    clock.advance(100)
    shows_none_of(loader.load_all(), at)
    shows_none_of(loaded(logs, indexes=indexes), at)


@pytest.mark.parametrize("damage", DAMAGES)
def test_wrong_payload_repaired_file_is_read_whole(
    logs: LogDirectory, clock: Clock, damage: Callable[..., bytes]
) -> None:
    path = write(logs, damage(logs, 1, 7))
    loader = Loader(parse_sources([str(logs.root)]), clock=clock, now=lambda: START)
    shows_none_of(loader.load_all(), 1, 7)
    path.write_bytes(logs.bytes_of(STEPS))
    clock.advance(100)
    assert steps_of(loader.load_all()) == list(STEPS)
    assert loader.state.problems == ()


def test_wrong_payload_writer_without_checksums_is_read_whole(logs: LogDirectory, clock: Clock, tmp_path: Path) -> None:
    """Also after an index that was saved when only part of the file had been read."""
    content = bytearray(logs.bytes_of(STEPS, tag="a") + logs.bytes_of(STEPS, tag="b"))
    at = 0
    while at < len(content):
        at += 16 + int.from_bytes(content[at : at + 8], "little")
        content[at - 4 : at] = b"none"
    indexes = RunIndexes(IndexFolder(tmp_path / "cache"), min_bytes=1)
    path = write(logs, content[: len(content) // 2])
    loaded(logs, indexes=indexes)
    path.write_bytes(content)
    for state in (loaded(logs, indexes=indexes), loaded(logs)):
        assert list(state.snapshot.runs["run"].series) == ["a", "b"]
        problems = state.snapshot.runs["run"].files[0].problems
        assert {(problem.kind, problem.bytes_skipped) for problem in problems} == {("payload_checksum", 0)}


def test_wrong_payload_long_record_with_an_earlier_step_is_read_whole(logs: LogDirectory) -> None:
    """Otherwise its payload is skipped."""
    steps = [*range(10, 20), 10, *range(20, 25), 15, *range(16, 20)]
    pictures = [bytearray(frame_record(event(image("a", bytes(MIN_LONG_BYTES)), step=step))) for step in steps]
    path = write(logs, logs.bytes_of(()) + b"".join(pictures))
    assert steps_of(loaded(logs), tag="a") == steps
    pictures[10][-1] ^= 1
    path.write_bytes(logs.bytes_of(()) + b"".join(pictures))
    del steps[10]
    for state in (loaded(logs), loaded(logs, whole=True)):
        assert steps_of(state, tag="a") == steps


@pytest.mark.parametrize("size", [5, 2 * MIN_LONG_BYTES, 2 << 20])
def test_wrong_payload_late_tail_is_shown_when_complete(
    logs: LogDirectory, clock: Clock, tmp_path: Path, size: int
) -> None:
    """On a network file system a file may end with zeros that are filled in later."""
    steps = [10, 11, 5, 6, 7]
    records = [frame_record(event(image("a", bytes(size)), step=step)) for step in steps]
    late = [*records[:2], records[2][:-8] + bytes(8), *records[3:4]]
    path = write(logs, logs.bytes_of(()) + b"".join(late))
    indexes = RunIndexes(IndexFolder(tmp_path / "cache"), min_bytes=1)
    loader = Loader(parse_sources([str(logs.root)]), clock=clock, now=lambda: START)
    for state in (loader.load_all(), loaded(logs, indexes=indexes)):
        assert steps_of(state, tag="a") == [10, 11, 6]
    path.write_bytes(logs.bytes_of(()) + b"".join(records))
    clock.advance(100)
    for state in (loader.load_all(), loaded(logs, indexes=indexes), loaded(logs)):
        assert steps_of(state, tag="a") == steps
