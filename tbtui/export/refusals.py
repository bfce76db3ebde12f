"""What is left out of tables, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.store.snapshot import ReferenceSeries


class Refusal(NamedTuple):
    """A value that cannot be written."""

    run: str
    tag: str
    step: int | None
    """None where it is of no step."""

    reason: str
    """One plain sentence."""


@dataclass(slots=True)
class Refusals:
    """Counts values while they are read for tables."""

    asked: int = 0
    """Values that were to be written."""

    count: int = 0
    """Those of them that cannot be."""

    first: Refusal | None = None

    def add(self, series: ReferenceSeries, reasons: Mapping[int, str], asked: int | None = None) -> None:
        """Tell of a series that was read.

        Args:
            series: Of one tag of one run.
            reasons: The points that are left out, and why.
            asked: Values that were to be written, where that is not one a point.
        """
        self.asked += len(series) if asked is None else asked
        self.count += len(reasons)
        if reasons and self.first is None:
            point = min(reasons)
            self.first = Refusal(series.run, series.tag, int(series.steps[point]), reasons[point])

    def add_reasons(self, run: str, tag: str, asked: int, reasons: Sequence[str]) -> None:
        """Tell of values of no single step: so many were to be written beside those that are left out."""
        self.asked += asked + len(reasons)
        self.count += len(reasons)
        if reasons and self.first is None:
            self.first = Refusal(run, tag, None, reasons[0])
