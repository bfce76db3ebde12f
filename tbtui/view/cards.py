"""Cards and tags of a dashboard: one card for each tag of each run, or one card per tag for all runs.

The key of a card is the tag if it shows all runs, otherwise the run and the tag with a null character between them,
which a run name cannot contain.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from tbtui.charts.text import format_run_name
from tbtui.frozen import frozen
from tbtui.run_health.summaries import unite_tags
from tbtui.view.natural_order import sort_naturally
from tbtui.view.tag_tree import get_group

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.view.view import View


NO_TAGS: frozenset[str] = frozenset()


class ShownTags:
    """Tags that are shown; computed again only if runs or settings changed.

    With 300 runs of 5,000 tags a live update reads the tags of one run, and sorts none unless it brought a new tag.

    Args:
        plugin: Plugin name of the series.
    """

    def __init__(self, plugin: str) -> None:
        self._plugin = plugin
        self._tags_by_run: tuple[frozenset[str], ...] = ()
        self._tags = NO_TAGS
        self._ordered: tuple[str, ...] = ()
        self._inputs: tuple[object, ...] = ()
        self._shown: tuple[str, ...] = ()

    def of(self, view: View) -> tuple[str, ...]:
        """Return tags with at least one point in the drawn runs, filtered, grouped, in natural order.

        An unchanged result is the same object.
        """
        settings = view.settings
        inputs = (self.ordered(view), settings.tag_filter, settings.hidden_groups)
        if inputs != self._inputs:
            hidden = settings.hidden_groups
            self._shown = tuple(tag for tag in inputs[0] if get_group(tag) not in hidden and view.tag_matches(tag))
            self._inputs = inputs
        return self._shown

    def ordered(self, view: View, *, everywhere: bool = False) -> tuple[str, ...]:
        """Return every tag of the drawn runs, or of all runs, ignoring filters and folded groups; grouped, in order."""
        runs = view.summaries if everywhere else [run.name for run in view.runs]
        # Comparing is quick: the sets of runs that did not change are the same objects.
        tags_by_run = tuple(view.summaries[run].tags.get(self._plugin, NO_TAGS) for run in runs)
        if tags_by_run != self._tags_by_run:
            self._tags_by_run = tags_by_run
            tags = unite_tags(tags_by_run)
            if tags != self._tags:
                self._tags = tags
                self._ordered = sort_naturally(tags)
        return self._ordered


SUFFIXES = ("/histogram_summary", "/histogram", "/pr_curves")
"""Suffixes that the summary ops of TensorFlow 1, and Keras, append to the tag of the user."""


def make_card_key(run: str, tag: str) -> str:
    """Return the key of the card of one tag of one run."""
    return f"{run}\0{tag}"


@frozen
class RunCards:
    """The cards of one view."""

    keys: tuple[str, ...] = ()
    """Keys in order."""

    places: Mapping[str, tuple[str | None, str]] = field(default_factory=dict)
    """Key to run and tag; the run is None if the card shows all drawn runs."""

    def tag_of(self, key: str) -> str:
        """Return the tag of a card; an unknown key is a tag."""
        return self.places.get(key, (None, key))[1]

    def run_of(self, key: str) -> str | None:
        """Return the run of a card; None for a card of all drawn runs."""
        return self.places.get(key, (None, key))[0]

    def key_of(self, tag: str) -> str:
        """Return the key of the first card that shows `tag`."""
        return next((key for key in self.keys if self.places[key][1] == tag), tag)

    def find_counterpart(self, key: str) -> str | None:
        """Return the card that replaces `key` after runs were split into cards or joined; None without any.

        It is the same card if that still exists; for a tag the card of the first run, for a run the card of all.
        """
        if key in self.places:
            return key
        *run, tag = key.split("\0", 1)
        other = tag if run else self.key_of(tag)
        return other if other in self.places else None

    def find_successor(self, key: str) -> str | None:
        """Return the card that replaces card `key`: its counterpart, otherwise the first card of its tag, or None."""
        counterpart = self.find_counterpart(key)
        if counterpart is None:
            counterpart = self.key_of(key.split("\0", 1)[-1])
        return counterpart if counterpart in self.places else None

    def title_of(self, key: str) -> str:
        """Return the title of a card without its run; not yet safe for a terminal."""
        return shorten_tag(self.tag_of(key))

    def name_of(self, key: str) -> str:
        """Return the title of a card with its run, if it shows one run; not yet safe for a terminal."""
        run, title = self.run_of(key), self.title_of(key)
        return title if run is None else f"{title} of {run}"


class ShownRunCards:
    """Cards of the latest view; computed again only if runs, tags or settings changed.

    Args:
        plugin: Plugin name of the series.
        together: Whether every card shows all drawn runs; None: as set.
    """

    def __init__(self, plugin: str, *, together: bool | None = None) -> None:
        self._plugin = plugin
        self._together = together
        self._tags = ShownTags(plugin)
        self._inputs: tuple[object, ...] = ()
        self._cards = RunCards()

    def of(self, view: View) -> RunCards:
        """Return pinned cards first; then all tags, each run by run in the order of the run tree.

        Tags are in natural order and grouped; in the overview they are in the order in which the first run that holds
        them wrote them, which is the order of a model's layers. An unchanged result is the same object.
        """
        settings = view.settings
        tags = self._tags.of(view)
        together = settings.runs_together if self._together is None else self._together
        runs = () if together else tuple(run.name for run in view.runs)
        tags_by_run = tuple(view.summaries[run].tags.get(self._plugin, NO_TAGS) for run in runs)
        if settings.overview:
            tags = _order_as_written(view, tags)
        inputs = (tags, runs, tags_by_run, settings.pinned, together)
        if inputs != self._inputs:
            self._cards = _create_cards(tags, runs, tags_by_run, settings.pinned, together=together)
            self._inputs = inputs
        return self._cards


def _create_cards(
    tags: Sequence[str],
    runs: Sequence[str],
    tags_by_run: Sequence[frozenset[str]],
    pinned: Sequence[str],
    *,
    together: bool,
) -> RunCards:
    runs_and_tags: dict[str, tuple[str | None, str]] = {}
    for tag in tags:
        if together:
            runs_and_tags[tag] = None, tag
        else:
            runs_and_tags.update(
                (make_card_key(run, tag), (run, tag))
                for run, known in zip(runs, tags_by_run, strict=True)
                if tag in known
            )
    first = [key for key in dict.fromkeys(pinned) if key in runs_and_tags]
    return RunCards(tuple(dict.fromkeys([*first, *runs_and_tags])), runs_and_tags)


def _order_as_written(view: View, tags: Sequence[str]) -> tuple[str, ...]:
    """Return tags in the order of their first appearance in the first drawn run that holds them."""
    requested, ordered = set(tags), dict[str, None]()
    for run in view.runs:
        ordered.update((tag, None) for tag in run.series if tag in requested)
        if len(ordered) == len(requested):
            break
    return tuple(ordered)


def shorten_tag(tag: str) -> str:
    """Return the title of the card of a tag, without the suffixes of summary ops."""
    for suffix in SUFFIXES:
        if tag.endswith(suffix) and tag != suffix:
            tag = tag.removesuffix(suffix)
    return format_run_name(tag)
