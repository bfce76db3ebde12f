"""What the sidebar and the status line need to know of each run, worked out once per revision of the run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot


@dataclass(frozen=True, slots=True)
class RunFacts:
    """One run at one revision."""

    tags: Mapping[str, frozenset[str]]
    """Plugin name to the tags that hold values of it."""

    last_is_nan: bool
    """Whether the last value of any scalar tag is NaN."""

    last_step: int | None
    last_wall_time: float | None
    """Seconds since the epoch."""


def facts_of(run: RunSnapshot) -> RunFacts:
    """Look through all series of `run`."""
    tags: dict[str, list[str]] = {}
    last_values = []
    # Tens of thousands of series pass here in a frame while logs are being loaded.
    for tag, series in run.series.items():
        if series.steps.size:
            plugin = series.metadata.plugin_name
            if plugin in tags:
                tags[plugin].append(tag)
            else:
                tags[plugin] = [tag]
            if isinstance(series, ScalarSeries):
                last_values.append(series.values[-1])
    frozen = {plugin: frozenset(names) for plugin, names in tags.items()}
    return RunFacts(frozen, any(map(math.isnan, last_values)), run.last_step, run.last_wall_time)


class FactsCache:
    """Facts of the runs of the latest snapshot; a live update works out those of the runs that changed, no others."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, RunFacts]] = {}

    def of(self, snapshot: StoreSnapshot) -> Mapping[str, RunFacts]:
        """Run name to facts, for every run of `snapshot`."""
        known: dict[str, tuple[int, RunFacts]] = {}
        for name, run in snapshot.runs.items():
            held = self._known.get(name)
            known[name] = held if held is not None and held[0] == run.revision else (run.revision, facts_of(run))
        self._known = known
        return {name: facts for name, (_, facts) in known.items()}


def tags_of(facts: Mapping[str, RunFacts], runs: tuple[RunSnapshot, ...], plugins: frozenset[str]) -> frozenset[str]:
    """All tags of `plugins` that the given runs hold."""
    held = (facts[run.name].tags.get(plugin) for run in runs for plugin in plugins)
    return frozenset().union(*(tags for tags in held if tags))
