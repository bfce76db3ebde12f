"""The rows and columns of the table as the settings choose them: filtered, grouped, sorted, with differences.

Pane, print and exports show the same `SessionRows`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.hparams.metric import FIGURE_LABELS, choose_main_metric
from tbtui.plugins.hparams.settings import SESSIONS
from tbtui.view.attributes import AttributeColumn, sort_values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from tbtui.plugins.hparams.metric import Metric, MetricValues
    from tbtui.plugins.hparams.session_table import HParam, SessionTable
    from tbtui.plugins.hparams.settings import SessionSettings
    from tbtui.settings.settings import Best, Settings

ColumnKind: TypeAlias = Literal["metric", "hparam", "ended"]

ENDED = "ended"
"""Key and title of the column of states and durations."""

HPARAM, METRIC = "h/", "m/"
"""Prefixes of the keys of columns."""


def build_metric_key(title: str) -> str:
    """Return the key of the column of a metric."""
    return METRIC + title


def build_hparam_key(name: str) -> str:
    """Return the key of the column of a hyperparameter."""
    return HPARAM + name


@frozen(slots=False, eq=False)
class GridColumn:
    """A column of the table."""

    key: str
    kind: ColumnKind
    title: str
    """Not yet safe for a terminal."""

    values: AttributeColumn
    """Value of each row; of a group the mean of a metric, or the common value of a hyperparameter."""

    spread: npt.NDArray[np.float64] | None = None
    """Standard deviation of each row of a metric, NaN for a single session; None without groups."""

    distinct: npt.NDArray[np.intp] | None = None
    """Number of distinct values of a hyperparameter in each row; None without groups."""

    best: Best | None = None
    """Better end of a metric; None if unknown, or not a metric."""

    deltas: npt.NDArray[np.float64] | None = None
    """Difference of each row from the baseline; None without one."""


@frozen(slots=False, eq=False)
class SessionRows:
    """The part of a table that the settings show."""

    table: SessionTable
    settings: Settings
    selected: npt.NDArray[np.bool_]
    """Sessions with a visible run, bool[n]."""

    metric: Metric | None
    """The metric that sessions are judged by; None without any metric."""

    values: Mapping[str, MetricValues]
    """Values of all metrics in each session, by title."""

    seeds: tuple[str, ...]
    members: tuple[tuple[int, ...], ...]
    """Sessions of each row, in the order of the table; the first one represents it."""

    order: npt.NDArray[np.intp]
    """Rows in the order in which they are shown."""

    keys: tuple[str, ...]
    """Keys of the columns that are shown, in their order."""

    keys_aside: tuple[str, ...]
    """Keys of the columns that are hidden by default: constant hyperparameters, and other metrics."""

    ordered_hparams: tuple[str, ...]
    """Names of the hyperparameters that differ, in the order of their columns."""

    @property
    def chosen(self) -> SessionSettings:
        """Settings of the dashboard."""
        return SESSIONS.value(self.settings)

    @property
    def best(self) -> Best:
        """Better end of the main metric; `min` if it is unknown."""
        direction = None if self.metric is None else self.metric.direction(self.settings)
        return direction or "min"

    @property
    def is_grouped(self) -> bool:
        """True if a row may be several sessions."""
        return self.chosen.grouped

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Name of the first session of each row, in the order of `members`."""
        return tuple(self.table.sessions[rows[0]].name for rows in self.members)

    @cached_property
    def shown_names(self) -> tuple[str, ...]:
        """Names of the rows in the order in which they are shown."""
        return tuple(self.names[row] for row in self.order.tolist())

    @cached_property
    def row_of(self) -> dict[str, int]:
        """Index into `members` by the name of a row."""
        return {name: row for row, name in enumerate(self.names)}

    @cached_property
    def baseline_row(self) -> int | None:
        """Row of the baseline; None without one."""
        session = self.table.row_of.get(self.chosen.baseline)
        return next((row for row, rows in enumerate(self.members) if session in rows), None)

    @cached_property
    def _columns(self) -> dict[str, GridColumn]:
        return {}

    def column(self, key: str) -> GridColumn:
        """Return a column by its key; it is computed once.

        Raises:
            KeyError: There is no such column.
        """
        if key not in self._columns:
            self._columns[key] = self._build_column(key)
        return self._columns[key]

    def _build_column(self, key: str) -> GridColumn:
        if key == ENDED:
            return GridColumn(key, "ended", ENDED, self._build_duration_column())
        if key.startswith(METRIC):
            metric = self.table.metric(key[len(METRIC) :])
            if metric is None:
                raise KeyError(key)
            return self._build_metric_column(metric)
        return self._build_hparam_column(self.table.hparams[key[len(HPARAM) :]])

    def _build_duration_column(self) -> AttributeColumn:
        sessions = self.table.sessions
        durations = [sessions[rows[0]].duration for rows in self.members]
        return AttributeColumn.of_values(durations)

    def _build_metric_column(self, metric: Metric) -> GridColumn:
        values = self.values[metric.title].values
        firsts = np.array([rows[0] for rows in self.members], np.intp)
        if max(map(len, self.members), default=1) == 1:
            means, spread = values.part(firsts), None
        else:
            means, spread = _average_sessions(values, self.members)
        deltas = None
        if (base := self.baseline_row) is not None:
            deltas = means.numbers - means.numbers[base]
        return GridColumn(
            build_metric_key(metric.title),
            "metric",
            metric.title,
            means,
            spread if self.is_grouped else None,
            None,
            metric.direction(self.settings),
            deltas,
        )

    def _build_hparam_column(self, hparam: HParam) -> GridColumn:
        firsts = np.array([rows[0] for rows in self.members], np.intp)
        distinct = None
        values = hparam.column.part(firsts)
        if self.is_grouped:
            codes = hparam.column.level_codes
            distinct = np.array([len(np.unique(codes[list(rows)])) for rows in self.members], np.intp)
        return GridColumn(build_hparam_key(hparam.name), "hparam", hparam.title, values, None, distinct)

    @cached_property
    def main_column(self) -> GridColumn | None:
        """Column of the main metric."""
        return None if self.metric is None else self.column(build_metric_key(self.metric.title))

    @cached_property
    def ranks(self) -> npt.NDArray[np.intp]:
        """Rank of each row by the main metric from 1; 0 without a finite value."""
        ranks = np.zeros(len(self.members), np.intp)
        column = self.main_column
        if column is not None:
            numbers = column.values.numbers if self.best == "min" else -column.values.numbers
            finite = np.flatnonzero(np.isfinite(numbers))
            ranks[finite[np.argsort(numbers[finite], kind="stable")]] = np.arange(1, len(finite) + 1)
        return ranks

    @property
    def figure_label(self) -> str:
        """Return the label of the values of metrics: `last`, `at the best step of val/loss`."""
        chosen = self.chosen
        label = FIGURE_LABELS[chosen.figure]
        reference_title = chosen.at or (self.metric.title if self.metric is not None else "")
        return f"{label} of {reference_title}" if chosen.figure == "at" and reference_title else label


def _average_sessions(
    values: AttributeColumn, members: Sequence[Sequence[int]]
) -> tuple[AttributeColumn, npt.NDArray[np.float64]]:
    """Return mean and standard deviation over the sessions that have a finite value; NaN if one has no finite one."""
    numbers, present = np.full(len(members), np.nan), np.zeros(len(members), np.bool_)
    spread = np.full(len(members), np.nan)
    for row, sessions in enumerate(members):
        present_values = values.numbers[list(sessions)][values.is_number[list(sessions)]]
        present[row] = len(present_values) > 0
        finite = present_values[np.isfinite(present_values)]
        if len(finite):
            with np.errstate(over="ignore", invalid="ignore"):  # values near the end of float64
                numbers[row] = float(finite.mean())
                spread[row] = float(finite.std(ddof=1)) if len(finite) > 1 else np.nan
    return AttributeColumn.of_numbers(numbers, present), spread


def compute_metric_values(table: SessionTable, settings: Settings) -> dict[str, MetricValues]:
    """Return the values of all metrics, as the settings choose them."""
    chosen = SESSIONS.value(settings)
    reference = table.metric(chosen.at) or choose_main_metric(table.metrics, chosen.metric)
    reference_best = None if reference is None else reference.direction(settings)
    return {
        metric.title: table.figures.values(metric, chosen.figure, metric.direction(settings), reference, reference_best)
        for metric in table.metrics
    }


def choose_rows(
    table: SessionTable,
    settings: Settings,
    selected: npt.NDArray[np.bool_] | None = None,
    importance_order: Sequence[str] = (),
    metrics: Sequence[str] | None = None,
) -> SessionRows:
    """Return the rows and columns of a table that the settings select.

    Args:
        table: All sessions.
        settings: Figure, groups, order and columns.
        selected: Sessions with a visible run, bool[n]; None: all.
        importance_order: Hyperparameters by their share; they are the first ones.
        metrics: Titles of the metrics that are columns at first; None: those of the table.
    """
    chosen = SESSIONS.value(settings)
    shown = np.ones(len(table), np.bool_) if selected is None else selected
    values = compute_metric_values(table, settings)
    metric = choose_main_metric(table.metrics, chosen.metric)
    seeds = table.seeds if chosen.seeds is None else tuple(name for name in chosen.seeds if name in table.hparams)
    sessions = np.flatnonzero(shown)
    members: tuple[tuple[int, ...], ...]
    if chosen.grouped:
        groups: dict[int, list[int]] = {}
        numbers = table.groups(seeds)
        for session in sessions.tolist():
            groups.setdefault(int(numbers[session]), []).append(session)
        members = tuple(map(tuple, groups.values()))
    else:
        members = tuple((session,) for session in sessions.tolist())
    differing = table.varying if len(table) > 1 else tuple(table.hparams)
    hparams = tuple(dict.fromkeys([*(name for name in importance_order if name in differing), *differing]))
    keys, aside = _choose_column_keys(table, settings, metric, hparams, metrics)
    unsorted = np.arange(len(members))
    rows = SessionRows(table, settings, shown, metric, values, seeds, members, unsorted, keys, aside, hparams)
    order = _sort_rows(rows)
    return replace(rows, order=order)


def _choose_column_keys(
    table: SessionTable,
    settings: Settings,
    metric: Metric | None,
    hparams: Sequence[str],
    metrics: Sequence[str] | None,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the keys of the columns that are shown, and of the columns that are hidden by default.

    The main metric comes first, then other metrics, hyperparameters that differ, and the end.
    """
    chosen = SESSIONS.value(settings)
    first = [] if metric is None else [metric.title]
    titles = metrics if metrics is not None else [each.title for each in table.shown_metrics]
    usual = [build_metric_key(title) for title in dict.fromkeys([*first, *titles])]
    usual += [build_hparam_key(name) for name in hparams]
    usual.append(ENDED)
    aside = tuple(key for key in list_keys(table) if key not in set(usual))
    return chosen.columns.arrange(usual, aside), aside


def list_keys(table: SessionTable) -> list[str]:
    """Return the keys of all columns of a table."""
    return [*map(build_metric_key, (m.title for m in table.metrics)), *map(build_hparam_key, table.hparams), ENDED]


def find_key(table: SessionTable, name: str) -> str | None:
    """Return the key of a column by title, tag, name or key; None without one."""
    if name in list_keys(table):
        return name
    if name in table.hparams:
        return build_hparam_key(name)
    metrics = [metric.title for metric in table.metrics if name in (metric.title, metric.tag)]
    if metrics:
        return build_metric_key(metrics[0])
    titles = [hparam.name for hparam in table.hparams.values() if hparam.title == name]
    return build_hparam_key(titles[0]) if titles else None


def sorts_descending(table: SessionTable, key: str, settings: Settings) -> bool:
    """Return True if the best of a column, or its natural beginning, is its greatest value."""
    metric = table.metric(key[len(METRIC) :]) if key.startswith(METRIC) else None
    return metric is not None and metric.direction(settings) == "max"


def _sort_rows(rows: SessionRows) -> npt.NDArray[np.intp]:
    """Return the rows in order: by the chosen column, else the best of the main metric first."""
    chosen = rows.chosen
    if chosen.sort and chosen.sort in list_keys(rows.table):
        return sort_values(rows.column(chosen.sort).values, descending=chosen.descending)
    column = rows.main_column
    if column is None:
        return np.arange(len(rows.members))
    return sort_values(column.values, descending=rows.best == "max")
