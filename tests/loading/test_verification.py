"""Bytes overwritten in a file that is being followed are reported by the dashboard's loader, Python and `inspect`."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from tbtui.loading.cache.index_folder import IndexFolder, RunIndexes
from tbtui.loading.lazy_runs import LazyRuns
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources
from tbtui.tfrecord.framing import HEADER_BYTES, OVERHEAD_BYTES
from tbtui.tfrecord.reader import RecordReader
from tests.helpers.log_directory import LogDirectory

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tbtui.loading.state import FileProblem

STEPS = 500


def overwrite(path: Path, offset: int, count: int = 12) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(b"\xaa" * count)


def places(problems: Iterable[FileProblem]) -> list[tuple[str, int]]:
    return [(problem.problem.kind, problem.problem.offset) for problem in problems]


def offsets(path: Path) -> list[int]:
    block = RecordReader(str(path)).read(1 << 30)
    return [block.offset(row) for row in range(len(block))]


def inspected(root: Path) -> list[tuple[str, int]]:
    return places(Loader(parse_sources([str(root)]), reload_seconds=0).load_all(verify=True).problems)


POSITIONS = {
    "payload in the middle": (250, HEADER_BYTES + 5, "payload_checksum"),
    "length in the middle": (250, 0, "length_checksum"),
    "two records in the middle": (250, -6, "truncated"),
    "last payload": (-1, HEADER_BYTES + 2, "payload_checksum"),
    "last length": (-1, 0, "length_checksum"),
    "first length": (0, 0, "length_checksum"),
}


@pytest.mark.parametrize(
    ("position", "order", "grows"),
    [*itertools.product(POSITIONS, ("before", "between", "after"), (False, True))],
)
def test_overwritten_bytes_are_reported_alike_everywhere(
    tmp_path: Path, position: str, order: str, grows: bool
) -> None:
    logs = LogDirectory(tmp_path)
    path = logs.log("run", range(STEPS))
    row, shift, kind = POSITIONS[position]
    record = offsets(path)[row]
    loader, runs = Loader(parse_sources([str(tmp_path)])), LazyRuns(parse_sources([str(tmp_path)]), cache=False)
    if order == "before":
        overwrite(path, record + shift)
    loader.load_all()
    runs.read(["run"])
    if order == "between":
        logs.log("run", range(STEPS, STEPS + 10))
        loader.load_all()
        runs.refresh()
    if order != "before":
        overwrite(path, record + shift)
    if grows:
        logs.log("run", range(STEPS + 10, STEPS + 20))
    loader.verify(True)
    state = loader.load_all()
    expected = inspected(tmp_path)
    assert kind in {kind for kind, _ in expected}
    assert places(state.problems) == expected
    assert state.unverified_bytes == 0
    assert places(runs.problems()) == expected
    runs.refresh()
    assert places(runs.problems()) == expected


def test_verification_of_an_undamaged_growing_file_reports_nothing(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path)
    path = logs.log("run", range(STEPS))
    loader = Loader(parse_sources([str(tmp_path)]))
    loader.load_all()
    with path.open("ab") as file:
        file.write(b"\x20\x00")  # the beginning of a record
    loader.verify(True)
    assert loader.load_all().problems == ()


def test_verification_reports_a_place_once(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path)
    path = logs.log("run", range(STEPS))
    records = offsets(path)
    loader = Loader(parse_sources([str(tmp_path)]))
    loader.load_all()
    overwrite(path, records[100] + HEADER_BYTES)
    for more in range(3):
        logs.log("run", range(STEPS + more, STEPS + more + 1))
        loader.verify(True)
        problems = loader.load_all().problems
        loader.verify(False)
        loader.step()
        length = records[101] - records[100]
        assert [problem.problem.bytes_skipped for problem in problems] == [length]
        assert problems[0].problem.message == "records that do not match their checksum: 1"
    assert length > OVERHEAD_BYTES


def test_verification_keeps_the_values_that_were_read_before(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path)
    path = logs.log("run", range(STEPS))
    loader = Loader(parse_sources([str(tmp_path)]))
    loader.load_all()
    overwrite(path, offsets(path)[100] + HEADER_BYTES)
    logs.log("run", range(STEPS, STEPS + 1))
    loader.verify(True)
    state = loader.load_all()
    assert state.snapshot.runs["run"].files[0].state == "corrupt"
    assert len(state.snapshot.runs["run"].series["loss"].steps) == STEPS + 1


def test_inspect_compares_a_file_that_has_grown_since_it_was_cached(tmp_path: Path) -> None:
    logs = LogDirectory(tmp_path / "logs")
    path = logs.log("run", range(STEPS))
    indexes = RunIndexes(IndexFolder(tmp_path / "cache"), min_bytes=1)
    Loader(parse_sources([str(logs.root)]), indexes=indexes, reload_seconds=0).load_all()
    record = offsets(path)[250]
    overwrite(path, record + HEADER_BYTES)
    logs.log("run", range(STEPS, STEPS + 1))
    again = Loader(parse_sources([str(logs.root)]), indexes=indexes, reload_seconds=0)
    assert places(again.load_all(verify=True).problems) == [("payload_checksum", record)]
