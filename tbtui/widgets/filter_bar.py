"""The filter bar: applies a pattern while it is typed; enter keeps it, escape restores the previous one."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.suggester import Suggester
from textual.widgets import Input

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width, fit
from tbtui.view.terms import quote_term
from tbtui.widgets.line import Line
from tbtui.widgets.textual_patches.paste_guard import TYPED, remove_untypeable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

PROMPT_COLUMNS = 3
"""Terminal columns of the sign before the pattern."""

NOTE_SHARE = 2
"""The note takes at most 1/2 of the line: the pattern being typed must stay visible."""

MAX_SPARE_COLUMNS = 6
"""While a pattern is typed, a note that needs up to this number of columns less keeps its width: another width lays out
the whole screen.
"""

NOTE_MARGIN = "  "
"""Aligns the end of the note with the numbers of the list below."""


class _PatternInput(Input):
    BINDING_GROUP_TITLE = "Filter"

    virtual_size: Reactive[Size] = Reactive(Size(0, 0))
    """Textual lays out the screen when it changes, with each letter; here the field has the same size with any text."""

    DEFAULT_CSS = """
    _PatternInput, _PatternInput:focus { background: transparent; background-tint: transparent; width: 1fr; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,down", "submit", "apply", key_display="⏎"),
        Binding("ctrl+u", "delete_left_all", "clear"),
    ]


class FilterBar(Horizontal):
    """Holds a pattern being typed (the draft) and the applied pattern.

    The bar does not check patterns: it posts each draft, and the handler calls `accept` or `complain`.

    Args:
        placeholders: Ever shorter texts; the first one that fits is shown while the pattern is empty.
        suggester: Completes what is typed; the right arrow takes it.
        appends: Typing continues the pattern; False: it replaces the pattern.
        id: The widget's id.
    """

    BINDING_GROUP_TITLE = "Filter"

    DEFAULT_CSS = """
    FilterBar { height: 1; width: 1fr; }
    FilterBar > #prompt { width: 3; }
    FilterBar > #note { width: auto; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "restore", "cancel")]

    class Drafted(Message):
        """The draft changed, by typing or by a restore."""

        def __init__(self, bar: FilterBar, pattern: str) -> None:
            super().__init__()
            self.bar = bar
            self.pattern = pattern

    class Left(Message):
        """Enter or escape was pressed: the focus should move elsewhere."""

    def __init__(
        self,
        *placeholders: str,
        suggester: Suggester | None = None,
        appends: bool = False,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self._placeholders = placeholders
        self._field = _PatternInput(placeholder=placeholders[0], compact=True, restrict=TYPED, suggester=suggester)
        self._field.select_on_focus = not appends
        self._field.cursor_blink = False
        self._note = Line(id="note")
        self._applied = ""
        self._previous = ""
        self._error: str | None = None
        self._note_width = 0
        self._matches: tuple[str, ...] = ()

    @property
    def draft(self) -> str:
        """The pattern being typed, or the applied one."""
        return self._field.value

    @property
    def error(self) -> str | None:
        """Why the draft does not apply; None if it does."""
        return self._error

    def compose(self) -> ComposeResult:
        """Compose prompt, pattern and note."""
        yield Line([(" / ", Ink.FAINT)], id="prompt")
        yield self._field
        yield self._note

    def edit(self) -> None:
        """Focus the input field."""
        self._field.focus(scroll_visible=False)

    def show_placeholder(self, placeholder: str) -> None:
        """Show what is filtered while there is no pattern."""
        self._placeholders = (placeholder,)
        self._fit_placeholder()

    def show_applied(self, pattern: str, *notes: str) -> None:
        """Show the applied pattern; a draft that is being typed stays.

        Args:
            pattern: The applied pattern.
            notes: Ever shorter texts of the number of matches, such as `3 of 33`; the first one that fits is shown.
        """
        self._applied, self._matches = pattern, notes
        if not self._field.has_focus:
            self._error = None
            with self.prevent(Input.Changed):
                self._field.value = remove_untypeable(pattern)
        self._update_note()

    def accept(self) -> None:
        """Mark the draft as applied."""
        self._error = None
        self._update_note()

    def complain(self, error: str) -> None:
        """Show why the draft cannot be applied; the pattern before it still applies."""
        self._error = error
        self._update_note()

    def _update_note(self) -> None:
        """Show the error of the draft, otherwise the number of matches."""
        notes, ink = (self._matches, Ink.DIM) if self._error is None else ((self._error,), Ink.BAD)
        note = _fit_longest(notes, self.size.width // NOTE_SHARE)
        width = cell_width(note) + len(NOTE_MARGIN) + 1 if note else 0
        if self._field.has_focus and width <= self._note.size.width <= width + MAX_SPARE_COLUMNS:
            width = self._note.size.width
        self._note.styles.width = width
        before = " " * (width - cell_width(note) - len(NOTE_MARGIN))
        self._note.show(((before, Ink.NONE), (note, ink), (NOTE_MARGIN, Ink.NONE)))
        self._note_width = width
        self._fit_placeholder()

    def _fit_placeholder(self) -> None:
        """Show the longest placeholder that leaves room for the note."""
        placeholder = _fit_longest(self._placeholders, self.size.width - PROMPT_COLUMNS - self._note_width)
        if self.size.width and self._field.placeholder != placeholder:
            self._field.placeholder = placeholder

    def action_restore(self) -> None:
        """Restore the previous pattern and leave."""
        self._field.value = remove_untypeable(self._previous)
        self.post_message(self.Left())

    def on_input_changed(self, event: Input.Changed) -> None:
        """Post the draft."""
        event.stop()
        self.post_message(self.Drafted(self, event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Leave if the draft applies."""
        event.stop()
        if self._error is None:
            self.post_message(self.Left())

    def on_resize(self) -> None:
        """Fit the note to the new width: a note from before the first layout had no room."""
        self._update_note()

    def on_descendant_focus(self) -> None:
        """Remember the pattern that escape restores."""
        self._previous = self._applied

    def on_descendant_blur(self) -> None:
        """Drop a draft that does not apply."""
        if self._error is not None:
            self._error = None
            with self.prevent(Input.Changed):
                self._field.value = remove_untypeable(self._applied)
            self._update_note()


def _fit_longest(texts: Sequence[str], width: int) -> str:
    """Return the first text that fits into `width` columns, else the last one, cut; texts become shorter."""
    return next((text for text in texts if cell_width(text) <= width), fit(texts[-1], width) if texts else "")


class TermSuggester(Suggester):
    """Completes the name of an attribute in the last word of a filter."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self.names: tuple[str, ...] = ()

    async def get_suggestion(self, value: str) -> str | None:
        """Return the filter with its last word completed; None if nothing begins like it."""
        head, _, word = value.rpartition(" ")
        sign = "-" if word.startswith("-") else ""
        prefix = word[len(sign) :]
        if not prefix:
            return None
        suggestion = next((name for name in self.names if name.startswith(prefix) and name != prefix), None)
        return (
            None
            if suggestion is None
            else f"{head} {sign}{quote_term(suggestion)}".strip()
            if head
            else f"{sign}{quote_term(suggestion)}"
        )
