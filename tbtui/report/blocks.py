"""Parts of a report before they are rendered: headings, pictures of cells, tables, notes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from tbtui.charts.cells import Ink
from tbtui.charts.number_columns import format_columns
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.cells import Cells


class InkText(NamedTuple):
    """Text of one style, safe for a terminal."""

    text: str
    ink: int = Ink.TEXT
    pair: int = 0
    """True colours that replace the ink, encoded as in `charts.cells.colour_pairs`; 0: none."""


@frozen
class Heading:
    """Title of the blocks below it."""

    text: str
    """Title, not yet safe for a terminal; `note` is safe."""

    note: str = ""
    ink: int = Ink.BOLD


@frozen(eq=False)
class Picture:
    """A chart or an image as character cells."""

    cells: Cells


@frozen
class InkTextRows:
    """Rows of a fixed width, such as bars, which are neither truncated nor wrapped."""

    rows: tuple[tuple[InkText, ...], ...]


Align: TypeAlias = Literal["left", "right", "number"]


@frozen
class Column:
    """One column of a table."""

    title: str
    align: Align = "number"
    """Side of the cells; `number` aligns decimal points."""

    priority: int = 0
    """Columns with the lowest priority are dropped first from a table that is too wide; 0 is never dropped."""


@frozen
class Table:
    """Rows of cells, all safe for a terminal except those of the name column."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[InkText, ...], ...]
    """One cell for each column."""

    name_column: int = 0
    """Index of the column of run or tag names, which are cut in a table that is too wide, but stay distinct."""

    continues_below: bool = False
    """True if a table that is too wide continues below instead of dropping columns."""

    is_verbatim: bool = False
    """True if names are cut independently of each other, because they are texts or indented."""


@frozen
class Notes:
    """Sentences about the blocks above, safe for a terminal; each is wrapped."""

    lines: tuple[str, ...]
    ink: int = Ink.DIM
    has_blank_line: bool = False
    """True if a blank line comes first, because the notes refer to all blocks and not only to the last one."""


@frozen
class Quoted:
    """Lines from a file, safe for a terminal, shown as written; long ones are wrapped."""

    lines: tuple[str, ...]


Block: TypeAlias = "Heading | Picture | InkTextRows | Table | Notes | Quoted"

MISSING = InkText("–", Ink.FAINT)
"""Cell without a value."""


def number_pieces(values: Sequence[float | None]) -> list[InkText]:
    """Return the cells of a column of numbers, with enough digits to distinguish them; NaN and Inf are red."""
    return number_columns([values])[0]


def number_columns(columns: Sequence[Sequence[float | None]]) -> list[list[InkText]]:
    """Return the cells of columns of one quantity, with enough digits to distinguish all their numbers."""
    return [
        [
            MISSING if value is None else InkText(text, Ink.TEXT if math.isfinite(value) else Ink.BAD)
            for value, text in zip(values, texts, strict=True)
        ]
        for values, texts in zip(columns, format_columns(columns), strict=True)
    ]
