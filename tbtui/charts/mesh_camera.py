"""The camera of a mesh: its direction, the size of the mesh and its position in the picture."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float32]

SLANTED = 30.0, 20.0
"""Initial yaw and pitch, in degrees."""

SIDES = {"front": (0.0, 0.0), "side": (90.0, 0.0), "top": (0.0, 90.0), "slanted": SLANTED}
"""Yaw and pitch by the name of the side."""

DISTANCE = 3.2
"""Distance of the camera from the middle, in radii of the mesh: weak perspective, so that sizes can be compared."""

FILLED_SHARE = 0.95
"""Share of the shorter side of the picture that the sphere around a mesh fills."""

MIN_ZOOM, MAX_ZOOM = 0.1, 200.0
MIN_DEPTH_SHARE = 1e-3
"""Nearest visible depth, in radii."""


@frozen
class MeshCamera:
    """A view of a mesh. Angles are in degrees; the camera looks at the middle of the mesh plus `focus`."""

    yaw: float = SLANTED[0]
    """Turn to the right about the vertical axis (y), from -180 to 180."""

    pitch: float = SLANTED[1]
    """Height of the camera above the horizon, from -90 to 90."""

    zoom: float = 1.0
    """Magnification; 1 shows all of the mesh."""

    x: float = 0.0
    """Shift of the picture to the right, as a fraction of the shorter side."""

    y: float = 0.0
    """Shift of the picture up, as a fraction of the shorter side."""

    focus: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Point that the camera looks at, in coordinates of the model."""

    distance: float = 0.0
    """Distance from that point, in coordinates of the model; 0: far enough to show all of the mesh."""

    view_angle: float = 0.0
    """Vertical angle of view of a logged camera; 0: wide enough to show all of the mesh."""

    def turn(self, yaw: float, pitch: float) -> MeshCamera:
        """Return the camera turned by some degrees around the mesh."""
        turned = (self.yaw + yaw + 180) % 360 - 180
        return replace(self, yaw=turned, pitch=max(-90.0, min(self.pitch + pitch, 90.0)))

    def magnify(self, factor: float, fixed_point: tuple[float, float] = (0.0, 0.0)) -> MeshCamera:
        """Return the camera with another magnification; a point of the picture, in units of `x` and `y`, is fixed."""
        zoom = max(MIN_ZOOM, min(self.zoom * factor, MAX_ZOOM))
        change = zoom / self.zoom
        x, y = fixed_point
        return replace(self, zoom=zoom, x=x + (self.x - x) * change, y=y + (self.y - y) * change)

    def shift(self, x: float, y: float) -> MeshCamera:
        """Return the camera with a moved picture, limited so that a mesh stays within reach."""
        max_shift = max(1.0, self.zoom)
        return replace(
            self, x=max(-max_shift, min(self.x + x, max_shift)), y=max(-max_shift, min(self.y + y, max_shift))
        )

    @property
    def side(self) -> str:
        """Name of the side of the camera; empty if it is at none of `SIDES`."""
        return next((name for name, angles in SIDES.items() if angles == (self.yaw, self.pitch)), "")

    def move_to_side(self, side: str) -> MeshCamera:
        """Return the camera at a named side, with the same magnification."""
        yaw, pitch = SIDES[side]
        return replace(self, yaw=yaw, pitch=pitch)

    @property
    def rotation(self) -> Floats:
        """float32[3, 3]: turns coordinates of the model to right, up and towards the camera."""
        yaw, pitch = math.radians(self.yaw), math.radians(self.pitch)
        across, along, up, down = math.cos(yaw), math.sin(yaw), math.cos(pitch), math.sin(pitch)
        return np.array(
            [
                [across, 0.0, -along],
                [-down * along, up, -down * across],
                [up * along, down, up * across],
            ],
            np.float32,
        )


def place_camera(
    position: tuple[float, float, float], focus: tuple[float, float, float], view_angle: float
) -> MeshCamera:
    """Return the camera at a position that looks at a focus, both in coordinates of the model; y is up."""
    offset = [start - end for start, end in zip(position, focus, strict=True)]
    distance = math.sqrt(sum(length * length for length in offset))
    if not distance:
        return MeshCamera()
    yaw = math.degrees(math.atan2(offset[0], offset[2]))
    pitch = math.degrees(math.asin(max(-1.0, min(offset[1] / distance, 1.0))))
    return MeshCamera(yaw, pitch, focus=focus, distance=distance, view_angle=view_angle)


@frozen
class Extent:
    """Distances from the centre of the bounding box of a mesh to its furthest point."""

    radius: float = 0.5
    """In any direction; greater than 0."""

    spread: float = 0.5
    """From the vertical axis."""

    rise: float = 0.5
    """Up and down."""


@frozen(eq=False)
class Projection:
    """Points projected onto the picture."""

    x: Floats
    """Columns from the left edge, float32[n]; NaN for points behind the camera."""

    y: Floats
    """Rows from the upper edge."""

    nearness: Floats
    """1 / depth: greater is nearer."""


def _find_max_slopes(extent: Extent, distance: float, pitch: float) -> tuple[float, float]:
    """Return the maximum right / depth and up / depth of a mesh at any yaw.

    The mesh lies in a cylinder about the vertical axis, and in a sphere. The slopes do not depend on the yaw, so that
    the mesh keeps its size while it turns.
    """
    radius, spread, rise = extent.radius, extent.spread, extent.rise
    along, above = math.cos(pitch), math.sin(pitch)
    sphere = radius / math.sqrt(max(distance, 1.01 * radius) ** 2 - radius**2)
    nearest = distance - rise * abs(above)
    rim = nearest**2 - (spread * along) ** 2
    right_slope = spread / math.sqrt(rim) if nearest > 0 and rim > 0 else sphere
    corners = [(y, z) for y in (-rise, rise) for z in (-spread, spread)]
    depths = [distance - z * along - y * above for y, z in corners]
    if min(depths) <= 0:
        return min(right_slope, sphere), sphere
    up_slope = max(abs(y * along - z * above) / depth for (y, z), depth in zip(corners, depths, strict=True))
    return min(right_slope, sphere), min(up_slope, sphere)


class Projector:
    """Project points of one mesh for one camera and one size of picture.

    Args:
        camera: The camera.
        extent: Distances of the furthest points of the mesh.
        width: Width of the picture in dots, which are square.
        height: Height.
    """

    def __init__(self, camera: MeshCamera, extent: Extent, width: int, height: int) -> None:
        radius = extent.radius
        self.rotation = camera.rotation
        self._focus = np.asarray(camera.focus, np.float32)
        self.distance = np.float32(camera.distance or DISTANCE * radius)
        self.near = np.float32(MIN_DEPTH_SHARE * radius)
        side = min(width, height)
        if camera.view_angle:
            scale = height / 2 / math.tan(math.radians(camera.view_angle) / 2)
        else:
            right_slope, up_slope = _find_max_slopes(extent, float(self.distance), math.radians(camera.pitch))
            scale = FILLED_SHARE / 2 * min(width / max(right_slope, 1e-6), height / max(up_slope, 1e-6))
        self.scale = np.float32(scale * camera.zoom)
        self._middle = np.float32(width / 2 + camera.x * side), np.float32(height / 2 - camera.y * side)

    def to_camera(self, points: Floats) -> Floats:
        """Return right, up and depth of points of the model, float32[n, 3]."""
        camera_points: Floats = (points - self._focus) @ self.rotation.T
        camera_points[:, 2] = self.distance - camera_points[:, 2]
        return camera_points

    def project(self, camera_points: Floats) -> Projection:
        """Return columns, rows and nearness of points from `to_camera`."""
        depth = camera_points[:, 2]
        if not bool((depth > self.near).all()):
            depth = np.where(depth > self.near, depth, np.float32(np.nan)).astype(np.float32)
        nearness = np.float32(1) / depth
        scaled = nearness * self.scale
        return Projection(
            camera_points[:, 0] * scaled + self._middle[0], self._middle[1] - camera_points[:, 1] * scaled, nearness
        )
