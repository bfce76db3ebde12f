"""Readable runs with numbered ones joined (`store.run_chains`)."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from tbtui.loading.discovery import FoundRun
from tbtui.store.run_chains import RunJoiner, chains_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tbtui.loading.assets import RunAssets
    from tbtui.loading.lazy_runs import ReadableRuns
    from tbtui.loading.state import FileProblem
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot


class ChainedRuns:
    """Joins numbered runs; the members of a chain are read together."""

    def __init__(self, runs: ReadableRuns) -> None:
        self._runs = runs
        self._joiner = RunJoiner()

    @property
    def found(self) -> dict[str, FoundRun]:
        """All runs by name, sorted by name, with each chain in place of its members."""
        runs, chains = self._runs.found, self._chains
        joined = {name for members in chains.values() for name in members}
        listed = {name: run for name, run in runs.items() if name not in joined}
        for chain, members in chains.items():
            files = tuple(path for name in members for path in runs[name].files)
            listed[chain] = FoundRun(chain, str(PurePath(runs[members[0]].directory).parent), files)
        return dict(sorted(listed.items()))

    @property
    def _chains(self) -> dict[str, tuple[str, ...]]:
        return chains_of(self._runs.found)

    @property
    def cache_failure(self) -> str | None:
        return self._runs.cache_failure

    @property
    def assets(self) -> tuple[RunAssets, ...]:
        return self._runs.assets

    def get(self, name: str) -> RunSnapshot | None:
        members = self._chains.get(name)
        if members is None:
            return self._runs.get(name)
        read = [self._runs.get(member) for member in members]
        runs = [run for run in read if run is not None]
        return next(iter(self._joiner.run(name, runs))) if len(runs) == len(members) else None

    def read(self, names: Iterable[str]) -> None:
        self._runs.read(self._members(names))

    def snapshot(self, names: Iterable[str]) -> StoreSnapshot:
        """Read the named runs if necessary, and return all runs read so far in store order."""
        return self._joiner.join(self._runs.snapshot(self._members(names)), "numbered")

    def refresh(self) -> bool:
        return self._runs.refresh()

    def problems(self, name: str | None = None) -> tuple[FileProblem, ...]:
        members = () if name is None else self._chains.get(name, ())
        if not members:
            return self._runs.problems(name)
        return tuple(problem for member in members for problem in self._runs.problems(member))

    def _members(self, names: Iterable[str]) -> list[str]:
        chains = self._chains
        return [member for name in names for member in chains.get(name, (name,))]
