"""Print the importance for a metric, and the table of sessions."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.line_chart import BEST_SIGN
from tbtui.charts.numbers import format_count, format_number
from tbtui.charts.text import safe, shorten
from tbtui.plugins.hparams import labels
from tbtui.plugins.hparams.importance import measure_importance
from tbtui.plugins.hparams.metric import choose_main_metric
from tbtui.plugins.hparams.rows import HPARAM, METRIC, choose_rows, compute_metric_values, find_key, sorts_descending
from tbtui.plugins.hparams.settings import SESSIONS, name_pattern
from tbtui.plugins.hparams.table import are_alike, format_hparams, format_sessions
from tbtui.plugins.hparams.table_builder import SessionTables
from tbtui.report.blocks import MISSING, Column, Heading, InkText, Notes, Table, number_pieces
from tbtui.report.options import MAX_ROWS, note_left_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from tbtui.plugins.hparams.importance import Importance
    from tbtui.plugins.hparams.rows import SessionRows
    from tbtui.plugins.hparams.session_table import SessionTable
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.view.view import View

TITLE_WIDTH = 32
VALUE_WIDTH = 24
"""Maximum width of a column title, and of a text value."""

BAR_WIDTH = 12


def are_sessions_visible(view: View, table: SessionTable) -> npt.NDArray[np.bool_]:
    """Return True for the sessions with a visible run, bool[n]."""
    visible_runs = {run.name for run in view.runs}
    return np.array([not visible_runs.isdisjoint(session.members) for session in table.sessions], np.bool_)


def build_hparam_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield the importance, and one table of all sessions."""
    table = options.cache.reader(SessionTables).build(view.snapshot.runs, name_pattern(view.settings))
    selected = are_sessions_visible(view, table)
    problems = tuple(
        f"{safe(session.name)}: {safe(reason)}"
        for session, is_selected in zip(table.sessions, selected.tolist(), strict=True)
        if is_selected
        for reason in session.problems
    )
    if not selected.any():
        yield Heading("hparams", "no session is among the runs that match")
        if problems:
            yield Notes(problems, Ink.WARN)
        return
    shown = _PrintedTable(view, options, table, selected)
    if shown.importance is not None and shown.importance.hparams:
        yield from build_importance_blocks(shown.importance)
    yield from shown.blocks()
    if problems:
        yield Notes(problems, Ink.WARN)


def build_importance_blocks(importance: Importance) -> Iterator[Block]:
    """Yield the shares of hyperparameters, and notes about them."""
    diverged = f", {importance.diverged} diverged" if importance.diverged else ""
    yield Heading(
        f"what matters for {importance.metric}",
        f"{labels.format_evidence(importance)}{diverged}, {labels.BEST_LABELS[importance.best]}",
    )
    if importance.marked:
        columns = (
            Column("hparam", "left"),
            Column("share"),
            Column("", "left", priority=2),
            Column("over its values", "left", priority=1),
            Column("the best tenth", "left"),
            Column("try", "left"),
        )
        rows = []
        for entry in importance.marked:
            filled = max(round(entry.share * BAR_WIDTH), 1)
            low, high = labels.format_profile_ends(entry.profile)
            profile = (
                f"{low} {labels.format_profile_glyphs(entry.profile)} {high}"
                if labels.is_ordered(entry.profile)
                else labels.format_word_profile(entry.profile)
            )
            texts = (
                entry.name,
                labels.share_text(entry),
                "█" * filled,
                profile,
                labels.format_best(entry.best),
                labels.format_hint(entry),
            )
            rows.append(tuple(InkText(text, Ink.DIM if entry.is_doubtful else Ink.TEXT) for text in texts))
        yield Table(columns, tuple(rows))
    notes = [labels.format_no_difference(importance)]
    notes += [labels.format_together(entry) for entry in importance.hparams]
    if importance.pairs:
        notes.append(f"together: {', '.join(map(labels.pair_text, importance.pairs[:3]))}")
    if importance.regions:
        notes.append(f"diverged: {', '.join(map(labels.format_region, importance.regions[:3]))}")
    notes.append(labels.format_noise(importance))
    yield Notes(tuple(filter(None, notes)))


class _PrintedTable:
    """The table of one print."""

    def __init__(self, view: View, options: PrintOptions, table: SessionTable, selected: npt.NDArray[np.bool_]) -> None:
        self._view, self._options, self._table, self._selected = view, options, table, selected
        self._metrics = [metric.title for metric in table.shown_metrics if view.tag_matches(metric.tag)]
        if not self._metrics and view.settings.tag_filter:
            self._metrics = [metric.title for metric in table.metrics if view.tag_matches(metric.tag)]

    @cached_property
    def importance(self) -> Importance | None:
        """Importance for the main metric; None without any metric."""
        settings = self._view.settings
        metric = choose_main_metric(
            [metric for metric in self._table.metrics if metric.title in self._metrics], SESSIONS.value(settings).metric
        )
        if metric is None:
            return None
        values = compute_metric_values(self._table, settings)[metric.title].values
        best = metric.direction(settings) or "min"
        chosen = SESSIONS.value(settings)
        seeds = self._table.seeds if chosen.seeds is None else chosen.seeds
        return measure_importance(self._table, metric.title, values, best, self._selected, seeds)

    @cached_property
    def rows(self) -> SessionRows:
        """Rows in their order."""
        by_share = [entry.name for entry in self.importance.hparams] if self.importance is not None else []
        settings, chosen = self._view.settings, SESSIONS.value(self._view.settings)
        if (key := find_key(self._table, chosen.sort)) is not None:
            descending = sorts_descending(self._table, key, settings) != chosen.descending
            settings = SESSIONS.with_value(settings, replace(chosen, sort=key, descending=descending))
        return choose_rows(self._table, settings, self._selected, by_share, self._metrics)

    def blocks(self) -> Iterator[Block]:
        """Yield heading, table and notes."""
        rows, options = self.rows, self._options
        names = rows.shown_names
        max_rows = options.runs(len(names), MAX_ROWS)
        order = rows.order[:max_rows].tolist()
        metrics = [key for key in rows.keys if key.startswith(METRIC) and key[len(METRIC) :] in self._metrics]
        max_metrics = options.tags(len(metrics), MAX_ROWS)
        columns: list[tuple[Column, Sequence[InkText]]] = [(Column("run", "left"), self._name_cells(order))]
        columns += [self._build_metric_column(key, order) for key in metrics[:max_metrics]]
        shared: list[str] = []
        for key in rows.keys:
            if key.startswith(HPARAM):
                self._add_hparam(key, order, columns, shared)
        for name, hparam in self._table.hparams.items():
            if HPARAM + name not in rows.keys and hparam.column.is_constant:
                shared.append(f"{safe(name)}={shorten(format_hparams([hparam.column.value(0)])[0], VALUE_WIDTH)}")
        count = format_count(int(self._selected.sum()), "session")
        grouped = f" in {format_count(len(names), 'group')}" if rows.is_grouped else ""
        yield Heading("hparams", f"{count}{grouped}, {rows.figure_label} values of metrics")
        yield Table(
            tuple(column for column, _ in columns),
            tuple(zip(*(cells for _, cells in columns), strict=True)),
            continues_below=True,
        )
        yield Notes(tuple(filter(None, self._format_notes(metrics, max_metrics, max_rows, shared))))

    def _name_cells(self, order: Sequence[int]) -> list[InkText]:
        rows = self.rows
        return [
            InkText(
                rows.names[row] + (f" +{len(rows.members[row]) - 1}" if len(rows.members[row]) > 1 else ""),
                self._view.inks.get(rows.names[row], Ink.TEXT),
            )
            for row in order
        ]

    def _build_metric_column(self, key: str, order: Sequence[int]) -> tuple[Column, list[InkText]]:
        column = self.rows.column(key)
        numbers, present = column.values.numbers.tolist(), column.values.present.tolist()
        pieces = number_pieces([numbers[row] if present[row] else None for row in order])
        if column.spread is not None:
            spreads = [float(column.spread[row]) for row in order]
            pieces = [
                piece if np.isnan(spread) else InkText(f"{piece.text} ±{format_number(spread, digits=2)}", piece.ink)
                for piece, spread in zip(pieces, spreads, strict=True)
            ]
        is_main = column is self.rows.main_column
        title = shorten(column.title, TITLE_WIDTH)
        return Column(f"{title} {BEST_SIGN}" if is_main and len(order) > 1 else title), pieces

    def _add_hparam(
        self, key: str, order: Sequence[int], columns: list[tuple[Column, Sequence[InkText]]], shared: list[str]
    ) -> None:
        """Add the column of a hyperparameter, or its value to `shared` if all rows have the same."""
        column = self.rows.column(key)
        values = column.values.values(order)
        texts = format_hparams(values)
        if (
            len(order) > 1  # a single session shares nothing
            and column.distinct is None
            and are_alike(column.values.values())
        ):
            shared.append(f"{safe(column.title)}={shorten(texts[0], VALUE_WIDTH)}")
            return
        distinct = [1] * len(order) if column.distinct is None else [int(column.distinct[row]) for row in order]
        cells = [
            InkText(f"{count} values", Ink.DIM)
            if count > 1
            else MISSING
            if value is None
            else InkText(shorten(text, VALUE_WIDTH))
            for value, text, count in zip(values, texts, distinct, strict=True)
        ]
        is_number = any(isinstance(value, float) for value in values)
        columns.append((Column(shorten(column.title, TITLE_WIDTH), "number" if is_number else "left"), cells))

    def _format_notes(
        self, metrics: Sequence[str], max_metrics: int, max_rows: int, shared: Sequence[str]
    ) -> Iterator[str]:
        width, names = self._options.target.width, self.rows.shown_names
        if shared:
            yield f"the same in all: {', '.join(shared)}"
        sort = SESSIONS.value(self._view.settings).sort
        if sort and find_key(self._table, sort) is None:
            yield f"not sorted: no metric and no hyperparameter is named {safe(sort)}"
        if not metrics:
            yield "no metric matches --tags" if self._view.settings.tag_filter else "no metrics"
        elif self.importance is not None and self.importance.reason and len(names) > 1:
            yield f"what matters is not shown: {safe(self.importance.reason)}"
        for name in names[:max_rows]:
            session = self._table.sessions[self._table.row_of[name]]
            if session.sessions > 1:
                yield f"{safe(name)}: {format_sessions(session.sessions, session.changed)}"
        if self._table.missing_metrics:
            yield f"declared and never written: {', '.join(map(safe, self._table.missing_metrics))}"
        yield note_left_out(names, max_rows, "run", width)
        yield note_left_out([key[len(METRIC) :] for key in metrics], max_metrics, "tag", width)
