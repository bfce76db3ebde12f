"""From the loader's thread to the UI: one message however many changes, taken at most ten times a second.

While much is being loaded states are taken ever more seldom: what is drawn then is soon out of date, and drawing it
takes the time that loading needs.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message_pump import MessagePump
    from textual.timer import Timer

    from tbtui.loading.state import LoadState

PERIOD = 0.1
"""Seconds between two states that are drawn; the first of a burst is drawn at once."""

LOADING_SHARE = 5
LONGEST_PERIOD = 1.0
"""Until everything has been read it is 1/5 of the time that has been loading so far, at most so many seconds."""


class Source(Protocol):
    """What the app needs of the loader."""

    on_change: Callable[[], None]
    """Called on the loader's thread whenever `state` is another one."""

    @property
    def state(self) -> LoadState:
        """The latest state; may be read from any thread."""

    def wake(self) -> None:
        """Look for new data now."""


class LoadChanged(Message, bubble=False):
    """The loader has another state: carries nothing, so nothing is lost when one stands for many."""

    def can_replace(self, message: Message) -> bool:
        """Only the last of several waiting messages is handled."""
        return isinstance(message, LoadChanged)


class Bridge:
    """Hands the loader's states to the UI thread.

    `announce` belongs to the loader's thread, everything else to the UI's.
    """

    def __init__(self, source: Source, pump: MessagePump, take: Callable[[LoadState], None]) -> None:
        """Connect nothing yet: see `open`.

        Args:
            source: The loader.
            pump: Gets the messages; it hands each on to `changed`.
            take: Called on the UI thread with each state that is to be drawn.
        """
        self._source = source
        self._pump = pump
        self._take = take
        self._announced = False
        self._taken: LoadState | None = None
        self._opened = 0.0
        self._last = -PERIOD
        self._timer: Timer | None = None
        self._due = 0.0
        """When the timer ends, if there is one."""

    def open(self) -> None:
        """Listen to the loader, which may run already, and take the state it has."""
        self._opened = time.monotonic()
        self._source.on_change = self.announce
        self._hand_over()

    def close(self) -> None:
        """Listen no more. The loader goes on until whoever started it stops it."""
        self._source.on_change = _nothing
        if self._timer is not None:
            self._timer.stop()

    def announce(self) -> None:
        """Tell the UI thread that there is another state, unless it knows already."""
        if not self._announced:
            self._announced = True
            self._pump.post_message(LoadChanged())

    def changed(self) -> None:
        """Take the state now, or a moment later when the last one was taken just before."""
        # Cleared before the state is read: a change that comes in between is announced again rather than missed.
        self._announced = False
        due = self._last + self._period()
        if self._timer is not None:
            if due >= self._due:
                return
            self._timer.stop()
        wait = due - time.monotonic()
        if wait <= 0:
            self._hand_over()
        else:
            self._due = due
            self._timer = self._pump.set_timer(wait, self._hand_over)

    def _period(self) -> float:
        """Seconds from the state taken last to the next."""
        if self._source.state.complete:
            return PERIOD
        return min(max(PERIOD, (self._last - self._opened) / LOADING_SHARE), LONGEST_PERIOD)

    def _hand_over(self) -> None:
        self._timer = None
        self._last = time.monotonic()
        state = self._source.state
        if state is not self._taken:
            self._taken = state
            self._take(state)


def _nothing() -> None:
    pass
