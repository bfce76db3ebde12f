"""The table of runs and scalar tags as the source of a grid."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.line_chart import BASELINE_MARKER
from tbtui.charts.numbers import format_count
from tbtui.charts.series_colours import get_series_marker
from tbtui.charts.styled_text import Row, pieces_width
from tbtui.charts.text import cell_width, format_run_name
from tbtui.plugins.comparison.attributes import ATTRIBUTE
from tbtui.plugins.comparison.comparison import (
    MISSING_SIGN,
    PAUSE_SECONDS,
    WIDTH,
    ComparisonCache,
    find_baseline_run,
    list_compared_runs,
)
from tbtui.plugins.comparison.labels import sort_sign
from tbtui.plugins.comparison.settings import COLUMNS, DELTAS, SORT_DESCENDING, SORT_TAG, STATISTIC
from tbtui.plugins.hparams.table import format_hparam
from tbtui.view.attributes import NO_ATTRIBUTES
from tbtui.view.run_names import fit_names, measure_common_prefix
from tbtui.view.tag_tree import cut_group, get_group
from tbtui.widgets.grid_viewport import ColumnHead

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from tbtui.plugins.comparison.comparison import Column, ComparisonTable
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.attributes import RunAttributes
    from tbtui.view.view import View
    from tbtui.widgets.grid_viewport import CellsOfColumn


MAX_TITLE_WIDTH = 16
"""Terminal columns that a title may widen its column to."""

MIN_ROW_RATIO = 3
"""Cells in sight are shown first if the table has at least this many times as many rows."""

_DONE = object()


class ComparisonSource:
    """A `GridSource`: one row a run, one column a scalar tag.

    Created on the thread that also computes the cells.

    Args:
        data: Cache across views; only that thread uses it.
        view: The view to draw.
        hparams: Hyperparameters of the runs, as far as they are known.
        former: The table shown until now.
    """

    def __init__(
        self,
        data: ComparisonCache,
        view: View,
        hparams: RunAttributes = NO_ATTRIBUTES,
        former: ComparisonSource | None = None,
    ) -> None:
        self.view = view
        self._data = data
        self._baseline = find_baseline_run(view) if DELTAS.value(view.settings) else None
        self._table = data.table(view, hparams)
        self._titles = _shorten_column_titles(self._table.columns)
        runs = self._table.runs
        with_row = {run.name for run in runs}
        self._names = tuple(run.name for run in view.runs if run.name in with_row)
        rows = _build_rows(runs, view)
        # Rows that look as before are the same object: the widget measures them once.
        self.widths: dict[str, int] = {} if former is None else dict(former.widths)
        """Columns of the widest cell by tag, as far as the cells are known."""

        self._rows = former.rows if former is not None and former.rows == rows else rows

    @property
    def rows(self) -> Sequence[Row]:
        return self._rows

    @property
    def table(self) -> ComparisonTable:
        return self._table

    @property
    def columns(self) -> tuple[str, ...]:
        return self._table.columns

    @property
    def aside(self) -> tuple[str, ...]:
        """Keys of the columns that the table hides by default."""
        return self._table.aside

    @property
    def hidden(self) -> int:
        """Number of columns that are not shown."""
        return self._table.hidden

    @property
    def every_tag(self) -> Sequence[str]:
        """Return all tags, also those without a column."""
        return self._data.tags(self.view)

    @property
    def tags(self) -> int:
        """Number of tags with a column."""
        return sum(not column.startswith(ATTRIBUTE) for column in self.columns)

    @property
    def corner(self) -> str:
        """`run`, or `17 of 26 runs` if some have no row."""
        rows, runs = len(self._rows), len(self.view.runs)
        return "run" if rows == runs else f"{rows:,} of {format_count(runs, 'run')}"

    @property
    def meaning(self) -> Hashable:
        settings = self.view.settings
        return STATISTIC.value(settings), settings.skip_steps, None if self._baseline is None else self._baseline.name

    def head(self, column: str) -> ColumnHead:
        if column.startswith(ATTRIBUTE):
            return self._build_attribute_head(column)
        settings, group, title = self.view.settings, get_group(column), self._titles[column]
        sign = sort_sign(descending=SORT_DESCENDING.value(settings)) if column == SORT_TAG.value(settings) else ""
        width = max(cell_width(title), self.widths.get(column, WIDTH))
        group = "" if group == column else group
        return ColumnHead(title, width, group, sign, is_pinned=column in COLUMNS.value(settings).pinned)

    def _build_attribute_head(self, column: str) -> ColumnHead:
        settings, title = self.view.settings, self._titles[column]
        sign = sort_sign(descending=SORT_DESCENDING.value(settings)) if column == SORT_TAG.value(settings) else ""
        width = max(cell_width(title) + (2 if sign else 0), self.widths.get(column, 4))
        return ColumnHead(title, width, "hparams", sign, is_pinned=column in COLUMNS.value(settings).pinned)

    def format_attribute(self, run: str, column: str) -> str:
        """Return a value of an attribute in full."""
        (value,) = self._table.attributes.values(column, [run]).values()
        return MISSING_SIGN if value is None else format_hparam(value)

    def cells(self, columns: Sequence[str], rows: Sequence[str]) -> Iterator[CellsOfColumn]:
        runs, in_sight = list_compared_runs(self.view), frozenset(rows)
        baseline = None if self._baseline is None else self._baseline.name
        first = [run for run in runs if run.name in in_sight or run.name == baseline]
        for key in filter(lambda column: column.startswith(ATTRIBUTE), columns):
            texts, widest = self._table.attributes.cells(key, self._names)
            self.widths[key] = max(widest, 4)
            column_width = self._build_attribute_head(key).width
            yield (
                key,
                {run: ((" " * (column_width - pieces_width(cell)), Ink.NONE), *cell) for run, cell in texts.items()},
            )
        prepared = [self._data.column(self.view, tag) for tag in columns if not tag.startswith(ATTRIBUTE)]
        # Round robin: the cells in sight of all columns come before all other cells.
        filling = [(column, column.fill(runs, first)) for column in prepared]
        changed: list[Column] = []
        last_pause = time.perf_counter()
        while filling:
            for task in tuple(filling):
                column, remaining = task
                if next(remaining, _DONE) is _DONE:
                    filling.remove(task)
                if column not in changed:
                    changed.append(column)
                if time.perf_counter() - last_pause > PAUSE_SECONDS:
                    yield from self._build_cells(changed, baseline)
                    changed.clear()
                    last_pause = time.perf_counter()
            if changed and filling and len(runs) > MIN_ROW_RATIO * len(first):
                # The cells in sight are complete; the others take far longer.
                yield from self._build_cells(changed, baseline)
                changed.clear()
                last_pause = time.perf_counter()
        yield from self._build_cells(changed, baseline)

    def _build_cells(self, columns: Sequence[Column], baseline: str | None) -> Sequence[CellsOfColumn]:
        """Return the cells of these columns; their widths are all known before the first of them is drawn."""
        cells = [(column.tag, column.cells(self._names, baseline)) for column in columns]
        self.widths.update((column.tag, column.width) for column in columns)
        return cells


@lru_cache(maxsize=4)
def _shorten_column_titles(tags: tuple[str, ...]) -> Mapping[str, str]:
    """Return the titles of columns; within a group they are distinct."""
    groups: dict[str, list[str]] = {}
    for tag in tags:
        group = ATTRIBUTE if tag.startswith(ATTRIBUTE) else "" if get_group(tag) == tag else get_group(tag)
        groups.setdefault(group, []).append(tag)
    titles: dict[str, str] = {}
    for group, keys in groups.items():
        names = tuple(key[len(ATTRIBUTE) :] if group == ATTRIBUTE else cut_group(key) for key in keys)
        titles.update(zip(keys, fit_names(names, MAX_TITLE_WIDTH), strict=True))
    return titles


def _build_rows(runs: Sequence[RunSnapshot], view: View) -> tuple[Row, ...]:
    names = [format_run_name(run.name) for run in runs]
    faded = measure_common_prefix(names)
    return tuple(_build_row(run, name, faded, view) for run, name in zip(runs, names, strict=True))


def _build_row(run: RunSnapshot, name: str, faded: int, view: View) -> Row:
    ink = view.inks[run.name]
    # In place of the marker, so that the name of the baseline has as much room as the others.
    sign = BASELINE_MARKER if run.name == view.settings.baseline else get_series_marker(ink)
    return Row(run.name, ((f"{sign} ", ink),), name, Ink.DIM if run.vanished else Ink.TEXT, faded)
