"""The words in the middle of a chart of which nothing can be seen."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width, fit, safe, write

if TYPE_CHECKING:
    from tbtui.charts.cells import Cells
    from tbtui.charts.chart_layout import PlotArea


def say_why(cells: Cells, why: str, plot: PlotArea) -> None:
    """Put the reason where data would stand, wrapped where it must be: what the axes say stays to be read."""
    room = max(plot.width - 2, 1)
    lines = textwrap.wrap(safe(why), room)[: plot.height]
    for y, line in enumerate(lines, plot.top + (plot.height - len(lines)) // 2):
        text = fit(line, room)
        write(cells, y, plot.left + max((plot.width - cell_width(text)) // 2, 0), text, Ink.WARN)
