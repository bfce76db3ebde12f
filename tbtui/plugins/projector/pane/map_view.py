"""The widget of the map: it draws a scene, and turns keys and mouse into points and cameras."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.ink_colours import DIM_OPACITY
from tbtui.charts.point_cloud import Camera, find_nearest_point, find_point_in_direction
from tbtui.charts.text import write
from tbtui.plugins.projector.layouts import LayoutState
from tbtui.plugins.projector.map_picture import draw_map
from tbtui.plugins.projector.map_pixels import draw_pixels
from tbtui.plugins.projector.scene import Scene
from tbtui.plugins.projector.session import ORBIT_RADIANS, PAN_FRACTION, ZOOM_FACTOR
from tbtui.terminal_images.encode import add_stand_ins
from tbtui.view.image_renderer import ImageRenderer, RenderedImage
from tbtui.view.run_names import fit_run_name
from tbtui.widgets.cells_view import CellsView, WheelMixin
from tbtui.widgets.empty_state import draw_empty_state
from tbtui.widgets.image_layer import ImageLayer
from tbtui.widgets.ink_styles import get_ink_styles
from tbtui.widgets.scroll_state import PAGE_DOWN_KEYS, PAGE_UP_KEYS
from tbtui.widgets.textual_patches.timers import start_timer

if TYPE_CHECKING:
    from rich.style import Style
    from textual import events
    from textual.timer import Timer

    from tbtui.plugins.projector.map_picture import MapPicture
    from tbtui.terminal_images.encode import Colour, ImagePlacement
    from tbtui.view.image_renderer import RenderTarget

CLICK_DOTS = 8
"""Distance in dots within which a click reaches a point."""

RADIANS_PER_CELL = 0.04
MIN_PAIR_COLUMNS = 50
"""Columns from which on two maps fit next to each other."""

LIGHT_TEXT, DARK_TEXT = (229, 229, 229), (0, 0, 0)
"""Colours of text in pixels if the theme leaves the colour of text to the terminal."""

PIXELS_AFTER_SECONDS = 0.3
"""Time without a change after which pixels replace dots."""


class _Drag(NamedTuple):
    """A press of a button of the mouse, and the cell that the pointer reached last."""

    column: int
    row: int
    button: int


class MapView(WheelMixin, CellsView, can_focus=True):
    """Shows the map of a scene, or a message."""

    DEFAULT_CSS = """
    MapView { height: 1fr; width: 1fr; }
    """

    BINDING_GROUP_TITLE = "Map"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "go(-1, 0)", "left", show=False),
        Binding("right,l", "go(1, 0)", "right", show=False),
        Binding("up,k", "go(0, -1)", "up", show=False),
        Binding("down,j", "go(0, 1)", "down", show=False),
        Binding("H,shift+left", "turn(-1, 0)", show=False, id="projector.turn_left", tooltip="view left"),
        Binding("L,shift+right", "turn(1, 0)", show=False, id="projector.turn_right", tooltip="view right"),
        Binding(
            f"K,shift+up,{PAGE_UP_KEYS}",
            "turn(0, -1)",
            show=False,
            id="projector.turn_up",
            tooltip="view up",
        ),
        Binding(
            f"J,shift+down,{PAGE_DOWN_KEYS}",
            "turn(0, 1)",
            show=False,
            id="projector.turn_down",
            tooltip="view down",
        ),
    ]

    class CursorMoved(Message):
        """The cursor is on another point."""

        def __init__(self, point: int, *, is_second_click: bool = False) -> None:
            super().__init__()
            self.point = point
            self.is_second_click = is_second_click
            """True if the point under the cursor was clicked."""

    class CameraMoved(Message):
        """The user requests another camera."""

        def __init__(self, camera: Camera) -> None:
            super().__init__()
            self.camera = camera

    class BoxDrawn(Message):
        """The user has drawn a rectangle around points."""

        def __init__(self, points: list[int]) -> None:
            super().__init__()
            self.points = points

    def __init__(self) -> None:
        super().__init__()
        self.scene: Scene | None = None
        self.picture: MapPicture | None = None
        self._message = ("", "")
        self.images = ImageLayer(self, self._place_insets, self._draw, self._put_pixels)
        self._renderer = ImageRenderer()
        self._target: RenderTarget | None = None
        self._rendered: RenderedImage | None = None
        self._timer: Timer | None = None
        self._drawings = 0
        self._drag: _Drag | None = None

    def show(self, scene: Scene) -> None:
        """Draw a scene."""
        self.scene = scene
        self._draw()

    def show_message(self, headline: str, hint: str = "") -> None:
        """Show a message instead of points."""
        self.scene, self.picture, self._message = None, None, (headline, hint)
        self._draw()

    def draw_for(self, target: RenderTarget | None) -> None:
        """Draw pixels for a terminal from now on once nothing changes; None: dots alone."""
        if target != self._target:
            self._target = target
            self._draw()

    def _place_insets(self) -> tuple[ImagePlacement, ...]:
        return () if self._rendered is None else self._rendered.insets

    def on_resize(self) -> None:
        """Draw in the new size."""
        self._draw()

    def _draw(self) -> None:
        width, height = self.size.width, self.size.height
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        had_pixels, self._rendered = self._rendered is not None, None
        if self._cells.glyphs.shape != (height, width):
            self.clear(height, width)
        if had_pixels:
            self.images.update()
        if not width or not height:
            return
        scene = self.scene
        if scene is None:
            self.put(0, 0, draw_empty_state(*self._message, width, height))
            return
        if scene.session.is_beside and scene.comparison is not None and width >= MIN_PAIR_COLUMNS:
            self.put(0, 0, self._draw_pair(scene, width, height))
            return
        self.picture = draw_map(scene, width, height)
        self.put(0, 0, self.picture.cells)
        if self._target is not None and self._target.in_pixels:
            self._timer = start_timer(self, PIXELS_AFTER_SECONDS, self._draw_pixels)

    def _draw_pixels(self) -> None:
        """Replace the dots by pixels."""
        scene, picture, target = self.scene, self.picture, self._target
        if scene is None or picture is None or target is None or not self.is_attached:
            return
        styles = get_ink_styles(self.app)
        ground = target.ground or self.background_colors[1].rgb
        text = LIGHT_TEXT if target.dark else DARK_TEXT

        def colour_of(ink: int) -> tuple[int, int, int]:
            return _colour_in_pixels(styles.of(ink), text, ground)

        self._drawings += 1
        pixels = draw_pixels(scene, picture, target.dots, ground, colour_of)
        rendered = self._renderer.draw(("projector", id(self), self._drawings), pixels, target)
        self._rendered = RenderedImage(rendered.cells, add_stand_ins(rendered.insets, picture.cells))
        self._put_pixels()
        self.images.update()

    def _put_pixels(self) -> None:
        """Put the cells that the terminal replaces by pixels, and dots where another widget is in front of them."""
        if self._rendered is not None:
            self.put(0, 0, self.images.with_placeholders(self._rendered.cells, self._rendered.insets))

    def _draw_pair(self, scene: Scene, width: int, height: int) -> Cells:
        """Return two maps next to each other: this one, and the compared one in the same axes."""
        comparison = scene.comparison
        cells = Cells.blank(height, width)
        if comparison is None:
            return cells
        half = (width - 1) // 2
        other = Scene(
            comparison.source,
            comparison.version,
            scene.points,
            LayoutState(comparison.positions),
            replace(scene.session, isolated=scene.session.isolated),
            scene.run_ink,
            scene.neighbours,
            scene.matches,
            distinct_colours=scene.distinct_colours,
        )
        self.picture = draw_map(scene, half, height - 1)
        titles = _title(scene), _title(other)
        for left, picture, title in zip(
            (0, half + 1), (self.picture, draw_map(other, half, height - 1)), titles, strict=True
        ):
            write(cells, 0, left, fit_run_name(title, titles, half), Ink.DIM)
            cells.put(1, left, picture.cells)
        for row in range(height):
            write(cells, row, half, "│", Ink.FAINT)
        return cells

    # Keys

    def action_go(self, across: int, down: int) -> None:
        """Move the cursor to the next point in a direction; without one, move the map."""
        scene, picture = self.scene, self.picture
        if scene is None or picture is None:
            return
        cursor = scene.session.cursor
        projection = picture.projection
        if cursor is None or not bool((projection.inside & scene.visible)[cursor]):
            middle = (projection.width - 1) / 2, (projection.height - 1) / 2
            point = find_nearest_point(projection, scene.visible, *middle)
        else:
            point = find_point_in_direction(projection, scene.visible, cursor, across, down)
        if point is not None:
            self.post_message(self.CursorMoved(point))
        elif scene.session.camera.zoom > 1:
            self.post_message(self.CameraMoved(scene.session.camera.shift(PAN_FRACTION * across, -PAN_FRACTION * down)))

    def action_turn(self, across: int, down: int) -> None:
        """Rotate points in three dimensions, move the map of two."""
        if (scene := self.scene) is None:
            return
        camera = scene.session.camera
        if scene.session.layout.dimensions == 3:
            moved = camera.turn(ORBIT_RADIANS * across, ORBIT_RADIANS * down)
        else:
            moved = camera.shift(PAN_FRACTION * across, -PAN_FRACTION * down)
        self.post_message(self.CameraMoved(moved))

    def zoom(self, steps: int, dot: tuple[float, float] | None = None) -> None:
        """Zoom in (1) or out (-1) around the cursor, or around a dot."""
        scene, picture = self.scene, self.picture
        if scene is None or picture is None:
            return
        projection, camera = picture.projection, scene.session.camera
        if dot is None:
            cursor = scene.session.cursor
            if cursor is not None and bool((projection.inside & scene.visible)[cursor]):
                dot = float(projection.x[cursor]), float(projection.y[cursor])
        anchor = None if dot is None else projection.get_unit_position(*dot, camera)
        self.post_message(self.CameraMoved(camera.magnify(ZOOM_FACTOR**steps, anchor)))

    # Mouse

    def _find_point(self, column: int, row: int) -> int | None:
        scene, picture = self.scene, self.picture
        if scene is None or picture is None:
            return None
        dot = self._find_middle_dot(column, row)
        return find_nearest_point(picture.projection, scene.visible, *dot, CLICK_DOTS)

    def _find_middle_dot(self, column: int, row: int) -> tuple[float, float]:
        """Return the position in dots of the middle of a cell."""
        scene = self.scene
        top = int(scene is not None and scene.session.is_beside and scene.comparison is not None)
        return column * DOTS_ACROSS + (DOTS_ACROSS - 1) / 2, (row - top) * DOTS_DOWN + (DOTS_DOWN - 1) / 2

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Begin to drag."""
        offset = event.get_content_offset(self)
        if offset is not None and self.scene is not None:
            self._drag = _Drag(offset.x, offset.y, event.button)
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Rotate or move the points with the right button."""
        if self._drag is None or self.scene is None or self._drag.button == 1:
            return
        column, row, button = self._drag
        across, down = event.x - column, event.y - row
        self._drag = _Drag(event.x, event.y, button)
        camera = self.scene.session.camera
        if self.scene.session.layout.dimensions == 3:
            moved = camera.turn(RADIANS_PER_CELL * across, 2 * RADIANS_PER_CELL * down)
        else:
            moved = camera.shift(-2 * across / max(self.size.width, 1), 2 * down / max(self.size.height, 1))
        self.post_message(self.CameraMoved(moved))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Go to the clicked point, or select the points of the dragged rectangle."""
        drag, self._drag = self._drag, None
        self.release_mouse()
        scene, picture = self.scene, self.picture
        if drag is None or scene is None or picture is None or drag.button != 1:
            return
        event.stop()
        column, row, _ = drag
        if abs(event.x - column) + abs(event.y - row) <= 1:
            point = self._find_point(column, row)
            if point is not None:
                self.post_message(self.CursorMoved(point, is_second_click=point == scene.session.cursor))
            return
        corners = [self._find_middle_dot(*corner) for corner in ((column, row), (event.x, event.y))]
        self.post_message(self.BoxDrawn(select_points_in_box(picture, scene, corners[0], corners[1])))

    def handle_wheel(self, across: int, down: int) -> None:
        """Zoom around the pointer; with shift move sideways."""
        if self.scene is None:
            return
        if across:
            self.post_message(self.CameraMoved(self.scene.session.camera.shift(PAN_FRACTION / 2 * across, 0)))
            return
        pointer = self.app.mouse_position - self.content_region.offset
        self.zoom(-down, self._find_middle_dot(pointer.x, pointer.y))


def _colour_in_pixels(style: Style, text: Colour, ground: Colour) -> Colour:
    """Return the colour of a style in pixels.

    Args:
        style: A style of an ink.
        text: Colour of text that the terminal chooses.
        ground: Background, with which dim colours are mixed.
    """
    colour = text if style.color is None or style.color.is_default else style.color.get_truecolor()
    if not style.dim:
        return colour[0], colour[1], colour[2]
    red, green, blue = (
        round(DIM_OPACITY * channel + (1 - DIM_OPACITY) * background)
        for channel, background in zip(colour, ground, strict=True)
    )
    return red, green, blue


def select_points_in_box(
    picture: MapPicture, scene: Scene, first: tuple[float, float], second: tuple[float, float]
) -> list[int]:
    """Return the drawn points within a rectangle between two dots."""
    projection = picture.projection
    left, right = sorted((first[0], second[0]))
    top, bottom = sorted((first[1], second[1]))
    is_inside = (projection.x >= left - 1) & (projection.x <= right + 1)
    is_inside &= (projection.y >= top - 2) & (projection.y <= bottom + 2)
    points: list[int] = (is_inside & scene.visible).nonzero()[0].tolist()
    return points


def _title(scene: Scene) -> str:
    step = scene.source.embedding.versions[scene.version].step
    names = f"{scene.source.run} · {scene.source.embedding.title}"
    return names if step is None else f"{names} · step {step}"
