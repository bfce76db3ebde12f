"""Artificial charts for tests of widgets: the settings stand in the picture as text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import Axis
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.chart_layout import PlotArea
from tbtui.charts.text import write
from tbtui.settings.settings import FULL_RANGE, Settings
from tbtui.view.painted_cards import OpenedCard, PaintedCard

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tbtui.settings.settings import Range

LEFT, TOP = 4, 1
"""Where the plot begins in a picture; the middle of its nth column is step n, of the nth row from below value n."""


def said(settings: Settings, key: str) -> str:
    """Key, cursor, stretch, focus and ranges: `loss | 3`, `loss 1-3 b x 2-4`."""
    own = settings.chart(key)
    ends = [end for end in (settings.mark, settings.cursor) if end is not None]
    words = [f"{key} |", "-".join(f"{end:g}" for end in ends), settings.focus or ""]
    words += [f"{axis} {low:g}-{high:g}" for axis, (low, high) in chosen(settings.get_x_range(key), own.y_range)]
    return " ".join(filter(None, words))


def chosen(x: Range, y: Range) -> list[tuple[str, Range]]:
    """The axes that have a range."""
    return [(name, ends) for name, ends in (("x", x), ("y", y)) if ends != FULL_RANGE]


def plot_of(settings: Settings, key: str, width: int, height: int, *, top: int = TOP) -> PlotArea | None:
    """The plot of a picture; None where there is no room for it."""
    columns, rows = width - LEFT - 1, height - top - 1
    if columns < 2 or rows < 2:
        return None
    # The ends of an axis are at the outermost of two dots a column, four a row.
    x, y = Axis(-0.25, columns - 0.75, kind="step"), Axis(-0.375, rows - 0.625)
    return PlotArea(top, LEFT, columns, rows, on(x, settings.get_x_range(key)), on(y, settings.chart(key).y_range))


def on(axis: Axis, ends: Range) -> Axis:
    """An axis on a range set by hand."""
    low, high = ends
    return axis if low is None or high is None else replace(axis, low=low, high=high)


class MadeCharts:
    """A painter of cards and of opened charts. It counts what it is asked for.

    Args:
        settings: What is chosen.
        runs: The run of each row of the table.
        looks: What a card shows beside, by key; `broken` cannot be drawn.
        stops: Where the cursor may stand.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        runs: Sequence[str] = ("a", "b", "c"),
        looks: dict[str, str] | None = None,
        stops: Sequence[float] = (0, 2, 4, 6, 8),
    ) -> None:
        self.settings = settings or Settings()
        self.runs = tuple(runs)
        self.looks = looks or {}
        self.stops = np.array(stops, np.float64)
        self.opened = 0
        self.painted: list[str] = []

    def paint_key(self, key: str) -> Hashable:
        return said(self.settings, key), self.looks.get(key), self.runs

    def open(self, key: str, width: int, height: int) -> OpenedCard:
        self.opened += 1
        if self.looks.get(key) == "broken":
            raise ValueError("cannot draw this")
        picture = text([f"{said(self.settings, key)} {self.looks.get(key, '')}"], width, height // 2)
        plot = plot_of(self.settings, key, width, height // 2)
        rows = text([f"row {index} {run}" for index, run in enumerate(self.runs)], width)
        return OpenedCard(key, picture, text(["run"], width), rows, plot, self.stops, self.runs)

    def pick(self, opened: OpenedCard, column: int, row: int) -> str | None:
        """The upper half of the plot belongs to the first run, the last row to none."""
        assert opened.plot is not None
        within = row - opened.plot.top
        if within == opened.plot.height - 1:
            return None
        return self.runs[0] if within < opened.plot.height // 2 else self.runs[1]

    def open_error(self, key: str, width: int, height: int, error: Exception) -> OpenedCard:
        return OpenedCard(key, text([str(error)], width, height), Cells.blank(0, width), Cells.blank(0, width))

    def paint(self, key: str, width: int, height: int, *, focused: bool, heading: str = "") -> PaintedCard:
        self.painted.append(key)
        cells = text([f" {said(self.settings, key)}"], width, height)
        cells.inks[0, 0] = Ink.ACCENT if focused else Ink.FAINT
        return PaintedCard(cells, plot_of(self.settings, key, width, height), self.stops)

    def paint_outline(self, key: str, width: int, height: int, *, focused: bool, heading: str = "") -> Cells:
        return text([f" {key} ..."], width, height)

    def paint_error(
        self, key: str, width: int, height: int, error: Exception, *, focused: bool, heading: str = ""
    ) -> Cells:
        return text([f" {key} {error}"], width, height)


def text(lines: Sequence[str], width: int, height: int | None = None) -> Cells:
    """Lines as a picture."""
    cells = Cells.blank(len(lines) if height is None else height, width)
    for y, line in enumerate(lines):
        write(cells, y, 0, line, Ink.TEXT)
    return cells
