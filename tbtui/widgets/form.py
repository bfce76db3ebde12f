"""A form: a dialog of settings and text entries next to the charts that they change.

A form with `live` applies each valid entry at once, and escape takes all of them back; any other form is applied as a
whole with enter, or not at all.

Imported when the first form is opened: Textual's text field costs start-up time.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import pieces_width, spread_pieces
from tbtui.charts.text import cell_width, safe
from tbtui.widgets.form_fields import Choice, FieldError
from tbtui.widgets.form_rows import CHANGED_SIGN, GroupHeading, create_field_row
from tbtui.widgets.line import Line
from tbtui.widgets.textual_patches.modal import DismissOnceScreen
from tbtui.widgets.worker import MAX_CLOSE_SECONDS, call_on_daemon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.widget import Widget
    from textual.widgets import Input

    from tbtui.charts.styled_text import Piece
    from tbtui.widgets.form_fields import Field
    from tbtui.widgets.form_rows import FieldRow


CLOSE_KEYS = (("⏎", Ink.ACCENT), (" apply  ", Ink.DIM), ("esc", Ink.ACCENT), (" cancel ", Ink.DIM))
"""Keys that close the form."""

SHORT_KEYS = (("⏎", Ink.ACCENT), (" ok  ", Ink.DIM), ("esc", Ink.ACCENT), (" ", Ink.NONE))
"""The same for a title that would be cut."""

FIELD_KEYS = (("↑ ↓", Ink.ACCENT), (" field  ", Ink.DIM))
CHOICE_KEYS = (("← →", Ink.ACCENT), (" choice  ", Ink.DIM))
"""Keys for the fields of the form and for the options of a choice; shown if there is room."""

MARGIN = 3
"""Blank columns around the widest label."""

HINT_HEIGHT = 2
MIN_SPACED_HEIGHT = 16
"""Minimum rows of a terminal in which the dialog has headings and blank lines."""

WIDTH = 72
"""Columns of the dialog; the charts that it changes stay visible to its left."""

FRAME = 2
"""Columns and lines of its frame."""

MIN_SIDE_COLUMNS = 40
"""Minimum columns to the left of a dialog that may be higher than others."""

WORKING = "working …"


def sort_by_group(fields: Sequence[Field]) -> list[Field]:
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
        take_back: Takes back what `live` has applied, on a cancel and while the entries are incomplete. None: `live`
            gets the values of the start on a cancel.
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
    FormScreen #form-page:ansi { scrollbar-color: ansi_bright_black; }
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
        take_back: Callable[[], object] | None = None,
    ) -> None:
        super().__init__()
        self._live, self._take_back = live, take_back
        self._width = WIDTH
        self._initial_values: dict[str, Any] = {}
        """Values at the start, which escape restores."""

        self._applied: dict[str, Any] | None = None
        """Values that `live` has applied; None: none."""

        keys = (
            *(FIELD_KEYS if len(fields) > 1 else ()),
            *(CHOICE_KEYS if any(isinstance(each, Choice) for each in fields) else ()),
        )
        self._heading = FormHeading(title, keys)
        left = max(cell_width(safe(field.label)) for field in fields) + MARGIN
        self._fields = [create_field_row(field, left) for field in sort_by_group(fields)]
        # A Vertical, not a VerticalScroll: the keys that would scroll move between fields.
        self._page = Vertical(*self._add_headings(), id="form-page")
        self._hint = Static(id="form-hint", markup=False)
        self._conclude, self._slow, self._cancel = conclude, slow, cancel
        self._work: asyncio.Future[Any] | None = None

    def _add_headings(self) -> Iterator[Widget]:
        """Yield the fields, each group below its heading."""
        before = ""
        for row in self._fields:
            if row.field.group != before:
                before = row.field.group
                row.heading = GroupHeading(before)
                yield row.heading
            yield row

    def compose(self) -> ComposeResult:
        """Compose title, fields, and the hint of the focused field."""
        # A widget covers each row: with the terminal's own background a box shows the widgets below it.
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
        self._initial_values = self._read_values()
        self._fields[0].target.focus()

    def on_resize(self) -> None:
        """Separate the fields by blank lines if there is room; otherwise they scroll."""
        width, height = self.app.size
        headings = self.query(GroupHeading)
        headings.set(display=height >= MIN_SPACED_HEIGHT)
        lines = len(self._fields) + len(headings)
        if height >= MIN_SPACED_HEIGHT:  # the charts stay visible above the form, or to its left
            share = (3, 4) if width - WIDTH >= MIN_SIDE_COLUMNS else (3, 5)
            height = max(height * share[0] // share[1], MIN_SPACED_HEIGHT - FRAME)
        blank = int(lines + FRAME + 1 + HINT_HEIGHT + 2 <= height)
        self.query(".form-blank").set(display=bool(blank))
        self._page.styles.max_height = max(height - FRAME - 1 - HINT_HEIGHT - 2 * blank, 1)

    # Focus

    @property
    def _focused_index(self) -> int:
        """Index of the focused field."""
        return next((index for index, row in enumerate(self._fields) if row.target is self.focused), 0)

    def action_go(self, fields: int) -> None:
        """Focus another field; after the last comes the first."""
        self._fields[(self._focused_index + fields) % len(self._fields)].target.focus()

    def on_field_row_entered(self, event: FieldRow.Entered) -> None:
        """Show the hint of the field."""
        event.stop()
        self._show_hint()

    def _show_hint(self) -> None:
        self._hint.update(WORKING if self._work is not None else safe(self._fields[self._focused_index].field.hint))
        self._show_changed()

    def _show_changed(self) -> None:
        """Show the default of the field, if it has another value, and how many others have."""
        row, count = self._fields[self._focused_index], sum(each.is_changed for each in self._fields)
        notes = [f"{CHANGED_SIGN} {count} changed"] if count else []
        if row.is_changed and row.default_text is not None:
            notes.append(f"^r default: {safe(row.default_text)}")
        text = "  ".join(notes)
        box = self.query_one("#form-box")
        if str(box.border_subtitle or "") != text:
            box.border_subtitle = Content(text)

    def action_reset(self) -> None:
        """Give the field its default."""
        self._fields[self._focused_index].reset()

    # Values

    def action_cancel(self) -> None:
        """Close the form without a change; take back what was applied."""
        if self._live is not None and self._applied is not None and not self._has_taken_back():
            self._live(self._conclude(dict(self._initial_values)))
        self.dismiss(None)

    def _has_taken_back(self) -> bool:
        if self._take_back is None:
            return False
        if self._applied is not None:
            self._take_back()
            self._applied = None
        return True

    def _read_values(self) -> dict[str, Any]:
        """Return the values of all fields.

        Raises:
            ValueError: One of them cannot be used.
        """
        return {row.field.name: row.value() for row in self._fields}

    def on_field_row_edited(self, event: FieldRow.Edited) -> None:
        """Apply the entries if all of them are valid; an incomplete one waits without an error."""
        event.stop()
        self._show_changed()
        if self._live is None:
            return
        try:
            values = self._read_values()
            if values != (self._applied or self._initial_values):
                self._live(self._conclude(dict(values)))
                self._applied = values
        except ValueError:
            self._has_taken_back()

    def on_field_row_refused(self, event: FieldRow.Refused) -> None:
        """Widen the dialog as far as the error and the terminal need."""
        event.stop()
        self._width = max(event.columns + FRAME, self._width)
        self.query_one("#form-box").styles.width = self._width

    async def on_unmount(self) -> None:
        """Cancel work that still runs, and give it `MAX_CLOSE_SECONDS` to clean up."""
        if self._work is None:
            return
        if self._cancel is not None:
            self._cancel()
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
        invalid = [row for row in self._fields if not row.check()]
        if invalid:
            invalid[0].target.focus()
            return
        values = {row.field.name: row.value() for row in self._fields}
        if self._slow:
            self._work = call_on_daemon(partial(self._conclude, values))
            self._show_hint()
            self.run_worker(self._finish_slow_work(self._work))
            return
        try:
            self.dismiss(self._conclude(values))
        except FieldError as error:
            self._show_error(error)

    async def _finish_slow_work(self, work: asyncio.Future[Any]) -> None:
        try:
            outcome = await asyncio.shield(work)
        except FieldError as error:
            self._work = None
            self._show_error(error)
        else:
            self._work = None
            self.dismiss(outcome)

    def _show_error(self, error: FieldError) -> None:
        """Show the error at its field."""
        row = next(row for row in self._fields if row.field.name == error.name)
        row.show_error(str(error))
        row.target.focus()
        self._show_hint()


class FormHeading(Line):
    """The title of a form and its keys; a click on apply or cancel runs it."""

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
        """Apply or cancel, by the label under the mouse."""
        event.stop()
        from_right = self.size.width - event.x
        close = SHORT_KEYS if self._keys is SHORT_KEYS else CLOSE_KEYS
        if from_right <= pieces_width(close[2:]):
            await self.screen.run_action("cancel")
        elif from_right <= pieces_width(close):
            await self.screen.run_action("apply")
