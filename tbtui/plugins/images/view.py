"""One picture in full size, a bar of its steps below it, and below that the runs that hold the same tag."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tbtui.plugins.images import changes
from tbtui.plugins.images.full_size import OpenedImage
from tbtui.plugins.images.sight import seen
from tbtui.widgets.chart_view import ChartView
from tbtui.widgets.inset_picture import InsetPicture
from tbtui.widgets.pane import Choose

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events

    from tbtui.charts.cells import Cells
    from tbtui.graphics.insets import Inset
    from tbtui.plugins.images.sight import Size
    from tbtui.viewstate.choices import Choices
    from tbtui.widgets.frames import Opened

WHEEL_ZOOM = 1.25
"""What a notch of the wheel enlarges a picture by."""


class FrameAsked(Message):
    """Another frame of an animation is wanted."""

    def __init__(self, frames: int) -> None:
        super().__init__()
        self.frames = frames
        """How many further on; negative goes back."""


class PlayAsked(Message):
    """An animation is to move, or to stand still."""


class ImageView(ChartView, InsetPicture):
    """Shows one picture in full size, or two of them."""

    BINDING_GROUP_TITLE = "Opened picture"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "next_comparison", "compare", id="image.compare", tooltip="beside another, difference"),
        Binding("a", "actual_size", "actual size", show=False, id="image.actual", tooltip="a dot a pixel"),
        Binding("P", "play", "play", id="image.play", tooltip="play or stop an animation"),
        Binding("less_than_sign", "frame(-1)", show=False, id="image.frame_before", tooltip="frame before"),
        Binding("greater_than_sign", "frame(1)", show=False, id="image.frame_after", tooltip="frame after"),
    ]

    @property
    def image(self) -> OpenedImage | None:
        """What is on the screen; None while there is nothing."""
        return self._opened if isinstance(self._opened, OpenedImage) else None

    @property
    def is_animated(self) -> bool:
        """Whether it has several frames."""
        return self.image is not None and self.image.frames > 1

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A key that would do nothing is not offered; a stretch of steps is two pictures, not a zoom."""
        if action in ("play", "frame"):
            return self.is_animated
        return action != "zoom_stretch" and super().check_action(action, parameters)

    @property
    def insets(self) -> tuple[Inset, ...]:
        """The picture, or both."""
        return () if self.image is None else self.image.insets

    def _picture_of(self, opened: Opened) -> Cells:
        cells = super()._picture_of(opened)
        return cells if self.pixel_layer is None else self.pixel_layer.in_place(cells, self.insets)

    def _draw(self) -> None:
        super()._draw()
        self.lay()
        self.refresh_bindings()

    # Keys

    def change_sight(self, change: Callable[..., Choices], **how: object) -> None:
        """Look at another part of the picture; without one nothing can be asked."""
        image = self.image
        if image is not None and image.size is not None:
            where = {"key": image.key, "size": image.size, "room": image.room, "dots": image.dots[0]}
            self.post_message(Choose(partial(change, **where, **how)))

    def action_next_comparison(self) -> None:
        """Alone, beside another picture, the difference of both."""
        self.post_message(Choose(changes.next_comparison))

    def action_actual_size(self) -> None:
        """A dot a pixel, or the whole picture again."""
        self.change_sight(changes.actual_size)

    def action_play(self) -> None:
        """Play an animation, or stop it."""
        self.post_message(PlayAsked())

    def action_frame(self, frames: int) -> None:
        """Show another frame of an animation."""
        self.post_message(FrameAsked(frames))

    def action_back(self) -> None:
        """Take the topmost layer away: as any opened chart, but a step of its own goes before the cursor."""
        key, choices = self.key, self._choices
        if key is not None and key in choices.image_steps and choices.mark is None and not self.drop_box():
            self._choices = replace(choices, image_steps={})
            self.post_message(Choose(partial(changes.own_step_forgotten, key=key)))
        else:
            super().action_back()

    # Mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """No box is dragged over a bar of steps."""
        event.stop()

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on a step of the bar, or select a run of the table; twice: show all of the picture."""
        if event.chain > 1 and self.key is not None and self.pointed_by(event) is None:
            event.stop()
            self.post_message(Choose(partial(changes.fitted, key=self.key)))
        else:
            super().on_click(event)

    def wheel_zooms(self, _event: events.MouseEvent) -> bool:
        """Not the axis of steps, but the picture: see below."""
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
        at = _part_at(image, image.size, offset.x, offset.y, self._choices)
        self.change_sight(changes.zoomed, factor=factor, at=at)
        return True


def _part_at(image: OpenedImage, size: Size, column: int, row: int, choices: Choices) -> tuple[float, float]:
    """The place of a cell, as parts of what is seen of the picture."""
    (width, height), (across, down) = image.room, image.dots
    shown = seen(size, image.room, choices.image_sights.get(image.key), across)
    left, top = (width - shown.width) // 2, (height - shown.height) // 2
    x = (across * column % max(width, 1) - left + across / 2) / shown.width
    y = (down * (row - image.top) - top + down / 2) / shown.height
    return max(0.0, min(x, 1.0)), max(0.0, min(y, 1.0))
