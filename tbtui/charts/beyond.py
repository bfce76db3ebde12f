"""Signs at the ends of the axis of values beyond which there are some that it leaves out.

What they are is told above an opened chart; on a card, and where that line is short, the signs tell that there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.marks import ABOVE_SIGN, BELOW_SIGN
from tbtui.charts.text import write

if TYPE_CHECKING:
    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import Layout

LEFT_SIGN, RIGHT_SIGN = "◂", "▸"
"""Where values stand across."""


def draw_beyond(cells: Cells, layout: Layout, sides: tuple[bool, bool]) -> None:
    """Put the signs onto the axis, where there is a line of one.

    Args:
        cells: The chart; changed in place.
        layout: Of the chart.
        sides: Whether any value is less than the axis of values shows, and whether any is greater.
    """
    plot, (below, above) = layout.plot, sides
    bottom, right = plot.top + plot.height - 1, plot.left + plot.width - 1
    if plot.turned:
        row = bottom + layout.x_line
        places = ((below, LEFT_SIGN, row, plot.left), (above, RIGHT_SIGN, row, right))
    else:
        places = ((below, BELOW_SIGN, bottom, plot.left - 1), (above, ABOVE_SIGN, plot.top, plot.left - 1))
    for is_so, sign, row, column in places:
        if is_so and column >= 0:
            write(cells, row, column, sign, Ink.WARN)
