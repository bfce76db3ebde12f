"""Which cards a grid has, which of them is focused and which are marked: kept by key while cards come and go."""

from __future__ import annotations


class CardKeys:
    """The keys of the cards in order, the focus among them, and those that are marked.

    Until the user chooses a card for the first time the focus is on the first. A chosen card that goes leaves the focus
    to its neighbour, which keeps it wherever it goes, and has it again when it comes back.
    """

    def __init__(self) -> None:
        self.keys: tuple[str, ...] = ()
        self.index = 0
        """Of the focused card; 0 where there is none."""

        self.touched = False
        """Whether the user has moved: from then on nothing moves by itself."""

        self._indices: dict[str, int] = {}
        self._chosen: str | None = None
        self._marked: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.keys)

    def __contains__(self, key: object) -> bool:
        return key in self._indices

    @property
    def focused(self) -> str | None:
        """The focused card; None when there is no card."""
        return self.keys[self.index] if self.keys else None

    def index_of(self, key: str) -> int:
        """Place of a card.

        Raises:
            KeyError: When there is no such card.
        """
        return self._indices[key]

    def replace(self, keys: tuple[str, ...]) -> None:
        """Have other cards."""
        focused, neighbour = self.focused, max(0, min(self.index, len(keys) - 1))
        self.keys = keys
        self._indices = {key: index for index, key in enumerate(keys)}
        known = (self._indices[key] for key in (self._chosen, focused) if key in self._indices)
        self.index = next(known, neighbour) if self.touched else 0

    def choose(self, index: int) -> None:
        """Focus a card by its place; one beyond either end is the last there."""
        if self.keys:
            self.touched = True
            self.index = max(0, min(index, len(self.keys) - 1))
            self._chosen = self.keys[self.index]

    @property
    def marked(self) -> tuple[str, ...]:
        """The marked cards, in order; one that has gone counts again when it comes back."""
        return tuple(key for key in self.keys if key in self._marked) if self._marked else ()

    def is_marked(self, key: str) -> bool:
        """Whether a card is marked."""
        return key in self._marked

    def expect(self, key: str) -> None:
        """Focus a card as soon as it comes."""
        self.touched = True
        self._chosen = key

    def mark(self) -> None:
        """Mark the focused card, or no longer."""
        if self.focused is not None:
            self._marked ^= {self.focused}

    def unmark(self) -> None:
        """Mark no card any more."""
        self._marked = frozenset()
