"""Values that lie in event files until they are asked for: one a step, in the order in which they were logged."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

import numpy as np

from tbtui.api.errors import PayloadError
from tbtui.api.scalars import Points
from tbtui.events.compat import upgrade_value
from tbtui.events.tensors import to_array
from tbtui.events.values import EventTime, StaleValueError, read_stored_value
from tbtui.loading.payloads import concatenate_blocks, read_payloads

if TYPE_CHECKING:
    import numpy.typing as npt
    from pandas import DataFrame
    from typing_extensions import Self

    from tbtui.loading.payloads import PayloadBlock
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot


class ValueLocation(NamedTuple):
    """Where a value lies."""

    run: RunSnapshot
    series: ReferenceSeries
    """Of the run, or a part of it."""

    point: int
    """Index into the series."""

    @property
    def moment(self) -> EventTime:
        """When it was logged."""
        return EventTime(int(self.series.steps[self.point]), float(self.series.wall_times[self.point]))

    @property
    def path(self) -> str:
        """The file."""
        return self.run.files[int(self.series.files[self.point])].path

    @property
    def offset(self) -> int:
        """Byte in it at which the event begins."""
        return int(self.series.offsets[self.point])

    def block(self) -> PayloadBlock:
        """Its event, read from the file and compared with its checksum.

        Raises:
            PayloadError: It cannot be read.
        """
        block = concatenate_blocks(list(read_payloads(self.run, self.series, np.array([self.point]))))
        if reason := block.refused.get(self.point):
            raise self.refused(reason)
        return block

    def value(self) -> Any:
        """The `SummaryValue` as it was written, or the `Event` where that is the value itself.

        Raises:
            PayloadError: It cannot be read.
        """
        try:
            return read_stored_value(self.block().payload(0), int(self.series.indices[self.point]), self.moment)
        except StaleValueError as error:
            raise self.refused(str(error)) from error

    def refused(self, reason: str) -> PayloadError:
        """What is raised when it cannot be had."""
        series = self.series
        return PayloadError(reason, series.run, series.tag, self.moment.step, self.path, self.offset)


class Value:
    """One value. It is read from its file when first asked for, and kept as long as this object is."""

    def __init__(self, place: ValueLocation) -> None:
        self._place = place

    @property
    def run(self) -> str:
        """Name of the run."""
        return self._place.series.run

    @property
    def tag(self) -> str:
        """Name of the tag."""
        return self._place.series.tag

    @property
    def step(self) -> int:
        """At which it was logged."""
        return self._place.moment.step

    @property
    def wall_time(self) -> float:
        """When it was logged, in seconds since the epoch."""
        return self._place.moment.wall_time

    @property
    def path(self) -> str:
        """The event file that holds it."""
        return self._place.path

    @property
    def offset(self) -> int:
        """Byte in it at which the event begins that holds it."""
        return self._place.offset

    @cached_property
    def event(self) -> bytes:
        """The whole event as it was written: a serialized `Event`.

        Raises:
            PayloadError: It cannot be read.
        """
        return self._place.block().payload(0)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.tag!r} of {self.run!r} at step {self.step:,}>"


V = TypeVar("V", bound=Value)


class Values(Points, Sequence[V]):
    """The values of a tag, superseded ones too: `current` leaves these out. Nothing is read before one is looked into.

    An index gives one value, a slice a part, `at` the one of a step.
    """

    _series: ReferenceSeries
    plugin = ""
    """What `tbtui export` calls them; empty where it writes no tables of them."""

    def __init__(self, run: RunSnapshot, series: ReferenceSeries) -> None:
        super().__init__(series)
        self._run = run

    @abstractmethod
    def _value(self, place: ValueLocation) -> V:
        """The value at a place."""

    def at(self, step: int) -> V:
        """The last value that was logged at a step.

        Raises:
            UnknownStepError: There is none.
        """
        return self[self._place_at(step)]

    def to_pandas(self) -> DataFrame:
        """A table as `tbtui export` writes it, without the columns `run` and `tag`; what cannot be read is left out.

        Raises:
            ImportError: pandas is not installed.
        """
        from tbtui.api.frames import series_frame

        return series_frame(self.plugin, self._run, self._series)

    @overload
    def __getitem__(self, index: int) -> V: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...

    def __getitem__(self, index: int | slice) -> V | Self:
        if isinstance(index, slice):
            return self._part(index)
        return self._value(ValueLocation(self._run, self._series, self._place(index)))

    def _of(self, series: Any) -> Self:
        return type(self)(self._run, series)


# What was logged under any tag that is no scalar, as the tensor it was or is by the rules of newer writers.


class Tensor(Value):
    """The value of a step, whatever plugin it is of; `event` has its bytes."""

    @cached_property
    def array(self) -> npt.NDArray[Any]:
        """The tensor; strings are an object array of `bytes`, bfloat16 and 8-bit floats are float32.

        Old histograms, images and sounds have the form that newer writers give them.

        Raises:
            PayloadError: It cannot be read, or is none.
        """
        place = self._place
        value = place.value()
        if int(place.series.indices[place.point]) < 0:
            raise place.refused("the value is no tensor but an event of its own, whose bytes are in event")
        try:
            newer = upgrade_value(value)
            array = to_array(newer.tensor) if newer.WhichOneof("value") == "tensor" else None
        except ValueError as error:
            raise place.refused(str(error)) from error
        if array is None:
            raise place.refused("the value holds nothing that is a tensor")
        return array


class Tensors(Values[Tensor]):
    """The values of a tag: `tensors[-1].array`."""

    def _value(self, place: ValueLocation) -> Tensor:
        return Tensor(place)
