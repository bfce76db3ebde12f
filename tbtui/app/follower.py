"""Follows the loader: passes its states from the loader thread to the UI thread at a bounded rate.

At most ten states a second are shown. During a long initial load the rate falls: each refresh is soon out of date, and
it takes time that loading needs.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from textual.message import Message

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import Callable, Sequence

    from textual.message_pump import MessagePump
    from textual.timer import Timer

    from tbtui.loading.sources import Source
    from tbtui.loading.state import LoadState

MIN_PERIOD_SECONDS = 0.1
"""Time between two refreshes; the first state of a burst is shown at once."""

MAX_PERIOD_SECONDS = 1.0
"""During the initial load the period is the time spent loading so far, up to this bound: a load of a second is shown
at 0.1, 0.2, 0.4, 0.8 seconds and at its end.
"""

MAX_LAST_PERIOD_SECONDS = 2.0
"""The period once the rest is likely read within `MAX_PERIOD_SECONDS`. To show thousands of runs takes as long as to
read many of them, so a refresh just before the end would delay the complete state.
"""


class FollowedLoader(Protocol):
    """The part of the loader that the app needs."""

    on_change: Callable[[], None]
    """Called on the loader thread whenever `state` was replaced."""

    @property
    def state(self) -> LoadState:
        """The latest state; safe to read from any thread."""

    def make_way(self) -> None:
        """Pause reading for a moment, while a key is answered; called on any thread."""

    def wake(self) -> None:
        """Look for new data now."""

    def set_sources(self, sources: Sequence[Source]) -> None:
        """Follow other log directories from now on."""

    def verify(self, wanted: bool) -> None:
        """Compare everything that was read with its checksums again, or stop doing so."""


class LoadChanged(Message, bubble=False):
    """The loader has a new state. The message carries no data, so one message can stand for many."""

    def can_replace(self, message: Message) -> bool:
        """Return True: the last of several waiting messages stands for all."""
        return isinstance(message, LoadChanged)


class LoaderFollower:
    """Passes the loader's states to the UI thread.

    `announce` runs on the loader thread, everything else on the UI thread.

    Args:
        loader: The loader. The follower never starts or stops it.
        pump: Receives the messages and runs the timer; it must call `handle_change` for each `LoadChanged`.
        refresh: Called on the UI thread; shows a state.
        prepare: Starts to compute on another thread what a refresh needs, and returns the future; None if that is
            little. Meanwhile keys are answered from the state before. The first state is not prepared.
    """

    def __init__(
        self,
        loader: FollowedLoader,
        pump: MessagePump,
        refresh: Callable[[LoadState], None],
        prepare: Callable[[LoadState], Future[None] | None] = lambda _: None,
    ) -> None:
        self._loader = loader
        self._pump = pump
        self._refresh = refresh
        self._prepare = prepare
        self._is_preparing = False
        self._is_closed = False
        self._is_announced = False
        self._shown_state: LoadState | None = None
        self._opened_at = 0.0
        self._refreshed_at = -MIN_PERIOD_SECONDS
        self._timer: Timer | None = None
        self._timer_ends_at = 0.0
        """Valid while `_timer` is not None."""

    def open(self) -> None:
        """Subscribe to the loader, which may be running already, and show its present state."""
        self._opened_at = time.monotonic()
        self._loader.on_change = self.announce
        self._shown_state = self._loader.state
        self._refreshed_at = time.monotonic()
        self._refresh(self._shown_state)

    def close(self) -> None:
        """Unsubscribe. The loader runs on until its owner stops it."""
        self._loader.on_change = _ignore
        self._is_closed = True
        if self._timer is not None:
            self._timer.stop()

    def announce(self) -> None:
        """Notify the UI thread of a new state unless a notification is already on its way."""
        if not self._is_announced:
            self._is_announced = True
            self._pump.post_message(LoadChanged())

    def handle_change(self) -> None:
        """Show the latest state now, or after the rest of the period since the last refresh."""
        # Cleared before the state is read: a change in between is announced again rather than missed.
        self._is_announced = False
        if self._is_preparing:
            return  # the latest state is read when the prepared one is shown
        due = self._refreshed_at + self._choose_period()
        if self._timer is not None:
            if due >= self._timer_ends_at:
                return
            self._timer.stop()
        wait = due - time.monotonic()
        if wait <= 0:
            self._refresh_latest()
        else:
            self._timer_ends_at = due
            self._timer = self._pump.set_timer(wait, self._refresh_latest)

    def _choose_period(self) -> float:
        state = self._loader.state
        if state.complete:
            return MIN_PERIOD_SECONDS
        elapsed = time.monotonic() - self._opened_at
        is_first = self._shown_state is None or not self._shown_state.bytes_read
        if not is_first and elapsed * (state.bytes_total - state.bytes_read) < MAX_PERIOD_SECONDS * state.bytes_read:
            return MAX_LAST_PERIOD_SECONDS
        return min(max(MIN_PERIOD_SECONDS, self._refreshed_at - self._opened_at), MAX_PERIOD_SECONDS)

    def _refresh_latest(self) -> None:
        self._timer = None
        self._refreshed_at = time.monotonic()
        state = self._loader.state
        if state is self._shown_state:
            return
        self._shown_state = state
        preparation = self._prepare(state)
        if preparation is None:
            self._refresh(state)
        else:
            self._is_preparing = True
            preparation.add_done_callback(lambda _: self._refresh_prepared(state))

    def _refresh_prepared(self, state: LoadState) -> None:
        self._is_preparing = False
        if self._is_closed:
            return
        self._refresh(state)
        if self._loader.state is not state:
            self.handle_change()


def _ignore() -> None:
    pass
