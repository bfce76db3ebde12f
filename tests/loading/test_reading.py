from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.events.writer import EventFileWriter
from tbtui.loading.event_file import FollowedFile
from tbtui.loading.loader import Loader
from tbtui.loading.sources import parse_sources

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
