"""Scalars of one tag of one run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from tbtui.api.points import Points, read_only

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt
    from pandas import DataFrame
    from typing_extensions import Self

    from tbtui.maths.x_values import RunClock, XAxis
    from tbtui.store.snapshot import RunSnapshot, ScalarSeries


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
        return self._create_clock(with_pauses=False)

    @cached_property
    def active(self) -> RunClock:
        """Clock that also has the pauses of the run."""
        return self._create_clock(with_pauses=True)

    def _create_clock(self, *, with_pauses: bool) -> RunClock:
        from tbtui.maths.x_values import DATES, build_run_clock
        from tbtui.store.run_series import collect_wall_times

        times = collect_wall_times(self._run.series, DATES, with_pauses=with_pauses)
        return build_run_clock(self._run.first_wall_time, *times, with_pauses=with_pauses)

    def __getstate__(self) -> dict[str, RunClock]:
        return {"relative": self.relative, "active": self.active}


class Scalars(Points, Sequence[ScalarPoint]):
    """All points of a scalar tag in logging order, including superseded ones, which `current` leaves out.

    `steps`, `wall_times` and `values` are numpy arrays of equal length. An index returns a point, a slice `Scalars`.
    """

    _series: ScalarSeries

    def __init__(self, series: ScalarSeries, clocks: RunClocks) -> None:
        super().__init__(series)
        self._clocks = clocks

    def _replace_series(self, series: Any) -> Self:
        return type(self)(series, self._clocks)

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """float64[n]; NaN and infinities as logged."""
        return read_only(self._series.values)

    def x_values(self, x_axis: XAxis) -> npt.NDArray[np.float64]:
        """Return the x values of the points in the dashboard, float64[n].

        Args:
            x_axis: `step`; `relative`, seconds since the first wall time of the run; `wall`, seconds since the epoch;
                `order`, 1 for the first of these points; `active`, relative time without the pauses of the run.

        Raises:
            ValueError: There is no such axis.
        """
        from tbtui.maths.x_values import compute_x_values
        from tbtui.settings.settings import X_AXES

        if x_axis not in X_AXES:
            raise ValueError(f"unknown x axis {x_axis!r}; choose from {', '.join(X_AXES)}")
        clock = self._clocks.active if x_axis == "active" else self._clocks.relative
        return read_only(compute_x_values(x_axis, self._series.steps, self._series.wall_times, clock))

    def values_at(self, steps: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the values at steps, float64[k]; NaN at a step without one. Nothing is interpolated.

        `run.scalars("epoch").values_at(loss.steps)` are the x values of `loss` with `tbtui --x-tag epoch`. Superseded
        values are left out.
        """
        from tbtui.maths.x_values import TagValues

        current = self._series.current
        values = TagValues(current.steps, current.values, (current.run, current.tag, current.revision))
        return read_only(values.at(np.asarray(steps, np.int64)))

    def smoothed(self, weight: float) -> npt.NDArray[np.float64]:
        """Return the smoothed values of the dashboard and TensorBoard: a debiased exponential moving average.

        The dashboard and TensorBoard smooth the current points only: `scalars.current.smoothed(0.6)`.

        Args:
            weight: Smoothing weight, 0 (none) <= weight < 1.

        Returns:
            float64[n]; NaN and infinities are passed through and do not affect later values.

        Raises:
            ValueError: The weight is out of range.
        """
        from tbtui.maths.smoothing import smooth

        if not 0 <= weight < 1:
            raise ValueError(f"smoothing weight must be >= 0 and < 1, got {weight!r}")
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
        from tbtui.api.data_frames import frame_from_columns

        columns = {"step": self.steps, "wall_time": self.wall_times, "value": self.values}
        return frame_from_columns(columns if smoothing is None else {**columns, "smoothed": self.smoothed(smoothing)})

    @overload
    def __getitem__(self, index: int) -> ScalarPoint: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...

    def __getitem__(self, index: int | slice) -> ScalarPoint | Self:
        if isinstance(index, slice):
            return self._slice(index)
        position = self._check_index(index)
        series = self._series
        return ScalarPoint(
            int(series.steps[position]), float(series.wall_times[position]), float(series.values[position])
        )

    def __iter__(self) -> Iterator[ScalarPoint]:
        return map(ScalarPoint, self.steps.tolist(), self.wall_times.tolist(), self.values.tolist())

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Return `values`, so that numpy functions accept scalars."""
        if copy is None:
            return np.asarray(self.values, dtype)
        return np.array(self.values, dtype, copy=copy)

    def _describe(self) -> str:
        return f"{super()._describe()}, last value {self.values[-1]:g}" if len(self) else super()._describe()
