"""Where the boxes of a diagram lie and its links run: ranks from inputs to outputs, and lines between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tbtui.graphs.diagram import Diagram
    from tbtui.graphs.places import Layout, Measure

BREADTH = 160
"""Columns that a diagram may take beside the flow before what is side by side is put into several rows."""


def lay_out(diagram: Diagram, measure: Measure, *, across: bool = False, breadth: int = BREADTH) -> Layout:
    """Give every box a place and every link a route.

    Boxes never overlap; routes run between them, and cross no box and no border but where they begin and end. What is
    inside an opened box is laid out by the same rules. The same diagram gets the same layout.

    Args:
        diagram: Any: with cycles, without links, of thousands of boxes.
        measure: How large boxes and labels are; `charts.diagram_faces` has one for each zoom level.
        across: Flow from left to right instead of down.
        breadth: Cells across the flow (columns, or rows when the flow is `across`) that are filled before boxes side
            by side go on in the next row; a box that is wider is not cut.
    """
    raise NotImplementedError
