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


def _print_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.hparams.print_blocks import build_hparam_blocks

    return build_hparam_blocks(view, options)


def _has_data(view: View) -> bool:
    is_logged = any(PLUGIN.has_data(view.summaries[run.name].tags) for run in view.runs)
    return is_logged or _has_files(view.snapshot, view.settings)


def _has_files(snapshot: StoreSnapshot, settings: Settings) -> bool:
    from tbtui.plugins.hparams.sources import has_settings_file

    return RUN_NAMES.value(settings) is not None or any(map(has_settings_file, snapshot.runs.values()))


def _export_rows(request: ExportRequest) -> Rows:
    from tbtui.export.request import RUN_KEY, Rows
    from tbtui.plugins.hparams.export import HPARAM_COLUMNS, build_hparam_tables, build_table, read_name_pattern

    return Rows(
        HPARAM_COLUMNS,
        build_hparam_tables(build_table(request.runs, read_name_pattern(request)), request.skipped),
        RUN_KEY,
    )


def _export_sessions(request: ExportRequest) -> Rows:
    from tbtui.export.request import Rows
    from tbtui.plugins.hparams.export import SESSION_COLUMNS, build_session_table, build_table, read_name_pattern

    table = build_table(request.runs, read_name_pattern(request))
    if not len(table):
        return Rows(SESSION_COLUMNS, (), ())
    columns, rows = build_session_table(table, request.tag_matches)
    return Rows(columns, (rows,), ())


def _export_importances(request: ExportRequest) -> Rows:
    from tbtui.export.request import Rows
    from tbtui.plugins.hparams.export import (
        IMPORTANCE_COLUMNS,
        build_importance_table,
        build_table,
        find_importances,
        read_name_pattern,
    )

    table = build_table(request.runs, read_name_pattern(request))
    rows = build_importance_table(find_importances(table, request.tag_matches, request.skipped))
    return Rows(IMPORTANCE_COLUMNS, filter(len, [rows]), ())


def _run_details(run: RunSnapshot, payloads: Payloads) -> Iterator[tuple[str, Sequence[str]]]:
    from tbtui.plugins.hparams.sessions import read_run_hparams
    from tbtui.plugins.hparams.table import format_hparam_lines

    yield "Hyperparameters", format_hparam_lines(read_run_hparams(run, payloads))


def _find_value_problems(snapshot: StoreSnapshot, settings: Settings, payloads: Payloads) -> Iterator[ValueProblem]:
    from tbtui.plugins.hparams.session_checks import find_session_problems

    return find_session_problems(snapshot, settings, payloads)


def _create_attribute_reader(payloads: Payloads) -> ReadAttributes:
    from tbtui.plugins.hparams.attributes import AttributeReader

    return AttributeReader(payloads)


def _get_fold_finder() -> FindFolds:
    from tbtui.plugins.hparams.folded_runs import FoldFinder

    return FoldFinder()


PLUGIN = Plugin(
    "hparams",
    "HParams",
    "hyperparameters",
    frozenset({"hparams"}),
    _load_pane,
    text=PrintedText(_print_blocks, filters_tags=False, run_noun="session", takes_figure=True, has_data=_has_data),
    exports=(
        TableExport(
            "hparams",
            "hyperparameters",
            _export_rows,
            source="runs",
            rows_help="one row per value of a run: run, name, value, number, source, session and group",
            wide="sessions",
        ),
        TableExport(
            "sessions",
            "sessions",
            _export_sessions,
            source="runs",
            rows_help="one row per session with all hyperparameters and the last values of metrics",
            repeats=True,
            is_secondary=True,
        ),
        TableExport(
            "importance",
            "shares of hyperparameters",
            _export_importances,
            source="runs",
            rows_help="one row per hyperparameter: its share of the main metric, p, q, range, the best tenth and what "
            "to try (--tags: of others)",
            is_secondary=True,
        ),
    ),
    accessors={"hparams": Accessor("hparams")},
    run_details=_run_details,
    value_problems=_find_value_problems,
    attributes=_create_attribute_reader,
    folds=_get_fold_finder,
    has_files=_has_files,
    reads_tags={"text": frozenset(CONFIG_TAGS)},
    lists=frozenset({"scalars"}),
    settings=SETTINGS,
)
