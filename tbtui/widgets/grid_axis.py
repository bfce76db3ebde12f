"""One direction of a table: its keys, the cursor among them, and which of them is the first in sight."""

from __future__ import annotations

from tbtui.widgets.card_keys import CardKeys


class GridAxis:
    """Rows or columns. Cursor and what is in sight are kept by key while others come, go and change places.

    Until the user moves for the first time both stay at the first.
    """

    def __init__(self) -> None:
        self._keys = CardKeys()
        self.first = 0
        """Index of the first in sight."""

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    @property
    def keys(self) -> tuple[str, ...]:
        """All of them, in order."""
        return self._keys.keys

    @property
    def cursor(self) -> int:
        """Index under the cursor; 0 where there is none."""
        return self._keys.index

    @property
    def key(self) -> str | None:
        """What is under the cursor; None when there is nothing at all."""
        return self._keys.focused

    def index_of(self, key: str) -> int:
        """Place of a key.

        Raises:
            KeyError: When there is no such key.
        """
        return self._keys.index_of(key)

    def replace(self, keys: tuple[str, ...], in_sight: int) -> None:
        """Have other keys: the cursor stays where it is on the screen, or else the first in sight does.

        Args:
            keys: All of them, in order.
            in_sight: How many were in sight.
        """
        if keys == self.keys:
            return
        offset, before = self.cursor - self.first, self.keys[self.first :]
        self._keys.replace(keys)
        if not self._keys.touched:
            self.first = 0
        elif 0 <= offset < in_sight:
            self.first = max(self.cursor - offset, 0)
        else:
            left = (self.index_of(key) for key in before if key in self._keys)
            self.first = next(left, max(min(self.first, len(keys) - 1), 0))

    def choose(self, index: int) -> None:
        """Put the cursor on one by its index; beyond either end is the last there."""
        self._keys.choose(index)

    def scroll(self, first: int) -> None:
        """Have another first in sight; the cursor stays."""
        self._keys.touched = True
        self.first = first
