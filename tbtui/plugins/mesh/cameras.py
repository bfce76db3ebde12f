"""Cameras of the cards of a session: one for each card, or one for all."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from tbtui.charts.mesh_camera import SIDES, MeshCamera
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

ORBIT_DEGREES, FINE_DEGREES = 10.0, 2.0
"""Turn of one key press, and of one that moves little."""

SHIFT_SHARE = 0.1
"""Part of the shorter side that one key press moves a mesh by."""

ZOOM_FACTOR = 1.25

_EVERY = ""
"""Key of the camera that all cards share."""


@frozen
class Cameras:
    """The cameras that were moved; a card without one shows the camera of the log, or the slanted one."""

    of_cards: Mapping[str, MeshCamera] = field(default_factory=dict)
    is_shared: bool = False
    """True if all cards are seen from the same side."""

    def of(self, key: str) -> MeshCamera | None:
        """Return the camera of a card; None if it was not moved."""
        return self.of_cards.get(_EVERY if self.is_shared else key)

    def with_camera(self, key: str, camera: MeshCamera | None) -> Cameras:
        """Return the cameras with that of a card moved; None: the initial one."""
        key = _EVERY if self.is_shared else key
        others = {known: each for known, each in self.of_cards.items() if known != key}
        return replace(self, of_cards=others if camera is None else {**others, key: camera})

    def with_sharing(self, *, is_shared: bool, camera: MeshCamera | None) -> Cameras:
        """Return the cameras after switching between one for each card and one for all, which begins with `camera`."""
        if is_shared == self.is_shared:
            return self
        cameras = replace(self, is_shared=is_shared)
        return cameras if camera is None or not is_shared else cameras.with_camera("", camera)


def next_side(camera: MeshCamera, logged: MeshCamera | None) -> MeshCamera:
    """Return the camera at the next side: front, side, top, slanted, then the camera of the log if there is one."""
    names = [*SIDES]
    if logged is not None and camera == logged:
        return MeshCamera(zoom=1.0).move_to_side(names[0])
    side = camera.side
    if not side:
        return replace(MeshCamera(), zoom=camera.zoom).move_to_side(names[0])
    if side == names[-1]:
        return logged or MeshCamera(zoom=camera.zoom).move_to_side(names[0])
    return replace(MeshCamera(), zoom=camera.zoom).move_to_side(names[names.index(side) + 1])
