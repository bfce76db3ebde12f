"""Timers that always end, and never after they were stopped.

A timer of Textual 8 skips the beats that it is late for. One that beats once has then nothing left, and is never heard
of: where the machine is so busy that the process stands still in the wrong moment, a terminal would not be listened to
any more when it changes its size, nor a loader when it has news.

One that beats only asks for its turn. Whoever stops it before that turn has come would be called all the same: an
animation that was stopped would play on, a sign of work that has ended would stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.message_pump import MessagePump

if TYPE_CHECKING:
    from textual.timer import Timer, TimerCallback


class LateTimers(MessagePump):
    """Whose timers that beat once do so late rather than never, and not at all once they are stopped."""

    def set_timer(
        self, delay: float, callback: TimerCallback | None = None, *, name: str | None = None, pause: bool = False
    ) -> Timer:
        """As Textual's."""

        def beat() -> Any:
            is_stopped = timer._task is None  # noqa: SLF001 - it tells nobody
            return None if callback is None or is_stopped else callback()

        # It begins to run within the call where tasks are eager, as Textual has them from Python 3.12 on.
        timer = super().set_timer(delay, None if callback is None else beat, name=name, pause=True)
        timer._skip = False  # noqa: SLF001 - it has nothing public for it
        if not pause:
            timer.resume()
        return timer
