"""Everything the app's own lines and trees show, worked out from the loader's state and the user's choices at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.viewstate.facts import FactsCache, tags_of
from tbtui.viewstate.health import Conditions, conditions_of
from tbtui.viewstate.select import passing_runs, passing_tags, view_of
from tbtui.viewstate.tag_tree import unfolded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.loading.state import LoadState
    from tbtui.plugins.base import Plugin
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.colours import RunColours
    from tbtui.viewstate.facts import RunFacts
    from tbtui.viewstate.view import View

NOTHING: frozenset[str] = frozenset()


@frozen
class Outlook:
    """One consistent picture of what is loaded and what is chosen."""

    state: LoadState
    view: View
    conditions: Conditions
    """How the runs stand now."""

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

    unfolded: int
    """How many of those are in no folded group."""

    @property
    def choices(self) -> Choices:
        """What the user chose."""
        return self.view.choices

    @property
    def facts(self) -> Mapping[str, RunFacts]:
        """What is known of each run at a glance."""
        return self.view.facts


def open_plugin(plugins: Sequence[Plugin], tab: str) -> Plugin | None:
    """The chosen tab, or the first where that one has no data."""
    return next((plugin for plugin in plugins if plugin.name == tab), plugins[0] if plugins else None)


class Outlooks:
    """Works outlooks out; what did not change since the last one is the same object.

    Args:
        plugins: All that there are; those without data get no tab.
        colours: Gives new runs their ink.
    """

    def __init__(self, plugins: Sequence[Plugin], colours: RunColours) -> None:
        self._plugins = plugins
        self._colours = colours
        self._facts = FactsCache()
        self._watching = False
        self._conditions = Conditions({}, 0.0)
        self._judged: Mapping[str, RunFacts] | None = None
        self._max_steps: int | None = None
        self._since = 0.0

    def take(self, state: LoadState, now: float) -> None:
        """Look at what is new.

        Args:
            state: The loader's.
            now: When it came, seconds since the epoch. Until all that was there at the start has been read nothing is
                news.
        """
        self._facts.of(state.snapshot, now if self._watching else None)
        self._watching = state.complete

    def of(self, state: LoadState, choices: Choices, now: float) -> Outlook:
        """What there is to show at `now`, seconds since the epoch."""
        view = view_of(state.snapshot, choices, self._colours, self._facts)
        present = frozenset(plugin for known in view.facts.values() for plugin in known.tags)
        with_data = tuple(plugin for plugin in self._plugins if plugin.reads & present)
        plugin = open_plugin(with_data, choices.tab)
        all_tags = tags_of(view.facts, view.runs, plugin.reads) if plugin else NOTHING
        tags = passing_tags(all_tags, choices)
        return Outlook(
            state=state,
            view=view,
            conditions=self._conditions_of(view.facts, now, choices.max_steps),
            plugins=with_data,
            plugin=plugin,
            passing=passing_runs(state.snapshot.runs, choices),
            shown=frozenset(run.name for run in view.runs),
            all_tags=all_tags,
            tags=tags,
            unfolded=unfolded(tags, view.choices.hidden_groups),
        )

    def _conditions_of(self, facts: Mapping[str, RunFacts], now: float, max_steps: int | None) -> Conditions:
        """How the runs stand; worked out anew when there is news, and when what was found no longer holds."""
        holds = self._since <= now < self._conditions.until
        if facts is not self._judged or max_steps != self._max_steps or not holds:
            self._judged, self._max_steps, self._since = facts, max_steps, now
            self._conditions = conditions_of(facts, now, max_steps)
        return self._conditions
