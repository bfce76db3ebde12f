"""Values that stay in event files until they are used: one per step, in logging order."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

import numpy as np

from tbtui.api.errors import PayloadError
from tbtui.api.points import Points
from tbtui.events.compat import upgrade_value
from tbtui.events.tensors import to_array
from tbtui.events.values import EventTime, StaleValueError, read_stored_value
from tbtui.loading.payloads import concatenate_blocks, read_payloads

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt
    from pandas import DataFrame
    from typing_extensions import Self

    from tbtui.loading.payloads import PayloadBlock
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot


Decoded = TypeVar("Decoded")


class ValueLocation(NamedTuple):
    """Location of one stored value."""

    run: RunSnapshot
    series: ReferenceSeries
    """A series of the run, or a slice of one."""

    point: int
    """Index into the series."""

    @property
    def event_time(self) -> EventTime:
        """Step and wall time of the value."""
        return EventTime(int(self.series.steps[self.point]), float(self.series.wall_times[self.point]))

    @property
    def path(self) -> str:
        """Path of the event file."""
        return self.run.files[int(self.series.files[self.point])].path

    @property
    def offset(self) -> int:
        """Offset in bytes of the event."""
        return int(self.series.offsets[self.point])

    def block(self) -> PayloadBlock:
        """Read the event from its file and verify its checksum.

        Raises:
            PayloadError: It cannot be read.
        """
        block = concatenate_blocks(list(read_payloads(self.run, self.series, np.array([self.point]))))
        if reason := block.errors.get(self.point):
            raise self.error(reason)
        return block

    def value(self) -> Any:
        """Return the stored `SummaryValue`, or the `Event` if the event itself is the value.

        Raises:
            PayloadError: It cannot be read.
        """
        try:
            return read_stored_value(self.block().payload(0), int(self.series.indices[self.point]), self.event_time)
        except StaleValueError as error:
            raise self.error(str(error)) from error

    def decode(self, read: Callable[[Any], Decoded]) -> Decoded:
        """Return the result of `read` for the value; a ValueError that it raises becomes a `PayloadError`.

        Raises:
            PayloadError: The value cannot be read.
        """
        value = self.value()
        try:
            return read(value)
        except ValueError as error:
            raise self.error(str(error)) from error

    def error(self, reason: str) -> PayloadError:
        """Return the exception for an unreadable value."""
        series = self.series
        return PayloadError(reason, series.run, series.tag, self.event_time.step, self.path, self.offset)


class Value:
    """One stored value, read from its file on first use and cached in this object."""

    def __init__(self, location: ValueLocation) -> None:
        self._location = location

    @property
    def run(self) -> str:
        """Name of the run."""
        return self._location.series.run

    @property
    def tag(self) -> str:
        """Name of the tag."""
        return self._location.series.tag

    @property
    def step(self) -> int:
        """Step of the value."""
        return self._location.event_time.step

    @property
    def wall_time(self) -> float:
        """Wall time in seconds since the epoch."""
        return self._location.event_time.wall_time

    @property
    def path(self) -> str:
        """Path of the event file."""
        return self._location.path

    @property
    def offset(self) -> int:
        """Offset in bytes of the event in its file."""
        return self._location.offset

    @cached_property
    def event(self) -> bytes:
        """The serialized `Event` as written.

        Raises:
            PayloadError: It cannot be read.
        """
        return self._location.block().payload(0)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.tag!r} of {self.run!r} at step {self.step:,}>"


V = TypeVar("V", bound=Value)


class Values(Points, Sequence[V]):
    """All values of a tag, including superseded ones, which `current` leaves out. Each value is read on first use.

    An index returns one value, a slice returns values, `at` returns the value of a step.
    """

    _series: ReferenceSeries
    plugin = ""
    """Plugin name, which is also the name of the table in `tbtui export`; empty if there is none."""

    def __init__(self, run: RunSnapshot, series: ReferenceSeries) -> None:
        super().__init__(series)
        self._run = run

    @abstractmethod
    def _value(self, location: ValueLocation) -> V:
        """Return the value at a location."""

    def at(self, step: int) -> V:
        """Return the last value logged at a step.

        Raises:
            UnknownStepError: No value has that step.
        """
        return self[self._index_of_step(step)]

    def to_pandas(self) -> DataFrame:
        """Return the table of `tbtui export` without the columns `run` and `tag`; unreadable values are left out.

        Raises:
            ImportError: pandas is not installed.
        """
        from tbtui.api.data_frames import build_series_frame

        return build_series_frame(self.plugin, self._run, self._series)

    @overload
    def __getitem__(self, index: int) -> V: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...

    def __getitem__(self, index: int | slice) -> V | Self:
        if isinstance(index, slice):
            return self._slice(index)
        return self._value(ValueLocation(self._run, self._series, self._check_index(index)))

    def _replace_series(self, series: Any) -> Self:
        return type(self)(self._run, series)


class Tensor(Value):
    """One value of any plugin except scalars, as a tensor; `event` has the raw bytes."""

    @cached_property
    def array(self) -> npt.NDArray[Any]:
        """The tensor. Strings are an object array of `bytes`; bfloat16 and 8-bit floats become float32.

        Old histograms, images and sounds are converted to the form of newer writers.

        Raises:
            PayloadError: The value cannot be read, or is not a tensor.
        """
        location = self._location
        value = location.value()
        if int(location.series.indices[location.point]) < 0:
            raise location.error("the value is not a tensor but a separate event; its bytes are in event")
        try:
            newer = upgrade_value(value)
            array = to_array(newer.tensor) if newer.WhichOneof("value") == "tensor" else None
        except ValueError as error:
            raise location.error(str(error)) from error
        if array is None:
            raise location.error("the value does not hold a tensor")
        return array


class Tensors(Values[Tensor]):
    """Values of a tag as tensors: `tensors[-1].array`."""

    def _value(self, location: ValueLocation) -> Tensor:
        return Tensor(location)
