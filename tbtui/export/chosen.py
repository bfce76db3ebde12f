"""Which series of a snapshot are wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tbtui.store.snapshot import RunSnapshot, Series, StoreSnapshot


def chosen_series(
    snapshot: StoreSnapshot, run_matches: Callable[[str], bool], tag_matches: Callable[[str], bool]
) -> Iterator[tuple[RunSnapshot, Series]]:
    """The series that hold anything, of whatever kind, run by run and tag by tag in the order of the snapshot.

    Args:
        snapshot: What has been read.
        run_matches: Whether the run of that name is wanted.
        tag_matches: Whether the tag is wanted.
    """
    for run in snapshot.runs.values():
        if run_matches(run.name):
            for series in run.series.values():
                if len(series) and tag_matches(series.tag):
                    yield run, series
