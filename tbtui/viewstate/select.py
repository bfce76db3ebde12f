"""The store's snapshot seen through the user's choices."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from tbtui.viewstate.filters import filter_for
from tbtui.viewstate.order import natural_key
from tbtui.viewstate.view import View

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tbtui.store.snapshot import StoreSnapshot
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.colours import RunColours
    from tbtui.viewstate.facts import FactsCache

    Names: TypeAlias = tuple[str, ...] | frozenset[str]


@lru_cache(maxsize=8)
def in_tree_order(names: frozenset[str]) -> tuple[str, ...]:
    """Run names as the run tree lists them."""
    return tuple(sorted(names, key=natural_key))


def passing_runs(names: Iterable[str], choices: Choices) -> tuple[str, ...]:
    """Names of the runs that pass the run filter, in the order of the run tree; for equal ones the same object."""
    ordered = in_tree_order(frozenset(names))
    return _passing(ordered, choices.run_filter) if choices.run_filter else ordered


def passing_tags(tags: frozenset[str], choices: Choices) -> frozenset[str]:
    """Those of the tags that pass the tag filter; for equal ones the same object."""
    return _as_set(_passing(tags, choices.tag_filter)) if choices.tag_filter else tags


def _passing(names: Names, pattern: str) -> tuple[str, ...]:
    tried = filter_for(pattern)
    before = tried.error
    passing = _found(names, pattern, before)
    # A filter that runs out of its time hides nothing from then on, nor what it had hidden until then.
    return passing if tried.error == before else _found(names, pattern, tried.error)


@lru_cache(maxsize=8)
def _found(names: Names, pattern: str, _error: str | None) -> tuple[str, ...]:
    return tuple(filter(filter_for(pattern).matches, names))


@lru_cache(maxsize=4)
def _as_set(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(names)


def solo_runs(names: Iterable[str], choices: Choices) -> tuple[str, ...]:
    """Those of the runs that are drawn alone: the solo run, or all in the solo folder; none without solo."""
    solo = choices.solo
    if solo is None:
        return ()
    return tuple(name for name in names if name == solo or (solo.endswith("/") and name.startswith(solo)))


def drawn_runs(passing: Sequence[str], choices: Choices) -> tuple[str, ...]:
    """Those of the runs that pass the filter that are drawn. A solo that the filter hides (or that is gone) is none."""
    return solo_runs(passing, choices) or tuple(name for name in passing if name not in choices.hidden_runs)


def view_of(snapshot: StoreSnapshot, choices: Choices, colours: RunColours, cache: FactsCache) -> View:
    """What panes are handed: runs filtered, switched and in order; every run has its ink.

    While a tag filter applies no group is folded in the view: what matches must be seen.
    """
    # In tree order, not in the order of the snapshot: that one depends on which file happened to be read first, and a
    # run should not have another colour at every start.
    colours.see(in_tree_order(frozenset(snapshot.runs)))
    shown = tuple(snapshot.runs[name] for name in drawn_runs(passing_runs(snapshot.runs, choices), choices))
    if choices.tag_filter and choices.hidden_groups:
        choices = replace(choices, hidden_groups=frozenset())
    return View(snapshot, choices, shown, cache.of(snapshot), colours.inks, filter_for(choices.tag_filter).matches)
