"""Groups of runs that are averaged: by attributes, by a pattern or by their directories."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.settings.filters import get_filter
from tbtui.view.run_tree import measure_common_label

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.settings.settings import RunGroups, Settings


@frozen
class Group:
    """Runs that are averaged in each chart in which more than one of them has values."""

    name: str
    """Common part of the names of its runs; the full name of a single run."""

    runs: tuple[str, ...]
    """Names in the given order; at least one."""


def group_by_settings(runs: Sequence[str], settings: Settings) -> tuple[Group, ...]:
    """Return the groups of runs, each at the position of its first run.

    A run is a group by itself without grouping, and if the pattern does not match, is invalid or takes too long.

    Args:
        runs: Names, in tree order.
        settings: `run_groups` takes precedence over `group_pattern`, and this over `group_level`.
    """
    if settings.run_groups is not None:
        return _group_by_attributes(tuple(runs), settings.run_groups)
    if settings.group_pattern:
        return _match_groups(tuple(runs), settings.group_pattern)
    return _group_by_directory(tuple(runs), settings.group_level)


def select_averaged(groups: Sequence[Group]) -> tuple[Group, ...]:
    """Return the groups of more than one run."""
    return tuple(group for group in groups if len(group.runs) > 1)


@lru_cache(maxsize=8)
def _match_groups(runs: tuple[str, ...], pattern: str) -> tuple[Group, ...]:
    words = get_filter(pattern).words
    # Once it is given up it has no words for any run, so the answers for the first ones must wait for the last.
    get_filter(pattern).check(runs)
    return _group_by_words(runs, words, lambda members, words: _name_of(members, words) or pattern)


@lru_cache(maxsize=8)
def _group_by_attributes(runs: tuple[str, ...], groups: RunGroups) -> tuple[Group, ...]:
    def label(run: str) -> tuple[str, ...] | None:
        value = groups.labels.get(run)
        return None if value is None else (value,)

    return _group_by_words(runs, label, lambda _, labels: labels[0])


@lru_cache(maxsize=8)
def _group_by_directory(runs: tuple[str, ...], level: int) -> tuple[Group, ...]:
    def directories(run: str) -> tuple[str, ...] | None:
        return tuple(run.split("/")[:level]) if level else None

    return _group_by_words(runs, directories, lambda _, parts: "/".join(parts))


def _group_by_words(
    runs: Sequence[str],
    words_of: Callable[[str], tuple[str, ...] | None],
    name_of: Callable[[Sequence[str], tuple[str, ...]], str],
) -> tuple[Group, ...]:
    """Group runs with equal words; a run without words is a group of its own."""
    sharing: dict[tuple[str, ...] | str, list[str]] = {}
    for run in runs:
        words = words_of(run)
        sharing.setdefault(run if words is None else words, []).append(run)
    return tuple(
        Group(members[0] if isinstance(words, str) or len(members) == 1 else name_of(members, words), tuple(members))
        for words, members in sharing.items()
    )


def _name_of(runs: Sequence[str], words: tuple[str, ...]) -> str:
    """Return the matches of the capture groups; without capture groups, the common prefix of the runs."""
    return " ".join(filter(None, words)) or runs[0][: measure_common_label(runs)].rstrip("/_-. ")
