"""Test runs that are split on request (`docs/points.md`)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from tbtui.store.run_parts import RunSplitter, split_run, split_snapshot
from tbtui.store.snapshot import EventFile, Metadata, StoreSnapshot
from tbtui.store.staging import StagedRun, Store

if TYPE_CHECKING:
    from tbtui.store.snapshot import RunSnapshot

FILES = ("events.out.tfevents.100.h", "events.out.tfevents.200.h", "events.out.tfevents.300.h")
STARTS = (100.0, 200.0, 300.0)


def append(stage: StagedRun, tag: str, steps: range | list[int], start: float, file: int = 0) -> None:
    stage.add_tag(tag, Metadata("scalars"))
    times = start + np.arange(len(steps), dtype=np.float64)
    stage.append_scalars(tag, np.array(steps, np.int64), times, np.zeros(len(steps)), file=file)


def three_trainings(stage: StagedRun | None = None) -> RunSnapshot:
    """Return a run of three files; the tag `once` is only in the second one."""
    stage = stage or StagedRun("run", itertools.count(1))
    for file, start in enumerate(STARTS):
        append(stage, "loss", range(10 - 3 * file), start, file)
        append(stage, "val", [0, 5], start + 0.5, file)
    append(stage, "once", [7], 203.0, 1)
    stage.put_files(tuple(EventFile(name, 1, 1, None, s, s + 9, "ok") for name, s in zip(FILES, STARTS, strict=True)))
    return stage.snapshot()


def steps_of(runs: tuple[RunSnapshot, ...]) -> dict[str, dict[str, list[int]]]:
    return {run.name: {tag: series.steps.tolist() for tag, series in run.series.items()} for run in runs}


def test_split_at_restarts_gives_each_start_its_points() -> None:
    runs = split_run(three_trainings(), "restarts")
    assert steps_of(runs) == {
        "run [start 1]": {"loss": list(range(10)), "val": [0, 5]},
        "run [start 2]": {"loss": list(range(7)), "val": [0, 5], "once": [7]},
        "run [start 3]": {"loss": list(range(4)), "val": [0, 5]},
    }
    assert [run.first_wall_time for run in runs] == list(STARTS)
    assert [[file.path for file in run.files] for run in runs] == [[name] for name in FILES]
    assert all(series.run == run.name and not series.superseded for run in runs for series in run.series.values())


def test_split_by_file_names_the_parts_by_their_files() -> None:
    runs = split_run(three_trainings(), "files")
    assert list(steps_of(runs)) == ["run [100]", "run [200]", "run [300]"]
    assert steps_of(runs)["run [200]"] == {"loss": list(range(7)), "val": [0, 5], "once": [7]}


def test_split_run_without_parts_is_the_run() -> None:
    stage = StagedRun("run", itertools.count(1))
    append(stage, "loss", range(5), 0.0)
    append(stage, "hp_metric", [3, 0], 1.0)
    run = stage.snapshot()
    assert split_run(run, "restarts") == split_run(run, "files") == split_run(run, "no") == (run,)


def test_split_ignores_a_tag_that_counts_again_in_each_epoch() -> None:
    stage = StagedRun("run", itertools.count(1))
    append(stage, "loss", range(50), 0.0)
    append(stage, "batch", [0, 1, 2, 3] * 5, 0.0)
    assert len(split_run(stage.snapshot(), "restarts")) == 1


def test_split_restart_within_a_file_keeps_the_file_in_both_parts() -> None:
    stage = StagedRun("run", itertools.count(1))
    append(stage, "loss", [0, 1, 2, 3, 1, 2, 3, 4], 10.0)
    stage.put_files((EventFile("f", 1, 1, None, 9.0, 17.0, "ok"),))
    first, second = split_run(stage.snapshot(), "restarts")
    assert first.files == second.files
    assert (first.first_wall_time, first.last_wall_time) == (9.0, 14.0)
    assert (second.first_wall_time, second.last_wall_time) == (14.0, 17.0)


def test_splitter_splits_only_changed_runs() -> None:
    store = Store()
    store.put(three_trainings(store.stage("run")))
    other = store.stage("other")
    append(other, "loss", range(3), 0.0)
    store.put(other.snapshot())
    splitter = RunSplitter()
    before = splitter.split(store.publish(), "restarts")
    assert splitter.split(store.snapshot, "restarts") is before
    append(other, "loss", range(3, 5), 10.0)
    store.put(other.snapshot())
    after = splitter.split(store.publish(), "restarts")
    assert after.runs["run [start 2]"] is before.runs["run [start 2]"]
    assert len(after.runs["other"].series["loss"]) == 5
    assert splitter.split(store.snapshot, "no") is store.snapshot


def test_split_snapshot_equals_a_store_that_splits() -> None:
    store = Store("restarts")
    store.put(three_trainings(store.stage("run")))
    split = split_snapshot(StoreSnapshot(1, {"run": three_trainings()}), "restarts")
    assert steps_of(tuple(store.publish().runs.values())) == steps_of(tuple(split.runs.values()))
