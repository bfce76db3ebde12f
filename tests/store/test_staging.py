from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tbtui.store.snapshot import EventFile, Metadata, ReferenceSeries, ScalarSeries
from tbtui.store.staging import StagedRun

if TYPE_CHECKING:
    from collections.abc import Sequence

SCALARS = Metadata("scalars")
IMAGES = Metadata("images", data_class=3)


def staged(name: str = "run") -> StagedRun:
    return StagedRun(name, itertools.count(1))


def log(run: StagedRun, tag: str, steps: Sequence[int], start: float = 0.5) -> None:
    run.add_tag(tag, SCALARS)
    numbers = np.array(steps, np.int64)
    run.append_scalars(tag, numbers, numbers + start, numbers * 2.0)


def point_to(run: StagedRun, tag: str, file: int, steps: Sequence[int]) -> None:
    run.add_tag(tag, IMAGES)
    numbers = np.array(steps, np.int64)
    run.append_references(tag, file, numbers, numbers + 0.5, numbers * 100, numbers + 7, np.zeros(len(steps), np.int32))


def test_an_empty_run_has_no_series() -> None:
    assert dict(staged().snapshot().series) == {}


def test_append_scalars_round_trips() -> None:
    run = staged()
    log(run, "loss", [1, 2])
    log(run, "loss", [3])
    series = run.snapshot().series["loss"]
    assert isinstance(series, ScalarSeries)
    assert series.steps.tolist() == [1, 2, 3]
    assert series.wall_times.tolist() == [1.5, 2.5, 3.5]
    assert series.values.tolist() == [2.0, 4.0, 6.0]
    assert (series.run, series.tag, series.metadata) == ("run", "loss", SCALARS)


def test_references_remember_their_file() -> None:
    run = staged()
    point_to(run, "grid", 0, [1])
    point_to(run, "grid", 1, [2, 3])
    series = run.snapshot().series["grid"]
    assert isinstance(series, ReferenceSeries)
    assert series.files.tolist() == [0, 1, 1]
    assert series.offsets.tolist() == [100, 200, 300]
    assert series.lengths.tolist() == [8, 9, 10]
    assert series.indices.dtype == np.int32


def test_the_first_metadata_of_a_tag_stays() -> None:
    run = staged()
    log(run, "loss", [1])
    run.add_tag("loss", Metadata("text"))
    assert run.snapshot().series["loss"].metadata == SCALARS


def test_tags_keep_the_order_in_which_they_appeared() -> None:
    run = staged()
    for tag in ("b", "c", "a"):
        run.add_tag(tag, SCALARS)
    log(run, "a", [1])
    log(run, "b", [1])
    assert list(run.snapshot().series) == ["b", "a"]
    log(run, "c", [1])
    log(run, "a", [2])
    assert list(run.snapshot().series) == ["b", "c", "a"]


def test_commit_reuses_unchanged_series() -> None:
    run = staged()
    log(run, "still", [1])
    log(run, "moving", [1])
    before = run.snapshot()
    log(run, "moving", [2])
    after = run.snapshot()
    assert after.series["still"] is before.series["still"]
    assert after.series["moving"].revision > before.series["moving"].revision
    assert after.revision > before.revision


def test_a_snapshot_never_changes() -> None:
    run = staged()
    log(run, "loss", [1])
    before = run.snapshot()
    log(run, "loss", range(2, 5_000))
    log(run, "new", [1])
    run.snapshot()
    assert list(before.series) == ["loss"]
    assert before.series["loss"].steps.tolist() == [1]


def test_the_mapping_of_a_snapshot_is_read_only() -> None:
    with pytest.raises(TypeError, match="does not support item assignment"):
        staged().snapshot().series["x"] = None  # type: ignore[index]


def test_commit_many_tags_creates_only_changed_series() -> None:
    run = staged()
    for number in range(5_000):
        log(run, f"tag{number}", [1])
    before = run.snapshot()
    log(run, "tag77", [2])
    after = run.snapshot()
    assert [tag for tag in after.series if after.series[tag] is not before.series[tag]] == ["tag77"]


def test_commit_includes_files_and_problem() -> None:
    run = staged()
    file = EventFile("logs/e.tfevents.1", 10, 1, "torch", 5.0, 6.0, "ok")
    run.put_files((file,))
    snapshot = run.snapshot(problem="permission denied")
    assert snapshot.files == (file,)
    assert snapshot.problem == "permission denied"
    assert (snapshot.first_wall_time, snapshot.last_wall_time) == (5.0, 6.0)


def test_superseded_points_are_stored_and_marked() -> None:
    run = staged()
    log(run, "loss", [1, 2, 3, 4])
    log(run, "loss", [3, 4, 5], start=100.0)
    series = run.snapshot().series["loss"]
    assert len(series) == 7
    assert series.superseded == 2
    assert series.current.steps.tolist() == [1, 2, 3, 4, 5]
    assert series.restarts.tolist() == [3]


def test_reread_run_has_another_generation() -> None:
    revisions = itertools.count(1)
    readings = []
    for _ in range(2):
        run = StagedRun("run", revisions)
        readings.append([run.snapshot().reading for _ in range(3)])
    assert [len(set(reading)) for reading in readings] == [1, 1]
    assert readings[0][0] != readings[1][0]
