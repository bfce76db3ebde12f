"""A run that is too large for memory while it is written: its scalars wait in a file without a name."""

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
from tbtui.store.staging import SCALAR_COLUMNS, StagedRun, Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy.typing as npt

    from tbtui.store.snapshot import RunSnapshot, Series

MAX_POINTS_IN_MEMORY = 1 << 20
"""Of all scalar tags together that are in memory at once: 24 MB."""


class SpilledRun(StagedRun):
    """The writer's side of one run whose scalars are read tag by tag, once, when all of them are there.

    A committed snapshot has every series; that of a scalar tag is put together anew each time it is asked for, so that
    memory follows the largest tag. Where no file can be written everything stays in memory.
    """

    def __init__(self, name: str, revisions: Iterator[int], *, most_points: int = MAX_POINTS_IN_MEMORY) -> None:
        """Begin an empty run; `most_points` scalars are in memory at once, otherwise as for `StagedRun`."""
        super().__init__(name, revisions)
        self._most_points = most_points
        self._points = 0
        self._file: _Nameless | None = None
        self._parts: dict[str, list[tuple[int, int]]] = {}
        """Of each tag (byte offset, points): the columns one after the other."""

    def append_scalars(
        self,
        tag: str,
        steps: npt.NDArray[np.int64],
        wall_times: npt.NDArray[np.float64],
        values: npt.NDArray[np.float64],
        *,
        following: int = 0,  # noqa: ARG002 - what follows will not be here
    ) -> None:
        """Add points [n] to a scalar tag, as `StagedRun` does."""
        super().append_scalars(tag, steps, wall_times, values)
        self._points += len(steps)
        if self._points >= self._most_points:
            self._spill()
            self._points = 0

    def commit(self, problem: str | None = None) -> RunSnapshot:
        """Everything so far as a snapshot."""
        snapshot = super().commit(problem)
        if self._file is None:
            return snapshot
        parts = {tag: tuple(each) for tag, each in self._parts.items()}
        return replace(snapshot, series=_SpilledSeries(snapshot.series, parts, self._file))

    def _spill(self) -> None:
        """Move all scalars to the file; where they cannot be moved they stay."""
        try:
            self._file = self._file or _Nameless()
            for tag, columns in self._scalars.items():
                if len(columns):
                    self._parts.setdefault(tag, []).append((self._file.add(columns.views()), len(columns)))
                    self._scalars[tag] = Columns(tuple(SCALAR_COLUMNS.values()))
        except OSError:
            self._most_points *= 2  # no room: it is tried again, but not soon


class _Nameless:
    """A file that is gone when nobody has this any more."""

    def __init__(self) -> None:
        import tempfile  # brings much along

        self._file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - it stays open
        self._end = 0

    def __del__(self) -> None:
        with suppress(AttributeError, OSError):
            self._file.close()

    def add(self, columns: Iterable[npt.NDArray[Any]]) -> int:
        """Write numbers of 8 bytes behind one another; returns where they begin. Raises OSError: they are not there."""
        begin = self._end
        self._file.seek(begin)
        for column in columns:
            self._file.write(column.data.cast("B"))
        self._file.flush()
        self._end = self._file.tell()
        return begin

    def read(self, offset: int, count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Numbers at a place; raises OSError where they are not there any more."""
        data = os.pread(self._file.fileno(), 8 * count, offset)
        if len(data) < 8 * count:
            raise OSError(errno.EIO, "what was read is not there any more")
        return np.frombuffer(data, dtype)


class SpillingStore(Store):
    """A store of runs that are each too large for memory."""

    def stage(self, name: str) -> StagedRun:
        """Begin to write a run."""
        return SpilledRun(name, self._revisions)


class _SpilledSeries(Mapping[str, "Series"]):
    """The series of a run, of which those of scalars are read when they are asked for, and not kept."""

    def __init__(
        self, held: Mapping[str, Series], parts: Mapping[str, tuple[tuple[int, int], ...]], file: _Nameless
    ) -> None:
        """Args: held: with the points that are in memory; parts: of each tag in the file, (offset, points); file."""
        self._held, self._parts, self._file = held, parts, file

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __getitem__(self, tag: str) -> Series:
        series = self._held[tag]
        parts = self._parts.get(tag)
        if parts is None or not isinstance(series, ScalarSeries):
            return series
        last = (series.steps, series.wall_times, series.values)
        total = sum(count for _, count in parts) + len(series)
        columns = []
        for number, dtype in enumerate(SCALAR_COLUMNS.values()):
            column: npt.NDArray[Any] = np.empty(total, dtype)
            at = 0
            for offset, count in parts:
                column[at : at + count] = self._file.read(offset + 8 * number * count, count, dtype)
                at += count
            column[at:] = last[number]
            column.flags.writeable = False
            columns.append(column)
        return replace(series, steps=columns[0], wall_times=columns[1], values=columns[2])
