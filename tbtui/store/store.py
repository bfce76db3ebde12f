"""All runs: one thread writes, any thread reads the latest snapshot without a lock."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from tbtui.store.snapshot import StoreSnapshot
from tbtui.store.stage import StagedRun

if TYPE_CHECKING:
    from tbtui.store.snapshot import RunSnapshot


class Store:
    """The runs of some log directories.

    The writer collects changes with `put`, `dim` and `drop` and makes them visible together with `publish`, which
    replaces one attribute: a reader sees all of a change or nothing of it, and never waits.
    """

    def __init__(self) -> None:
        self._revisions = itertools.count(1)
        self._runs: dict[str, RunSnapshot] = {}
        self._ordered = True
        self._snapshot = StoreSnapshot()

    @property
    def snapshot(self) -> StoreSnapshot:
        """The latest published state."""
        return self._snapshot

    def stage(self, name: str) -> StagedRun:
        """Begin to write a run; it replaces the one of that name when its first commit is `put`."""
        return StagedRun(name, self._revisions)

    def put(self, run: RunSnapshot) -> None:
        """Add a run, or put a newer snapshot in the place of the one of that name."""
        held = self._runs.get(run.name)
        if held is None or held.first_wall_time != run.first_wall_time:
            self._ordered = False
        self._runs[run.name] = run

    def dim(self, name: str) -> None:
        """Mark a run as vanished: its directory or its files are gone, what was read is still shown."""
        run = self._runs.get(name)
        if run is not None and not run.vanished:
            self._runs[name] = replace(run, vanished=True, revision=next(self._revisions))

    def drop(self, name: str) -> None:
        """Forget a run."""
        self._runs.pop(name, None)

    def publish(self) -> StoreSnapshot:
        """Make everything collected visible.

        Runs are ordered by start time, then name, those without a start time last: TensorBoard's order, in which a
        run that appears later does not move the ones before it.
        """
        if not self._ordered:
            self._runs = {run.name: run for run in sorted(self._runs.values(), key=_start)}
            self._ordered = True
        self._snapshot = StoreSnapshot(next(self._revisions), MappingProxyType(self._runs.copy()))
        return self._snapshot


def _start(run: RunSnapshot) -> tuple[float, str]:
    start = run.first_wall_time
    return (math.inf if start is None or math.isnan(start) else start, run.name)
