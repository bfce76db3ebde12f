"""Join the series of a run to meshes: vertices, faces and colours are three tags with one name in their metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.mesh.decode import COLOURS, CONTENT_NAMES, FACES, VERTICES, read_content
from tbtui.store.snapshot import ReferenceSeries

if TYPE_CHECKING:
    from tbtui.store.snapshot import RunSnapshot, Series

PLUGIN_NAME = "mesh"
"""Name of the plugin in event files."""


@frozen
class MeshSeries:
    """The series of one mesh of one run; at least one."""

    name: str
    vertices: ReferenceSeries | None = None
    faces: ReferenceSeries | None = None
    colours: ReferenceSeries | None = None
    others: tuple[ReferenceSeries, ...] = ()
    """Series of the same name whose content is unknown, or that repeat another one."""

    @property
    def main(self) -> ReferenceSeries:
        """The series whose steps are those of the mesh: the vertices if there are any."""
        main_series = self.vertices or self.faces or self.colours
        return self.others[0] if main_series is None else main_series

    @property
    def tensors(self) -> dict[int, ReferenceSeries]:
        """The series by content type."""
        series_by_content = {VERTICES: self.vertices, FACES: self.faces, COLOURS: self.colours}
        return {content: series for content, series in series_by_content.items() if series is not None}

    @property
    def tags(self) -> tuple[str, ...]:
        """All tags of the mesh."""
        return tuple(series.tag for series in (*self.tensors.values(), *self.others))

    @property
    def has(self) -> str:
        """Return `vertices, faces, colours` as far as there are any."""
        return ", ".join(CONTENT_NAMES[content] for content in self.tensors) or "a tensor of unknown content"


def find_meshes(run: RunSnapshot) -> dict[str, MeshSeries]:
    """Return the meshes of a run by name, in the order in which the run wrote them."""
    meshes: dict[str, dict[int, ReferenceSeries]] = {}
    others: dict[str, list[ReferenceSeries]] = {}
    for series in run.series.values():
        if not isinstance(series, ReferenceSeries) or series.metadata.plugin_name != PLUGIN_NAME or not len(series):
            continue
        content = read_content(series.metadata.content)
        name = series.tag if content is None else content.name or series.tag
        tensors = meshes.setdefault(name, {})
        if content is not None and content.content_type in CONTENT_NAMES and content.content_type not in tensors:
            tensors[content.content_type] = series
        else:
            others.setdefault(name, []).append(series)
    return {
        name: MeshSeries(
            name, tensors.get(VERTICES), tensors.get(FACES), tensors.get(COLOURS), tuple(others.get(name, ()))
        )
        for name, tensors in meshes.items()
    }


def find_mesh(run: RunSnapshot, tag: str) -> MeshSeries | None:
    """Return the mesh that a tag belongs to."""
    series = run.references(tag, PLUGIN_NAME)
    if series is None:
        return None
    content = read_content(series.metadata.content)
    return find_meshes(run).get(tag if content is None else content.name or tag)


def name_row(run: RunSnapshot, series: Series) -> str | None:
    """Return the name of the row of `tbtui inspect`: that of the mesh for its main tag, None for its other tags."""
    mesh = find_mesh(run, series.tag)
    if mesh is None:
        return series.tag
    return mesh.name if mesh.main.tag == series.tag else None


def find_point(series: ReferenceSeries, step: int, wall_time: float) -> int | None:
    """Return the point of a step, of several the one that was written at nearly the same time; None without any."""
    points = np.flatnonzero(series.steps == step)
    if not len(points):
        return None
    distances = np.abs(series.wall_times[points] - wall_time)
    return int(points[np.argmin(np.nan_to_num(distances, nan=np.inf))])


def find_point_before(series: ReferenceSeries, step: int) -> int | None:
    """Return the last current point before a step; None without any."""
    current = series.current
    before = np.flatnonzero(current.steps < step)
    if not len(before):
        return None
    point = int(before[np.argmax(current.steps[before])])
    return find_point(series, int(current.steps[point]), float(current.wall_times[point]))
