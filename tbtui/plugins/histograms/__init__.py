"""The Histograms dashboard: how the values of a tag were distributed at every step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Accessor, InspectFacts, PictureExport, Plugin, PrintedText, TableExport
from tbtui.plugins.histograms.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.export.request import ExportRequest, Rows
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.base import ScalarExtremes
    from tbtui.plugins.histograms.values import Histograms
    from tbtui.plugins.picture import Charts
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.store.snapshot import RunSnapshot, Series
    from tbtui.view.view import View
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.histograms.pane.pane import HistogramsPane

    return HistogramsPane


def _print_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.histograms.print_blocks import build_histogram_blocks

    return build_histogram_blocks(view, options)


def _export_rows(request: ExportRequest) -> Rows:
    from tbtui.export.request import Rows
    from tbtui.plugins.histograms.export import BUCKET_COLUMNS, PLUGIN_NAME, build_bucket_table, build_histogram_tables

    return Rows(
        BUCKET_COLUMNS,
        build_histogram_tables(request.iter_selected_series(PLUGIN_NAME), build_bucket_table, request.skipped),
    )


def _create_charts(view: View, payloads: Payloads) -> Charts:
    from tbtui.plugins.histograms.painter import create_histogram_charts

    return create_histogram_charts(view, payloads)


def _load_values() -> type[Histograms]:
    from tbtui.plugins.histograms.values import Histograms

    return Histograms


def _inspect_newest(run: RunSnapshot, series: Series, _extremes: ScalarExtremes | None) -> tuple[str, ...]:
    from tbtui.plugins.histograms.print_blocks import describe_newest
    from tbtui.store.snapshot import ReferenceSeries

    return (describe_newest(run, series),) if isinstance(series, ReferenceSeries) and len(series) else ()


PLUGIN = Plugin(
    "histograms",
    "Histograms",
    "histograms",
    frozenset({"histograms"}),
    _load_pane,
    text=PrintedText(_print_blocks, takes_step=True),
    exports=(
        TableExport("histograms", "histograms", _export_rows, columns_help="left, right and count: a row a bucket"),
    ),
    picture=PictureExport(_create_charts),
    facts={"histograms": InspectFacts(("newest",), _inspect_newest, is_text=True)},
    accessors={"histograms": Accessor("histograms()", _load_values)},
    settings=SETTINGS,
)
