"""Values of the lines of a chart at the cursor, or at their ends, and the names of lines."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.cells import Ink
from tbtui.charts.chart_layout import MIN_LABELS_WIDTH
from tbtui.charts.hit_testing import find_nearest_point
from tbtui.charts.series_colours import PALETTE_SIZE, get_series_marker
from tbtui.charts.text import ELLIPSIS, cell_width, pad
from tbtui.frozen import frozen
from tbtui.plugins.scalars.cards import cut_common_ends, format_plain_title
from tbtui.plugins.scalars.lines import MAX_DETAILED_LINES
from tbtui.settings.chart_navigation import CursorState, build_cursor_state
from tbtui.view.highlights import MIN_CUT_NAME_COLUMNS, add_chosen, find_leaders
from tbtui.view.row_order import mark_order, sort_rows
from tbtui.view.run_names import FOCUS_SIGN, fit_names, shorten_to_distinct

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from tbtui.plugins.scalars.averages import Floats
    from tbtui.plugins.scalars.chart import Chart
    from tbtui.plugins.scalars.lines import Line
    from tbtui.settings.settings import Best, Settings


@frozen
class RangeStatistics:
    """Statistics of a line between the mark and the cursor."""

    start: float
    """Drawn value at the point nearest to the left end; `end`: to the right one."""

    end: float
    minimum: float
    """Least finite value in the range, ends included; NaN without one, as are `greatest` and `mean`."""

    maximum: float
    mean: float

    @property
    def change(self) -> float:
        return self.end - self.start

    @property
    def part(self) -> float:
        """Change as a part of the size of `start`, with the sign of the change; NaN if `start` is 0."""
        return self.change / abs(self.start) if self.start else float("nan")


def compute_range_statistics(
    x: Floats, shown: Floats, ends: tuple[float, float], *, ascending: bool = True
) -> RangeStatistics | None:
    """Return the statistics of a line in a range, of drawn values as TensorBoard does.

    Return None if the line ends before the range or begins after it.

    Args:
        x: float64[n], n >= 1.
        shown: float64[n], drawn values.
        ends: Ends of the range, in order.
        ascending: As in `nearest`.
    """
    low, high = ends
    first, last = (x[0], x[-1]) if ascending else (x.min(), x.max())
    if last < low or high < first:
        return None
    if ascending:
        values = shown[np.searchsorted(x, low) : np.searchsorted(x, high, "right")]
    else:
        values = shown[(x >= low) & (x <= high)]
    values = values[np.isfinite(values)]
    start, end = (float(shown[find_nearest_point(x, end, ascending=ascending)]) for end in ends)
    if len(values) == 0:
        return RangeStatistics(start, end, np.nan, np.nan, np.nan)
    minimum, maximum = float(values.min()), float(values.max())
    with np.errstate(over="ignore"):
        mean = float((values / len(values)).sum())  # divided first: a sum of the largest floats would overflow
    return RangeStatistics(start, end, minimum, maximum, min(max(mean, minimum), maximum))


def rank_by_importance(values: Sequence[float], best: Best | None, first: Iterable[int | None] = ()) -> list[int]:
    """Return all rows by importance: the given ones, the best, then alternately the next best and the next worst.

    Args:
        values: Value of each row; NaN comes last.
        best: Direction of the best value; None (unknown) is treated as `min`.
        first: Rows that come before all others; None is ignored.
    """
    ranked = sort_rows(values, "descending" if best == "max" else "ascending")
    without_value = [index for index in ranked if np.isnan(values[index])]
    good = ranked[: len(ranked) - len(without_value)]
    # The best, then in turns the next from the good end and from the bad one: b1, b2, w1, b3, w2 …
    bad = good[: len(good) // 2 : -1]
    good = good[: len(good) - len(bad)]
    turns = [index for pair in zip(good[1:], [*bad, *[None] * len(good)], strict=False) for index in pair]
    worthy = (*first, *good[:1], *turns, *bad, *without_value)
    return list(dict.fromkeys(index for index in worthy if index is not None))


@frozen
class ScalarCursor(CursorState):
    """State of the cursor in one chart of scalars. The focus may be a group of runs."""

    extremes: bool = False
    """True if the extremes of the lines are marked."""


NO_SCALAR_CURSOR = ScalarCursor()


def create_scalar_cursor(settings: Settings, origin: int = 0) -> ScalarCursor:
    """Return the cursor of a chart whose x axis counts from `origin`."""
    state = build_cursor_state(settings, origin)
    return ScalarCursor(state.cursor, state.mark, state.focus, state.baseline, state.order, settings.extremes)


def is_smoothed(chart: Chart) -> bool:
    """Return True if a line of a chart is drawn smoothed."""
    return any(line.smoothed is not line.values and len(line.x) > 1 for line in chart.lines)


def find_line(chart: Chart, run: str | None, tag: str | None = None) -> int | None:
    """Return the index of the first line that shows a run, of one tag or of any; None without one."""
    if run is None:
        return None
    for index, line in enumerate(chart.lines):
        if shows_run(line, run) and tag in (None, line.key.tag):
            return index
    return None


def shows_run(line: Line, run: str | None) -> bool:
    """Return True if a line shows a run or group of runs, alone or in an average."""
    return run is not None and (line.key.run == run or run in line.runs)


@frozen(slots=False)
class Readout:
    """Values of the lines of a chart at the cursor, or at their ends. Lines are given by index."""

    chart: Chart
    pointer: ScalarCursor = NO_SCALAR_CURSOR

    @cached_property
    def indices(self) -> tuple[int, ...]:
        """Point of each line that is read."""
        cursor = self.pointer.cursor
        if cursor is None:
            return tuple(len(line.x) - 1 for line in self.chart.lines)
        return tuple(find_nearest_point(line.x, cursor, ascending=line.ascending) for line in self.chart.lines)

    @cached_property
    def values(self) -> Floats:
        """Raw values there, float64[lines]."""
        return np.array([line.values[index] for line, index in zip(self.chart.lines, self.indices, strict=True)])

    @cached_property
    def shown(self) -> Floats:
        """Drawn values there, float64[lines]."""
        return np.array([line.smoothed[index] for line, index in zip(self.chart.lines, self.indices, strict=True)])

    @cached_property
    def deltas(self) -> tuple[float | None, ...]:
        """Difference of each line to the baseline of the same tag; None for the baseline itself, or without one."""
        run = self.pointer.baseline
        bases = {tag: find_line(self.chart, run, tag) for tag in self.chart.tags} if run is not None else {}
        shown = self.shown.tolist()  # of plain floats, since two infinities may meet
        differences = []
        for index, line in enumerate(self.chart.lines):
            base = bases.get(line.key.tag)
            differences.append(None if base is None or base == index else shown[index] - shown[base])
        return tuple(differences)

    @cached_property
    def stretches(self) -> tuple[RangeStatistics | None, ...]:
        """Statistics of each line between mark and cursor, None for a line outside; empty without a mark."""
        if self.pointer.cursor is None or self.pointer.mark is None:
            return ()
        low, high = sorted((self.pointer.cursor, self.pointer.mark))
        return tuple(
            compute_range_statistics(line.x, line.smoothed, (low, high), ascending=line.ascending)
            for line in self.chart.lines
        )

    @cached_property
    def focus(self) -> int | None:
        """Index of the first line in focus."""
        return find_line(self.chart, self.pointer.focus)

    @property
    def rows(self) -> list[int]:
        """Lines in the order of the table rows; in the order of runs the leaders of a crowded chart come first."""
        rows = sort_rows(self.shown.tolist(), self.pointer.order, self.focus)
        if self.pointer.order != "runs" or not self.leaders:
            return rows
        return [*self.leaders, *(row for row in rows if row not in self.leaders)]

    def title_with_order(self, title: str) -> str:
        """Return the title of the column that orders the rows."""
        return mark_order(title, self.pointer.order, self.focus)

    @cached_property
    def leaders(self) -> dict[int, str]:
        """Lines of a crowded chart that keep their colours, with the reason; empty if all lines have theirs."""
        lines = self.chart.lines
        starts = np.array([-np.inf if line.wall_times is None else line.wall_times[0] for line in lines])
        return find_leaders(np.array([line.smoothed[-1] for line in lines]), starts, self.chart.best)

    @cached_property
    def highlights(self) -> dict[int, str]:
        """The selected run, the baseline and the leaders of a crowded chart, the most important first."""
        base = find_line(self.chart, self.pointer.baseline)
        return add_chosen(self.leaders, ((base, "baseline"), (self.focus, "selected")))

    @property
    def worthiest(self) -> list[int]:
        """All lines, the most important first."""
        first = (self.focus, find_line(self.chart, self.pointer.baseline))
        return rank_by_importance(self.shown.tolist(), self.chart.best, first)


def find_best_point(chart: Chart) -> tuple[int, int] | None:
    """Return line and point of the best value of a chart; None without a number."""
    best, points = math.inf, None
    for index, line in enumerate(chart.lines):
        point = line.extremes.minimum if chart.best == "min" else line.extremes.maximum
        if point is not None:
            value = float(line.values[point]) if chart.best == "min" else -float(line.values[point])
            if points is None or value < best:
                best, points = value, (index, point)
    return points


def choose_partial_mark(line: Line, point: int) -> str:
    """Return ` ×2` for a point of an average at which only two of its runs are present; empty if all are."""
    count = line.count_fewer_runs(point)
    return "" if count is None else f" ×{count}"


def format_brief_values(readings: Readout, lines: Sequence[int]) -> list[str]:
    """Return brief texts of drawn values of some lines: `0.943`, `~0.943 ×2` for an interpolated mean of fewer runs."""
    texts = numbers.format_brief_distinct([float(readings.shown[line]) for line in lines])
    marked = []
    for index, text in zip(lines, texts, strict=True):
        line, point = readings.chart.lines[index], readings.indices[index]
        marked.append(f"{'~' if line.is_interpolated(point) else ''}{text}{choose_partial_mark(line, point)}")
    return marked


MIN_NAME_COLUMNS = 10
MAX_LEGEND_NAME_COLUMNS = 16
"""Columns of the name of a run: at least at the end of its line, at most in the legend."""

MAX_END_LABELS = 12
"""Names at the ends of lines; of more lines, the most important ones and the number of the others."""

ROWS_WITHOUT_LABEL = 4
"""Rows of a chart without room for a name: those of the x axis, the row of the count, and a blank one."""

DASH_SIGNS = "━╍┉┅"
"""Glyph of each pattern in `charts.canvas.DASH_PATTERNS`."""

BETWEEN = " · "
"""Separator of a run and its tag, if several tags are joined."""


def choose_dash_sign(chart: Chart, line: Line) -> str:
    """Return the glyph of the dashes of a line if joined tags differ by them; else an empty string."""
    if len(chart.tags) == 1 or chart.by_tag:
        return ""
    return DASH_SIGNS[chart.tags.index(line.key.tag) % len(DASH_SIGNS)]


def list_full_names(chart: Chart) -> tuple[str, ...]:
    """Return the full name of each line; not yet safe for a terminal."""
    tag_parts = _tag_parts(chart)
    return tuple(line.name + (BETWEEN + tag_parts[line.key.tag] if tag_parts else "") for line in chart.lines)


def list_short_names(chart: Chart) -> tuple[str, ...]:
    """Return the short name of each line, without what all runs share, and without the name of an only run."""
    tag_parts = _tag_parts(chart)
    names = list(dict.fromkeys(line.name for line in chart.lines))
    short = dict(zip(names, shorten_to_distinct(names), strict=True))
    if len(names) == 1 and tag_parts:
        return tuple(tag_parts[line.key.tag] for line in chart.lines)
    return tuple(short[line.name] + (BETWEEN + tag_parts[line.key.tag] if tag_parts else "") for line in chart.lines)


def _tag_parts(chart: Chart) -> dict[str, str]:
    """Return the distinct parts of joined tags; empty for one tag."""
    if len(chart.tags) == 1:
        return {}
    return dict(zip(chart.tags, cut_common_ends([format_plain_title(tag) for tag in chart.tags]), strict=True))


def end_labels(readings: Readout, width: int, height: int) -> dict[int, str]:
    """Return name and last drawn value for the ends of lines; if there are many, for the most important ones.

    Args:
        readings: Values of the chart at the ends of its lines.
        width: Columns of the chart.
        height: Rows of the card.
    """
    if width < MIN_LABELS_WIDTH:
        return {}
    chart = readings.chart
    few = len(chart.lines) <= MAX_DETAILED_LINES
    roles = readings.highlights
    lines = (
        range(len(chart.lines))
        if few
        else ([*roles] or readings.worthiest)[: max(min(height - ROWS_WITHOUT_LABEL, MAX_END_LABELS), 0)]
    )
    names = list_short_names(chart)
    shown = fit_names(tuple(names[line] for line in lines), max(MIN_NAME_COLUMNS, width // 6))
    shown = tuple(
        f"{FOCUS_SIGN if line == readings.focus else ''}{name}" for line, name in zip(lines, shown, strict=True)
    )
    width = max(map(cell_width, shown), default=0)
    values = format_brief_values(readings, [*lines])
    if roles:
        longest = max(map(len, values), default=0)
        values = [f"{text.ljust(longest)} {roles[line]}" for line, text in zip(lines, values, strict=True)]
    return {line: f"{pad(name, width)} {text}" for line, name, text in zip(lines, shown, values, strict=True)}


def build_legend(readings: Readout, width: int | None = None) -> list[tuple[str, int]]:
    """Return names and inks of runs in the order of the rows, the selected one first; the most important of many.

    Joined tags come before all runs, each with the dashes of its lines.

    Args:
        readings: The values of the chart.
        width: Columns that the highlighted runs of a crowded chart share; None: no limit.
    """
    chart = readings.chart
    if readings.highlights:
        return _build_highlights_legend(readings, width)
    order = readings.rows if len(chart.lines) <= MAX_DETAILED_LINES else readings.worthiest
    selected = None if readings.focus is None else chart.lines[readings.focus].name
    order = sorted(order, key=lambda line: chart.lines[line].name != selected)
    inks = {chart.lines[line].name: chart.inks[line] for line in order}
    names = list(dict.fromkeys(line.name for line in chart.lines))
    shown = dict(zip(names, fit_names(shorten_to_distinct(names), MAX_LEGEND_NAME_COLUMNS), strict=True))
    signed = len({ink % PALETTE_SIZE for ink in set(inks.values())}) < len(set(inks.values()))
    runs = [
        (with_marker(shown[name], ink, signed=signed, is_selected=name == selected), ink) for name, ink in inks.items()
    ]
    tag_parts = _tag_parts(chart)
    dashed = zip(
        fit_names(tuple(tag_parts.values()), MAX_LEGEND_NAME_COLUMNS), cycle(DASH_SIGNS), chart.tags, strict=False
    )
    tags_of_lines = {line.key.tag for line in chart.lines}
    if chart.by_tag:
        by_tag = {line.key.tag: ink for line, ink in zip(chart.lines, chart.inks, strict=True)}
        return [(f"{DASH_SIGNS[0]} {part}", by_tag[tag]) for part, _, tag in dashed if tag in by_tag] or runs
    ink = Ink.TEXT if len(runs) > 1 else runs[0][1]
    tags = [(f"{sign} {part}", ink) for part, sign, tag in dashed if tag in tags_of_lines]
    return [*tags, *(runs if len(runs) > 1 or not tags else ())]


MIN_LEGEND_NAME_COLUMNS = 6


def _build_highlights_legend(readings: Readout, width: int | None) -> list[tuple[str, int]]:
    """Return `best run_085`, `worst run_114` … in their inks; names are shorter where the room is for few columns."""
    chart, roles = readings.chart, readings.highlights
    columns = MAX_LEGEND_NAME_COLUMNS
    if width is not None:
        left = width - sum(cell_width(role) + 2 for role in roles.values())
        columns = max(min(left // len(roles), columns), MIN_LEGEND_NAME_COLUMNS)
    full_names = tuple(list_short_names(chart)[line] for line in roles)
    shown = fit_names(full_names, columns)
    if any(ELLIPSIS in name for name in shown):
        shown = fit_names(full_names, max(columns, MIN_CUT_NAME_COLUMNS))
    names = dict(zip(roles, shown, strict=True))
    return [(f"{role} {names[line]}", chart.inks[line]) for line, role in roles.items()]


def with_marker(name: str, ink: int, *, signed: bool, is_selected: bool = False) -> str:
    """Return a name, with the marker of its ink if colours alone do not distinguish the runs, and that of a selection.

    The signs are those of the table below an opened chart.
    """
    sign = FOCUS_SIGN if is_selected else " " if signed else ""
    return f"{get_series_marker(ink) if signed else ''}{sign}{name}"


def format_unnamed_lines_label(readings: Readout, named: Collection[int]) -> str:
    """Return the number of lines without a name: `⋯ 18`, `⋯ 288 dimmed`; empty if all have one, or none has."""
    others = len(readings.chart.lines) - len(named)
    if not others or not named:
        return ""
    return f"⋯ {others} dimmed" if readings.highlights else f"⋯ {others}"
