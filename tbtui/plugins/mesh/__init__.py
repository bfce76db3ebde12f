"""The Mesh dashboard: meshes and clouds of points of every tag at every step, orbited, measured and compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.base import Accessor, InspectFacts, Plugin, PrintedText, TableExport
from tbtui.plugins.mesh.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.export.request import ExportRequest, Rows
    from tbtui.plugins.base import ScalarExtremes
    from tbtui.plugins.mesh.values import Meshes
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.store.snapshot import RunSnapshot, Series
    from tbtui.view.view import View
    from tbtui.widgets.pane import Pane


def _load_pane() -> type[Pane]:
    from tbtui.plugins.mesh.pane.pane import MeshPane

    return MeshPane


def _print_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.mesh.print_blocks import build_mesh_blocks

    return build_mesh_blocks(view, options)


def _export_rows(request: ExportRequest) -> Rows:
    from tbtui.plugins.mesh.export import build_mesh_rows

    return build_mesh_rows(request)


def _load_values() -> type[Meshes]:
    from tbtui.plugins.mesh.values import Meshes

    return Meshes


def _name_row(run: RunSnapshot, series: Series) -> str | None:
    from tbtui.plugins.mesh.series import name_row

    return name_row(run, series)


def _inspect_series(run: RunSnapshot, series: Series, _extremes: ScalarExtremes | None) -> tuple[str, ...]:
    from tbtui.plugins.mesh.print_blocks import describe_newest

    return (describe_newest(run, series),)


PLUGIN = Plugin(
    "mesh",
    "Mesh",
    "meshes",
    frozenset({"mesh"}),
    _load_pane,
    text=PrintedText(_print_blocks, takes_step=True),
    exports=(
        TableExport(
            "mesh",
            "meshes",
            _export_rows,
            writes_files=True,
            columns_help="sample, vertices, faces, colours, min_x … max_z, nan, degenerate, out_of_range and problem",
        ),
    ),
    has_outline=True,
    facts={"mesh": InspectFacts(("newest",), _inspect_series, is_text=True, row_name=_name_row)},
    settings=SETTINGS,
    accessors={"mesh": Accessor("meshes()", _load_values)},
)
