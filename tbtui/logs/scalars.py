"""Scalars of one tag of one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from tbtui.logs.points import Points

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt
    from pandas import DataFrame
    from typing_extensions import Self

    from tbtui.store.snapshot import ScalarSeries


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
        from tbtui.series.smoothing import smooth

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
        from tbtui.logs.frames import frame_of

        columns = {"step": self.steps, "wall_time": self.wall_times, "value": self.values}
        return frame_of(columns if smoothing is None else {**columns, "smoothed": self.smoothed(smoothing)})

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
