"""Fire one-shot timers that are late, and none that were stopped.

Replaces: `MessagePump.set_timer` of Textual 8.2.5 to 8.2.x (private: `Timer._skip`, `Timer._task`).

Fixes two bugs. Neither was found in Textual's issue tracker:

* `Timer._run` skips the beats that are already in the past. A one-shot timer has one beat, so it never fires if the
  process stands still for longer than `delay` at the wrong moment. Textual itself reads the size of the terminal 1/120
  s after a resize in this way: on a loaded machine the new size was missed until the next resize.
* A beat only queues the callback (`call_next`). `Timer.stop` does not take it out of the queue, so a stopped animation
  played one more frame, and a spinner stayed after its work had ended.

Can go when the canaries in the tests fail with a newer Textual.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.message_pump import MessagePump

if TYPE_CHECKING:
    from textual.timer import Timer, TimerCallback


def start_timer(
    pump: MessagePump,
    delay: float,
    callback: TimerCallback | None = None,
    *,
    name: str | None = None,
    pause: bool = False,
) -> Timer:
    """Start a one-shot timer that fires late rather than never, and never after `stop`.

    Args:
        pump: The widget or app that runs the callback; the timer ends with it.
        delay: Seconds.
        callback: See `MessagePump.set_timer`.
        name: See there.
        pause: See there.
    """

    def fire() -> Any:
        is_stopped = timer._task is None  # noqa: SLF001 - Timer has no public state
        return None if callback is None or is_stopped else callback()

    # Unbound, as the app's own set_timer calls this function. Paused, because with eager tasks (Textual uses them from
    # Python 3.12 on) the timer runs within this call, before `_skip` is set.
    timer = MessagePump.set_timer(pump, delay, None if callback is None else fire, name=name, pause=True)
    timer._skip = False  # noqa: SLF001 - set_timer does not pass it on
    if not pause:
        timer.resume()
    return timer
