"""Draw one opened session or group as cells: facts, differing hyperparameters, and curves."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.annotations import Band
from tbtui.charts.axis import Axis
from tbtui.charts.card import choose_note, draw_card
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.line_chart import BEST_SIGN, LineChart, Trace, draw_line_chart
from tbtui.charts.numbers import format_count
from tbtui.charts.styled_text import cut_pieces, pieces_width
from tbtui.charts.text import cell_width, format_run_name, safe, shorten, write
from tbtui.maths.domain import compute_extent, compute_limits
from tbtui.plugins.hparams import labels
from tbtui.plugins.hparams.rows import METRIC
from tbtui.plugins.hparams.session_table import SOURCES
from tbtui.plugins.hparams.table import format_sessions
from tbtui.plugins.scalars.averages import average, join_x

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.hparams.importance import HParamImportance
    from tbtui.plugins.hparams.metric import Metric
    from tbtui.plugins.hparams.session_cache import PreparedSessions
    from tbtui.plugins.hparams.session_table import HParam
    from tbtui.settings.settings import Spread
    from tbtui.store.snapshot import ScalarSeries
    from tbtui.view.attributes import AttributeColumn

CHART_HEIGHT, MIN_CHART_WIDTH = 9, 30
"""Minimum rows and columns of the card of a curve."""

MAX_CHART_HEIGHT = 18
"""Maximum rows of the card, if the page has enough rows."""

MAX_NAME, MAX_VALUE, GAP = 24, 24, 2
"""Maximum columns of a name and of a value, and blanks before each."""

MIN_COLUMNS = 2
"""Columns of the table that stay in any terminal: name and value."""

MAX_CHARTS, MAX_CHART_COLUMNS = 6, 3


def build_session_lines(prepared: PreparedSessions, name: str, width: int) -> list[list[Piece]]:
    """Return the lines about a session or group, without its curves."""
    row = prepared.rows.row_of.get(name)
    if row is None:
        return [[("this session is not among those that are shown", Ink.DIM)]]
    return _RowLines(prepared, row).all(width)


_TableRow: TypeAlias = "tuple[Piece, ...]"
"""The cells of a row: its name, and texts aligned at their right ends; the last one at its left."""


class _RowLines:
    """Lines about one row of the table of sessions: a session, or a group of sessions with equal hyperparameters.

    Args:
        prepared: All sessions.
        row: Index of the row.
    """

    def __init__(self, prepared: PreparedSessions, row: int) -> None:
        self._prepared = prepared
        self._rows = prepared.rows
        self._row = row
        self._members = prepared.rows.members[row]
        """Indices of the sessions of the row."""

        self._sessions = [prepared.table.sessions[index] for index in self._members]

    def all(self, width: int) -> list[list[Piece]]:
        """Return headline, facts, metrics, hyperparameters and problems."""
        lines = [self._build_headline(), *self._build_fact_lines(width), []]
        lines += _build_table_lines(self._build_metric_rows(), self._build_hparam_rows(), width)
        hparams = self._prepared.table.hparams
        equal = [hparam for name, hparam in hparams.items() if name not in self._rows.ordered_hparams]
        if equal:
            texts = (f"{safe(each.title)}={labels.format_value(each.column.value(0))}" for each in equal)
            lines.append([(f"  {len(equal)} the same in all: ", Ink.DIM), (", ".join(texts), Ink.DIM)])
        for session in self._sessions:
            if session.sessions > 1:
                text = f"{safe(session.name)}: {format_sessions(session.sessions, session.changed)}"
                lines += [[(f"  {line}", Ink.DIM)] for line in textwrap.wrap(text, max(width - 2, 1))]
            lines += [[(f"  {session.name}: {problem}", Ink.WARN)] for problem in session.problems]
        return lines

    def _build_headline(self) -> list[Piece]:
        pieces: list[Piece] = [("‹ ", Ink.ACCENT), (format_run_name(self._rows.names[self._row]), Ink.BOLD)]
        if self._rows.ranks[self._row] == 1:
            pieces.append((f" {BEST_SIGN}", Ink.GOOD))
        if len(self._sessions) > 1:
            names = " ".join(session.name for session in self._sessions)
            pieces.append((f"  {len(self._sessions)} sessions: {names}", Ink.DIM))
        return pieces

    def _build_fact_lines(self, width: int) -> Iterator[list[Piece]]:
        """Yield rank, state and source of the first session, in as many lines as they need."""
        rank, session = self._rows.ranks[self._row], self._sessions[0]
        facts: list[Piece] = []
        if rank:
            count = format_count(len(self._rows.members), "group" if self._rows.is_grouped else "session")
            facts.append((f"rank {rank} of {count}", Ink.TEXT))
        status = str(self._prepared.table.statuses.value(self._members[0]))
        facts.append((labels.end_text(session, status), Ink.DIM))
        if session.last_step is not None:
            facts.append((f"step {session.last_step}", Ink.DIM))
        facts.append((f"from {', '.join(session.origins or session.hparams_runs)}", Ink.DIM))
        line: list[Piece] = []
        for text, ink in facts:
            if line and pieces_width(line) + 2 + cell_width(safe(text)) > width:
                yield line
                line = []
            line.append((f"  {text}", ink))
        yield line

    def _build_metric_rows(self) -> Iterator[_TableRow]:
        """Yield the heading and one row per metric, the main one first."""
        rows = self._rows
        main_key = rows.main_column.key if rows.main_column is not None else ""
        keys = [key for key in rows.keys if key.startswith(METRIC)]
        if keys:
            yield ("metric", Ink.DIM), (rows.figure_label, Ink.DIM)
        for key in sorted(keys, key=lambda key: key != main_key):
            column = rows.column(key)
            value = column.values.value(self._row)
            text = numbers.format_number(value) if isinstance(value, float) else labels.MISSING_SIGN
            spread = math.nan if column.spread is None else float(column.spread[self._row])
            spread_text = "" if math.isnan(spread) else f"±{labels.format_brief_number(spread)}"
            ink = Ink.BOLD if key == main_key else Ink.TEXT
            yield (column.title, Ink.TEXT), (text, ink), (spread_text, Ink.DIM)

    def _build_hparam_rows(self) -> Iterator[_TableRow]:
        """Yield the heading and one row per hyperparameter."""
        has_baseline, importance = self._rows.baseline_row is not None, self._prepared.current_importance
        titles = ("hparam", "value", "median", *(("baseline",) if has_baseline else ()), "share", "source")
        yield tuple((title, Ink.DIM) for title in titles)
        entries = {} if importance is None else {entry.name: entry for entry in importance.hparams}
        for name in self._rows.ordered_hparams:
            yield self._build_hparam_row(self._prepared.table.hparams[name], entries.get(name))

    def _build_hparam_row(self, hparam: HParam, importance: HParamImportance | None) -> _TableRow:
        column, first = hparam.column, self._members[0]
        values = list(dict.fromkeys(map(labels.format_value, column.values(self._members))))
        value_ink, baseline_cells = Ink.TEXT, []
        if self._rows.baseline_row is not None:
            baseline = self._rows.members[self._rows.baseline_row][0]
            value_ink = Ink.BOLD if column.level_codes[first] != column.level_codes[baseline] else Ink.TEXT
            baseline_cells = [(labels.format_value(column.value(baseline)), Ink.DIM)]
        share = labels.MISSING_SIGN
        if importance is not None and importance.has_effect:
            share = labels.share_text(importance)
        source = SOURCES[int(hparam.sources[first])] if column.present[first] else "not logged"
        return (
            (hparam.title, Ink.TEXT),
            (", ".join(values), value_ink),
            (_format_median(column), Ink.DIM),
            *baseline_cells,
            (share, Ink.DIM),
            ("differs in the group" if len(values) > 1 else source, Ink.DIM),
        )


def _format_median(column: AttributeColumn) -> str:
    """Return the median of all sessions; empty if the values are not numbers."""
    finite = column.numbers[column.is_number & np.isfinite(column.numbers)]
    return labels.format_value(float(np.median(finite))) if column.is_numeric and len(finite) else ""


def _build_table_lines(metrics: Iterable[_TableRow], hparams: Iterable[_TableRow], width: int) -> Iterator[list[Piece]]:
    """Yield metrics and hyperparameters with aligned values; last columns are left out if they do not fit."""
    above, below = list(metrics), list(hparams)
    rows = [*above, *below]
    count = max(map(len, rows))
    limits = [MAX_NAME, MAX_VALUE, *[MAX_VALUE] * count][:count]
    widths = [
        min(max((cell_width(safe(row[index][0])) for row in rows if index < len(row)), default=0), limits[index])
        for index in range(count)
    ]
    while len(widths) > MIN_COLUMNS and sum(widths) + GAP * len(widths) > width:
        widths.pop()
    for row in (*above, (), *below) if above else below:
        line: list[Piece] = []
        for index, ((text, ink), column_width) in enumerate(zip(row, widths, strict=False)):
            shown = shorten(text, column_width)
            blanks = " " * (column_width - cell_width(shown))
            is_left = index == 0 or index == count - 1
            line.append((f"{' ' * GAP}{shown}{blanks}" if is_left else f"{' ' * GAP}{blanks}{shown}", ink))
        yield line


def draw_session(prepared: PreparedSessions, name: str, width: int, height: int, scroll: int = 0) -> Cells:
    """Draw a session in `width` x `height` cells: facts, then curves, from line `scroll` on."""
    lines = build_session_lines(prepared, name, width)
    text = Cells.blank(len(lines), width)
    for y, pieces in enumerate(lines):
        x = 0
        for text_piece, ink in cut_pieces(pieces, width):
            x = write(text, y, x, text_piece, ink)
    charts = _draw_curves(prepared, name, width, height - text.height)
    page = Cells.blank(max(text.height + charts.height, height + scroll), width)
    page.put(0, 0, text)
    page.put(text.height, 0, charts)
    return page.crop(slice(scroll, scroll + height), slice(width)).copy()


def measure_page(prepared: PreparedSessions, name: str, width: int) -> int:
    """Return the number of lines of the complete page."""
    return len(build_session_lines(prepared, name, width)) + _draw_curves(prepared, name, width, 0).height


def _draw_curves(prepared: PreparedSessions, name: str, width: int, height: int) -> Cells:
    """Draw the curves of the metrics in up to three columns of cards; those of a group as mean and band.

    Args:
        prepared: The sessions.
        name: The session, or the first one of a group.
        width: Columns.
        height: Rows that are free; cards take more if they must.
    """
    row = prepared.rows.row_of.get(name)
    if row is None:
        return Cells.blank(0, width)
    curves_by_metric = list(_find_curves(prepared, row))
    columns = max(min(width // MIN_CHART_WIDTH, MAX_CHART_COLUMNS, len(curves_by_metric)), 1)
    card_rows = -(-len(curves_by_metric) // columns)
    card_height = max(min(height // max(card_rows, 1), MAX_CHART_HEIGHT), CHART_HEIGHT)
    cells = Cells.blank(card_rows * card_height, width)
    for index, (metric, curves) in enumerate(curves_by_metric):
        ink = prepared.view.inks.get(curves[0].run, 0)
        card = _draw_curve_card(metric, curves, ink, prepared.view.settings.spread, width // columns, card_height)
        cells.put(index // columns * card_height, index % columns * (width // columns), card)
    return cells


def _find_curves(prepared: PreparedSessions, row: int) -> Iterator[tuple[Metric, list[ScalarSeries]]]:
    """Yield the first metrics of the table with the curves of the sessions of a row, as far as they have any."""
    keys = [key for key in prepared.rows.keys if key.startswith(METRIC)]
    metrics = [metric for key in keys if (metric := prepared.table.metric(key[len(METRIC) :])) is not None]
    for metric in metrics[:MAX_CHARTS]:
        curves = [metric.curves[index] for index in prepared.rows.members[row]]
        if drawable := [curve for curve in curves if curve is not None and len(curve) > 1]:
            yield metric, drawable


def _draw_curve_card(
    metric: Metric, curves: Sequence[ScalarSeries], ink: int, spread: Spread, width: int, height: int
) -> Cells:
    lines = [(curve.current.steps.astype(np.float64), curve.current.values) for curve in curves]
    x, y = lines[0]
    bands: tuple[Band, ...] = ()
    prefixes: tuple[str, ...] = ()
    if len(lines) > 1:
        x = join_x([steps for steps, _ in lines])
        mean = average(lines, x, spread)
        y, bands = mean.mean, (Band(x, mean.low, mean.high, ink),)
        mean_of = f"mean of {len(lines)} "
        prefixes = f"{mean_of}{'±std' if spread == 'std' else 'min–max'} ", mean_of
    low, high = float(x.min()), float(x.max())
    x_axis = Axis(low, high if high > low else low + 1, kind="step")
    y_axis = Axis(*compute_limits(compute_extent([y, *(end for band in bands for end in (band.low, band.high))])))
    chart = LineChart((Trace(x, y, ink),), x_axis, y_axis, bands=bands)
    body = draw_line_chart(chart, max(width - 2, 1), height - 2)
    last = numbers.format_brief(float(y[-1]))
    notes = [*(f"{prefix}{last}" for prefix in prefixes or ("last ",)), last]
    return draw_card(metric.title, body, width, height, note=choose_note(notes, metric.title, width))
