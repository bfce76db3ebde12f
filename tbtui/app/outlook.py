"""Everything the app's own lines and trees show, worked out from the loader's state and the user's choices at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tbtui.viewstate.facts import tags_of
from tbtui.viewstate.select import passing_runs, view_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.loading.state import LoadState
    from tbtui.plugins.base import Plugin
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.colours import RunColours
    from tbtui.viewstate.facts import FactsCache, RunFacts
    from tbtui.viewstate.view import View

NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Outlook:
    """One consistent picture of what is loaded and what is chosen."""

    state: LoadState
    view: View
    plugins: tuple[Plugin, ...]
    """Those that have a tab."""

    plugin: Plugin | None
    """The one whose tab is open."""

    passing: tuple[str, ...]
    """Names of the runs that pass the run filter, in tree order."""

    shown: frozenset[str]
    """Names of the runs that are drawn."""

    all_tags: frozenset[str]
    """Tags that the open tab reads, of the runs that are drawn."""

    tags: frozenset[str]
    """Those that pass the tag filter."""

    @property
    def choices(self) -> Choices:
        """What the user chose."""
        return self.view.choices

    @property
    def facts(self) -> Mapping[str, RunFacts]:
        """What is known of each run at a glance."""
        return self.view.facts

    @property
    def newest(self) -> float | None:
        """Wall time of the latest event of any run, seconds since the epoch."""
        times = (facts.last_wall_time for facts in self.facts.values())
        return max((time for time in times if time is not None), default=None)


def open_plugin(plugins: Sequence[Plugin], tab: str) -> Plugin | None:
    """The chosen tab, or the first where that one has no data."""
    return next((plugin for plugin in plugins if plugin.name == tab), plugins[0] if plugins else None)


def outlook_of(
    state: LoadState, choices: Choices, colours: RunColours, cache: FactsCache, plugins: Sequence[Plugin]
) -> Outlook:
    """Work everything out; what did not change since the last call comes from the caches.

    Args:
        state: The loader's.
        choices: The user's.
        colours: Gives new runs their ink.
        cache: Facts of the runs of the last call.
        plugins: All that there are; those without data get no tab.
    """
    view = view_of(state.snapshot, choices, colours, cache)
    present = frozenset(plugin for known in view.facts.values() for plugin in known.tags)
    with_data = tuple(plugin for plugin in plugins if plugin.reads & present)
    plugin = open_plugin(with_data, choices.tab)
    all_tags = tags_of(view.facts, view.runs, plugin.reads) if plugin else NOTHING
    return Outlook(
        state=state,
        view=view,
        plugins=with_data,
        plugin=plugin,
        passing=passing_runs(state.snapshot.runs, choices),
        shown=frozenset(run.name for run in view.runs),
        all_tags=all_tags,
        tags=frozenset(filter(view.tag_matches, all_tags)) if choices.tag_filter else all_tags,
    )
