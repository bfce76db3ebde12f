"""Mouse wheel and touchpad: vertical and horizontal turns; shift makes a vertical turn horizontal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual import events

WHEEL_ROWS = 3
"""Rows that one notch scrolls by."""


class Wheel:
    """Mixin of a widget that handles turns of the wheel itself; no ancestor scrolls then."""

    def turned(self, across: int, down: int) -> None:
        """Scroll by notches to the right and down; negative values scroll to the left and up."""
        raise NotImplementedError

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down, with shift to the right."""
        self._turn(event, 1, sideways=event.shift)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up, with shift to the left."""
        self._turn(event, -1, sideways=event.shift)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        """Scroll to the right."""
        self._turn(event, 1, sideways=True)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        """Scroll to the left."""
        self._turn(event, -1, sideways=True)

    def _turn(self, event: events.MouseEvent, notches: int, *, sideways: bool) -> None:
        event.stop()
        event.prevent_default()
        self.turned(notches if sideways else 0, 0 if sideways else notches)
