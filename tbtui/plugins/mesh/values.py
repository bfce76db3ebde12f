"""Meshes of one tag of one run, for the Python API."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from tbtui.api.values import Value, Values
from tbtui.loading.payloads import Payloads
from tbtui.plugins.mesh.decode import MeshError
from tbtui.plugins.mesh.figures import MeshFigures, measure_mesh
from tbtui.plugins.mesh.read import Mesh as StoredMesh
from tbtui.plugins.mesh.read import read_mesh
from tbtui.plugins.mesh.series import MeshSeries, find_mesh

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Self

    from tbtui.api.values import ValueLocation

    Array: TypeAlias = npt.NDArray[Any]


class Mesh(Value):
    """One mesh, or cloud of points, of a step: the first sample, or one of `all_of_step`.

    Raises:
        PayloadError: The mesh cannot be read.
    """

    def __init__(self, location: ValueLocation, mesh: MeshSeries | None, sample: int = 0) -> None:
        super().__init__(location)
        self.sample = sample
        """Index of the mesh in its step, from 0."""

        self._series_of_mesh = mesh

    @property
    def vertices(self) -> Array:
        """Vertices in the units of the log, float32 or float64[n, 3]; NaN as logged."""
        return self._mesh.vertices

    @property
    def faces(self) -> Array | None:
        """Faces, int64[m, 3]: indices of vertices as logged, also those out of range; None for a cloud of points.

        A step without faces has those of the step before, if they fit.
        """
        return self._mesh.faces

    @property
    def colours(self) -> npt.NDArray[np.uint8] | None:
        """Colours from 0 to 255, uint8[n, 3]; None if none were logged. Colours from 0 to 1 are multiplied by 255."""
        return self._mesh.colours

    @property
    def config(self) -> dict[str, Any]:
        """Camera, lights and material as logged; empty if nothing was, or if it is no JSON object."""
        try:
            config = json.loads(self._mesh.config_text or "{}")
        except (ValueError, RecursionError):
            return {}
        return config if isinstance(config, dict) else {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Changes and missing parts, one short sentence each."""
        return self._mesh.notes

    @cached_property
    def figures(self) -> MeshFigures:
        """Box, area, volume, open edges, parts and defects."""
        return measure_mesh(self._mesh)

    @property
    def all_of_step(self) -> tuple[Self, ...]:
        """All meshes of the step; writers may log several at once."""
        count = self._mesh.samples
        return tuple(type(self)(self._location, self._series_of_mesh, sample) for sample in range(count))

    @cached_property
    def _mesh(self) -> StoredMesh:
        location = self._location
        if self._series_of_mesh is None:
            raise location.error("the tag belongs to no mesh")
        moment = location.event_time
        try:
            mesh = read_mesh(Payloads(), location.run, self._series_of_mesh, *moment, self.sample)
        except MeshError as error:
            raise location.error(str(error)) from error
        for array in (mesh.vertices, mesh.faces, mesh.colours):
            if array is not None:
                array.flags.writeable = False
        return mesh


class Meshes(Values[Mesh]):
    """Meshes of a tag: `meshes[-1].vertices`, `.faces`, `.colours`."""

    plugin = "mesh"

    def _value(self, location: ValueLocation) -> Mesh:
        return Mesh(location, find_mesh(location.run, location.series.tag))
