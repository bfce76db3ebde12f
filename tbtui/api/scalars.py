"""Points of one tag of one run, and scalars."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

import numpy as np

from tbtui.api.errors import UnknownStepError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt
    from pandas import DataFrame
    from typing_extensions import Self

    from tbtui.maths.x_values import RunClock, XAxis
    from tbtui.store.snapshot import Metadata, ReferenceSeries, RunSnapshot, ScalarSeries

    Part = TypeVar("Part", bound=ScalarSeries | ReferenceSeries)
    Array = TypeVar("Array", bound=npt.NDArray[Any])


class Points:
    """Base class of all series: points in logging order. All arrays are read-only and never change."""

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
        """Metadata of the first value, which TensorBoard applies to the tag: plugin, display name, description."""
        return self._series.metadata

    @property
    def revision(self) -> int:
        """Number that grows whenever `refresh` finds new data; equal revisions mean equal points."""
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
        """bool[n]: True for points that no restart superseded, which are the points of `current`."""
        kept = self._series.kept
        return _read_only(np.ones(len(self), np.bool_) if kept is None else kept)

    @property
    def superseded(self) -> int:
        """Number of points superseded by a later one with the same or an earlier step."""
        return self._series.superseded

    @property
    def restarts(self) -> npt.NDArray[np.int64]:
        """int64[k]: steps at which the run continued from the same or an earlier step, in logging order."""
        return _read_only(self._series.restarts)

    @property
    def current(self) -> Self:
        """The points without superseded ones, as TensorBoard and the dashboard show them: steps ascend."""
        return self if self._series.kept is None else self._with_series(self._series.current)

    def __len__(self) -> int:
        return len(self._series)

    def _with_series(self, series: Any) -> Self:
        """Return an instance for other points."""
        return type(self)(series)

    def _sliced(self, rows: slice) -> Self:
        return self._with_series(slice_series(self._series, rows))

    def _checked_index(self, index: int) -> int:
        """Return a non-negative index.

        Raises:
            IndexError: The index is out of range.
        """
        return check_index(index, len(self), "point", f"{self.tag!r} of {self.run!r}")

    def _index_of_step(self, step: object) -> int:
        """Return the index of the last point logged at a step.

        Raises:
            UnknownStepError: No point has that step.
            TypeError: The step is not a number.
        """
        if not isinstance(step, (int, float, np.number)):
            raise TypeError(f"a step is a whole number, not {type(step).__name__}")
        indices = np.flatnonzero(self.steps == step)
        if len(indices):
            return int(indices[-1])
        known = np.unique(self.steps)
        after = int(np.searchsorted(known, step))
        near = " and ".join(f"{each:,}" for each in known[max(after - 1, 0) : after + 1].tolist())
        raise UnknownStepError(
            f"{self.tag!r} of {self.run!r} has nothing at step {step:,}" + (f"; the nearest: {near}" if near else "")
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.tag!r} of {self.run!r}: {self._describe()}>"

    def _describe(self) -> str:
        count, steps = len(self), self.steps
        if not count:
            return "no points"
        span = f"step {steps[0]:,}" if count == 1 else f"steps {steps.min():,} to {steps.max():,}"
        superseded = f", {self.superseded:,} of them superseded" if self.superseded else ""
        return f"{count:,} point{'s' * (count != 1)}{superseded}, {span}"


def check_index(index: int, count: int, what: str, whose: str) -> int:
    """Return a sequence index, which may count from the end, as a non-negative one.

    Args:
        index: Index from the caller.
        count: Length of the sequence.
        what: Noun for one item, used in messages.
        whose: Name of the sequence, used in messages.

    Raises:
        IndexError: The index is out of range.
        TypeError: The index is not an integer.
    """
    try:
        at = operator.index(index)
    except TypeError as error:
        raise TypeError(f"the index of a {what} is a whole number, not {type(index).__name__}") from error
    if not -count <= at < count:
        raise IndexError(f"{whose} has {count:,} {what}{'s' * (count != 1)}, no {what} {at}")
    return at % count


def slice_series(series: Part, rows: slice) -> Part:
    """Return a slice of all columns of a series."""
    columns: dict[str, Any] = {field.name: getattr(series, field.name) for field in fields(series)}
    parts: Any = {name: column[rows] for name, column in columns.items() if isinstance(column, np.ndarray)}
    return replace(series, **parts)


def _read_only(array: Array) -> Array:
    array.flags.writeable = False
    return array


class ScalarPoint(NamedTuple):
    """One point of a scalar tag."""

    step: int
    wall_time: float
    """Seconds since the epoch."""

    value: float


class RunClocks:
    """Clocks of a run for all its scalars, computed on first use; pickled without the run."""

    def __init__(self, run: RunSnapshot) -> None:
        self._run = run

    @cached_property
    def relative(self) -> RunClock:
        """Clock with the start of the run."""
        return self._clock(with_pauses=False)

    @cached_property
    def active(self) -> RunClock:
        """Clock that also has the pauses of the run."""
        return self._clock(with_pauses=True)

    def _clock(self, *, with_pauses: bool) -> RunClock:
        from tbtui.maths.x_values import DATES, run_clock
        from tbtui.store.scalar_table import wall_times_of

        times = wall_times_of(self._run.series, DATES, with_pauses=with_pauses)
        return run_clock(self._run.first_wall_time, *times, with_pauses=with_pauses)

    def __getstate__(self) -> dict[str, RunClock]:
        return {"relative": self.relative, "active": self.active}


class Scalars(Points, Sequence[ScalarPoint]):
    """All points of a scalar tag in logging order, including superseded ones; `current` leaves these out.

    `steps`, `wall_times` and `values` are numpy arrays of equal length. An index returns a point, a slice a part.
    """

    _series: ScalarSeries

    def __init__(self, series: ScalarSeries, clocks: RunClocks) -> None:
        super().__init__(series)
        self._clocks = clocks

    def _with_series(self, series: Any) -> Self:
        return type(self)(series, self._clocks)

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """float64[n]; NaN and infinities as logged."""
        values = self._series.values
        values.flags.writeable = False
        return values

    def x_values(self, x_axis: XAxis) -> npt.NDArray[np.float64]:
        """Return the x values of the points in the dashboard, float64[n].

        Args:
            x_axis: `step`; `relative`, seconds since the first wall time of the run; `wall`, seconds since the epoch;
                `order`, 1 for the first of these points; `active`, relative time without the pauses of the run.

        Raises:
            ValueError: There is no such axis.
        """
        from tbtui.maths.x_values import x_values
        from tbtui.settings.settings import X_AXES

        if x_axis not in X_AXES:
            raise ValueError(f"unknown x axis {x_axis!r}; choose from {', '.join(X_AXES)}")
        clock = self._clocks.active if x_axis == "active" else self._clocks.relative
        return _read_only(x_values(x_axis, self._series.steps, self._series.wall_times, clock))

    def values_at(self, steps: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the values at steps, float64[k]; NaN at a step without one. Nothing is interpolated.

        `run.scalars("epoch").values_at(loss.steps)` are the x values of `loss` with `tbtui --x-tag epoch`. Of several
        values at a step the current one counts.
        """
        import numpy as np

        from tbtui.maths.x_values import TagValues

        current = self._series.current
        values = TagValues(current.steps, current.values, (current.run, current.tag, current.revision))
        return _read_only(values.at(np.asarray(steps, np.int64)))

    def smoothed(self, weight: float) -> npt.NDArray[np.float64]:
        """Return the smoothed values of the dashboard and TensorBoard: a debiased exponential moving average.

        Both leave out superseded points first: `scalars.current.smoothed(0.6)`.

        Args:
            weight: Smoothing weight, 0 (none) <= weight < 1.

        Returns:
            float64[n]; NaN and infinities are passed through and do not affect later values.

        Raises:
            ValueError: The weight is out of range.
        """
        from tbtui.maths.smoothing import smooth

        if not 0 <= weight < 1:
            raise ValueError(f"{weight!r} cannot be the weight of an average: it is from 0 on and below 1, such as 0.9")

        return smooth(self.values, weight)

    def at(self, step: int) -> ScalarPoint:
        """Return the last point logged at a step.

        Raises:
            UnknownStepError: No point has that step.
        """
        return self[self._index_of_step(step)]

    def to_pandas(self, *, smoothing: float | None = None) -> DataFrame:
        """Return a table with the columns `step`, `wall_time`, `value`, and `smoothed` if a smoothing weight is given.

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
            return self._sliced(index)
        at = self._checked_index(index)
        series = self._series
        return ScalarPoint(int(series.steps[at]), float(series.wall_times[at]), float(series.values[at]))

    def __iter__(self) -> Iterator[ScalarPoint]:
        return map(ScalarPoint, self.steps.tolist(), self.wall_times.tolist(), self.values.tolist())

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Return `values`, so that numpy functions accept scalars."""
        if copy is None:
            return np.asarray(self.values, dtype)
        return np.array(self.values, dtype, copy=copy)

    def _describe(self) -> str:
        return f"{super()._describe()}, last value {self.values[-1]:g}" if len(self) else super()._describe()
