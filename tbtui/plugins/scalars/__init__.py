"""The Scalars dashboard: one line chart a tag."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Accessor, InspectFacts, PictureExport, Plugin, PrintedText, ScalarExtremes, TableExport

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.export.request import ExportRequest, Rows
    from tbtui.export.table import Table
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.picture import Charts
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.store.snapshot import RunSnapshot, Series
    from tbtui.view.view import View
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.scalars.pane.pane import ScalarsPane

    return ScalarsPane


def _print_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.scalars.print_blocks import build_scalar_blocks

    return build_scalar_blocks(view, options)


def _export_rows(request: ExportRequest) -> Rows:
    from tbtui.export.request import Rows
    from tbtui.plugins.scalars.export import build_scalar_tables, list_scalar_columns

    def tables_of(run: RunSnapshot) -> Iterator[Table]:
        return build_scalar_tables(
            run,
            request.tag_matches,
            current=request.current,
            x_axis=request.x_axis,
            x_tag=request.x_tag,
            skipped=request.skipped,
        )

    return Rows(list_scalar_columns(request.x_axis), request.iter_by_run(tables_of))


def _create_charts(view: View, payloads: Payloads) -> Charts:
    from tbtui.plugins.scalars.painter import create_scalar_charts

    return create_scalar_charts(view, payloads)


def _inspect_series(_run: RunSnapshot, series: Series, extremes: ScalarExtremes | None) -> tuple[str, ...] | None:
    from tbtui.plugins.scalars.export import describe_scalars

    return describe_scalars(series, extremes)


PLUGIN = Plugin(
    "scalars",
    "Scalars",
    "scalars",
    frozenset({"scalars"}),
    _load_pane,
    text=PrintedText(_print_blocks),
    exports=(TableExport("scalars", "scalars", _export_rows, source="scalars", columns_help="value"),),
    picture=PictureExport(_create_charts),
    accessors={"scalars": Accessor("scalars()")},
    facts={"scalars": InspectFacts(("first", "last", "least", "greatest"), _inspect_series)},
)
