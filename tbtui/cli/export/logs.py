"""The logs that `tbtui export` is given: run by run, by the patterns it was asked with, and what is wrong with them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.charts.numbers import size
from tbtui.cli.damage import tell_damage
from tbtui.cli.indexes import complain_of_index, run_indexes
from tbtui.cli.patterns import matches, matches_as_asked
from tbtui.loading.in_turn import RunsInTurn
from tbtui.loading.sources import parse_sources
from tbtui.loading.state import LoadState
from tbtui.store.snapshot import StoreSnapshot

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tbtui.cli.progress import Progress
    from tbtui.store.snapshot import RunSnapshot


class ExportedLogs:
    """Reads each run once, in the order in which runs began, and holds one of them at a time.

    Args:
        arguments: As `parse` of the command's options gives them.
        progress: Told of what is read and of the rows that `count` was told of.

    Raises:
        SourceError: There is no such path.
        PatternError: A pattern cannot be applied to the runs.
    """

    def __init__(self, arguments: Namespace, progress: Progress) -> None:
        self._turn = RunsInTurn(
            parse_sources(arguments.paths),
            indexes=run_indexes(arguments),
            jobs=arguments.jobs,
            told=self._read,
        )
        self._progress = progress
        self._done = self._total = self._rows = 0
        self._seen: dict[str, RunSnapshot] = {}
        """What was read, without its series."""

        self._tags: dict[str, tuple[str, ...]] = dict.fromkeys(self._turn.names, ())

        self._run_matches = matches(arguments.runs, self._turn.names)
        self.tag_matches: Callable[[str], bool] = matches_as_asked(arguments.tags)
        """Whether a tag is wanted; raises `PatternError` when that takes too long to find out."""

    @property
    def is_empty(self) -> bool:
        """Whether there is no run at all, wanted or not."""
        return not self._turn.names

    @property
    def tags(self) -> Mapping[str, Sequence[str]]:
        """The tags of every run that was read; of the others none."""
        return self._tags

    def runs(self) -> Iterator[RunSnapshot]:
        """Those that are wanted; who takes the next one should hold the last one no more."""
        for run in self._turn.read(self._run_matches):
            self._seen[run.name] = replace(run, series={})
            self._tags[run.name] = tuple(run.series)
            yield run
            del run

    def count(self, rows: int) -> None:
        """So many more rows are written."""
        self._rows += rows
        self._tell()

    def tell_damage(self) -> None:
        """Say on stderr what could not be read, in few lines."""
        state = LoadState(
            StoreSnapshot(0, self._seen), problems=tuple(self._turn.problems), index_failure=self._turn.index_failure
        )
        complain_of_index(state)
        tell_damage(state, self._seen, "exported")

    def _read(self, done: int, total: int) -> None:
        self._done, self._total = done, total
        self._tell()

    def _tell(self) -> None:
        written = f", {self._rows:,} rows written" if self._rows else ""
        self._progress.say(f"{size(self._done)} of {size(self._total)} read{written}")
