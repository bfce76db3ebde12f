"""One line to type a filter into: it previews while typing, enter keeps it, escape brings the former one back."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width, fit
from tbtui.widgets.line import Line
from tbtui.widgets.textual_patches.input_filter import TYPED, typeable

if TYPE_CHECKING:
    from textual.app import ComposeResult

NOTE_SHARE = 2
"""The note takes at most one part in so many of the line: the pattern being typed must be seen."""

NOTE_MARGIN = "  "
"""The note ends where the numbers of the list below end."""


class _PatternInput(Input):
    BINDING_GROUP_TITLE = "Filter"

    DEFAULT_CSS = """
    _PatternInput, _PatternInput:focus { background: transparent; background-tint: transparent; width: 1fr; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,down", "submit", "keep", key_display="⏎"),
        Binding("ctrl+u", "delete_left_all", "clear"),
    ]


class FilterBar(Horizontal):
    """A pattern being typed (the draft) and the one that applies.

    The bar does not judge patterns: each draft is posted, and whoever applies it answers with `accept` or `complain`.
    """

    BINDING_GROUP_TITLE = "Filter"

    DEFAULT_CSS = """
    FilterBar { height: 1; width: 1fr; }
    FilterBar > #prompt { width: 3; }
    FilterBar > #note { width: auto; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "restore", "as before")]

    class Drafted(Message):
        """Another pattern was typed (or brought back)."""

        def __init__(self, bar: FilterBar, pattern: str) -> None:
            super().__init__()
            self.bar = bar
            self.pattern = pattern

    class Left(Message):
        """Enter or escape: the keys should go elsewhere."""

    def __init__(self, placeholder: str, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._field = _PatternInput(placeholder=placeholder, compact=True, restrict=TYPED)
        self._field.cursor_blink = False
        self._note = Line(id="note")
        self._applied = ""
        self._former = ""
        self._error: str | None = None
        self._passes = ""

    @property
    def error(self) -> str | None:
        """Why the draft does not apply; None when it does."""
        return self._error

    def compose(self) -> ComposeResult:
        """Prompt, pattern, note."""
        yield Line([(" / ", Ink.FAINT)], id="prompt")
        yield self._field
        yield self._note

    def edit(self) -> None:
        """Take the keys."""
        self._field.focus(scroll_visible=False)

    def show_applied(self, pattern: str, note: str = "") -> None:
        """The pattern that applies now; while another is being typed that one stays.

        Args:
            pattern: The applied pattern.
            note: What it lets through: `3 of 33`.
        """
        self._applied, self._passes = pattern, note
        if not self._field.has_focus:
            self._error = None
            with self.prevent(Input.Changed):
                self._field.value = typeable(pattern)
        self._say()

    def accept(self) -> None:
        """The draft applies."""
        self._error = None
        self._say()

    def complain(self, error: str) -> None:
        """The draft cannot be applied; what applied before still does."""
        self._error = error
        self._say()

    def _say(self) -> None:
        """Note why the draft does not apply, otherwise what the pattern lets through."""
        note, ink = (self._passes, Ink.DIM) if self._error is None else (self._error, Ink.BAD)
        note = fit(note, self.size.width // NOTE_SHARE)
        self._note.styles.width = cell_width(note) + len(NOTE_MARGIN) + 1 if note else 0
        self._note.show(((" ", Ink.NONE), (note, ink), (NOTE_MARGIN, Ink.NONE)))

    def action_restore(self) -> None:
        """Bring the former pattern back and leave."""
        self._field.value = typeable(self._former)
        self.post_message(self.Left())

    def on_input_changed(self, event: Input.Changed) -> None:
        """Each draft is tried at once."""
        event.stop()
        self.post_message(self.Drafted(self, event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Leave with what is typed; a pattern that does not apply is not left behind."""
        event.stop()
        if self._error is None:
            self.post_message(self.Left())

    def on_descendant_focus(self) -> None:
        """Remember what escape brings back."""
        self._former = self._applied

    def on_descendant_blur(self) -> None:
        """A draft that does not apply goes when the keys go elsewhere."""
        if self._error is not None:
            self._error = None
            with self.prevent(Input.Changed):
                self._field.value = typeable(self._applied)
            self._say()
