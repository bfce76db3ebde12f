"""Summaries of runs at one revision: their tags, last step, pace and trouble; cached from snapshot to snapshot."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.run_health.anomalies import find_anomaly
from tbtui.run_health.pace import Pace, estimate_pace
from tbtui.store.run_series import ScalarEnds, get_plain_table, layout_in, list_other_series
from tbtui.store.scalar_table import SCALARS
from tbtui.store.snapshot import PROFILE, RUN_METADATA, ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tbtui.run_health.anomalies import Anomaly
    from tbtui.store.scalar_table import SeriesLayout
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot


NO_TAGS: Mapping[str, frozenset[str]] = MappingProxyType({})


@frozen
class RunSummary:
    """Summary of one run at one revision, for status lines and trees."""

    tags: Mapping[str, frozenset[str]]
    """Plugin name to the tags with values."""

    values: int
    """Number of values of all plugins."""

    last_step: int | None
    last_wall_time: float | None
    """Time of its latest event by its own clock, seconds since the epoch."""

    trouble: Anomaly | None = None
    pace: Pace | None = None
    vanished: bool = False
    modified: float | None = None
    """Time of the last modification of its files by the clock of the file system, seconds since the epoch."""

    arrived: float | None = None
    """Time at which its latest values were found, seconds since the epoch; None: they were there before the program
    started."""

    @property
    def last_is_nan(self) -> bool:
        """Return True if the last value of any scalar tag is NaN."""
        return self.trouble is not None and self.trouble.kind == "nan"


def summarize_run(run: RunSnapshot) -> RunSummary:
    """Return the summary of a run from all its series."""
    if not run.series and not run.assets:
        # While thousands of runs are read, most are known by name alone.
        return RunSummary(NO_TAGS, 0, None, run.last_wall_time, None, None, run.vanished, run.modified)
    contents = collect_contents(run)
    trouble, pace = find_anomaly(contents.ends), estimate_pace(contents.ends)
    last_step, last_wall_time = contents.last_step, run.last_wall_time
    tags, values = contents.tags, contents.values
    return RunSummary(tags, values, last_step, last_wall_time, trouble, pace, run.vanished, run.modified)


@frozen(eq=False)
class RunContents:
    """The tags and the number of values of a run."""

    tags: Mapping[str, frozenset[str]]
    """Plugin name to the tags with values."""

    values: int
    """Number of values of all plugins."""

    last_step: int | None
    """Greatest of the steps of the last values of all tags."""

    ends: ScalarEnds


def collect_contents(run: RunSnapshot) -> RunContents:
    """Return the contents of a run; in time that does not depend on its points."""
    layout = layout_in(run.series)
    if layout is not None and layout.has_single_values and RUN_METADATA not in layout.other_tags:
        return _find_single_contents(run, layout)
    table = get_plain_table(run.series)
    tags: dict[str, list[str]] = {}
    scalars: list[ScalarSeries] = []
    values = 0
    last_step: int | None = None
    # Tens of thousands of series pass here in a frame while logs are being loaded.
    for series in list_other_series(run.series):
        if size := series.steps.size:
            values += size
            step = series.steps.item(-1)
            if last_step is None or step > last_step:
                last_step = step
            plugin, tag = series.metadata.plugin_name, series.tag
            if plugin in tags:
                tags[plugin].append(tag)
            else:
                tags[plugin] = [tag]
            if isinstance(series, ScalarSeries):
                scalars.append(series)
    by_plugin = {plugin: _share_set(frozenset(names)) for plugin, names in tags.items()} | run.asset_tags
    if timed := frozenset(filter(run.has_times, tags.get(RUN_METADATA, ()))):
        by_plugin[PROFILE] = by_plugin.get(PROFILE, frozenset()) | timed
    if table is None or not len(table.steps):
        return RunContents(by_plugin, values, last_step, ScalarEnds.of_series(scalars))
    ends = ScalarEnds.of_table(table, run.series)
    furthest = int(ends.steps.max())
    names = table.tags.as_set if table.has_all else _share_set(frozenset(ends.names))
    return RunContents(
        {SCALARS: names, **by_plugin},
        values + len(table.steps),
        furthest if last_step is None else max(last_step, furthest),
        ends,
    )


def _find_single_contents(run: RunSnapshot, layout: SeriesLayout) -> RunContents:
    """Return the contents of a run with one value of each tag that is no scalar, as most runs of a search have."""
    by_plugin = {**layout.other_tags, **run.asset_tags} if run.assets else layout.other_tags
    steps = [series.steps.item(0) for series in list_other_series(run.series)]
    table = get_plain_table(run.series)
    if table is None or not len(table.steps):
        return RunContents(by_plugin, layout.other_values, max(steps, default=None), ScalarEnds.of_series([]))
    ends = ScalarEnds.of_table(table, run.series)
    names = table.tags.as_set if table.has_all else layout.counts.name_set
    furthest = ends.steps.item(0) if len(ends) == 1 else int(ends.steps.max())
    values = layout.other_values + len(table.steps)
    return RunContents({SCALARS: names, **by_plugin}, values, max((*steps, furthest)), ends)


@lru_cache(maxsize=256)
def _share_set(tags: frozenset[str]) -> frozenset[str]:
    """Return an equal set: runs that log alike have the same one, which is kept, joined and counted once."""
    return tags


class SummaryCache:
    """Summaries of the runs of the latest snapshot; a live update computes only those of changed runs."""

    def __init__(self) -> None:
        self._snapshot: StoreSnapshot | None = None
        self._summaries: Mapping[str, RunSummary] = {}
        self._prepared: dict[str, tuple[RunSnapshot, RunSummary]] = {}
        """Summaries that were computed before `of` needs them, each with its run."""

    def count_changed(self, snapshot: StoreSnapshot, max_count: int) -> int:
        """Return the number of runs of `snapshot` that `of` would summarise, at most `max_count`."""
        return sum(1 for _ in islice(self._find_changed(snapshot), max_count))

    def prepare(self, snapshot: StoreSnapshot) -> None:
        """Summarise the changed runs of a snapshot for `of`; on any thread."""
        for run in self._find_changed(snapshot):
            self._prepared[run.name] = run, summarize_run(run)

    def _find_changed(self, snapshot: StoreSnapshot) -> Iterator[RunSnapshot]:
        known: Mapping[str, RunSnapshot] = {} if self._snapshot is None else self._snapshot.runs
        for name, run in snapshot.runs.items():
            before = known.get(name)
            if before is None or before.revision != run.revision:
                yield run

    def of(self, snapshot: StoreSnapshot, now: float | None = None) -> Mapping[str, RunSummary]:
        """Return run name to summary for every run of `snapshot`; the same object for the same snapshot.

        Args:
            snapshot: The snapshot.
            now: Time of the snapshot, seconds since the epoch: new data in it arrived then. None during the initial
                load.
        """
        if snapshot is not self._snapshot:
            self._summaries = {name: self._get_summary(run, now) for name, run in snapshot.runs.items()}
            self._snapshot = snapshot
        return self._summaries

    def _get_summary(self, run: RunSnapshot, now: float | None) -> RunSummary:
        before = None if self._snapshot is None else self._snapshot.runs.get(run.name)
        if before is None:
            summary = self._summarize(run)
            return summary if now is None else replace(summary, arrived=now)
        cached = self._summaries[run.name]
        if before.revision == run.revision:
            return cached
        summary = self._summarize(run)
        return replace(summary, arrived=cached.arrived if summary.values == cached.values else now)

    def _summarize(self, run: RunSnapshot) -> RunSummary:
        of_run, summary = self._prepared.pop(run.name, (None, None))
        return summary if summary is not None and of_run is run else summarize_run(run)


def collect_tags(
    summaries: Mapping[str, RunSummary], runs: tuple[RunSnapshot, ...], plugins: frozenset[str]
) -> frozenset[str]:
    """Return all tags of `plugins` that the given runs hold; the same object for the same summaries and runs."""
    tag_sets = (summaries[run.name].tags.get(plugin) for run in runs for plugin in plugins)
    return _union_by_plugin(tuple(tags for tags in tag_sets if tags))


@lru_cache(maxsize=4)
def _union_by_plugin(tag_sets: tuple[frozenset[str], ...]) -> frozenset[str]:
    # Comparing is quick: the sets of runs that did not change are the same objects.
    return unite_tags(tag_sets)


def unite_tags(tag_sets: Iterable[frozenset[str]]) -> frozenset[str]:
    """Return the union of sets of tags, which is the largest set itself if it contains all others.

    Runs that log alike share one set: with a thousand runs of ten thousand tags each, hardly any other is read.
    """
    distinct = {id(tags): tags for tags in tag_sets}.values()
    largest = max(distinct, key=len, default=_NO_TAGS)
    others = [tags for tags in distinct if tags is not largest and not tags <= largest]
    return largest.union(*others) if others else largest


_NO_TAGS: frozenset[str] = frozenset()
