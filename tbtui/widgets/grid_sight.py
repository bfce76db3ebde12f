"""What of a table is in sight in a room of some size, and where in it: kept while the table changes and scrolls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.widgets.grid_axis import GridAxis
from tbtui.widgets.grid_drawing import fitted_rows, wanted_width
from tbtui.widgets.grid_layout import (
    EDGE_WIDTH,
    GAP,
    HEADER_HEIGHT,
    LEAST_NAMES,
    ColumnPlace,
    columns_from,
    first_showing,
    names_width,
)
from tbtui.widgets.grid_source import Head

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.widgets.grid_source import GridSource
    from tbtui.widgets.row_list import Row


NO_HEAD = Head("", 1)


@frozen(eq=False)
class _Names:
    """The first column, fitted to the width of the table."""

    rows: Sequence[Row] = ()
    room: int = 0
    fitted: Sequence[Row] = ()
    width: int = 0

    def of(self, rows: Sequence[Row], corner: str, room: int) -> _Names:
        """The same where neither rows nor room are others."""
        if rows is self.rows and room == self.room:
            return self
        least = max(len(corner), LEAST_NAMES)
        width = names_width(max(wanted_width(rows), least), room)
        fitted = fitted_rows(rows, width)
        # What all begin with may have been left out, and more than there was too little room for.
        return _Names(rows, room, fitted, min(width, max(wanted_width(fitted), least)))


class GridSight:
    """Rows and columns with the cursor among them, and those of them that are in sight."""

    def __init__(self) -> None:
        self.source: GridSource | None = None
        self.rows, self.columns = GridAxis(), GridAxis()
        self.width = self.height = 0
        self.places: tuple[ColumnPlace, ...] = ()
        """The columns in sight."""

        self._names = _Names()

    # What is in sight

    @property
    def body_height(self) -> int:
        """Rows of the terminal below the header."""
        return max(self.height - HEADER_HEIGHT, 0)

    @property
    def names_width(self) -> int:
        """Terminal columns of the first column."""
        return self._names.width

    @property
    def rows_in_sight(self) -> Sequence[Row]:
        """As they are drawn."""
        return self._names.fitted[self.rows.first : self.rows.first + self.body_height]

    @property
    def columns_in_sight(self) -> tuple[str, ...]:
        """Their keys."""
        return tuple(self.columns.keys[place.index] for place in self.places)

    @property
    def heads(self) -> list[tuple[ColumnPlace, Head]]:
        """What stands above the columns in sight."""
        return [(place, self._head(place.index)) for place in self.places]

    @property
    def cursor_row(self) -> int | None:
        """The cursor's row of the body; None when it is not in sight."""
        y = self.rows.cursor - self.rows.first
        return y if 0 <= y < min(self.body_height, len(self.rows)) else None

    @property
    def cursor_place(self) -> ColumnPlace | None:
        """The cursor's column; None when it is not in sight."""
        return next((place for place in self.places if place.index == self.columns.cursor), None)

    def place_of(self, key: str) -> ColumnPlace | None:
        """Where a column stands; None when it is not in sight."""
        return next((place for place in self.places if self.columns.keys[place.index] == key), None)

    def row_at(self, y: int) -> int | None:
        """Index of the row that is drawn in line `y` of the table."""
        index = self.rows.first + y - HEADER_HEIGHT
        return index if HEADER_HEIGHT <= y < self.height and index < len(self.rows) else None

    def column_at(self, x: int) -> int | None:
        """Index of the column that holds terminal column `x` of the table."""
        return next((place.index for place in self.places if place.x <= x < place.end), None)

    # Changes

    def show(self, source: GridSource | None) -> None:
        """Have another table, or none."""
        cursor_in_sight = self.cursor_place is not None
        self.source = source
        self.rows.replace(tuple(row.key for row in source.rows) if source else (), self.body_height)
        self.columns.replace(source.columns if source else (), len(self.places))
        self._lay_out(hold_column=cursor_in_sight)

    def resize(self, width: int, height: int) -> None:
        """Have another room; a cursor that was in sight stays there."""
        row_in_sight, column_in_sight = self.cursor_row is not None, self.cursor_place is not None
        self.width, self.height = width, height
        if row_in_sight:
            self.rows.first = max(self.rows.first, self.rows.cursor - self.body_height + 1)
        self._lay_out(hold_column=column_in_sight)

    def move_to_row(self, index: int) -> None:
        """Put the cursor on a row and bring it into sight."""
        self.rows.choose(index)
        self.rows.first = max(min(self.rows.first, self.rows.cursor), self.rows.cursor - self.body_height + 1)
        self._lay_out()

    def move_to_column(self, index: int) -> None:
        """Put the cursor into a column and bring it into sight."""
        self.columns.choose(index)
        self._lay_out(hold_column=True)

    def scroll_rows(self, rows: int) -> None:
        """Have rows further down in sight; the cursor stays where it is in the table."""
        self.rows.scroll(self.rows.first + rows)
        self._lay_out()

    def scroll_columns(self, columns: int) -> None:
        """Have columns further to the right in sight; likewise."""
        self.columns.scroll(self.columns.first + columns)
        self._lay_out()

    # Where everything stands

    def _head(self, index: int) -> Head:
        return NO_HEAD if self.source is None else self.source.head(self.columns.keys[index])

    def _width_of(self, index: int) -> int:
        return self._head(index).width

    def _lay_out(self, *, hold_column: bool = False) -> None:
        """Find the places; what is scrolled beyond an end comes back, and where asked for the cursor's column."""
        if self.source is not None:
            self._names = self._names.of(self.source.rows, self.source.corner, self.width)
        rows, columns, count = self.rows, self.columns, len(self.columns)
        left, right = self.names_width + GAP, self.width - EDGE_WIDTH
        rows.first = max(0, min(rows.first, len(rows) - self.body_height))
        if count and hold_column:
            columns.first = first_showing(columns.cursor, columns.first, self._width_of, right - left)
        last = first_showing(count - 1, 0, self._width_of, right - left) if count else 0
        columns.first = max(0, min(columns.first, last))
        self.places = columns_from(columns.first, count, self._width_of, left, right)
