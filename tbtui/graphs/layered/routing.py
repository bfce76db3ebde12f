"""The way of each line from border to border, corner by corner, through the channels between ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tbtui.graphs.layered.channels import lanes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tbtui.graphs.layered.channels import Bundle, Lane
    from tbtui.graphs.places import Point


@dataclass(slots=True)
class Channel:
    """What lies between two ranks."""

    lanes: list[Lane]
    """Of each hop."""

    rows: int
    row: int
    """Cells along the flow that each row takes."""

    front: int = 0
    """Cells before the first row, for labels."""

    begin: int = 0
    """Where it begins along the flow."""

    @staticmethod
    def of(bundles: Sequence[Bundle], row: int) -> Channel:
        """A channel in which all bundles have their lanes."""
        found, rows = lanes(bundles)
        return Channel(found, rows, row)

    @property
    def depth(self) -> int:
        """Cells along the flow; a line is seen between two boxes even when none turns there."""
        return max(self.front + self.rows * self.row, self.row)

    def bends(self, lane: Lane, enters: int, leaves: int) -> list[Point]:
        """Corners of a line between two columns."""
        first = self._at(lane.row)
        if lane.second < 0:
            return [(enters, first), (leaves, first)]
        second = self._at(lane.second)
        return [(enters, first), (lane.column, first), (lane.column, second), (leaves, second)]

    def _at(self, row: int) -> int:
        return self.begin + self.front + row * self.row


def corners(points: Iterable[Point]) -> tuple[Point, ...]:
    """A way without points that lie on the straight line between those beside them."""
    found: list[Point] = []
    for point in points:
        if found and found[-1] == point:
            continue
        if len(found) > 1 and any(found[-2][axis] == found[-1][axis] == point[axis] for axis in (0, 1)):
            found.pop()
        found.append(point)
    return tuple(found)
