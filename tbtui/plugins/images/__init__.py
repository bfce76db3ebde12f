"""The Images dashboard: the pictures of every tag at every step, and one of them in full size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Accessor, InspectFacts, Plugin, PrintedText, TableExport
from tbtui.plugins.images.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.export.request import ExportRequest, Rows
    from tbtui.plugins.base import ScalarExtremes
    from tbtui.plugins.images.values import Images
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.store.snapshot import RunSnapshot, Series
    from tbtui.view.view import View
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.images.pane.pane import ImagesPane

    return ImagesPane


def _print_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.images.print_blocks import build_image_blocks

    return build_image_blocks(view, options)


def _export_rows(request: ExportRequest) -> Rows:
    from tbtui.export.media import export_media
    from tbtui.plugins.images.table import IMAGES

    return export_media(IMAGES, request)


def _load_values() -> type[Images]:
    from tbtui.plugins.images.values import Images

    return Images


def _inspect_series(run: RunSnapshot, series: Series, _extremes: ScalarExtremes | None) -> tuple[str, ...]:
    from tbtui.plugins.images.table import describe_newest
    from tbtui.store.snapshot import ReferenceSeries

    return (describe_newest(run, series),) if isinstance(series, ReferenceSeries) and len(series) else ()


PLUGIN = Plugin(
    "images",
    "Images",
    "images",
    frozenset({"images"}),
    _load_pane,
    text=PrintedText(_print_blocks, takes_step=True),
    exports=(
        TableExport(
            "images",
            "images",
            _export_rows,
            writes_files=True,
            columns_help="sample, file, format, width, height, frames, duration, bytes and problem",
        ),
    ),
    facts={"images": InspectFacts(("newest",), _inspect_series, is_text=True)},
    settings=SETTINGS,
    accessors={"images": Accessor("images()", _load_values)},
)
