from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from tbtui.events.decoder import RunDecoder
from tbtui.events.writer import EventFileWriter
from tbtui.loading.event_file import FollowedFile
from tbtui.loading.loader import Loader
from tbtui.loading.reading import RunReading
from tbtui.loading.sources import parse_sources
from tbtui.store.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

FILES = 200


class Counted(FollowedFile):
    asked = 0

    def __getattribute__(self, name: str) -> Any:
        if name in {"pending", "modified"}:
            Counted.asked += 1
        return super().__getattribute__(name)


def test_a_run_of_many_files_is_not_asked_for_all_of_them_at_each_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(FILES):
        with EventFileWriter(str(tmp_path / f"tfevents.{number:05d}"), wall_time=1.0) as writer:
            writer.scalar("loss", number, number, 1.0)
    monkeypatch.setattr("tbtui.loading.reading.FollowedFile", Counted)
    monkeypatch.setattr(Counted, "asked", 0)
    state = Loader(parse_sources([str(tmp_path)]), reload_seconds=0).load_all()
    assert state.snapshot.runs["."].series["loss"].steps.tolist() == list(range(FILES))
    assert Counted.asked < 50 * FILES


def test_what_is_written_between_the_look_and_the_read_is_read(tmp_path: Path) -> None:
    path = tmp_path / "tfevents.1"

    def log(steps: range) -> None:
        with EventFileWriter(str(path), wall_time=1.0) as writer:
            for step in steps:
                writer.scalar("loss", step, step, 1.0)

    log(range(3))
    store = Store()
    reading = RunReading((str(path),), store.stage("."), RunDecoder(), os.stat)
    log(range(3, 400))
    reading.read(1 << 20)
    snapshot = reading.commit()
    assert snapshot is not None
    assert snapshot.series["loss"].steps.tolist() == list(range(400))
