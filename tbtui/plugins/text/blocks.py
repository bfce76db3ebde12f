"""What a document is made of, before anybody knows how wide the screen is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from tbtui.plugins.text.lines import Pieces

Lines: TypeAlias = "tuple[Pieces, ...]"
"""Lines as whoever wrote the text broke them."""

Align: TypeAlias = Literal["left", "right", "center"]


@frozen(eq=False)
class Heading:
    """A title of level 1, the greatest, to 6."""

    level: int
    lines: Lines


@frozen(eq=False)
class Paragraph:
    """Text that is broken at blanks where it is too long for a line."""

    lines: Lines


@frozen(eq=False)
class Code:
    """Lines that stand as they were written."""

    lines: Lines


@frozen(eq=False)
class Quote:
    """Blocks that somebody else said."""

    blocks: Blocks


@frozen(eq=False)
class Items:
    """A list."""

    items: tuple[Blocks, ...]
    first: int | None = None
    """Number of the first item; None where they have dots."""

    tight: bool = True
    """Whether no blank lines stand between the items."""


@frozen(eq=False)
class Grid:
    """A table. All its rows have equally many cells."""

    header: tuple[Blocks, ...]
    """Empty for a table without."""

    rows: tuple[tuple[Blocks, ...], ...]
    aligns: tuple[Align, ...]


@frozen(eq=False)
class Ruler:
    """A line from side to side."""


Block: TypeAlias = "Heading | Paragraph | Code | Quote | Items | Grid | Ruler"
Blocks: TypeAlias = "tuple[Block, ...]"
