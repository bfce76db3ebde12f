"""Histograms as tables: one bucket a row, or one histogram a row with its quantiles.

Buckets are as they are drawn: at both ends of old histograms empty ones are cut off, and the outermost edges are the
least and the greatest value. A histogram without buckets has no row there; its quantiles are 0, as in TensorBoard, and
its count of 0 tells them from those of values that are all 0. One that cannot be drawn has no row in either table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.export.table import Table
from tbtui.loading.payloads import Payloads
from tbtui.maths.statistics import BASIS_POINTS, TOTAL_BASIS_POINTS, interpolate_quantiles
from tbtui.plugins.histograms.read import load_histograms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import numpy.typing as npt

    from tbtui.export.table import SkippedValues
    from tbtui.maths.histograms import Buckets
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

    TableOf = Callable[[str, str, npt.NDArray[np.int64], npt.NDArray[np.float64], Buckets], Table]
    """Makes one kind of table of run, tag, steps, wall times and histograms."""

PLUGIN_NAME = "histograms"

BUCKET_COLUMNS = ("step", "wall_time", "left", "right", "count")
"""Columns of every table of buckets."""


def _name(point: float) -> str:
    """Return the name of a quantile: 6.68 % of all values are below `p6.68`."""
    return {0: "min", TOTAL_BASIS_POINTS / 2: "median", TOTAL_BASIS_POINTS: "max"}.get(
        point, f"p{100 * point / TOTAL_BASIS_POINTS:g}"
    )


QUANTILE_NAMES = tuple(map(_name, BASIS_POINTS))
"""Names of quantiles in the order of `BASIS_POINTS`."""

QUANTILE_COLUMNS = ("step", "wall_time", "count", *QUANTILE_NAMES)
"""Columns of every table of quantiles."""

PART_BYTES = 4 << 20
"""Bytes of payloads that are in memory at once."""


def build_bucket_table(
    run: str, tag: str, steps: npt.NDArray[np.int64], wall_times: npt.NDArray[np.float64], buckets: Buckets
) -> Table:
    """Return every bucket of n histograms of one tag: steps int64[n], wall times float64[n]."""
    sizes = np.diff(buckets.starts)
    columns = (np.repeat(steps, sizes), np.repeat(wall_times, sizes), buckets.lefts, buckets.rights, buckets.counts)
    return Table(run, tag, dict(zip(BUCKET_COLUMNS, columns, strict=True)))


def build_quantile_table(
    run: str, tag: str, steps: npt.NDArray[np.int64], wall_times: npt.NDArray[np.float64], buckets: Buckets
) -> Table:
    """Return count and quantiles of n histograms of one tag: steps int64[n], wall times float64[n]."""
    is_readable = ~np.isnan(buckets.totals)
    columns = (
        steps[is_readable],
        wall_times[is_readable],
        buckets.totals[is_readable],
        *interpolate_quantiles(buckets)[is_readable].T,
    )
    return Table(run, tag, dict(zip(QUANTILE_COLUMNS, columns, strict=True)))


def build_histogram_tables(
    series_of_runs: Iterable[tuple[RunSnapshot, ReferenceSeries]], create_table: TableOf, skipped: SkippedValues
) -> Iterator[Table]:
    """Yield the histograms of some series, read from the files in parts.

    Args:
        series_of_runs: Series to read, each with its run.
        create_table: `build_bucket_table` or `build_quantile_table`.
        skipped: Receives every histogram that cannot be drawn.

    Yields:
        Tables of a part of a series' steps; none of a part of which nothing can be drawn.
    """
    payloads = Payloads(max_bytes=0)
    for run, series in series_of_runs:
        for block in _split_series(series):
            histograms = load_histograms(payloads, run, block)
            skipped.add(block, histograms.errors)
            if len(histograms.errors) < len(block):
                yield create_table(block.run, block.tag, block.steps, block.wall_times, histograms.buckets)


def _split_series(series: ReferenceSeries) -> Iterator[ReferenceSeries]:
    """Yield the series in parts whose payloads are read at once."""
    ends = np.cumsum(series.lengths)
    first = 0
    while first < len(series):
        before = ends[first] - series.lengths[first]
        rows = slice(first, max(first + 1, int(np.searchsorted(ends, before + PART_BYTES, side="right"))))
        yield series.part(rows)
        first = rows.stop
