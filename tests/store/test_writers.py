"""Test runs that several processes wrote at the same time (`docs/points.md`)."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tbtui.store.snapshot import EventFile, Metadata, ReferenceSeries
from tbtui.store.staging import StagedRun, Store
from tbtui.store.writers import split_writers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.store.snapshot import RunSnapshot

RANKS = ("events.out.tfevents.17.rank0", "events.out.tfevents.17.rank1")
Points = dict[str, list[tuple[int, float]]]
"""(step, wall time) by tag"""


def run_of(files: Mapping[str, Points], name: str = "ddp", stage: StagedRun | None = None) -> RunSnapshot:
    """Return a run whose values are the numbers of their files."""
    stage = stage or StagedRun(name, itertools.count(1))
    described = []
    for number, (file, tags) in enumerate(files.items()):
        for tag, points in tags.items():
            stage.add_tag(tag, Metadata("scalars"))
            steps, times = (np.array(column) for column in zip(*points, strict=True))
            values = np.full(len(steps), number, np.float64)
            stage.append_scalars(tag, steps.astype(np.int64), times.astype(np.float64), values, file=number)
        times = [time for points in tags.values() for _, time in points]
        described.append(EventFile(f"logs/{name}/{file}", 1, 1, None, min(times), max(times), "ok"))
    stage.put_files(tuple(described))
    return stage.snapshot()


def timed(steps: Sequence[int], start: float = 0.0) -> list[tuple[int, float]]:
    return [(step, start + second) for second, step in enumerate(steps)]


def seen(run: RunSnapshot) -> dict[str, dict[str, list[int]]]:
    """Return the steps of each tag by the name of the run."""
    return {
        each.name: {tag: series.steps.tolist() for tag, series in each.series.items()} for each in split_writers(run)
    }


def in_epochs(start: float) -> list[tuple[int, float]]:
    """Return 40 steps, ten at the end of each minute."""
    return [(step, 60.0 * (step // 10) + start + step % 10 / 100) for step in range(40)]


def in_turns(count: int, stride: int, again: int) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
    """Return the points of a training that moves between two files, each time from `again` steps before."""
    files: tuple[list[tuple[int, float]], ...] = [], []
    for turn in range(count):
        first = max(turn * stride - again, 0)
        files[turn % 2].extend(timed(range(first, (turn + 1) * stride), 100.0 * turn))
    return files[0], files[1]


@pytest.mark.parametrize(
    ("first", "second", "runs"),
    [
        (timed(range(50)), timed(range(50), 30.5), 2),  # two clocks differ, so that no step is logged at one time
        ([(step, step // 10) for step in range(50)], [(step, step // 10) for step in range(50)], 2),  # whole seconds
        (timed(range(110)), timed(range(60, 160), 100.5), 2),  # the former process goes on
        (timed(range(100)), [(step, step + 0.5) for step in range(0, 100, 10)], 2),  # one logs less often
        (timed(range(101)), timed(range(60, 160), 99.5), 1),  # two late points
        (in_epochs(0.0), in_epochs(1.0), 2),  # each logs all steps of an epoch at its end
        (*in_turns(6, 10, 2), 1),
        (*in_turns(5, 10, 0), 1),
        (timed(range(50)), timed(range(50), 100), 2),  # in step, on clocks that differ
        (timed(range(50)), timed(range(20), 100), 1),  # began again
    ],
)
def test_writers_at_the_same_time_are_told_from_turns(
    first: list[tuple[int, float]], second: list[tuple[int, float]], runs: int
) -> None:
    run = run_of({RANKS[0]: {"loss": first}, RANKS[1]: {"loss": second}})
    assert len(split_writers(run)) == runs


def unsteady(count: int, start: float, seed: int, pauses: bool) -> list[tuple[int, float]]:
    """Return steps of a second, more or less, with a pause every 50 steps."""
    seconds = np.random.default_rng(seed).normal(1.0, 0.05, count)
    seconds[::50] += 10.0 * pauses
    return [(step, start + float(time)) for step, time in enumerate(np.cumsum(seconds))]


def jittered(points: list[tuple[int, float]], behind: float, seed: int) -> list[tuple[int, float]]:
    noise = np.random.default_rng(seed).normal(0.0, 0.05, len(points))
    return [(step, time + behind + float(each)) for (step, time), each in zip(points, noise, strict=True)]


NODES = ("events.out.tfevents.17.node1.7.0", "events.out.tfevents.18.node2.9.0")
ONE_NODE = ("events.out.tfevents.17.node1.7.0", "events.out.tfevents.18.node1.9.0")
ONE_NODE_RANKS = ("events.out.tfevents.17.node1.7.rank0", "events.out.tfevents.18.node1.9.rank1")
HOUR = 3600.0


@pytest.mark.parametrize(
    ("names", "second", "runs"),
    [
        (NODES, jittered(unsteady(400, 0.0, 1, pauses=True), HOUR, 2), 2),
        (NODES, jittered(unsteady(400, 0.0, 1, pauses=True), -HOUR, 2)[:350], 2),  # flushed later
        (ONE_NODE_RANKS, jittered(unsteady(400, 0.0, 1, pauses=True), HOUR, 2), 2),
        (ONE_NODE, jittered(unsteady(400, 0.0, 1, pauses=True), HOUR, 2), 1),  # one clock
        (NODES, unsteady(400, HOUR, 3, pauses=True), 1),  # drifts apart
        (NODES, jittered(unsteady(400, 0.0, 1, pauses=True), HOUR, 2)[:200], 1),  # half of the steps
        (NODES, jittered(unsteady(400, 0.0, 1, pauses=True), HOUR, 2)[60:], 1),  # resumed from step 60
    ],
    ids=["nodes", "behind", "ranks", "one node", "drift", "half", "resumed"],
)
def test_writers_whose_clocks_differ_are_told_from_trainings(
    names: tuple[str, str], second: list[tuple[int, float]], runs: int
) -> None:
    first = unsteady(400, 0.0, 1, pauses=True)
    sparse = [(step, time) for step, time in first if step % 100 == 0]
    run = run_of({names[0]: {"loss": first, "eval": sparse}, names[1]: {"loss": second}})
    assert len(split_writers(run)) == runs


def test_writers_whose_clocks_differ_keep_their_files_when_they_resume() -> None:
    hosts = [f"events.out.tfevents.{number}.node{number % 2}" for number in range(4)]
    tags = [
        {"loss": [(step, time + 1e4 * (number % 2)) for step, time in timed(steps, start)]}
        for number, (steps, start) in enumerate(
            [(range(50), 0.0), (range(50), 0.1), (range(40, 90), 1000.0), (range(40, 90), 1000.1)]
        )
    ]
    run = run_of(dict(zip(hosts, tags, strict=True)))
    assert seen(run) == {f"ddp [node{node}]": {"loss": [*range(50), *range(40, 90)]} for node in (0, 1)}


def test_writers_of_two_ranks_are_two_runs() -> None:
    run = run_of({RANKS[0]: {"loss": timed(range(5))}, RANKS[1]: {"loss": timed(range(5), 0.4)}})
    first, second = split_writers(run)
    assert (first.name, second.name) == ("ddp [rank0]", "ddp [rank1]")
    assert [file.path for file in second.files] == [f"logs/ddp/{RANKS[1]}"]
    for number, each in enumerate((first, second)):
        series = each.series["loss"]
        assert series.run == each.name
        assert series.steps.tolist() == list(range(5))
        assert set(series.values.tolist()) == {number}  # type: ignore[union-attr]
        assert (series.superseded, series.restarts.tolist()) == (0, [])


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["events.out.tfevents.17.node-a.12.0", "events.out.tfevents.17.node-b.12.0"], ["node-a", "node-b"]),
        (["events.out.tfevents.17.node.4242.0", "events.out.tfevents.17.node.4243.0"], ["4242", "4243"]),
        (["events.out.tfevents.17.node.42.0", "events.out.tfevents.18.node.42.1"], ["0", "1"]),
        (["events.out.tfevents.17.node.42.0.v2", "events.out.tfevents.18.node.42.1.v2"], ["0", "1"]),
        (["a.tfevents", "b.tfevents"], ["a", "b"]),
        (["tfevents.rank_0.log", "tfevents.rank_1.log"], ["0", "1"]),
        (["events.out.tfevents.17.h", "events.out.tfevents.18.h"], ["17", "18"]),
    ],
)
def test_writers_are_named_by_what_their_files_differ_in(files: list[str], names: list[str]) -> None:
    run = run_of({file: {"loss": timed(range(5), 0.1 * number)} for number, file in enumerate(files)}, ".")
    assert list(seen(run)) == [f". [{name}]" for name in names]


@pytest.mark.parametrize(
    "second",
    [
        {"loss": timed(range(5), 10)},  # later: a restart
        {"loss": timed(range(2, 8), 4.5)},
        {"loss": timed(range(10, 15), 0.5)},  # at the same time at other steps
        {"accuracy": timed(range(5), 0.5)},  # other tags
        {"loss": [(0, 3.5)]},  # a single value
    ],
)
def test_writers_one_after_the_other_or_of_other_points_are_one(second: Points) -> None:
    run = run_of({RANKS[0]: {"loss": timed(range(5))}, RANKS[1]: second})
    assert split_writers(run) == (run,)


def test_writers_copies_of_a_file_are_none() -> None:
    stage = StagedRun("ddp", itertools.count(1))
    stage.append_scalars("loss", np.arange(4), np.arange(4.0), np.zeros(4), file=1)
    run = run_of({RANKS[0]: {"loss": timed(range(5))}}, stage=stage)
    copied = replace(run, files=(run.files[0], replace(run.files[0], path="logs/ddp/copy")))
    assert split_writers(copied) == (copied,)
    assert len(copied.series["loss"]) == 5


def test_writers_that_resumed_go_on_with_their_files() -> None:
    files = {
        "events.out.tfevents.10.a": {"loss": timed(range(5))},
        "events.out.tfevents.10.b": {"loss": timed(range(5), 0.5)},
        "events.out.tfevents.20.a": {"loss": timed(range(5, 9), 20)},
        "events.out.tfevents.20.b": {"loss": timed(range(5, 9), 20.5), "eval": timed([1], 30)},
    }
    assert seen(run_of(files)) == {
        "ddp [a]": {"loss": list(range(9))},
        "ddp [b]": {"loss": list(range(9)), "eval": [1]},
    }


def test_writers_references_count_the_files_of_their_run() -> None:
    stage = StagedRun("ddp", itertools.count(1))
    stage.add_tag("image", Metadata("images"))
    zeros = np.zeros(3, np.int64)
    for file in (0, 1):
        places = zeros + 100 * file, zeros + 7 + file, zeros.astype(np.int32)
        stage.append_references("image", file, np.arange(3), np.arange(3) + 0.1 * file, *places)
    run = run_of({name: {"loss": timed(range(4), number / 4)} for number, name in enumerate(RANKS)}, stage=stage)
    _, second = split_writers(run)
    series = second.series["image"]
    assert isinstance(series, ReferenceSeries)
    assert (series.files.tolist(), series.offsets.tolist()) == ([0] * 3, [100] * 3)


def test_store_splits_a_run_when_a_second_writer_appears() -> None:
    store = Store()
    stage = store.stage("ddp")
    store.put(run_of({RANKS[0]: {"loss": timed(range(5))}}, stage=stage))
    assert list(store.publish().runs) == ["ddp"]
    stage.append_scalars("loss", np.arange(5), np.arange(5) + 0.5, np.ones(5), file=1)
    stage.put_files(
        tuple(EventFile(f"logs/ddp/{name}", 1, 1, None, number / 2, 4.0, "ok") for number, name in enumerate(RANKS))
    )
    store.put(stage.snapshot())
    assert list(store.publish().runs) == ["ddp [rank0]", "ddp [rank1]"]
    store.mark_vanished("ddp")
    assert all(run.vanished for run in store.publish().runs.values())
    store.drop("ddp")
    assert dict(store.publish().runs) == {}


def test_store_uses_unchanged_series_of_a_writer_again() -> None:
    store = Store()
    stage = store.stage("ddp")
    tags = {"loss": timed(range(5)), "other": timed(range(5))}
    late = {tag: [(step, time + 0.5) for step, time in points] for tag, points in tags.items()}
    before = store.put(run_of({RANKS[0]: tags, RANKS[1]: late}, stage=stage))
    stage.append_scalars("loss", np.array([9]), np.array([9.0]), np.ones(1), file=1)
    after = store.put(stage.snapshot())
    assert after[0].series["other"] is before[0].series["other"]
    assert after[1].series["loss"].steps.tolist() == [0, 1, 2, 3, 4, 9]
