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


def _blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.scalars.print_blocks import scalar_blocks

    return scalar_blocks(view, options)


def _rows(request: ExportRequest) -> Rows:
    from tbtui.export.request import Rows
    from tbtui.plugins.scalars.export import scalar_columns, scalar_tables

    def tables_of(run: RunSnapshot) -> Iterator[Table]:
        return scalar_tables(
            run,
            request.tag_matches,
            current=request.current,
            x_axis=request.x_axis,
            x_tag=request.x_tag,
            skipped=request.skipped,
        )

    return Rows(scalar_columns(request.x_axis), request.iter_by_run(tables_of))


def _charts(view: View, payloads: Payloads) -> Charts:
    from tbtui.plugins.scalars.painter import scalar_charts

    return scalar_charts(view, payloads)


def _cells(_run: RunSnapshot, series: Series, extremes: ScalarExtremes | None) -> tuple[str, ...] | None:
    from tbtui.plugins.scalars.export import scalar_cells

    return scalar_cells(series, extremes)


PLUGIN = Plugin(
    "scalars",
    "Scalars",
    "scalars",
    frozenset({"scalars"}),
    _load_pane,
    text=PrintedText(_blocks),
    exports=(TableExport("scalars", "scalars", _rows, source="scalars", columns_help="value"),),
    picture=PictureExport(_charts),
    accessors={"scalars": Accessor("scalars()")},
    facts={"scalars": InspectFacts(("first", "last", "least", "greatest"), _cells)},
)
