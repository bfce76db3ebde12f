"""What a table shows, to the widget that draws it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from tbtui.widgets.line import Piece
    from tbtui.widgets.row_list import Row

Cell: TypeAlias = "tuple[Piece, ...]"
"""One cell, drawn from the left end of its column: numbers bring the blanks that put them in line."""

CellsOfColumn: TypeAlias = "tuple[str, Mapping[str, Cell]]"
"""Key of a column, and row key to cell; rows that are missing are not worked out yet."""


@frozen
class Head:
    """What stands above a column."""

    title: str
    """Any text; it is made safe when drawn, and loses its middle where it is too long."""

    width: int
    """Terminal columns of the column, at least 1. Must not depend on the rows in sight, or columns would jump."""

    group: str = ""
    """Neighbours of one group share a line above their titles."""

    sign: str = ""
    """`▲` or `▼` where the rows are sorted by it."""

    at_right: bool = True
    """Where the title stands: at the end of a column of numbers, at the beginning of one of texts."""


class GridSource(Protocol):
    """Rows, columns and cells of one table. All but `cells` must take next to no time."""

    @property
    def rows(self) -> Sequence[Row]:
        """The first column, in order; keys are distinct."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Keys of the other columns, in order."""

    @property
    def corner(self) -> str:
        """The title of the first column."""

    @property
    def meaning(self) -> Hashable:
        """What cells say: cells of another meaning are not shown until the new ones are there."""

    def head(self, column: str) -> Head:
        """What stands above a column."""

    def cells(self, columns: Sequence[str], rows: Sequence[str]) -> Iterator[CellsOfColumn]:
        """The cells of the columns, those of the given rows before all others. Runs off the UI thread.

        A column may come several times, with more rows each time; equal cells should be the same mapping as before.
        """
