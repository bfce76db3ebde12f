"""Rows and cells of the table of sessions, and the lines about the session under the cursor."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.cells import Ink
from tbtui.charts.line_chart import BASELINE_MARKER, BEST_SIGN
from tbtui.charts.number_columns import format_column
from tbtui.charts.series_colours import get_series_marker
from tbtui.charts.styled_text import Cell, Piece, Row
from tbtui.charts.text import align_numbers, format_run_name, safe, shorten
from tbtui.plugins.comparison.comparison import choose_delta_ink, find_best_runs, format_value
from tbtui.plugins.hparams import labels
from tbtui.plugins.hparams.rows import ENDED, HPARAM, METRIC
from tbtui.view.run_names import measure_common_prefix

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.plugins.hparams.rows import GridColumn, SessionRows
    from tbtui.plugins.hparams.session_cache import PreparedSessions
    from tbtui.plugins.hparams.session_table import SessionTable

NOISE_KEY = "\0noise"
"""Key of the line below the sessions that are as good as the best, within the noise of seeds."""

NOISE_LABEL = "┄┄ noise"
MAX_COMPARED_NAMES = 2_000
"""Names whose common beginning is searched for."""

MIN_LONG_ROWS = 1_000
"""Rows from which those in sight are spelled before the others."""

MAX_TITLE, MAX_WORD = 16, 18
"""Terminal columns that a title or a word may widen its column to."""


class CellCache:
    """Cells of columns by row, for one selection of rows. Used by one thread."""

    def __init__(self) -> None:
        self._rows: SessionRows | None = None
        self._cells: dict[tuple[object, ...], Mapping[str, Cell]] = {}
        self._names: tuple[tuple[object, ...], list[Row]] = ((), [])
        self._singles: tuple[SessionTable, Mapping[str, int], list[Row]] | None = None

    def get_named_rows(self, prepared: PreparedSessions) -> list[Row]:
        """Return what the function `build_named_rows` returns; the same list if only the order of rows has changed."""
        shown = prepared.rows
        key = (shown.table, shown.members, prepared.view.inks, shown.baseline_row, shown.ranks.tobytes())
        if len(self._names[0]) != len(key) or any(
            a is not b and a != b for a, b in zip(self._names[0], key, strict=True)
        ):
            self._names = key, build_named_rows(prepared, self._build_single_rows(prepared))
        return self._names[1]

    def _build_single_rows(self, prepared: PreparedSessions) -> list[Row] | None:
        """Return the row of each session by itself; None if the names depend on the set of shown sessions."""
        table, inks = prepared.table, prepared.view.inks
        if len(prepared.rows.names) < MAX_COMPARED_NAMES:
            return None
        if self._singles is None or self._singles[0] is not table or self._singles[1] != inks:
            rows = [build_unmarked_row(session.name, inks, 0) for session in table.sessions]
            self._singles = table, inks, rows
        return self._singles[2]

    def cells(self, rows: SessionRows, key: str) -> Mapping[str, Cell]:
        """Return the cells of a column; the same mapping as long as the rows are the same, in any order."""
        if self._rows is None or self._rows.table is not rows.table or self._rows.members != rows.members:
            self._cells.clear()
        self._rows = rows
        cells_key = _build_cells_key(rows, key)
        if cells_key not in self._cells:
            self._cells[cells_key] = build_column_cells(rows, rows.column(key))
        return self._cells[cells_key]

    def build_first_cells(self, rows: SessionRows, key: str, names: Sequence[str]) -> Mapping[str, Cell] | None:
        """Return the cells of some rows of a column of thousands of rows, until `cells` has them all.

        Returns:
            None if `cells` knows the column or takes no longer.
        """
        is_known = (
            self._rows is not None and self._rows.members == rows.members and _build_cells_key(rows, key) in self._cells
        )
        column = rows.column(key)
        if is_known or column.kind == "ended" or len(rows.names) < MIN_LONG_ROWS:
            return None
        shown = [name for name in names if name in rows.row_of]
        row_indices = np.array([rows.row_of[name] for name in shown], np.intp)
        if column.kind == "metric":
            return dict(zip(shown, _build_metric_cells(rows, column, row_indices.tolist()), strict=True))
        distinct = None if column.distinct is None else column.distinct[row_indices]
        first_rows = replace(column, values=column.values.part(row_indices), distinct=distinct)
        return dict(zip(shown, _build_hparam_cells(first_rows), strict=True))


def _build_cells_key(rows: SessionRows, key: str) -> tuple[object, ...]:
    """Return all inputs of the cells of a column except the rows; the figure changes those of metrics alone."""
    column = rows.column(key)
    if column.kind != "metric":
        return (key,)
    shows_deltas = rows.chosen.deltas and column.deltas is not None
    baseline = rows.chosen.baseline if shows_deltas else ""
    return key, rows.values[column.title], column.best, column.spread is None, baseline


def build_column_cells(rows: SessionRows, column: GridColumn) -> dict[str, Cell]:
    """Return the cells of a column by row; numbers have their decimal points in line."""
    if column.kind == "metric":
        cells = _build_metric_cells(rows, column, range(len(rows.names)))
    elif column.key == ENDED:
        cells = _end_cells(rows)
    else:
        cells = _build_hparam_cells(column)
    return dict(zip(rows.names, cells, strict=True))


def _build_metric_cells(rows: SessionRows, column: GridColumn, row_indices: Sequence[int]) -> list[Cell]:
    """Return the cells of some rows; the best of all rows are marked."""
    values, present = column.values.numbers.tolist(), column.values.present.tolist()
    value_by_row = {str(row): value for row, value in enumerate(values) if present[row]}
    best = find_best_runs(value_by_row, column.best)
    shows_deltas = rows.chosen.deltas and column.deltas is not None
    texts: list[Piece] = []
    shown = [values[row] for row in row_indices if present[row]]
    # Means with a spread next to them need no more digits to differ.
    value_texts = iter(map(format_value, shown) if column.spread is not None else format_column(shown))
    deltas = column.deltas[list(row_indices)].tolist() if shows_deltas and column.deltas is not None else []
    delta_texts = format_column(deltas, with_signs=True)
    for index, row in enumerate(row_indices):
        value = values[row]
        if not present[row]:
            texts.append((labels.MISSING_SIGN, Ink.FAINT))
            continue
        text = next(value_texts)
        if not math.isfinite(value):
            texts.append((labels.DIVERGED_SIGN, Ink.BAD))
        elif shows_deltas and row != rows.baseline_row and math.isfinite(deltas[index]):
            texts.append((delta_texts[index], choose_delta_ink(deltas[index], column.best)))
        else:
            texts.append((text, Ink.BOLD if str(row) in best else Ink.TEXT))
    cells = _align_pieces(texts)
    if column.spread is not None:
        spreads = [_spread_text(spread) for spread in column.spread[list(row_indices)].tolist()]
        width = max(map(len, spreads), default=0)
        cells = [(*cell, (f" {spread:<{width}}", Ink.DIM)) for cell, spread in zip(cells, spreads, strict=True)]
    return cells


def _spread_text(spread: float) -> str:
    return "" if math.isnan(spread) else f"±{labels.format_brief_number(float(f'{spread:.2g}'))}"


def _build_hparam_cells(column: GridColumn) -> list[Cell]:
    values = column.values.values()
    texts = labels.format_values(values)
    distinct = [1] * len(values) if column.distinct is None else column.distinct.tolist()
    pieces: list[Piece] = []
    for value, text, count in zip(values, texts, distinct, strict=True):
        if count > 1:
            pieces.append((f"{count} values", Ink.DIM))
        elif value is None:
            pieces.append((labels.MISSING_SIGN, Ink.FAINT))
        else:
            pieces.append((text if isinstance(value, float) else shorten(text, MAX_WORD), Ink.TEXT))
    if column.values.is_numeric:
        return _align_pieces(pieces)
    return [(piece,) for piece in pieces]


def _end_cells(rows: SessionRows) -> list[Cell]:
    statuses = rows.table.statuses
    inks = {"failed": Ink.BAD, "nan": Ink.BAD, "running": Ink.ACCENT}
    cells: list[Cell] = []
    for members in rows.members:
        session, status = rows.table.sessions[members[0]], str(statuses.value(members[0]))
        cells.append(((labels.end_text(session, status), inks.get(status, Ink.DIM)),))
    return cells


def _align_pieces(texts: Sequence[Piece]) -> list[Cell]:
    padded = align_numbers([text for text, _ in texts])
    return [((text, ink),) for text, (_, ink) in zip(padded, texts, strict=True)]


def build_table_rows(prepared: PreparedSessions, cache: CellCache | None = None) -> tuple[Row, ...]:
    """Return the names of the rows in their order, with a line below those as good as the best."""
    shown = prepared.rows
    order = shown.order.tolist()
    all_rows = build_named_rows(prepared) if cache is None else cache.get_named_rows(prepared)
    rows = [all_rows[row] for row in order]
    limit, main = _compute_noise_limit(prepared), shown.main_column
    if limit is not None and main is not None:
        values = main.values.numbers[shown.order]
        first_worse = next(
            (n for n, value in enumerate(values.tolist()) if not _is_within(value, limit, shown.best)), 0
        )
        if 1 < first_worse < len(order):
            rows.insert(first_worse, Row(NOISE_KEY, (("  ", Ink.NONE),), NOISE_LABEL, Ink.DIM, cut_end=True))
    return tuple(rows)


def build_unmarked_row(name: str, inks: Mapping[str, int], faded: int) -> Row:
    """Return the row of a session without signs."""
    ink = inks.get(name, int(Ink.TEXT))
    return Row(name, ((f"{get_series_marker(ink)} ", ink),), format_run_name(name), Ink.TEXT, faded)


def build_named_rows(prepared: PreparedSessions, singles: Sequence[Row] | None = None) -> list[Row]:
    """Return the row of each session or group, in the order of the run tree.

    Args:
        prepared: The sessions.
        singles: The row of each session of the table; None: they are built.
    """
    shown, inks = prepared.rows, prepared.view.inks
    if singles is None:
        faded = measure_common_prefix([format_run_name(name) for name in shown.names])
        rows = [build_unmarked_row(name, inks, faded) for name in shown.names]
    else:
        rows = [singles[members[0]] for members in shown.members]
    signs: dict[int, list[Piece]] = {
        row: [(f"×{len(members)}", Ink.DIM)] for row, members in enumerate(shown.members) if len(members) > 1
    }
    for row in np.flatnonzero(shown.ranks == 1).tolist():
        signs.setdefault(row, []).append((BEST_SIGN, Ink.GOOD))
    for row, right in signs.items():
        rows[row] = replace(rows[row], right=tuple(right))
    if (baseline := shown.baseline_row) is not None:
        rows[baseline] = replace(rows[baseline], prefix=((f"{BASELINE_MARKER} ", rows[baseline].prefix[0][1]),))
    return rows


def _compute_noise_limit(prepared: PreparedSessions) -> float | None:
    """Return the value up to which sessions are as good as the best; None where the order does not show it."""
    shown, importance = prepared.rows, prepared.current_importance
    main = shown.main_column
    if importance is None or importance.noise is None or main is None or shown.chosen.sort not in ("", main.key):
        return None
    if shown.chosen.sort and shown.chosen.descending != (shown.best == "max"):
        return None
    finite = main.values.numbers[np.isfinite(main.values.numbers)]
    if not len(finite):
        return None
    slack = 2 * importance.noise.deviation
    return float(finite.min()) + slack if shown.best == "min" else float(finite.max()) - slack


def _is_within(value: float, limit: float, best: str) -> bool:
    return value <= limit if best == "min" else value >= limit


def build_detail_pieces(prepared: PreparedSessions, name: str) -> list[list[Piece]]:
    """Return lines about the session under the cursor: all its metrics, then all hyperparameters that differ."""
    shown = prepared.rows
    row = shown.row_of.get(name)
    if row is None:
        return []
    head: list[Piece] = [(f"{format_run_name(name)} ", Ink.BOLD)]
    if shown.ranks[row] == 1:
        head.append((f"{BEST_SIGN} ", Ink.GOOD))
    if shown.ranks[row]:
        head.append((f"{shown.ranks[row]} of {len(shown.members)}", Ink.DIM))
    pieces: list[Piece] = []
    for key in shown.keys:
        if key == ENDED:
            continue
        column = shown.column(key)
        value = column.values.value(row)
        title = key[len(METRIC if key.startswith(METRIC) else HPARAM) :]
        text = (
            numbers.format_number(value)
            if isinstance(value, float) and column.kind == "metric"
            else labels.format_value(value)
        )
        pieces += [(f"  {safe(title)} ", Ink.DIM), (shorten(text, MAX_WORD), Ink.TEXT)]
    session = prepared.table.sessions[shown.members[row][0]]
    ended = labels.end_text(session, str(prepared.table.statuses.value(shown.members[row][0])))
    return [[*head, (f"  {ended}", Ink.DIM)], pieces]
