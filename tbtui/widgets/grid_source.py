"""The data source of a table widget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from tbtui.widgets.line import Piece
    from tbtui.widgets.row_list import Row

Cell: TypeAlias = "tuple[Piece, ...]"
"""One cell, drawn from the left end of its column: numbers contain the blanks that align them."""

CellsOfColumn: TypeAlias = "tuple[str, Mapping[str, Cell]]"
"""Key of a column, and its cells by row key; missing rows are not computed yet."""


@frozen
class Head:
    """The head of a column."""

    title: str
    """Any text; it is made safe when drawn, and its middle is cut if it is too long."""

    width: int
    """Terminal columns of the column, at least 1. Must not depend on the visible rows, or columns would jump."""

    group: str = ""
    """Neighbouring columns of one group share a line above their titles."""

    sign: str = ""
    """`▲` or `▼` if the rows are sorted by this column."""

    at_right: bool = True
    """True: the title is right-aligned, as above numbers; False: left-aligned, as above texts."""


class GridSource(Protocol):
    """Rows, columns and cells of one table. All members but `cells` run on the UI thread and must be fast."""

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
        """Identity of what the cells mean: old cells of another meaning are removed at once."""

    def head(self, column: str) -> Head:
        """Return the head of a column."""

    def cells(self, columns: Sequence[str], rows: Sequence[str]) -> Iterator[CellsOfColumn]:
        """Yield the cells of columns, the given rows first. Runs off the UI thread.

        A column may be yielded several times, with more rows each time; equal cells should be the same mapping.
        """
