"""Collect the tags of runs for a print; health and pace, which take time, are skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.viewstate.facts import FactsCache, RunFacts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot


class TagFacts(FactsCache):
    """Facts without anomalies and pace, recomputed for runs that have changed."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[str, tuple[int, RunFacts]] = {}

    def of(self, snapshot: StoreSnapshot, now: float | None = None) -> Mapping[str, RunFacts]:  # noqa: ARG002 - see there
        """Return the facts of every run of a snapshot by run name."""
        before, self._known = self._known, {}
        for name, run in snapshot.runs.items():
            known = before.get(name)
            self._known[name] = (
                known if known is not None and known[0] == run.revision else (run.revision, _facts_of(run))
            )
        return {name: facts for name, (_, facts) in self._known.items()}


def _facts_of(run: RunSnapshot) -> RunFacts:
    tags: dict[str, set[str]] = {}
    values = 0
    for tag, series in run.series.items():
        if size := len(series):
            values += size
            tags.setdefault(series.metadata.plugin_name, set()).add(tag)
    held = {plugin: frozenset(names) for plugin, names in tags.items()}
    return RunFacts(held, values, None, run.last_wall_time, vanished=run.vanished)
