"""Describe the newest step of a mesh in one line, for `tbtui inspect`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.loading.payloads import Payloads, too_large_message
from tbtui.plugins.mesh.data import prepare
from tbtui.plugins.mesh.decode import MeshError
from tbtui.plugins.mesh.read import read_mesh
from tbtui.plugins.mesh.series import mesh_of_tag

if TYPE_CHECKING:
    from tbtui.store.snapshot import RunSnapshot, Series

MAX_INSPECTED_BYTES = 16 << 20
"""Size of the newest value that `inspect` reads of a mesh."""


def row_name(run: RunSnapshot, series: Series) -> str | None:
    """Return the name of the mesh that a tag belongs to; None for all of its tags but the main one."""
    mesh = mesh_of_tag(run, series.tag)
    if mesh is None:
        return series.tag
    return mesh.name if mesh.main.tag == series.tag else None


def newest_text(run: RunSnapshot, series: Series) -> str:
    """Return `2 × 128 vertices · 224 faces · colours; 3 degenerate faces`, or what is missing."""
    mesh = mesh_of_tag(run, series.tag)
    if mesh is None or not len(mesh.main):
        return ""
    point = len(mesh.main) - 1
    length = int(mesh.main.lengths[point])
    if length > MAX_INSPECTED_BYTES:
        return too_large_message(length)
    try:
        step, wall_time = int(mesh.main.steps[point]), float(mesh.main.wall_times[point])
        prepared = prepare("", read_mesh(Payloads(), run, mesh, step, wall_time))
    except MeshError as error:
        return str(error)
    several = f"{prepared.mesh.samples:,} × " if prepared.mesh.samples > 1 else ""
    return "; ".join((f"{several}{prepared.counts}", *prepared.warnings))
