"""Which runs are averaged: those for which a regular expression says the same, or those in one directory."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.viewstate.filters import filter_for
from tbtui.viewstate.run_tree import common_start

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.viewstate.choices import Choices


@frozen
class Group:
    """Runs of which one line is drawn in every chart that more than one of them has values for."""

    name: str
    """What its runs have in common; for a run by itself its name."""

    runs: tuple[str, ...]
    """Names in the order given; at least one."""


def groups_of(runs: Sequence[str], choices: Choices) -> tuple[Group, ...]:
    """The groups of runs, each where its first run stands.

    Without grouping, and where a pattern does not match, is invalid or takes too long, each run is by itself.

    Args:
        runs: Names, in tree order.
        choices: `group_pattern` goes before `group_level`.
    """
    if choices.group_pattern:
        return _matched(tuple(runs), choices.group_pattern)
    return _in_directories(tuple(runs), choices.group_level)


def averages(groups: Sequence[Group]) -> tuple[Group, ...]:
    """Those of more than one run."""
    return tuple(group for group in groups if len(group.runs) > 1)


@lru_cache(maxsize=8)
def _matched(runs: tuple[str, ...], pattern: str) -> tuple[Group, ...]:
    words = filter_for(pattern).words
    # Once it is given up it has no words for any run, so the answers for the first ones must wait for the last.
    filter_for(pattern).check(runs)
    return _grouped(runs, words, lambda held, found: _name_of(held, found) or pattern)


@lru_cache(maxsize=8)
def _in_directories(runs: tuple[str, ...], level: int) -> tuple[Group, ...]:
    def directories(run: str) -> tuple[str, ...] | None:
        return tuple(run.split("/")[:level]) if level else None

    return _grouped(runs, directories, lambda _, found: "/".join(found))


def _grouped(
    runs: Sequence[str],
    words_of: Callable[[str], tuple[str, ...] | None],
    name_of: Callable[[Sequence[str], tuple[str, ...]], str],
) -> tuple[Group, ...]:
    """Runs with the same words together; those without any words by themselves."""
    sharing: dict[tuple[str, ...] | str, list[str]] = {}
    for run in runs:
        words = words_of(run)
        sharing.setdefault(run if words is None else words, []).append(run)
    return tuple(
        Group(held[0] if isinstance(words, str) or len(held) == 1 else name_of(held, words), tuple(held))
        for words, held in sharing.items()
    )


def _name_of(runs: Sequence[str], words: tuple[str, ...]) -> str:
    """What the groups of the pattern found; where it has none, what the runs' names begin with."""
    return " ".join(filter(None, words)) or runs[0][: common_start(runs)].rstrip("/_-. ")
