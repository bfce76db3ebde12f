"""What the app's own lines and trees need to know of each run, worked out once per revision of the run."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.store.snapshot import ScalarSeries
from tbtui.viewstate.health import pace_of
from tbtui.viewstate.trouble import trouble_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot
    from tbtui.viewstate.health import Pace
    from tbtui.viewstate.trouble import Trouble


@frozen
class RunFacts:
    """One run at one revision."""

    tags: Mapping[str, frozenset[str]]
    """Plugin name to the tags that hold values of it."""

    values: int
    """How many it holds, of all plugins."""

    last_step: int | None
    last_wall_time: float | None
    """Of its latest event by its own clock, seconds since the epoch."""

    trouble: Trouble | None = None
    pace: Pace | None = None
    vanished: bool = False
    arrived: float | None = None
    """When the latest of its values was found, seconds since the epoch; None where that was before anyone looked."""

    @property
    def last_is_nan(self) -> bool:
        """Whether the last value of any scalar tag is NaN."""
        return self.trouble is not None and self.trouble.kind == "nan"


def facts_of(run: RunSnapshot) -> RunFacts:
    """Look through all series of `run`."""
    tags: dict[str, list[str]] = {}
    scalars: list[ScalarSeries] = []
    values = 0
    last_step: int | None = None
    # Tens of thousands of series pass here in a frame while logs are being loaded.
    for tag, series in run.series.items():
        if size := series.steps.size:
            values += size
            step = series.steps.item(-1)
            if last_step is None or step > last_step:
                last_step = step
            plugin = series.metadata.plugin_name
            if plugin in tags:
                tags[plugin].append(tag)
            else:
                tags[plugin] = [tag]
            if isinstance(series, ScalarSeries):
                scalars.append(series)
    frozen = {plugin: frozenset(names) for plugin, names in tags.items()}
    trouble, pace = trouble_of(scalars), pace_of(scalars)
    return RunFacts(frozen, values, last_step, run.last_wall_time, trouble, pace, run.vanished)


class FactsCache:
    """Facts of the runs of the latest snapshot; a live update works out those of the runs that changed, no others."""

    def __init__(self) -> None:
        self._snapshot: StoreSnapshot | None = None
        self._facts: Mapping[str, RunFacts] = {}

    def of(self, snapshot: StoreSnapshot, now: float | None = None) -> Mapping[str, RunFacts]:
        """Run name to facts, for every run of `snapshot`; for the same snapshot the same object.

        Args:
            snapshot: What there is.
            now: When it was taken, seconds since the epoch: what is new in it arrived then. None while what was there
                before is still being read.
        """
        if snapshot is not self._snapshot:
            self._facts = {name: self._look_at(run, now) for name, run in snapshot.runs.items()}
            self._snapshot = snapshot
        return self._facts

    def _look_at(self, run: RunSnapshot, now: float | None) -> RunFacts:
        before = None if self._snapshot is None else self._snapshot.runs.get(run.name)
        if before is None:
            return replace(facts_of(run), arrived=now)
        known = self._facts[run.name]
        if before.revision == run.revision:
            return known
        facts = facts_of(run)
        return replace(facts, arrived=known.arrived if facts.values == known.values else now)


def tags_of(facts: Mapping[str, RunFacts], runs: tuple[RunSnapshot, ...], plugins: frozenset[str]) -> frozenset[str]:
    """All tags of `plugins` that the given runs hold; for the same facts and runs the same object."""
    held = (facts[run.name].tags.get(plugin) for run in runs for plugin in plugins)
    return _union(tuple(tags for tags in held if tags))


@lru_cache(maxsize=4)
def _union(held: tuple[frozenset[str], ...]) -> frozenset[str]:
    # Comparing is quick: the sets of runs that did not change are the same objects.
    return frozenset().union(*held)
