"""All scalars of a run as four columns, and what runs that log alike share: tags, numbers of points, layouts.

Runs with thousands of tags mostly hold few points of each. Columns of the run cost bytes, not objects
(`tbtui.store.run_series` creates the series).
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import compress
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.store.restarts import FileParts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import numpy.typing as npt

    from tbtui.store.snapshot import Metadata


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
def pick_names(names: tuple[str, ...], held: bytes, others: tuple[str, ...]) -> tuple[str, ...]:
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

    has_ascending: tuple[bool, bool, bool] = (False, False, False)
    """True if the steps of all tags are known to strictly ascend, if no wall times are known to descend, and if all
    wall times are known to strictly ascend and to be finite."""

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
        if self.has_ascending[2]:
            return self._counts.all_true
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
    def has_finite_ascending_times(self) -> bool:
        """True if the wall times of no tag descend, and all are finite."""
        return self.has_ascending[2] or (self.has_ascending_times and bool(np.isfinite(self.wall_times).all()))

    @property
    def has_order(self) -> bool:
        """True if all tags are in order, as `is_in_order` says."""
        is_known = self.has_ascending[2] or (self.has_ascending[0] and self.files is None)
        return is_known or bool(self.is_in_order.all())

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
