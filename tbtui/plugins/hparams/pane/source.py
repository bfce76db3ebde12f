"""The table of sessions as the source of a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import pieces_width
from tbtui.charts.text import cell_width, shorten
from tbtui.plugins.hparams.grid import MAX_TITLE, NOISE_KEY, build_table_rows
from tbtui.plugins.hparams.rows import ENDED
from tbtui.widgets.grid_viewport import ColumnHead

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from tbtui.charts.styled_text import Cell, Row
    from tbtui.plugins.hparams.grid import CellCache
    from tbtui.plugins.hparams.session_cache import PreparedSessions

MIN_WIDTH = 4
NEAR_ROWS = 200
"""Rows before and after those in sight whose cells are ready while more sessions are read."""

ASCENDING, DESCENDING = "▲", "▼"


class SessionSource:
    """A `GridSource`: one row per session or group.

    Args:
        prepared: Sessions to show.
        cache: Cells of former views.
        former: The table shown until now.
        is_partial: More sessions are being read: of a long table, cells far out of sight are left out.
    """

    def __init__(
        self,
        prepared: PreparedSessions,
        cache: CellCache,
        former: SessionSource | None = None,
        *,
        is_partial: bool = False,
    ) -> None:
        self.prepared = prepared
        self._is_partial = is_partial
        self._cache = cache
        shown = prepared.rows
        self.widths: dict[str, int] = {} if former is None else dict(former.widths)
        rows = build_table_rows(prepared, cache)
        self._rows = former.rows if former is not None and former.rows == rows else rows
        self._noise = {NOISE_KEY: (("┄" * 4, Ink.FAINT),)}
        self._keys = shown.keys

    @property
    def rows(self) -> Sequence[Row]:
        return self._rows

    @property
    def columns(self) -> tuple[str, ...]:
        return self._keys

    @property
    def corner(self) -> str:
        shown = self.prepared.rows
        return "group" if shown.is_grouped else "session"

    @property
    def meaning(self) -> Hashable:
        chosen = self.prepared.rows.chosen
        return chosen.figure, chosen.at, chosen.grouped, chosen.deltas, chosen.baseline

    def head(self, column: str) -> ColumnHead:
        shown = self.prepared.rows
        grid_column = shown.column(column)
        main = shown.main_column
        sort_key = shown.chosen.sort or (main.key if main is not None else "")
        sign = ""
        if column == sort_key:
            descending = shown.chosen.descending if shown.chosen.sort else shown.best == "max"
            sign = DESCENDING if descending else ASCENDING
        title = shorten(grid_column.title, MAX_TITLE)
        if shown.chosen.deltas and grid_column.deltas is not None:
            title = f"Δ {title}"
        width = max(cell_width(title) + (2 if sign else 0), self.widths.get(column, MIN_WIDTH))
        # Values of many magnitudes are aligned at their decimal points: the title is above their first column.
        at_right = grid_column.kind == "metric" or (grid_column.values.is_integral and column != ENDED)
        return ColumnHead(title, width, "", sign, at_right, is_pinned=column in shown.chosen.columns.pinned)

    def cells(self, columns: Sequence[str], rows: Sequence[str]) -> Iterator[tuple[str, Mapping[str, Cell]]]:
        shown = self.prepared.rows
        near = self._list_rows_near(rows) if self._is_partial else rows
        left = list(columns)
        for key in columns:
            first = self._cache.build_first_cells(shown, key, near)
            if first is not None:
                yield key, self._pad_cells(key, first)
                if self._is_partial:
                    left.remove(key)
        for key in left:
            yield key, self._pad_cells(key, self._cache.cells(shown, key))

    def _list_rows_near(self, rows: Sequence[str]) -> list[str]:
        """Return the keys of some successive rows, and of those before and after them."""
        keys = [row.key for row in self._rows]
        begin = keys.index(rows[0]) if rows and rows[0] in keys else 0
        return keys[max(begin - NEAR_ROWS, 0) : begin + len(rows) + NEAR_ROWS]

    def _pad_cells(self, key: str, cells: Mapping[str, Cell]) -> Mapping[str, Cell]:
        """Return the cells of a column in one width, with those of the line below the best sessions."""
        widest = max(map(pieces_width, cells.values()), default=MIN_WIDTH)
        self.widths[key] = max(widest, MIN_WIDTH)
        head = self.head(key)
        if not head.at_right:
            return {**cells, **self._noise}
        indent = (" " * (head.width - widest), Ink.NONE)
        return {name: (indent, *cell) for name, cell in cells.items()} | self._noise
