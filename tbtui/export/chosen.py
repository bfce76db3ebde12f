"""Which series of some runs are wanted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot


def always(_name: str) -> bool:
    """Matches every name."""
    return True


def chosen_references(
    runs: Iterable[RunSnapshot], plugin: str, tag_matches: Callable[[str], bool] = always, *, current: bool = False
) -> Iterator[tuple[RunSnapshot, ReferenceSeries]]:
    """The series of a plugin that hold anything and whose values lie in files, run by run, tag by tag.

    Args:
        runs: Those that are wanted.
        plugin: Its name.
        tag_matches: Whether the tag is wanted.
        current: Without points that a restart superseded, instead of every stored point in arrival order.
    """
    for run in runs:
        for tag in filter(tag_matches, run.series):
            series = run.references(tag, plugin)
            if series is not None:
                # Asked of a copy, because a series keeps its answer: by and by that would be all points a second time.
                yield run, replace(series).current if current else series
