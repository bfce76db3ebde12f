"""Pane of the Compare tab: the table, and below it the details of the cell under the cursor."""

from __future__ import annotations

import math
import time
from functools import lru_cache, partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.charts import colours as palette
from tbtui.charts.cells import Ink
from tbtui.charts.line_chart import BASELINE_SIGN, BEST_SIGN
from tbtui.charts.numbers import counted, format_distinct, signed
from tbtui.charts.styled_text import Row, pieces_width
from tbtui.charts.text import cell_width, safe, shorten, visible_name
from tbtui.frozen import frozen
from tbtui.loading.payloads import Payloads
from tbtui.plugins.comparison import transitions as changes
from tbtui.plugins.comparison.attributes import ATTRIBUTE
from tbtui.plugins.comparison.comparison import (
    MISSING_SIGN,
    PAUSE_SECONDS,
    WIDTH,
    ComparisonCache,
    baseline_run,
    compared_runs,
    delta_ink,
    make_detail,
    value_text,
)
from tbtui.plugins.comparison.settings import COLUMNS, DELTAS, SORT_DESCENDING, SORT_TAG, STATISTIC
from tbtui.plugins.hparams.attributes import read_hparams
from tbtui.plugins.hparams.settings import name_pattern
from tbtui.plugins.hparams.table import format_hparam
from tbtui.view.attributes import NO_ATTRIBUTES
from tbtui.view.row_order import ASCENDING, DESCENDING
from tbtui.view.run_names import common_prefix_length, fit_names, fit_run_name
from tbtui.view.run_tree import group_of, tag_title
from tbtui.widgets.column_keys import ColumnKeysMixin, column_bindings
from tbtui.widgets.data_grid import DataGrid
from tbtui.widgets.grid_viewport import ColumnHead
from tbtui.widgets.line import Line
from tbtui.widgets.pane import ALL_FOLDED, STATUS_SHARE, AboutRunRequested, Choose, CopyRequested, Pane

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from textual.app import ComposeResult

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.comparison.comparison import Column, ComparisonTable, Detail, Point
    from tbtui.settings.column_choice import ColumnChoice
    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.attributes import RunAttributes
    from tbtui.view.view import View
    from tbtui.widgets.grid_viewport import CellsOfColumn


FAILED = "the runs cannot be compared"
NO_VALUE = "no value of this tag"

GAP = "   "
MIN_NAME_WIDTH, MAX_NAME_WIDTH = 12, 24
"""Columns of a name in the status, where all names are cut alike."""


def sort_sign(*, descending: bool) -> str:
    """Return the sign of the direction of sorting."""
    return DESCENDING if descending else ASCENDING


def status(view: View, tags: int, width: int, aside: int = 0) -> str:
    """`best of 33 tags, 4 aside (O) · Δ to adam/seed0 · sorted by loss/val ▲`.

    Args:
        view: The view to draw.
        tags: Number of tags with a column.
        width: Maximum width in columns. Names are cut first; then parts are left out: the baseline, the skipped steps,
            the order.
        aside: Number of columns that are not shown.
    """
    for dropped in range(len(_OPTIONAL_PARTS) + 1):
        for name_width in range(MAX_NAME_WIDTH, MIN_NAME_WIDTH - 1, -1):
            parts = _status_parts(view, name_width)
            put_aside = f", {aside:,} aside (O)" if aside else ""
            text = " · ".join(
                [f"{STATISTIC.value(view.settings)} of {counted(tags, 'tag')}{put_aside}"]
                + [part for name, part in parts.items() if name not in _OPTIONAL_PARTS[:dropped]]
            )
            if cell_width(text) <= width:
                return text
    return text


_OPTIONAL_PARTS = "baseline", "skipped", "order"
"""Parts of a status in the order in which they are left out if they do not fit."""


def _status_parts(view: View, name_width: int) -> dict[str, str]:
    """Return the parts of the status by name; names are at most `name_width` columns wide."""
    settings, parts = view.settings, {}
    if settings.skip_steps > 0:
        parts["skipped"] = f"from step {settings.skip_steps:,} on"
    if settings.baseline is not None:
        name = fit_run_name(settings.baseline, [run.name for run in view.runs], name_width)
        suffix = "" if settings.baseline in view.snapshot.runs else " (gone)"
        parts["baseline"] = f"{'Δ to' if DELTAS.value(settings) else 'baseline'} {name}{suffix}"
    sort_tag = SORT_TAG.value(settings)
    if sort_tag is not None:
        sign = sort_sign(descending=SORT_DESCENDING.value(settings))
        parts["order"] = f"sorted by {shorten(visible_name(sort_tag.removeprefix(ATTRIBUTE)), name_width)} {sign}"
    return parts


CHOSEN_PRIORITY = 9
"""Priority of the number that the cell itself shows."""


@frozen
class _Part:
    pieces: tuple[Piece, ...]
    priority: int
    """Parts with the lowest priority are left out first."""


def detail_lines(detail: Detail, width: int, runs: Sequence[str] = ()) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return run and tag, and all numbers with their steps, as many as fit.

    Args:
        detail: Details of a cell.
        width: Columns.
        runs: Names of the runs that the name of the run differs from if it is cut.
    """
    return _names(detail, width, runs), _numbers(detail, width)


def _names(detail: Detail, width: int, runs: Sequence[str]) -> tuple[Piece, ...]:
    """Return run and tag in full, since the table cuts names, and the number of superseded points."""
    tag = visible_name(detail.tag)
    left_out = f"{GAP}{detail.superseded:,} superseded" if detail.superseded else ""
    available_width = max(width - len(GAP) - len(left_out), 0)
    run = fit_run_name(detail.name, runs, max(available_width - cell_width(safe(tag)), available_width // 2))
    return (
        (run, Ink.TEXT),
        (GAP, Ink.NONE),
        (shorten(tag, available_width - cell_width(run)), Ink.DIM),
        *([(left_out, Ink.DIM)] if left_out else []),
    )


def _numbers(detail: Detail, width: int) -> tuple[Piece, ...]:
    parts = _parts(detail)
    while len(parts) > 1 and _width(parts) > width:
        parts.remove(min(parts, key=lambda part: part.priority))
    return tuple(piece for part in parts for piece in (*part.pieces, (GAP, Ink.NONE)))[:-1]


def _width(parts: list[_Part]) -> int:
    texts = sum(cell_width(safe(text)) for part in parts for text, _ in part.pieces)
    return texts + (len(parts) - 1) * len(GAP)


def _parts(detail: Detail) -> list[_Part]:
    points, figure = detail.points, (detail.best or "last") if detail.figure == "best" else detail.figure
    if points is None:
        since = f" from step {detail.skip_steps:,} on" if detail.skip_steps > 0 else ""
        return [_Part(((NO_VALUE + since, Ink.DIM),), CHOSEN_PRIORITY)]
    named = (("last", points.last), ("min", points.least), ("max", points.greatest))
    present = [(name, point) for name, point in named if point is not None]
    texts = format_distinct([point.value for _, point in present], value_text)
    parts = []
    for (name, point), text in zip(present, texts, strict=True):
        is_best = name == detail.best
        priority = 3 if name == "last" else 1 + is_best
        parts.append(_number(f"{name} {BEST_SIGN}" if is_best else name, point, text, priority, figure))
    if detail.base is not None and detail.point is not None:
        parts.append(_delta(detail.point.value - detail.base.value, detail))
    return parts


def _number(title: str, point: Point, text: str, priority: int, figure: str) -> _Part:
    chosen = title.startswith(figure)
    ink = Ink.BAD if not math.isfinite(point.value) else Ink.BOLD if chosen else Ink.TEXT
    pieces = ((f"{title} ", Ink.DIM), (text, ink), (f" @ {point.step}", Ink.DIM))
    return _Part(pieces, CHOSEN_PRIORITY if chosen else priority)


def _delta(delta: float, detail: Detail) -> _Part:
    """Return the difference of the cell to the baseline."""
    if not math.isfinite(delta):
        return _Part((("Δ ", Ink.DIM), (MISSING_SIGN, Ink.DIM)), 4)
    return _Part((("Δ ", Ink.DIM), (signed(delta), delta_ink(delta, detail.best))), 4)


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
        self._baseline = baseline_run(view) if DELTAS.value(view.settings) else None
        self._table = data.table(view, hparams)
        self._titles = _titles(self._table.columns)
        runs = self._table.runs
        with_row = {run.name for run in runs}
        self._names = tuple(run.name for run in view.runs if run.name in with_row)
        rows = _rows(runs, view)
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
        return "run" if rows == runs else f"{rows:,} of {counted(runs, 'run')}"

    @property
    def meaning(self) -> Hashable:
        settings = self.view.settings
        return STATISTIC.value(settings), settings.skip_steps, None if self._baseline is None else self._baseline.name

    def head(self, column: str) -> ColumnHead:
        if column.startswith(ATTRIBUTE):
            return self._attribute_head(column)
        settings, group, title = self.view.settings, group_of(column), self._titles[column]
        sign = sort_sign(descending=SORT_DESCENDING.value(settings)) if column == SORT_TAG.value(settings) else ""
        width = max(cell_width(title), self.widths.get(column, WIDTH))
        group = "" if group == column else group
        return ColumnHead(title, width, group, sign, is_pinned=column in COLUMNS.value(settings).pinned)

    def _attribute_head(self, column: str) -> ColumnHead:
        settings, title = self.view.settings, self._titles[column]
        sign = sort_sign(descending=SORT_DESCENDING.value(settings)) if column == SORT_TAG.value(settings) else ""
        width = max(cell_width(title) + (2 if sign else 0), self.widths.get(column, 4))
        return ColumnHead(title, width, "hparams", sign, is_pinned=column in COLUMNS.value(settings).pinned)

    def attribute_text(self, run: str, column: str) -> str:
        """Return a value of an attribute in full."""
        (value,) = self._table.attributes.values(column, [run]).values()
        return MISSING_SIGN if value is None else format_hparam(value)

    def cells(self, columns: Sequence[str], rows: Sequence[str]) -> Iterator[CellsOfColumn]:
        runs, in_sight = compared_runs(self.view), frozenset(rows)
        baseline = None if self._baseline is None else self._baseline.name
        first = [run for run in runs if run.name in in_sight or run.name == baseline]
        for key in filter(lambda column: column.startswith(ATTRIBUTE), columns):
            texts, widest = self._table.attributes.cells(key, self._names)
            self.widths[key] = max(widest, 4)
            column_width = self._attribute_head(key).width
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
                    yield from self._cells_of(changed, baseline)
                    changed.clear()
                    last_pause = time.perf_counter()
            if changed and filling and len(runs) > MIN_ROW_RATIO * len(first):
                # The cells in sight are complete; the others take far longer.
                yield from self._cells_of(changed, baseline)
                changed.clear()
                last_pause = time.perf_counter()
        yield from self._cells_of(changed, baseline)

    def _cells_of(self, columns: Sequence[Column], baseline: str | None) -> Sequence[CellsOfColumn]:
        """Return the cells of these columns; their widths are all known before the first of them is drawn."""
        cells = [(column.tag, column.cells(self._names, baseline)) for column in columns]
        self.widths.update((column.tag, column.width) for column in columns)
        return cells


@lru_cache(maxsize=4)
def _titles(tags: tuple[str, ...]) -> Mapping[str, str]:
    """Return the titles of columns; within a group they are distinct."""
    groups: dict[str, list[str]] = {}
    for tag in tags:
        group = ATTRIBUTE if tag.startswith(ATTRIBUTE) else "" if group_of(tag) == tag else group_of(tag)
        groups.setdefault(group, []).append(tag)
    titles: dict[str, str] = {}
    for group, keys in groups.items():
        names = tuple(key[len(ATTRIBUTE) :] if group == ATTRIBUTE else tag_title(key) for key in keys)
        titles.update(zip(keys, fit_names(names, MAX_TITLE_WIDTH), strict=True))
    return titles


def _rows(runs: Sequence[RunSnapshot], view: View) -> tuple[Row, ...]:
    names = [visible_name(run.name) for run in runs]
    faded = common_prefix_length(names)
    return tuple(_row(run, name, faded, view) for run, name in zip(runs, names, strict=True))


def _row(run: RunSnapshot, name: str, faded: int, view: View) -> Row:
    ink = view.inks[run.name]
    right = ((BASELINE_SIGN, Ink.ACCENT),) if run.name == view.settings.baseline else ()
    return Row(run.name, ((f"{palette.marker(ink)} ", ink),), name, Ink.DIM if run.vanished else Ink.TEXT, faded, right)


NAMES_FROM_HEIGHT = 16
"""Minimum height of a pane with a line of the full names of run and tag."""


class ComparisonPane(ColumnKeysMixin, Pane):
    """Shows one row per run and one column per scalar tag."""

    BINDING_GROUP_TITLE = "Compare"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "sort", "sort", id="comparison.sort", tooltip="sort by this column"),
        Binding("t", "next_figure", "statistic", id="comparison.figure", tooltip="last, best, min, max"),
        Binding("d", "set_baseline", "baseline", id="comparison.baseline", tooltip="compare with this run"),
        Binding("percent_sign", "switch_deltas", "values", id="comparison.deltas", tooltip="values or differences"),
        Binding("space", "hide_run", "off", id="comparison.hide", tooltip="hide this run"),
        Binding("a", "show_all_runs", "all", show=False, id="comparison.all", tooltip="all runs on"),
        *column_bindings("comparison"),
        Binding("i", "about_run", "about", show=False, id="comparison.about", tooltip="about this run"),
        Binding("w", "write", "write", show=False, id="comparison.write", tooltip="write the table as CSV or JSON"),
        Binding("y,C", "copy_path", "copy", show=False, id="comparison.copy", tooltip="copy the run's path"),
    ]

    DEFAULT_CSS = """
    ComparisonPane { padding-left: 1; }
    """

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self._data = ComparisonCache()
        self._grid = DataGrid(self.worker)
        self._names, self._numbers = Line(), Line()
        self._source: ComparisonSource | None = None
        self._own_payloads = Payloads()
        self._hparams = NO_ATTRIBUTES
        self._requested_hparams: tuple[object, ...] = ()
        self._revealed = ""
        """Tag to move to as soon as its column is shown."""

    def compose(self) -> ComposeResult:
        """Yield the table, and two lines below it."""
        yield self._grid
        yield self._names
        yield self._numbers

    # Status and navigation

    def status(self) -> str:
        source = self._source
        max_width = int(self.app.size.width * STATUS_SHARE) - 1
        return "" if source is None else status(source.view, source.tags, max_width, source.hidden)

    @property
    def lists_runs(self) -> bool:
        return True

    def reveal(self, tag: str) -> None:
        source = self._source
        if source is not None and tag not in source.columns and tag in source.every_tag:
            self._revealed = tag
            self._choose(changes.show_column(tag))
        self._grid.move_to_column(tag)

    # Content of the view

    def prepare(self, view: View) -> Iterator[ComparisonSource]:
        yield ComparisonSource(self._data, view, self._hparams, self._source)

    def present(self, prepared: ComparisonSource) -> None:
        former_status, self._source = self.status(), prepared
        if prepared.columns:
            self._grid.show(prepared)
        else:
            self._grid.show_message(*ALL_FOLDED)
        if self._revealed in prepared.columns:
            self._grid.move_to_column(self._revealed)
            self._revealed = ""
        self._request_detail()
        self._request_hparams(prepared.view)
        if self.status() != former_status:
            self.refresh_bindings()  # updates the status

    def show_message(self, headline: str, hint: str = "") -> None:
        self._grid.show_message(headline, hint)

    def show_error(self, error: Exception) -> None:
        self.show_message(FAILED, f"{type(error).__name__}: {error}")
        self._request_detail()

    def _request_hparams(self, view: View) -> None:
        """Read the hyperparameters of the runs, after the cells: they may be in many files."""
        request = view.snapshot.revision, name_pattern(view.settings)
        if request == self._requested_hparams:
            return
        self._requested_hparams = request

        def read() -> Iterator[RunAttributes | None]:
            yield None  # now the cells go on, which were requested before
            yield read_hparams(self.payloads or self._own_payloads, view.snapshot.runs, view.settings)

        self.worker.ask("hparams", read, partial(self._show_hparams, view), lambda _: None)

    def _show_hparams(self, view: View, hparams: RunAttributes | None) -> None:
        """Show the columns of hyperparameters if they are others than before."""
        if hparams is not None and hparams is not self._hparams:
            self._hparams = hparams
            self.show(self.view or view)

    def _request_detail(self) -> None:
        """Show details of the cell under the cursor below the table."""
        view, run, tag, source = self.view, self._grid.cursor_row, self._grid.cursor_column, self._source
        if view is None or run is None or tag is None or source is None:
            self._names.show(())
            self._numbers.show(())
            return
        if tag.startswith(ATTRIBUTE):
            name = safe(visible_name(tag[len(ATTRIBUTE) :]))
            self._names.show(((visible_name(run), Ink.TEXT), (GAP, Ink.NONE), (name, Ink.DIM)))
            self._numbers.show((("hyperparameter ", Ink.DIM), (source.attribute_text(run, tag), Ink.BOLD)))
            return

        def find_detail() -> Iterator[Detail]:
            yield make_detail(view, run, tag)

        self.worker.ask("detail", find_detail, self._show_detail, self._show_detail_error)

    def _show_detail(self, detail: Detail) -> None:
        runs = () if self._source is None else [run.name for run in self._source.view.runs]
        names, numbers = detail_lines(detail, self.size.width, runs)
        self._names.show(names)
        self._numbers.show(numbers)

    def _show_detail_error(self, error: Exception) -> None:
        self._numbers.show(((f"{type(error).__name__}: {error}", Ink.WARN),))

    # Messages

    def on_data_grid_moved(self, message: DataGrid.Moved) -> None:
        """Show details of another cell."""
        message.stop()
        self._request_detail()

    def on_data_grid_head_chosen(self, message: DataGrid.HeadChosen) -> None:
        """Sort by the column whose title was clicked."""
        message.stop()
        self.action_sort()

    def on_resize(self) -> None:
        """Fit the details to the new width."""
        self._names.display = self.size.height >= NAMES_FROM_HEIGHT
        self._request_detail()

    # Keys

    def check_action(self, action: str, _parameters: tuple[object, ...]) -> bool | None:
        source = self._source
        return action != "switch_deltas" or (source is not None and source.view.settings.baseline is not None)

    def _choose(self, change: Callable[[Settings], Settings]) -> None:
        self.post_message(Choose(change))

    def column_under_cursor(self) -> str | None:
        return self._grid.cursor_column

    def columns_shown(self) -> Sequence[str]:
        return () if self._source is None else self._source.columns

    def columns_aside(self) -> Sequence[str]:
        return () if self._source is None else self._source.aside

    def change_columns(self, change: Callable[[ColumnChoice], ColumnChoice]) -> None:
        self._choose(changes.change_columns(change))

    def action_sort(self) -> None:
        """Sort by the column under the cursor, then in reverse, then in tree order."""
        if (tag := self._grid.cursor_column) is not None:
            self._choose(changes.sort_by(tag))

    def action_next_figure(self) -> None:
        """Show the last, best, least or greatest values."""
        self._choose(STATISTIC.next)

    def action_set_baseline(self) -> None:
        """Compare with the run under the cursor; the second time, with none."""
        if (run := self._grid.cursor_row) is not None:
            self._choose(changes.set_baseline(run))

    def action_switch_deltas(self) -> None:
        """Show differences, or values in spite of a baseline."""
        self._choose(DELTAS.next)

    def action_hide_run(self) -> None:
        """Hide the run under the cursor."""
        if self.view is not None and (run := self._grid.cursor_row) is not None:
            self._choose(changes.hide_run(run, self.view))

    def action_show_all_runs(self) -> None:
        """Show all runs that pass the filter."""
        if self.view is not None:
            self._choose(changes.show_all_runs(self.view))

    def action_about_run(self) -> None:
        """Show the page of the run under the cursor."""
        if (run := self._grid.cursor_row) is not None:
            self.post_message(AboutRunRequested(run))

    def action_write(self) -> None:
        """Open the form that writes the table as shown to a file."""
        from tbtui.plugins.comparison.pane.writer import open_writer

        if (source := self._source) is not None:
            open_writer(self, source.view, source.table)

    def action_copy_path(self) -> None:
        """Copy the path of the run under the cursor."""
        if (run := self._grid.cursor_row) is not None:
            self.post_message(CopyRequested(run))
