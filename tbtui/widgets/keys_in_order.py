"""Keys that come faster than they are answered: each goes where the one before it has left the focus.

Textual hands a key to the widget with the focus at once, from which it travels upwards. Where several keys are read
together, as they are over a slow line and when something is typed ahead, the second is on its way before the first has
moved the focus: of a `/` and a word for the filter, the letters would be keys of the chart.

Letters that wait for the same field are taken together, and what is too long to be meant for one is not taken at all.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from textual import events
from textual.app import App
from textual.message import Message
from textual.widgets import Input

from tbtui.widgets.pasting import LONGEST_PASTE, is_too_long

if TYPE_CHECKING:
    from textual.timer import Timer

PATIENCE = 0.5
"""Seconds until the next key is taken whatever has become of the one before: its widget may have been removed."""

Result = TypeVar("Result")


class Answered(Message):
    """Travels behind a key, and arrives when everyone who may answer the key has had it."""


class KeysInOrder(App[Result]):
    """An app that takes a key, a click or a paste only when the key before it has been answered."""

    def __init__(self, *args: Any, **how: Any) -> None:
        super().__init__(*args, **how)
        self._waiting: deque[events.Event] = deque()
        self._behind: Answered | None = None
        self._patience: Timer | None = None

    async def on_event(self, event: events.Event) -> None:
        """Take input in its turn, and everything else at once."""
        if not isinstance(event, (events.InputEvent, events.Paste)) or event.is_forwarded:
            await super().on_event(event)
        elif isinstance(event, events.Paste) and is_too_long(event.text):
            self.notify(f"more than {LONGEST_PASTE:,} characters were pasted: none were taken", severity="warning")
        elif self._behind is None:
            await self._take(event)
        else:
            self._waiting.append(event)

    async def _take(self, event: events.Event) -> None:
        target = (self.focused or self.screen) if self.screen_stack else self
        await super().on_event(event)
        if not isinstance(event, (events.Key, events.Paste)):
            return
        behind = Answered()
        if not event.is_forwarded:  # the app itself has answered
            self.call_later(self._go_on, behind)
        elif not target.post_message(behind):
            return
        self._behind = behind
        self._patience = self.set_timer(PATIENCE, partial(self._go_on, behind))

    def on_answered(self, message: Answered) -> None:
        """Go on when what the answer wanted done next, such as moving the focus, is done as well."""
        message.stop()
        self.call_later(self._go_on, message)

    async def _go_on(self, behind: Answered) -> None:
        if behind is not self._behind:
            return
        self._behind = None
        if self._patience is not None:
            self._patience.stop()
        while self._waiting and self._behind is None:
            await self._take(self._next())

    def _next(self) -> events.Event:
        """What waits longest; of letters for a field all that stand together, as each one costs a drawing."""
        event = self._waiting.popleft()
        letters = _letter(event)
        if letters is None or not self.screen_stack or not isinstance(self.focused, Input):
            return event
        while self._waiting and (letter := _letter(self._waiting[0])) is not None:
            letters += letter
            self._waiting.popleft()
        return events.Paste(letters) if len(letters) > 1 else event


def _letter(event: events.Event) -> str | None:
    """What a key writes into a field; None for anything else."""
    return event.character if isinstance(event, events.Key) and event.is_printable else None
