"""Scalars of one tag of one run."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

import numpy as np

from tbtui.api.errors import UnknownStepError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt
    from pandas import DataFrame
    from typing_extensions import Self

    from tbtui.store.snapshot import Metadata, ReferenceSeries, ScalarSeries

    Part = TypeVar("Part", bound=ScalarSeries | ReferenceSeries)
    Array = TypeVar("Array", bound=npt.NDArray[Any])

# What scalars and values in files have in common: points of one tag of one run, as they were when they were read.


class Points:
    """Points in the order in which they were logged. All arrays are read-only and stay as they are for ever."""

    def __init__(self, series: ScalarSeries | ReferenceSeries) -> None:
        self._series = series

    @property
    def run(self) -> str:
        """Name of the run."""
        return self._series.run

    @property
    def tag(self) -> str:
        """Name of the tag."""
        return self._series.tag

    @property
    def metadata(self) -> Metadata:
        """What the first value of the tag said of all of them: plugin, display name, description."""
        return self._series.metadata

    @property
    def revision(self) -> int:
        """Grows whenever `refresh` has found something new; the same one means the same points."""
        return self._series.revision

    @property
    def steps(self) -> npt.NDArray[np.int64]:
        """int64[n]."""
        return _read_only(self._series.steps)

    @property
    def wall_times(self) -> npt.NDArray[np.float64]:
        """float64[n], seconds since the epoch."""
        return _read_only(self._series.wall_times)

    @property
    def kept(self) -> npt.NDArray[np.bool_]:
        """bool[n]: which points no restart has superseded: those of `current`."""
        kept = self._series.kept
        return _read_only(np.ones(len(self), np.bool_) if kept is None else kept)

    @property
    def superseded(self) -> int:
        """How many points a later one with the same or an earlier step has superseded."""
        return self._series.superseded

    @property
    def restarts(self) -> npt.NDArray[np.int64]:
        """int64[k]: the steps at which the run went on from the same or an earlier step, in the order of arrival."""
        return _read_only(self._series.restarts)

    @property
    def current(self) -> Self:
        """Without superseded points, as TensorBoard and the dashboard show them: steps ascend."""
        return self if self._series.kept is None else self._of(self._series.current)

    def __len__(self) -> int:
        return len(self._series)

    def _of(self, series: Any) -> Self:
        """The same of other points."""
        return type(self)(series)

    def _part(self, rows: slice) -> Self:
        return self._of(slice_series(self._series, rows))

    def _place(self, index: int) -> int:
        """An index that may count from the end.

        Raises:
            IndexError: There is no such point.
        """
        return check_index(index, len(self), "point", f"{self.tag!r} of {self.run!r}")

    def _place_at(self, step: object) -> int:
        """The last point that was logged at a step.

        Raises:
            UnknownStepError: There is none.
            TypeError: A step is a number.
        """
        if not isinstance(step, (int, float, np.number)):
            raise TypeError(f"a step is a whole number, not {type(step).__name__}")
        found = np.flatnonzero(self.steps == step)
        if len(found):
            return int(found[-1])
        known = np.unique(self.steps)
        after = int(np.searchsorted(known, step))
        near = " and ".join(f"{each:,}" for each in known[max(after - 1, 0) : after + 1].tolist())
        raise UnknownStepError(
            f"{self.tag!r} of {self.run!r} has nothing at step {step:,}" + (f"; the nearest: {near}" if near else "")
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.tag!r} of {self.run!r}: {self._told()}>"

    def _told(self) -> str:
        count, steps = len(self), self.steps
        if not count:
            return "no points"
        span = f"step {steps[0]:,}" if count == 1 else f"steps {steps.min():,} to {steps.max():,}"
        superseded = f", {self.superseded:,} of them superseded" if self.superseded else ""
        return f"{count:,} point{'s' * (count != 1)}{superseded}, {span}"


def check_index(index: int, count: int, what: str, whose: str) -> int:
    """An index that may count from the end, as one that counts from the beginning.

    Args:
        index: As a program gives it.
        count: How many there are.
        what: What one of them is called.
        whose: Whose they are.

    Raises:
        IndexError: There is no such one.
        TypeError: It is no index.
    """
    try:
        at = operator.index(index)
    except TypeError as error:
        raise TypeError(f"the index of a {what} is a whole number, not {type(index).__name__}") from error
    if not -count <= at < count:
        raise IndexError(f"{whose} has {count:,} {what}{'s' * (count != 1)}, no {what} {at}")
    return at % count


def slice_series(series: Part, rows: slice) -> Part:
    """Some points of a series."""
    columns: dict[str, Any] = {field.name: getattr(series, field.name) for field in fields(series)}
    parts: Any = {name: column[rows] for name, column in columns.items() if isinstance(column, np.ndarray)}
    return replace(series, **parts)


def _read_only(array: Array) -> Array:
    """The array, read-only."""
    array.flags.writeable = False
    return array


class ScalarPoint(NamedTuple):
    """One point."""

    step: int
    wall_time: float
    """Seconds since the epoch."""

    value: float


class Scalars(Points, Sequence[ScalarPoint]):
    """Every point of a tag in the order in which it was logged, superseded ones too: `current` leaves these out.

    `steps`, `wall_times` and `values` are numpy arrays of one length. An index gives one point, a slice a part.
    """

    _series: ScalarSeries

    def __init__(self, series: ScalarSeries) -> None:
        super().__init__(series)

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """float64[n]; NaN and infinities as they were logged."""
        values = self._series.values
        values.flags.writeable = False
        return values

    def smoothed(self, weight: float) -> npt.NDArray[np.float64]:
        """The line that the dashboard draws, which is TensorBoard's: a debiased exponential moving average.

        Both leave out superseded points first: `scalars.current.smoothed(0.6)`.

        Args:
            weight: From 0, no smoothing, on, and below 1.

        Returns:
            float64[n]: one for each of `values`; NaN and infinities are passed on, and change nothing behind them.

        Raises:
            ValueError: The weight is none.
        """
        from tbtui.maths.smoothing import smooth

        if not 0 <= weight < 1:
            raise ValueError(f"{weight!r} cannot be the weight of an average: it is from 0 on and below 1, such as 0.9")

        return smooth(self.values, weight)

    def at(self, step: int) -> ScalarPoint:
        """The last point that was logged at a step.

        Raises:
            UnknownStepError: There is none.
        """
        return self[self._place_at(step)]

    def to_pandas(self, *, smoothing: float | None = None) -> DataFrame:
        """A table with the columns `step`, `wall_time`, `value`, and `smoothed` where a weight for it is given.

        Raises:
            ImportError: pandas is not installed.
        """
        from tbtui.api.frames import frame_from_columns

        columns = {"step": self.steps, "wall_time": self.wall_times, "value": self.values}
        return frame_from_columns(columns if smoothing is None else {**columns, "smoothed": self.smoothed(smoothing)})

    @overload
    def __getitem__(self, index: int) -> ScalarPoint: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...

    def __getitem__(self, index: int | slice) -> ScalarPoint | Self:
        if isinstance(index, slice):
            return self._part(index)
        at = self._place(index)
        series = self._series
        return ScalarPoint(int(series.steps[at]), float(series.wall_times[at]), float(series.values[at]))

    def __iter__(self) -> Iterator[ScalarPoint]:
        return map(ScalarPoint, self.steps.tolist(), self.wall_times.tolist(), self.values.tolist())

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """`values`, so that numpy takes the scalars as such."""
        if copy is None:
            return np.asarray(self.values, dtype)
        return np.array(self.values, dtype, copy=copy)

    def _told(self) -> str:
        return f"{super()._told()}, last value {self.values[-1]:g}" if len(self) else super()._told()
