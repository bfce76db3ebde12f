"""A drawing: what a picture of charts is made of, before it is SVG or PNG.

Lengths are in units of which a character cell has `CELL_WIDTH` x `CELL_HEIGHT`; x grows to the right, y downwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]

CELL_WIDTH, CELL_HEIGHT = 8, 18
"""Units of a character cell."""

MIDDLE_X, MIDDLE_Y = 4.5, 9.5
"""Where the lines of frames run in a cell: a line one unit wide then fills whole pixels."""


@frozen(eq=False)
class Boxes:
    """Filled rectangles of one colour, whose edges are sharp."""

    rows: Floats
    """float64[n, 4]: left, top, width, height."""

    colour: str
    """`#rrggbb`, here and below."""


@frozen(eq=False)
class Stroke:
    """Lines with round ends and corners."""

    points: Floats
    """float64[n, 2]; a row of NaN lies between two lines. A line of one point is a round dot."""

    colour: str
    width: float
    dashes: tuple[float, ...] = ()
    """Lengths of a dash and of the pause behind it; empty: solid."""


@frozen(eq=False)
class Fill:
    """Filled polygons."""

    points: Floats
    """float64[n, 2]; a row of NaN lies between two polygons."""

    colour: str
    opacity: float = 1.0


@frozen
class TextLine:
    """Text in one line of cells."""

    left: float
    top: float
    """Of its first cell."""

    columns: int
    """Cells that it takes: its characters take one or two each."""

    text: str
    """Of what `charts.text.safe` lets through, and never empty."""

    colour: str
    bold: bool = False


Shape: TypeAlias = "Boxes | Stroke | Fill | TextLine"


@frozen(eq=False)
class Drawing:
    """A whole picture."""

    width: int
    height: int
    """In units; both at least 1."""

    shapes: tuple[Shape, ...]
    """From below."""

    ground: str | None
    """What it lies on; None: whatever the page has."""

    title: str = ""
    """What it is called, for readers of screens; any text."""
