"""Timers that always end.

A timer of Textual 8 skips the beats that it is late for. One that beats once has then nothing left, and is never heard
of: where the machine is so busy that the process stands still in the wrong moment, a terminal would not be listened to
any more when it changes its size, nor a loader when it has news.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message_pump import MessagePump

if TYPE_CHECKING:
    from textual.timer import Timer, TimerCallback


class LateTimers(MessagePump):
    """Whose timers that beat once do so late rather than never."""

    def set_timer(
        self, delay: float, callback: TimerCallback | None = None, *, name: str | None = None, pause: bool = False
    ) -> Timer:
        """As Textual's."""
        timer = super().set_timer(delay, callback, name=name, pause=pause)
        timer._skip = False  # noqa: SLF001 - it has not begun to run
        return timer
