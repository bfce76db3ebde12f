"""Which series of a snapshot are wanted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.store.snapshot import ReferenceSeries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tbtui.store.snapshot import RunSnapshot, Series, StoreSnapshot


def always(_name: str) -> bool:
    """Matches every name."""
    return True


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


def chosen_references(
    snapshot: StoreSnapshot,
    run_matches: Callable[[str], bool],
    tag_matches: Callable[[str], bool],
    plugin: str,
    *,
    current: bool,
) -> Iterator[tuple[RunSnapshot, ReferenceSeries]]:
    """Those of a plugin whose values lie in files.

    Args:
        snapshot: What has been read.
        run_matches: Whether the run of that name is wanted.
        tag_matches: Whether the tag is wanted.
        plugin: Its name.
        current: Without points that a restart superseded, instead of every stored point in arrival order.
    """
    for run, series in chosen_series(snapshot, run_matches, tag_matches):
        if isinstance(series, ReferenceSeries) and series.metadata.plugin_name == plugin:
            # Asked of a copy, because a series keeps its answer: by and by that would be all points a second time.
            yield run, replace(series).current if current else series
