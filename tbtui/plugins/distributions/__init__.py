"""The Distributions dashboard: how the quantiles of a tag's values move over the steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import PictureExport, Plugin, PrintedText, TableExport

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.export.request import ExportRequest, Rows
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.picture import Charts
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.view.view import View
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.distributions.pane.pane import DistributionsPane

    return DistributionsPane


def _print_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.histograms.print_blocks import build_distribution_blocks

    return build_distribution_blocks(view, options)


def _export_rows(request: ExportRequest) -> Rows:
    from tbtui.export.request import Rows
    from tbtui.plugins.histograms.export import (
        PLUGIN_NAME,
        QUANTILE_COLUMNS,
        build_histogram_tables,
        build_quantile_table,
    )

    return Rows(
        QUANTILE_COLUMNS,
        build_histogram_tables(request.iter_selected_series(PLUGIN_NAME), build_quantile_table, request.skipped),
    )


def _create_charts(view: View, payloads: Payloads) -> Charts:
    from tbtui.plugins.distributions.painter import create_distribution_charts

    return create_distribution_charts(view, payloads)


_COLUMNS = (
    "count, min, p6.68, p15.87, p30.85, median, p69.15, p84.13, p93.32 and max: the values below which this percentage "
    "of a histogram lies; all but min and max are ~ estimates, interpolated within a bucket as in TensorBoard, also if "
    "one bucket holds all values"
)

PLUGIN = Plugin(
    "distributions",
    "Distributions",
    "histograms",
    frozenset({"histograms"}),
    _load_pane,
    text=PrintedText(_print_blocks, takes_step=True),
    exports=(TableExport("distributions", "histograms", _export_rows, columns_help=_COLUMNS, repeats=True),),
    picture=PictureExport(_create_charts),
)
