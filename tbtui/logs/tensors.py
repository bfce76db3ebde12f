"""What was logged under any tag that is no scalar, as the tensor it was or is by the rules of newer writers."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from tbtui.events.compat import upgraded
from tbtui.events.tensors import to_array
from tbtui.logs.values import Value, Values

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.logs.values import Place


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
            newer = upgraded(value)
            array = to_array(newer.tensor) if newer.WhichOneof("value") == "tensor" else None
        except ValueError as error:
            raise place.refused(str(error)) from error
        if array is None:
            raise place.refused("the value holds nothing that is a tensor")
        return array


class Tensors(Values[Tensor]):
    """The values of a tag: `tensors[-1].array`."""

    def _value(self, place: Place) -> Tensor:
        return Tensor(place)
