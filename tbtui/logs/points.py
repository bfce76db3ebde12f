"""What scalars and values in files have in common: points of one tag of one run, as they were when they were read."""

from __future__ import annotations

import operator
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tbtui.logs.errors import UnknownStepError

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Self

    from tbtui.store.snapshot import Metadata, ReferenceSeries, ScalarSeries

    Part = TypeVar("Part", bound=ScalarSeries | ReferenceSeries)
    Array = TypeVar("Array", bound=npt.NDArray[Any])


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
        return _fixed(self._series.steps)

    @property
    def wall_times(self) -> npt.NDArray[np.float64]:
        """float64[n], seconds since the epoch."""
        return _fixed(self._series.wall_times)

    @property
    def kept(self) -> npt.NDArray[np.bool_]:
        """bool[n]: which points no restart has superseded: those of `current`."""
        kept = self._series.kept
        return _fixed(np.ones(len(self), np.bool_) if kept is None else kept)

    @property
    def superseded(self) -> int:
        """How many points a later one with the same or an earlier step has superseded."""
        return self._series.superseded

    @property
    def restarts(self) -> npt.NDArray[np.int64]:
        """int64[k]: the steps at which the run went on from the same or an earlier step, in the order of arrival."""
        return _fixed(self._series.restarts)

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
        return self._of(part(self._series, rows))

    def _place(self, index: int) -> int:
        """An index that may count from the end.

        Raises:
            IndexError: There is no such point.
        """
        return place(index, len(self), "point", f"{self.tag!r} of {self.run!r}")

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


def place(index: int, count: int, what: str, whose: str) -> int:
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


def part(series: Part, rows: slice) -> Part:
    """Some points of a series."""
    columns: dict[str, Any] = {field.name: getattr(series, field.name) for field in fields(series)}
    parts: Any = {name: column[rows] for name, column in columns.items() if isinstance(column, np.ndarray)}
    return replace(series, **parts)


def _fixed(array: Array) -> Array:
    """The array, read-only."""
    array.flags.writeable = False
    return array
