"""A form: a dialog of settings and text entries beside what they change.

A form with `live` applies each valid entry at once, and escape takes all of them back; any other form is applied as a
whole with enter, or not at all.

Imported when the first form is opened: Textual's text field costs start-up time.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import pieces_width, spread_pieces
from tbtui.charts.text import cell_width, fit, safe
from tbtui.widgets import ink_styles as inks
from tbtui.widgets.form_fields import NO_DEFAULT, Choice, Field, FieldError, Text
from tbtui.widgets.ink_styles import pieces_strip
from tbtui.widgets.line import Line
from tbtui.widgets.textual_patches.input_filter import TYPED, typeable
from tbtui.widgets.textual_patches.modal import DismissOnceScreen
from tbtui.widgets.worker import MAX_CLOSE_SECONDS, daemon_call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.strip import Strip

    from tbtui.charts.styled_text import Piece


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

    def complain(self, reason: str) -> None:
        """Show why the value cannot be used; an empty `reason` removes the error."""
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
            self.complain(str(error))
        else:
            self.complain("")
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
        pieces = [*self._label(), *self._side_pieces()] if y == 0 else self._complaint()
        return pieces_strip(pieces, self.size.width, inks.ink_styles(self.app), self.rich_style)

    def _label(self) -> Iterator[Piece]:
        label = safe(self.field.label)
        yield CHANGED_SIGN if self.is_changed else " ", Ink.ACCENT
        yield label, Ink.ACCENT if self.target.has_focus else Ink.DIM
        yield " " * (self.left - cell_width(label) - 2), Ink.NONE

    def _side_pieces(self) -> list[Piece]:
        """Return the pieces to the right of the label, from the column before `left` on."""
        return []

    def _complaint(self) -> list[Piece]:
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
        self._place = values.index(field.current) if field.current in values else 0

    def value(self) -> Any:
        return self.field.options[self._place][0]

    @property
    def default_text(self) -> str | None:
        return next((word for value, word in self.field.options if value == self.field.default), None)

    @property
    def is_changed(self) -> bool:
        return self.field.default is not NO_DEFAULT and self.value() != self.field.default

    def reset(self) -> None:
        values = [value for value, _ in self.field.options]
        if self.is_changed and self.field.default in values:
            self._choose(values.index(self.field.default))

    def action_turn(self, steps: int) -> None:
        """Choose another option; after the last comes the first."""
        self._choose((self._place + steps) % len(self.field.options))

    def _choose(self, index: int) -> None:
        self._place = index
        self.complain("")
        self.refresh()
        self.post_message(self.Edited())

    def _side_pieces(self) -> list[Piece]:
        return [piece for _, piece in self._options()]

    def _options(self) -> list[tuple[int | None, Piece]]:
        """Return the pieces beside the label, each with the option that a click on it chooses."""
        labels = [safe(word) for _, word in self.field.options]
        chosen = labels[self._place]
        if not self.has_focus:
            return [(None, (f" {chosen}", Ink.TEXT))]
        shown = [
            (index, (f"‹{word}›", Ink.BOLD) if index == self._place else (f" {word} ", Ink.DIM))
            for index, word in enumerate(labels)
        ]
        if pieces_width([piece for _, piece in shown]) <= self.size.width - self.left + 1:
            return [*shown]
        before, after = (self._place - 1) % len(labels), (self._place + 1) % len(labels)
        chosen = fit(chosen, max(self.size.width - self.left - 1, 1))
        return [(before, ("‹", Ink.ACCENT)), (None, (chosen, Ink.BOLD)), (after, ("›", Ink.ACCENT))]

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


class TextRow(FieldRow[Text]):
    """A label with a text entry beside it."""

    DEFAULT_CSS = """
    TextRow > Input, TextRow > Input:focus { background: transparent; background-tint: transparent; width: 1fr; }
    """

    def __init__(self, field: Text, left: int) -> None:
        super().__init__(field, left)
        self._entry = Input(typeable(field.shown), compact=True, restrict=TYPED, select_on_focus=False)
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
            self._entry.value = typeable(self.field.default)

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


def field_row(field: Field, left: int) -> FieldRow[Any]:
    """Return the widget of a field."""
    return ChoiceRow(field, left) if isinstance(field, Choice) else TextRow(field, left)


CLOSE_KEYS = (("⏎", Ink.ACCENT), (" apply  ", Ink.DIM), ("esc", Ink.ACCENT), (" cancel ", Ink.DIM))
"""Keys that close the form."""

SHORT_KEYS = (("⏎", Ink.ACCENT), (" ok  ", Ink.DIM), ("esc", Ink.ACCENT), (" ", Ink.NONE))
"""The same beside a title that would lose its end."""

FIELD_KEYS = (("↑ ↓", Ink.ACCENT), (" field  ", Ink.DIM))
CHOICE_KEYS = (("← →", Ink.ACCENT), (" choice  ", Ink.DIM))
"""Keys for the fields of the form and for the options of a choice; shown if there is room."""

CHANGED_SIGN = "•"
"""Before the label of a field that has not its default."""

MARGIN = 3
"""Blank columns around the widest label."""

HINT_HEIGHT, AIRY_FROM_HEIGHT = 2, 16

WIDTH = 72
"""Columns of the dialog; what it changes stays in sight beside it."""

FRAME = 2
"""Columns and lines of its frame."""

BESIDE_COLUMNS = 40
"""Columns that a terminal has beside a dialog that may be higher than others."""

WORKING = "working …"


def in_groups(fields: Sequence[Field]) -> list[Field]:
    """Return the fields with those of one group together, groups in the order of their first fields."""
    groups = list(dict.fromkeys(field.group for field in fields))
    return sorted(fields, key=lambda field: groups.index(field.group))


class FormScreen(ModalScreen[Any], DismissOnceScreen[Any]):
    """A form over the dashboard. It returns the result of `conclude`, or None if the user cancels.

    Args:
        title: Title of the form.
        fields: The fields, in order.
        conclude: Takes the values by field name once all of them are valid; may raise FieldError.
        slow: True: `conclude` runs on a thread of its own.
        cancel: Called if the form, or the app, is closed while that thread runs.
        live: Applies the entries after each change, if `conclude` accepts them; also takes them back. None: enter
            applies them.
    """

    DEFAULT_CSS = (
        f"""
    FormScreen {{ align: right bottom; background: transparent; overflow: hidden; }}
    FormScreen > #form-box {{
        width: {WIDTH}; max-width: 100%; height: auto; max-height: 100%;
        background: $background; border: round $foreground 50%; border-subtitle-color: $foreground;
    }}
    """
        """
    FormScreen .form-blank { height: 1; }
    FormScreen #form-page {
        height: auto;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        scrollbar-background: $background;
        scrollbar-color: $foreground 25%;
    }
    FormScreen #form-hint { height: 2; padding: 0 1; color: $text-muted; }
    """
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "cancel", system=True),
        Binding("enter", "apply", "apply", system=True),
        Binding("up,shift+tab", "go(-1)", "field above", system=True),
        Binding("down,tab", "go(1)", "field below", system=True),
        Binding("ctrl+r", "reset", "default", system=True),
    ]

    def __init__(
        self,
        title: str,
        fields: Sequence[Field],
        conclude: Callable[[dict[str, Any]], Any] = dict,
        *,
        slow: bool = False,
        cancel: Callable[[], object] | None = None,
        live: Callable[[Any], object] | None = None,
    ) -> None:
        super().__init__()
        self._live = live
        self._width = WIDTH
        self._begun: dict[str, Any] = {}
        """Values at the start, which escape restores."""

        self._applied: dict[str, Any] | None = None
        """Values that `live` has applied; None: none."""

        keys = (
            *(FIELD_KEYS if len(fields) > 1 else ()),
            *(CHOICE_KEYS if any(isinstance(each, Choice) for each in fields) else ()),
        )
        self._heading = FormHeading(title, keys)
        left = max(cell_width(safe(field.label)) for field in fields) + MARGIN
        self._fields = [field_row(field, left) for field in in_groups(fields)]
        # A Vertical, not a VerticalScroll: the keys that would scroll move between fields.
        self._page = Vertical(*self._with_headings(), id="form-page")
        self._hint = Static(id="form-hint", markup=False)
        self._conclude, self._slow, self._stop = conclude, slow, cancel
        self._work: asyncio.Future[Any] | None = None

    def _with_headings(self) -> Iterator[Widget]:
        """Yield the fields, each group behind its heading."""
        before = ""
        for row in self._fields:
            if row.field.group != before:
                before = row.field.group
                row.heading = GroupHeading(before)
                yield row.heading
            yield row

    def compose(self) -> ComposeResult:
        """Compose title, fields, and the hint of the focused field."""
        # A widget covers each row: with the terminal's own background a box shows what is below it.
        yield Vertical(
            self._heading,
            Static(classes="form-blank"),
            self._page,
            Static(classes="form-blank"),
            self._hint,
            id="form-box",
        )

    def on_mount(self) -> None:
        """Focus the first field."""
        self._begun = self._values()
        self._fields[0].target.focus()

    def on_resize(self) -> None:
        """Separate the fields by blank lines if there is room; otherwise they scroll."""
        width, height = self.app.size
        headings = self.query(GroupHeading)
        headings.set(display=height >= AIRY_FROM_HEIGHT)
        lines = len(self._fields) + len(headings)
        if height >= AIRY_FROM_HEIGHT:  # what the form changes stays in sight above it, or beside it
            share = (3, 4) if width - WIDTH >= BESIDE_COLUMNS else (3, 5)
            height = max(height * share[0] // share[1], AIRY_FROM_HEIGHT - FRAME)
        blank = int(lines + FRAME + 1 + HINT_HEIGHT + 2 <= height)
        self.query(".form-blank").set(display=bool(blank))
        self._page.styles.max_height = max(height - FRAME - 1 - HINT_HEIGHT - 2 * blank, 1)

    # Going through the fields

    @property
    def _place(self) -> int:
        """Index of the focused field."""
        return next((index for index, row in enumerate(self._fields) if row.target is self.focused), 0)

    def action_go(self, fields: int) -> None:
        """Focus another field; after the last comes the first."""
        self._fields[(self._place + fields) % len(self._fields)].target.focus()

    def on_field_row_entered(self, event: FieldRow.Entered) -> None:
        """Show the hint of the field."""
        event.stop()
        self._show_hint()

    def _show_hint(self) -> None:
        self._hint.update(WORKING if self._work is not None else safe(self._fields[self._place].field.hint))
        self._show_changed()

    def _show_changed(self) -> None:
        """Show the default of the field, if it has another value, and how many others have."""
        row, count = self._fields[self._place], sum(each.is_changed for each in self._fields)
        words = [f"{CHANGED_SIGN} {count} changed"] if count else []
        if row.is_changed and row.default_text is not None:
            words.append(f"^r default: {safe(row.default_text)}")
        text = "  ".join(words)
        box = self.query_one("#form-box")
        if str(box.border_subtitle or "") != text:
            box.border_subtitle = Content(text)

    def action_reset(self) -> None:
        """Give the field its default."""
        self._fields[self._place].reset()

    # Leaving

    def action_cancel(self) -> None:
        """Close the form without a change; take back what was applied."""
        if self._live is not None and self._applied is not None:
            self._live(self._conclude(dict(self._begun)))
        self.dismiss(None)

    def _values(self) -> dict[str, Any]:
        """Return the values of all fields.

        Raises:
            ValueError: One of them cannot be used.
        """
        return {row.field.name: row.value() for row in self._fields}

    def on_field_row_edited(self, event: FieldRow.Edited) -> None:
        """Apply the entries if all of them are valid; an incomplete one waits without a complaint."""
        event.stop()
        self._show_changed()
        if self._live is None:
            return
        try:
            values = self._values()
            if values != (self._applied or self._begun):
                self._live(self._conclude(dict(values)))
                self._applied = values
        except ValueError:
            return

    def on_field_row_refused(self, event: FieldRow.Refused) -> None:
        """Widen the dialog as far as the error and the terminal need."""
        event.stop()
        self._width = max(event.columns + FRAME, self._width)
        self.query_one("#form-box").styles.width = self._width

    async def on_unmount(self) -> None:
        """Cancel work that still runs, and give it `MAX_CLOSE_SECONDS` to clean up."""
        if self._work is None:
            return
        if self._stop is not None:
            self._stop()
        ended, _ = await asyncio.wait([self._work], timeout=MAX_CLOSE_SECONDS)
        for each in ended:
            each.exception()  # asyncio logs an exception that was never retrieved

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Apply on enter, which a text field takes for itself."""
        event.stop()
        self.action_apply()

    def action_apply(self) -> None:
        """Apply all values; the first invalid one gets the focus, and all entries stay."""
        if self._work is not None:
            return
        wrong = [row for row in self._fields if not row.check()]
        if wrong:
            wrong[0].target.focus()
            return
        values = {row.field.name: row.value() for row in self._fields}
        if self._slow:
            self._work = daemon_call(partial(self._conclude, values))
            self._show_hint()
            self.run_worker(self._conclude_slowly(self._work))
            return
        try:
            self.dismiss(self._conclude(values))
        except FieldError as error:
            self._refuse(error)

    async def _conclude_slowly(self, work: asyncio.Future[Any]) -> None:
        try:
            outcome = await asyncio.shield(work)
        except FieldError as error:
            self._work = None
            self._refuse(error)
        else:
            self._work = None
            self.dismiss(outcome)

    def _refuse(self, error: FieldError) -> None:
        """Show the error at its field."""
        row = next(row for row in self._fields if row.field.name == error.name)
        row.complain(str(error))
        row.target.focus()
        self._show_hint()


class GroupHeading(Line):
    """The heading of a group of fields."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title

    def on_mount(self) -> None:
        """Show the title."""
        self.show(((f" {self._title}", Ink.BOLD),))


class FormHeading(Line):
    """The title of a form and its keys; a click on apply or cancel does it."""

    def __init__(self, title: str, keys: Sequence[Piece] = ()) -> None:
        super().__init__()
        self._title = (f" {title}", Ink.BOLD)
        self._optional_keys = tuple(keys)
        """Keys that are shown if there is room."""

        self._keys: tuple[Piece, ...] = CLOSE_KEYS

    def on_resize(self) -> None:
        """Fit the title to the width."""
        keys = ((*self._optional_keys, *CLOSE_KEYS), CLOSE_KEYS, SHORT_KEYS)
        fitting = (each for each in keys if pieces_width((self._title, *each)) + MARGIN <= self.size.width)
        self._keys = next(fitting, SHORT_KEYS)
        self.show(spread_pieces((self._title,), self._keys, self.size.width))

    async def on_click(self, event: events.Click) -> None:
        """Apply or cancel, by the words under the mouse."""
        event.stop()
        from_right = self.size.width - event.x
        close = SHORT_KEYS if self._keys is SHORT_KEYS else CLOSE_KEYS
        if from_right <= pieces_width(close[2:]):
            await self.screen.run_action("cancel")
        elif from_right <= pieces_width(close):
            await self.screen.run_action("apply")
