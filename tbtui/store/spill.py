"""Move the scalars of a run that is too large for memory to an unnamed temporary file."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from tbtui.store.columns import Columns
from tbtui.store.snapshot import ScalarSeries
from tbtui.store.staging import SCALAR_COLUMNS, Checked, StagedRun, Store, arrange, file_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt

    from tbtui.store.restarts import FileParts
    from tbtui.store.snapshot import RunSnapshot, Series

MAX_POINTS_IN_MEMORY = 1 << 20
"""Maximum number of scalars of a run in memory: 24 MB."""


class SpilledRun(StagedRun):
    """A run whose scalars are read tag by tag, once, after all of them were written.

    A snapshot has every series. The series of a scalar tag is read from the file at each access, so the
    largest tag determines the memory. If no file can be written, all scalars stay in memory.
    """

    def __init__(self, name: str, revisions: Iterator[int], *, max_points: int = MAX_POINTS_IN_MEMORY) -> None:
        """Create an empty run that holds at most `max_points` scalars in memory."""
        super().__init__(name, revisions)
        self._max_points = max_points
        self._points = 0
        self._file: _SpillFile | None = None
        self._last: dict[str, tuple[int, float]] = {}
        """Step and wall time of the last point of each tag."""

        self._spilled: dict[str, list[tuple[int, int]]] = {}
        """Parts of each tag in the file as (byte offset, points); a part holds one column after the other."""

    def append_scalars(
        self,
        tag: str,
        steps: npt.NDArray[np.int64],
        wall_times: npt.NDArray[np.float64],
        values: npt.NDArray[np.float64],
        *,
        file: int = 0,
        following: int = 0,  # noqa: ARG002 - the columns are emptied before these points arrive
    ) -> None:
        super().append_scalars(tag, steps, wall_times, values, file=file)
        if not self._has_descents:
            step, wall_time = self._last.get(tag, (None, -np.inf))
            is_later = step is None or (steps.item(0) > step and wall_times.item(0) >= wall_time)
            is_rising = bool((steps[1:] > steps[:-1]).all() and (not file or (wall_times[1:] >= wall_times[:-1]).all()))
            self._has_descents = not (is_later and is_rising)
            self._last[tag] = steps.item(-1), wall_times.item(-1)
        self._points += len(steps)
        if self._points >= self._max_points:
            self._spill()
            self._points = 0

    def snapshot(self, problem: str | None = None) -> RunSnapshot:
        snapshot = super().snapshot(problem)
        if self._file is None:
            return snapshot
        parts = {tag: tuple(each) for tag, each in self._spilled.items()}
        return replace(snapshot, series=_SpilledSeries(snapshot.series, parts, self.parts(), self._file))

    def _count(self, tag: str) -> int:
        return sum(count for _, count in self._spilled.get(tag, ())) + super()._count(tag)

    def _arrange(
        self, tag: str, columns: tuple[npt.NDArray[Any], ...]
    ) -> tuple[tuple[npt.NDArray[Any], ...], FileParts | None]:
        # The last points of a spilled tag; all of them are arranged when they are read.
        return (columns, None) if tag in self._spilled else super()._arrange(tag, columns)

    def _spill(self) -> None:
        """Move all scalars to the file; keep them in memory if it cannot be written."""
        try:
            self._file = self._file or _SpillFile()
            for tag, columns in self._scalars.items():
                if len(columns):
                    self._spilled.setdefault(tag, []).append((self._file.add(columns.create_views()), len(columns)))
                    self._scalars[tag] = Columns(tuple(SCALAR_COLUMNS.values()))
        except OSError:
            self._max_points *= 2  # the disk is full: retry, but later


class _SpillFile:
    """A temporary file that is deleted with its last reference."""

    def __init__(self) -> None:
        import tempfile  # a slow import

        self._file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - stays open
        self._end = 0

    def __del__(self) -> None:
        with suppress(AttributeError, OSError):
            self._file.close()

    def add(self, columns: Iterable[npt.NDArray[Any]]) -> int:
        """Append columns of 8-byte numbers, and return the byte offset of the first.

        Raises:
            OSError: They could not be written.
        """
        begin = self._end
        self._file.seek(begin)
        for column in columns:
            self._file.write(column.data.cast("B"))
        self._file.flush()
        self._end = self._file.tell()
        return begin

    def read(self, offset: int, count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Return `count` numbers from a byte offset.

        Raises:
            OSError: They are no longer in the file.
        """
        data = os.pread(self._file.fileno(), 8 * count, offset)
        if len(data) < 8 * count:
            raise OSError(errno.EIO, "the temporary file was cut short")
        return np.frombuffer(data, dtype)


class SpillingStore(Store):
    """A store of runs that are each too large for memory."""

    def stage(self, name: str) -> StagedRun:
        return SpilledRun(name, self._revisions)


class _SpilledSeries(Mapping[str, "Series"]):
    """The series of a run; those of scalars are read from the file at each access."""

    def __init__(
        self,
        series_by_tag: Mapping[str, Series],
        parts: Mapping[str, tuple[tuple[int, int], ...]],
        file_parts: Mapping[str, tuple[Sequence[int], Sequence[int]]],
        file: _SpillFile,
    ) -> None:
        """Create the mapping.

        Args:
            series_by_tag: The series with the points in memory.
            parts: The parts of each tag in the file as (byte offset, points).
            file_parts: The result of `StagedRun.parts`.
            file: The file.
        """
        self._series_by_tag, self._parts, self._file_parts, self._file = series_by_tag, parts, file_parts, file

    def __len__(self) -> int:
        return len(self._series_by_tag)

    def __iter__(self) -> Iterator[str]:
        return iter(self._series_by_tag)

    def __getitem__(self, tag: str) -> Series:
        series = self._series_by_tag[tag]
        parts = self._parts.get(tag)
        if parts is None or not isinstance(series, ScalarSeries):
            return series
        last = (series.steps, series.wall_times, series.values)
        total = sum(count for _, count in parts) + len(series)
        columns = []
        for number, dtype in enumerate(SCALAR_COLUMNS.values()):
            column: npt.NDArray[Any] = np.empty(total, dtype)
            position = 0
            for offset, count in parts:
                column[position : position + count] = self._file.read(offset + 8 * number * count, count, dtype)
                position += count
            column[position:] = last[number]
            column.flags.writeable = False
            columns.append(column)
        starts_and_files = self._file_parts.get(tag)
        parts_of_files = None if starts_and_files is None else file_parts(*starts_and_files)
        (steps, wall_times, values), parts_of_files = arrange(tuple(columns), parts_of_files, Checked())
        return replace(series, steps=steps, wall_times=wall_times, values=values, parts=parts_of_files)
