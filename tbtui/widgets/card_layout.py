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


class CardArea(NamedTuple):
    """Cells of a card on the screen; its height is `GridLayout.height_of`."""

    y: int
    x: int
    width: int


class GridLayout(Protocol):
    """Arranges cards in lines; a line is a row of cards, or a heading.

    Only whole lines are in sight. A scroll position, `top`, is the first line in sight. `y`, `x`, `width` and `height`
    are in cells.
    """

    @property
    def width(self) -> int:
        """Columns of the terminal."""

    @property
    def columns(self) -> int:
        """Number of cards in a row."""

    @property
    def last_top(self) -> int:
        """The first line in sight at the end of scrolling."""

    @property
    def virtual_height(self) -> int:
        """Height of the scrollable area."""

    def line_of(self, index: int) -> int:
        """Return the line of a card."""

    def locate(self, index: int, top: int) -> CardArea:
        """Return the cells of a card; `top` is the first line in sight."""

    def height_of(self, index: int) -> int:
        """Return the height of a card, in cells."""

    def in_sight(self, top: int) -> range:
        """Return the indices of the cards in sight."""

    def index_at(self, y: int, x: int, top: int) -> int | None:
        """Return the index of the card at cell `y`, `x`; None without a card there."""

    def offset_of(self, top: int) -> int:
        """Return the number of cells above a line."""

    def top_at(self, offset: float) -> int:
        """Return the line that begins nearest to a number of cells from the top."""

    def top_showing(self, index: int, top: int) -> int:
        """Return the first line closest to `top` that keeps a card in sight."""

    def neighbour(self, index: int, lines: int) -> int | None:
        """Return the card this number of lines further down; None beyond the ends."""

    def page(self, index: int, top: int, pages: int) -> tuple[int, int]:
        """Return the first line and the card one or more screens further on."""


@frozen
class CardLayout:
    """Arranges `count` cards row by row in `width` x `height` cells."""

    width: int
    height: int
    count: int
    columns: int
    card_height: int
    visible_rows: int
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
        # Case 1: more cards than fit, which scroll.
        columns = max(1, min(chosen_columns or 1 + width // COLUMN_STEP, count, width))
        row_count = max(1, -(-count // columns))
        visible_rows = _choose_visible_rows(
            height, width // columns // CELLS_ACROSS if chosen_columns else BEST_CARD_HEIGHT
        )
        card_height = max(1, height // visible_rows)
        if row_count < visible_rows:  # case 2: few cards, which share the height up to a limit
            max_card_height = width // columns * MAX_HEIGHT_SHARE[0] // MAX_HEIGHT_SHARE[1]
            visible_rows, card_height = row_count, min(height // row_count, max(card_height, max_card_height))
        elif row_count * MIN_CARD_HEIGHT <= height:  # case 3: lower cards avoid scrolling
            visible_rows, card_height = row_count, height // row_count
        return CardLayout(width, height, count, columns, card_height, visible_rows, not chosen_columns)

    @property
    def row_count(self) -> int:
        """Return the number of rows of cards, in sight or not."""
        return -(-self.count // self.columns)

    @property
    def last_top(self) -> int:
        """Return the first row of cards in sight at the end of scrolling."""
        return max(0, self.row_count - self.visible_rows)

    @property
    def virtual_height(self) -> int:
        """Return the height of the scrollable area; at its end the last row of cards is in sight, whole."""
        return self.last_top * self.card_height + self.height

    def line_of(self, index: int) -> int:
        """Return the row of a card."""
        return index // self.columns

    def locate(self, index: int, top: int) -> CardArea:
        """Return the cells of a card; `top` is the first row of cards in sight."""
        row, column = divmod(index, self.columns)
        left, right = _find_column_span(self.width, self._cards_in(row), column)
        return CardArea((row - top) * self.card_height, left, right - left)

    def _cards_in(self, row: int) -> int:
        """Return the number of cards that share the width of a row; those of the last row if `fills`."""
        last = self.count - row * self.columns
        return last if 0 < last < self.columns and self.fills else self.columns

    def in_sight(self, top: int) -> range:
        """Return the indices of the cards in sight."""
        return range(min(top * self.columns, self.count), min((top + self.visible_rows) * self.columns, self.count))

    def index_at(self, y: int, x: int, top: int) -> int | None:
        """Return the index of the card at cell `y`, `x`; None without a card there."""
        row = y // self.card_height + top
        index = row * self.columns + _find_column(self.width, self._cards_in(row), x)
        return index if index in self.in_sight(top) else None

    def height_of(self, _index: int) -> int:
        """Return the height of a card, in cells."""
        return self.card_height

    def offset_of(self, top: int) -> int:
        """Return the number of cells above a row of cards."""
        return top * self.card_height

    def top_at(self, offset: float) -> int:
        """Return the row of cards that begins nearest to a number of cells from the top."""
        return min(round(offset / self.card_height), self.last_top)

    def neighbour(self, index: int, lines: int) -> int | None:
        """Return the card this number of rows further down, or the last one; None beyond the ends."""
        row = index // self.columns + lines
        return min(index + lines * self.columns, self.count - 1) if 0 <= row < self.row_count else None

    def page(self, index: int, top: int, pages: int) -> tuple[int, int]:
        """Return the first row and the card one or more screens further on; both may be beyond the ends."""
        return top + pages * self.visible_rows, index + pages * self.visible_rows * self.columns

    def top_showing(self, index: int, top: int) -> int:
        """Return the first row of cards closest to `top` that keeps card `index` in sight."""
        row = index // self.columns
        return max(0, min(max(min(top, row), row - self.visible_rows + 1), self.last_top))


def _arrange_overview(width: int, height: int, count: int) -> CardLayout:
    """Arrange small cards; a few share the height, as long as none becomes higher than a usual card."""
    columns = max(1, min(width // OVERVIEW_STEP, count))
    visible_rows = max(1, height // OVERVIEW_HEIGHT)
    row_count = max(1, -(-count // columns))
    visible_rows = max(min(visible_rows, row_count), min(visible_rows, height // BEST_CARD_HEIGHT), 1)
    return CardLayout(width, height, count, columns, max(1, height // visible_rows), visible_rows, fills=False)


def _find_column_span(width: int, card_count: int, column: int) -> tuple[int, int]:
    """Return the first x of a card and the x after it, in a row of `card_count` cards."""
    return column * width // card_count, (column + 1) * width // card_count


def _find_column(width: int, card_count: int, x: int) -> int:
    """Return the index within its row of the card at `x`."""
    return min((x * card_count + card_count - 1) // width if width else 0, card_count - 1)


def _choose_visible_rows(height: int, best: int) -> int:
    """Return the number of rows of cards that fills `height` best: few cells left over, rows near the best height."""
    best = max(best, MIN_CARD_HEIGHT)
    max_height = best * MAX_CARD_HEIGHT // BEST_CARD_HEIGHT
    candidates = [rows for rows in range(1, height // MIN_CARD_HEIGHT + 1) if height // rows <= max_height]
    return min(candidates, key=lambda rows: height % rows + abs(height // rows - best), default=1)


class _Line(NamedTuple):
    """A heading, or a row of cards below one."""

    offset: int
    """Cells above it."""

    height: int
    first: int
    """Index of its first card."""

    cards: int
    is_heading: bool


class _Lines(NamedTuple):
    """Arrays of the fields of all lines: a log may have ten thousand tags, of which few are in sight."""

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
    lines: _Lines
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
        lines = _group_lines(headings, columns, breaks)
        row_count = len(lines.firsts) - heads
        max_headings = min(heads, 1 + height // MIN_CARD_HEIGHT)
        card_heights = []
        for visible_headings in range(1, max(max_headings, 1) + 1):  # headings on the first screen
            card_space = max(height - visible_headings, 1)
            base = CardLayout.of(width, card_space, max(row_count, 1) * columns, chosen_columns, overview=overview)
            card_heights.append(base.card_height)
        card_height = min(card_heights, key=lambda card_height: _count_blank_rows(lines, card_height, height))
        fills = not chosen_columns and not overview
        return HeadedLayout(width, height, columns, card_height, lines, fills)

    @cached_property
    def _offsets(self) -> list[int]:
        """The cells above each line, and above the end."""
        heights = (1 if is_heading else self.card_height for is_heading in self.lines.are_headings)
        return list(accumulate(heights, initial=0))

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(self.lines.firsts)

    def _line(self, number: int) -> _Line:
        firsts, counts, are_headings = self.lines
        offset = self._offsets[number]
        return _Line(offset, self._offsets[number + 1] - offset, firsts[number], counts[number], are_headings[number])

    @cached_property
    def last_top(self) -> int:
        """Return the first line in sight at the end of scrolling."""
        return min(bisect_left(self._offsets, self._offsets[-1] - self.height), len(self) - 1)

    @property
    def virtual_height(self) -> int:
        """Return the height of the scrollable area; at its end the last line is in sight, whole."""
        return self.offset_of(self.last_top) + self.height

    def line_of(self, index: int) -> int:
        """Return the line of a card or heading."""
        return max(bisect_right(self.lines.firsts, index) - 1, 0)

    def locate(self, index: int, top: int) -> CardArea:
        """Return the cells of a card or heading; `top` is the first line in sight."""
        line = self._line(self.line_of(index))
        y = line.offset - self.offset_of(top)
        if line.is_heading:
            return CardArea(y, 0, self.width)
        left, right = _find_column_span(self.width, self._cards_in(line), index - line.first)
        return CardArea(y, left, right - left)

    def _cards_in(self, line: _Line) -> int:
        return line.cards if self.fills else self.columns

    def height_of(self, index: int) -> int:
        """Return the height of a card or heading, in cells."""
        return self._line(self.line_of(index)).height

    def in_sight(self, top: int) -> range:
        """Return the indices of the cards and headings in sight."""
        if not 0 <= top < len(self):
            return range(0)
        end = max(bisect_right(self._offsets, self._offsets[top] + self.height) - 2, top)
        return range(self.lines.firsts[top], self.lines.firsts[end] + self.lines.counts[end])

    def index_at(self, y: int, x: int, top: int) -> int | None:
        """Return the index of the card or heading at cell `y`, `x`; None without one there."""
        number = bisect_right(self._offsets, y + self.offset_of(top)) - 1
        if number >= len(self):
            return None
        line = self._line(number)
        if y + self.offset_of(top) >= line.offset + line.height:
            return None
        index = line.first + (0 if line.is_heading else _find_column(self.width, self._cards_in(line), x))
        return index if index < line.first + line.cards and index in self.in_sight(top) else None

    def offset_of(self, top: int) -> int:
        """Return the number of cells above a line."""
        return self._offsets[max(min(top, len(self) - 1), 0)]

    def top_at(self, offset: float) -> int:
        """Return the line that begins nearest to a number of cells from the top."""
        number = max(bisect_right(self._offsets, offset) - 1, 0)
        if number + 1 < len(self) and self._offsets[number + 1] - offset < offset - self._offsets[number]:
            number += 1
        return min(number, self.last_top)

    def top_showing(self, index: int, top: int) -> int:
        """Return the first line closest to `top` that keeps a card in sight, with the heading right above it."""
        number = self.line_of(index)
        first = number - 1 if number and self.lines.are_headings[number - 1] else number
        top = min(top, first)
        top = max(top, min(bisect_left(self._offsets, self._offsets[number + 1] - self.height), number))
        return max(0, min(top, self.last_top))

    def neighbour(self, index: int, lines: int) -> int | None:
        """Return the card this number of lines further down, in the same column if possible; None beyond the ends."""
        number = self.line_of(index)
        if not 0 <= number + lines < len(self):
            return None
        line = self._line(number + lines)
        return line.first + min(index - self.lines.firsts[number], line.cards - 1)

    def page(self, index: int, top: int, pages: int) -> tuple[int, int]:
        """Return the first line and the card one or more screens further on."""
        new_top = self.top_at(self.offset_of(top) + pages * self.height)
        lines = new_top - top or (pages if pages > 0 else -1)
        line = self._line(max(0, min(self.line_of(index) + lines, len(self) - 1)))
        return new_top, line.first + min(index - self.lines.firsts[self.line_of(index)], line.cards - 1)


def _count_blank_rows(lines: _Lines, card_height: int, height: int) -> int:
    """Return the number of blank rows of cells below the last whole line of the first screen."""
    used = 0
    for is_heading in lines.are_headings:
        more = 1 if is_heading else card_height
        if used and used + more > height:
            break
        used += more
    return height - used


def _group_lines(headings: Sequence[bool], columns: int, breaks: Collection[int]) -> _Lines:
    """Return the lines of headings and cards, in order."""
    heads = [index for index, is_heading in enumerate(headings) if is_heading]
    starts = sorted({0, *heads, *(head + 1 for head in heads), *breaks})
    lines = _Lines([], [], [])
    for start, end in pairwise([*(start for start in starts if start < len(headings)), len(headings)]):
        firsts = range(start, end, columns)
        lines.firsts.extend(firsts)
        lines.counts.extend([columns] * (len(firsts) - 1))
        lines.counts.append(end - firsts[-1])
        lines.are_headings.extend([headings[start]] * len(firsts))
    return lines


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
