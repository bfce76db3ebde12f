"""Split runs on request at their restarts or by file, into lines of their own (`docs/points.md`)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.store.file_merge import make_monotone
from tbtui.store.restarts import FileParts
from tbtui.store.run_restarts import find_common_restarts
from tbtui.store.snapshot import ScalarSeries, StoreSnapshot
from tbtui.store.writers import FilePart, label_files, with_assets_once

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.store.run_restarts import CommonRestart
    from tbtui.store.snapshot import RunSnapshot, Series

SplitRuns: TypeAlias = Literal["no", "restarts", "files"]

MAX_PARTS = 100
"""Maximum number of parts of a run; the last one has the rest."""


class RunSplitter:
    """Splits the runs of one snapshot after the other; only changed runs are split again."""

    def __init__(self) -> None:
        self._how: SplitRuns = "no"
        self._parts: dict[str, tuple[RunSnapshot, tuple[RunSnapshot, ...]]] = {}
        self._snapshot = self._result = StoreSnapshot()

    def split(self, snapshot: StoreSnapshot, how: SplitRuns) -> StoreSnapshot:
        """Return the snapshot with its runs split; the same object for the same arguments."""
        if how == "no":
            return snapshot
        if how != self._how:
            self._how = how
            self._parts.clear()
        elif snapshot is self._snapshot:
            return self._result
        former, self._parts = self._parts, {}
        for name, run in snapshot.runs.items():
            known = former.get(name)
            parts = known[1] if known is not None and known[0] is run else split_run(run, how)
            self._parts[name] = run, parts
        runs = {part.name: part for _, parts in self._parts.values() for part in parts}
        self._snapshot, self._result = snapshot, StoreSnapshot(snapshot.revision, MappingProxyType(runs))
        return self._result


def split_snapshot(snapshot: StoreSnapshot, how: SplitRuns) -> StoreSnapshot:
    """Return the snapshot with its runs split at restarts or by file."""
    return RunSplitter().split(snapshot, how)


def split_run(run: RunSnapshot, how: SplitRuns) -> tuple[RunSnapshot, ...]:
    """Return the parts of a run in order of time, numbered or named by file; a run without parts is returned itself."""
    if how == "files":
        return _split_by_file(run)
    return _split_at_restarts(run) if how == "restarts" else (run,)


def _split_by_file(run: RunSnapshot) -> tuple[RunSnapshot, ...]:
    if len(run.files) < 2:
        return (run,)
    parts = []
    for file, label in enumerate(label_files([each.path for each in run.files])):
        part = FilePart(f"{run.name} [{label}]", (file,))
        series = {tag: own for tag, full_series in run.series.items() if len(own := part.of(full_series))}
        if series:
            parts.append(replace(run, name=part.name, series=MappingProxyType(series), files=(run.files[file],)))
    return with_assets_once(parts) if len(parts) > 1 else (run,)


def _split_at_restarts(run: RunSnapshot) -> tuple[RunSnapshot, ...]:
    cuts = _find_cuts(run)[: MAX_PARTS - 1]
    if not cuts:
        return (run,)
    pieces: list[dict[str, Series]] = [{} for _ in range(len(cuts) + 1)]
    for tag, series in run.series.items():
        for piece, (start, end) in zip(pieces, pairwise(_find_bounds(series, cuts)), strict=True):
            if end > start:
                piece[tag] = _cut_series(series, start, end)
    starts = [run.first_wall_time, *(cut.wall_time for cut in cuts)]
    ends = [*(cut.wall_time for cut in cuts), run.last_wall_time]
    return with_assets_once(
        _build_part(run, f"{run.name} [start {number}]", piece, span)
        for number, (piece, span) in enumerate(zip(pieces, zip(starts, ends, strict=True), strict=True), 1)
        if piece
    )


def _cut_series(series: Series, start: int, end: int) -> Series:
    part = series.part(slice(start, end))
    if not isinstance(part, ScalarSeries) or series.file_parts is None:
        return part
    return replace(part, parts=FileParts.of(series.file_parts.find_files(len(series))[start:end]))


def _build_part(
    run: RunSnapshot, name: str, series_by_tag: Mapping[str, Series], span: tuple[float | None, float | None]
) -> RunSnapshot:
    files: set[int] = set()
    for series in series_by_tag.values():
        parts = series.file_parts
        files.update([0] if parts is None else parts.files.tolist())
    part = FilePart(name, tuple(sorted(files)))
    own = MappingProxyType({tag: part.of(series) for tag, series in series_by_tag.items()})
    return replace(
        run, name=name, series=own, files=tuple(run.files[file] for file in part.files[: len(run.files)]), span=span
    )


def _find_cuts(run: RunSnapshot) -> list[CommonRestart]:
    lengths = {tag: len(series) for tag, series in run.series.items()}
    scalars = {tag: lengths[tag] for tag, series in run.series.items() if isinstance(series, ScalarSeries)}
    return find_common_restarts(scalars or lengths, run.series.values())


def _find_bounds(series: Series, cuts: Sequence[CommonRestart]) -> list[int]:
    """Return the index of the first point of each part, and the number of points."""
    times = make_monotone(series.wall_times)
    bounds = [
        cut.indices.get(series.tag, int(np.searchsorted(times, cut.wall_time))) if len(series) else 0 for cut in cuts
    ]
    return [0, *np.maximum.accumulate(np.array(bounds)).tolist(), len(series)]
