"""Which tags of a dashboard are shown, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.viewstate.order import natural_key
from tbtui.viewstate.tag_tree import group_of

if TYPE_CHECKING:
    from tbtui.viewstate.view import View

NO_TAGS: frozenset[str] = frozenset()


class ShownTags:
    """The tags that are shown; worked out anew only where runs or choices changed.

    With 300 runs of 5,000 tags a live update looks at the tags of one run, and sorts none when it brought no new tag.

    Args:
        plugin: Plugin name of the series whose tags are meant.
    """

    def __init__(self, plugin: str) -> None:
        self._plugin = plugin
        self._held: tuple[frozenset[str], ...] = ()
        self._ordered: tuple[str, ...] = ()
        self._asked: tuple[object, ...] = ()
        self._shown: tuple[str, ...] = ()

    def of(self, view: View) -> tuple[str, ...]:
        """Tags with at least one point in the runs that are drawn, filtered, groups together, in natural order.

        As long as the answer is the same it is the same object.
        """
        choices = view.choices
        asked = (self.ordered(view), choices.tag_filter, choices.hidden_groups)
        if asked != self._asked:
            hidden = choices.hidden_groups
            self._shown = tuple(tag for tag in asked[0] if group_of(tag) not in hidden and view.tag_matches(tag))
            self._asked = asked
        return self._shown

    def ordered(self, view: View, *, everywhere: bool = False) -> tuple[str, ...]:
        """Every tag of the drawn runs, or of all runs, whatever is filtered and folded; groups together, in order."""
        runs = view.facts if everywhere else [run.name for run in view.runs]
        # Comparing is quick: the sets of runs that did not change are the same objects.
        held = tuple(view.facts[run].tags.get(self._plugin, NO_TAGS) for run in runs)
        if held != self._held:
            self._held = held
            tags = NO_TAGS.union(*held)
            if tags != frozenset(self._ordered):
                self._ordered = tuple(sorted(tags, key=natural_key))
        return self._ordered
