"""Read levels from event files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.api.errors import PayloadError
from tbtui.api.values import Value, Values
from tbtui.events.tensors import to_array

if TYPE_CHECKING:
    from tbtui.api.values import ValueLocation
    from tbtui.store.snapshot import RunSnapshot


def read_level(value: Any) -> float:
    """Return the level that a `SummaryValue` holds.

    Raises:
        ValueError: It holds something else; the message is one plain sentence.
    """
    if value.WhichOneof("value") != "tensor":
        raise ValueError("the value is not a tensor")
    array = to_array(value.tensor)
    if array.shape or array.dtype.kind not in "iuf":
        raise ValueError("the tensor is not a single number")
    return float(array)


class Level(Value):
    """The level of a step."""

    @property
    def level(self) -> float:
        """The level.

        Raises:
            PayloadError: The value cannot be read.
        """
        return self._location.decode(read_level)


class Levels(Values[Level]):
    """The levels of a tag."""

    plugin = "levels"

    def _value(self, location: ValueLocation) -> Level:
        return Level(location)


def levels_of(run: RunSnapshot, tag: str) -> tuple[list[float], list[str]]:
    """Return the levels of a tag, and the reason for each value that cannot be read; none if it holds other data."""
    series = run.references(tag, "levels")
    found = [] if series is None else [_level_or_reason(value) for value in Levels(run, series)]
    return [level for level in found if isinstance(level, float)], [text for text in found if isinstance(text, str)]


def _level_or_reason(value: Level) -> float | str:
    try:
        return value.level
    except PayloadError as error:
        return f"step {error.step}: {error.reason}"
