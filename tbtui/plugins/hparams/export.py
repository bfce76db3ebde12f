"""Tables of sessions and of shares for `tbtui export` and the Python API."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.export.table import Table, build_object_column, mask_missing
from tbtui.loading.payloads import Payloads
from tbtui.plugins.hparams import labels
from tbtui.plugins.hparams.importance import measure_importance
from tbtui.plugins.hparams.metric import FigureCache, choose_main_metric
from tbtui.plugins.hparams.session_table import SOURCES, SessionTable
from tbtui.plugins.hparams.settings import RUN_NAMES, name_pattern
from tbtui.plugins.hparams.table import format_full_value
from tbtui.plugins.hparams.table_builder import SessionTables
from tbtui.run_health.anomalies import guess_metric_direction
from tbtui.settings.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    import numpy.typing as npt

    from tbtui.export.request import ExportRequest
    from tbtui.export.table import SkippedValues
    from tbtui.plugins.hparams.importance import Importance
    from tbtui.plugins.hparams.settings import Figure
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.attributes import AttributeColumn

HPARAM_COLUMNS = ("name", "value", "number", "source", "session", "group")
"""Columns of the long table, which has no tag: `value` is what was logged as text, truths as `true` and `false`;
`number` is the same as a number where it is one; `session` is the run that represents the session. Of several sessions
in one run the last one counts."""

SESSION_COLUMNS = ("run", "group", "status", "started", "duration", "last_step")
"""Columns of the wide table before hyperparameters and metrics."""

IMPORTANCE_COLUMNS = (
    *("metric", "name", "share", "p", "q", "levels", "least", "greatest", "best_low", "best_high"),
    *("best_values", "hint", "together"),
)


def build_table(runs: Iterable[RunSnapshot], name_pattern: str | None = None) -> SessionTable:
    """Return the table of all sessions of some runs; `name_pattern` as in `SessionTables.build`."""
    return SessionTables(Payloads(max_bytes=0)).build({run.name: run for run in runs}, name_pattern)


def read_name_pattern(request: ExportRequest) -> str | None:
    """Return the pattern of hyperparameters in run names that the options of a request name."""
    return name_pattern(RUN_NAMES.with_value(Settings(), request.options.get(RUN_NAMES.name)))


def build_hparam_tables(table: SessionTable, skipped: SkippedValues) -> Iterator[Table]:
    """Yield the hyperparameters of each session, one row each, in the order of their declaration."""
    for row, session in enumerate(table.sessions):
        hparams = [hparam for hparam in table.hparams.values() if hparam.column.present[row]]
        skipped.add_reasons(session.hparams_runs[-1], "hyperparameters", len(hparams), session.problems)
        values = [hparam.column.value(row) for hparam in hparams]
        columns = {
            "name": build_object_column([hparam.name for hparam in hparams]),
            "value": build_object_column([format_full_value(value) for value in values]),
            "number": build_object_column([value if isinstance(value, float) else None for value in values]),
            "source": build_object_column([SOURCES[int(hparam.sources[row])] for hparam in hparams]),
            "session": build_object_column([session.name] * len(hparams)),
            "group": build_object_column([session.group] * len(hparams)),
        }
        for run in session.hparams_runs if hparams else ():
            yield Table(run, "", columns)


def build_session_table(
    table: SessionTable, matches: Callable[[str], bool], figure: Figure = "last"
) -> tuple[tuple[str, ...], Table]:
    """Return the names of the columns and one row for each session: hyperparameters, then metrics.

    Args:
        table: All sessions.
        matches: Returns True for the tags of the metrics to include.
        figure: Point of each curve that counts.
    """
    sessions = table.sessions
    columns = {
        "run": build_object_column([session.name for session in sessions]),
        "group": build_object_column([session.group for session in sessions]),
        "status": build_object_column([str(status) for status in table.statuses.values()]),
        "started": _build_float_column(session.started for session in sessions),
        "duration": build_object_column([session.duration for session in sessions]),
        "last_step": build_object_column([session.last_step for session in sessions]),
    }
    for name, hparam in table.hparams.items():
        columns[make_unique(name, columns)] = build_attribute_cells(hparam.column)
    cache = FigureCache()
    for metric in table.metrics:
        if matches(metric.tag):
            values = cache.values(metric, figure, guess_metric_direction(metric.tag)).values
            columns[make_unique(metric.title, columns)] = build_attribute_cells(values)
    return tuple(columns), Table("", "", columns)


def build_attribute_cells(column: AttributeColumn) -> npt.NDArray[Any]:
    """Return a column of numbers, or of texts and numbers, in which some rows may be missing."""
    if column.is_numeric:
        return column.numbers if column.present.all() else mask_missing(column.numbers, column.present)
    return build_object_column(
        [value if isinstance(value, float) or value is None else format_full_value(value) for value in column.values()]
    )


def _build_float_column(numbers: Iterable[float | None]) -> npt.NDArray[Any]:
    """Return a column of numbers; None is missing."""
    cells = list(numbers)
    values = np.array([np.nan if cell is None else cell for cell in cells], np.float64)
    has_value = np.array([cell is not None for cell in cells], np.bool_)
    return values if has_value.all() else mask_missing(values, has_value)


def make_unique(name: str, used_names: Iterable[str]) -> str:
    """Return a name that no column has."""
    used, number, candidate = set(used_names), 1, name
    while candidate in used:
        number += 1
        candidate = f"{name} ({number})"
    return candidate


def find_importances(
    table: SessionTable, matches: Callable[[str], bool], skipped: SkippedValues | None = None
) -> Iterator[Importance]:
    """Yield the importance for the main metric, or for each metric that a tag pattern selects."""
    metrics = [metric for metric in table.metrics if matches(metric.tag)]
    selected = [choose_main_metric(metrics)] if len(metrics) == len(table.metrics) else metrics
    for metric in selected:
        if metric is not None:
            best = guess_metric_direction(metric.tag) or "min"
            values = table.figures.values(metric, "last", best).values
            importance = measure_importance(table, metric.title, values, best, None, table.seeds)
            if importance.reason and skipped is not None:
                skipped.reasons[importance.reason] = None
            yield importance


def build_importance_table(all_importances: Iterable[Importance]) -> Table:
    """Return one row for each hyperparameter of each metric."""
    rows = [(importance, entry) for importance in all_importances for entry in importance.hparams]
    entries = [entry for _, entry in rows]
    return Table(
        "",
        "",
        {
            "metric": build_object_column([importance.metric for importance, _ in rows]),
            "name": build_object_column([entry.name for entry in entries]),
            "share": np.array([entry.share for entry in entries]),
            "p": np.array([entry.p for entry in entries]),
            "q": np.array([entry.q for entry in entries]),
            "levels": np.array([entry.levels for entry in entries], np.int64),
            "least": _build_float_column(entry.least for entry in entries),
            "greatest": _build_float_column(entry.greatest for entry in entries),
            "best_low": _build_float_column(entry.best.low for entry in entries),
            "best_high": _build_float_column(entry.best.high for entry in entries),
            "best_values": build_object_column(
                [
                    ", ".join(f"{format_full_value(word)}: {count}" for word, count in entry.best.words)
                    for entry in entries
                ]
            ),
            "hint": build_object_column([labels.format_hint(entry) for entry in entries]),
            "together": build_object_column([", ".join(entry.together) for entry in entries]),
        },
    )
