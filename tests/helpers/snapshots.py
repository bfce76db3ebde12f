"""Make snapshots of a store, for tests that need no file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.store.snapshot import EventFile, Metadata, ReferenceSeries, RunSnapshot, ScalarSeries, StoreSnapshot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.store.snapshot import Series

START = 1_790_000_000.0
"""Wall time of the first event, seconds since the epoch."""


def scalars(run: str, tag: str, values: Sequence[float], *, start: float = START, revision: int = 1) -> ScalarSeries:
    """Return a series with one value per second at steps 0, 1, 2 …"""
    count = len(values)
    return ScalarSeries(
        run,
        tag,
        Metadata("scalars", data_class=1),
        revision,
        np.arange(count, dtype=np.int64),
        start + np.arange(count, dtype=np.float64),
        np.asarray(values, np.float64),
    )


def references(run: str, tag: str, plugin: str, count: int = 3) -> ReferenceSeries:
    """Return a series of references at steps 0, 1, 2 …"""
    zeros = np.zeros(count, np.int64)
    steps = np.arange(count, dtype=np.int64)
    narrow = np.zeros(count, np.int32)
    return ReferenceSeries(run, tag, Metadata(plugin), 1, steps, START + steps, narrow, zeros, zeros, narrow)


def run(
    name: str,
    tags: Mapping[str, Sequence[float]] | None = None,
    *,
    others: Sequence[Series] = (),
    revision: int = 1,
    last: float | None = None,
    vanished: bool = False,
    problem: str | None = None,
) -> RunSnapshot:
    """Return a run of scalar tags with one healthy file whose last event is at `last` (seconds since the epoch)."""
    held: dict[str, Series] = {tag: scalars(name, tag, values) for tag, values in (tags or {}).items()}
    held.update({series.tag: series for series in others})
    end = START + 100 if last is None else last
    file = EventFile(f"/logs/{name}/events.out.tfevents.1", 1000, 10, None, START, end, "ok")
    return RunSnapshot(name, revision, held, (file,), vanished, problem)


def store(*runs: RunSnapshot, revision: int = 1) -> StoreSnapshot:
    """Return a snapshot of these runs."""
    return StoreSnapshot(revision, {r.name: r for r in runs})


def plain_store(names: Sequence[str], tags: Sequence[str] = ("loss/train", "loss/val", "acc")) -> StoreSnapshot:
    """Return a snapshot of runs with the same tags, three values each."""
    return store(*(run(name, dict.fromkeys(tags, (3.0, 2.0, 1.0))) for name in names))
