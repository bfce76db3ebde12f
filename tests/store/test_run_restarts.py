"""Test that sparse tags follow the restarts of their run (`docs/points.md`)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tbtui
from tbtui.events.writer import EventFileWriter
from tbtui.loading.loader import Loader
from tbtui.loading.sequential_reader import SequentialReader
from tbtui.loading.sources import parse_sources
from tbtui.store.snapshot import EventFile, Metadata
from tbtui.store.spill import SpilledRun
from tbtui.store.staging import StagedRun, Store
from tests.helpers.log_directory import START, state_contents

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.store.snapshot import RunSnapshot

Points = list[tuple[int, float]]
"""Steps, and seconds since the beginning of the session."""

DENSE: list[Points] = [[(step, step) for step in range(301)], [(step, step - 150) for step in range(151, 260)]]
"""A training of 300 steps; the second session resumes from step 150."""


def sessions(
    *tags: tuple[str, list[Points]], dense: list[Points] = DENSE, stage: StagedRun | None = None
) -> RunSnapshot:
    """Return a run of one file per session, a day apart, with the dense tag `loss` and others."""
    store = Store()
    stage = stage or store.stage("run")
    for tag, points_by_session in (("loss", dense), *tags):
        stage.add_tag(tag, Metadata("scalars"))
        for file, points in enumerate(points_by_session):
            if points:
                steps, seconds = np.array(points).T
                times = START + 86400 * file + seconds
                stage.append_scalars(tag, steps.astype(np.int64), times, seconds, file=file)
    starts = [START + 86400 * file - 1 for file in range(len(dense))]
    stage.put_files(tuple(EventFile(f"{number}.h", 1, 1, None, s, s + 999, "ok") for number, s in enumerate(starts)))
    (run,) = store.put(stage.snapshot())
    return run


@pytest.mark.parametrize(
    ("points", "current"),
    [
        ([[(100, 100), (200, 200), (300, 300)], [(200, 50)]], [100, 200]),
        ([[(100, 100), (200, 200), (300, 300)], [(150, -0.5), (200, 50)]], [100, 150, 200]),
        ([[(300, 301)], [(259, 110)]], [259]),
        ([[(300, 301)], [(400, 500)]], [300, 400]),
        ([[(300, 301)], []], [300]),
        ([[(0, 0), (300, 301)], [(0, 0)]], [0, 300]),
        ([[(epoch, epoch * 60) for epoch in range(6)], [(3, 10)]], [0, 1, 2, 3, 4, 5]),
        ([[(10_000, 10), (20_000, 20)], [(20_001, 30), (20_002, 40)]], [10_000, 20_000, 20_001, 20_002]),
    ],
    ids=[
        "every 100 steps",
        "before the first value of the dense tag",
        "once per session",
        "once per session, ascending",
        "the new session has none yet",
        "a value at step 0 with the session",
        "epochs, one value",
        "a counter that goes on",
    ],
)
def test_sparse_tag_follows_the_restart_of_its_run(points: list[Points], current: list[int]) -> None:
    assert sessions(("sparse", points)).series["sparse"].current.steps.tolist() == current


def test_spilled_tag_follows_the_restart_of_its_run() -> None:
    sparse: list[Points] = [[(100, 100), (300, 300)], [(200, 50)]]
    run = sessions(("sparse", sparse), stage=SpilledRun("run", itertools.count(1), max_points=20))
    assert run.series["sparse"].current.steps.tolist() == [100, 200]
    ascending = [DENSE[0]]
    run = sessions(("sparse", sparse[:1]), dense=ascending, stage=SpilledRun("run", itertools.count(1), max_points=20))
    assert not run.has_descents


def test_restart_of_a_tag_that_counts_batches_is_no_restart_of_the_run() -> None:
    epochs = [[(batch, epoch * 10 + batch) for epoch in range(5) for batch in range(10)]]
    dense = [[(step, float(step)) for step in range(200)]]
    run = sessions(("batches", epochs), ("eval", [[(100, 9.5), (50, 15.0)]]), dense=dense)
    assert run.restarts == ()
    assert run.series["eval"].current.steps.tolist() == [50, 100]


def test_follow_changes_the_revision_of_a_series_that_did_not_change() -> None:
    store = Store()
    stage = StagedRun("run", itertools.count(1))

    def append(tag: str, steps: list[int], start: float, file: int) -> None:
        stage.add_tag(tag, Metadata("scalars"))
        column = np.array(steps, np.int64)
        stage.append_scalars(tag, column, start + np.arange(len(steps)), column * 1.0, file=file)

    append("loss", [*range(100)], 100.0, 0)
    append("eval", [50, 99], 150.0, 0)
    append("eval", [60], 1000.0, 1)
    append("loss", [55], 1001.0, 1)
    stage.put_files((EventFile("a", 1, 1, None, 99.0, 200.0, "ok"), EventFile("b", 1, 1, None, 999.0, 1001.0, "ok")))
    (before,) = store.put(stage.snapshot())
    assert before.series["eval"].superseded == 0
    append("loss", [56], 1002.0, 1)
    (after,) = store.put(stage.snapshot())
    assert after.series["eval"].current.steps.tolist() == [50, 60]
    assert after.series["eval"].revision > before.series["eval"].revision
    append("loss", [57], 1003.0, 1)
    (later,) = store.put(stage.snapshot())
    assert later.series["eval"] is after.series["eval"]
    assert later.series["loss"] is not after.series["loss"]


@pytest.fixture
def resumed(tmp_path: Path) -> Path:
    """Return a log directory with a resumed run."""
    for session, (steps, evaluated) in enumerate(((range(301), (100, 200, 300)), (range(151, 260), (200,)))):
        path = tmp_path / "run" / f"events.out.tfevents.{session}.host"
        path.parent.mkdir(exist_ok=True)
        start = START + 1000 * session
        with EventFileWriter(str(path), wall_time=start) as writer:
            for second, step in enumerate(steps):
                writer.scalar("loss", 1.0, step, start + second)
                if step in evaluated:
                    writer.scalar("eval", step / 1000, step, start + second)
                    writer.text("note", "words", step, start + second)
    return tmp_path


@pytest.mark.parametrize("spill_bytes", [0, 1 << 20])
def test_every_reader_follows_the_restart(resumed: Path, spill_bytes: int) -> None:
    (run,) = SequentialReader(parse_sources([str(resumed)]), spill_bytes=spill_bytes).read(bool)
    loaded = Loader(parse_sources([str(resumed)]), reload_seconds=0).load_all().snapshot.runs["run"]
    for shown in (run, loaded):
        for tag in ("eval", "note"):
            assert shown.series[tag].current.steps.tolist() == [100, 200]
            assert shown.series[tag].superseded == 2
    assert tbtui.open(resumed)["run"].scalars("eval").current.steps.tolist() == [100, 200]
    assert tbtui.open(resumed)["run"].text("note").current.steps.tolist() == [100, 200]


def test_sparse_tag_that_was_watched_equals_a_new_start(resumed: Path) -> None:
    paths = sorted((resumed / "run").iterdir())
    contents = [path.read_bytes() for path in paths]
    for path in paths:
        path.unlink()
    watching = Loader(parse_sources([str(resumed)]), reload_seconds=0)
    for path, content in zip(paths, contents, strict=True):
        for size in (len(content) // 3, len(content) // 2, len(content)):
            path.write_bytes(content[:size])
            state = watching.load_all()
            fresh = Loader(parse_sources([str(resumed)]), reload_seconds=0).load_all()
            assert state_contents(state) == state_contents(fresh)
            shown, new = (each.snapshot.runs["run"] for each in (state, fresh))
            for tag, series in shown.series.items():
                assert series.current.steps.tolist() == new.series[tag].current.steps.tolist()
                assert series.restarts.tolist() == new.series[tag].restarts.tolist()
