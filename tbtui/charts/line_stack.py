"""A chart of many lines, for those who still ask for it here: `draw_line_chart` draws them at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.line_chart import draw_line_chart

if TYPE_CHECKING:
    from datetime import tzinfo

    from tbtui.charts.cells import Cells
    from tbtui.charts.line_chart import LineChart


class LineStack:
    """Draws a chart."""

    def draw(self, chart: LineChart, width: int, height: int, zone: tzinfo | None = None) -> Cells:
        """As `draw_line_chart`."""
        return draw_line_chart(chart, width, height, zone)
