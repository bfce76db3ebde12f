"""Table of the Compare tab: points of each run and tag, aligned cells, and the details of one cell."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.cells import Ink
from tbtui.charts.line_chart import BEST_SIGN, NAN_SIGN
from tbtui.charts.number_columns import format_column
from tbtui.charts.text import count_max_decimals, pad_to_point
from tbtui.frozen import frozen
from tbtui.maths.smoothing import summarize
from tbtui.plugins.comparison.attributes import ATTRIBUTE, TableAttributes, order_hparams
from tbtui.plugins.comparison.columns import ColumnOrder, count_runs, find_differing, insert_hparams, order_tags
from tbtui.plugins.comparison.settings import COLUMNS, SORT_DESCENDING, SORT_TAG, STATISTIC
from tbtui.run_health.anomalies import find_metric_direction
from tbtui.store.snapshot import ScalarSeries
from tbtui.view.attributes import NO_ATTRIBUTES
from tbtui.view.cards import NO_TAGS, ShownTags

if TYPE_CHECKING:
    from collections.abc import Container, Hashable, Iterator, Mapping, Sequence

    from tbtui.charts.styled_text import Cell, Piece
    from tbtui.plugins.comparison.settings import Statistic
    from tbtui.settings.settings import Best
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.attributes import RunAttributes
    from tbtui.view.view import View


NUMBER_WIDTH = 8
"""Columns for a number; in most tables it also aligns the decimal points."""

WIDTH = 2 + NUMBER_WIDTH
"""A number after the sign of the best value and a blank."""

_BEST: Piece = (f"{BEST_SIGN} ", Ink.GOOD)
_NOT_BEST: Piece = ("  ", Ink.NONE)

MISSING_SIGN = "–"
MISSING: Cell = (_NOT_BEST, (pad_to_point(MISSING_SIGN, 0, NUMBER_WIDTH), Ink.FAINT))


def format_value(value: float, *, digits: int = numbers.DIGITS) -> str:
    """Return `0.0213`, `✗NaN` or `✗-Inf`."""
    return (NAN_SIGN if not math.isfinite(value) else "") + numbers.format_number(value, NUMBER_WIDTH, digits)


def format_column_values(values: Sequence[float]) -> list[str]:
    """Return the texts of a column in one notation: `0.0213`, `12.5000`, `✗NaN`."""
    texts = zip(values, format_column(values), strict=True)
    return [text if math.isfinite(value) else f"{NAN_SIGN}{text}" for value, text in texts]


def choose_delta_ink(delta: float, best: Best | None) -> int:
    """Return the ink of a difference: good or bad by the direction of the metric, plain if that is unknown."""
    if delta == 0:
        return Ink.DIM
    if best is None:
        return Ink.TEXT
    return Ink.GOOD if (delta < 0) == (best == "min") else Ink.BAD


def find_best_runs(values: Mapping[str, float], best: Best | None) -> frozenset[str]:
    """Return the runs with the best finite value; none if all runs with a value have it."""
    if best is None:
        return frozenset()
    finite = {run: value for run, value in values.items() if math.isfinite(value)}
    if not finite:
        return frozenset()
    goal = min(finite.values()) if best == "min" else max(finite.values())
    winners = frozenset(run for run, value in finite.items() if value == goal)
    return winners if len(winners) < len(finite) else frozenset()


def format_values(
    values: Mapping[str, float], best: Best | None, base: float | None, baseline: str | None
) -> dict[str, Piece]:
    """Return the number of each run and its ink, not yet aligned.

    Args:
        values: Run to value.
        best: Direction of the best value; None if unknown.
        base: Value that differences are shown to. None, or not finite: no differences.
        baseline: The run with the value `base`.
    """
    deltas: dict[str, float] = {}
    if base is not None and math.isfinite(base):
        deltas = {run: value - base for run, value in values.items() if run != baseline and math.isfinite(value)}
    plain_values = {run: value for run, value in values.items() if run not in deltas}
    texts = dict(zip(plain_values, format_column_values([*plain_values.values()]), strict=True))
    texts |= zip(deltas, format_column([*deltas.values()], with_signs=True), strict=True)
    return {run: (texts[run], _choose_value_ink(value, deltas.get(run), best)) for run, value in values.items()}


def _choose_value_ink(value: float, delta: float | None, best: Best | None) -> int:
    if delta is not None:
        return choose_delta_ink(delta, best)
    return Ink.TEXT if math.isfinite(value) else Ink.BAD


def make_cell(text: Piece, decimals: int, *, best: bool) -> Cell:
    """Return a number with its decimal point `decimals` columns before the end of the column."""
    number, ink = text
    if best:
        return _BEST, (pad_to_point(number, decimals, NUMBER_WIDTH), Ink.BOLD if ink == Ink.TEXT else ink)
    return _NOT_BEST, (pad_to_point(number, decimals, NUMBER_WIDTH), ink)


@frozen
class Point:
    """A value and its step."""

    value: float
    step: int


@frozen
class Points:
    """Last and extreme points of one tag of a run."""

    last: Point
    least: Point | None
    """None if no value is finite, as `greatest`."""

    greatest: Point | None


def find_last_point(series: ScalarSeries, skip_steps: int = 0, *, with_superseded: bool = False) -> Point | None:
    """Return the last value of a series, on the step axis or in time; None without one from step `skip_steps` on."""
    if not len(series):
        return None
    index = -1 if with_superseded else series.last_index
    if 0 < skip_steps > series.steps[index]:
        return None
    return Point(float(series.values[index]), int(series.steps[index]))


def find_points(series: ScalarSeries, skip_steps: int = 0, *, with_superseded: bool = False) -> Points | None:
    """Return last and extreme values of a series; None as for `find_last_point`.

    Args:
        series: Series of one run.
        skip_steps: Points at steps below are left out.
        with_superseded: Superseded points count as well.
    """
    last = find_last_point(series, skip_steps, with_superseded=with_superseded)
    if last is None:
        return None
    points = series if with_superseded else series.current
    if skip_steps > 0:
        points = points.part(points.steps >= skip_steps)
    figures = summarize(points.values)
    least, greatest = (
        None if index is None else Point(float(points.values[index]), int(points.steps[index]))
        for index in (figures.minimum, figures.maximum)
    )
    return Points(last, least, greatest)


def find_point(
    series: ScalarSeries, figure: Statistic, best: Best | None, skip_steps: int = 0, *, with_superseded: bool = False
) -> Point | None:
    """Return the point of a series in the table; the last one if an extreme is selected and no value is finite.

    Args:
        series: Series of one run.
        figure: Statistic that selects the point; `best` is the extreme that `best` names, or the last point.
        best: Direction of the best value; None if unknown.
        skip_steps: Points at steps below are left out.
        with_superseded: Superseded points count as well.
    """
    extreme = best if figure == "best" else figure
    if extreme is None or extreme == "last":
        return find_last_point(series, skip_steps, with_superseded=with_superseded)
    points = find_points(series, skip_steps, with_superseded=with_superseded)
    if points is None:
        return None
    return (points.least if extreme == "min" else points.greatest) or points.last


PAUSE_SECONDS = 0.02
"""Seconds of work after which partial results are shown: runs of a million points each take longer."""


@frozen
class ColumnRequest:
    """Settings that the cells of a column depend on."""

    figure: Statistic
    """`best` is replaced by what it means for the tag."""

    best: Best | None
    skip_steps: int


class Column:
    """Points of one tag, and their cells. Used by one thread.

    Args:
        tag: Tag of the column.
        request: Selection of the point of each series.
    """

    def __init__(self, tag: str, request: ColumnRequest) -> None:
        self.tag = tag
        self.request = request
        self.points: dict[str, Point] = {}
        """Point of each run that has one."""

        self._runs: dict[str, int] = {}
        self._series: dict[str, int] = {}
        self._complete = False
        self._version = 0
        self.width = WIDTH
        """Columns of the widest cell so far."""

        self._decimals = 0
        self._cells_key: Hashable = None
        self._cells: Mapping[str, Cell] = {}

    def fill(self, runs: Sequence[RunSnapshot], first: Sequence[RunSnapshot] = ()) -> Iterator[None]:
        """Find the points of these runs, and drop all others; yield after `PAUSE_SECONDS` of work.

        Args:
            runs: All runs.
            first: Runs in view. A new column pauses after them.
        """
        if not self._complete and first:
            yield from self._find_points(first)
            yield
        yield from self._find_points(runs)
        self._complete = True
        if len(self._runs) > len(runs):
            self._drop_others({run.name for run in runs})

    def _find_points(self, runs: Sequence[RunSnapshot]) -> Iterator[None]:
        revisions, last_pause = self._runs, time.perf_counter()
        for run in [run for run in runs if revisions.get(run.name) != run.revision]:
            self._update(run)
            revisions[run.name] = run.revision
            if time.perf_counter() - last_pause > PAUSE_SECONDS:
                yield
                last_pause = time.perf_counter()

    def _drop_others(self, runs: Container[str]) -> None:
        for name in [name for name in self._runs if name not in runs]:
            del self._runs[name]
            self._forget(name)

    def _update(self, run: RunSnapshot) -> None:
        series = run.series.get(self.tag)
        if not isinstance(series, ScalarSeries):
            self._forget(run.name)
        elif self._series.get(run.name) != series.revision:
            request = self.request
            with_superseded = not run.has_descents  # of hundreds of series each is then not examined for restarts
            point = find_point(
                series, request.figure, request.best, request.skip_steps, with_superseded=with_superseded
            )
            self._forget(run.name)
            self._series[run.name] = series.revision
            if point is not None:
                self.points[run.name] = point
            self._version += 1

    def _forget(self, name: str) -> None:
        if self._series.pop(name, None) is not None:
            self.points.pop(name, None)
            self._version += 1

    def cells(self, rows: tuple[str, ...], baseline: str | None = None) -> Mapping[str, Cell]:
        """Return the cells of some rows; the same mapping as long as nothing in it changed."""
        key = self._version, self._complete, rows, baseline
        if key != self._cells_key:
            self._cells_key, self._cells = key, self._build_cells(rows, baseline)
        return self._cells

    def _build_cells(self, rows: tuple[str, ...], baseline: str | None) -> Mapping[str, Cell]:
        base = None if baseline is None else self.points.get(baseline)
        values = {run: self.points[run].value for run in rows if run in self.points}
        texts = format_values(values, self.request.best, None if base is None else base.value, baseline)
        # The number of decimals never shrinks: a value that happens to be round must not move all others.
        self._decimals = max(self._decimals, count_max_decimals(number for number, _ in texts.values()))
        best = find_best_runs(values, self.request.best) if self._complete else frozenset()
        cells = {run: make_cell(text, self._decimals, best=run in best) for run, text in texts.items()}
        # Every sign of a number takes one column.
        self.width = max([self.width, *(len(sign[0]) + len(number[0]) for sign, number in cells.values())])
        return {run: cells.get(run, MISSING) for run in rows} if self._complete else cells


MAX_CACHED_POINTS = 30_000
"""Points of cached columns, some hundred bytes each with their cells."""

MIN_CACHED_COLUMNS = 40
"""Columns cached however many points they have: more than the widest terminal shows."""


def find_baseline_run(view: View) -> RunSnapshot | None:
    """Return the run that others are compared with, visible or not; None without one."""
    return None if view.settings.baseline is None else view.snapshot.runs.get(view.settings.baseline)


def list_compared_runs(view: View) -> list[RunSnapshot]:
    """Return the runs whose values are needed: the visible ones, and the baseline."""
    baseline = find_baseline_run(view)
    is_included = baseline is None or any(run is baseline for run in view.runs)
    return [*view.runs] if is_included or baseline is None else [baseline, *view.runs]


class ComparisonCache:
    """Cache of the columns of all views. Used by one thread."""

    def __init__(self, max_points: int = MAX_CACHED_POINTS) -> None:
        self._max_points = max_points
        self._tags = ShownTags("scalars")
        self._columns: OrderedDict[tuple[str, ColumnRequest], Column] = OrderedDict()
        """Columns by tag and request: a statistic that was shown before is shown again at once."""

        self._order = ColumnOrder((), ())
        self._order_inputs: tuple[object, ...] = ()

    def tags(self, view: View) -> tuple[str, ...]:
        """Return the tags with a column, in order; the same object as long as they are the same."""
        return self._tags.of(view)

    def column(self, view: View, tag: str) -> Column:
        """Return the column of a tag, with its points so far."""
        settings = view.settings
        figure, best = STATISTIC.value(settings), find_metric_direction(tag, settings)
        request = ColumnRequest((best or "last") if figure == "best" else figure, best, settings.skip_steps)
        column = self._columns.pop((tag, request), None) or Column(tag, request)
        self._columns[tag, request] = column
        max_columns = max(self._max_points // max(len(view.runs), 1), MIN_CACHED_COLUMNS)
        while len(self._columns) > max_columns:
            self._columns.popitem(last=False)
        return column

    def order(self, view: View) -> ColumnOrder:
        """Return the tags by coverage and importance; the same object as long as tags and runs are the same.

        New values do not change it: columns must not move while a training runs.
        """
        tags, facts = self.tags(view), view.summaries
        tag_sets = tuple(facts[run.name].tags.get("scalars", NO_TAGS) for run in view.runs)
        inputs = tags, tag_sets, tuple(run.name for run in view.runs), view.settings.charts
        if inputs != self._order_inputs:
            self._order = order_tags(tags, count_runs(tag_sets), view.settings, find_differing(view.runs))
            self._order_inputs = inputs
        return self._order

    def table(self, view: View, hparams: RunAttributes = NO_ATTRIBUTES) -> ComparisonTable:
        """Return the columns and rows that the settings show, both in order.

        Args:
            view: The view.
            hparams: Hyperparameters of the runs, as far as they are known.
        """
        settings, order = view.settings, self.order(view)
        choice, attributes = COLUMNS.value(settings), TableAttributes.of(view, hparams)
        hparam_order = order_hparams(hparams, [run.name for run in view.runs])
        usual = (*attributes.chosen, *insert_hparams(order.usual, hparam_order.usual, settings))
        aside = tuple(key for key in (*order.sparse, *hparam_order.sparse) if key not in attributes.chosen)
        columns = choice.arrange(usual, aside)
        runs = self._sort_runs(_select_rows(view, columns, all_runs=choice.shows_all), view, attributes)
        hidden = len(dict.fromkeys((*usual, *aside))) - len(columns)
        return ComparisonTable(columns, aside, hidden, runs, attributes)

    def _sort_runs(self, runs: Sequence[RunSnapshot], view: View, attributes: TableAttributes) -> Sequence[RunSnapshot]:
        tag, descending = SORT_TAG.value(view.settings), SORT_DESCENDING.value(view.settings)
        if tag is None:
            return runs
        if tag.startswith(ATTRIBUTE):
            return attributes.sort(runs, tag, descending=descending)
        column = self.column(view, tag)
        for _ in column.fill(list_compared_runs(view)):
            pass
        return sorted(runs, key=lambda run: sort_key(column.points.get(run.name), descending=descending))


@frozen(eq=False)
class ComparisonTable:
    """Columns and rows of one view."""

    columns: tuple[str, ...]
    """Keys of the shown columns, in order: tags, and keys of attributes."""

    aside: tuple[str, ...]
    """Keys of columns that few runs have a value of, and of hyperparameters that are the same in all runs."""

    hidden: int
    """Number of columns that are not shown."""

    runs: Sequence[RunSnapshot]
    """Runs with a row, in order."""

    attributes: TableAttributes


def _select_rows(view: View, columns: Sequence[str], *, all_runs: bool) -> Sequence[RunSnapshot]:
    """Return the visible runs that hold any of the shown tags; all of them without tags, or if `all_runs` is set.

    The hyperparameters of a trial are often in a separate run, next to the two runs with its values; such a run
    would be a row of dashes.
    """
    shown, facts = frozenset(columns), view.summaries
    if all_runs:
        return view.runs
    matching = [run for run in view.runs if not shown.isdisjoint(facts[run.name].tags.get("scalars", NO_TAGS))]
    return matching or view.runs


def sort_key(point: Point | None, *, descending: bool) -> tuple[int, float]:
    """Return a sort key: numbers, then NaN, then missing values, in both directions."""
    if point is None:
        return 2, 0.0
    if math.isnan(point.value):
        return 1, 0.0
    return 0, -point.value if descending else point.value


@frozen
class Detail:
    """Details of one cell."""

    name: str
    """Full name of the run."""

    tag: str
    figure: Statistic
    best: Best | None
    """None where that is not known."""

    skip_steps: int
    points: Points | None
    """None when the run has no value of the tag from step `skip_steps` on."""

    point: Point | None
    """The one in the cell."""

    base: Point | None
    """The baseline's; None without one, and for the baseline itself."""

    superseded: int = 0
    """Number of points of the series that none of the statistics counts."""


def read_detail(view: View, run: str, tag: str) -> Detail:
    """Return the details of one cell."""
    settings = view.settings
    best, skip = find_metric_direction(tag, settings), settings.skip_steps
    series = find_scalars(view.snapshot.runs.get(run), tag)
    baseline = find_baseline_run(view)
    other = find_scalars(baseline, tag) if baseline is not None and baseline.name != run else None
    return Detail(
        run,
        tag,
        STATISTIC.value(settings),
        best,
        skip,
        None if series is None else find_points(series, skip),
        None if series is None else find_point(series, STATISTIC.value(settings), best, skip),
        None if other is None else find_point(other, STATISTIC.value(settings), best, skip),
        0 if series is None else series.superseded,
    )


def find_scalars(run: RunSnapshot | None, tag: str) -> ScalarSeries | None:
    """Return the scalars of a run under a tag; None if it has none."""
    series = None if run is None else run.series.get(tag)
    return series if isinstance(series, ScalarSeries) else None
