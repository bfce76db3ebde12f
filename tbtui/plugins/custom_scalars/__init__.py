"""The Custom dashboard: scalars arranged by the layouts that trainings log, or by a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import (
    Accessor,
    DocumentExport,
    InspectFacts,
    PictureExport,
    Plugin,
    PrintedText,
    ScalarExtremes,
    TableExport,
)
from tbtui.plugins.custom_scalars.settings import LAYOUT, TOGGLED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.export.request import Document, ExportRequest, Rows
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.base import ValueProblem
    from tbtui.plugins.custom_scalars.values import LoggedLayouts
    from tbtui.plugins.picture import Charts
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import RunSnapshot, Series, StoreSnapshot
    from tbtui.view.view import View
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.custom_scalars.pane.pane import CustomPane

    return CustomPane


def _print_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.custom_scalars.print_blocks import build_custom_blocks

    return build_custom_blocks(view, options)


def _has_data(view: View) -> bool:
    """Return True if there is a layout: that of a hidden run arranges the others too."""
    return _has_file(view.settings) or any(PLUGIN.reads & facts.tags.keys() for facts in view.summaries.values())


def _has_file(settings: Settings) -> bool:
    return LAYOUT.value(settings) is not None


def _export_rows(request: ExportRequest) -> Rows:
    from tbtui.export.request import Rows
    from tbtui.plugins.custom_scalars.export import CUSTOM_COLUMNS, build_custom_tables

    return Rows(CUSTOM_COLUMNS, build_custom_tables(request))


def _export_documents(request: ExportRequest) -> Sequence[Document]:
    from tbtui.plugins.custom_scalars.export import build_layout_documents

    return build_layout_documents(request)


def _create_charts(view: View, _payloads: Payloads) -> Charts:
    from tbtui.plugins.custom_scalars.print_blocks import CustomData
    from tbtui.plugins.scalars.painter import create_charts

    return create_charts(CustomData().charts, view)


def _load_values() -> type[LoggedLayouts]:
    from tbtui.plugins.custom_scalars.values import LoggedLayouts

    return LoggedLayouts


def _find_value_problems(snapshot: StoreSnapshot, settings: Settings, _payloads: Payloads) -> Iterator[ValueProblem]:
    from tbtui.plugins.custom_scalars.read import find_layout_problems

    return find_layout_problems(snapshot, settings)


def _inspect_series(run: RunSnapshot, _series: Series, _extremes: ScalarExtremes | None) -> tuple[str, ...] | None:
    from tbtui.plugins.custom_scalars.read import describe_layouts

    return describe_layouts(run)


PLUGIN = Plugin(
    "custom_scalars",
    "Custom",
    "custom scalars",
    frozenset({"custom_scalars"}),
    _load_pane,
    is_requested=_has_file,
    lists=frozenset({"scalars"}),
    has_outline=True,
    text=PrintedText(_print_blocks, filters_tags=False, has_data=_has_data, run_noun="layout"),
    exports=(
        TableExport(
            "custom_scalars",
            "custom scalars",
            _export_rows,
            columns_help="value, category, chart, kind, series and role: a row a point of each chart of the layouts",
            repeats=True,
        ),
        DocumentExport("layout", "layouts", {"json": ("json",)}, _export_documents),
    ),
    picture=PictureExport(_create_charts),
    accessors={"custom_scalars": Accessor('values("custom_scalars", tag)', _load_values)},
    facts={
        "custom_scalars": InspectFacts(("charts", "no match here", "bad patterns"), _inspect_series, tells_reason=True)
    },
    value_problems=_find_value_problems,
    settings=(LAYOUT, TOGGLED),
)
