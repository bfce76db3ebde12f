"""The store's snapshot seen through the user's choices."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from tbtui.viewstate.filters import filter_for
from tbtui.viewstate.order import natural_key
from tbtui.viewstate.view import View

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from tbtui.store.snapshot import StoreSnapshot
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.colours import RunColours
    from tbtui.viewstate.facts import FactsCache


@lru_cache(maxsize=8)
def in_tree_order(names: frozenset[str]) -> tuple[str, ...]:
    """Run names as the run tree lists them."""
    return tuple(sorted(names, key=natural_key))


def passing_runs(names: Iterable[str], choices: Choices) -> tuple[str, ...]:
    """Names of the runs that pass the run filter, in the order of the run tree."""
    passes = filter_for(choices.run_filter).matches
    return tuple(name for name in in_tree_order(frozenset(names)) if passes(name))


def is_shown(name: str, passing: Collection[str], choices: Choices) -> bool:
    """Whether a run that passes the filter is drawn. A solo run that the filter hides (or that is gone) is no solo."""
    if choices.solo_run is not None and choices.solo_run in passing:
        return name == choices.solo_run
    return name not in choices.hidden_runs


def view_of(snapshot: StoreSnapshot, choices: Choices, colours: RunColours, cache: FactsCache) -> View:
    """What panes are handed: runs filtered, switched and in order; every run with data has its ink.

    While a tag filter applies no group is folded in the view: what matches must be seen.
    """
    # In tree order, not in the order of the snapshot: that one depends on which file happened to be read first, and a
    # run should not have another colour at every start.
    colours.see(snapshot.runs[name] for name in in_tree_order(frozenset(snapshot.runs)))
    passing = passing_runs(snapshot.runs, choices)
    among = frozenset(passing)
    shown = tuple(snapshot.runs[name] for name in passing if is_shown(name, among, choices))
    if choices.tag_filter and choices.hidden_groups:
        choices = replace(choices, hidden_groups=frozenset())
    return View(snapshot, choices, shown, cache.of(snapshot), colours.inks, filter_for(choices.tag_filter).matches)
