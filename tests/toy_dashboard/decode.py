"""Read levels from event files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.api.values import Tensor, Values

if TYPE_CHECKING:
    from tbtui.api.values import ValueLocation
    from tbtui.store.snapshot import RunSnapshot


class Level(Tensor):
    """The level of a step."""

    @property
    def level(self) -> float:
        return float(self.array)


class Levels(Values[Level]):
    """The levels of a tag."""

    plugin = "levels"

    def _value(self, place: ValueLocation) -> Level:
        return Level(place)


def levels_of(run: RunSnapshot, tag: str) -> list[float]:
    """Return the levels of a tag; none if the tag holds other data."""
    series = run.references(tag, "levels")
    return [] if series is None else [value.level for value in Levels(run, series)]
