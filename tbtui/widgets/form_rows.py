"""The fields of a form on the screen: choices that show what can be chosen while they have the keys, and entries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width, safe
from tbtui.widgets import inks
from tbtui.widgets.form_fields import Choice, Field, Text
from tbtui.widgets.line import pieces_width, strip_of
from tbtui.widgets.textual_patches.input_filter import TYPED, typeable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual import events
    from textual.app import ComposeResult
    from textual.strip import Strip

    from tbtui.widgets.line import Piece

AnyField = TypeVar("AnyField", Choice, Text)


class FieldRow(Widget, Generic[AnyField]):
    """A field with its label; below it what is wrong with it, while anything is.

    Args:
        field: What it asks for.
        left: Columns to the left of what is chosen or entered.
    """

    DEFAULT_CSS = """
    FieldRow { height: 1; }
    """

    class Entered(Message):
        """The keys have come to this field."""

    def __init__(self, field: AnyField, left: int) -> None:
        super().__init__()
        self.field: AnyField = field
        self.left = left
        self._reason = ""

    @property
    def target(self) -> Widget:
        """What takes the keys."""
        return self

    def value(self) -> Any:
        """What is chosen or entered.

        Raises:
            ValueError: It cannot be used; says why.
        """
        raise NotImplementedError

    def complain(self, reason: str) -> None:
        """Say why the value cannot be used; nothing any more when `reason` is empty."""
        if reason != self._reason:
            self._reason = reason
            self.styles.height = 2 if reason else 1
            self.refresh()

    def on_resize(self) -> None:
        """What is wrong with the field that has the keys is in sight too."""
        if self.target.has_focus:
            self.scroll_visible(animate=False)

    def take_keys(self) -> None:
        """Bring the field into sight, and tell that it has the keys."""
        self.scroll_visible(animate=False)
        self.post_message(self.Entered())

    def check(self) -> bool:
        """Complain of a value that cannot be used; whether it can."""
        try:
            self.value()
        except ValueError as error:
            self.complain(str(error))
        else:
            self.complain("")
        return not self._reason

    def render_line(self, y: int) -> Strip:
        """The field, and below it what is wrong with it."""
        pieces = [*self._label(), *self._beside()] if y == 0 else self._complaint()
        return strip_of(pieces, self.size.width, inks.styles(self.app), self.rich_style)

    def _label(self) -> Iterator[Piece]:
        label = safe(self.field.label)
        yield f" {label}", Ink.ACCENT if self.target.has_focus else Ink.DIM
        yield " " * (self.left - cell_width(label) - 2), Ink.NONE

    def _beside(self) -> list[Piece]:
        """What is drawn to the right of the label, from the column before `left` on."""
        return []

    def _complaint(self) -> list[Piece]:
        # Where the column is narrow a complaint may begin further to the left rather than lose its end.
        start = max(1, min(self.left, self.size.width - cell_width(safe(self._reason)) - 3))
        return [(" " * start, Ink.NONE), (f"✗ {self._reason}", Ink.BAD)]


class ChoiceRow(FieldRow[Choice], can_focus=True):
    """Shows what is chosen; while it has the keys, all that can be."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "turn(-1)", "before", system=True),
        Binding("right,l,space", "turn(1)", "after", system=True),
    ]

    def __init__(self, field: Choice, left: int) -> None:
        super().__init__(field, left)
        values = [value for value, _ in field.options]
        self._place = values.index(field.current) if field.current in values else 0

    def value(self) -> Any:
        """What is chosen."""
        return self.field.options[self._place][0]

    def action_turn(self, steps: int) -> None:
        """Choose the next option; after the last comes the first."""
        self._choose((self._place + steps) % len(self.field.options))

    def _choose(self, place: int) -> None:
        self._place = place
        self.complain("")
        self.refresh()

    def _beside(self) -> list[Piece]:
        return [piece for _, piece in self._options()]

    def _options(self) -> list[tuple[int | None, Piece]]:
        """What stands beside the label, each piece with the option that a click on it chooses."""
        words = [safe(word) for _, word in self.field.options]
        chosen = words[self._place]
        if not self.has_focus:
            return [(None, (f" {chosen}", Ink.TEXT))]
        shown = [
            (place, (f"‹{word}›", Ink.BOLD) if place == self._place else (f" {word} ", Ink.DIM))
            for place, word in enumerate(words)
        ]
        if pieces_width([piece for _, piece in shown]) <= self.size.width - self.left + 1:
            return [*shown]
        before, after = (self._place - 1) % len(words), (self._place + 1) % len(words)
        return [(before, ("‹", Ink.ACCENT)), (None, (chosen, Ink.BOLD)), (after, ("›", Ink.ACCENT))]

    def watch_has_focus(self, has_focus: bool) -> None:
        """Other options show only where the keys are."""
        super().watch_has_focus(has_focus)
        self.refresh()
        if has_focus:
            self.take_keys()

    def on_click(self, event: events.Click) -> None:
        """Choose the option under the mouse."""
        event.stop()
        start = end = self.left - 1
        for place, piece in self._options():
            end += pieces_width([piece])
            if start <= event.x < end:
                if place is not None:
                    self._choose(place)
                return


class TextRow(FieldRow[Text]):
    """A label with an entry beside it."""

    DEFAULT_CSS = """
    TextRow > Input, TextRow > Input:focus { background: transparent; background-tint: transparent; width: 1fr; }
    """

    def __init__(self, field: Text, left: int) -> None:
        super().__init__(field, left)
        self._entry = Input(typeable(field.shown), compact=True, restrict=TYPED, select_on_focus=False)
        self._entry.cursor_blink = False
        self._entry.styles.margin = (0, 1, 0, left)

    def compose(self) -> ComposeResult:
        """The entry; all else is drawn around it."""
        yield self._entry

    @property
    def target(self) -> Widget:
        """What takes the keys."""
        return self._entry

    def value(self) -> Any:
        """What is entered, read."""
        return self.field.read(self._entry.value)

    def on_descendant_focus(self) -> None:
        """The label tells where the keys are."""
        self.refresh()
        self.take_keys()

    def on_descendant_blur(self) -> None:
        """The keys have gone."""
        self.refresh()

    def on_input_changed(self, event: Input.Changed) -> None:
        """A complaint goes, or becomes another, as soon as the entry does."""
        event.stop()
        if self._reason:
            self.check()


def row_of(field: Field, left: int) -> FieldRow[Any]:
    """The row that shows a field."""
    return ChoiceRow(field, left) if isinstance(field, Choice) else TextRow(field, left)
