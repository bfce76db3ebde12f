"""The series of a run, and what is known about all of them.

A series of a table is a view that is created when a reader asks for it; functions that need all series compute on the
columns of the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.store.scalar_table import SCALARS, ScalarTable, SeriesLayout
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy.typing as npt

    from tbtui.store.snapshot import RunSnapshot, Series


class RunSeries(Mapping[str, "Series"]):
    """The series of a run: those of a table are made at the first access, the others exist."""

    def __init__(
        self,
        table: ScalarTable,
        make: Callable[[int], Series],
        own: Mapping[str, Series],
        names: tuple[str, ...],
        made: dict[str, Series],
        layout: SeriesLayout | None = None,
    ) -> None:
        """Create the mapping.

        Args:
            table: The table.
            make: Returns the series of a tag of the table; called again by another thread, it returns an equal one.
            own: Series of other tags, and of tags that have gained points beyond the table.
            names: All tags in order of first appearance.
            made: Series that were made before; shared by all mappings of the table.
            layout: The layout, if `own` holds no scalars; None: unknown.
        """
        self.layout = layout
        self.table = table
        self._make = make
        self._own = own
        self._names = names
        self._made = made

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __contains__(self, tag: object) -> bool:
        return tag in self._own or tag in self._made or self._number(tag) is not None

    def __getitem__(self, tag: str) -> Series:
        series = self._own.get(tag)
        if series is None:
            series = self._made.get(tag)
        if series is not None:
            return series
        number = self._number(tag)
        if number is None:
            raise KeyError(tag)
        return self._made.setdefault(tag, self._make(number))

    @cached_property
    def plain_table(self) -> ScalarTable | None:
        """The table if it has all scalars of the run as its series have them; else None."""
        if not self.table.has_order or any(isinstance(series, ScalarSeries) for series in self._own.values()):
            return None
        return self.table

    @property
    def others(self) -> Mapping[str, Series]:
        """The series that are not in the table."""
        return self._own

    @property
    def names(self) -> tuple[str, ...]:
        """All tags; runs that log alike share the tuple."""
        return self._names

    def extended(self, extra: Mapping[str, Series]) -> RunSeries:
        """Return the mapping with further tags."""
        return RunSeries(self.table, self._make, {**self._own, **extra}, (*self._names, *extra), self._made)

    def _number(self, tag: object) -> int | None:
        number = self.table.tags.numbers.get(tag)  # type: ignore[call-overload]
        if number is None or self.table.starts[number] == self.table.starts[number + 1]:
            return None
        return int(number)


def get_plain_table(series_by_tag: Mapping[str, Series]) -> ScalarTable | None:
    """Return the table of a run if it has all scalars of the run as its series have them; else None."""
    return series_by_tag.plain_table if isinstance(series_by_tag, RunSeries) else None


def list_other_series(series_by_tag: Mapping[str, Series]) -> Iterable[Series]:
    """Return the series of a run that are not in its `plain_table`: all of them if it has none."""
    if isinstance(series_by_tag, RunSeries) and series_by_tag.plain_table is not None:
        return series_by_tag.others.values()
    return series_by_tag.values()


def layout_in(series_by_tag: Mapping[str, Series]) -> SeriesLayout | None:
    """Return the layout of a run if it was read whole and has a `plain_table`; else None."""
    if isinstance(series_by_tag, RunSeries) and series_by_tag.plain_table is not None:
        return series_by_tag.layout
    return None


def iter_scalar_series(series_by_tag: Mapping[str, Series]) -> Iterator[ScalarSeries]:
    """Yield the scalar series of a run that have points, in order of first appearance."""
    table = get_plain_table(series_by_tag)
    names: Iterable[str] = series_by_tag if table is None else table.scalar_names
    for name in names:
        series = series_by_tag[name]
        if isinstance(series, ScalarSeries) and len(series):
            yield series


def with_series(series_by_tag: Mapping[str, Series], extra: Mapping[str, Series]) -> Mapping[str, Series]:
    """Return the series of a run and those of tags that it has not."""
    if not extra:
        return series_by_tag
    if isinstance(series_by_tag, RunSeries):
        return series_by_tag.extended(extra)
    return MappingProxyType({**series_by_tag, **extra})


def find_last_step(series_by_tag: Mapping[str, Series]) -> int | None:
    """Return the greatest of the last steps of all series on the step axis; None without points."""
    layout = layout_in(series_by_tag)
    if layout is not None and layout.has_single_values:
        steps = [series.steps.item(0) for series in list_other_series(series_by_tag)]
    else:
        steps = [step for series in list_other_series(series_by_tag) if (step := series.last_step) is not None]
    table = get_plain_table(series_by_tag)
    if table is not None and len(table.steps):
        if table.has_ascending_steps:
            last_steps: list[int] = table.last_steps.tolist()
            return max((*steps, *last_steps))
        last = table.steps[table.starts[1:] - 1]
        held = table.counts > 0
        even = held & table.is_ascending
        steps += [int(last[even].max())] if even.any() else []
        uneven = np.flatnonzero(held & ~table.is_ascending).tolist()
        steps += [step for number in uneven if (step := series_by_tag[table.tags.names[number]].last_step) is not None]
    return max(steps, default=None)


def find_plugin_names(series_by_tag: Mapping[str, Series]) -> AbstractSet[str]:
    """Return the names of the plugins of all series."""
    layout = layout_in(series_by_tag)
    if layout is not None:
        return layout.plugin_names
    table = get_plain_table(series_by_tag)
    names = {series.metadata.plugin_name for series in list_other_series(series_by_tag)}
    return names if table is None or not len(table.steps) else {SCALARS, *names}


def get_last_values(series_by_tag: Mapping[str, Series]) -> dict[str, float]:
    """Return the newest value of each scalar tag, in time; those that a restart superseded count too."""
    values = {
        series.tag: series.values.item(-1)
        for series in list_other_series(series_by_tag)
        if isinstance(series, ScalarSeries) and series.values.size
    }
    table = get_plain_table(series_by_tag)
    if table is not None and len(table.values):
        newest = table.values[table.starts[1:][table.counts > 0] - 1]
        values.update(zip(table.scalar_names, newest.tolist(), strict=True))
    return values


class WallTimes(NamedTuple):
    """Wall times of the series of a run, enough to find its clock."""

    columns: list[npt.NDArray[np.float64]]
    """Those of single series in order of arrival, float64[n] each, the longest and the first one among them."""

    others: npt.NDArray[np.float64] | None = None
    """Those of all other series together, in any order; None if `columns` has all that are needed."""


def collect_wall_times(
    series_by_tag: Mapping[str, Series], dates: tuple[float, float], *, with_pauses: bool
) -> WallTimes:
    """Return the wall times of the series of a run; where all are in order, in time that does not depend on the tags.

    Args:
        series_by_tag: The series.
        dates: A series is in order if its first and its last time are between these times.
        with_pauses: False: the caller needs nothing but the earliest time.
    """
    table = get_plain_table(series_by_tag)
    if table is None or not len(table.steps):
        return WallTimes([series.wall_times for series in series_by_tag.values()])
    times = table.wall_times
    if table.has_one:  # as of most runs of a search: its only tag is all that there is
        first, last = times.item(0), times.item(-1)
        if not (dates[0] < first < dates[1] and dates[0] < last < dates[1]) or (
            with_pauses and not table.has_ascending_times
        ):
            return WallTimes([series.wall_times for series in series_by_tag.values()])
        columns = [np.array([first, last]), *([times] if with_pauses else [])]
        columns += [series.wall_times for series in list_other_series(series_by_tag)]
        return WallTimes(columns, times if with_pauses else None)
    held = table.counts > 0
    firsts, lasts = times[table.starts[:-1][held]], times[table.starts[1:][held] - 1]
    in_order = (firsts > dates[0]) & (firsts < dates[1]) & (lasts > dates[0]) & (lasts < dates[1])
    if not in_order.all() or (with_pauses and not table.has_ascending_times):
        return WallTimes([series.wall_times for series in series_by_tag.values()])
    earliest = int(np.argmin(firsts))
    columns = [np.array([firsts[earliest], lasts[earliest]])]
    if with_pauses:
        columns.append(table.columns(int(np.argmax(table.counts)))[1])
    columns += [series.wall_times for series in list_other_series(series_by_tag)]
    return WallTimes(columns, times if with_pauses else None)


def collect_tags(runs: Iterable[RunSnapshot]) -> set[str]:
    """Return the tags of runs; the cost of runs that log alike is that of one."""
    tags: set[str] = set()
    seen: set[int] = set()
    for run in runs:
        names = run.series.names if isinstance(run.series, RunSeries) else None
        if names is None:
            tags.update(run.series)
        elif id(names) not in seen:
            seen.add(id(names))
            tags.update(names)
    return tags


class ScalarEnds:
    """The last points of the scalar series of a run that have points, in order of first appearance."""

    def __init__(
        self,
        names: Sequence[str],
        lengths: npt.NDArray[np.int64],
        steps: npt.NDArray[np.int64],
        values: npt.NDArray[np.float64],
        series_by_tag: Mapping[str, Series],
    ) -> None:
        """Create the ends.

        Args:
            names: Tag of each series.
            lengths: Number of points of each, int64[n].
            steps: Step of the last point of each, int64[n].
            values: Value of the last point of each, float64[n].
            series_by_tag: The series.
        """
        self.names, self.lengths, self.steps, self.values = names, lengths, steps, values
        self._series_by_tag = series_by_tag

    @classmethod
    def of_series(cls, scalars: Sequence[ScalarSeries]) -> ScalarEnds:
        """Return the ends of series that have points."""
        return cls(
            [series.tag for series in scalars],
            np.array([len(series) for series in scalars], np.int64),
            np.array([series.steps.item(-1) for series in scalars], np.int64),
            np.array([series.values.item(-1) for series in scalars], np.float64),
            {series.tag: series for series in scalars},
        )

    @classmethod
    def of_table(cls, table: ScalarTable, series_by_tag: Mapping[str, Series]) -> ScalarEnds:
        """Return the ends of the series of a table."""
        return cls(table.scalar_names, table.lengths, table.last_steps, table.last_values, series_by_tag)

    def __len__(self) -> int:
        return len(self.names)

    def series(self, index: int) -> ScalarSeries:
        """Return one of the series."""
        return self._series_by_tag[self.names[index]]  # type: ignore[return-value]

    @cached_property
    def max_length(self) -> int:
        """Number of points of the longest series; 0 without any."""
        return (self.lengths.item(0) if len(self) == 1 else int(self.lengths.max())) if len(self) else 0

    @property
    def longest(self) -> ScalarSeries | None:
        """Return the longest series, of equally long ones the furthest; None without any."""
        if len(self) < 2:
            return self.series(0) if len(self) else None
        longest = (self.lengths == self.max_length).nonzero()[0]
        return self.series(int(longest[self.steps[longest].argmax()]))
