"""Advance the frames of an opened animation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.timer import Timer

MIN_FRAME_SECONDS = 0.05
"""A frame is shown for at least this long: more frames a second cost a slow line more than anybody sees."""


@frozen
class Animation:
    """Frame that an opened picture shows, and whether frames advance by themselves."""

    frame: int = 0
    is_playing: bool = False

    def turn(self, frames: int, count: int) -> Animation:
        """Return the animation some frames further; after the last frame comes the first.

        Args:
            frames: Frames to advance; negative goes back.
            count: Frames that the picture has.
        """
        return replace(self, frame=(self.frame + frames) % max(count, 1))

    def start(self, count: int) -> Animation:
        """Return the animation playing; a picture of one frame never plays."""
        return replace(self, is_playing=count > 1)

    def stop(self) -> Animation:
        """Return the animation standing still at its frame."""
        return replace(self, is_playing=False)


class AnimatedPicture(Protocol):
    """The opened picture as the player needs it."""

    @property
    def frames(self) -> int:
        """Number of frames."""

    @property
    def seconds(self) -> float:
        """Seconds for which the present frame is shown."""


class AnimationPlayer:
    """Advances the frames of the opened picture. Belongs to the UI thread.

    Args:
        picture: Returns the opened picture; None while there is none.
        set_timer: Calls a function after a number of seconds, as `set_timer` of a widget.
        is_visible: Returns False while another screen covers the pane; then no frame advances.
        show_frame: Callback with the number of the next frame.
    """

    def __init__(
        self,
        picture: Callable[[], AnimatedPicture | None],
        set_timer: Callable[[float, Callable[[], None]], Timer],
        is_visible: Callable[[], bool],
        show_frame: Callable[[int], None],
    ) -> None:
        self._picture = picture
        self._set_timer = set_timer
        self._is_visible = is_visible
        self._show_frame = show_frame
        self._timer: Timer | None = None
        self.state = Animation()

    def turn(self, frames: int) -> None:
        """Show another frame."""
        picture = self._picture()
        if picture is not None:
            self._set_state(self.state.turn(frames, picture.frames))

    def toggle(self) -> None:
        """Play, or stop."""
        if self.state.is_playing:
            self.stop()
        else:
            self._wait()

    def stop(self) -> None:
        """Stop at the present frame."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._set_state(self.state.stop())

    def rewind(self) -> None:
        """Stop at the first frame."""
        self.stop()
        self._set_state(Animation())

    def _wait(self) -> None:
        picture = self._picture()
        self._timer = None
        self._set_state(self.state.start(0 if picture is None else picture.frames))
        if picture is not None and self.state.is_playing:
            self._timer = self._set_timer(max(picture.seconds, MIN_FRAME_SECONDS), self._advance)

    def _advance(self) -> None:
        if self._is_visible():
            self.turn(1)
        self._wait()

    def _set_state(self, state: Animation) -> None:
        before, self.state = self.state, state
        if state.frame != before.frame:
            self._show_frame(state.frame)
