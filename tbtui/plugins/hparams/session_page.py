"""Draw one opened session or group as cells: facts, differing hyperparameters, and curves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.annotations import Band
from tbtui.charts.axis import Axis
from tbtui.charts.card import draw_card, fitting_note
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.line_chart import BEST_SIGN, LineChart, Trace, draw_line_chart
from tbtui.charts.styled_text import cut_pieces, pieces_width
from tbtui.charts.text import cell_width, safe, shorten, visible_name, write
from tbtui.maths.domain import extent, limits
from tbtui.plugins.hparams import labels
from tbtui.plugins.hparams.rows import METRIC
from tbtui.plugins.hparams.session_table import SOURCES
from tbtui.plugins.scalars.averages import average, shared_x

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.hparams.metric import Metric
    from tbtui.plugins.hparams.session_cache import PreparedSessions
    from tbtui.settings.settings import Spread
    from tbtui.store.snapshot import ScalarSeries

CHART_HEIGHT, MIN_CHART_WIDTH = 9, 30
"""Minimum rows and columns of the card of a curve."""

MAX_CHART_HEIGHT = 18
"""Maximum rows of the card, if the page has enough rows."""

MAX_NAME, MAX_VALUE, GAP = 24, 24, 2
"""Maximum columns of a name and of a value, and blanks before each."""

MIN_COLUMNS = 2
"""Columns of the table that stay in any terminal: name and value."""

MAX_CHARTS = 6


def session_lines(prepared: PreparedSessions, name: str, width: int) -> list[list[Piece]]:
    """Return the lines about a session or group, without its curves."""
    shown = prepared.rows
    row = shown.row_of.get(name)
    if row is None:
        return [[("this session is not among those that are shown", Ink.DIM)]]
    lines = [_headline(prepared, row), *_facts(prepared, row, width), []]
    lines += _table_lines(_metric_rows(prepared, row), _hparam_rows(prepared, row), width)
    constant = [hparam for name, hparam in prepared.table.hparams.items() if name not in shown.ordered_hparams]
    if constant:
        texts = (f"{safe(each.title)}={labels.value_text(each.column.value(0))}" for each in constant)
        lines.append([(f"  {len(constant)} the same in all: ", Ink.DIM), (", ".join(texts), Ink.DIM)])
    for session in (prepared.table.sessions[index] for index in shown.members[row]):
        lines += [[(f"  {session.name}: {reason}", Ink.WARN)] for reason in session.problems]
    return lines


def _headline(prepared: PreparedSessions, row: int) -> list[Piece]:
    shown = prepared.rows
    name = shown.names[row]
    pieces: list[Piece] = [("‹ ", Ink.ACCENT), (visible_name(name), Ink.BOLD)]
    if shown.ranks[row] == 1:
        pieces.append((f" {BEST_SIGN}", Ink.GOOD))
    members = shown.members[row]
    if len(members) > 1:
        names = " ".join(prepared.table.sessions[index].name for index in members)
        pieces.append((f"  {len(members)} sessions: {names}", Ink.DIM))
    return pieces


def _facts(prepared: PreparedSessions, row: int, width: int) -> Iterator[list[Piece]]:
    """Yield rank, state and source of a session, in as many lines as they need."""
    shown = prepared.rows
    session = prepared.table.sessions[shown.members[row][0]]
    facts: list[Piece] = []
    if shown.ranks[row]:
        noun = "groups" if shown.is_grouped else "sessions"
        facts.append((f"rank {shown.ranks[row]} of {len(shown.members)} {noun}", Ink.TEXT))
    facts.append((labels.ended_text(session, str(prepared.table.statuses.value(shown.members[row][0]))), Ink.DIM))
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


_TableRow: TypeAlias = "tuple[Piece, ...]"
"""The cells of a row: its name, and texts aligned at their right ends; the last one at its left."""


def _metric_rows(prepared: PreparedSessions, row: int) -> Iterator[_TableRow]:
    shown = prepared.rows
    main = shown.main_column.key if shown.main_column is not None else ""
    keys = [key for key in shown.keys if key.startswith(METRIC)]
    if keys:
        yield ("metric", Ink.DIM), (shown.figure_label, Ink.DIM)
    for key in sorted(keys, key=lambda key: key != main):
        column = shown.column(key)
        value = column.values.value(row)
        text = numbers.short(value) if isinstance(value, float) else labels.MISSING_SIGN
        spread = math.nan if column.spread is None else float(column.spread[row])
        between = "" if math.isnan(spread) else f"±{labels.brief_number(spread)}"
        yield (column.title, Ink.TEXT), (text, Ink.BOLD if key == main else Ink.TEXT), (between, Ink.DIM)


def _hparam_rows(prepared: PreparedSessions, row: int) -> Iterator[_TableRow]:
    """Yield the heading and one row per hyperparameter."""
    shown, table = prepared.rows, prepared.table
    members, base = shown.members[row], shown.baseline_row
    shares = {entry.name: entry for entry in prepared.importance.hparams} if prepared.importance is not None else {}
    titles = ("hparam", "value", "median", *(("baseline",) if base is not None else ()), "share", "source")
    yield tuple((title, Ink.DIM) for title in titles)
    for name in shown.ordered_hparams:
        hparam = table.hparams[name]
        values = list(dict.fromkeys(map(labels.value_text, hparam.column.values(members))))
        finite = hparam.column.numbers[hparam.column.is_number & np.isfinite(hparam.column.numbers)]
        median = labels.value_text(float(np.median(finite))) if hparam.column.is_numeric and len(finite) else ""
        entry = shares.get(name)
        share = (
            labels.share_text(entry) if entry is not None and entry.q < 0.3 and entry.share > 0 else labels.MISSING_SIGN
        )
        is_other = (
            base is not None
            and hparam.column.level_codes[members[0]] != hparam.column.level_codes[shown.members[base][0]]
        )
        source = SOURCES[int(hparam.sources[members[0]])] if hparam.column.present[members[0]] else "not logged"
        yield (
            (hparam.title, Ink.TEXT),
            (", ".join(values), Ink.BOLD if is_other else Ink.TEXT),
            (median, Ink.DIM),
            *([(labels.value_text(hparam.column.value(shown.members[base][0])), Ink.DIM)] if base is not None else []),
            (share, Ink.DIM),
            ("differs in the group" if len(values) > 1 else source, Ink.DIM),
        )


def _table_lines(metrics: Iterable[_TableRow], hparams: Iterable[_TableRow], width: int) -> Iterator[list[Piece]]:
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
    lines = session_lines(prepared, name, width)
    text = Cells.blank(len(lines), width)
    for y, pieces in enumerate(lines):
        x = 0
        for part, ink in cut_pieces(pieces, width):
            x = write(text, y, x, part, ink)
    charts = _draw_curves(prepared, name, width, height - text.height)
    page = Cells.blank(max(text.height + charts.height, height + scroll), width)
    page.put(0, 0, text)
    page.put(text.height, 0, charts)
    return page.part(slice(scroll, scroll + height), slice(width)).copy()


def page_height(prepared: PreparedSessions, name: str, width: int) -> int:
    """Return the number of lines of the complete page."""
    return len(session_lines(prepared, name, width)) + _draw_curves(prepared, name, width, 0).height


def _draw_curves(prepared: PreparedSessions, name: str, width: int, height: int) -> Cells:
    """Draw the curves of the metrics in up to three columns of cards; those of a group as mean and band.

    Args:
        prepared: The sessions.
        name: The session, or the first one of a group.
        width: Columns.
        height: Rows that are free; cards take more if they must.
    """
    shown = prepared.rows
    row = shown.row_of.get(name)
    if row is None:
        return Cells.blank(0, width)
    keys = [key for key in shown.keys if key.startswith(METRIC)]
    metrics = [metric for key in keys if (metric := prepared.table.metric(key[len(METRIC) :])) is not None]
    charts: list[tuple[Metric, list[ScalarSeries]]] = []
    for metric in metrics[:MAX_CHARTS]:
        curves = [metric.curves[index] for index in shown.members[row]]
        long = [curve for curve in curves if curve is not None and len(curve) > 1]
        if long:
            charts.append((metric, long))
    columns = max(min(width // MIN_CHART_WIDTH, 3, len(charts)), 1)
    lines = -(-len(charts) // columns)
    card_height = max(min(height // max(lines, 1), MAX_CHART_HEIGHT), CHART_HEIGHT)
    cells = Cells.blank(lines * card_height, width)
    for index, (metric, long) in enumerate(charts):
        ink = prepared.view.inks.get(long[0].run, 0)
        card = _draw_curve_card(metric, long, ink, prepared.view.settings.spread, width // columns, card_height)
        cells.put(index // columns * card_height, index % columns * (width // columns), card)
    return cells


def _draw_curve_card(
    metric: Metric, curves: Sequence[ScalarSeries], ink: int, spread: Spread, width: int, height: int
) -> Cells:
    lines = [(curve.current.steps.astype(np.float64), curve.current.values) for curve in curves]
    x, y = lines[0]
    bands: tuple[Band, ...] = ()
    prefixes: tuple[str, ...] = ()
    if len(lines) > 1:
        x = shared_x([steps for steps, _ in lines])
        mean = average(lines, x, spread)
        y, bands = mean.mean, (Band(x, mean.low, mean.high, ink),)
        mean_of = f"mean of {len(lines)} "
        prefixes = f"{mean_of}{'±std' if spread == 'std' else 'min–max'} ", mean_of
    low, high = float(x.min()), float(x.max())
    x_axis = Axis(low, high if high > low else low + 1, kind="step")
    y_axis = Axis(*limits(extent([y, *(end for band in bands for end in (band.low, band.high))])))
    chart = LineChart((Trace(x, y, ink),), x_axis, y_axis, bands=bands)
    body = draw_line_chart(chart, max(width - 2, 1), height - 2)
    last = numbers.brief(float(y[-1]))
    notes = [*(f"{word}{last}" for word in prefixes or ("last ",)), last]
    return draw_card(metric.title, body, width, height, note=fitting_note(notes, metric.title, width))
