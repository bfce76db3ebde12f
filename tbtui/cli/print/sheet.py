"""What is printed, before anybody knows on what: headings, pictures of cells, tables, words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from tbtui.charts.cells import Ink
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from tbtui.charts.cells import Cells


class Piece(NamedTuple):
    """Text of one look, safe for a terminal."""

    text: str
    ink: int = Ink.TEXT
    pair: int = 0
    """True colours in place of the ink, as `charts.cells.colour_pairs` gives them; 0: none."""


@frozen
class Heading:
    """What the blocks below it are of."""

    text: str
    """Not yet made safe for a terminal; the note is."""

    note: str = ""
    ink: int = Ink.BOLD


@frozen(eq=False)
class Picture:
    """A chart."""

    cells: Cells


@frozen
class Pieces:
    """Rows that are as wide as they are: bars."""

    rows: tuple[tuple[Piece, ...], ...]


Align: TypeAlias = Literal["left", "right", "number"]


@frozen
class Column:
    """One column of a table."""

    title: str
    align: Align = "number"
    """To which side; numbers have their decimal points in line."""

    worth: int = 0
    """Where a table is too wide, columns of the least worth are left out first. One of worth 0 always stays."""


@frozen
class Table:
    """Rows of cells. A cell is safe for a terminal, but for those of the column of names."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Piece, ...], ...]
    """Each as long as the columns are many."""

    names: int = 0
    """Index of the column of names (of runs, of tags): it is cut where the table is too wide, and names stay apart."""

    broken: bool = False
    """Whether a table that is too wide goes on below itself instead of losing columns."""

    verbatim: bool = False
    """Whether a name that is too long is cut by itself, whatever the others are: it is a text, or it is indented."""


@frozen
class Words:
    """Sentences about what is above them, safe for a terminal, each wrapped where it is too long."""

    lines: tuple[str, ...]
    ink: int = Ink.DIM
    apart: bool = False
    """Whether they are about all that is above, not only about what is right above."""


@frozen
class Quoted:
    """Lines from a file, safe for a terminal: as they were written, wrapped where they are too long."""

    lines: tuple[str, ...]


Block: TypeAlias = "Heading | Picture | Pieces | Table | Words | Quoted"
