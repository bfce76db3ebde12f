"""Which line is which: names at the ends of lines, and in the legend."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.cells import Ink
from tbtui.charts.chart_layout import LABELS_FROM_WIDTH
from tbtui.charts.palette import SIZE, marker
from tbtui.charts.text import cell_width, pad
from tbtui.plugins.scalars.cards import plain_title
from tbtui.plugins.scalars.lines import MOST_RAW
from tbtui.plugins.scalars.names import distinct_parts
from tbtui.viewstate.run_names import distinct_names, told_apart

if TYPE_CHECKING:
    from collections.abc import Collection

    from tbtui.plugins.scalars.data import Chart
    from tbtui.plugins.scalars.readings import Readings

LEAST_NAME = 10
LEGEND_NAME = 16
"""Columns of a run's name at the end of its line, at least, and in the legend, at most."""

MOST_LABELS = 12
"""Names at the ends of lines; of more lines, those that matter most and the count of the others."""

ROWS_BESIDE = 4
"""Rows of a chart that have no room for such a name: those of its x axis, that of the count, and one to breathe."""

DASH_SIGNS = "━╍┉┅"
"""What lines look like in each pattern of `charts.canvas.DASHES`."""

BETWEEN = " · "
"""Between a run and its tag, where several tags are joined."""


def full_names(chart: Chart) -> tuple[str, ...]:
    """What each line is called where there is room; not yet made safe for a terminal."""
    parts = _tag_parts(chart)
    return tuple(line.name + (BETWEEN + parts[line.key.tag] if parts else "") for line in chart.lines)


def short_names(chart: Chart) -> tuple[str, ...]:
    """What each line is called in tight places: what all runs have in common is left out, and the only run, too."""
    parts = _tag_parts(chart)
    names = list(dict.fromkeys(line.name for line in chart.lines))
    short = dict(zip(names, distinct_names(names), strict=True))
    if len(names) == 1 and parts:
        return tuple(parts[line.key.tag] for line in chart.lines)
    return tuple(short[line.name] + (BETWEEN + parts[line.key.tag] if parts else "") for line in chart.lines)


def _tag_parts(chart: Chart) -> dict[str, str]:
    """What the tags of a joined chart do not share; empty for one tag."""
    if len(chart.tags) == 1:
        return {}
    return dict(zip(chart.tags, distinct_parts([plain_title(tag) for tag in chart.tags]), strict=True))


def end_labels(readings: Readings, width: int, height: int) -> dict[int, str]:
    """Name and last value of each line as it is drawn; of many lines, of those that matter most where they end.

    Args:
        readings: Of the chart at the ends of its lines.
        width: Columns of the chart.
        height: Its rows.
    """
    if width < LABELS_FROM_WIDTH:
        return {}
    chart = readings.chart
    few = len(chart.lines) <= MOST_RAW
    lines = range(len(chart.lines)) if few else readings.worthiest[: max(min(height - ROWS_BESIDE, MOST_LABELS), 0)]
    names = short_names(chart)
    shown = told_apart(tuple(names[line] for line in lines), max(LEAST_NAME, width // 6))
    width = max(map(cell_width, shown), default=0)
    return {
        line: f"{pad(name, width)} {numbers.brief(float(readings.shown[line]))}"
        for line, name in zip(lines, shown, strict=True)
    }


def legend(readings: Readings) -> list[tuple[str, int]]:
    """Names and inks of runs in the order of the rows; of many lines, those that matter most come first.

    Where several tags are joined they come before all runs, each with the dashes that its lines have.
    """
    chart = readings.chart
    order = readings.rows if len(chart.lines) <= MOST_RAW else readings.worthiest
    inks = {chart.lines[line].name: chart.inks[line] for line in order}
    names = list(dict.fromkeys(line.name for line in chart.lines))
    shown = dict(zip(names, told_apart(distinct_names(names), LEGEND_NAME), strict=True))
    signed = len({ink % SIZE for ink in set(inks.values())}) < len(set(inks.values()))
    runs = [(bulleted(shown[name], ink, signed=signed), ink) for name, ink in inks.items()]
    parts = _tag_parts(chart)
    dashed = zip(told_apart(tuple(parts.values()), LEGEND_NAME), cycle(DASH_SIGNS), chart.tags, strict=False)
    held = {line.key.tag for line in chart.lines}
    ink = Ink.TEXT if len(runs) > 1 else runs[0][1]
    tags = [(f"{sign} {part}", ink) for part, sign, tag in dashed if tag in held]
    return [*tags, *(runs if len(runs) > 1 or not tags else ())]


def bulleted(name: str, ink: int, *, signed: bool) -> str:
    """A name, with the sign of its ink where colours alone do not tell the runs apart."""
    return f"{marker(ink)} {name}" if signed else name


def count_of_others(readings: Readings, named: Collection[int]) -> str:
    """How many lines are not named: `⋯ 288`; empty where all are, or none."""
    others = len(readings.chart.lines) - len(named)
    return f"⋯ {others}" if others and named else ""
