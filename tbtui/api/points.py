"""Base class of all values of a tag: points in logging order, with their steps and wall times."""

from __future__ import annotations

import operator
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tbtui.api.errors import UnknownStepError

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Self

    from tbtui.store.snapshot import Metadata, ReferenceSeries, ScalarSeries

    Part = TypeVar("Part", bound=ScalarSeries | ReferenceSeries)
    Array = TypeVar("Array", bound=npt.NDArray[Any])


class Points:
    """Base class of the values of a tag: points in logging order. All arrays are read-only and never change."""

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
        return read_only(self._series.steps)

    @property
    def wall_times(self) -> npt.NDArray[np.float64]:
        """float64[n], seconds since the epoch."""
        return read_only(self._series.wall_times)

    @property
    def kept(self) -> npt.NDArray[np.bool_]:
        """bool[n]: True for points that no restart superseded, which are the points of `current`."""
        kept = self._series.kept
        return read_only(np.ones(len(self), np.bool_) if kept is None else kept)

    @property
    def superseded(self) -> int:
        """Number of points that a restart, or a later point at the same step, superseded."""
        return self._series.superseded

    @property
    def restarts(self) -> npt.NDArray[np.int64]:
        """int64[k]: steps at which the run continued after a restart, in logging order."""
        return read_only(self._series.restarts)

    @property
    def current(self) -> Self:
        """The points without superseded ones, as TensorBoard and the dashboard show them: steps ascend."""
        return self if self._series.kept is None else self._replace_series(self._series.current)

    def __len__(self) -> int:
        return len(self._series)

    def _replace_series(self, series: Any) -> Self:
        """Return an instance for other points."""
        return type(self)(series)

    def _slice(self, rows: slice) -> Self:
        return self._replace_series(slice_series(self._series, rows))

    def _check_index(self, index: int) -> int:
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
        steps = np.unique(self.steps)
        next_index = int(np.searchsorted(steps, step))
        nearest = [f"{each:,}" for each in steps[max(next_index - 1, 0) : next_index + 1].tolist()]
        hint = f" (nearest step{'s' * (len(nearest) != 1)}: {' and '.join(nearest)})" if nearest else ""
        raise UnknownStepError(f"{self.tag!r} of {self.run!r} has no point at step {step:,}{hint}")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.tag!r} of {self.run!r}: {self._describe()}>"

    def _describe(self) -> str:
        count, steps = len(self), self.steps
        if not count:
            return "no points"
        span = f"step {steps[0]:,}" if count == 1 else f"steps {steps.min():,} to {steps.max():,}"
        superseded = f", {self.superseded:,} of them superseded" if self.superseded else ""
        return f"{count:,} point{'s' * (count != 1)}{superseded}, {span}"


def check_index(index: int, count: int, item_noun: str, owner: str) -> int:
    """Return a sequence index, which may count from the end, as a non-negative one.

    Args:
        index: Index from the caller.
        count: Length of the sequence.
        item_noun: Noun for one item, used in messages.
        owner: Name of the sequence, used in messages.

    Raises:
        IndexError: The index is out of range.
        TypeError: The index is not an integer.
    """
    try:
        position = operator.index(index)
    except TypeError as error:
        raise TypeError(f"the index of a {item_noun} is a whole number, not {type(index).__name__}") from error
    if not -count <= position < count:
        raise IndexError(f"{owner} has {count:,} {item_noun}{'s' * (count != 1)}, no {item_noun} {position}")
    return position % count


def slice_series(series: Part, rows: slice) -> Part:
    """Return a slice of all columns of a series."""
    columns: dict[str, Any] = {field.name: getattr(series, field.name) for field in fields(series)}
    parts: Any = {name: column[rows] for name, column in columns.items() if isinstance(column, np.ndarray)}
    return replace(series, **parts)


def read_only(array: Array) -> Array:
    """Return an array after its write flag was cleared."""
    array.flags.writeable = False
    return array
