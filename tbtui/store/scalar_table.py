"""All scalars of a run as four columns; its series are views that are created on first use.

Runs with thousands of tags mostly hold few points of each. Columns of the run cost bytes, not objects: a series
is created when a reader asks for it; code that needs all of them computes on the columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from itertools import compress
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.frozen import frozen
from tbtui.store.restarts import FileParts
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    import numpy.typing as npt

    from tbtui.store.snapshot import Metadata, RunSnapshot, Series


SCALARS = "scalars"
"""Plugin name of all series of a table."""


@frozen(eq=False, slots=False)
class TagList:
    """The tags of a run in order of first appearance. Runs that log alike share one."""

    names: tuple[str, ...]
    metadata: tuple[Metadata, ...]
    alike: TagList | None = None
    """A list of the same names with other metadata, whose index is used."""

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The index of each tag."""
        if self.alike is not None:
            return self.alike.numbers
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def as_set(self) -> frozenset[str]:
        """The tags as a set."""
        return frozenset(self.names) if self.alike is None else self.alike.as_set

    def __len__(self) -> int:
        return len(self.names)


@lru_cache(maxsize=256)
def some_names(names: tuple[str, ...], held: bytes, others: tuple[str, ...]) -> tuple[str, ...]:
    """Return some of the tags of a run; the same tuple for runs that log alike.

    Args:
        names: All tags.
        held: 1 for each tag that is wanted, else 0.
        others: Tags that are wanted too.
    """
    also = frozenset(others)
    return tuple(name for name, is_held in zip(names, held, strict=True) if is_held or name in also)


@frozen(eq=False, slots=False)
class PointCounts:
    """The number of scalars of each tag. Runs that log alike share one."""

    names: tuple[str, ...]
    starts: npt.NDArray[np.int64]
    """As in `ScalarTable`."""

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """The number of points of each tag, int64[tags]."""
        return np.asarray(self.starts[1:] - self.starts[:-1])

    @cached_property
    def has_all(self) -> bool:
        """True if every tag has a scalar."""
        return bool((self.counts > 0).all())

    @cached_property
    def scalar_names(self) -> tuple[str, ...]:
        """The tags that have a scalar."""
        return self.names if self.has_all else tuple(compress(self.names, (self.counts > 0).tolist()))

    @cached_property
    def is_held(self) -> bytes:
        """For each tag 1 if it has a scalar, else 0."""
        return (self.counts > 0).tobytes()

    @cached_property
    def lengths(self) -> npt.NDArray[np.int64]:
        """The number of points of each of `scalar_names`."""
        return np.asarray(self.counts if self.has_all else self.counts[self.counts > 0])

    @cached_property
    def last_points(self) -> npt.NDArray[np.int64]:
        """Index of the last point of each of `scalar_names`."""
        ends = self.starts[1:] if self.has_all else self.starts[1:][self.counts > 0]
        return np.asarray(ends - 1)

    @cached_property
    def name_set(self) -> frozenset[str]:
        """`scalar_names` as a set."""
        return frozenset(self.scalar_names)

    @cached_property
    def has_one(self) -> bool:
        """True if a single tag has scalars, as in many runs of a search."""
        return len(self.scalar_names) == 1

    @cached_property
    def all_true(self) -> npt.NDArray[np.bool_]:
        """True for each tag, bool[tags]."""
        return np.ones(len(self.counts), np.bool_)


@frozen(eq=False, slots=False)
class ScalarTable:
    """The scalars of a run, tag after tag, those of a tag in order of arrival."""

    tags: TagList
    starts: npt.NDArray[np.int64]
    """Index of the first point of each tag, and the number of points, int64[tags + 1]. Other kinds of tags have no
    points."""

    steps: npt.NDArray[np.int64]
    wall_times: npt.NDArray[np.float64]
    """Seconds since the epoch."""

    values: npt.NDArray[np.float64]
    files: npt.NDArray[np.int32] | None = None
    """The file of each point, an index into the run's files; None: all points are in the first one."""

    shared_counts: PointCounts | None = None
    """The numbers of points, of all tables with the same names and starts; None: not shared."""

    has_ascending: tuple[bool, bool] = (False, False)
    """True if the steps of all tags are known to strictly ascend, and if no wall times are known to descend."""

    @cached_property
    def _counts(self) -> PointCounts:
        return PointCounts(self.tags.names, self.starts) if self.shared_counts is None else self.shared_counts

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """The number of points of each tag, int64[tags]."""
        return self._counts.counts

    @property
    def has_all(self) -> bool:
        """True if every tag has a scalar."""
        return self._counts.has_all

    @property
    def is_held(self) -> bytes:
        """For each tag 1 if it has a scalar, else 0."""
        return self._counts.is_held

    @property
    def has_one(self) -> bool:
        """True if a single tag has scalars."""
        return self._counts.has_one

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """The number of points of each tag that has a scalar."""
        return self._counts.lengths

    @property
    def last_steps(self) -> npt.NDArray[np.int64]:
        """The step of the last point of each tag that has a scalar, in order of arrival."""
        return np.asarray(self.steps[self._counts.last_points])

    @property
    def last_values(self) -> npt.NDArray[np.float64]:
        """The value of the last point of each tag that has a scalar, in order of arrival."""
        return np.asarray(self.values[self._counts.last_points])

    @property
    def last_wall_time(self) -> float:
        """The greatest of all wall times; the table must have points."""
        if self.has_ascending[1] and self._counts.has_one:
            return self.wall_times.item(-1)
        return float(self.wall_times.max())

    @property
    def scalar_names(self) -> tuple[str, ...]:
        """The tags that have a scalar."""
        return self._counts.scalar_names

    @cached_property
    def has_descents(self) -> bool:
        """False if the steps of all tags increase in order of time."""
        if not self.has_ascending_steps:
            return True
        return self.files is not None and not self.has_ascending_times

    @cached_property
    def has_ascending_times(self) -> bool:
        """True if the wall times of no tag descend."""
        return self.has_ascending[1] or bool(self._are_all(self.wall_times[1:] >= self.wall_times[:-1]).all())

    def columns(self, number: int) -> tuple[npt.NDArray[Any], ...]:
        """Return steps, wall times and values of a tag: views."""
        part = slice(self.starts.item(number), self.starts.item(number + 1))
        return self.steps[part], self.wall_times[part], self.values[part]

    def parts(self, number: int) -> FileParts | None:
        """Return the files of the points of a tag; None if all are in the first file of the run."""
        if self.files is None:
            return None
        files = self.files[self.starts.item(number) : self.starts.item(number + 1)]
        return FileParts.of(files) if files.any() else None

    @property
    def has_ascending_steps(self) -> bool:
        """True if the steps of all tags strictly ascend in order of arrival."""
        return self.has_ascending[0] or bool(self.is_ascending.all())

    @cached_property
    def is_ascending(self) -> npt.NDArray[np.bool_]:
        """For each tag: its steps strictly ascend in order of arrival, bool[tags]."""
        if self.has_ascending[0]:
            return self._counts.all_true
        return self._are_all(self.steps[1:] > self.steps[:-1])

    @cached_property
    def is_in_order(self) -> npt.NDArray[np.bool_]:
        """For each tag: its points are in order of time and none is a copy, by the rules of `Checked`, bool[tags]."""
        if self.files is None and self.is_ascending.all():
            return self.is_ascending
        rises = self._are_all(self.wall_times[1:] > self.wall_times[:-1])
        counted = self.starts[:-1] < self.starts[1:]
        # A time that is not a number compares as False.
        rises[counted] &= self.wall_times[self.starts[:-1][counted]] > -np.inf
        rises[counted] &= self.wall_times[self.starts[1:][counted] - 1] < np.inf
        if self.files is None or rises.all():
            return np.asarray(self.is_ascending | rises)
        return np.asarray((self.is_ascending & self._are_all(self.files[1:] == self.files[:-1])) | rises)

    @property
    def has_order(self) -> bool:
        """True if all tags are in order, as `is_in_order` says."""
        return (self.has_ascending[0] and self.files is None) or bool(self.is_in_order.all())

    def _are_all(self, pairs: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return for each tag if a condition is true for all pairs of its successive points, bool[tags].

        Args:
            pairs: The condition for each point and the next, bool[points - 1].
        """
        # Most often only the pairs of two tags break the condition.
        ends = self.starts[1:-1] - 1
        within = pairs.copy()
        within[ends[(ends >= 0) & (ends < len(pairs))]] = True
        if within.all():
            return np.ones(len(self.starts) - 1, np.bool_)
        wrong = np.concatenate(([0], np.cumsum(~pairs)))
        first = np.minimum(self.starts[:-1], len(wrong) - 1)
        last = np.maximum(self.starts[1:] - 1, first)
        return np.asarray(wrong[last] == wrong[first])


@frozen(eq=False, slots=False)
class SeriesLayout:
    """The tags of a run, their plugins and numbers of values. Runs that log alike share one."""

    counts: PointCounts
    others: tuple[tuple[str, str, int], ...]
    """Tag, plugin and number of values of each series that is not in the table."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All tags with values, in order of first appearance."""
        others = frozenset(tag for tag, _, _ in self.others)
        is_held = zip(self.counts.names, self.counts.is_held, strict=True)
        return tuple(name for name, has_scalars in is_held if has_scalars or name in others)

    @cached_property
    def plugin_names(self) -> frozenset[str]:
        """The plugins of all tags."""
        names = frozenset(plugin for _, plugin, _ in self.others)
        return names | {SCALARS} if any(self.counts.is_held) else names

    @cached_property
    def other_tags(self) -> Mapping[str, frozenset[str]]:
        """The tags of `others` that have values, by plugin."""
        tags: dict[str, list[str]] = {}
        for tag, plugin, count in self.others:
            if count:
                tags.setdefault(plugin, []).append(tag)
        return MappingProxyType({plugin: frozenset(names) for plugin, names in tags.items()})

    @cached_property
    def other_values(self) -> int:
        """The number of values of all `others`."""
        return sum(count for _, _, count in self.others)

    @cached_property
    def has_single_values(self) -> bool:
        """True if each of `others` has one value."""
        return all(count == 1 for _, _, count in self.others)


@lru_cache(maxsize=256)
def layout_of(counts: PointCounts, others: tuple[tuple[str, str, int], ...]) -> SeriesLayout:
    """Return a layout; the same object for runs that log alike."""
    return SeriesLayout(counts, others)


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


def plain_table(series_by_tag: Mapping[str, Series]) -> ScalarTable | None:
    """Return the table of a run if it has all scalars of the run as its series have them; else None."""
    return series_by_tag.plain_table if isinstance(series_by_tag, RunSeries) else None


def other_series(series_by_tag: Mapping[str, Series]) -> Iterable[Series]:
    """Return the series of a run that are not in its `plain_table`: all of them if it has none."""
    if isinstance(series_by_tag, RunSeries) and series_by_tag.plain_table is not None:
        return series_by_tag.others.values()
    return series_by_tag.values()


def layout_in(series_by_tag: Mapping[str, Series]) -> SeriesLayout | None:
    """Return the layout of a run if it was read whole and has a `plain_table`; else None."""
    if isinstance(series_by_tag, RunSeries) and series_by_tag.plain_table is not None:
        return series_by_tag.layout
    return None


def scalar_series(series_by_tag: Mapping[str, Series]) -> Iterator[ScalarSeries]:
    """Yield the scalar series of a run that have points, in order of first appearance."""
    table = plain_table(series_by_tag)
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
        steps = [series.steps.item(0) for series in other_series(series_by_tag)]
    else:
        steps = [step for series in other_series(series_by_tag) if (step := series.last_step) is not None]
    table = plain_table(series_by_tag)
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
    table = plain_table(series_by_tag)
    names = {series.metadata.plugin_name for series in other_series(series_by_tag)}
    return names if table is None or not len(table.steps) else {SCALARS, *names}


def last_values(series_by_tag: Mapping[str, Series]) -> dict[str, float]:
    """Return the newest value of each scalar tag, in time; those that a restart superseded count too."""
    values = {
        series.tag: series.values.item(-1)
        for series in other_series(series_by_tag)
        if isinstance(series, ScalarSeries) and series.values.size
    }
    table = plain_table(series_by_tag)
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


def wall_times_of(series_by_tag: Mapping[str, Series], dates: tuple[float, float], *, with_pauses: bool) -> WallTimes:
    """Return the wall times of the series of a run; where all are in order, in time that does not depend on the tags.

    Args:
        series_by_tag: The series.
        dates: A series is in order if its first and its last time are between these times.
        with_pauses: False: the caller needs nothing but the earliest time.
    """
    table = plain_table(series_by_tag)
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
        columns += [series.wall_times for series in other_series(series_by_tag)]
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
    columns += [series.wall_times for series in other_series(series_by_tag)]
    return WallTimes(columns, times if with_pauses else None)


def all_tags(runs: Iterable[RunSnapshot]) -> set[str]:
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
