"""Projector dashboard: embeddings as maps of points, with their metadata and neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import PictureExport, Plugin, PrintedText, TableExport
from tbtui.plugins.projector.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.charts.ink_colours import InkTheme
    from tbtui.export.drawing.shapes import Drawing
    from tbtui.export.request import ExportRequest, Rows
    from tbtui.loading.payloads import Payloads
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.view import View
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.projector.pane.pane import ProjectorPane

    return ProjectorPane


def _print_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.projector.print_blocks import print_embeddings

    return print_embeddings(view, options)


def _has_embeddings(view: View) -> bool:
    """Return True if a filter of tags matches a tag, or an embedding: a configuration has one tag for all it names."""
    tags = frozenset[str]().union(*(view.summaries[run.name].tags.get("projector", ()) for run in view.runs))
    if not tags or any(map(view.tag_matches, tags)):
        return bool(tags)
    from tbtui.plugins.projector.sources import Catalogs

    return bool(Catalogs().list_sources(view.runs, view.tag_matches).sources)


def _draw(view: View, colours: InkTheme, ground: str | None, columns: int | None, rows: int | None) -> Drawing:
    from tbtui.plugins.projector.print_blocks import draw_figure

    return draw_figure(view, colours, ground, columns, rows)


def _export_points(request: ExportRequest) -> Rows:
    from tbtui.plugins.projector.export import export_points

    return export_points(request)


def _export_vectors(request: ExportRequest) -> Rows:
    from tbtui.plugins.projector.export import export_vectors

    return export_vectors(request)


def _describe_assets(run: RunSnapshot) -> Iterator[str]:
    from tbtui.plugins.projector.description import describe_embeddings

    return describe_embeddings(run)


def _run_details(run: RunSnapshot, payloads: Payloads) -> Iterator[tuple[str, Sequence[str]]]:  # noqa: ARG001 - files
    if "projector" in run.asset_tags:
        yield "embeddings", tuple(_describe_assets(run))


PLUGIN = Plugin(
    "projector",
    "Projector",
    "embeddings",
    frozenset({"projector"}),
    _load_pane,
    describe_assets=_describe_assets,
    run_details=_run_details,
    text=PrintedText(_print_blocks, run_noun="embedding", takes_step=True, has_data=_has_embeddings),
    exports=(
        TableExport(
            "projector",
            "embeddings",
            _export_points,
            columns_help="index, x, y and z (components 1 to 3), norm and metadata.NAME: a row a point",
        ),
        TableExport(
            "vectors",
            "embeddings",
            _export_vectors,
            columns_help="index and d1, d2, …: a row a point",
            repeats=True,
            is_secondary=True,
        ),
    ),
    picture=PictureExport(takes_step=True, draw=_draw),
    settings=SETTINGS,
)
