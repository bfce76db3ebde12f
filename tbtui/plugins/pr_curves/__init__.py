"""The PR curves dashboard: precision over recall, one chart a tag with a curve for every run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Accessor, InspectFacts, PictureExport, Plugin, PrintedText, TableExport
from tbtui.plugins.pr_curves.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.export.request import ExportRequest, Rows
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.base import ScalarExtremes
    from tbtui.plugins.picture import Charts
    from tbtui.plugins.pr_curves.values import PrCurves
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.store.snapshot import RunSnapshot, Series
    from tbtui.view.view import View
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.pr_curves.pane.pane import PrCurvesPane

    return PrCurvesPane


def _print_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.pr_curves.print_blocks import build_curve_blocks

    return build_curve_blocks(view, options)


def _export_rows(request: ExportRequest) -> Rows:
    from tbtui.export.request import Rows
    from tbtui.plugins.pr_curves.export import CURVE_COLUMNS, build_curve_tables

    return Rows(CURVE_COLUMNS, build_curve_tables(request.iter_selected_series("pr_curves"), request.skipped))


def _create_charts(view: View, payloads: Payloads) -> Charts:
    from tbtui.plugins.pr_curves.painter import create_pr_curve_charts

    return create_pr_curve_charts(view, payloads)


def _load_values() -> type[PrCurves]:
    from tbtui.plugins.pr_curves.values import PrCurves

    return PrCurves


def _inspect_newest(run: RunSnapshot, series: Series, _extremes: ScalarExtremes | None) -> tuple[str, ...]:
    from tbtui.plugins.pr_curves.print_blocks import describe_newest
    from tbtui.store.snapshot import ReferenceSeries

    return (describe_newest(run, series),) if isinstance(series, ReferenceSeries) and len(series) else ()


_COLUMNS = (
    "threshold, precision, recall, tp, fp, tn and fn: a row a threshold, also where nothing is predicted to be positive"
)

PLUGIN = Plugin(
    "pr_curves",
    "PR curves",
    "PR curves",
    frozenset({"pr_curves"}),
    _load_pane,
    text=PrintedText(_print_blocks, takes_step=True),
    exports=(TableExport("pr_curves", "PR curves", _export_rows, columns_help=_COLUMNS),),
    picture=PictureExport(_create_charts, takes_step=True),
    facts={"pr_curves": InspectFacts(("newest",), _inspect_newest, is_text=True)},
    accessors={"pr_curves": Accessor("pr_curves()", _load_values)},
    settings=SETTINGS,
)
