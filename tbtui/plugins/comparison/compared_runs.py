"""Compare runs: the numbers of the Compare tab and the hyperparameters of the runs."""

from __future__ import annotations

import math
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tbtui.export.request import RequestError
from tbtui.frozen import frozen
from tbtui.plugins.comparison.columns import ColumnOrder, count_runs, find_differing, order_tags
from tbtui.plugins.comparison.comparison import Points, find_best_runs, find_point, find_points, find_scalars, sort_key
from tbtui.plugins.hparams.session_table import SessionTable, map_sessions
from tbtui.plugins.hparams.sessions import find_differing_hparams
from tbtui.run_health.anomalies import guess_metric_direction
from tbtui.settings.settings import Settings
from tbtui.store.snapshot import ScalarSeries
from tbtui.view.chart_axes import get_tag_values
from tbtui.view.natural_order import make_natural_key
from tbtui.view.view import sort_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tbtui.maths.x_values import TagValues
    from tbtui.plugins.comparison.comparison import Point
    from tbtui.plugins.comparison.settings import Statistic
    from tbtui.plugins.hparams.decode import HParamValue
    from tbtui.plugins.hparams.session_table import RunSession
    from tbtui.settings.settings import Best
    from tbtui.store.snapshot import RunSnapshot


class CompareError(RequestError):
    """Raised when a baseline, tag or hyperparameter does not exist; the message is one plain line."""


@frozen
class Entry:
    """One tag of one run."""

    compared: Point
    """The point that is compared."""

    points: Points | None
    """Last and extreme points; None if they were not requested."""

    delta: float | None
    """Difference to the baseline; None without a baseline, for the baseline itself, and if either is not finite."""

    is_best: bool
    superseded: int
    """Number of its values that do not count, because others superseded them."""


@frozen
class ComparedTag:
    """One tag of all runs."""

    tag: str
    best: Best | None
    """The better end of the values; None if unknown."""

    entries: Mapping[str, Entry]
    """Entries by run; runs without a value of the tag are missing."""


@frozen
class Order:
    """Sort order of the runs."""

    name: str
    of: str
    """`tag` or `hparam`."""

    descending: bool


@frozen
class Comparison:
    """Result of a comparison."""

    runs: tuple[str, ...]
    """Runs with a row, sorted."""

    others: int
    """Number of runs with one of these tags that the limit leaves out, the last ones of the order."""

    tags: tuple[ComparedTag, ...]
    figure: Statistic
    baseline: str | None
    order: Order | None
    sparse: frozenset[str]
    """Tags that few of the runs have; they are the last ones."""

    differing: tuple[str, ...]
    """Hyperparameters whose values differ between the runs, or that some runs lack."""

    constant: Mapping[str, HParamValue]
    """Hyperparameters with the same value in all runs."""

    sessions: Mapping[str, RunSession]
    """Sessions by run."""

    x_tag: str = ""
    """Tag whose value is the x of a point; empty: its step is."""

    x_values: Mapping[str, TagValues] = field(default_factory=dict)
    """Values of that tag by run; runs without it are missing."""

    def x_of(self, run: str, step: int) -> float | None:
        """Return the value of `x_tag` at a step; None if the run has none at that step."""
        values = self.x_values.get(run)
        x = math.nan if values is None else float(values.at(np.array([step]))[0])
        return None if math.isnan(x) else x

    @property
    def superseded(self) -> int:
        """Return the number of values of all cells that do not count."""
        return sum(entry.superseded for tag in self.tags for entry in tag.entries.values())


def compare(  # noqa: PLR0913 - they are the command's options
    runs: Mapping[str, RunSnapshot],
    is_selected: Callable[[str], bool],
    tags: Callable[[str], bool],
    *,
    figure: Statistic,
    baseline: str | None = None,
    sort: str | None = None,
    reverse: bool = False,
    limit: int | None = None,
    full: bool = False,
    with_superseded: bool = False,
    x_tag: str = "",
    table: SessionTable | None = None,
) -> Comparison:
    """Compare runs.

    Args:
        runs: All runs by name.
        is_selected: Returns True for runs with a row.
        tags: Returns True for tags with a column.
        figure: The point of a series that is compared.
        baseline: The run that differences refer to; it needs no row.
        sort: A tag or a hyperparameter: its best run comes first, or the least value if the better end is unknown.
            None: the order of the run tree, which also orders equal runs.
        reverse: Reverse the order.
        limit: Maximum number of rows.
        full: Find all points of every entry; a single tag always has them.
        with_superseded: Superseded points count as well.
        x_tag: Tag whose value is the x of a point; empty: its step is.
        table: Hyperparameters of the runs; None: they have none.

    Raises:
        CompareError: The baseline, tag or hyperparameter does not exist.
    """
    if baseline is not None and baseline not in runs:
        raise CompareError(f"{baseline}: no run of that name to compare with{_suggest(baseline, runs)}")
    scalars_by_run = {
        name: _select_scalars(runs[name], tags) for name in sort_runs(frozenset(runs)) if is_selected(name)
    }
    names = [name for name, series in scalars_by_run.items() if series]
    x_values = {name: values for name in names if x_tag and (values := get_tag_values(runs[name], x_tag)) is not None}
    if x_tag and names and not x_values:
        raise CompareError(f"{x_tag}: no such scalar in these runs, for --x-tag")
    tag_order = _order_tags(scalars_by_run, [runs[name] for name in names])
    columns = [*tag_order.usual, *tag_order.sparse]
    sessions = map_sessions(table or SessionTable(), runs)
    full = full or len(columns) == 1
    order = _find_order(sort, runs, names, sessions, reverse=reverse)
    if order is not None and order.of == "tag" and order.name in columns:
        columns = [order.name, *(tag for tag in columns if tag != order.name)]
    find = partial(find_point, with_superseded=with_superseded)
    names = _sort_runs(names, order, runs, figure, sessions, find)
    shown = names if limit is None else names[:limit]
    base = {} if baseline is None else _select_scalars(runs[baseline], tags)
    differing, constant = find_differing_hparams([sessions[name].values for name in shown])
    return Comparison(
        tuple(shown),
        len(names) - len(shown),
        tuple(
            _compare_tag(
                tag,
                names,
                shown,
                scalars_by_run,
                base.get(tag),
                figure,
                baseline,
                full=full,
                with_superseded=with_superseded,
            )
            for tag in columns
        ),
        figure,
        baseline,
        order,
        frozenset(tag_order.sparse),
        differing,
        constant,
        {name: sessions[name] for name in shown},
        x_tag,
        x_values,
    )


def _select_scalars(run: RunSnapshot, tags: Callable[[str], bool]) -> dict[str, ScalarSeries]:
    return {
        tag: series
        for tag, series in run.series.items()
        if isinstance(series, ScalarSeries) and series.steps.size and tags(tag)
    }


def _order_tags(scalars_by_run: Mapping[str, Mapping[str, ScalarSeries]], runs: Sequence[RunSnapshot]) -> ColumnOrder:
    """Return the tags of runs in the order of the Compare tab."""
    counts = count_runs(frozenset(scalars_by_run[run.name]) for run in runs)
    return order_tags(sorted(counts, key=make_natural_key), counts, Settings(), find_differing(runs))


def _compare_tag(
    tag: str,
    runs: Sequence[str],
    shown: Sequence[str],
    scalars_by_run: Mapping[str, Mapping[str, ScalarSeries]],
    base: ScalarSeries | None,
    figure: Statistic,
    baseline: str | None,
    *,
    full: bool,
    with_superseded: bool,
) -> ComparedTag:
    """Compare one tag; the best is the best of all `runs`, even if it is not in `shown`."""
    best = guess_metric_direction(tag)
    series_by_run = {name: series for name in runs if (series := scalars_by_run[name].get(tag)) is not None}
    points = {
        name: point
        for name, series in series_by_run.items()
        if (point := find_point(series, figure, best, with_superseded=with_superseded)) is not None
    }
    base_point = None if base is None else find_point(base, figure, best, with_superseded=with_superseded)
    winners = find_best_runs({name: point.value for name, point in points.items()}, best)
    entries = {
        name: Entry(
            point,
            find_points(series_by_run[name], with_superseded=with_superseded) if full else None,
            None if base_point is None or name == baseline else _subtract(point.value, base_point.value),
            name in winners,
            0 if with_superseded else series_by_run[name].superseded,
        )
        for name in shown
        if (point := points.get(name)) is not None
    }
    return ComparedTag(tag, best, entries)


def _subtract(value: float, base: float) -> float | None:
    return value - base if math.isfinite(value) and math.isfinite(base) else None


def _find_order(
    sort: str | None,
    runs: Mapping[str, RunSnapshot],
    names: Sequence[str],
    sessions: Mapping[str, RunSession],
    *,
    reverse: bool,
) -> Order | None:
    if sort is None:
        return None
    if any(isinstance(runs[name].series.get(sort), ScalarSeries) for name in names):
        return Order(sort, "tag", (guess_metric_direction(sort) == "max") != reverse)
    hparams = {hparam for name in names for hparam in sessions[name].values}
    if sort in hparams:
        return Order(sort, "hparam", reverse)
    tags = {tag for name in names for tag, series in runs[name].series.items() if isinstance(series, ScalarSeries)}
    if not names:
        return None
    raise CompareError(
        f"{sort}: no scalar tag and no hyperparameter of that name to sort by{_suggest(sort, tags | hparams)}"
    )


def _sort_runs(
    names: list[str],
    order: Order | None,
    runs: Mapping[str, RunSnapshot],
    figure: Statistic,
    sessions: Mapping[str, RunSession],
    find: Callable[[ScalarSeries, Statistic, Best | None], Point | None],
) -> list[str]:
    if order is None:
        return names
    if order.of == "hparam":
        return _sort_by_hparam(names, order, sessions)
    best = guess_metric_direction(order.name)
    scalars = {name: find_scalars(runs[name], order.name) for name in names}
    points = {name: None if series is None else find(series, figure, best) for name, series in scalars.items()}
    return sorted(names, key=lambda name: sort_key(points[name], descending=order.descending))


def _sort_by_hparam(names: Sequence[str], order: Order, sessions: Mapping[str, RunSession]) -> list[str]:
    """Sort numbers by value, then texts in natural order, then runs without a value."""
    numbers: list[tuple[float, str]] = []
    words: list[tuple[str, str]] = []
    others: list[str] = []
    for name in names:
        value = sessions[name].values.get(order.name)
        if isinstance(value, str):
            words.append((value, name))
        elif value is None or math.isnan(value):
            others.append(name)
        else:
            numbers.append((float(value), name))
    numbers.sort(key=lambda pair: pair[0], reverse=order.descending)
    words.sort(key=lambda pair: make_natural_key(pair[0]), reverse=order.descending)
    return [name for _, name in numbers] + [name for _, name in words] + others


def _suggest(word: str, names: Iterable[str]) -> str:
    """Return a hint with similar names."""
    from tbtui.api.lookup import format_suggestion

    return f"; {format_suggestion(word, sorted(names))}"
