"""Run a sample of the damage drill: every kind of damage, on all files of the corpus. `drill.py` runs all cases."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from damages import DamagedFile, Extent, damages, records_of
from drill import CORPUS, BrokenPromiseError, Tally, check, drill, event_files

from tbtui.events.decoder import RunDecoder
from tbtui.events.writer import EventFileWriter
from tbtui.tfrecord.framing import frame_record
from tbtui.tfrecord.resync import TruncatedRecords

if TYPE_CHECKING:
    from pathlib import Path

FILES = event_files(CORPUS)
LONGEST = max(FILES, key=lambda path: path.stat().st_size)
PAYLOADS = [b"first", b"the second", b"", b"fourth and last"]
GOOD = b"".join(map(frame_record, PAYLOADS))


def test_read_damaged_file_reports_damage_and_loses_nothing_else(tmp_path: Path) -> None:
    tally = Tally()
    for path, other in pairwise([*FILES, FILES[0]]):
        drill(path, other.read_bytes(), tmp_path, tally, max_records=6, every=83, repairs=9)
    assert tally.files == 41
    assert len(tally.cases) > 30
    assert tally.cases.total() > 400
    assert tally.repairs > 40


def test_drill_finds_records_without_the_reader() -> None:
    records = records_of(b"??" + GOOD[:20] + GOOD)
    assert [(end - begin - 16) for begin, end in records] == [len(payload) for payload in PAYLOADS]
    assert records[0].begin == 22


def test_drill_knows_the_records_outside_the_damage() -> None:
    records = records_of(GOOD)
    case = DamagedFile("doubled", (Extent(0, 30), b"?", Extent(21, len(GOOD))))
    assert [case.content(GOOD)[begin + 12 : end - 4] for begin, end in case.outside(records)] == [
        b"first",
        *PAYLOADS[1:],
    ]


def test_drill_does_every_kind_of_damage() -> None:
    kinds = {case.kind for case in damages(GOOD * 100, records_of(GOOD * 100), GOOD, 10, "seed")}
    assert len(kinds) == 46


def test_drill_detects_a_lost_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The faulty reader accepts a truncated record that ends where a later record ends."""
    path = tmp_path / "f"
    cut = frame_record(bytes(len(GOOD) + 1))[:17]
    path.write_bytes(cut + GOOD + GOOD)
    outside = [Extent(begin + 17, end + 17) for begin, end in records_of(GOOD + GOOD)]
    check(path, cut + GOOD + GOOD, outside)
    monkeypatch.setattr(TruncatedRecords, "find_truncated", lambda *_: None)
    with pytest.raises(BrokenPromiseError, match="4 records outside the damage are lost"):
        check(path, cut + GOOD + GOOD, outside)


WRONG_RECORDS = RunDecoder._find_invalid_records


def report_only(*args: Any) -> Any:
    """Stand in for `RunDecoder._find_invalid_records`: report damaged records and use them."""
    lost, unverified = WRONG_RECORDS(*args)
    return lost[:0], unverified


def test_drill_detects_an_invented_tag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    with EventFileWriter(str(path), wall_time=1.5e9) as writer:
        for step in range(3):
            writer.scalar("loss", step, step, 1.5e9)
    content = path.read_bytes().replace(b"loss", b"lass", 2).replace(b"lass", b"loss", 1)
    path.write_bytes(content)
    outside = records_of(content)
    check(path, content, outside)
    monkeypatch.setattr(RunDecoder, "_find_invalid_records", report_only)
    with pytest.raises(BrokenPromiseError, match="shows a new tag"):
        check(path, content, outside)


def test_drill_detects_a_step_that_hides_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    with EventFileWriter(str(path), wall_time=1.5e9) as writer:
        for step in range(1, 9):
            writer.scalar("loss", step, step, 1.5e9)
    content = path.read_bytes().replace(b"\x10\x07", b"\x10\x03")
    path.write_bytes(content)
    outside = records_of(content)
    check(path, content, outside)
    monkeypatch.setattr(RunDecoder, "_find_invalid_records", report_only)
    with pytest.raises(BrokenPromiseError, match="hides another"):
        check(path, content, outside)


def test_drill_detects_an_unseen_repair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TruncatedRecords, "is_repaired", lambda *_: False)
    with pytest.raises(BrokenPromiseError, match="the repair"):
        drill(LONGEST, GOOD, tmp_path, Tally(), max_records=3, every=3, repairs=1)
