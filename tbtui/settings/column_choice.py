"""Arrangement of the columns of a table by the user: moved, pinned, hidden, shown.

The table of every dashboard has the same keys for it (`widgets/column_keys.py`), and keeps its `ColumnChoice` in its
settings.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.settings.declaration import record_of, setting
from tbtui.settings.kinds import Flag, Names, String, TupleOf

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@frozen
class ColumnChoice:
    """The columns that the user arranged, by key."""

    first: tuple[str, ...] = setting((), TupleOf(String()))
    """Columns that precede all others but the pinned ones, in this order."""

    pinned: tuple[str, ...] = setting((), TupleOf(String()))
    """Columns before all others, which stay in sight while the others scroll."""

    hidden: frozenset[str] = setting(frozenset(), Names())
    shown: frozenset[str] = setting(frozenset(), Names())
    """Columns that the table puts aside, and the user shows."""

    shows_all: bool = setting(False, Flag())
    """Show hidden columns, and those that the table puts aside."""

    def arrange(self, usual: Iterable[str], aside: Iterable[str] = ()) -> tuple[str, ...]:
        """Return the keys of the shown columns in their order.

        Args:
            usual: Columns that are shown unless the user hides them, in the order of the table.
            aside: Columns that are shown if the user asks for them, in the order of the table.
        """
        usual = dict.fromkeys(usual)
        every = usual | dict.fromkeys(aside)
        if not (self.first or self.pinned or self.hidden or self.shown):
            return tuple(every if self.shows_all else usual)
        shown = set(every if self.shows_all else (usual.keys() - self.hidden) | self.shown | set(self.pinned))
        return tuple(key for key in dict.fromkeys([*self.pinned, *self.first, *every]) if key in shown and key in every)

    def with_moved(self, key: str, distance: int, keys: Sequence[str]) -> ColumnChoice:
        """Move a column among the shown ones. Pinned columns stay before all others.

        Args:
            key: Column to move.
            distance: Places to the right.
            keys: Shown columns in their order.
        """
        pinned = [other for other in keys if other in self.pinned]
        others = [other for other in keys if other not in self.pinned]
        order = pinned if key in pinned else others
        if key not in order:
            return self
        position = order.index(key)
        target = max(0, min(position + distance, len(order) - 1))
        order.insert(target, order.pop(position))
        if order is pinned:
            return replace(self, pinned=tuple(pinned))
        # Columns behind both places keep the order of the table, which may change with the data.
        arranged = order[
            : max(position, target, *(order.index(other) for other in self.first if other in order), 0) + 1
        ]
        return replace(self, first=tuple(arranged))

    def with_pin_switched(self, key: str) -> ColumnChoice:
        """Pin a column after the pinned ones, or unpin it."""
        if key in self.pinned:
            return replace(self, pinned=tuple(other for other in self.pinned if other != key))
        return replace(self, pinned=(*self.pinned, key), hidden=self.hidden - {key})

    def with_hidden_switched(self, key: str, aside: Iterable[str] = ()) -> ColumnChoice:
        """Hide a column; if all columns are shown, include a column that is hidden otherwise."""
        if self.shows_all and (key in self.hidden or (key in set(aside) and key not in self.shown)):
            return replace(self, hidden=self.hidden - {key}, shown=self.shown | {key})
        pinned = tuple(other for other in self.pinned if other != key)
        return replace(self, hidden=self.hidden | {key}, shown=self.shown - {key}, pinned=pinned)

    def with_all_switched(self) -> ColumnChoice:
        """Show all columns, or again only those that are not hidden."""
        return replace(self, shows_all=not self.shows_all)


NO_CHOICE = ColumnChoice()
CHOICE_KIND = record_of(ColumnChoice)
