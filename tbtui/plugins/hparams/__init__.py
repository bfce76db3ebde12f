"""The HParams dashboard: sessions with their hyperparameters and metrics, and what matters for a metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Accessor, Plugin, PrintedText, TableExport
from tbtui.plugins.hparams.settings import CONFIG_TAGS, RUN_NAMES, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.export.request import ExportRequest, Rows
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.base import ReadAttributes, ValueProblem
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.settings.settings import Settings
    from tbtui.store.run_folds import FindFolds
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot
    from tbtui.view.view import View
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.hparams.pane.pane import HParamsPane

    return HParamsPane


def _blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.hparams.print_blocks import hparam_blocks

    return hparam_blocks(view, options)


def _has_data(view: View) -> bool:
    is_logged = any(PLUGIN.has_data(view.summaries[run.name].tags) for run in view.runs)
    return is_logged or _has_files(view.snapshot, view.settings)


def _has_files(snapshot: StoreSnapshot, settings: Settings) -> bool:
    from tbtui.plugins.hparams.sources import has_settings_file

    return RUN_NAMES.value(settings) is not None or any(map(has_settings_file, snapshot.runs.values()))


def _rows(request: ExportRequest) -> Rows:
    from tbtui.export.request import RUN_KEY, Rows
    from tbtui.plugins.hparams.export import HPARAM_COLUMNS, build_table, hparam_tables, read_name_pattern

    return Rows(
        HPARAM_COLUMNS, hparam_tables(build_table(request.runs, read_name_pattern(request)), request.skipped), RUN_KEY
    )


def _session_rows(request: ExportRequest) -> Rows:
    from tbtui.export.request import Rows
    from tbtui.plugins.hparams.export import SESSION_COLUMNS, build_table, read_name_pattern, session_table

    table = build_table(request.runs, read_name_pattern(request))
    if not len(table):
        return Rows(SESSION_COLUMNS, (), ())
    columns, rows = session_table(table, request.tag_matches)
    return Rows(columns, (rows,), ())


def _importance_rows(request: ExportRequest) -> Rows:
    from tbtui.export.request import Rows
    from tbtui.plugins.hparams.export import (
        IMPORTANCE_COLUMNS,
        build_table,
        find_importances,
        importance_table,
        read_name_pattern,
    )

    table = build_table(request.runs, read_name_pattern(request))
    rows = importance_table(find_importances(table, request.tag_matches, request.skipped))
    return Rows(IMPORTANCE_COLUMNS, filter(len, [rows]), ())


def _run_details(run: RunSnapshot, payloads: Payloads) -> Iterator[tuple[str, Sequence[str]]]:
    from tbtui.plugins.hparams.sessions import read_run_hparams
    from tbtui.plugins.hparams.table import hparam_lines

    yield "Hyperparameters", hparam_lines(read_run_hparams(run, payloads))


def _value_problems(snapshot: StoreSnapshot, settings: Settings, payloads: Payloads) -> Iterator[ValueProblem]:
    from tbtui.plugins.hparams.session_checks import session_problems

    return session_problems(snapshot, settings, payloads)


def _attributes(payloads: Payloads) -> ReadAttributes:
    from tbtui.plugins.hparams.attributes import AttributeReader

    return AttributeReader(payloads)


def _folds() -> FindFolds:
    from tbtui.plugins.hparams.folded_runs import FoldFinder

    return FoldFinder()


PLUGIN = Plugin(
    "hparams",
    "HParams",
    "hyperparameters",
    frozenset({"hparams"}),
    _load_pane,
    text=PrintedText(_blocks, filters_tags=False, run_noun="session", takes_figure=True, has_data=_has_data),
    exports=(
        TableExport(
            "hparams",
            "hyperparameters",
            _rows,
            source="runs",
            rows_help="one row per value of a run: run, name, value, number, source, session and group",
            wide="sessions",
        ),
        TableExport(
            "sessions",
            "sessions",
            _session_rows,
            source="runs",
            rows_help="one row per session with all hyperparameters and the last values of metrics",
            repeats=True,
            is_secondary=True,
        ),
        TableExport(
            "importance",
            "shares of hyperparameters",
            _importance_rows,
            source="runs",
            rows_help="one row per hyperparameter: its share of the main metric, p, q, range, the best tenth and what "
            "to try (--tags: of others)",
            is_secondary=True,
        ),
    ),
    accessors={"hparams": Accessor("hparams")},
    run_details=_run_details,
    value_problems=_value_problems,
    attributes=_attributes,
    folds=_folds,
    has_files=_has_files,
    reads_tags={"text": frozenset(CONFIG_TAGS)},
    lists=frozenset({"scalars"}),
    settings=SETTINGS,
)
