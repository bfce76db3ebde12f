"""Where pictures are on the screen that are no text, and what has to be done so that they are elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable


@frozen
class Area:
    """A rectangle of cells on the screen."""

    row: int
    """Of the upper left cell, from 0."""

    column: int
    rows: int
    columns: int

    def meets(self, other: Area) -> bool:
        """Whether both have a cell in common."""
        down = self.row < other.row + other.rows and other.row < self.row + self.rows
        return down and self.column < other.column + other.columns and other.column < self.column + self.columns

    def holds(self, other: Area) -> bool:
        """Whether all cells of the other one are its own."""
        down = self.row <= other.row and other.row + other.rows <= self.row + self.rows
        return down and self.column <= other.column and other.column + other.columns <= self.column + self.columns


@frozen
class Placed:
    """A picture on the screen."""

    key: Hashable
    """Of all that its look depends on: another key is another picture."""

    area: Area


@frozen
class Moves:
    """What is to be done, in this order."""

    gone: tuple[Placed, ...]
    """To be taken away; sixels are, when the cells of their area are drawn anew."""

    come: tuple[Placed, ...]
    """To be drawn, once all text is."""


def moves(before: Iterable[Placed], after: Iterable[Placed], painted: Iterable[Area] = ()) -> Moves:
    """From what is on the screen to what is to be there.

    Args:
        before: What is there.
        after: What is to be there.
        painted: Where text is drawn meanwhile. Sixels are covered by it, and drawn again; what lies over the text is
            not, and has nothing painted. What is taken away counts as painted, too.
    """
    old, new = tuple(before), tuple(after)
    gone = tuple(placed for placed in old if placed not in new)
    covered = (*painted, *(placed.area for placed in gone))
    come = (placed for placed in new if placed not in old or any(placed.area.meets(area) for area in covered))
    return Moves(gone, tuple(come))
