"""What a chart says where the user looks: at the cursor, or where its lines end."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import cycle
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.cells import Ink
from tbtui.charts.colours import PALETTE_SIZE, marker
from tbtui.charts.hit_testing import nearest_point
from tbtui.charts.layout import MIN_LABELS_WIDTH
from tbtui.charts.text import cell_width, pad
from tbtui.frozen import frozen
from tbtui.plugins.scalars.cards import distinct_parts, plain_title
from tbtui.plugins.scalars.series import MAX_DETAILED_LINES
from tbtui.settings import zoom as pointer
from tbtui.view.axes import sort_rows, title_with_order
from tbtui.view.run_names import distinct_names, fit_names

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    import numpy.typing as npt

    from tbtui.plugins.scalars.chart import Chart
    from tbtui.plugins.scalars.series import Floats as LinesFloats
    from tbtui.plugins.scalars.series import Line
    from tbtui.settings.settings import Best, Settings

    Floats: TypeAlias = npt.NDArray[np.float64]

# What a chart says over a stretch, and in which order its lines stand: arrays in, numbers and indices out.


@frozen
class RangeStatistics:
    """A line between two ends on x."""

    start: float
    """What is shown of the line at the point nearest to the left end, and to the right one."""

    end: float
    least: float
    """Of the finite values between them, both ends included; NaN where there is none, likewise below."""

    greatest: float
    mean: float

    @property
    def change(self) -> float:
        """From start to end."""
        return self.end - self.start

    @property
    def part(self) -> float:
        """The change as a part of the start's size, with the sign of the change; NaN from 0."""
        return self.change / abs(self.start) if self.start else float("nan")


def range_statistics(
    x: Floats, shown: Floats, ends: tuple[float, float], *, ascending: bool = True
) -> RangeStatistics | None:
    """A line over a stretch: everything is told of the values that are drawn, as TensorBoard does.

    None where the line ends before the stretch or begins behind it: what is not there has not stood still.

    Args:
        x: float64[n], n >= 1.
        shown: float64[n], as drawn.
        ends: Of the stretch, in order.
        ascending: As in `nearest`.
    """
    low, high = ends
    first, last = (x[0], x[-1]) if ascending else (x.min(), x.max())
    if last < low or high < first:
        return None
    if ascending:
        inside = shown[np.searchsorted(x, low) : np.searchsorted(x, high, "right")]
    else:
        inside = shown[(x >= low) & (x <= high)]
    inside = inside[np.isfinite(inside)]
    start, end = (float(shown[nearest_point(x, at, ascending=ascending)]) for at in ends)
    if len(inside) == 0:
        return RangeStatistics(start, end, np.nan, np.nan, np.nan)
    least, greatest = float(inside.min()), float(inside.max())
    with np.errstate(over="ignore"):
        mean = float((inside / len(inside)).sum())  # divided first: a sum of the largest floats has no room
    return RangeStatistics(start, end, least, greatest, min(max(mean, least), greatest))


def rank_by_importance(values: Sequence[float], best: Best | None, first: Iterable[int | None] = ()) -> list[int]:
    """Indices of all rows, those that matter most first: the given ones, the best, the next best, the worst, and so on.

    Args:
        values: What each row shows; those of NaN come last.
        best: Which end is the good one; None, where nobody knows, is as `min`.
        first: Rows that come before all others; None is nobody.
    """
    ranked = sort_rows(values, "descending" if best == "max" else "ascending")
    lost = [index for index in ranked if np.isnan(values[index])]
    good = ranked[: len(ranked) - len(lost)]
    # The best, then in turns the next from the good end and from the bad one: b1, b2, w1, b3, w2 …
    bad = good[: len(good) // 2 : -1]
    good = good[: len(good) - len(bad)]
    turns = [index for pair in zip(good[1:], [*bad, *[None] * len(good)], strict=False) for index in pair]
    worthy = (*first, *good[:1], *turns, *bad, *lost)
    return list(dict.fromkeys(index for index in worthy if index is not None))


@frozen
class ScalarCursor(pointer.CursorState):
    """Where the user looks in one chart, at whose extremes, too. What stands out may be a group of runs."""

    extremes: bool = False
    """Whether the extremes of the lines are marked."""


NO_SCALAR_CURSOR = ScalarCursor()


def scalar_cursor(choices: Settings, origin: int = 0) -> ScalarCursor:
    """Where the user looks in a chart whose x axis counts from `origin`."""
    held = pointer.cursor_state(choices, origin)
    return ScalarCursor(held.cursor, held.mark, held.focus, held.baseline, held.order, choices.extremes)


def find_line(chart: Chart, run: str | None, tag: str | None = None) -> int | None:
    """Index of the (first) line that shows a run, of one tag or of any; None where there is none."""
    if run is None:
        return None
    for index, line in enumerate(chart.lines):
        if shows_run(line, run) and tag in (None, line.key.tag):
            return index
    return None


def shows_run(line: Line, run: str | None) -> bool:
    """Whether a line shows a run or group of runs, alone or among others."""
    return run is not None and (line.key.run == run or run in line.runs)


@frozen(slots=False)
class Readout:
    """What the lines of a chart say at the cursor, or without one at their ends. Lines are told by their index."""

    chart: Chart
    pointer: ScalarCursor = NO_SCALAR_CURSOR

    @cached_property
    def indices(self) -> tuple[int, ...]:
        """The point of each line that is read."""
        cursor = self.pointer.cursor
        if cursor is None:
            return tuple(len(line.x) - 1 for line in self.chart.lines)
        return tuple(nearest_point(line.x, cursor, ascending=line.ascending) for line in self.chart.lines)

    @cached_property
    def values(self) -> LinesFloats:
        """What was measured there, float64[lines]."""
        return np.array([line.values[index] for line, index in zip(self.chart.lines, self.indices, strict=True)])

    @cached_property
    def shown(self) -> LinesFloats:
        """What is drawn there, float64[lines]."""
        return np.array([line.smoothed[index] for line, index in zip(self.chart.lines, self.indices, strict=True)])

    @cached_property
    def deltas(self) -> tuple[float | None, ...]:
        """How far each line is from the baseline's of the same tag; None for a baseline, and where there is none."""
        run = self.pointer.baseline
        bases = {tag: find_line(self.chart, run, tag) for tag in self.chart.tags} if run is not None else {}
        shown = self.shown.tolist()  # of plain floats, since two infinities may meet
        found = []
        for index, line in enumerate(self.chart.lines):
            base = bases.get(line.key.tag)
            found.append(None if base is None or base == index else shown[index] - shown[base])
        return tuple(found)

    @cached_property
    def stretches(self) -> tuple[RangeStatistics | None, ...]:
        """What each line does between mark and cursor, None where it is not there; nothing without a mark."""
        if self.pointer.cursor is None or self.pointer.mark is None:
            return ()
        low, high = sorted((self.pointer.cursor, self.pointer.mark))
        return tuple(
            range_statistics(line.x, line.smoothed, (low, high), ascending=line.ascending) for line in self.chart.lines
        )

    @cached_property
    def focus(self) -> int | None:
        """The (first) line in focus."""
        return find_line(self.chart, self.pointer.focus)

    @property
    def rows(self) -> list[int]:
        """The lines in the order chosen for rows."""
        return sort_rows(self.shown.tolist(), self.pointer.order, self.focus)

    def titled(self, title: str) -> str:
        """The title of the column by which rows are ordered: of what is drawn where the user looks."""
        return title_with_order(title, self.pointer.order, self.focus)

    @property
    def worthiest(self) -> list[int]:
        """The lines that matter most first."""
        first = (self.focus, find_line(self.chart, self.pointer.baseline))
        return rank_by_importance(self.shown.tolist(), self.chart.best, first)


def best_point(chart: Chart) -> tuple[int, int] | None:
    """Line and point of the best value of a chart; None where there is no number."""
    best, found = math.inf, None
    for index, line in enumerate(chart.lines):
        point = line.extremes.least if chart.best == "min" else line.extremes.greatest
        if point is not None:
            value = float(line.values[point]) if chart.best == "min" else -float(line.values[point])
            if found is None or value < best:
                best, found = value, (index, point)
    return found


# Which line is which: names at the ends of lines, and in the legend.


MIN_NAME_COLUMNS = 10
MAX_LEGEND_NAME_COLUMNS = 16
"""Columns of a run's name at the end of its line, at least, and in the legend, at most."""

MAX_END_LABELS = 12
"""Names at the ends of lines; of more lines, those that matter most and the count of the others."""

ROWS_WITHOUT_LABEL = 4
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


def end_labels(readings: Readout, width: int, height: int) -> dict[int, str]:
    """Name and last value of each line as it is drawn; of many lines, of those that matter most where they end.

    Args:
        readings: Of the chart at the ends of its lines.
        width: Columns of the chart.
        height: Its rows.
    """
    if width < MIN_LABELS_WIDTH:
        return {}
    chart = readings.chart
    few = len(chart.lines) <= MAX_DETAILED_LINES
    lines = (
        range(len(chart.lines))
        if few
        else readings.worthiest[: max(min(height - ROWS_WITHOUT_LABEL, MAX_END_LABELS), 0)]
    )
    names = short_names(chart)
    shown = fit_names(tuple(names[line] for line in lines), max(MIN_NAME_COLUMNS, width // 6))
    width = max(map(cell_width, shown), default=0)
    return {
        line: f"{pad(name, width)} {numbers.brief(float(readings.shown[line]))}"
        for line, name in zip(lines, shown, strict=True)
    }


def legend(readings: Readout) -> list[tuple[str, int]]:
    """Names and inks of runs in the order of the rows; of many lines, those that matter most come first.

    Where several tags are joined they come before all runs, each with the dashes that its lines have.
    """
    chart = readings.chart
    order = readings.rows if len(chart.lines) <= MAX_DETAILED_LINES else readings.worthiest
    inks = {chart.lines[line].name: chart.inks[line] for line in order}
    names = list(dict.fromkeys(line.name for line in chart.lines))
    shown = dict(zip(names, fit_names(distinct_names(names), MAX_LEGEND_NAME_COLUMNS), strict=True))
    signed = len({ink % PALETTE_SIZE for ink in set(inks.values())}) < len(set(inks.values()))
    runs = [(with_marker(shown[name], ink, signed=signed), ink) for name, ink in inks.items()]
    parts = _tag_parts(chart)
    dashed = zip(fit_names(tuple(parts.values()), MAX_LEGEND_NAME_COLUMNS), cycle(DASH_SIGNS), chart.tags, strict=False)
    held = {line.key.tag for line in chart.lines}
    ink = Ink.TEXT if len(runs) > 1 else runs[0][1]
    tags = [(f"{sign} {part}", ink) for part, sign, tag in dashed if tag in held]
    return [*tags, *(runs if len(runs) > 1 or not tags else ())]


def with_marker(name: str, ink: int, *, signed: bool) -> str:
    """A name, with the sign of its ink where colours alone do not tell the runs apart."""
    return f"{marker(ink)} {name}" if signed else name


def unnamed_lines_label(readings: Readout, named: Collection[int]) -> str:
    """How many lines are not named: `⋯ 288`; empty where all are, or none."""
    others = len(readings.chart.lines) - len(named)
    return f"⋯ {others}" if others and named else ""
