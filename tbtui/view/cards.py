"""Which cards a dashboard has that shows one run at a time: one for each tag of each run, or one a tag for all runs.

Such a card is known by its key: the tag where it shows all runs, otherwise the run and the tag with a null character
between them, which the name of a run cannot hold.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from tbtui.charts.text import visible_name
from tbtui.frozen import frozen
from tbtui.view.run_tree import group_of, natural_key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.view.view import View


# Which tags of a dashboard are shown, and in which order.


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


SUFFIXES = ("/histogram_summary", "/histogram", "/pr_curves")
"""Appended to what the user called a tag by TensorFlow 1's summary ops, and by Keras."""


def card_key(run: str, tag: str) -> str:
    """The key of the card of one tag of one run."""
    return f"{run}\0{tag}"


@frozen
class RunCards:
    """The cards of one view."""

    keys: tuple[str, ...] = ()
    """In order."""

    places: Mapping[str, tuple[str | None, str]] = field(default_factory=dict)
    """Key to run and tag; no run where the card shows all that are drawn."""

    def tag_of(self, key: str) -> str:
        """The tag that a card shows; a key that is not heard of is a tag."""
        return self.places.get(key, (None, key))[1]

    def run_of(self, key: str) -> str | None:
        """The run that a card shows; None for one of all drawn runs."""
        return self.places.get(key, (None, key))[0]

    def key_of(self, tag: str) -> str:
        """The key of the first card that shows `tag`."""
        return next((key for key in self.keys if self.places[key][1] == tag), tag)

    def counterpart(self, key: str) -> str | None:
        """The card that stands for `key` of cards among which runs stood apart, or together; None without any.

        It is the same one where there still is one; of a tag the first run's, of a run the one for all.
        """
        if key in self.places:
            return key
        *run, tag = key.split("\0", 1)
        found = tag if run else self.key_of(tag)
        return found if found in self.places else None

    def successor(self, key: str) -> str | None:
        """Return the card that replaces card `key`: its counterpart, otherwise the first card of its tag, or None."""
        found = self.counterpart(key)
        if found is None:
            found = self.key_of(key.split("\0", 1)[-1])
        return found if found in self.places else None

    def title_of(self, key: str) -> str:
        """What a card is called; not yet made safe for a terminal. Its run is told elsewhere."""
        return card_title(self.tag_of(key))

    def name_of(self, key: str) -> str:
        """Return the title of a card with its run, if it shows one run; not yet safe for a terminal."""
        run, title = self.run_of(key), self.title_of(key)
        return title if run is None else f"{title} of {run}"


class ShownRunCards:
    """The cards of the views seen so far; worked out anew only where runs, tags or choices changed.

    Args:
        plugin: Plugin name of the series whose tags are meant.
        together: Whether every card shows all drawn runs; None: as chosen.
    """

    def __init__(self, plugin: str, *, together: bool | None = None) -> None:
        self._plugin = plugin
        self._together = together
        self._tags = ShownTags(plugin)
        self._asked: tuple[object, ...] = ()
        self._cards = RunCards()

    def of(self, view: View) -> RunCards:
        """Pinned cards first; then tag by tag, of each tag run by run, in the order of the run tree.

        Tags stand in natural order, groups together; in the overview as the first run that holds them has written them,
        which is the order of a model's layers. As long as the answer is the same it is the same object.
        """
        choices = view.choices
        tags = self._tags.of(view)
        together = choices.runs_together if self._together is None else self._together
        runs = () if together else tuple(run.name for run in view.runs)
        held = tuple(view.facts[run].tags.get(self._plugin, NO_TAGS) for run in runs)
        if choices.overview:
            tags = _as_written(view, tags)
        asked = (tags, runs, held, choices.pinned, together)
        if asked != self._asked:
            self._cards = _cards(tags, runs, held, choices.pinned, together=together)
            self._asked = asked
        return self._cards


def _cards(
    tags: Sequence[str],
    runs: Sequence[str],
    held: Sequence[frozenset[str]],
    pinned: Sequence[str],
    *,
    together: bool,
) -> RunCards:
    places: dict[str, tuple[str | None, str]] = {}
    for tag in tags:
        if together:
            places[tag] = None, tag
        else:
            places.update(
                (card_key(run, tag), (run, tag)) for run, known in zip(runs, held, strict=True) if tag in known
            )
    first = [key for key in dict.fromkeys(pinned) if key in places]
    return RunCards(tuple(dict.fromkeys([*first, *places])), places)


def _as_written(view: View, tags: Sequence[str]) -> tuple[str, ...]:
    """Tags in the order in which they first came up in the first drawn run that holds them."""
    wanted, ordered = set(tags), dict[str, None]()
    for run in view.runs:
        ordered.update((tag, None) for tag in run.series if tag in wanted)
        if len(ordered) == len(wanted):
            break
    return tuple(ordered)


def card_title(tag: str) -> str:
    """The title of a tag's card as far as the tag alone tells."""
    for suffix in SUFFIXES:
        if tag.endswith(suffix) and tag != suffix:
            tag = tag.removesuffix(suffix)
    return visible_name(tag)
