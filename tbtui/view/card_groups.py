"""Groups of the cards of a view: a heading for each group of tags, and the cards that begin a row.

The groups are those of the tag tree: tags with the same text before the first `/`. A group with a single tag has no
heading, because in a model with a group per layer every card would have one. A folded group shows only its heading.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.view.cards import ShownTags
from tbtui.view.tag_tree import get_group, group_tags

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from tbtui.view.view import View

HEADING = "\0group\0"
"""Start of the key of a heading; no key of a card starts with it."""


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

    headings_of_cards: Mapping[str, str] = field(default_factory=dict)
    """Name of the group above a card, by the key of the card; none for pinned cards."""

    breaks: frozenset[str] = frozenset()
    """Keys of the cards that begin a row: the first one of a tag with a card per run, and the first one after a group.
    """


NO_GROUPS = GroupedCards()

MIN_HEADINGS_HEIGHT = 18
"""Rows of a grid from which on groups of cards have headings: in a lower one they would cost a row of cards."""


def make_heading_key(group: str) -> str:
    """Return the key of the heading of a group."""
    return HEADING + group


class CardGrouping:
    """Groups of the cards of a view; computed again only if cards, tags or settings changed.

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
            tag_of: Returns the tag of a card, or its first tag.
        """
        settings = view.settings
        if settings.overview:
            return NO_GROUPS
        tags = self._tags.ordered(view, everywhere=settings.empty_cards)
        inputs = (keys, tags, settings.tag_filter, settings.hidden_groups, settings.pinned)
        if inputs != self._inputs:
            groups = group_tags(frozenset(filter(view.tag_matches, tags)))
            tags_of_cards = [(key, tag_of(key)) for key in keys]
            self._grouped = group_cards(tags_of_cards, groups, settings.hidden_groups, settings.pinned)
            self._inputs = inputs
        return self._grouped


def group_cards(
    tags_of_cards: Sequence[tuple[str, str]],
    groups: Sequence[tuple[str, Sequence[str]]],
    folded: Collection[str] = (),
    pinned: Collection[str] = (),
) -> GroupedCards:
    """Return cards with the headings of their groups.

    There are no headings if all cards belong to one group, whose name is in their titles.

    Args:
        tags_of_cards: Key and tag of each card, in order; pinned ones come first.
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
    pending_folded = [group for group in headed.values() if group.is_folded]
    pinned_keys = [key for key, _ in tags_of_cards if key in pinned]
    rest = [(key, tag) for key, tag in tags_of_cards if key not in pinned]
    keys, headings = list(pinned_keys), dict[str, CardGroup]()
    headings_of_cards: dict[str, str] = {}
    breaks: set[str] = set()

    def put_heading(group: CardGroup) -> None:
        key = make_heading_key(group.name)
        if key not in headings:
            headings[key] = group
            keys.append(key)

    def put_folded(before: int) -> None:
        while pending_folded and order[pending_folded[0].name] < before:
            put_heading(pending_folded.pop(0))

    previous_group: str | None = None
    for key, tag in rest:
        group = get_group(tag)
        if group != previous_group:
            put_folded(order.get(group, 0))
            if group in headed:
                put_heading(headed[group])
            elif previous_group is None or previous_group in headed:
                breaks.add(key)
            previous_group = group
        keys.append(key)
        if group in headed:
            headings_of_cards[key] = group
    put_folded(len(order))
    return GroupedCards(tuple(keys), headings, headings_of_cards, frozenset(breaks.union(_find_first_cards(rest))))


def _find_first_cards(tags_of_cards: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the first card of each tag that has several cards, and the first card after these."""
    counts: dict[str, int] = {}
    for _, tag in tags_of_cards:
        counts[tag] = counts.get(tag, 0) + 1
    previous_tag: str | None = None
    for key, tag in tags_of_cards:
        if tag != previous_tag and (counts[tag] > 1 or (previous_tag is not None and counts[previous_tag] > 1)):
            yield key
        previous_tag = tag


class CardHeadings:
    """The headings among the cards: those of groups, where a grid is high enough for them, or those of a dashboard."""

    def __init__(self) -> None:
        self.grouped = NO_GROUPS
        """The groups of the cards."""

        self._keys: tuple[str, ...] = ()
        self._own: Collection[str] = ()
        self._has_room = True

    def replace(self, keys: tuple[str, ...], own: Collection[str] = (), grouped: GroupedCards = NO_GROUPS) -> None:
        """Replace the cards.

        Args:
            keys: Keys of the cards, in order.
            own: Those that are headings of the dashboard.
            grouped: The same cards below the headings of their groups.
        """
        self._keys, self._own, self.grouped = keys, own, grouped

    def fit_to(self, height: int) -> None:
        """Decide if there is room for groups; a hidden grid has no height, and will be as high as before."""
        if height:
            self._has_room = height >= MIN_HEADINGS_HEIGHT

    @property
    def _shows_groups(self) -> bool:
        return bool(self.grouped.headings) and (self._has_room or not self._keys)

    @property
    def card_keys(self) -> tuple[str, ...]:
        """Keys of the cards, headings included."""
        return self.grouped.keys if self._shows_groups else self._keys

    @property
    def keys(self) -> Collection[str]:
        """Keys of the headings."""
        return self.grouped.headings if self._shows_groups else self._own

    def name_above(self, key: str) -> str:
        """Return the name of the group in the heading above a card; empty without a heading."""
        return self.grouped.headings_of_cards.get(key, "") if self._shows_groups else ""

    def group_of(self, key: str | None) -> CardGroup | None:
        """Return the group of a heading; None for a card."""
        return None if key is None else self.grouped.headings.get(key)

    def is_passed(self, key: str) -> bool:
        """Return True for the heading of an unfolded group: keys go on to the card after it."""
        group = self.group_of(key)
        return group is not None and not group.is_folded

    def find_stop(self, keys: tuple[str, ...], index: int, step: int, focused: int) -> int:
        """Return the index of a card, or the next one in a direction that keys do not pass.

        Args:
            keys: All cards.
            index: The wished index; it may be beyond the ends.
            step: The direction, 1 or -1.
            focused: Index of the focused card, which is returned if there is nothing to stop at.
        """
        while 0 <= index < len(keys) and self.is_passed(keys[index]):
            index += step
        if 0 <= index < len(keys) or not keys or not self.is_passed(keys[max(0, min(index, len(keys) - 1))]):
            return index
        return focused

    def find_card(self, keys: tuple[str, ...], index: int, step: int) -> int | None:
        """Return the index of the next card in a direction that is no heading; None without one."""
        headings = self.keys
        while 0 <= index < len(keys) and keys[index] in headings:
            index += step
        return index if not keys or keys[max(0, min(index, len(keys) - 1))] not in headings else None

    def find_heading(self, keys: tuple[str, ...], index: int) -> int | None:
        """Return the index of the heading of a group that a card is below, or that it is; None without one."""
        return next((each for each in range(index, -1, -1) if self.group_of(keys[each]) is not None), None)
