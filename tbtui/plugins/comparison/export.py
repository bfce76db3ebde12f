"""Tables of a comparison for `tbtui export` and the Python API: one row per run and tag, or one row per run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.charts.numbers import format_count
from tbtui.export.table import Table, build_object_column, mask_missing, match_all
from tbtui.loading.payloads import Payloads
from tbtui.plugins.comparison.columns import count_leading_metrics
from tbtui.plugins.comparison.compared_runs import compare
from tbtui.plugins.comparison.comparison import Points
from tbtui.plugins.comparison.settings import STATISTIC
from tbtui.plugins.hparams.export import build_attribute_cells, make_unique, read_name_pattern
from tbtui.plugins.hparams.table import format_full_value
from tbtui.plugins.hparams.table_builder import SessionTables
from tbtui.store.snapshot import StoreSnapshot
from tbtui.view.attributes import AttributeColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.export.request import ExportRequest
    from tbtui.plugins.comparison.compared_runs import ComparedTag, Comparison, Entry
    from tbtui.store.snapshot import RunSnapshot

COMPARISON_COLUMNS = (
    *("run", "tag", "value", "step", "delta", "best", "is_best", "last", "last_step"),
    *("min", "min_step", "max", "max_step", "superseded"),
)
"""Columns of the long table: `value` is the figure that is compared, `delta` its difference from the baseline, `best`
the better end of the tag (`min`, `max` or none), `is_best` is `true` for the best value of all runs."""

BASELINE = "baseline"
"""Key of the options of a request that names the run which differences refer to."""


def compare_request(request: ExportRequest) -> Comparison:
    """Compare the runs of a request, with all points.

    Args:
        request: Its options may name the figure and the baseline.

    Raises:
        CompareError: The baseline does not exist.
    """
    runs, is_selected = (fold_runs(request.runs), match_all) if request.listed_runs is None else request.listed_runs()
    comparison = compare(
        runs,
        is_selected,
        request.tag_matches,
        figure=request.options.get(STATISTIC.name) or "last",
        baseline=request.options.get(BASELINE),
        full=True,
        table=SessionTables(Payloads(max_bytes=0)).build(runs, read_name_pattern(request)),
    )
    if count := comparison.superseded:
        request.skipped.reasons[f"{format_count(count, 'superseded value')} left out"] = None
    return comparison


def fold_runs(runs: Iterable[RunSnapshot]) -> Mapping[str, RunSnapshot]:
    """Return runs by name, with runs that only hold hyperparameters folded into the run above."""
    from tbtui.plugins.registry import run_folder

    return run_folder().fold(StoreSnapshot(runs={run.name: run for run in runs})).runs


def build_comparison_table(comparison: Comparison) -> Table:
    """Return one row for each run and tag; a run without a value of a tag has none."""
    rows = [(run, tag, tag.entries[run]) for run in comparison.runs for tag in comparison.tags if run in tag.entries]
    entries = [entry for _, _, entry in rows]
    points = [entry.points or Points(entry.compared, None, None) for entry in entries]
    columns = {
        "run": build_object_column([run for run, _, _ in rows]),
        "tag": build_object_column([tag.tag for _, tag, _ in rows]),
        "value": np.array([entry.compared.value for entry in entries], np.float64),
        "step": np.array([entry.compared.step for entry in entries], np.int64),
        "delta": _number_column([entry.delta for entry in entries]),
        "best": build_object_column([tag.best for _, tag, _ in rows]),
        "is_best": build_object_column([format_full_value(entry.is_best) for entry in entries]),
    }
    for name, named_points in (
        ("last", [each.last for each in points]),
        ("min", [each.least for each in points]),
        ("max", [each.greatest for each in points]),
    ):
        columns[name] = _number_column([None if point is None else point.value for point in named_points])
        steps = np.array([0 if point is None else point.step for point in named_points], np.int64)
        columns[f"{name}_step"] = mask_missing(steps, np.array([point is not None for point in named_points], np.bool_))
    return Table("", "", columns | {"superseded": np.array([entry.superseded for entry in entries], np.int64)})


def run_table(comparison: Comparison) -> tuple[tuple[str, ...], Table]:
    """Return the names of the columns, and one row for each run in the order of the Compare tab.

    After the run come the leading metrics, the hyperparameters that differ, the other tags, and the hyperparameters
    that are the same in all runs.
    """
    columns: dict[str, npt.NDArray[Any]] = {"run": build_object_column(comparison.runs)}
    leading = count_leading_metrics([tag.best for tag in comparison.tags])
    for tag in comparison.tags[:leading]:
        columns[make_unique(tag.tag, columns)] = tag_values(comparison, tag)
    for name in comparison.differing:
        columns[make_unique(name, columns)] = collect_hparam_values(comparison, name)
    for tag in comparison.tags[leading:]:
        columns[make_unique(tag.tag, columns)] = tag_values(comparison, tag)
    for name in comparison.constant:
        columns[make_unique(name, columns)] = collect_hparam_values(comparison, name)
    return tuple(columns), Table("", "", columns)


def tag_values(
    comparison: Comparison,
    tag: ComparedTag,
    number: Callable[[Entry], float | None] = lambda entry: entry.compared.value,
) -> npt.NDArray[Any]:
    """Return a number of each run, float64[runs]; runs without one are masked."""
    entries = (tag.entries.get(run) for run in comparison.runs)
    return _number_column([None if entry is None else number(entry) for entry in entries])


def _number_column(values: Sequence[float | None]) -> npt.NDArray[Any]:
    is_present = np.array([value is not None for value in values], np.bool_)
    return mask_missing(np.array([0.0 if value is None else value for value in values], np.float64), is_present)


def collect_hparam_values(comparison: Comparison, name: str) -> npt.NDArray[Any]:
    """Return a hyperparameter of each run: float64[runs], or objects if any value is a text or missing."""
    values = (comparison.sessions[run].values.get(name) for run in comparison.runs)
    return build_attribute_cells(AttributeColumn.of_values(values))
