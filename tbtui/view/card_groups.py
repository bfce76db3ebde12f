"""Groups of the cards of a view: a heading for each group of tags, and the cards that begin a row.

The groups are those of the tag tree: tags with the same text before the first `/`. A tag that is alone in its group has
no heading: of a model with a group for each layer every card would have one. A folded group shows its heading alone.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.view.cards import ShownTags
from tbtui.view.run_tree import group_of, tags_by_group

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from tbtui.view.view import View

HEADING = "\0group\0"
"""Beginning of the key of a heading; no key of a card begins so."""


@frozen
class CardGroup:
    """A heading of the grid."""

    name: str
    """The text before the first `/` of its tags; not yet safe for a terminal."""

    tags: int
    """Number of its tags that pass the filter."""

    is_folded: bool = False


@frozen
class GroupedCards:
    """Keys of cards and headings in order."""

    keys: tuple[str, ...] = ()
    headings: Mapping[str, CardGroup] = field(default_factory=dict)
    """Groups by the key of their heading."""

    breaks: frozenset[str] = frozenset()
    """Keys of the cards that begin a row: the first of a tag with a card for each run, and of what has no heading."""


NO_GROUPS = GroupedCards()


def heading_key(group: str) -> str:
    """Return the key of the heading of a group."""
    return HEADING + group


class CardGrouping:
    """Groups of the cards of the views so far; computed again only if cards, tags or settings changed.

    Args:
        plugin: Plugin name of the series.
    """

    def __init__(self, plugin: str) -> None:
        self._tags = ShownTags(plugin)
        self._inputs: tuple[object, ...] = ()
        self._grouped = NO_GROUPS

    def of(self, view: View, keys: tuple[str, ...], tag_of: Callable[[str], str]) -> GroupedCards:
        """Return the groups of the cards of a view.

        Args:
            view: The view; in its overview cards have no headings.
            keys: Keys of the cards, in order.
            tag_of: Returns the tag of a card, the first one of several.
        """
        settings = view.settings
        if settings.overview:
            return NO_GROUPS
        tags = self._tags.ordered(view, everywhere=settings.empty_cards)
        inputs = (keys, tags, settings.tag_filter, settings.hidden_groups, settings.pinned)
        if inputs != self._inputs:
            groups = tags_by_group(frozenset(filter(view.tag_matches, tags)))
            places = [(key, tag_of(key)) for key in keys]
            self._grouped = group_cards(places, groups, settings.hidden_groups, settings.pinned)
            self._inputs = inputs
        return self._grouped


def group_cards(
    places: Sequence[tuple[str, str]],
    groups: Sequence[tuple[str, Sequence[str]]],
    folded: Collection[str] = (),
    pinned: Collection[str] = (),
) -> GroupedCards:
    """Return cards with the headings of their groups.

    There are no headings if all cards belong to one group: its name is in their titles.

    Args:
        places: Key and tag of each card, in order; pinned ones come first.
        groups: All groups with their tags, in order.
        folded: Names of the folded groups.
        pinned: Keys of pinned cards, which stay above all headings.
    """
    order = {name: index for index, (name, _) in enumerate(groups)}
    headed = {
        name: CardGroup(name, len(tags), name in folded) for name, tags in groups if len(tags) > 1 or name in folded
    }
    if len(groups) < 2 and not any(group.is_folded for group in headed.values()):
        headed = {}
    waiting = [group for group in headed.values() if group.is_folded]
    first = [key for key, _ in places if key in pinned]
    rest = [(key, tag) for key, tag in places if key not in pinned]
    keys, headings = list(first), dict[str, CardGroup]()
    breaks: set[str] = set()

    def put_heading(group: CardGroup) -> None:
        key = heading_key(group.name)
        if key not in headings:
            headings[key] = group
            keys.append(key)

    def put_folded(before: int) -> None:
        while waiting and order[waiting[0].name] < before:
            put_heading(waiting.pop(0))

    former: str | None = None
    for key, tag in rest:
        group = group_of(tag)
        if group != former:
            put_folded(order.get(group, 0))
            if group in headed:
                put_heading(headed[group])
            elif former is None or former in headed:
                breaks.add(key)
            former = group
        keys.append(key)
    put_folded(len(order))
    return GroupedCards(tuple(keys), headings, frozenset(breaks.union(_first_of_tags(rest))))


def _first_of_tags(places: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the first card of each tag that has several cards, and the first card after these."""
    counts: dict[str, int] = {}
    for _, tag in places:
        counts[tag] = counts.get(tag, 0) + 1
    former: str | None = None
    for key, tag in places:
        if tag != former and (counts[tag] > 1 or (former is not None and counts[former] > 1)):
            yield key
        former = tag
