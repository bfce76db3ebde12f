"""Show one picture after the other until a key stops it: the steps of a tag, or the turn of a mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.timer import Timer


class FilmPlayer:
    """Shows the next picture again and again. Belongs to the UI thread.

    Args:
        set_timer: Calls a function after a number of seconds, as `set_timer` of a widget.
        is_visible: Returns False while another screen covers the pane; then nothing is shown.
        show_next: Shows the next picture; returns False if there is none.
        seconds: Time between two pictures.
        on_change: Called when the film starts or stops.
    """

    def __init__(
        self,
        set_timer: Callable[[float, Callable[[], None]], Timer],
        is_visible: Callable[[], bool],
        show_next: Callable[[], bool],
        seconds: float,
        on_change: Callable[[], object] = lambda: None,
    ) -> None:
        self._set_timer = set_timer
        self._is_visible = is_visible
        self._show_next = show_next
        self._seconds = seconds
        self._on_change = on_change
        self._timer: Timer | None = None

    @property
    def is_playing(self) -> bool:
        """True while pictures follow each other by themselves."""
        return self._timer is not None

    def toggle(self) -> None:
        """Play from the next picture, or stop."""
        if self.is_playing:
            self.stop()
        elif self._show_next():
            self._timer = self._set_timer(self._seconds, self._advance)
            self._on_change()

    def stop(self) -> None:
        """Stop at the present picture."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
            self._on_change()

    def _advance(self) -> None:
        if self._is_visible() and not self._show_next():
            self.stop()
            return
        self._timer = self._set_timer(self._seconds, self._advance)
