"""Scalars as tables: one point a row."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.export.table import Table
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    import numpy.typing as npt

    from tbtui.store.snapshot import RunSnapshot

SCALARS = ("step", "wall_time", "value")
"""Columns of every table of scalars; `wall_time` is in seconds since the epoch."""

SMOOTHED = (*SCALARS, "smoothed")
"""With the values as a chart has smoothed them."""


def scalar_table(
    run: str,
    tag: str,
    steps: npt.NDArray[np.int64],
    wall_times: npt.NDArray[np.float64],
    values: npt.NDArray[np.float64],
    smoothed: npt.NDArray[np.float64] | None = None,
) -> Table:
    """Points of one tag of one run, one a row; it has the column `smoothed` only where these values are given."""
    columns = {"step": steps, "wall_time": wall_times, "value": values}
    return Table(run, tag, columns if smoothed is None else {**columns, "smoothed": smoothed})


def scalar_tables(run: RunSnapshot, tag_matches: Callable[[str], bool], *, current: bool = False) -> Iterator[Table]:
    """The scalars of a run, tag by tag; a table without points is left out.

    Args:
        run: What has been read of it.
        tag_matches: Whether the tag is wanted.
        current: Without points that a restart superseded, instead of every stored point in arrival order.
    """
    for series in run.series.values():
        if isinstance(series, ScalarSeries) and len(series) and tag_matches(series.tag):
            yield _table(series, current=current)


def _table(series: ScalarSeries, *, current: bool) -> Table:
    if current:
        # Asked of a copy, because a series keeps its answer: by and by that would be all points a second time.
        series = replace(series).current
    return scalar_table(series.run, series.tag, series.steps, series.wall_times, series.values)
