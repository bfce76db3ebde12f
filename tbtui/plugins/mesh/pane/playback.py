"""Play the steps of the opened mesh, or turn it, until a key stops it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.timer import Timer

STEP_SECONDS = 0.25
"""Time of one step."""

TURN_SECONDS = 0.1
TURN_DEGREES = 4.0
"""A whole turn takes 9 seconds, at 200 kB/s in truecolor at most."""


class Playback:
    """Calls a function again and again. Belongs to the UI thread.

    Args:
        set_timer: Calls a function after a number of seconds, as `set_timer` of a widget.
        is_visible: Returns False while another screen covers the pane; then nothing moves.
    """

    def __init__(self, set_timer: Callable[[float, Callable[[], None]], Timer], is_visible: Callable[[], bool]) -> None:
        self._set_timer = set_timer
        self._is_visible = is_visible
        self._timer: Timer | None = None
        self.playing = ""
        """Name of the playing animation; empty if none plays."""

    def toggle(self, kind: str, seconds: float, advance: Callable[[], None]) -> None:
        """Play something, or stop it if it plays; only one thing plays at a time."""
        was = self.playing
        self.stop()
        if was != kind:
            self.playing = kind
            self._wait(seconds, advance)

    def stop(self) -> None:
        """Stop."""
        self.playing = ""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _wait(self, seconds: float, advance: Callable[[], None]) -> None:
        def fire() -> None:
            if self.playing:
                if self._is_visible():
                    advance()
                self._wait(seconds, advance)

        self._timer = self._set_timer(seconds, fire)
