"""Layout of the cards of a grid: whole cards only, as many columns and rows as fit, with or without headings."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple, Protocol

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

COLUMN_STEP = 76
"""Terminal columns per column of cards: two columns of cards from this width on, three from twice as many."""

MIN_CARD_HEIGHT, BEST_CARD_HEIGHT, MAX_CARD_HEIGHT = 9, 12, 15
"""Rows of a card, its frame counted, when there are more cards than fit."""

OVERVIEW_STEP, OVERVIEW_HEIGHT = 26, 6
"""Minimum columns and rows of a card in the overview."""

MAX_HEIGHT_SHARE = 3, 4
"""Rows of a card per column at most, where few cards share the height. Cells are half as wide as high: such a card
looks half again as high as wide. A higher one reads badly."""

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

    fills: bool = True
    """True if the cards of an incomplete last row share its width."""

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
            return _arrange_overview(width, height, count)
        columns = max(1, min(chosen_columns or 1 + width // COLUMN_STEP, count, width))
        needed = max(1, -(-count // columns))
        rows = _choose_visible_rows(height, width // columns // CELLS_ACROSS if chosen_columns else BEST_CARD_HEIGHT)
        card_height = max(1, height // rows)
        if needed < rows:
            max_card_height = width // columns * MAX_HEIGHT_SHARE[0] // MAX_HEIGHT_SHARE[1]
            rows, card_height = needed, min(height // needed, max(card_height, max_card_height))
        elif needed * MIN_CARD_HEIGHT <= height:  # all in sight, without scrolling
            rows, card_height = needed, height // needed
        return CardLayout(width, height, count, columns, card_height, rows, not chosen_columns)

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
        left, right = _find_sides(self.width, self._cards_in(row), column)
        return (row - top) * self.card_height, left, right - left

    def _cards_in(self, row: int) -> int:
        """Return the cards of a row; those of the last one share its width unless their number was chosen."""
        last = self.count - row * self.columns
        return last if 0 < last < self.columns and self.fills else self.columns

    def in_sight(self, top: int) -> range:
        """Return the indices of the cards in sight."""
        return range(min(top * self.columns, self.count), min((top + self.rows) * self.columns, self.count))

    def index_at(self, y: int, x: int, top: int) -> int | None:
        """Return the index of the card at row `y`, column `x`; None without a card there."""
        row = y // self.card_height + top
        index = row * self.columns + _find_column(self.width, self._cards_in(row), x)
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


def _arrange_overview(width: int, height: int, count: int) -> CardLayout:
    """Arrange small cards; a few share the height, as long as none becomes higher than a usual card."""
    columns = max(1, min(width // OVERVIEW_STEP, count))
    rows = max(1, height // OVERVIEW_HEIGHT)
    needed = max(1, -(-count // columns))
    rows = max(min(rows, needed), min(rows, height // BEST_CARD_HEIGHT), 1)
    return CardLayout(width, height, count, columns, max(1, height // rows), rows, fills=False)


def _find_sides(width: int, cards: int, column: int) -> tuple[int, int]:
    """Return the first column of a card and the one after it, in a row of so many cards."""
    return column * width // cards, (column + 1) * width // cards


def _find_column(width: int, cards: int, x: int) -> int:
    """Return which card of a row is at column `x` of the terminal."""
    return min((x * cards + cards - 1) // width if width else 0, cards - 1)


def _choose_visible_rows(height: int, best: int) -> int:
    """Return the number of rows of cards that fills `height` best: few cells left over, rows near the best height."""
    best = max(best, MIN_CARD_HEIGHT)
    max_height = best * MAX_CARD_HEIGHT // BEST_CARD_HEIGHT
    candidates = [rows for rows in range(1, height // MIN_CARD_HEIGHT + 1) if height // rows <= max_height]
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


class _Line(NamedTuple):
    """A heading, or a row of cards below one."""

    offset: int
    """Cells above it."""

    height: int
    first: int
    """Index of its first card."""

    cards: int
    is_heading: bool


class _Rows(NamedTuple):
    """Headings and rows of cards as columns: a log may have ten thousand tags, of which few are in sight."""

    firsts: list[int]
    """Index of the first card of each line."""

    counts: list[int]
    """Number of its cards."""

    are_headings: list[bool]


@frozen(slots=False)
class HeadedLayout:
    """Arranges cards below headings: a heading has a line of its own, and the cards after it begin a row."""

    width: int
    height: int
    columns: int
    card_height: int
    rows: _Rows
    """At least one."""

    fills: bool = True
    """True if the cards of an incomplete row share its width."""

    @staticmethod
    def of(
        width: int,
        height: int,
        headings: Sequence[bool],
        chosen_columns: int = 0,
        *,
        overview: bool = False,
        breaks: Collection[int] = (),
    ) -> HeadedLayout:
        """Arrange cards and headings.

        Args:
            width: Columns of the terminal.
            height: Rows of the terminal.
            headings: True for each heading, False for each card, in order; at least one.
            chosen_columns: As of `CardLayout`.
            overview: As of `CardLayout`.
            breaks: Indices of cards that begin a row.
        """
        heads = sum(headings)
        columns = CardLayout.of(width, height, len(headings) - heads, chosen_columns, overview=overview).columns
        rows = _group_rows(headings, columns, breaks)
        needed = len(rows.firsts) - heads
        max_headings = min(heads, 1 + height // MIN_CARD_HEIGHT)
        card_heights = []
        for visible_headings in range(1, max(max_headings, 1) + 1):  # headings on the first screen
            card_space = max(height - visible_headings, 1)
            base = CardLayout.of(width, card_space, max(needed, 1) * columns, chosen_columns, overview=overview)
            card_heights.append(base.card_height)
        card_height = min(card_heights, key=lambda card_rows: _blank_cells(rows, card_rows, height))
        fills = not chosen_columns and not overview
        return HeadedLayout(width, height, columns, card_height, rows, fills)

    @cached_property
    def _offsets(self) -> list[int]:
        """The cells above each line, and above the end."""
        heights = (1 if is_heading else self.card_height for is_heading in self.rows.are_headings)
        return list(accumulate(heights, initial=0))

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(self.rows.firsts)

    def _line(self, row: int) -> _Line:
        firsts, counts, are_headings = self.rows
        offset = self._offsets[row]
        return _Line(offset, self._offsets[row + 1] - offset, firsts[row], counts[row], are_headings[row])

    @cached_property
    def last_top(self) -> int:
        """Return the first line in sight at the end of scrolling."""
        return min(bisect_left(self._offsets, self._offsets[-1] - self.height), len(self) - 1)

    @property
    def virtual_height(self) -> int:
        """Return the height of the scrollable area; at its end the last line is in sight, whole."""
        return self.offset_of(self.last_top) + self.height

    def row_of(self, index: int) -> int:
        """Return the line of a card or heading."""
        return max(bisect_right(self.rows.firsts, index) - 1, 0)

    def place(self, index: int, top: int) -> tuple[int, int, int]:
        """Return row, column and width, in cells; `top` is the first line in sight."""
        line = self._line(self.row_of(index))
        y = line.offset - self.offset_of(top)
        if line.is_heading:
            return y, 0, self.width
        left, right = _find_sides(self.width, self._cards_in(line), index - line.first)
        return y, left, right - left

    def _cards_in(self, line: _Line) -> int:
        return line.cards if self.fills else self.columns

    def height_of(self, index: int) -> int:
        """Return the rows of a card or heading, in cells."""
        return self._line(self.row_of(index)).height

    def in_sight(self, top: int) -> range:
        """Return the indices of the cards and headings in sight."""
        if not 0 <= top < len(self):
            return range(0)
        end = max(bisect_right(self._offsets, self._offsets[top] + self.height) - 2, top)
        return range(self.rows.firsts[top], self.rows.firsts[end] + self.rows.counts[end])

    def index_at(self, y: int, x: int, top: int) -> int | None:
        """Return the index of the card or heading at row `y`, column `x`; None without one there."""
        row = bisect_right(self._offsets, y + self.offset_of(top)) - 1
        if row >= len(self):
            return None
        line = self._line(row)
        if y + self.offset_of(top) >= line.offset + line.height:
            return None
        index = line.first + (0 if line.is_heading else _find_column(self.width, self._cards_in(line), x))
        return index if index < line.first + line.cards and index in self.in_sight(top) else None

    def offset_of(self, top: int) -> int:
        """Return the cells above a line."""
        return self._offsets[max(min(top, len(self) - 1), 0)]

    def top_at(self, offset: float) -> int:
        """Return the line that begins nearest to a number of cells from the top."""
        row = max(bisect_right(self._offsets, offset) - 1, 0)
        if row + 1 < len(self) and self._offsets[row + 1] - offset < offset - self._offsets[row]:
            row += 1
        return min(row, self.last_top)

    def top_showing(self, index: int, top: int) -> int:
        """Return the first line closest to `top` that keeps a card in sight, with the heading right above it."""
        row = self.row_of(index)
        first = row - 1 if row and self.rows.are_headings[row - 1] else row
        top = min(top, first)
        top = max(top, min(bisect_left(self._offsets, self._offsets[row + 1] - self.height), row))
        return max(0, min(top, self.last_top))

    def neighbour(self, index: int, rows: int) -> int | None:
        """Return the card this number of lines further down, in the same column if possible; None beyond the ends."""
        row = self.row_of(index)
        if not 0 <= row + rows < len(self):
            return None
        line = self._line(row + rows)
        return line.first + min(index - self.rows.firsts[row], line.cards - 1)

    def page(self, index: int, top: int, pages: int) -> tuple[int, int]:
        """Return the first line and the card one or more screens further on."""
        moved = self.top_at(self.offset_of(top) + pages * self.height)
        rows = moved - top or (pages if pages > 0 else -1)
        line = self._line(max(0, min(self.row_of(index) + rows, len(self) - 1)))
        return moved, line.first + min(index - self.rows.firsts[self.row_of(index)], line.cards - 1)


def _blank_cells(rows: _Rows, card_height: int, height: int) -> int:
    """Return the cells below the last whole line of the first screen."""
    used = 0
    for is_heading in rows.are_headings:
        more = 1 if is_heading else card_height
        if used and used + more > height:
            break
        used += more
    return height - used


def _group_rows(headings: Sequence[bool], columns: int, breaks: Collection[int]) -> _Rows:
    """Return headings and rows of cards, in order."""
    heads = [index for index, is_heading in enumerate(headings) if is_heading]
    starts = sorted({0, *heads, *(head + 1 for head in heads), *breaks})
    rows = _Rows([], [], [])
    for start, end in pairwise([*(start for start in starts if start < len(headings)), len(headings)]):
        firsts = range(start, end, columns)
        rows.firsts.extend(firsts)
        rows.counts.extend([columns] * (len(firsts) - 1))
        rows.counts.append(end - firsts[-1])
        rows.are_headings.extend([headings[start]] * len(firsts))
    return rows


def arrange_cards(
    width: int,
    height: int,
    keys: Sequence[str],
    headings: Collection[str],
    chosen_columns: int = 0,
    *,
    overview: bool = False,
    breaks: Collection[str] = (),
) -> GridLayout:
    """Return the layout of cards, some of which are headings or begin a row."""
    starts = frozenset(index for index, key in enumerate(keys) if index and key in breaks)
    if not starts and not any(key in headings for key in keys):
        return CardLayout.of(width, height, len(keys), chosen_columns, overview=overview)
    are_headings = [key in headings for key in keys]
    return HeadedLayout.of(width, height, are_headings, chosen_columns, overview=overview, breaks=starts)
