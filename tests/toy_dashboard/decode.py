"""Read levels from event files."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from tbtui.api.values import Value, Values
from tbtui.events.tensors import read_numbers
from tests.toy_dashboard.settings import COLUMNS

if TYPE_CHECKING:
    from tbtui.api.values import ValueLocation


def read_level(value: Any) -> list[float]:
    """Return level and temperature, which a `SummaryValue` holds.

    Raises:
        TensorError: It holds something else; the message is one plain sentence.
    """
    return read_numbers(value, len(COLUMNS), "a level")


class Level(Value):
    """The level of a step; its properties raise `PayloadError` if it cannot be read."""

    @property
    def level(self) -> float:
        """The level in metres."""
        return self._numbers[0]

    @property
    def temperature(self) -> float:
        """The temperature of the water."""
        return self._numbers[1]

    @cached_property
    def _numbers(self) -> list[float]:
        return self._location.decode(read_level)


class Levels(Values[Level]):
    """The levels of a tag."""

    plugin = "levels"

    def _value(self, location: ValueLocation) -> Level:
        return Level(location)
