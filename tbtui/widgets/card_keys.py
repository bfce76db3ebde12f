"""The cards of a grid, the focused one and the marked ones, by key: cards may come and go."""

from __future__ import annotations


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
