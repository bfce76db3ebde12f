"""What a chart says where the user looks: at the cursor, or where its lines end."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.stops import nearest
from tbtui.frozen import frozen
from tbtui.plugins.scalars.cursor import by_worth, stretch_of
from tbtui.viewstate import pointer
from tbtui.viewstate.row_order import in_order, titled

if TYPE_CHECKING:
    from tbtui.plugins.scalars.cursor import Stretch
    from tbtui.plugins.scalars.data import Chart
    from tbtui.plugins.scalars.lines import Floats, Line
    from tbtui.viewstate.choices import Choices


@frozen
class Pointer(pointer.Pointer):
    """Where the user looks in one chart, at whose extremes, too. What stands out may be a group of runs."""

    extremes: bool = False
    """Whether the extremes of the lines are marked."""


NOWHERE = Pointer()


def pointer_of(choices: Choices, origin: int = 0) -> Pointer:
    """Where the user looks in a chart whose x axis counts from `origin`."""
    held = pointer.pointer_of(choices, origin)
    return Pointer(held.cursor, held.mark, held.focus, held.baseline, held.order, choices.extremes)


def line_of_run(chart: Chart, run: str | None, tag: str | None = None) -> int | None:
    """Index of the (first) line that shows a run, of one tag or of any; None where there is none."""
    if run is None:
        return None
    for index, line in enumerate(chart.lines):
        if is_of(line, run) and tag in (None, line.key.tag):
            return index
    return None


def is_of(line: Line, run: str | None) -> bool:
    """Whether a line shows a run or group of runs, alone or among others."""
    return run is not None and (line.key.run == run or run in line.runs)


@frozen(slots=False)
class Readings:
    """What the lines of a chart say at the cursor, or without one at their ends. Lines are told by their index."""

    chart: Chart
    pointer: Pointer = NOWHERE

    @cached_property
    def indices(self) -> tuple[int, ...]:
        """The point of each line that is read."""
        cursor = self.pointer.cursor
        if cursor is None:
            return tuple(len(line.x) - 1 for line in self.chart.lines)
        return tuple(nearest(line.x, cursor, ascending=line.ascending) for line in self.chart.lines)

    @cached_property
    def values(self) -> Floats:
        """What was measured there, float64[lines]."""
        return np.array([line.values[index] for line, index in zip(self.chart.lines, self.indices, strict=True)])

    @cached_property
    def shown(self) -> Floats:
        """What is drawn there, float64[lines]."""
        return np.array([line.smoothed[index] for line, index in zip(self.chart.lines, self.indices, strict=True)])

    @cached_property
    def deltas(self) -> tuple[float | None, ...]:
        """How far each line is from the baseline's of the same tag; None for a baseline, and where there is none."""
        run = self.pointer.baseline
        bases = {tag: line_of_run(self.chart, run, tag) for tag in self.chart.tags} if run is not None else {}
        shown = self.shown.tolist()  # of plain floats, since two infinities may meet
        found = []
        for index, line in enumerate(self.chart.lines):
            base = bases.get(line.key.tag)
            found.append(None if base is None or base == index else shown[index] - shown[base])
        return tuple(found)

    @cached_property
    def stretches(self) -> tuple[Stretch | None, ...]:
        """What each line does between mark and cursor, None where it is not there; nothing without a mark."""
        if self.pointer.cursor is None or self.pointer.mark is None:
            return ()
        low, high = sorted((self.pointer.cursor, self.pointer.mark))
        return tuple(
            stretch_of(line.x, line.smoothed, (low, high), ascending=line.ascending) for line in self.chart.lines
        )

    @cached_property
    def focus(self) -> int | None:
        """The (first) line in focus."""
        return line_of_run(self.chart, self.pointer.focus)

    @property
    def rows(self) -> list[int]:
        """The lines in the order chosen for rows."""
        return in_order(self.shown.tolist(), self.pointer.order, self.focus)

    def titled(self, title: str) -> str:
        """The title of the column by which rows are ordered: of what is drawn where the user looks."""
        return titled(title, self.pointer.order, self.focus)

    @property
    def worthiest(self) -> list[int]:
        """The lines that matter most first."""
        first = (self.focus, line_of_run(self.chart, self.pointer.baseline))
        return by_worth(self.shown.tolist(), self.chart.best, first)


def best_of_all(chart: Chart) -> tuple[int, int] | None:
    """Line and point of the best value of a chart; None where there is no number."""
    best, found = math.inf, None
    for index, line in enumerate(chart.lines):
        point = line.figures.least if chart.best == "min" else line.figures.greatest
        if point is not None:
            value = float(line.values[point]) if chart.best == "min" else -float(line.values[point])
            if found is None or value < best:
                best, found = value, (index, point)
    return found
