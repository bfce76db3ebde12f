"""Tables of precision-recall curves for files: one row per step and stored threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.export.table import Table, read_values
from tbtui.maths.pr_curves import compute_thresholds
from tbtui.plugins.pr_curves.read import (
    FALSE_NEGATIVES,
    FALSE_POSITIVES,
    PRECISION,
    RECALL,
    TRUE_NEGATIVES,
    TRUE_POSITIVES,
    read_curve,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tbtui.export.table import SkippedValues
    from tbtui.plugins.pr_curves.read import Rows
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

CURVE_COLUMNS = ("step", "wall_time", "threshold", "precision", "recall", "tp", "fp", "tn", "fn")
"""Columns of every table of curves; counts may be fractions.

Precision is stored as 0 if nothing is predicted to be positive; such thresholds at the end of a curve are not drawn.
"""

_STORED = (PRECISION, RECALL, TRUE_POSITIVES, FALSE_POSITIVES, TRUE_NEGATIVES, FALSE_NEGATIVES)
"""Rows of a curve in the order of the columns."""


def build_curve_table(series: ReferenceSeries, curves: Mapping[int, Rows]) -> Table:
    """Return every threshold of some curves.

    Args:
        series: Series of one tag of one run.
        curves: Curves by index of the point, float64[6, T]; at least one.
    """
    points = np.array(list(curves), np.int64)
    sizes = [rows.shape[1] for rows in curves.values()]
    stored = np.concatenate(list(curves.values()), axis=1)
    columns = (
        np.repeat(series.steps[points], sizes),
        np.repeat(series.wall_times[points], sizes),
        np.concatenate([compute_thresholds(size) for size in sizes]),
        *(np.ascontiguousarray(stored[row]) for row in _STORED),
    )
    return Table(series.run, series.tag, dict(zip(CURVE_COLUMNS, columns, strict=True)))


def build_curve_tables(
    series_of_runs: Iterable[tuple[RunSnapshot, ReferenceSeries]], skipped: SkippedValues
) -> Iterator[Table]:
    """Yield the curves of some series, read from the files in parts.

    Args:
        series_of_runs: Series to read, each with its run.
        skipped: Counts the values that are not curves.

    Yields:
        One table per part; none for a part without a curve.
    """
    for run, series in series_of_runs:
        for curves in read_values(run, series, read_curve, skipped):
            yield build_curve_table(series, curves)
