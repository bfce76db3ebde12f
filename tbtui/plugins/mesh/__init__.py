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


def _blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.mesh.print_blocks import mesh_blocks

    return mesh_blocks(view, options)


def _rows(request: ExportRequest) -> Rows:
    from tbtui.plugins.mesh.export import mesh_rows

    return mesh_rows(request)


def _load_values() -> type[Meshes]:
    from tbtui.plugins.mesh.values import Meshes

    return Meshes


def _row_name(run: RunSnapshot, series: Series) -> str | None:
    from tbtui.plugins.mesh.series import row_name

    return row_name(run, series)


def _cells(run: RunSnapshot, series: Series, _extremes: ScalarExtremes | None) -> tuple[str, ...]:
    from tbtui.plugins.mesh.print_blocks import newest_text

    return (newest_text(run, series),)


PLUGIN = Plugin(
    "mesh",
    "Mesh",
    "meshes",
    frozenset({"mesh"}),
    _load_pane,
    text=PrintedText(_blocks, takes_step=True),
    exports=(
        TableExport(
            "mesh",
            "meshes",
            _rows,
            writes_files=True,
            columns_help="sample, vertices, faces, colours, min_x … max_z, nan, degenerate, out_of_range and problem",
        ),
    ),
    has_outline=True,
    facts={"mesh": InspectFacts(("newest",), _cells, is_text=True, row_name=_row_name)},
    settings=SETTINGS,
    accessors={"mesh": Accessor("meshes()", _load_values)},
)
