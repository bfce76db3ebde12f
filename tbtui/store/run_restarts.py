"""Find the restarts of a run by its longest tags, and let its other tags follow them (`docs/points.md`).

A tag that is logged once per session, or every 100 steps, does not show by itself that the training went back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.store.restarts import RunRestart
from tbtui.store.run_series import RunSeries
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tbtui.store.snapshot import RunSnapshot, Series

MAX_LONGEST_TAGS = 16
"""Number of the longest tags by which the restarts of a run are judged: all 5,000 tags of a run say the same."""

MIN_RESTARTED_SHARE = 0.5
"""A run has restarted if tags with this share of the scalars went back together; others count epochs or batches."""

MAX_RESTARTS = 100
"""Maximum number of restarts of a tag that count for the run, the first ones."""


class CommonRestart(NamedTuple):
    """Restarts of several tags at one time."""

    wall_time: float
    """Wall time of the first point after it."""

    indices: Mapping[str, int]
    """First point after it of each tag that went back."""


def find_common_restarts(point_counts: Mapping[str, int], series: Iterable[Series]) -> list[CommonRestart]:
    """Return the restarts of a run that tags with at least half of its points share, in order of time.

    Restarts of several tags that are neighbours in time are one, as in `run_health.history`.

    Args:
        point_counts: Number of points of each tag that takes part in the comparison.
        series: The series whose restarts are searched.
    """
    restarts = sorted(
        (float(each.wall_times[index]), each.tag, int(index))
        for each in series
        for index in each.restart_indices[:MAX_RESTARTS].tolist()
    )
    groups: list[CommonRestart] = []
    indices: dict[str, int] = {}
    for wall_time, tag, index in restarts:
        if not groups or tag in indices:
            indices = {}
            groups.append(CommonRestart(wall_time, indices))
        indices[tag] = index
    min_points = MIN_RESTARTED_SHARE * sum(point_counts.values())
    return [group for group in groups if sum(point_counts.get(tag, 0) for tag in group.indices) >= min_points]


def share_restarts(run: RunSnapshot, former: RunSnapshot | None = None) -> RunSnapshot:
    """Return the run with series that follow its restarts; the run itself if it has none.

    Args:
        run: A run of one writer.
        former: An earlier result, whose unchanged series are used again.
    """
    if not run.has_descents or len(run.series) < 2:
        return run
    restarts = _find_restarts(run)
    if not restarts:
        return run
    since = run.revision
    former_series: Mapping[str, Series] = {}
    if former is not None and _is_continuation(run, former) and former.restarts == restarts:
        since, former_series = former.restarts_revision, former.series
    series: Mapping[str, Series]
    if isinstance(run.series, RunSeries):
        others = {tag: _add_restarts(each, restarts, since, former_series) for tag, each in run.series.others.items()}
        created = (
            former_series.created
            if isinstance(former_series, _TableWithRestarts) and former_series.table is run.series.table
            else {}
        )
        series = _TableWithRestarts(run.series, others, restarts, since, created)
    elif isinstance(run.series, MappingProxyType | dict):
        series = MappingProxyType(
            {tag: _add_restarts(each, restarts, since, former_series) for tag, each in run.series.items()}
        )
    else:
        series = _SeriesWithRestarts(run.series, restarts, since)
    return replace(run, series=series, restarts=restarts, restarts_revision=since)


def _is_continuation(run: RunSnapshot, former: RunSnapshot) -> bool:
    """Return True if a run has the points of a former one, and the same files first."""
    paths = [file.path for file in former.files]
    return run.reading == former.reading and [file.path for file in run.files[: len(paths)]] == paths


def _find_restarts(run: RunSnapshot) -> tuple[RunRestart, ...]:
    """Return the restarts of a run."""
    longest = select_longest_scalars(run)
    point_counts = {series.tag: len(series) for series in longest}
    common = find_common_restarts(point_counts, longest)
    return tuple(_build_run_restart(run, restart) for restart in common if math.isfinite(restart.wall_time))


def select_longest_scalars(run: RunSnapshot) -> list[ScalarSeries]:
    """Return the `MAX_LONGEST_TAGS` longest scalars of a run, of equally long ones the first by name."""
    lengths: list[tuple[int, str]] = []
    if isinstance(run.series, RunSeries):
        table, others = run.series.table, run.series.others
        counts = zip(table.counts.tolist(), table.tags.names, strict=True)
        lengths += [(-count, tag) for count, tag in counts if count and tag not in others]
        lengths += [(-len(series), tag) for tag, series in others.items() if isinstance(series, ScalarSeries)]
    else:
        lengths += [(-len(series), tag) for tag, series in run.series.items() if isinstance(series, ScalarSeries)]
    chosen = (run.series[tag] for _, tag in sorted(lengths)[:MAX_LONGEST_TAGS])
    return [series for series in chosen if isinstance(series, ScalarSeries)]


def _build_run_restart(run: RunSnapshot, restart: CommonRestart) -> RunRestart:
    """Return the restart of a run, given that of its longest tags.

    It is at the beginning of a file if the longest of these tags has its first point of this file there: what a session
    logs before that tag belongs to the session.
    """
    tag = max(restart.indices, key=lambda tag: (len(run.series[tag]), tag))
    series, index = run.series[tag], restart.indices[tag]
    wall_time = restart.wall_time
    parts = series.file_parts
    if parts is not None:
        part = int(np.searchsorted(parts.starts, index, "right")) - 1
        file = int(parts.files[part])
        is_first = int(parts.starts[part]) == index and file not in parts.files[:part].tolist()
        file_wall_time = run.files[file].first_wall_time if is_first and file < len(run.files) else None
        if file_wall_time is not None and float(series.wall_times[index - 1]) < file_wall_time < wall_time:
            wall_time = file_wall_time
    step = int(series.steps[index])
    following = int(series.steps[index + 1]) if index + 1 < len(series) else step
    # Other tags may have gone back by up to one stride of the longest tag more.
    return RunRestart(wall_time, step - max(following - step, 0))


def _add_restarts(
    series: Series, restarts: tuple[RunRestart, ...], since: int, former_series: Mapping[str, Series]
) -> Series:
    """Return a series that follows the restarts of its run since a revision; the former one if it has not changed."""
    revision = max(series.revision, since)
    former = former_series.get(series.tag)
    if former is not None and former.revision == revision:
        return former
    return replace(series, run_restarts=restarts, revision=revision)


class _TableWithRestarts(RunSeries):
    """Series of a run with a table; each follows the restarts of the run."""

    def __init__(
        self,
        run_series: RunSeries,
        others: Mapping[str, Series],
        restarts: tuple[RunRestart, ...],
        since: int,
        created: dict[str, Series],
    ) -> None:
        super().__init__(run_series.table, self._create_series, others, run_series.names, created)
        self.created = created
        self._run_series, self._restarts, self._since = run_series, restarts, since

    def _create_series(self, number: int) -> Series:
        series = self._run_series[self.table.tags.names[number]]
        if self.table.files is None and self.table.is_ascending[number]:
            return series
        return _add_restarts(series, self._restarts, self._since, {})


class _SeriesWithRestarts(Mapping[str, "Series"]):
    """Series of a run without a table; each is created at each access, so that only one is in memory."""

    def __init__(self, run_series: Mapping[str, Series], restarts: tuple[RunRestart, ...], since: int) -> None:
        self._run_series, self._restarts, self._since = run_series, restarts, since

    def __len__(self) -> int:
        return len(self._run_series)

    def __iter__(self) -> Iterator[str]:
        return iter(self._run_series)

    def __getitem__(self, tag: str) -> Series:
        return _add_restarts(self._run_series[tag], self._restarts, self._since, {})
