"""The scrolled rows of a table below a chart, with the rows of the selected run marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import write

if TYPE_CHECKING:
    from collections.abc import Iterator

NO_ROWS = Cells.blank(0, 0)


class TableRows:
    """Scrolls the rows below a chart; scrolls to the selected run when it is selected and when its row moves."""

    def __init__(self) -> None:
        self.selected: str | None = None
        """The run whose rows are marked; it may have none."""

        self.runs: tuple[str, ...] = ()
        """The run of each row."""

        self._cells = NO_ROWS
        self._room = 0
        self._first = 0
        self._brought: tuple[str, int] | None = None

    def show(self, cells: Cells, runs: tuple[str, ...], room: int) -> None:
        """Show other rows, or the same rows.

        Args:
            cells: One row per run.
            runs: The run of each row.
            room: Rows of the screen; if these are too few, one of them counts the rows out of sight.
        """
        self._cells, self.runs, self._room = cells, runs, max(room, 0)
        self._bring_into_sight()

    def select(self, run: str | None) -> None:
        """Mark the rows of a run."""
        self.selected = run
        self._bring_into_sight()

    def forget(self) -> None:
        """Remove all rows and scroll to the top."""
        self._cells, self.runs, self._first, self._brought = NO_ROWS, (), 0, None

    @property
    def in_sight(self) -> int:
        """Return the number of rows that fit."""
        return self._room if self._cells.height <= self._room else max(0, self._room - 1)

    def scroll(self, rows: int) -> None:
        """Scroll by this number of rows."""
        self._first = self._clamped(self._first + rows)

    def run_at(self, y: int) -> str | None:
        """Return the run of a row of the screen; None without one."""
        index = self._first + y
        return self.runs[index] if 0 <= y < self.in_sight and index < len(self.runs) else None

    def marked(self) -> Iterator[int]:
        """Yield the rows of the screen that belong to the selected run."""
        return (y for y in range(self.in_sight) if self.selected is not None and self.run_at(y) == self.selected)

    def draw(self, width: int) -> Cells:
        """Return the cells of the rows in sight, and the count of the others."""
        drawn = Cells.blank(self._room, width)
        first, end = self._first, min(self._first + self.in_sight, self._cells.height)
        columns = min(width, self._cells.width)
        drawn.glyphs[: end - first, :columns] = self._cells.glyphs[first:end, :columns]
        drawn.inks[: end - first, :columns] = self._cells.inks[first:end, :columns]
        if self._cells.height > self._room > 0:
            write(drawn, self._room - 1, 2, f"⋯ {first + 1}–{end} of {self._cells.height}, ↑ ↓ for the others", Ink.DIM)
        return drawn

    def _clamped(self, first: int) -> int:
        return max(0, min(first, self._cells.height - self.in_sight))

    def _bring_into_sight(self) -> None:
        self._first = self._clamped(self._first)
        if self.selected is None or self.selected not in self.runs:
            self._brought = None
            return
        index = self.runs.index(self.selected)
        if self._brought != (self.selected, index):
            self._brought = self.selected, index
            self._first = self._clamped(max(min(self._first, index), index - self.in_sight + 1))
