"""Cards of the Scalars tab and their order: one card for each tag, and one for each set of joined tags.

The key of a plain card is its tag. The key of a joined card begins with a null character and names what joined it, so
that it stays the same while tags come and go, and from session to session.
"""

from __future__ import annotations

import json
from dataclasses import field
from typing import TYPE_CHECKING

from tbtui.charts.text import format_run_name
from tbtui.frozen import frozen
from tbtui.settings.filters import get_filter
from tbtui.view.cards import ShownTags
from tbtui.view.run_tree import measure_common_label
from tbtui.view.tag_tree import TF1_SUFFIX, get_group

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tbtui.settings.settings import TagMerge
    from tbtui.view.view import View


MAX_TITLE_TAGS = 6
"""Tags that the title of a joined card names."""


def measure_common_ends(names: Sequence[str]) -> tuple[int, int]:
    """Return the length of the common prefix and suffix, whole words; each name keeps a middle part."""
    start = measure_common_label(names)
    return start, measure_common_label([name[start:][::-1] for name in names])


def cut_common_ends(names: Sequence[str]) -> tuple[str, ...]:
    """Return names without their common prefix and suffix: `train/loss`, `val/loss` become `train`, `val`."""
    start, end = measure_common_ends(names)
    return tuple(format_run_name(name[start : len(name) - end]) for name in names)


def join_titles(names: Sequence[str]) -> str:
    """Return a title of several names: `loss/{train,val}`."""
    if len(names) == 1:
        return names[0]
    start, end = measure_common_ends(names)
    middles = [name[start : len(name) - end] for name in names]
    more = len(middles) - MAX_TITLE_TAGS
    if more > 1:
        middles[MAX_TITLE_TAGS - 1 :] = [f"⋯+{more + 1}"]
    return f"{names[0][:start]}{{{','.join(middles)}}}{names[0][len(names[0]) - end :]}"


MAX_JOINED_TAGS = 50
"""Tags that a pattern joins in one card; other tags keep cards of their own."""

MAX_KEY_CHARS = 500
"""Characters that the key of a joined card holds in full; the rest is hashed."""


@frozen
class BoundTags:
    """Tags of the bounds of a value in a margin chart; empty where no run has the tag."""

    lower: str = ""
    upper: str = ""


@frozen
class JoinedCard:
    """A card of several tags."""

    key: str
    tags: tuple[str, ...]
    """Tags in the order of their dash patterns; a card that the user joined has at least one, in natural order."""

    joint: TagMerge | None
    """The setting that joined the tags; removing it splits the card. None: a layout made the card."""

    title: str = ""
    """Title that a layout gives; empty: the tags are the title."""

    bounds: Mapping[str, tuple[BoundTags, ...]] = field(default_factory=dict)
    """Bounds of each tag of a margin chart: of its band, then of others around the same value."""

    notes: tuple[str, ...] = ()
    """Parts of the layout that the chart lacks, one sentence each; not yet safe for a terminal."""


@frozen
class Cards:
    """The cards of one view."""

    keys: tuple[str, ...] = ()
    """Keys in order."""

    joined: Mapping[str, JoinedCard] = field(default_factory=dict)
    """Joined cards by key, including those that are not shown now."""

    def list_tags(self, key: str) -> tuple[str, ...]:
        """Return the tags of card `key`; an unknown key is a tag."""
        card = self.joined.get(key)
        return (key,) if card is None else card.tags

    def tag_of(self, key: str) -> str:
        """Return the first tag of card `key`."""
        return next(iter(self.list_tags(key)), key)

    def find_merge(self, key: str) -> TagMerge | None:
        """Return the setting that joined the tags of a card; None for a plain card."""
        card = self.joined.get(key)
        return None if card is None else card.joint

    def key_of(self, tag: str) -> str:
        """Return the key of the first card that shows `tag`."""
        return next((key for key, card in self.joined.items() if tag in card.tags), tag)

    def card(self, key: str) -> JoinedCard | None:
        """Return a card of several tags, or of a layout; None for a plain card."""
        return self.joined.get(key)

    def title_of(self, key: str) -> str:
        """Return the title of a card, by its layout or its tags alone; not yet safe for a terminal."""
        card = self.joined.get(key)
        if card is not None and card.title:
            return card.title
        tags = self.list_tags(key) if key in self.joined else _split_tag(key)
        return join_titles([format_plain_title(tag) for tag in tags])

    def name_of(self, key: str) -> str:
        """Return the title of a card; it needs no run name because the card shows all runs."""
        return self.title_of(key)


class CardCache:
    """Cards of the views drawn so far; made again only if tags or settings changed."""

    def __init__(self) -> None:
        self._tags = ShownTags("scalars")
        self._view: View | None = None
        self._inputs: tuple[object, ...] = ()
        self._cards = Cards()

    def of(self, view: View) -> Cards:
        """Return the cards of the visible tags: pinned ones first, then by group, in natural order.

        The same object is returned as long as the cards are the same.
        """
        if view is not self._view:
            settings = view.settings
            tags = self._tags.ordered(view, everywhere=settings.empty_cards)
            inputs = (tags, settings.tag_filter, settings.hidden_groups, settings.pinned, settings.joints)
            if inputs != self._inputs:
                self._cards = _build_cards(view, tags)
            self._inputs, self._view = inputs, view
        return self._cards


def _build_cards(view: View, tags: tuple[str, ...]) -> Cards:
    settings = view.settings
    joined = {card.key: card for joint in settings.joints for card in build_joined_cards(joint, tags)}
    pinned = frozenset(settings.pinned)

    def is_shown(key: str, tags: Sequence[str]) -> bool:
        """Return True if a card shows: a collapsed group hides its cards, except pinned ones."""
        passing = (tag for tag in tags if key in pinned or get_group(tag) not in settings.hidden_groups)
        return any(map(view.tag_matches, passing))

    usual = tuple(key for key, card_tags in _sort_groups(tags, joined) if is_shown(key, card_tags))
    shown = pinned.intersection(usual)
    first = tuple(key for key in dict.fromkeys(settings.pinned) if key in shown)
    return Cards(first + tuple(key for key in usual if key not in shown) if first else usual, joined)


def _sort_groups(tags: tuple[str, ...], joined: Mapping[str, JoinedCard]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield all cards in natural order with their tags; a joined card takes the place of its first tag."""
    starting: dict[str, list[JoinedCard]] = {}
    for card in joined.values():
        starting.setdefault(card.tags[0], []).append(card)
    merged_tags = {tag for card in joined.values() for tag in card.tags}
    for tag in tags:
        for card in starting.get(tag, ()):
            yield card.key, card.tags
        if tag not in merged_tags and tag not in joined:
            yield tag, (tag,)


def build_joined_cards(joint: TagMerge, tags: Sequence[str]) -> tuple[JoinedCard, ...]:
    """Return the joined cards that a setting makes of existing tags, which are in natural order.

    Tags picked by hand share a card even if only one of them exists. A pattern joins at least two tags with equal
    capture groups; a pattern that is invalid, or takes too long, joins nothing.
    """
    if joint.tags:
        picked = frozenset(joint.tags)
        card_tags = tuple(tag for tag in tags if tag in picked)
        return (JoinedCard(build_joined_key("tags", *joint.tags), card_tags, joint),) if card_tags else ()
    pattern = get_filter(joint.pattern)
    if pattern.check(tags) is not None:
        return ()
    sharing: dict[tuple[str, ...], list[str]] = {}
    for tag in tags:
        words = pattern.words(tag)
        if words is not None:
            sharing.setdefault(words, []).append(tag)
    return tuple(
        JoinedCard(build_joined_key("pattern", joint.pattern, *words), tuple(card_tags[:MAX_JOINED_TAGS]), joint)
        for words, card_tags in sharing.items()
        if len(card_tags) > 1
    )


def build_joined_key(*parts: str) -> str:
    """Return the key of a card of several tags from its origin and tags; long keys are hashed."""
    text = json.dumps(parts)
    if len(text) > MAX_KEY_CHARS:
        from hashlib import blake2b  # rarely needed: do not slow down every start

        text = text[:MAX_KEY_CHARS] + blake2b(text.encode(), digest_size=16).hexdigest()
    return f"\0{text}"


def _split_tag(key: str) -> Sequence[str]:
    """Return the tags or the pattern that a key is made of."""
    if not key.startswith("\0"):
        return (key,)
    try:
        kind, *parts = map(str, json.loads(key[1:]))
    except (TypeError, ValueError):
        parts = []
    else:
        parts = parts if kind == "tags" else parts[1:2] if kind == "layout" else parts[:1]
    return parts or (key[1:],)


def format_plain_title(tag: str) -> str:
    """Return the title of a tag without display name."""
    return tag.removesuffix(TF1_SUFFIX)
