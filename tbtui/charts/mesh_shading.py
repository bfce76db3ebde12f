"""Colours of drawn meshes: lights on faces, normals, fog, and a scale for depths and other numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float32]


GREY = 160, 160, 160
"""Colour of a mesh without colours; three.js's default material in TensorBoard."""

HEADLIGHT = np.array([-0.3, 0.5, 1.0], np.float32) / np.float32(np.sqrt(1.34))
"""Direction of the light that moves with the camera: from the upper left, behind the viewer."""

AMBIENT = 0.25
"""Light that reaches every face."""

FOG = 0.6
"""Part of its colour that the farthest point loses: the only depth cue in a cloud."""


@frozen
class Light:
    """A light that does not move with the camera."""

    colour: tuple[float, float, float]
    """Channels from 0 to 1, times the intensity."""

    direction: tuple[float, float, float] | None = None
    """Direction from which the light comes; None: from all sides."""


def shade_faces(colours: Floats, facing: Floats, lights: tuple[Light, ...], rotation: Floats) -> npt.NDArray[np.uint8]:
    """Return lit colours; both sides of a face are lit, because the order of corners differs between writers."""
    if not lights:
        shade = AMBIENT + (1 - AMBIENT) * np.abs(facing @ HEADLIGHT)[:, None]
    else:
        shade = np.zeros((len(facing), 3), np.float32)
        for light in lights:
            strength = np.ones((len(facing), 1), np.float32)
            if light.direction is not None:
                direction = rotation @ np.asarray(light.direction, np.float32)
                strength = np.abs(facing @ (direction / max(float(np.linalg.norm(direction)), 1e-30)))[:, None]
            shade += strength * np.asarray(light.colour, np.float32)
    lit: npt.NDArray[np.uint8] = np.clip(colours * shade, 0, 255).astype(np.uint8)
    return lit


def colour_by_normal(facing: Floats) -> npt.NDArray[np.uint8]:
    """Return red for right, green for up and blue for towards the camera."""
    towards = np.where(facing[:, 2:] < 0, -facing, facing)
    return np.clip((towards + 1) * 127.5, 0, 255).astype(np.uint8)


_MAP = np.array(
    [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99],
     [170, 220, 50], [253, 231, 37]]
)  # fmt: skip
"""Nine colours of viridis, from matplotlib (CC0): even steps of brightness, also for colour-blind readers."""


def map_colours(shares: npt.NDArray[np.floating]) -> npt.NDArray[np.uint8]:
    """Return the colours of numbers from 0 (dark) to 1 (bright), uint8[k, 3]; NaN is grey."""
    finite_shares = np.nan_to_num(shares, nan=0.0)
    map_positions = np.clip(finite_shares, 0, 1) * (len(_MAP) - 1)
    channels = np.stack([np.interp(map_positions, np.arange(len(_MAP)), _MAP[:, channel]) for channel in range(3)], 1)
    channels[np.isnan(shares)] = GREY
    return channels.astype(np.uint8)


def colour_by_depth(depths: npt.NDArray[np.floating]) -> npt.NDArray[np.uint8]:
    """Return bright colours for near points, dark ones for far points."""
    near, far = float(depths.min()), float(depths.max())
    return map_colours((far - depths) / max(far - near, 1e-30))


def apply_fog(colours: Floats, nearness: Floats) -> npt.NDArray[np.uint8]:
    """Return colours that are darker with depth."""
    depths = 1 / nearness
    near, far = float(depths.min()), float(depths.max())
    fog = 1 - FOG * (depths - near) / max(far - near, 1e-30) if far > near else np.ones_like(depths)
    return np.clip(colours * fog[:, None], 0, 255).astype(np.uint8)
