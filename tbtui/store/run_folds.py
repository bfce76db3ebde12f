"""Fold runs that only describe the run above into it, so that a training is one line everywhere.

PyTorch's `add_hparams` and Keras write the hyperparameters of a training into a run of their own below it. Which runs
these are is the business of a dashboard; this module joins the snapshots.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.store.restarts import FileParts
from tbtui.store.run_series import with_series
from tbtui.store.snapshot import ReferenceSeries, RunSnapshot, StoreSnapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tbtui.store.snapshot import Series

    FindFolds: TypeAlias = Callable[[Mapping[str, RunSnapshot]], Mapping[str, str]]
    """Returns the run that each run is folded into, by name; that run need not exist."""

FoldRuns: TypeAlias = Literal["yes", "no"]

NO_RUNS: frozenset[str] = frozenset()


class RunFolder:
    """Folds the runs of one snapshot after the other; only changed runs are joined again.

    Args:
        finders: Functions of dashboards that find the runs to fold.
    """

    def __init__(self, finders: Iterable[FindFolds]) -> None:
        self._finders = tuple(finders)
        self._joined: dict[str, tuple[tuple[RunSnapshot, ...], RunSnapshot]] = {}
        self._snapshot = self._result = StoreSnapshot()
        self._unfolded = NO_RUNS

    def fold(self, snapshot: StoreSnapshot, unfolded: frozenset[str] = NO_RUNS) -> StoreSnapshot:
        """Return the snapshot with its runs folded; the same object for the same arguments.

        Args:
            snapshot: The runs as stored.
            unfolded: Names of runs into which no run is folded.
        """
        if snapshot is not self._snapshot or unfolded != self._unfolded:
            self._snapshot, self._unfolded = snapshot, unfolded
            self._result = self._fold(snapshot, unfolded)
        return self._result

    def _fold(self, snapshot: StoreSnapshot, unfolded: frozenset[str]) -> StoreSnapshot:
        target_of: dict[str, str] = {}
        for find in self._finders:
            target_of.update(find(snapshot.runs))
        below: dict[str, list[RunSnapshot]] = {}
        for name, above in target_of.items():
            if above not in unfolded:
                below.setdefault(above, []).append(snapshot.runs[name])
        former, self._joined = self._joined, {}
        if not below:
            return snapshot
        runs: dict[str, RunSnapshot] = {}
        for name, run in snapshot.runs.items():
            target = target_of.get(name)
            if target in below and target in snapshot.runs:
                continue
            own = name if target not in below or target is None else target
            if own in runs:
                continue
            parts = (*((snapshot.runs[own],) if own in snapshot.runs else ()), *below.get(own, ()))
            if len(parts) == 1 and own == name:
                runs[name] = run
                continue
            known = former.get(own)
            if known is None or known[0] != parts:
                known = parts, join_runs(own, parts)
            self._joined[own] = known
            runs[own] = known[1]
        return replace(snapshot, runs=MappingProxyType(runs))


def join_runs(name: str, parts: Sequence[RunSnapshot]) -> RunSnapshot:
    """Return one run with the series and files of several.

    Args:
        name: Its name.
        parts: The runs as stored; of several series of a tag that of the first run counts.
    """
    first, *others = parts
    series, extra = first.series, dict[str, "Series"]()
    if first.name != name:
        series = MappingProxyType({tag: replace(own, run=name) for tag, own in series.items()})
    count = len(first.files)
    for other in others:
        for tag, own in other.series.items():
            if tag not in series and tag not in extra:
                extra[tag] = _move_series(own, name, count)
        count += len(other.files)
    return replace(
        first,
        name=name,
        revision=sum(part.revision for part in parts),
        series=with_series(series, extra),
        files=tuple(file for part in parts for file in part.files),
        vanished=all(part.vanished for part in parts),
        problem=next((part.problem for part in parts if part.problem is not None), None),
        reading=sum(part.reading for part in parts),
        set_aside=tuple(copy for part in parts for copy in part.set_aside),
        has_descents=any(part.has_descents for part in parts),
        folded=tuple(parts),
    )


def _move_series(series: Series, run: str, files: int) -> Series:
    """Return a series of another run, whose files follow `files` others."""
    if isinstance(series, ReferenceSeries):
        return replace(series, run=run, files=series.files + np.int32(files))
    parts = series.parts or FileParts(np.zeros(1, np.int64), np.zeros(1, np.int32))
    return replace(series, run=run, parts=FileParts(parts.starts, parts.files + np.int32(files)))


def iter_covered_runs(run: RunSnapshot) -> Iterator[RunSnapshot]:
    """Yield the runs folded into a run with the series of which it shows another one of the same tag.

    PyTorch's `add_hparams` writes the last accuracy of a training under the tag of its curve.
    """
    seen: set[str] = set()
    for part in run.folded:
        covered = {tag: series for tag, series in part.series.items() if tag in seen}
        seen.update(part.series)
        if covered:
            yield replace(part, series=covered)


def list_stored_runs(runs: Mapping[str, RunSnapshot]) -> Mapping[str, RunSnapshot]:
    """Return the runs as stored, folded ones among them."""
    if not any(run.folded for run in runs.values()):
        return runs
    return {part.name: part for run in runs.values() for part in run.folded or (run,)}


def list_stored_names(run: RunSnapshot) -> tuple[str, ...]:
    """Return the names of the runs that a run is made of, usually its own."""
    return tuple(part.name for part in run.folded) or (run.name,)
