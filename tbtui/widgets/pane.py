"""The ground every dashboard's pane stands on: handed a view, it draws; it asks for changes by message."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textual.containers import Container
from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.view import View


class Choose(Message):
    """A widget asks for other choices; the app applies them and hands everyone the new view.

    What is asked for is either given by name, `Choose(smoothing=.5)`, or made from what is chosen by then,
    `Choose(zoomed_out)`: of keys that come faster than views each counts.

    Args:
        change: From the present choices to those asked for.
        changes: Field names of `Choices` and their new values.
    """

    def __init__(self, change: Callable[[Choices], Choices] | None = None, /, **changes: Any) -> None:
        super().__init__()
        self._change = change
        self.changes = changes
        """Fields given by name."""

    def of(self, choices: Choices) -> Choices:
        """What `choices` become."""
        changed = choices if self._change is None else self._change(choices)
        return replace(changed, **self.changes)


class CopyAsked(Message):
    """A widget asks for the path of a run on the clipboard; the app knows where runs come from."""

    def __init__(self, run: str) -> None:
        super().__init__()
        self.run = run
        """Name of the run, or of a folder of runs ending in `/`."""


STATUS_SHARE = 0.6
"""Part of the bottom line that a pane's status may take; the rest is for the keys."""


class Pane(Container):
    """A dashboard. The app calls `show` with each new view while the pane is the visible tab, and just before."""

    def show(self, view: View) -> None:
        """Draw `view`. Must return within a frame: what takes longer is computed off the UI thread."""
        raise NotImplementedError

    def status(self) -> str:
        """What this pane shows, for the status line: `smooth .60 · x step`. Plain text."""
        return ""

    def reveal(self, tag: str) -> None:
        """Bring the cards of `tag` into sight and focus the first (a tag was chosen in the sidebar)."""
