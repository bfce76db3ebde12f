"""The cards of a grid, the focused one and the marked ones, by key: cards may come and go. The headings among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.view.card_groups import NO_GROUPS

if TYPE_CHECKING:
    from collections.abc import Collection

    from tbtui.view.card_groups import CardGroup, GroupedCards

MIN_HEADINGS_HEIGHT = 18
"""Rows of a grid from which on groups of cards have headings: in a lower one they would cost a row of cards."""


class CardKeys:
    """Holds the keys of the cards in order, the focused one, and the marked ones.

    The first card has the focus until the user chooses one. When the chosen card goes, its neighbour gets the focus and
    keeps it wherever it moves; the chosen card has it again when it comes back.
    """

    def __init__(self) -> None:
        self.keys: tuple[str, ...] = ()
        self.index = 0
        """Index of the focused card; 0 without any card."""

        self.touched = False
        """True once the user has moved: from then on nothing moves by itself."""

        self._indices: dict[str, int] = {}
        self._chosen: str | None = None
        self._marked: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.keys)

    def __contains__(self, key: object) -> bool:
        return key in self._indices

    @property
    def focused(self) -> str | None:
        """Return the key of the focused card; None without any card."""
        return self.keys[self.index] if self.keys else None

    def index_of(self, key: str) -> int:
        """Return the index of a card.

        Raises:
            KeyError: There is no such card.
        """
        return self._indices[key]

    def replace(self, keys: tuple[str, ...], first: int = 0) -> None:
        """Replace the cards; until the user chooses one, the card at index `first` has the focus."""
        focused, neighbour = self.focused, max(0, min(self.index, len(keys) - 1))
        self.keys = keys
        self._indices = {key: index for index, key in enumerate(keys)}
        known = (self._indices[key] for key in (self._chosen, focused) if key in self._indices)
        self.index = next(known, neighbour) if self.touched else first

    def choose(self, index: int) -> None:
        """Focus a card by its index, clamped to the cards there are."""
        if self.keys:
            self.touched = True
            self.index = max(0, min(index, len(self.keys) - 1))
            self._chosen = self.keys[self.index]

    @property
    def marked(self) -> tuple[str, ...]:
        """Return the marked cards, in order; one that went counts again when it comes back."""
        return tuple(key for key in self.keys if key in self._marked) if self._marked else ()

    def is_marked(self, key: str) -> bool:
        """Return True if a card is marked."""
        return key in self._marked

    def expect(self, key: str) -> None:
        """Focus a card as soon as there is such a card."""
        self.touched = True
        self._chosen = key

    def mark(self) -> None:
        """Mark the focused card, or unmark it."""
        if self.focused is not None:
            self._marked ^= {self.focused}

    def unmark(self) -> None:
        """Unmark all cards."""
        self._marked = frozenset()


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
