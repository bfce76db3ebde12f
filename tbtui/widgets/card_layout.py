"""Where the cards of a grid stand: whole cards only, as many columns and rows as the room allows."""

from __future__ import annotations

from tbtui.frozen import frozen

COLUMN_STEP = 76
"""Two columns from this many terminal columns on, three from twice as many, and so on."""

LEAST_HEIGHT, BEST_HEIGHT, MOST_HEIGHT = 9, 12, 15
"""Rows of a card, its frame counted, when there are more cards than fit."""

OVERVIEW_STEP, OVERVIEW_HEIGHT = 26, 6
"""Columns and rows of a card, at least, where as many as can be are to be seen at a glance."""

CELLS_ACROSS = 4
"""Columns of a card for each of its rows, where its width is chosen: it then looks twice as wide as high."""


@frozen
class CardLayout:
    """The arrangement of `count` cards in a room of `width` x `height` cells, read row by row."""

    width: int
    height: int
    count: int
    columns: int
    card_height: int
    rows: int
    """Rows of cards that are in sight at once."""

    @staticmethod
    def of(width: int, height: int, count: int, chosen_columns: int = 0, *, overview: bool = False) -> CardLayout:
        """Arrange `count` cards; a few cards share the whole room, many keep a height that is good to read.

        Args:
            width: Columns of the terminal.
            height: Rows of the terminal.
            count: Cards, in sight or not.
            chosen_columns: Cards a row, whose heights then follow their width; 0: as many as stay readable.
            overview: Whether cards are small, however many are chosen a row.
        """
        if overview:
            return _overview(width, height, count)
        columns = max(1, min(chosen_columns or 1 + width // COLUMN_STEP, count, width))
        needed = max(1, -(-count // columns))
        rows = _rows_in_sight(height, width // columns // CELLS_ACROSS if chosen_columns else BEST_HEIGHT)
        card_height = max(1, height // rows)
        if needed < rows:
            # A chart taller than it looks wide (cells are half as wide as high) reads badly.
            rows, card_height = needed, min(height // needed, max(card_height, width // columns // 2))
        return CardLayout(width, height, count, columns, card_height, rows)

    @property
    def all_rows(self) -> int:
        """Rows of cards, in sight or not."""
        return -(-self.count // self.columns)

    @property
    def last_top(self) -> int:
        """The first row of cards in sight when scrolled to the end."""
        return max(0, self.all_rows - self.rows)

    @property
    def virtual_height(self) -> int:
        """Height of everything that can be scrolled; at the end of it the last row of cards is in sight, whole."""
        return self.last_top * self.card_height + self.height

    def place(self, index: int, top: int) -> tuple[int, int, int]:
        """(row, column, width) in cells of card `index` when row of cards `top` is the first in sight."""
        row, column = divmod(index, self.columns)
        left = column * self.width // self.columns
        return (row - top) * self.card_height, left, (column + 1) * self.width // self.columns - left

    def in_sight(self, top: int) -> range:
        """Indices of the cards in sight."""
        return range(min(top * self.columns, self.count), min((top + self.rows) * self.columns, self.count))

    def index_at(self, y: int, x: int, top: int) -> int | None:
        """The card that holds the cell in row `y`, column `x`; None where there is none."""
        row = y // self.card_height + top
        column = (x * self.columns + self.columns - 1) // self.width if self.width else 0
        index = row * self.columns + min(column, self.columns - 1)
        return index if index in self.in_sight(top) else None

    def top_showing(self, index: int, top: int) -> int:
        """The first row in sight closest to `top` with card `index` in sight."""
        row = index // self.columns
        return max(0, min(max(min(top, row), row - self.rows + 1), self.last_top))


def _overview(width: int, height: int, count: int) -> CardLayout:
    """Small cards; fewer than fill the room share it, as long as none is higher than the usual ones."""
    columns = max(1, min(width // OVERVIEW_STEP, count))
    rows = max(1, height // OVERVIEW_HEIGHT)
    needed = max(1, -(-count // columns))
    rows = max(min(rows, needed), min(rows, height // BEST_HEIGHT), 1)
    return CardLayout(width, height, count, columns, max(1, height // rows), rows)


def _rows_in_sight(height: int, best: int) -> int:
    """How many rows of cards fill `height` best: little left over, each near the best height."""
    best = max(best, LEAST_HEIGHT)
    most = best * MOST_HEIGHT // BEST_HEIGHT
    candidates = [rows for rows in range(1, height // LEAST_HEIGHT + 1) if height // rows <= most]
    return min(candidates, key=lambda rows: height % rows + abs(height // rows - best), default=1)
