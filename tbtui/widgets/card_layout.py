"""Layout of the cards of a grid: whole cards only, as many columns and rows as fit."""

from __future__ import annotations

from tbtui.frozen import frozen

COLUMN_STEP = 76
"""Terminal columns per column of cards: two columns of cards from this width on, three from twice as many."""

LEAST_HEIGHT, BEST_HEIGHT, MOST_HEIGHT = 9, 12, 15
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
        rows = _rows_in_sight(height, width // columns // CELLS_ACROSS if chosen_columns else BEST_HEIGHT)
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

    def top_showing(self, index: int, top: int) -> int:
        """Return the first row of cards closest to `top` that keeps card `index` in sight."""
        row = index // self.columns
        return max(0, min(max(min(top, row), row - self.rows + 1), self.last_top))


def _overview(width: int, height: int, count: int) -> CardLayout:
    """Arrange small cards; a few share the height, as long as none becomes higher than a usual card."""
    columns = max(1, min(width // OVERVIEW_STEP, count))
    rows = max(1, height // OVERVIEW_HEIGHT)
    needed = max(1, -(-count // columns))
    rows = max(min(rows, needed), min(rows, height // BEST_HEIGHT), 1)
    return CardLayout(width, height, count, columns, max(1, height // rows), rows)


def _rows_in_sight(height: int, best: int) -> int:
    """Return the number of rows of cards that fills `height` best: few cells left over, rows near the best height."""
    best = max(best, LEAST_HEIGHT)
    most = best * MOST_HEIGHT // BEST_HEIGHT
    candidates = [rows for rows in range(1, height // LEAST_HEIGHT + 1) if height // rows <= most]
    return min(candidates, key=lambda rows: height % rows + abs(height // rows - best), default=1)
