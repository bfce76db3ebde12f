"""The store's snapshot seen through the user's choices: what panes are handed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot, StoreSnapshot
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.facts import RunFacts


@frozen
class View:
    """One consistent picture of data and choices. Panes rebuild their view model from it and from nothing else."""

    snapshot: StoreSnapshot
    choices: Choices
    runs: tuple[RunSnapshot, ...]
    """The runs to draw: filter, on/off and solo applied, in the order of the run tree."""

    facts: Mapping[str, RunFacts]
    """Run name to what is known of it at a glance, for every run in the snapshot."""

    inks: Mapping[str, int]
    """Run name to series ink, for every run in the snapshot; kept when runs come and go."""

    tag_matches: Callable[[str], bool]
    """Whether a tag passes the applied tag filter."""

    def references(
        self, tag: str, plugin: str, run_name: str | None = None
    ) -> Iterator[tuple[RunSnapshot, ReferenceSeries]]:
        """The drawn runs, or the one of that name, that hold values of a plugin under a tag, in their order."""
        for run in self.runs:
            if run_name in (None, run.name) and (series := run.references(tag, plugin)) is not None:
                yield run, series
