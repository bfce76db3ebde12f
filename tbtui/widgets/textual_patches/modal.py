"""Dismiss a modal screen once, however many events ask for it.

Replaces: `Screen.dismiss` of Textual 8.2.5 to 8.2.x, which pops the screen on top each time it is called.

Fixes: a second enter that is typed before the first is handled, or a worker that ends after escape, popped another
screen or raised `ScreenStackError` or `InvalidStateError`. Upstream: Textualize/textual#4884 (open); #2575 (closed)
only made dismissing a covered screen an error.

Can go when the canary in the tests fails: a second `dismiss` of a plain `ModalScreen` is then harmless.
"""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.screen import Screen, ScreenResultType


class DismissOnceScreen(Screen[ScreenResultType]):
    """Screen over the dashboard that can be dismissed at any time, any number of times.

    List it after one of Textual's modal screens among the bases: Textual takes default styles from the first base.
    """

    _is_left = False
    _late: tuple[ScreenResultType | None] | None = None
    """Result with which a covered screen is dismissed as soon as it is on top."""

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Dismiss the screen unless that was done before.

        A covered screen (by the notice that the terminal is too small) is dismissed when it is on top again.
        """
        if self._is_left or not self.is_attached:
            return AwaitComplete()
        if not self.is_active:
            self._late = (result,)
            return AwaitComplete()
        self._is_left = True
        return super().dismiss(result)

    def on_screen_resume(self) -> None:
        """Dismiss the screen if that was requested while it was covered."""
        if self._late is not None:
            (result,), self._late = self._late, None
            self.dismiss(result)
