"""Readable runs that are derived from the stored ones: folded or chained, as options of `tbtui.open` require.

Imported only with such an option.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from tbtui.loading.discovery import FoundRun
from tbtui.plugins.registry import run_folder
from tbtui.store.run_chains import RunJoiner, find_chains
from tbtui.store.run_folds import list_stored_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tbtui.loading.assets import RunAssets
    from tbtui.loading.lazy_runs import ReadableRuns
    from tbtui.loading.state import FileProblem
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot


class FoldedRuns:
    """Folds runs that only hold hyperparameters into the run above. All are read at once, since their contents decide.

    Args:
        runs: The runs as stored.
    """

    def __init__(self, runs: ReadableRuns) -> None:
        self._runs = runs
        self._folder = run_folder()
        self._fold_runs()

    def _fold_runs(self) -> None:
        self._snapshot = self._folder.fold(self._runs.snapshot(self._runs.found))
        self._stored_names = {name: list_stored_names(run) for name, run in self._snapshot.runs.items()}
        found_runs = self._runs.found
        self._found = {
            name: found_runs[names[0]]._replace(name=name) for name, names in sorted(self._stored_names.items())
        }

    @property
    def found(self) -> dict[str, FoundRun]:
        """All runs by name, sorted by name; replaced on change, never modified."""
        return self._found

    @property
    def cache_failure(self) -> str | None:
        return self._runs.cache_failure

    @property
    def assets(self) -> tuple[RunAssets, ...]:
        return self._runs.assets

    def get(self, name: str) -> RunSnapshot | None:
        """Return a run; None if there is none."""
        return self._snapshot.runs.get(name)

    def read(self, names: Iterable[str]) -> None:
        """Do nothing: all runs are read."""

    def snapshot(self, names: Iterable[str]) -> StoreSnapshot:  # noqa: ARG002 - all runs are read
        """Return all runs."""
        return self._snapshot

    def refresh(self) -> bool:
        """Find and read what was added; return True if anything changed."""
        previous_names = tuple(self._runs.found)
        changed = self._runs.refresh()
        if changed or previous_names != tuple(self._runs.found):
            self._fold_runs()
        return changed

    def problems(self, name: str | None = None) -> tuple[FileProblem, ...]:
        """Return the damage in the files of one run, or of all runs together with unreadable directories."""
        if name is None:
            return self._runs.problems()
        return tuple(
            problem for stored in self._stored_names.get(name, (name,)) for problem in self._runs.problems(stored)
        )


class ChainedRuns:
    """Joins numbered runs into chains (`store.run_chains`); the members of a chain are read together.

    Args:
        runs: The runs as stored, or folded.
    """

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
        return find_chains(self._runs.found)

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
        runs = [run for member in members if (run := self._runs.get(member)) is not None]
        return next(iter(self._joiner.run(name, runs))) if len(runs) == len(members) else None

    def read(self, names: Iterable[str]) -> None:
        self._runs.read(self._list_members(names))

    def snapshot(self, names: Iterable[str]) -> StoreSnapshot:
        """Read the named runs if necessary, and return all runs read so far in store order."""
        return self._joiner.join(self._runs.snapshot(self._list_members(names)), "numbered")

    def refresh(self) -> bool:
        return self._runs.refresh()

    def problems(self, name: str | None = None) -> tuple[FileProblem, ...]:
        members = () if name is None else self._chains.get(name, ())
        if not members:
            return self._runs.problems(name)
        return tuple(problem for member in members for problem in self._runs.problems(member))

    def _list_members(self, names: Iterable[str]) -> list[str]:
        chains = self._chains
        return [member for name in names for member in chains.get(name, (name,))]
