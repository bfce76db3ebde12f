"""A chart of lines as cells: axes, signs and lines; and which symbol tells which line apart."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.charts.axes_drawing import draw_axes
from tbtui.charts.cells import Cells
from tbtui.charts.chart_layout import chart_layout
from tbtui.charts.end_labels import draw_end_labels
from tbtui.charts.marks import draw_marks, nonfinite_marks
from tbtui.charts.why_blank import say_why
from tbtui.cli.print.plot import draw_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.axis import Axis
    from tbtui.charts.line_chart import Trace
    from tbtui.charts.marks import Mark
    from tbtui.cli.print.asked import Asked

LEAST_HEIGHT = 3
"""Rows of the lowest chart that is drawn."""


def uses_letters(asked: Asked, lines: int) -> bool:
    """Whether lines are drawn in letters: where neither colours nor their being alone tell them apart."""
    paper = asked.paper
    return not paper.has_dots or (lines > 1 and not paper.is_coloured)


def line_cells(
    traces: Sequence[Trace],
    letters: Sequence[str],
    axes: tuple[Axis, Axis],
    asked: Asked,
    *,
    marks: Sequence[Mark] = (),
    blank: str = "",
    turns: bool = True,
) -> tuple[Cells, frozenset[str]]:
    """A chart in the width of the paper.

    Args:
        traces: Lines, the last on top; where letters are drawn the faint ones are left out.
        letters: Of each, one column.
        axes: Of x and of y.
        asked: How.
        marks: Signs beside those that values get that are no numbers.
        blank: Why no line can be seen; empty when one can.
        turns: As `take_turns` of `draw_lines`.

    Returns:
        The cells, and the signs that stand in them.
    """
    width, height = asked.paper.width, max(asked.height, LEAST_HEIGHT)
    in_letters = uses_letters(asked, len({trace.ink for trace in traces if not trace.faint}))
    named = [] if in_letters else [letter for letter in dict.fromkeys(letters) if letter]
    layout = chart_layout(*axes, named if len(named) > 1 else [], width, height)
    cells = Cells.blank(height, width)
    draw_axes(cells, layout)
    if in_letters:
        kept = [index for index, trace in enumerate(traces) if not trace.faint]
        traces, letters = [traces[index] for index in kept], [letters[index] for index in kept]
    drawn = draw_lines(traces, layout.plot, letters if in_letters else None, take_turns=turns)
    cells.put(layout.plot.top, layout.plot.left, drawn)
    if layout.margin:
        labelled = [
            replace(trace, label="" if trace.faint else letter) for trace, letter in zip(traces, letters, strict=True)
        ]
        draw_end_labels(cells, labelled, layout)
    signs = [*marks, *nonfinite_marks([trace for trace in traces if not trace.faint], layout.plot)]
    draw_marks(cells, signs, layout.plot)
    if blank:
        say_why(cells, blank, layout.plot)
    low, high = layout.plot.x_axis.low, layout.plot.x_axis.high
    return cells, frozenset(sign.glyph for sign in signs if low <= sign.x <= high)
