"""The Text dashboard: Markdown documents and tables of text, one at each step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Accessor, Plugin, PrintedText, TableExport
from tbtui.plugins.text.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.export.request import ExportRequest, Rows
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.text.values import Texts
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.view import View
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.text.pane.pane import TextPane

    return TextPane


def _print_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.text.print_blocks import build_text_blocks

    return build_text_blocks(view, options)


def _export_rows(request: ExportRequest) -> Rows:
    from tbtui.export.request import Rows
    from tbtui.plugins.text.export import TEXTS, build_text_tables

    return Rows(TEXTS, build_text_tables(request.iter_selected_series("text"), request.skipped))


def _load_values() -> type[Texts]:
    from tbtui.plugins.text.values import Texts

    return Texts


def _run_details(run: RunSnapshot, payloads: Payloads) -> Iterator[tuple[str, Sequence[str]]]:
    from tbtui.plugins.text.read import read_configurations

    yield from read_configurations(run, payloads)


PLUGIN = Plugin(
    "text",
    "Text",
    "texts",
    frozenset({"text"}),
    _load_pane,
    text=PrintedText(_print_blocks, takes_step=True),
    exports=(
        TableExport(
            "text", "texts", _export_rows, columns_help="row, column and text: a row a document, or a cell of a table"
        ),
    ),
    accessors={"text": Accessor("text()", _load_values)},
    run_details=_run_details,
    settings=SETTINGS,
)
