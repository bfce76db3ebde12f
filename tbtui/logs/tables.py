"""Tables of several runs and tags: those that `tbtui export` writes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from tbtui.export.chosen import always
from tbtui.export.refusals import Refusals
from tbtui.export.rows import ExportRequest
from tbtui.logs.errors import LeftOutWarning
from tbtui.logs.frames import columns_of, frame_of_tables, need_pandas, wide_frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    import numpy.typing as npt
    from pandas import DataFrame

    from tbtui.export.table import Table
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

Matcher: TypeAlias = Callable[[str], bool]

_CALLER = 4
"""Frames from the warning up to whoever has asked for a table."""


def columns_of_runs(
    plugin: str, runs: Iterable[RunSnapshot], tags: Matcher, *, current: bool
) -> dict[str, npt.NDArray[Any]]:
    """What `tbtui export` writes: columns by name, rows in its order.

    Values that cannot be read are left out, with a `LeftOutWarning`.

    Args:
        plugin: Name of a table, as in `tbtui export --plugin`.
        runs: Those that are wanted.
        tags: Whether the tag is wanted.
        current: Without points that a restart superseded.

    Raises:
        ValueError: There is no such plugin.
    """
    return columns_of(*_all_tables(plugin, runs, tags, current=current))


def frame_of_runs(plugin: str, runs: Iterable[RunSnapshot], tags: Matcher, *, current: bool, wide: bool) -> DataFrame:
    """The same as a pandas table; `wide`: of scalars with a row a step and a column a run and tag.

    Raises:
        ImportError: pandas is not installed.
        ValueError: There is no such table.
    """
    need_pandas()
    if wide and plugin != "scalars":
        raise ValueError(f"only scalars have a wide table, not {plugin}")
    tables, names, leads = _all_tables(plugin, runs, tags, current=current or wide)
    return wide_frame(tables) if wide else frame_of_tables(tables, names, leads)


def table_of_series(plugin: str, run: RunSnapshot, series: ReferenceSeries) -> DataFrame:
    """The rows of one series, as it is now; `run` holds it, or did when it was read.

    Raises:
        ImportError: pandas is not installed.
        ValueError: There are no such tables.
    """
    need_pandas()
    alone = replace(run, series={series.tag: series})
    tables, names, _ = _all_tables(plugin, [alone], always, current=False)
    return frame_of_tables(tables, names, ())


def _all_tables(
    plugin: str, runs: Iterable[RunSnapshot], tags: Matcher, *, current: bool
) -> tuple[list[Table], Sequence[str], Sequence[str]]:
    """The tables, the names of their columns, and what stands in front of them.

    What is left out is told to who has asked for them.
    """
    from tbtui.plugins.registry import table_exports

    exports = table_exports()
    if plugin not in exports:
        raise ValueError(f"there is no table of {plugin!r}; there are {', '.join(exports)}")
    refusals = Refusals()
    rows = exports[plugin].rows(ExportRequest(runs, tags, refusals, current))
    found = [table for table in rows.tables if len(table)]
    if first := refusals.first:
        at = "" if first.step is None else f" at step {first.step:,}"
        warnings.warn(
            f"{refusals.count:,} of {refusals.asked:,} values are left out; "
            f"the first, {first.tag!r} of {first.run!r}{at}: {first.reason}",
            LeftOutWarning,
            stacklevel=_CALLER,
        )
    return found, rows.columns, rows.leads
