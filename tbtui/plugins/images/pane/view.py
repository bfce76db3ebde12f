"""Widgets of the Images tab: the grid of thumbnails, the bar of steps, and the picture in full size."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.plugins.images import transitions
from tbtui.plugins.images.detail import OpenedImage
from tbtui.plugins.images.settings import COMPARISON, VIEWPORTS
from tbtui.plugins.images.viewport import find_visible_part
from tbtui.plugins.step_settings import cycle_comparison
from tbtui.widgets.chart_view import ChartView
from tbtui.widgets.image_layer import ImageLayer
from tbtui.widgets.pane import Choose
from tbtui.widgets.plot_view import WHEEL_ZOOM

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events

    from tbtui.charts.cells import Cells
    from tbtui.plugins.images.viewport import Size
    from tbtui.settings.settings import Settings
    from tbtui.terminal_images.encode import ImagePlacement
    from tbtui.view.painted_cards import OpenedCard
    from tbtui.widgets.worker import Worker


class FrameRequested(Message):
    """The user asks for another frame of an animation."""

    def __init__(self, frames: int) -> None:
        super().__init__()
        self.frames = frames
        """Number of frames further on; negative goes back."""


class PlayRequested(Message):
    """The user asks to play or stop an animation."""


class ImageView(ChartView):
    """Shows one picture in full size, or two side by side."""

    BINDING_GROUP_TITLE = "Opened image"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "next_comparison", "compare", id="image.compare", tooltip="compare side by side"),
        Binding(
            "f", "fit_or_actual", "actual size", show=False, id="image.actual", tooltip="fit, or actual size (1:1)"
        ),
        Binding("P", "play", "play", id="image.play", tooltip="play or stop an animation"),
        Binding("less_than_sign", "frame(-1)", show=False, id="image.frame_before", tooltip="frame previous"),
        Binding("greater_than_sign", "frame(1)", show=False, id="image.frame_after", tooltip="frame next"),
    ]

    def __init__(self, worker: Worker) -> None:
        super().__init__(worker)
        self.images = ImageLayer(self, self._insets, self._draw)

    @property
    def image(self) -> OpenedImage | None:
        """Return the opened picture; None while nothing is drawn."""
        return self._opened if isinstance(self._opened, OpenedImage) else None

    @property
    def is_animated(self) -> bool:
        """True if the image has several frames."""
        return self.image is not None and self.image.frames > 1

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer a key only where it does something; a stretch of steps is two pictures, not a zoom."""
        if action in ("play", "frame"):
            return self.is_animated
        return action != "zoom_stretch" and super().check_action(action, parameters)

    def _insets(self) -> tuple[ImagePlacement, ...]:
        return () if self.image is None else self.image.insets

    def _picture_of(self, opened: OpenedCard) -> Cells:
        return self.images.with_placeholders(super()._picture_of(opened), self._insets())

    def _draw(self) -> None:
        super()._draw()
        self.images.update()
        self.refresh_bindings()

    # Keys

    def change_viewport(self, change: Callable[..., Settings], **how: object) -> None:
        """Ask for another part of the picture; do nothing without a picture."""
        image = self.image
        if image is not None and image.size is not None:
            where = {"key": image.key, "size": image.size, "area": image.room, "dots_per_column": image.dots[0]}
            self.post_message(Choose(partial(change, **where, **how)))

    def action_stretch(self) -> None:
        """Compare with another step; if there is only one step, with another run."""
        if self.plotted is not None and len(self.plotted.stops) < 2:
            self.action_next_comparison()
        else:
            super().action_stretch()

    def action_next_comparison(self) -> None:
        """Show the picture alone, next to another one, or the difference of both."""
        self.post_message(Choose(partial(cycle_comparison, comparison=COMPARISON)))

    def action_fit_or_actual(self) -> None:
        """Show the whole picture, or one dot per pixel if it is whole."""
        if self.key is not None and self.key in VIEWPORTS.value(self._settings):
            self.post_message(Choose(partial(transitions.fit, key=self.key)))
        else:
            self.change_viewport(transitions.toggle_actual_size)

    def action_play(self) -> None:
        """Play an animation, or stop it."""
        self.post_message(PlayRequested())

    def action_frame(self, frames: int) -> None:
        """Show another frame of an animation."""
        self.post_message(FrameRequested(frames))

    def action_back(self) -> None:
        """Remove the topmost layer; a step of the card's own goes before the cursor."""
        key, settings = self.key, self._settings
        steps = transitions.CARD_STEPS
        if key is not None and steps.has(settings, key) and settings.mark is None and not self.mouse.drop_box():
            self._settings = steps.forget(settings, key)
            self.post_message(Choose(partial(steps.forget, key=key)))
        else:
            super().action_back()

    # Mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Stop the event: a bar of steps has no box to drag."""
        event.stop()

    def on_click(self, event: events.Click) -> None:
        """Move the cursor on the bar, or select a run of the table; a double click shows the whole picture."""
        if event.chain > 1 and self.key is not None and self.mouse.find_pointed_cell(event) is None:
            event.stop()
            self.post_message(Choose(partial(transitions.fit, key=self.key)))
        else:
            super().on_click(event)

    def wheel_zooms(self, _event: events.MouseEvent) -> bool:
        """Leave the axis of steps alone: the wheel zooms the picture."""
        return False

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Zoom out of the picture, or scroll the table."""
        if not self._zoom_at(event, 1 / WHEEL_ZOOM):
            super().on_mouse_scroll_down(event)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Zoom into the picture, or scroll the table."""
        if not self._zoom_at(event, WHEEL_ZOOM):
            super().on_mouse_scroll_up(event)

    def _zoom_at(self, event: events.MouseEvent, factor: float) -> bool:
        image, offset = self.image, event.get_content_offset(self)
        if image is None or image.size is None or offset is None or offset.y >= image.picture.height - 1:
            return False
        event.stop()
        event.prevent_default()
        centre = _find_part(image, image.size, offset.x, offset.y, self._settings)
        self.change_viewport(transitions.zoom, factor=factor, centre=centre)
        return True


def _find_part(image: OpenedImage, size: Size, column: int, row: int, settings: Settings) -> tuple[float, float]:
    """Return the position of a cell in the visible part of the picture, x and y from 0 to 1."""
    (width, height), (across, down) = image.room, image.dots
    shown = find_visible_part(size, image.room, VIEWPORTS.value(settings).get(image.key), across)
    left, top = (width - shown.width) // 2, (height - shown.height) // 2
    x = (across * column % max(width, 1) - left + across / 2) / shown.width
    y = (down * (row - image.top) - top + down / 2) / shown.height
    return max(0.0, min(x, 1.0)), max(0.0, min(y, 1.0))
