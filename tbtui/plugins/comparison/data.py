"""From a view to what its table tells: the order of the runs, and the columns looked at lately."""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.plugins.comparison.column import Asked, Column
from tbtui.plugins.comparison.points import Points, point_of, points_of
from tbtui.store.snapshot import ScalarSeries
from tbtui.viewstate.best import best_of
from tbtui.viewstate.run_names import common_words
from tbtui.viewstate.shown_tags import ShownTags

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.comparison.points import Point
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.viewstate.options import Best, Figure
    from tbtui.viewstate.view import View

MOST_POINTS = 30_000
"""Points kept of columns that were looked at, some hundred bytes each with their cells."""

LEAST_COLUMNS = 40
"""Columns kept all the same: more than the widest terminals show at once."""


def baseline_of(view: View) -> RunSnapshot | None:
    """The run that others are compared with, drawn or not; None when there is none, or not any more."""
    return None if view.choices.baseline is None else view.snapshot.runs.get(view.choices.baseline)


def compared_runs(view: View) -> list[RunSnapshot]:
    """The runs whose values are needed: those drawn, and the baseline."""
    baseline = baseline_of(view)
    drawn = baseline is None or any(run is baseline for run in view.runs)
    return [*view.runs] if drawn or baseline is None else [baseline, *view.runs]


class ComparisonData:
    """The tables of all views shown so far. Used by one thread."""

    def __init__(self, most_points: int = MOST_POINTS) -> None:
        self._most_points = most_points
        self._tags = ShownTags("scalars")
        self._columns: OrderedDict[str, Column] = OrderedDict()

    def tags(self, view: View) -> tuple[str, ...]:
        """Tags that have a column, in order; the same object as long as they stay the same."""
        return self._tags.of(view)

    def column(self, view: View, tag: str) -> Column:
        """The column of a tag, as far as it is worked out."""
        choices = view.choices
        asked = Asked(choices.figure, best_of(tag, choices), choices.skip_steps)
        column = self._columns.pop(tag, None)
        if column is None or column.asked != asked:
            column = Column(tag, asked)
        self._columns[tag] = column
        most = max(self._most_points // max(len(view.runs), 1), LEAST_COLUMNS)
        while len(self._columns) > most:
            self._columns.popitem(last=False)
        return column

    def runs(self, view: View) -> Sequence[RunSnapshot]:
        """The drawn runs in the order asked for: those that hold any of the tags, for a row of dashes tells nothing.

        The hyperparameters of a trial often lie in a run of their own, beside the two that hold its values.
        """
        shown, facts = frozenset(self.tags(view)), view.facts
        held = [run for run in view.runs if not shown.isdisjoint(facts[run.name].tags.get("scalars", ()))]
        runs = held if shown else view.runs
        tag, descending = view.choices.sort_tag, view.choices.sort_descending
        if tag is None:
            return runs
        column = self.column(view, tag)
        for _ in column.fill(compared_runs(view)):
            pass
        return sorted(runs, key=lambda run: sort_key(column.points.get(run.name), descending=descending))


def sort_key(point: Point | None, *, descending: bool) -> tuple[int, float]:
    """Where a run stands in an order: numbers before NaN before nothing at all, whichever way the numbers go."""
    if point is None:
        return 2, 0.0
    if math.isnan(point.value):
        return 1, 0.0
    return 0, -point.value if descending else point.value


@frozen
class Detail:
    """All that is to be told of one cell."""

    name: str
    """Of the run, without what all drawn runs begin with."""

    tag: str
    figure: Figure
    best: Best | None
    """None where that is not known."""

    skip_steps: int
    points: Points | None
    """None when the run has no value of the tag from step `skip_steps` on."""

    told: Point | None
    """The one in the cell."""

    base: Point | None
    """The baseline's; None without one, and for the baseline itself."""


def detail_of(view: View, run: str, tag: str) -> Detail:
    """Look closely at one cell."""
    choices = view.choices
    best, skip = best_of(tag, choices), choices.skip_steps
    series = _series(view.snapshot.runs.get(run), tag)
    baseline = baseline_of(view)
    other = _series(baseline, tag) if baseline is not None and baseline.name != run else None
    start = common_words([drawn.name for drawn in view.runs])
    return Detail(
        run[start:],
        tag,
        choices.figure,
        best,
        skip,
        None if series is None else points_of(series, skip),
        None if series is None else point_of(series, choices.figure, best, skip),
        None if other is None else point_of(other, choices.figure, best, skip),
    )


def _series(run: RunSnapshot | None, tag: str) -> ScalarSeries | None:
    series = None if run is None else run.series.get(tag)
    return series if isinstance(series, ScalarSeries) else None
