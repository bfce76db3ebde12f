"""The app state: one consistent value computed from the loader's state, the user's settings and the session clock."""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import replace
from operator import is_
from typing import TYPE_CHECKING, TypeAlias

from tbtui.frozen import frozen
from tbtui.plugins.registry import run_folder
from tbtui.run_health.conditions import OwnCondition, RunConditions, judge_runs
from tbtui.run_health.summaries import SummaryCache, collect_tags
from tbtui.store.run_chains import RunJoiner
from tbtui.store.run_parts import RunSplitter
from tbtui.view.tag_tree import count_unfolded
from tbtui.view.view import build_view, filter_runs, filter_tags

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tbtui.loading.state import LoadState
    from tbtui.plugins.base import Plugin
    from tbtui.run_health.anomalies import AnomalyKind
    from tbtui.run_health.summaries import RunSummary
    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot
    from tbtui.view.attributes import RunAttributes
    from tbtui.view.run_names import RunColours
    from tbtui.view.view import View

NO_TAGS: frozenset[str] = frozenset()

MIN_PREPARED_RUNS = 16
"""Fewer changed runs are summarised within a frame."""

FindAttributes: TypeAlias = "Callable[[StoreSnapshot, Settings], RunAttributes | None]"


@frozen
class HealthCounts:
    """Numbers of drawn runs that are not well."""

    troubles: Mapping[AnomalyKind, int]
    stalled: int


@frozen
class _ShownRuns:
    """The part of an app state that depends on the drawn runs."""

    names: frozenset[str]
    tags: frozenset[str]
    """Tags that the open tab reads."""

    health: HealthCounts


@frozen
class AppState:
    """Everything that the sidebar, the status lines and the open pane show at one moment."""

    load: LoadState
    view: View
    conditions: RunConditions
    """Health of the runs at the time the state was built."""

    plugins: tuple[Plugin, ...]
    """The plugins that have data or that an option requests; each has a tab."""

    plugin: Plugin | None
    """The plugin of the open tab."""

    passing: tuple[str, ...]
    """Names of the runs that pass the run filter, in tree order."""

    shown: frozenset[str]
    """Names of the runs that are drawn."""

    health: HealthCounts

    all_tags: frozenset[str]
    """Tags that the open tab reads, over the runs that are drawn."""

    tags: frozenset[str]
    """The part of `all_tags` that passes the tag filter."""

    unfolded: int
    """Number of `tags` outside folded groups."""

    @property
    def settings(self) -> Settings:
        """The user's settings."""
        return self.view.settings

    @property
    def summaries(self) -> Mapping[str, RunSummary]:
        """The summary of each run, by run name."""
        return self.view.summaries


def open_plugin(plugins: Sequence[Plugin], tab: str) -> Plugin | None:
    """Return the plugin named `tab`, or the first plugin if that one has no data."""
    return next((plugin for plugin in plugins if plugin.name == tab), plugins[0] if plugins else None)


class TabOrder:
    """Orders the tabs as the registry does, until the initial load is over and the user has pressed a key or clicked.

    So every start on the same logs gives a tab the same number, whichever data are read first. After that each tab
    keeps its number, and a new tab comes last: no number opens another tab because data arrived.
    """

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        """Names of the dashboards of the last app state in the order of their tabs; also of tabs that have gone."""

        self._is_load_over = False
        self._is_used = False
        """True once the user has pressed a key or clicked while there were tabs."""

        self._opened = ""
        self._kept_open = ""

    def keep(self) -> None:
        """Record a key or click: the tab that is open without a choice stays open.

        After the load all tabs keep their numbers.
        """
        if self._names:
            self._is_used = True
            self._kept_open = self._kept_open or self._opened

    def end_load(self) -> None:
        """Record that the last app state has everything that existed at the start."""
        self._is_load_over = True

    def sort(self, plugins: Sequence[Plugin]) -> tuple[Plugin, ...]:
        """Return the dashboards in the order of their tabs.

        Args:
            plugins: Dashboards that have a tab, in the order of the registry.
        """
        if self._is_used and self._is_load_over:
            places = {name: place for place, name in enumerate(self._names)}
            plugins = sorted(plugins, key=lambda plugin: places.get(plugin.name, len(places)))
            self._names += tuple(plugin.name for plugin in plugins if plugin.name not in places)
        else:
            self._names = tuple(plugin.name for plugin in plugins)
        return tuple(plugins)

    def open(self, plugins: Sequence[Plugin], tab: str) -> Plugin | None:
        """Return the dashboard to show: the chosen one, else the one that was open when the user pressed the first key.

        Args:
            plugins: Dashboards that have a tab.
            tab: Name of the tab that the user chose; empty if none.
        """
        has_data = any(plugin.name == tab for plugin in plugins)
        plugin = open_plugin(plugins, tab if has_data else self._kept_open)
        self._opened = "" if plugin is None else plugin.name
        return plugin


class AppStateBuilder:
    """Builds app states; each part that did not change since the last build is the same object.

    Args:
        plugins: All known plugins; those without data get no tab.
        colours: Assigns an ink to each new run.
    """

    def __init__(self, plugins: Sequence[Plugin], colours: RunColours) -> None:
        self.plugins = plugins
        self._colours = colours
        self._summary_cache = SummaryCache()
        self._splitter, self._folder = RunSplitter(), run_folder(plugins)
        self._joiner = RunJoiner()
        self._deriving = threading.Lock()
        self._derived: tuple[tuple[StoreSnapshot, tuple[object, ...], StoreSnapshot], ...] = ()
        """The last two snapshots, the settings that decide which runs are listed, and the runs as they are listed."""
        self._view: View | None = None
        self._tabs_summaries: Mapping[str, RunSummary] | None = None
        self._tabs: frozenset[str] = frozenset()
        self.tab_order = TabOrder()
        self._shown_inputs: tuple[object, ...] = (None,) * 4
        self._shown = _ShownRuns(frozenset(), NO_TAGS, HealthCounts({}, 0))
        self._settings: Settings | None = None
        self._is_initial_load_over = False
        self._with_files: frozenset[str] = frozenset()
        """Names of dashboards whose data are in other files, or in names of runs."""

        self._conditions = RunConditions({}, 0.0)
        self._conditions_summaries: Mapping[str, RunSummary] | None = None
        self._conditions_max_steps: int | None = None
        self._conditions_since = 0.0
        self._own_conditions: dict[str, OwnCondition] = {}
        """Summary of each run by itself, with the same number of steps."""

    def prepare(self, load: LoadState, settings: Settings) -> Callable[[], None] | None:
        """Return a function that does most of the work of `build` in advance, on any thread; None if that is little."""
        snapshot = load.snapshot
        if self._summary_cache.count_changed(snapshot, MIN_PREPARED_RUNS) < MIN_PREPARED_RUNS:
            return None
        return lambda: self._summary_cache.prepare(self._derive_runs(snapshot, settings))

    def record_arrival(self, load: LoadState, now: float) -> None:
        """Record when new data arrived.

        Args:
            load: The loader's new state.
            now: Its arrival, in seconds since the epoch. Data of the initial load has no arrival time: it was written
                before the session.
        """
        snapshot = load.snapshot if self._settings is None else self._derive_runs(load.snapshot, self._settings)
        self._summary_cache.of(snapshot, now if self._is_initial_load_over else None)
        self._is_initial_load_over = load.complete
        self._derived = self._derived[-1:]  # the snapshot before this one is no longer drawn

    def build(
        self, load: LoadState, settings: Settings, now: float, find_attributes: FindAttributes | None = None
    ) -> AppState:
        """Return the app state.

        Args:
            load: The loader's state.
            settings: The user's settings.
            now: Seconds since the epoch.
            find_attributes: Returns the attributes of the runs of a snapshot as far as they are known; None: no
                attributes.
        """
        self._settings = settings
        snapshot = self._derive_runs(load.snapshot, settings)
        load = load if snapshot is load.snapshot else replace(load, snapshot=snapshot)
        attributes = None if find_attributes is None else find_attributes(load.snapshot, settings)
        view = self._view = _reuse_view(
            build_view(
                load.snapshot,
                settings,
                self._colours,
                self._summary_cache,
                attributes,
                is_searching=load.is_searching,
            ),
            self._view,
        )
        with_data = self.tab_order.sort(
            [
                plugin
                for plugin in self.plugins
                if plugin.name in self._find_tabs_with_data(view.summaries)
                or plugin.name in self._with_files
                or (plugin.is_requested is not None and plugin.is_requested(settings))
            ]
        )
        plugin = self.tab_order.open(with_data, settings.tab)
        shown = tuple(run.name for run in view.runs)
        conditions = self._build_conditions(view.summaries, now, settings.max_steps)
        # Compared by identity, or by names that are: of a thousand runs a key changes none of these.
        inputs = (view.summaries, conditions, plugin, shown)
        if not all(map(is_, inputs[:3], self._shown_inputs[:3])) or shown != self._shown_inputs[3]:
            self._shown_inputs = inputs
            self._shown = _list_shown_runs(*inputs, view.runs)
        all_tags = self._shown.tags
        tags = all_tags if plugin is not None and plugin.has_outline else filter_tags(all_tags, settings)
        return AppState(
            load=load,
            view=view,
            conditions=conditions,
            plugins=with_data,
            plugin=plugin,
            passing=filter_runs(load.snapshot.runs, settings, attributes),
            shown=self._shown.names,
            health=self._shown.health,
            all_tags=all_tags,
            tags=tags,
            unfolded=count_unfolded(tags, view.settings.hidden_groups),
        )

    def find_files(self, snapshot: StoreSnapshot, settings: Settings) -> bool:
        """Find the dashboards that need no event files; on any thread, since it reads directories.

        Returns:
            True if these are others than before.
        """
        missing = (plugin for plugin in self.plugins if plugin.name not in self._tabs)
        with_files = frozenset(
            plugin.name for plugin in missing if plugin.has_files is not None and plugin.has_files(snapshot, settings)
        )
        has_changed = with_files != self._with_files
        self._with_files = with_files
        return has_changed

    def _find_tabs_with_data(self, summaries: Mapping[str, RunSummary]) -> frozenset[str]:
        """Return the names of the plugins that have data."""
        if summaries is not self._tabs_summaries:
            # Runs that log alike share their sets of tags: of thousands of runs, few sets are searched.
            tag_sets: dict[str, dict[int, frozenset[str]]] = {}
            for summary in summaries.values():
                for name, tags in summary.tags.items():
                    tag_sets.setdefault(name, {})[id(tags)] = tags
            self._tabs_summaries = summaries
            self._tabs = frozenset(
                plugin.name
                for plugin in self.plugins
                if not plugin.reads.isdisjoint(tag_sets)
                or any(
                    plugin.has_data({name: tags})
                    for name in plugin.reads_tags
                    for tags in tag_sets.get(name, {}).values()
                )
            )
        return self._tabs

    def _derive_runs(self, snapshot: StoreSnapshot, settings: Settings) -> StoreSnapshot:
        """Return the runs as they are listed: those of hyperparameters folded, then joined, or split at restarts.

        A numbered run takes its runs of hyperparameters with it into the joined run, whose last session counts. Any
        thread may call this; the result for a snapshot that is drawn is there while the next one is prepared.
        """
        inputs = (settings.fold_runs, settings.unfolded_runs, settings.chain_runs, settings.split_runs)
        for known, of_inputs, derived in self._derived:
            if known is snapshot and of_inputs == inputs:
                return derived
        with self._deriving:
            derived = self._arrange_runs(snapshot, settings)
            self._derived = (*self._derived[-1:], (snapshot, inputs, derived))
        return derived

    def _arrange_runs(self, snapshot: StoreSnapshot, settings: Settings) -> StoreSnapshot:
        if settings.fold_runs == "yes" and settings.split_runs == "no":
            snapshot = self._folder.fold(snapshot, settings.unfolded_runs)
        snapshot = self._joiner.join(snapshot, settings.chain_runs)
        return snapshot if settings.split_runs == "no" else self._splitter.split(snapshot, settings.split_runs)

    def _build_conditions(
        self, summaries: Mapping[str, RunSummary], now: float, max_steps: int | None
    ) -> RunConditions:
        """Return the health of the runs; recompute it after new data and when the last result has expired."""
        holds = self._conditions_since <= now < self._conditions.until
        if max_steps != self._conditions_max_steps or self._own_conditions.keys() - summaries.keys():
            self._own_conditions.clear()
        if summaries is not self._conditions_summaries or max_steps != self._conditions_max_steps or not holds:
            self._conditions_summaries, self._conditions_max_steps, self._conditions_since = summaries, max_steps, now
            self._conditions = judge_runs(summaries, now, max_steps, self._own_conditions)
        return self._conditions


def _reuse_view(view: View, former: View | None) -> View:
    """Return the former view if it has the same content: its pane need not draw it again when only ages change."""
    if former is None or view.snapshot is not former.snapshot or view.summaries is not former.summaries:
        return view
    runs_of_both = zip(view.runs, former.runs, strict=False)
    is_same = (
        len(view.runs) == len(former.runs)
        and all(run is other for run, other in runs_of_both)
        and view.inks is former.inks
        and view.attributes is former.attributes
        and view.tag_matches == former.tag_matches
        and view.settings == former.settings
    )
    return former if is_same else view


def _list_shown_runs(
    summaries: Mapping[str, RunSummary],
    conditions: RunConditions,
    plugin: Plugin | None,
    names: Sequence[str],
    runs: tuple[RunSnapshot, ...],
) -> _ShownRuns:
    tags = NO_TAGS
    if plugin is not None:
        listed = collect_tags(summaries, runs, plugin.lists) if plugin.lists else NO_TAGS
        tags = listed or collect_tags(summaries, runs, plugin.reads)
    troubles = Counter(trouble.kind for name in names if (trouble := summaries[name].trouble) is not None)
    stalled = sum(conditions.of[name].stalled for name in names)
    return _ShownRuns(frozenset(names), tags, HealthCounts(troubles, stalled))


def measure_elapsed_seconds() -> float:
    """Return seconds of a clock that cannot be set; with a boot clock, it also runs while the system sleeps."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


def create_session_clock(
    wall: Callable[[], float] = time.time, elapsed: Callable[[], float] = measure_elapsed_seconds
) -> Callable[[], float]:
    """Return a clock of seconds since the epoch: it starts at the wall clock and then adds only elapsed time.

    Arrivals of data are measured with the same clock. So setting the wall clock during a session makes no run look
    stalled or live. The age of a run that no longer writes is as wrong as the wall clock was at the start.
    """
    began = wall() - elapsed()
    return lambda: began + elapsed()
