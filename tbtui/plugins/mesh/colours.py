"""Colours of vertices that are computed rather than logged: by height, by part, by how far a vertex moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.mesh_shading import GREY, map_colours
from tbtui.plugins.mesh.figures import find_parts

if TYPE_CHECKING:
    from tbtui.charts.mesh_model import Colours, MeshModel
    from tbtui.plugins.mesh.movement import Movement
    from tbtui.plugins.mesh.read import Mesh

PART_COLOURS = np.array(
    [[86, 180, 233], [230, 159, 0], [0, 158, 115], [204, 121, 167], [240, 228, 66], [0, 114, 178], [213, 94, 0]],
    np.uint8,
)
"""Colours of parts, the largest first; source: Okabe and Ito, "Color Universal Design", 2008."""


def height_colours(model: MeshModel) -> Colours:
    """Return colours by y, from the lowest to the highest vertex, uint8[n, 3]."""
    y = model.vertices[:, 1]
    known = y[np.isfinite(y)]
    if not len(known) or known.max() == known.min():
        return np.tile(np.array([GREY], np.uint8), (len(y), 1))
    return map_colours((y - known.min()) / (known.max() - known.min()))


def part_colours(mesh: Mesh) -> Colours:
    """Return one colour for each part, grey for vertices without a face, uint8[n, 3]."""
    part_of_vertex, _ = find_parts(mesh)
    colours: Colours = PART_COLOURS[part_of_vertex % len(PART_COLOURS)]
    colours[part_of_vertex < 0] = GREY
    return colours


def movement_colours(movement: Movement) -> Colours:
    """Return colours from resting vertices (dark) to the greatest distance (bright), uint8[n, 3]."""
    return map_colours(movement.distances / (movement.greatest or 1.0))
