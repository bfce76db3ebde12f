"""Prepare one mesh for drawing: its model, a coarse copy, the camera of the log, and what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.mesh_camera import place_camera
from tbtui.charts.mesh_model import MAX_MODEL_ITEMS, coarsen, prepare_mesh
from tbtui.charts.numbers import counted
from tbtui.frozen import frozen
from tbtui.plugins.mesh.read import find_box

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.charts.mesh_camera import MeshCamera
    from tbtui.charts.mesh_model import MeshModel
    from tbtui.plugins.mesh.config import MeshConfig
    from tbtui.plugins.mesh.read import Mesh, MeshCounts


@frozen(eq=False)
class PreparedMesh:
    """One sample of a mesh at one step, ready to be drawn."""

    key: Hashable
    """Identity among all meshes of a session."""

    model: MeshModel
    coarse: MeshModel
    """The copy that is drawn on cards, and while the camera moves; the model itself if it is small."""

    counts: MeshCounts
    """Vertices and faces as logged."""

    config: MeshConfig
    size: tuple[float, ...] | None
    """Sides of the box in the units of the log; None without a finite vertex."""

    camera: MeshCamera | None
    """Camera of the log."""

    notes: tuple[str, ...] = ()
    """Changes and missing tensors, as of `Mesh`."""

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.model.nbytes + (0 if self.coarse is self.model else self.coarse.nbytes)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Defects, reductions and notes, one short sentence each."""
        defects = self.model.defects
        texts = (
            counted(defects.degenerate, "degenerate face") if defects.degenerate else "",
            f"{counted(defects.out_of_range, 'face')} of unknown vertices" if defects.out_of_range else "",
            f"{counted(defects.not_finite, 'vertex', 'vertices')} not finite" if defects.not_finite else "",
            self._reduction,
        )
        return (*filter(None, texts), *self.notes)

    @property
    def _reduction(self) -> str:
        """Return `drawn from a copy of 2,000,000 faces` if even the model is a copy; empty otherwise."""
        if max(self.counts.vertices, self.counts.faces or 0) <= MAX_MODEL_ITEMS:
            return ""
        vertices, faces = len(self.model.vertices), len(self.model.faces)
        remaining = counted(vertices, "vertex", "vertices") if self.model.is_cloud else counted(faces, "face")
        return f"drawn from a copy of {remaining}"


def prepare(key: Hashable, mesh: Mesh) -> PreparedMesh:
    """Prepare a mesh for drawing. Takes .1 s for 200,000 faces."""
    model = prepare_mesh(mesh.vertices, mesh.faces, mesh.colours)
    box = find_box(mesh.vertices)
    size = None if box is None else tuple((box[1] - box[0]).tolist())
    return PreparedMesh(
        key, model, coarsen(model), mesh.counts, mesh.config, size, _logged_camera(model, mesh.config), mesh.notes
    )


def _logged_camera(model: MeshModel, config: MeshConfig) -> MeshCamera | None:
    """Return the camera of the log, if there is one.

    TensorBoard moves a cloud to its centre, and leaves a mesh where it is.
    """
    if config.position is None:
        return None
    size = model.size or 1.0
    origin = model.centre if model.is_cloud else (0.0, 0.0, 0.0)
    position, focus = (
        tuple((coordinate - middle) / size for coordinate, middle in zip(point, origin, strict=True))
        for point in (config.position, config.look_at)
    )
    return place_camera((position[0], position[1], position[2]), (focus[0], focus[1], focus[2]), config.view_angle)
