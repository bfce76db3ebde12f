"""Shapes of a drawing, which becomes SVG or PNG.

Lengths are in units; a character cell is `CELL_WIDTH` x `CELL_HEIGHT` units. x grows to the right, y downwards.
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
"""Position of frame lines in a cell: a line one unit wide then fills whole pixels."""


@frozen(eq=False)
class Boxes:
    """Filled rectangles of one colour with sharp edges."""

    rows: Floats
    """float64[n, 4]: left, top, width, height."""

    colour: str
    """`#rrggbb`, as everywhere below."""


@frozen(eq=False)
class Stroke:
    """Polylines with round ends and corners."""

    points: Floats
    """float64[n, 2]; a row of NaN separates two lines. A line of one point is a round dot."""

    colour: str
    width: float
    dashes: tuple[float, ...] = ()
    """Lengths of a dash and of the gap after it; empty: solid."""


@frozen(eq=False)
class Fill:
    """Filled polygons."""

    points: Floats
    """float64[n, 2]; a row of NaN separates two polygons."""

    colour: str
    opacity: float = 1.0


@frozen
class TextLine:
    """Text in one line of cells."""

    left: float
    top: float
    """Top of its first cell."""

    columns: int
    """Number of cells; a character takes one or two."""

    text: str
    """Text from `charts.text.safe`; never empty."""

    colour: str
    bold: bool = False


Shape: TypeAlias = "Boxes | Stroke | Fill | TextLine"


@frozen(eq=False)
class Drawing:
    """A whole picture."""

    width: int
    height: int
    """Size in units; at least 1."""

    shapes: tuple[Shape, ...]
    """Shapes from back to front."""

    ground: str | None
    """Background colour; None: transparent."""

    title: str = ""
    """Title for screen readers; any text."""
