"""The Compare dashboard: one row a run, one column a scalar tag."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Plugin, PrintedText, TableExport
from tbtui.plugins.comparison.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.export.request import ExportRequest, Rows
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.view.view import View
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.comparison.pane.pane import ComparisonPane

    return ComparisonPane


def _print_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.comparison.print_blocks import build_comparison_blocks

    return build_comparison_blocks(view, options)


def _export_rows(request: ExportRequest) -> Rows:
    from tbtui.export.request import Rows
    from tbtui.plugins.comparison.export import COMPARISON_COLUMNS, build_comparison_table, compare_request

    table = build_comparison_table(compare_request(request))
    return Rows(COMPARISON_COLUMNS, filter(len, [table]), ())


def _run_rows(request: ExportRequest) -> Rows:
    from tbtui.export.request import Rows
    from tbtui.plugins.comparison.export import compare_request, run_table

    columns, table = run_table(compare_request(request))
    return Rows(columns, filter(len, [table]), ())


PLUGIN = Plugin(
    "comparison",
    "Compare",
    "scalars",
    frozenset({"scalars"}),
    _load_pane,
    text=PrintedText(_print_blocks, takes_figure=True),
    exports=(
        TableExport(
            "comparison",
            "scalars",
            _export_rows,
            source="all runs",
            rows_help="one row per run and tag: the value that --figure names, its difference from --baseline, last, "
            "min and max with their steps",
            wide="compared_runs",
        ),
        TableExport(
            "compared_runs",
            "scalars",
            _run_rows,
            source="all runs",
            rows_help="one row per run with those values of all tags and its hyperparameters, in the order of the tab",
            is_secondary=True,
        ),
    ),
    settings=SETTINGS,
)
