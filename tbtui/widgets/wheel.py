"""The wheel of the mouse, and what a touchpad makes of it: down and up, and sideways, with shift too."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual import events

WHEEL_ROWS = 3
"""Rows that a notch scrolls by."""


class Wheel:
    """Mixed into a widget that says what a turn of the wheel moves; nothing else is scrolled by it then."""

    def turned(self, across: int, down: int) -> None:
        """Show what is so many notches to the right, or further down; below 0 to the left, or further up."""
        raise NotImplementedError

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Down, with shift to the right."""
        self._turn(event, 1, sideways=event.shift)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Up, with shift to the left."""
        self._turn(event, -1, sideways=event.shift)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        """To the right."""
        self._turn(event, 1, sideways=True)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        """To the left."""
        self._turn(event, -1, sideways=True)

    def _turn(self, event: events.MouseEvent, notches: int, *, sideways: bool) -> None:
        event.stop()
        event.prevent_default()
        self.turned(notches if sideways else 0, 0 if sideways else notches)
