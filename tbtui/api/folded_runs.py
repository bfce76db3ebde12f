"""Runs with those of hyperparameters folded into the run above, for `tbtui.open(…, fold_runs="yes")`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.registry import run_folder
from tbtui.store.run_folds import stored_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tbtui.loading.assets import RunAssets
    from tbtui.loading.discovery import FoundRun
    from tbtui.loading.lazy_runs import ReadableRuns
    from tbtui.loading.state import FileProblem
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot


class FoldedRuns:
    """Readable runs as the dashboard lists them. All are read at once, since their contents decide.

    Args:
        runs: The runs as stored.
    """

    def __init__(self, runs: ReadableRuns) -> None:
        self._runs = runs
        self._folder = run_folder()
        self._list()

    def _list(self) -> None:
        self._snapshot = self._folder.fold(self._runs.snapshot(self._runs.found))
        self._stored = {name: stored_names(run) for name, run in self._snapshot.runs.items()}
        found_runs = self._runs.found
        self._found = {name: found_runs[stored[0]]._replace(name=name) for name, stored in sorted(self._stored.items())}

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
            self._list()
        return changed

    def problems(self, name: str | None = None) -> tuple[FileProblem, ...]:
        """Return the damage in the files of one run, or of all runs together with unreadable directories."""
        if name is None:
            return self._runs.problems()
        return tuple(problem for each in self._stored.get(name, (name,)) for problem in self._runs.problems(each))
