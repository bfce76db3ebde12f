"""Handle keys one after the other, each where the one before has left the focus.

Replaces: `App.on_event` of Textual 8.2.5 to 8.2.x for keys, clicks and pastes, and `App.set_timer` (see `timers`).

Fixes: Textual posts a key to the focused widget at once, from where it bubbles up. If several keys are read together
(slow line, type-ahead), the second is under way before the first has moved the focus: of `/loss`, which opens the
filter and types a word, the letters became keys of the chart. Upstream: Textualize/textual#6605 (open; keys and
bindings of one field).

Letters that wait for the same field are joined to one paste: 3,000 letters cost fewer than 30 updates of the field
instead of 3,000. Can go when the canary in the tests fails.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from textual import events
from textual.app import App
from textual.message import Message
from textual.widgets import Input

from tbtui.widgets.textual_patches.paste_guard import MAX_PASTE_CHARACTERS, is_too_long
from tbtui.widgets.textual_patches.timers import start_timer

if TYPE_CHECKING:
    from textual.timer import Timer, TimerCallback

MAX_WAIT_SECONDS = 0.5
"""The next key is handled after this time in any case: the widget of the one before may have been removed."""

Result = TypeVar("Result")


class InputHandled(Message):
    """Follows a key along the same widgets, and arrives when all of them have handled it."""


class PatchedApp(App[Result]):
    """App that handles input only when the key before is done, and whose one-shot timers always fire."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._waiting: deque[events.Event] = deque()
        self._marker: InputHandled | None = None
        self._wait_timer: Timer | None = None

    async def on_event(self, event: events.Event) -> None:
        """Handle input in its turn, and every other event at once."""
        if not isinstance(event, (events.InputEvent, events.Paste)) or event.is_forwarded:
            await super().on_event(event)
        elif isinstance(event, events.Paste) and is_too_long(event.text):
            self.notify(
                f"more than {MAX_PASTE_CHARACTERS:,} characters were pasted: none were taken", severity="warning"
            )
        elif self._marker is None:
            await self._take(event)
        else:
            self._waiting.append(event)

    def set_timer(
        self, delay: float, callback: TimerCallback | None = None, *, name: str | None = None, pause: bool = False
    ) -> Timer:
        """See `start_timer`. Textual's own timers of the app, as the one after a resize, need it as well."""
        return start_timer(self, delay, callback, name=name, pause=pause)

    async def _take(self, event: events.Event) -> None:
        target = (self.focused or self.screen) if self.screen_stack else self
        await super().on_event(event)
        if not isinstance(event, (events.Key, events.Paste)):
            return
        marker = InputHandled()
        if not event.is_forwarded:  # the app itself has handled it
            self.call_later(self._go_on, marker)
        elif not target.post_message(marker):
            return
        self._marker = marker
        self._wait_timer = self.set_timer(MAX_WAIT_SECONDS, partial(self._go_on, marker))

    def on_input_handled(self, message: InputHandled) -> None:
        """Continue when what the handlers have deferred, such as moving the focus, is done as well."""
        message.stop()
        self.call_later(self._go_on, message)

    async def _go_on(self, marker: InputHandled) -> None:
        if marker is not self._marker:
            return
        self._marker = None
        if self._wait_timer is not None:
            self._wait_timer.stop()
        while self._waiting and self._marker is None:
            await self._take(self._take_next())

    def _take_next(self) -> events.Event:
        """Return the oldest input; adjacent letters for a field are joined, as each update costs a repaint."""
        event = self._waiting.popleft()
        letters = _get_letter(event)
        if letters is None or not self.screen_stack or not isinstance(self.focused, Input):
            return event
        while self._waiting and (letter := _get_letter(self._waiting[0])) is not None:
            letters += letter
            self._waiting.popleft()
        return events.Paste(letters) if len(letters) > 1 else event


def _get_letter(event: events.Event) -> str | None:
    """Return the character that a key types into a field; None for any other event."""
    return event.character if isinstance(event, events.Key) and event.is_printable else None
