"""The widget of one mesh in full size: keys and the mouse orbit, move and zoom it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.plugins.mesh.cards import CARD_STEPS, FINE_DEGREES, ORBIT_DEGREES
from tbtui.plugins.mesh.painter import OpenedMesh
from tbtui.plugins.mesh.settings import COMPARISON
from tbtui.plugins.step_settings import cycle_comparison
from tbtui.terminal_images.half_blocks import PIXELS_DOWN
from tbtui.widgets.chart_view import ChartView
from tbtui.widgets.image_layer import ImageLayer
from tbtui.widgets.pane import Choose

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.geometry import Offset

    from tbtui.charts.cells import Cells
    from tbtui.charts.mesh_camera import MeshCamera
    from tbtui.terminal_images.encode import ImagePlacement
    from tbtui.view.painted_cards import OpenedCard
    from tbtui.widgets.worker import Worker

WHEEL_ZOOM = 1.15
"""Factor that one notch of the wheel enlarges a mesh by."""

DRAGGED_DEGREES = 180.0
"""Turn of a drag across the shorter side of the picture."""


class CameraMoved(Message):
    """The user asks for another camera of the opened mesh."""

    def __init__(self, change: Callable[[MeshCamera], MeshCamera]) -> None:
        super().__init__()
        self.change = change
        """Returns the requested camera for the present one."""


class SideRequested(Message):
    """The user asks for the next named side."""


class CameraForgotten(Message):
    """The user asks for the first camera again."""


class PlayRequested(Message):
    """The user asks to play the steps, then to turn the mesh, then to stop."""


class MeshView(ChartView):
    """Shows one mesh in full size, or two side by side."""

    BINDING_GROUP_TITLE = "Opened mesh"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", f"orbit(-{ORBIT_DEGREES}, 0)", "orbit", id="mesh.left", tooltip="orbit left"),
        Binding("right,l", f"orbit({ORBIT_DEGREES}, 0)", "orbit", id="mesh.right", tooltip="orbit right"),
        Binding("up,k", f"orbit(0, {ORBIT_DEGREES})", show=False, id="mesh.up", tooltip="orbit up"),
        Binding("down,j", f"orbit(0, -{ORBIT_DEGREES})", show=False, id="mesh.down", tooltip="orbit down"),
        Binding("H", f"orbit(-{FINE_DEGREES}, 0)", show=False, id="mesh.fine_left", tooltip="orbit a little left"),
        Binding("L", f"orbit({FINE_DEGREES}, 0)", show=False, id="mesh.fine_right", tooltip="orbit a little right"),
        Binding("V", "side", "side", id="mesh.side", tooltip="front, side, top, slanted, camera of the log"),
        Binding("d", "next_comparison", "compare", id="mesh.compare", tooltip="compare: side by side, what moved"),
        Binding("P", "play", "play", show=False, id="mesh.play", tooltip="play the steps, then turn by itself"),
    ]

    def __init__(self, worker: Worker) -> None:
        super().__init__(worker)
        self.images = ImageLayer(self, self._insets, self._draw)
        self._dragged = False
        self._held: Offset | None = None
        """Cell under the mouse that drags the mesh; None: it does not."""

    @property
    def mesh(self) -> OpenedMesh | None:
        """Return the opened mesh; None while nothing is drawn."""
        return self._opened if isinstance(self._opened, OpenedMesh) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer a key only where it does something; a stretch of steps is two meshes, not a zoom."""
        return action != "zoom_stretch" and super().check_action(action, parameters)

    def _insets(self) -> tuple[ImagePlacement, ...]:
        return () if self.mesh is None else self.mesh.insets

    def _picture_of(self, opened: OpenedCard) -> Cells:
        return self.images.with_placeholders(super()._picture_of(opened), self._insets())

    def _draw(self) -> None:
        super()._draw()
        self.images.update()

    # Keys

    def move(self, change: Callable[[MeshCamera], MeshCamera]) -> None:
        """Ask for another camera."""
        self.post_message(CameraMoved(change))

    def action_orbit(self, across: float, up: float) -> None:
        """Turn the mesh in the direction of the key."""
        self.move(lambda camera: camera.turn(-across, -up))

    def action_side(self) -> None:
        """Show the next side."""
        self.post_message(SideRequested())

    def action_stretch(self) -> None:
        """Compare with another step; if there is only one step, with another run."""
        if self.plotted is not None and len(self.plotted.stops) < 2:
            self.action_next_comparison()
        else:
            super().action_stretch()

    def action_next_comparison(self) -> None:
        """Show the mesh alone, next to another one, or coloured by its movement."""
        self.post_message(Choose(partial(cycle_comparison, comparison=COMPARISON)))

    def action_play(self) -> None:
        """Play the steps, then turn the mesh; stop what plays."""
        self.post_message(PlayRequested())

    def action_back(self) -> None:
        """Remove the topmost layer; a step of the card's own goes before the cursor."""
        key, settings = self.key, self._settings
        has_own_step = key is not None and CARD_STEPS.has(settings, key)
        if key is not None and has_own_step and settings.mark is None:
            self._settings = CARD_STEPS.forget(settings, key)
            self.post_message(Choose(partial(CARD_STEPS.forget, key=key)))
        else:
            super().action_back()

    # Mouse

    def _share_at(self, event: events.MouseEvent) -> tuple[float, float] | None:
        """Return a position from the middle of the picture, in parts of its shorter side; None outside."""
        mesh, offset = self.mesh, event.get_content_offset(self)
        if mesh is None or offset is None or not mesh.area.rows or not mesh.area.columns:
            return None
        column, row = offset.x - mesh.area.column, offset.y - mesh.area.row
        if not (0 <= column < mesh.area.columns and 0 <= row < mesh.area.rows):
            return None
        side = self._measure_side(mesh)
        return (column + 0.5 - mesh.area.columns / 2) / side, (mesh.area.rows / 2 - row - 0.5) * PIXELS_DOWN / side

    def _measure_side(self, mesh: OpenedMesh) -> float:
        """Return the shorter side of the picture in columns; a row is two columns high."""
        return float(max(min(mesh.area.columns, mesh.area.rows * PIXELS_DOWN), 1))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the mesh."""
        event.stop()
        self._dragged = False
        if event.button == 1 and self._share_at(event) is not None:
            self._held = event.get_content_offset(self)
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Orbit by as much as the mouse moved; with shift, move the mesh."""
        mesh, grabbed = self.mesh, self._held
        if grabbed is None or mesh is None:
            return
        event.stop()
        now = event.get_content_offset_capture(self)
        if now == grabbed:
            return
        self._held, self._dragged = now, True
        across, down = (
            (now.x - grabbed.x) / self._measure_side(mesh),
            (now.y - grabbed.y) * PIXELS_DOWN / self._measure_side(mesh),
        )
        if event.shift:
            self.move(lambda camera: camera.shift(across, -down))
        else:
            self.move(lambda camera: camera.turn(-DRAGGED_DEGREES * across, DRAGGED_DEGREES * down))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Release the mesh."""
        if self._held is not None:
            event.stop()
            self._held = None
            self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        """Move the cursor on the bar, or select a run of the table; a double click shows the mesh as at first."""
        if self._dragged:
            event.stop()
            self._dragged = False
        elif event.chain > 1 and self._share_at(event) is not None:
            event.stop()
            self.post_message(CameraForgotten())
        else:
            super().on_click(event)

    def wheel_zooms(self, _event: events.MouseEvent) -> bool:
        """Leave the axis of steps alone: the wheel zooms the mesh."""
        return False

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Zoom out, or scroll the table."""
        if not self._zoom_at(event, 1 / WHEEL_ZOOM):
            super().on_mouse_scroll_down(event)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Zoom in, or scroll the table."""
        if not self._zoom_at(event, WHEEL_ZOOM):
            super().on_mouse_scroll_up(event)

    def _zoom_at(self, event: events.MouseEvent, factor: float) -> bool:
        centre = self._share_at(event)
        if centre is None:
            return False
        event.stop()
        event.prevent_default()
        self.move(lambda camera: camera.magnify(factor, centre))
        return True


def reset(camera: MeshCamera) -> MeshCamera:
    """Return the camera with all of the mesh in sight, from the same side."""
    return replace(camera, zoom=1.0, x=0.0, y=0.0)
