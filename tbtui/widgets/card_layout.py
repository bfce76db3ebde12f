"""Layout of the cards of a grid: whole cards only, as many columns and rows as fit, with or without headings."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

COLUMN_STEP = 76
"""Terminal columns per column of cards: two columns of cards from this width on, three from twice as many."""

MIN_CARD_HEIGHT, BEST_CARD_HEIGHT, MAX_CARD_HEIGHT = 9, 12, 15
"""Rows of a card, its frame counted, when there are more cards than fit."""

OVERVIEW_STEP, OVERVIEW_HEIGHT = 26, 6
"""Minimum columns and rows of a card in the overview."""

CELLS_ACROSS = 4
"""Columns of a card per row, if the user chose its width: the card then looks twice as wide as high."""


@frozen
class CardLayout:
    """Arranges `count` cards row by row in `width` x `height` cells."""

    width: int
    height: int
    count: int
    columns: int
    card_height: int
    rows: int
    """Rows of cards in sight at once."""

    @staticmethod
    def of(width: int, height: int, count: int, chosen_columns: int = 0, *, overview: bool = False) -> CardLayout:
        """Arrange `count` cards; a few cards share the whole height, many keep a readable height.

        Args:
            width: Columns of the terminal.
            height: Rows of the terminal.
            count: Number of cards, in sight or not.
            chosen_columns: Cards in a row, whose heights then follow their width; 0: as many as stay readable.
            overview: True for small cards; `chosen_columns` is then ignored.
        """
        if overview:
            return _overview(width, height, count)
        columns = max(1, min(chosen_columns or 1 + width // COLUMN_STEP, count, width))
        needed = max(1, -(-count // columns))
        rows = _rows_in_sight(height, width // columns // CELLS_ACROSS if chosen_columns else BEST_CARD_HEIGHT)
        card_height = max(1, height // rows)
        if needed < rows:
            # A chart taller than it looks wide (cells are half as wide as high) reads badly.
            rows, card_height = needed, min(height // needed, max(card_height, width // columns // 2))
        return CardLayout(width, height, count, columns, card_height, rows)

    @property
    def all_rows(self) -> int:
        """Return the number of rows of cards, in sight or not."""
        return -(-self.count // self.columns)

    @property
    def last_top(self) -> int:
        """Return the first row of cards in sight at the end of scrolling."""
        return max(0, self.all_rows - self.rows)

    @property
    def virtual_height(self) -> int:
        """Return the height of the scrollable area; at its end the last row of cards is in sight, whole."""
        return self.last_top * self.card_height + self.height

    def row_of(self, index: int) -> int:
        """Return the row of a card."""
        return index // self.columns

    def place(self, index: int, top: int) -> tuple[int, int, int]:
        """Return row, column and width, in cells, of card `index`; `top` is the first row of cards in sight."""
        row, column = divmod(index, self.columns)
        left = column * self.width // self.columns
        return (row - top) * self.card_height, left, (column + 1) * self.width // self.columns - left

    def in_sight(self, top: int) -> range:
        """Return the indices of the cards in sight."""
        return range(min(top * self.columns, self.count), min((top + self.rows) * self.columns, self.count))

    def index_at(self, y: int, x: int, top: int) -> int | None:
        """Return the index of the card at row `y`, column `x`; None without a card there."""
        row = y // self.card_height + top
        column = (x * self.columns + self.columns - 1) // self.width if self.width else 0
        index = row * self.columns + min(column, self.columns - 1)
        return index if index in self.in_sight(top) else None

    def height_of(self, _index: int) -> int:
        """Return the rows of a card."""
        return self.card_height

    def offset_of(self, top: int) -> int:
        """Return the cells above a row of cards."""
        return top * self.card_height

    def top_at(self, offset: float) -> int:
        """Return the row of cards that begins nearest to a number of cells from the top."""
        return min(round(offset / self.card_height), self.last_top)

    def neighbour(self, index: int, rows: int) -> int | None:
        """Return the card this number of rows further down, or the last one; None beyond the ends."""
        row = index // self.columns + rows
        return min(index + rows * self.columns, self.count - 1) if 0 <= row < self.all_rows else None

    def page(self, index: int, top: int, pages: int) -> tuple[int, int]:
        """Return the first row and the card one or more screens further on; both may be beyond the ends."""
        return top + pages * self.rows, index + pages * self.rows * self.columns

    def top_showing(self, index: int, top: int) -> int:
        """Return the first row of cards closest to `top` that keeps card `index` in sight."""
        row = index // self.columns
        return max(0, min(max(min(top, row), row - self.rows + 1), self.last_top))


def _overview(width: int, height: int, count: int) -> CardLayout:
    """Arrange small cards; a few share the height, as long as none becomes higher than a usual card."""
    columns = max(1, min(width // OVERVIEW_STEP, count))
    rows = max(1, height // OVERVIEW_HEIGHT)
    needed = max(1, -(-count // columns))
    rows = max(min(rows, needed), min(rows, height // BEST_CARD_HEIGHT), 1)
    return CardLayout(width, height, count, columns, max(1, height // rows), rows)


def _rows_in_sight(height: int, best: int) -> int:
    """Return the number of rows of cards that fills `height` best: few cells left over, rows near the best height."""
    best = max(best, MIN_CARD_HEIGHT)
    most = best * MAX_CARD_HEIGHT // BEST_CARD_HEIGHT
    candidates = [rows for rows in range(1, height // MIN_CARD_HEIGHT + 1) if height // rows <= most]
    return min(candidates, key=lambda rows: height % rows + abs(height // rows - best), default=1)


class GridLayout(Protocol):
    """Places cards in rows, of which whole ones are in sight; a scroll position is the first row in sight."""

    @property
    def width(self) -> int:
        """Columns of the terminal."""

    @property
    def columns(self) -> int:
        """Cards in a row."""

    @property
    def last_top(self) -> int:
        """The first row in sight at the end of scrolling."""

    @property
    def virtual_height(self) -> int:
        """Height of the scrollable area."""

    def row_of(self, index: int) -> int:
        """Return the row of a card."""

    def place(self, index: int, top: int) -> tuple[int, int, int]:
        """Return row, column and width of a card, in cells."""

    def height_of(self, index: int) -> int:
        """Return the height of a card, in cells."""

    def in_sight(self, top: int) -> range:
        """Return the indices of the cards in sight."""

    def index_at(self, y: int, x: int, top: int) -> int | None:
        """Return the index of the card at row `y`, column `x`; None without a card there."""

    def offset_of(self, top: int) -> int:
        """Return the cells above a row of cards."""

    def top_at(self, offset: float) -> int:
        """Return the row of cards that begins nearest to a number of cells from the top."""

    def top_showing(self, index: int, top: int) -> int:
        """Return the first row of cards closest to `top` that keeps a card in sight."""

    def neighbour(self, index: int, rows: int) -> int | None:
        """Return the card this number of rows further down; None beyond the ends."""

    def page(self, index: int, top: int, pages: int) -> tuple[int, int]:
        """Return the first row and the card one or more screens further on."""


@frozen
class _Line:
    """A heading, or a row of cards below one."""

    offset: int
    """Cells above it."""

    height: int
    first: int
    """Index of its first card."""

    count: int
    is_heading: bool


@frozen(slots=False)
class HeadedLayout:
    """Arranges cards below headings: a heading has a line of its own, and the cards after it begin a row."""

    width: int
    height: int
    columns: int
    card_height: int
    lines: tuple[_Line, ...]
    """At least one."""

    @staticmethod
    def of(
        width: int, height: int, headings: Sequence[bool], chosen_columns: int = 0, *, overview: bool = False
    ) -> HeadedLayout:
        """Arrange cards and headings.

        Args:
            width: Columns of the terminal.
            height: Rows of the terminal.
            headings: True for each heading, False for each card, in order; at least one.
            chosen_columns: As of `CardLayout`.
            overview: As of `CardLayout`.
        """
        cards = len(headings) - sum(headings)
        columns = CardLayout.of(width, height, cards, chosen_columns, overview=overview).columns
        rows = _rows_of(headings, columns)
        needed = sum(not is_heading for is_heading, _, _ in rows)
        most = min(len(rows) - needed, 1 + height // MIN_CARD_HEIGHT)
        layouts = []
        for beside in range(1, max(most, 1) + 1):  # headings on the first screen
            room = max(height - beside, 1)
            base = CardLayout.of(width, room, max(needed, 1) * columns, chosen_columns, overview=overview)
            layouts.append(HeadedLayout(width, height, columns, base.card_height, _lines(rows, base.card_height)))
        return min(layouts, key=HeadedLayout._blank_cells)

    def _blank_cells(self) -> int:
        """Return the cells below the last whole line of the first screen."""
        last = self.lines[self.row_of(self.in_sight(0)[-1])]
        return self.height - last.offset - last.height

    @cached_property
    def _firsts(self) -> list[int]:
        return [line.first for line in self.lines]

    @cached_property
    def _offsets(self) -> list[int]:
        return [line.offset for line in self.lines]

    @cached_property
    def last_top(self) -> int:
        """Return the first line in sight at the end of scrolling."""
        end = self.lines[-1].offset + self.lines[-1].height
        return next(
            (row for row, line in enumerate(self.lines) if end - line.offset <= self.height), len(self.lines) - 1
        )

    @property
    def virtual_height(self) -> int:
        """Return the height of the scrollable area; at its end the last line is in sight, whole."""
        return self.offset_of(self.last_top) + self.height

    def row_of(self, index: int) -> int:
        """Return the line of a card or heading."""
        return max(bisect_right(self._firsts, index) - 1, 0)

    def place(self, index: int, top: int) -> tuple[int, int, int]:
        """Return row, column and width, in cells; `top` is the first line in sight."""
        line = self.lines[self.row_of(index)]
        y = line.offset - self.offset_of(top)
        if line.is_heading:
            return y, 0, self.width
        column = index - line.first
        left = column * self.width // self.columns
        return y, left, (column + 1) * self.width // self.columns - left

    def height_of(self, index: int) -> int:
        """Return the rows of a card or heading, in cells."""
        return self.lines[self.row_of(index)].height

    def in_sight(self, top: int) -> range:
        """Return the indices of the cards and headings in sight."""
        if not 0 <= top < len(self.lines):
            return range(0)
        start = self.lines[top].offset
        end = top
        while (
            end + 1 < len(self.lines) and self.lines[end + 1].offset + self.lines[end + 1].height - start <= self.height
        ):
            end += 1
        return range(self.lines[top].first, self.lines[end].first + self.lines[end].count)

    def index_at(self, y: int, x: int, top: int) -> int | None:
        """Return the index of the card or heading at row `y`, column `x`; None without one there."""
        row = bisect_right(self._offsets, y + self.offset_of(top)) - 1
        line = self.lines[row]
        if y + self.offset_of(top) >= line.offset + line.height:
            return None
        column = (x * self.columns + self.columns - 1) // self.width if self.width else 0
        index = line.first + (0 if line.is_heading else min(column, self.columns - 1))
        return index if index < line.first + line.count and index in self.in_sight(top) else None

    def offset_of(self, top: int) -> int:
        """Return the cells above a line."""
        return self.lines[max(min(top, len(self.lines) - 1), 0)].offset

    def top_at(self, offset: float) -> int:
        """Return the line that begins nearest to a number of cells from the top."""
        row = max(bisect_right(self._offsets, offset) - 1, 0)
        if row + 1 < len(self.lines) and self._offsets[row + 1] - offset < offset - self._offsets[row]:
            row += 1
        return min(row, self.last_top)

    def top_showing(self, index: int, top: int) -> int:
        """Return the first line closest to `top` that keeps a card in sight, with the heading right above it."""
        row = self.row_of(index)
        first = row - 1 if row and self.lines[row - 1].is_heading else row
        top = min(top, first)
        end = self.lines[row].offset + self.lines[row].height
        while top < row and end - self.lines[top].offset > self.height:
            top += 1
        return max(0, min(top, self.last_top))

    def neighbour(self, index: int, rows: int) -> int | None:
        """Return the card this number of lines further down, in the same column if possible; None beyond the ends."""
        row = self.row_of(index)
        if not 0 <= row + rows < len(self.lines):
            return None
        line = self.lines[row + rows]
        return line.first + min(index - self.lines[row].first, line.count - 1)

    def page(self, index: int, top: int, pages: int) -> tuple[int, int]:
        """Return the first line and the card one or more screens further on."""
        moved = self.top_at(self.offset_of(top) + pages * self.height)
        rows = moved - top or (pages if pages > 0 else -1)
        target = max(0, min(self.row_of(index) + rows, len(self.lines) - 1))
        line = self.lines[target]
        return moved, line.first + min(index - self.lines[self.row_of(index)].first, line.count - 1)


def _lines(rows: Sequence[tuple[bool, int, int]], card_height: int) -> tuple[_Line, ...]:
    lines: list[_Line] = []
    offset = 0
    for is_heading, first, count in rows:
        lines.append(_Line(offset, 1 if is_heading else card_height, first, count, is_heading))
        offset += lines[-1].height
    return tuple(lines)


def _rows_of(headings: Sequence[bool], columns: int) -> list[tuple[bool, int, int]]:
    """Return for each line whether it is a heading, its first index, and its number of cards."""
    rows: list[tuple[bool, int, int]] = []
    for index, is_heading in enumerate(headings):
        if not is_heading and rows and not rows[-1][0] and rows[-1][2] < columns:
            rows[-1] = False, rows[-1][1], rows[-1][2] + 1
        else:
            rows.append((is_heading, index, 1))
    return rows


def grid_layout(
    width: int,
    height: int,
    keys: Sequence[str],
    headings: Collection[str],
    chosen_columns: int = 0,
    *,
    overview: bool = False,
) -> GridLayout:
    """Return the layout of cards, some of which are headings."""
    if not any(key in headings for key in keys):
        return CardLayout.of(width, height, len(keys), chosen_columns, overview=overview)
    return HeadedLayout.of(width, height, [key in headings for key in keys], chosen_columns, overview=overview)
