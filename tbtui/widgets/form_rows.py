"""The rows of a form: one per field, with its label, its value, and the error of the value.

Imported with the first form: Textual's text field costs start-up time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import pieces_width
from tbtui.charts.text import cell_width, fit, safe
from tbtui.settings.entries import EMPTY
from tbtui.widgets import ink_styles as inks
from tbtui.widgets.form_fields import NO_DEFAULT, Choice, Field, Text
from tbtui.widgets.ink_styles import render_pieces
from tbtui.widgets.line import Line
from tbtui.widgets.textual_patches.paste_guard import TYPED, remove_untypeable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual import events
    from textual.app import ComposeResult
    from textual.strip import Strip

    from tbtui.charts.styled_text import Piece

CHANGED_SIGN = "•"
"""Before the label of a field that has not its default."""

ERROR_MARGIN = 4
"""Columns of the sign before an error, and around both."""

AnyField = TypeVar("AnyField", Choice, Text)


class FieldRow(Widget, Generic[AnyField]):
    """A field with its label, and below it the error of its value.

    Args:
        field: The description of the field.
        left: Columns to the left of the value.
    """

    DEFAULT_CSS = """
    FieldRow { height: 1; }
    """

    class Entered(Message):
        """The field got the focus."""

    class Edited(Message):
        """The value of the field changed."""

    class Refused(Message):
        """The field shows an error, for which the dialog may be too narrow."""

        def __init__(self, columns: int) -> None:
            super().__init__()
            self.columns = columns

    def __init__(self, field: AnyField, left: int) -> None:
        super().__init__()
        self.field: AnyField = field
        self.left = left
        self.heading: GroupHeading | None = None
        """The heading right above the field."""

        self._reason = ""

    @property
    def target(self) -> Widget:
        """The widget that takes the focus."""
        return self

    def value(self) -> Any:
        """Return the value.

        Raises:
            ValueError: The value cannot be used; the text is the reason.
        """
        raise NotImplementedError

    def show_error(self, reason: str) -> None:
        """Show the reason why the value cannot be used; an empty `reason` removes the error."""
        if reason != self._reason:
            self._reason = reason
            self.styles.height = 2 if reason else 1
            self.refresh()
            if reason:
                self.post_message(self.Refused(cell_width(safe(reason)) + ERROR_MARGIN))

    def on_resize(self) -> None:
        """Keep the error of the focused field visible."""
        if self.target.has_focus:
            self.scroll_visible(animate=False)

    def on_focused(self) -> None:
        """Scroll to the field, and to the heading right above it; post that it has the focus."""
        if self.heading is not None and self.heading.display:
            self.heading.scroll_visible(animate=False)
        self.scroll_visible(animate=False)
        self.post_message(self.Entered())

    def check(self) -> bool:
        """Return True if the value can be used; otherwise show the reason."""
        try:
            self.value()
        except ValueError as error:
            self.show_error(str(error))
        else:
            self.show_error("")
        return not self._reason

    @property
    def default_text(self) -> str | None:
        """The default as the form shows it; None if the field has none."""
        raise NotImplementedError

    @property
    def is_changed(self) -> bool:
        """True if the field has a default and another value."""
        raise NotImplementedError

    def reset(self) -> None:
        """Restore the default, if there is one."""
        raise NotImplementedError

    def render_line(self, y: int) -> Strip:
        pieces = [*self._label_pieces(), *self._side_pieces()] if y == 0 else self._build_error_pieces()
        return render_pieces(pieces, self.size.width, inks.get_ink_styles(self.app), self.rich_style)

    def _label_pieces(self) -> Iterator[Piece]:
        label = safe(self.field.label)
        yield CHANGED_SIGN if self.is_changed else " ", Ink.ACCENT
        yield label, Ink.ACCENT if self.target.has_focus else Ink.DIM
        yield " " * (self.left - cell_width(label) - 2), Ink.NONE

    def _side_pieces(self) -> list[Piece]:
        """Return the pieces to the right of the label, from the column before `left` on."""
        return []

    def _build_error_pieces(self) -> list[Piece]:
        # In a narrow column an error begins further to the left rather than lose its end.
        start = max(1, min(self.left, self.size.width - cell_width(safe(self._reason)) - 3))
        return [(" " * start, Ink.NONE), (f"✗ {self._reason}", Ink.BAD)]


class ChoiceRow(FieldRow[Choice], can_focus=True):
    """Shows the chosen option, and all options while it has the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "turn(-1)", "before", system=True),
        Binding("right,l,space", "turn(1)", "after", system=True),
    ]

    def __init__(self, field: Choice, left: int) -> None:
        super().__init__(field, left)
        values = [value for value, _ in field.options]
        self._chosen = values.index(field.current) if field.current in values else 0
        """Index of the chosen option."""

    def value(self) -> Any:
        return self.field.options[self._chosen][0]

    @property
    def default_text(self) -> str | None:
        return next((label for value, label in self.field.options if value == self.field.default), None)

    @property
    def is_changed(self) -> bool:
        return self.field.default is not NO_DEFAULT and self.value() != self.field.default

    def reset(self) -> None:
        values = [value for value, _ in self.field.options]
        if self.is_changed and self.field.default in values:
            self._choose(values.index(self.field.default))

    def action_turn(self, steps: int) -> None:
        """Choose another option; after the last comes the first."""
        self._choose((self._chosen + steps) % len(self.field.options))

    def _choose(self, index: int) -> None:
        self._chosen = index
        self.show_error("")
        self.refresh()
        self.post_message(self.Edited())

    def _side_pieces(self) -> list[Piece]:
        return [piece for _, piece in self._options()]

    def _options(self) -> list[tuple[int | None, Piece]]:
        """Return the pieces to the right of the label, each with the option that a click on it chooses."""
        labels = [safe(label) for _, label in self.field.options]
        chosen_label = labels[self._chosen]
        if not self.has_focus:
            return [(None, (f" {chosen_label}", Ink.TEXT))]
        all_options = [
            (index, (f"‹{label}›", Ink.BOLD) if index == self._chosen else (f" {label} ", Ink.DIM))
            for index, label in enumerate(labels)
        ]
        if pieces_width([piece for _, piece in all_options]) <= self.size.width - self.left + 1:
            return [*all_options]
        before, after = (self._chosen - 1) % len(labels), (self._chosen + 1) % len(labels)
        chosen_label = fit(chosen_label, max(self.size.width - self.left - 1, 1))
        return [(before, ("‹", Ink.ACCENT)), (None, (chosen_label, Ink.BOLD)), (after, ("›", Ink.ACCENT))]

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.refresh()
        if has_focus:
            self.on_focused()

    def on_click(self, event: events.Click) -> None:
        """Choose the option under the mouse."""
        event.stop()
        start = end = self.left - 1
        for index, piece in self._options():
            end += pieces_width([piece])
            if start <= event.x < end:
                if index is not None:
                    self._choose(index)
                return


def describe_empty(hint: str) -> str:
    """Return the meaning of an empty entry from the hint of its field: `auto` of `a step; empty: auto`."""
    return hint.partition(EMPTY)[2].partition("; ")[0]


class TextRow(FieldRow[Text]):
    """A label with a text entry to the right of it."""

    DEFAULT_CSS = """
    TextRow > Input, TextRow > Input:focus { background: transparent; background-tint: transparent; width: 1fr; }
    """

    def __init__(self, field: Text, left: int) -> None:
        super().__init__(field, left)
        self._entry = Input(
            remove_untypeable(field.shown),
            placeholder=safe(describe_empty(field.hint)),
            compact=True,
            restrict=TYPED,
            select_on_focus=False,
        )
        self._entry.cursor_blink = False
        self._entry.styles.margin = (0, 1, 0, left)

    def compose(self) -> ComposeResult:
        """Compose the entry; the rest is drawn around it."""
        yield self._entry

    @property
    def target(self) -> Widget:
        return self._entry

    def value(self) -> Any:
        return self.field.read(self._entry.value)

    @property
    def default_text(self) -> str | None:
        return None if self.field.default is NO_DEFAULT else self.field.default or "empty"

    @property
    def is_changed(self) -> bool:
        if self.field.default is NO_DEFAULT or self._entry.value == self.field.default:
            return False
        try:
            return bool(self.value() != self.field.read(self.field.default))
        except ValueError:
            return True

    def reset(self) -> None:
        if self.is_changed:
            self._entry.value = remove_untypeable(self.field.default)

    def on_descendant_focus(self) -> None:
        """Highlight the label."""
        self.refresh()
        self.on_focused()

    def on_descendant_blur(self) -> None:
        """Draw the label without highlight."""
        self.refresh()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Update a visible error as soon as the entry changes."""
        event.stop()
        if self._reason:
            self.check()
        self.refresh()
        self.post_message(self.Edited())


def create_field_row(field: Field, left: int) -> FieldRow[Any]:
    """Return the widget of a field."""
    return ChoiceRow(field, left) if isinstance(field, Choice) else TextRow(field, left)


class GroupHeading(Line):
    """The heading of a group of fields."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title

    def on_mount(self) -> None:
        """Show the title."""
        self.show(((f" {self._title}", Ink.BOLD),))
