"""The view: the snapshot of the store seen through the settings, which all panes receive."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from tbtui.charts.series_colours import PALETTE_SIZE
from tbtui.frozen import frozen
from tbtui.settings.filters import get_filter
from tbtui.store.run_series import collect_tags
from tbtui.view.attributes import colour_levels, group_runs
from tbtui.view.natural_order import make_natural_key
from tbtui.view.terms import TermError, are_terms, match_runs, may_be_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tbtui.run_health.summaries import RunSummary, SummaryCache
    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot, StoreSnapshot
    from tbtui.view.attributes import RunAttributes
    from tbtui.view.run_names import RunColours

    Names: TypeAlias = tuple[str, ...] | frozenset[str]


@frozen
class View:
    """A consistent state of data and settings, the only input of the view models of panes."""

    snapshot: StoreSnapshot
    settings: Settings
    runs: tuple[RunSnapshot, ...]
    """Runs to draw after filter, switches and solo, in the order of the run tree."""

    summaries: Mapping[str, RunSummary]
    """Run name to its summary, for every run in the snapshot."""

    inks: Mapping[str, int]
    """Run name to series ink, for every run in the snapshot; unchanged when runs appear and vanish."""

    tag_matches: Callable[[str], bool]
    """Returns True if a tag passes the tag filter."""

    attributes: RunAttributes | None = None
    """Hyperparameters and metrics of the runs, for filters and colours; None: not needed, or not known."""

    distinct_colours: int = PALETTE_SIZE
    """Number of different series colours of the theme."""

    def references(
        self, tag: str, plugin: str, run_name: str | None = None
    ) -> Iterator[tuple[RunSnapshot, ReferenceSeries]]:
        """Yield the drawn runs, or only the named one, that hold values of a plugin under a tag."""
        for run in self.runs:
            if run_name in (None, run.name) and (series := run.references(tag, plugin)) is not None:
                yield run, series


@lru_cache(maxsize=8)
def sort_runs(names: frozenset[str]) -> tuple[str, ...]:
    """Return run names in the order of the run tree."""
    return tuple(sorted(names, key=make_natural_key))


def filter_runs(names: Iterable[str], settings: Settings, attributes: RunAttributes | None = None) -> tuple[str, ...]:
    """Return the names of runs that pass the run filter, in the order of the run tree; cached by value.

    Args:
        names: Names of all runs.
        settings: The run filter is a regular expression, or terms over attributes: `lr>=1e-3 opt=adam`.
        attributes: Attributes of the runs. Terms that cannot be applied hide nothing, like a wrong expression.
    """
    ordered = sort_runs(frozenset(names))
    if attributes is not None and settings.run_filter:
        if attributes.columns is None and may_be_terms(settings.run_filter):
            return ordered  # the attributes are still being read
        if are_terms(settings.run_filter, attributes):
            return select_runs_by_terms(settings.run_filter, ordered, attributes)
    return _filter_names(ordered, settings.run_filter) if settings.run_filter else ordered


def filter_tags(tags: frozenset[str], settings: Settings) -> frozenset[str]:
    """Return the tags that pass the tag filter; cached by value."""
    return _to_set(_filter_names(tags, settings.tag_filter)) if settings.tag_filter else tags


def _filter_names(names: Names, pattern: str) -> tuple[str, ...]:
    name_filter = get_filter(pattern)
    error = name_filter.error
    passing = _find_names(names, pattern, error)
    # A filter that exceeds its time hides no name any more. A filter that is no regular expression hides names as soon
    # as one name contains it as plain text.
    return passing if name_filter.error == error else _find_names(names, pattern, name_filter.error)


@lru_cache(maxsize=8)
def _find_names(names: Names, pattern: str, _error: str | None) -> tuple[str, ...]:
    return tuple(filter(get_filter(pattern).matches, names))


@lru_cache(maxsize=4)
def _to_set(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(names)


def select_solo_runs(names: Iterable[str], settings: Settings) -> tuple[str, ...]:
    """Return the solo run, or all runs in the solo folder; empty without solo."""
    solo = settings.solo
    if solo is None:
        return ()
    return tuple(name for name in names if name == solo or (solo.endswith("/") and name.startswith(solo)))


def select_drawn_runs(passing: Sequence[str], settings: Settings) -> tuple[str, ...]:
    """Return the drawn runs among those that pass the filter. A solo run that is filtered out or gone is ignored."""
    return select_solo_runs(passing, settings) or tuple(name for name in passing if name not in settings.hidden_runs)


@lru_cache(maxsize=8)
def select_runs_by_terms(text: str, ordered: tuple[str, ...], attributes: RunAttributes) -> tuple[str, ...]:
    """Return the runs that terms select; all of them if a term cannot be applied."""
    try:
        return match_runs(text, ordered, attributes)
    except TermError:
        return ordered


def build_view(
    snapshot: StoreSnapshot,
    settings: Settings,
    colours: RunColours,
    cache: SummaryCache,
    attributes: RunAttributes | None = None,
    *,
    is_searching: bool = False,
) -> View:
    """Return the view: runs filtered, switched and in order; every run has its ink.

    While a tag filter is set, no group is folded, so that all matches are visible. While runs are still being searched,
    inks are provisional.
    """
    # In tree order: the order of the snapshot depends on the order of reading, and colours must be equal at every
    # start.
    colours.assign(sort_runs(frozenset(snapshot.runs)), is_searching=is_searching)
    shown = tuple(
        snapshot.runs[name] for name in select_drawn_runs(filter_runs(snapshot.runs, settings, attributes), settings)
    )
    if settings.tag_filter and settings.hidden_groups:
        settings = replace(settings, hidden_groups=frozenset())
    inks = colours.inks
    if attributes is not None and attributes.columns is not None:
        if settings.group_by:
            settings = replace(settings, run_groups=group_runs(attributes, settings.group_by))
        if settings.colour_by:
            level_of_run, labels = colour_levels(attributes, settings.colour_by)
            inks = colours.assign_inks(level_of_run, len(labels) - 1) if labels else inks
    tag_filter = get_filter(settings.tag_filter)
    if tag_filter.error is not None:  # it hides nothing, unless a tag contains the pattern as plain text
        tag_filter.check(collect_tags(snapshot.runs.values()))
    summaries = cache.of(snapshot)
    return View(snapshot, settings, shown, summaries, inks, tag_filter.matches, attributes, colours.colours)
