"""The rows and columns of a table, its cursor and the visible part. Imports no Textual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, TypeAlias, overload

from tbtui.charts.styled_text import Cell, Piece, Row, pieces_width
from tbtui.charts.text import ELLIPSIS, cell_width, safe
from tbtui.frozen import frozen
from tbtui.view.run_names import fit_names
from tbtui.widgets.card_keys import CardKeys
from tbtui.widgets.scroll_state import ScrollState

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping


HEADER_HEIGHT = 2
"""One line of groups above one line of titles."""

CellsOfColumn: TypeAlias = "tuple[str, Mapping[str, Cell]]"
"""Key of a column, and its cells by row key; missing rows are not computed yet."""


@frozen
class ColumnHead:
    """The head of a column."""

    title: str
    """Any text; it is made safe when drawn, and its middle is cut if it is too long."""

    width: int
    """Terminal columns of the column, at least 1. Must not depend on the visible rows, or columns would jump."""

    group: str = ""
    """Neighbouring columns of one group share a line above their titles."""

    sign: str = ""
    """`▲` or `▼` if the rows are sorted by this column."""

    at_right: bool = True
    """True: the title is right-aligned, as above numbers; False: left-aligned, as above texts."""

    is_pinned: bool = False
    """Pinned columns are the first ones, and stay visible while the others scroll, as far as they fit."""


class GridSource(Protocol):
    """Rows, columns and cells of one table. All members but `cells` run on the UI thread and must be fast."""

    @property
    def rows(self) -> Sequence[Row]:
        """The first column, in order; keys are distinct."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Keys of the other columns, in order."""

    @property
    def corner(self) -> str:
        """The title of the first column."""

    @property
    def meaning(self) -> Hashable:
        """Identity of what the cells mean: old cells of another meaning are removed at once."""

    def head(self, column: str) -> ColumnHead:
        """Return the head of a column."""

    def cells(self, columns: Sequence[str], rows: Sequence[str]) -> Iterator[CellsOfColumn]:
        """Yield the cells of columns, the given rows first. Runs off the UI thread.

        A column may be yielded several times, with more rows each time; equal cells should be the same mapping.
        """


class LazyRows(Sequence[Row]):
    """Rows that are made when they are shown.

    Args:
        keys: Keys of the rows, in order.
        make: Returns the row of an index.
    """

    def __init__(self, keys: tuple[str, ...], make: Callable[[int], Row]) -> None:
        self.keys, self._make = keys, make

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return [self._make(each) for each in range(len(self))[index]]
        return self._make(range(len(self))[index])


class UniformRows(LazyRows):
    """Rows of one width, for tables of very many rows.

    Args:
        keys: Keys of the rows, in order.
        width: Terminal columns that each row needs, at most `MAX_NAMES`.
        make: Returns the row of an index.
    """

    def __init__(self, keys: tuple[str, ...], width: int, make: Callable[[int], Row]) -> None:
        super().__init__(keys, make)
        self.width = width


NO_HEAD = ColumnHead("", 1)

GAP = 2
"""Blank terminal columns between two columns of the table."""

EDGE_WIDTH = 2
"""One blank column and the right edge, which shows the scroll position."""

MIN_NAMES, MAX_NAMES = 8, 40

USUAL_WIDTH = 10
"""Width of a column of numbers. Space that such columns leave goes to the first column."""


@frozen
class ColumnSpan:
    """Terminal columns of a visible column."""

    index: int
    x: int
    """Its first terminal column."""

    width: int

    @property
    def end(self) -> int:
        """The terminal column after its last."""
        return self.x + self.width


def choose_names_width(requested: int, width: int) -> int:
    """Return the width of the first column: the requested one, but at most about a third of `width`.

    One other column of the usual width always fits, however little that leaves for names.
    """
    usual_column, max_names = GAP + USUAL_WIDTH, max(min(width // 3, MAX_NAMES), MIN_NAMES)
    left_over = (width - EDGE_WIDTH - max_names) % usual_column
    return max(min(requested, max_names + left_over, width - EDGE_WIDTH - usual_column), 0)


def find_visible_columns(
    first: int, count: int, width_of: Callable[[int], int], left: int, right: int
) -> tuple[ColumnSpan, ...]:
    """Return the visible columns from `first` on.

    Columns that fit only in part are hidden. The first one is always visible, and cut if it does not fit.

    Args:
        first: Index of a column.
        count: Number of columns.
        width_of: Returns the width of a column by its index, at least 1; called for the visible columns and the next.
        left: First terminal column to use.
        right: The terminal column after the last one to use.
    """
    spans: list[ColumnSpan] = []
    for index in range(first, count):
        width = width_of(index) if spans else min(width_of(index), right - left)
        if width <= 0 or left + width > right:
            break
        spans.append(ColumnSpan(index, left, width))
        left += width + GAP
    return tuple(spans)


def find_first_showing(index: int, first: int, width_of: Callable[[int], int], available_width: int) -> int:
    """Return the first column nearest to `first` with which column `index` fits into `available_width`."""
    if index <= first:
        return index
    shown, used = index, width_of(index)
    while shown > first:
        used += GAP + width_of(shown - 1)
        if used > available_width:
            break
        shown -= 1
    return shown


class GridAxis:
    """Rows or columns of a table, with a cursor and the first visible key.

    Both are kept by key while other keys are added, removed and reordered. Until the user moves for the first time both
    stay at the first key.
    """

    def __init__(self) -> None:
        self._keys = CardKeys()
        self.first = 0
        """Index of the first visible key."""

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    @property
    def keys(self) -> tuple[str, ...]:
        """All keys, in order."""
        return self._keys.keys

    @property
    def cursor(self) -> int:
        """Index under the cursor; 0 without keys."""
        return self._keys.index

    @property
    def key(self) -> str | None:
        """The key under the cursor; None without keys."""
        return self._keys.focused

    def index_of(self, key: str) -> int:
        """Return the index of a key.

        Raises:
            KeyError: There is no such key.
        """
        return self._keys.index_of(key)

    def replace(self, keys: tuple[str, ...], visible: int) -> None:
        """Replace the keys. A visible cursor keeps its line; otherwise the first visible key keeps its line.

        Args:
            keys: All keys, in order.
            visible: Number of keys that were visible.
        """
        if keys == self.keys:
            return
        offset, before = self.cursor - self.first, self.keys[self.first :]
        self._keys.replace(keys)
        if not self._keys.touched:
            self.first = 0
        elif 0 <= offset < visible:
            self.first = max(self.cursor - offset, 0)
        else:
            left = (self.index_of(key) for key in before if key in self._keys)
            self.first = next(left, max(min(self.first, len(keys) - 1), 0))

    def choose(self, index: int) -> None:
        """Move the cursor to an index; an index beyond an end means that end."""
        self._keys.choose(index)

    def scroll(self, first: int) -> None:
        """Scroll to another first key; the cursor stays."""
        self._keys.touched = True
        self.first = first


@frozen(eq=False)
class _Names:
    """The first column, fitted to the width of the table."""

    rows: Sequence[Row] = ()
    grid_width: int = 0
    spare: int | None = None
    fitted: Sequence[Row] = ()
    width: int = 0

    def of(self, rows: Sequence[Row], corner: str, grid_width: int, spare: int | None) -> _Names:
        """Return the fitted names; the same object for equal rows and widths.

        Args:
            rows: All rows.
            corner: Title of the first column.
            grid_width: Width of the table.
            spare: Width that all other columns leave; None: names are shortened together.
        """
        if rows is self.rows and (grid_width, spare) == (self.grid_width, self.spare):
            return self
        min_width = max(len(corner), MIN_NAMES)
        rows_width = measure_rows(rows)
        requested = max(rows_width, min_width)
        width = max(choose_names_width(requested, grid_width), min(requested, spare or 0))
        if rows_width <= width:  # measured once: of thousands of rows each time takes milliseconds
            return _Names(rows, grid_width, spare, rows, requested)
        fitted = fit_rows(rows, width)
        if spare is not None:  # names that fit are not shortened
            pairs = zip(rows, fitted, strict=True)
            fitted = tuple(row if _measure_row(row) <= width else short for row, short in pairs)
        # Dropping a common beginning may have saved more columns than were missing.
        return _Names(rows, grid_width, spare, fitted, min(width, max(measure_rows(fitted), min_width)))


class GridViewport:
    """The rows and columns of a table, the cursor, and the visible part.

    Args:
        wide_names: The first column takes the width that all others leave, and names that fit are not shortened; else
            names are shortened together, as those of runs, whose common parts carry no information.
    """

    def __init__(self, *, wide_names: bool = False) -> None:
        self._wide_names = wide_names
        self.source: GridSource | None = None
        self.rows, self.columns = GridAxis(), GridAxis()
        self.width = self.height = 0
        self.spans: tuple[ColumnSpan, ...] = ()
        """The visible columns."""

        self.pinned = 0
        """Number of visible columns that do not scroll, the first ones."""

        self._names = _Names()

    # The visible part

    @property
    def body_height(self) -> int:
        """Terminal rows below the header."""
        return max(self.height - HEADER_HEIGHT, 0)

    @property
    def names_width(self) -> int:
        """Terminal columns of the first column."""
        return self._names.width

    @property
    def rows_in_sight(self) -> Sequence[Row]:
        """The visible rows, fitted to the width of the first column."""
        return self._names.fitted[self.rows.first : self.rows.first + self.body_height]

    @property
    def columns_in_sight(self) -> tuple[str, ...]:
        """Keys of the visible columns."""
        return tuple(self.columns.keys[span.index] for span in self.spans)

    @property
    def hidden_columns(self) -> tuple[int, int]:
        """Number of columns that are scrolled out of sight before and after the visible ones."""
        if not self.spans:
            return 0, 0
        before = self.spans[self.pinned].index - self.pinned if len(self.spans) > self.pinned else 0
        return before, len(self.columns) - len(self.spans) - before

    @property
    def heads(self) -> list[tuple[ColumnSpan, ColumnHead]]:
        """The heads of the visible columns."""
        return [(span, self._head(span.index)) for span in self.spans]

    @property
    def cursor_row(self) -> int | None:
        """The cursor's line below the header; None if it is not visible."""
        return self._row_scroll.cursor_line

    @property
    def cursor_span(self) -> ColumnSpan | None:
        """The span of the cursor's column; None if it is not visible."""
        return next((span for span in self.spans if span.index == self.columns.cursor), None)

    def get_span(self, key: str) -> ColumnSpan | None:
        """Return the span of a column; None if it is not visible."""
        return next((span for span in self.spans if self.columns.keys[span.index] == key), None)

    def find_row(self, y: int) -> int | None:
        """Return the index of the row at line `y` of the widget; None without a row."""
        return self._row_scroll.index_at(y - HEADER_HEIGHT) if y < self.height else None

    def column_at(self, x: int) -> int | None:
        """Return the index of the column at terminal column `x` of the widget; None between columns."""
        return next((span.index for span in self.spans if span.x <= x < span.end), None)

    # Changes

    def show(self, source: GridSource | None) -> None:
        """Show another table, or none."""
        is_cursor_visible = self.cursor_span is not None
        self.source = source
        self.rows.replace(list_row_keys(source.rows) if source else (), self.body_height)
        self.columns.replace(source.columns if source else (), len(self.spans))
        self._lay_out(hold_column=is_cursor_visible)

    def resize(self, width: int, height: int) -> None:
        """Fit the table to another size; a visible cursor stays visible."""
        scroll, is_column_visible = self._row_scroll, self.cursor_span is not None
        self.width, self.height = width, height
        resized = scroll.with_height(self.body_height, keep_cursor=scroll.cursor_line is not None)
        self.rows.first = resized.first
        self._lay_out(hold_column=is_column_visible)

    def move_to_row(self, index: int) -> None:
        """Move the cursor to a row and scroll to it."""
        self.rows.choose(index)
        self.rows.first = self._row_scroll.with_visible_cursor().first
        self._lay_out()

    def move_to_column(self, index: int) -> None:
        """Move the cursor to a column and scroll to it."""
        self.columns.choose(index)
        self._lay_out(hold_column=True)

    def scroll_rows(self, rows: int) -> None:
        """Scroll down by `rows`; the cursor keeps its row."""
        self.rows.scroll(self.rows.first + rows)
        self._lay_out()

    def scroll_columns(self, columns: int) -> None:
        """Scroll right by `columns`; the cursor keeps its column."""
        self.columns.scroll(self.columns.first + columns)
        self._lay_out()

    # Layout

    @property
    def _row_scroll(self) -> ScrollState:
        return ScrollState(len(self.rows), self.body_height, self.rows.cursor, self.rows.first)

    def _head(self, index: int) -> ColumnHead:
        return NO_HEAD if self.source is None else self.source.head(self.columns.keys[index])

    def _get_width(self, index: int) -> int:
        return self._head(index).width

    @property
    def _spare_width(self) -> int | None:
        """Terminal columns that the other columns leave if all are visible, for wide names."""
        if not self._wide_names:
            return None
        count = len(self.columns)
        return max(self.width - EDGE_WIDTH - sum(GAP + self._get_width(index) for index in range(count)), 0)

    def _lay_out(self, *, hold_column: bool = False) -> None:
        """Compute the spans, within the limits of scrolling; `hold_column` scrolls to the cursor's column."""
        if self.source is not None:
            self._names = self._names.of(self.source.rows, self.source.corner, self.width, self._spare_width)
        columns, count = self.columns, len(self.columns)
        left, right = self.names_width + GAP, self.width - EDGE_WIDTH
        self.rows.first = self._row_scroll.with_top(self.rows.first).first
        fixed = self._list_pinned_spans(left, right)
        self.pinned = pinned = len(fixed)
        left = fixed[-1].end + GAP if fixed else left
        if count > pinned and hold_column and columns.cursor >= pinned:
            first = max(columns.first, pinned)
            columns.first = find_first_showing(columns.cursor, first, self._get_width, right - left)
        last = find_first_showing(count - 1, pinned, self._get_width, right - left) if count else 0
        columns.first = max(pinned, min(columns.first, last))
        self.spans = (*fixed, *find_visible_columns(columns.first, count, self._get_width, left, right))

    def _list_pinned_spans(self, left: int, right: int) -> tuple[ColumnSpan, ...]:
        """Return the spans of the pinned columns that leave room for one other column of the usual width."""
        count = len(self.columns)
        pinned = next((index for index in range(count) if not self._head(index).is_pinned), count)
        if pinned == count:
            return ()
        spans: list[ColumnSpan] = []
        for index in range(pinned):
            width = self._get_width(index)
            if left + width + GAP + USUAL_WIDTH > right:
                break
            spans.append(ColumnSpan(index, left, width))
            left += width + GAP
        return tuple(spans)


def list_row_keys(rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the keys of rows, in order."""
    return rows.keys if isinstance(rows, LazyRows) else tuple(row.key for row in rows)


def get_row_key(rows: Sequence[Row], index: int) -> str:
    """Return the key of a row."""
    return rows.keys[index] if isinstance(rows, LazyRows) else rows[index].key


def measure_rows(rows: Sequence[Row]) -> int:
    """Return the terminal columns that the rows need without shortening."""
    if isinstance(rows, UniformRows):
        return rows.width
    return max(map(_measure_row, rows), default=0)


@lru_cache(maxsize=1024)
def _measure_signs(signs: tuple[Piece, ...]) -> int:
    """Return the terminal columns of the pieces next to a label: those of thousands of rows are alike."""
    return pieces_width(signs)


def _measure_row(row: Row) -> int:
    label = row.label
    width = len(label) if label.isascii() and label.isprintable() else cell_width(safe(label))
    right = _measure_signs(row.right) if row.right else 0
    return _measure_signs(row.prefix) + width + (right + 1 if right else 0)


def fit_rows(rows: Sequence[Row], width: int, *, marks_cuts: bool = False) -> Sequence[Row]:
    """Return the rows; if one is too long for `width`, the least distinctive parts of labels are left out.

    Args:
        rows: The rows, whose labels stay distinct.
        width: Columns of a row.
        marks_cuts: A label that fits is not shortened, and any other one has an ellipsis where something is left out.
    """
    if isinstance(rows, UniformRows):
        return rows
    if measure_rows(rows) <= width:
        return tuple(rows)
    names = tuple(row.label for row in rows)
    label_widths = tuple(max(width - _measure_row(replace(row, label="")), 0) for row in rows)
    labels = _mark_cut_names(names, label_widths) if marks_cuts else fit_names(names, max(label_widths), label_widths)
    return tuple(replace(row, label=label, dim_characters=0) for row, label in zip(rows, labels, strict=True))


def _mark_cut_names(names: tuple[str, ...], label_widths: tuple[int, ...]) -> tuple[str, ...]:
    """Return the names; those that are too long have an ellipsis where the beginning or the middle is left out."""
    safe_names = tuple(map(safe, names))
    for sign in ("", ELLIPSIS):
        text_widths = tuple(max(label_width - len(sign), 0) for label_width in label_widths)
        fitted = tuple(
            name if cell_width(name) <= label_width else text if _is_marked(text, name) else sign + text
            for name, label_width, text in zip(
                safe_names, label_widths, fit_names(names, max(text_widths), text_widths), strict=True
            )
        )
        if all(text == name or _is_marked(text, name) for text, name in zip(fitted, safe_names, strict=True)):
            break
    return fitted if len(set(fitted)) == len(set(names)) else fit_names(names, max(label_widths), label_widths)


def _is_marked(text: str, name: str) -> bool:
    """Return True if an ellipsis stands where `text` first differs from the name."""
    head, cut, _ = text.partition(ELLIPSIS)
    return bool(cut) and name.startswith(head)
