"""Several settings at once: a page of choices and entries that is applied as a whole or not at all.

Imported when the first form is opened: Textual's text field costs start-up time.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width, safe
from tbtui.widgets.aside import daemon_call
from tbtui.widgets.background import LEAVING_SECONDS
from tbtui.widgets.form_fields import Choice, RefusedError
from tbtui.widgets.form_rows import FieldRow, row_of
from tbtui.widgets.line import Line, apart, pieces_width
from tbtui.widgets.textual_patches.modal import DismissOnceScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.widgets import Input

    from tbtui.widgets.form_fields import Field
    from tbtui.widgets.line import Piece

WAYS = (("⏎", Ink.ACCENT), (" apply  ", Ink.DIM), ("esc", Ink.ACCENT), (" cancel ", Ink.DIM))
"""How to leave a form."""

GOING = (("↑ ↓", Ink.ACCENT), (" field  ", Ink.DIM))
TURNING = (("← →", Ink.ACCENT), (" choice  ", Ink.DIM))
"""How to go through its fields, and through the options of one; told as far as there is room."""

MARGIN = 3
"""Blank columns around the widest label."""

HINT_HEIGHT, AIRY_FROM_HEIGHT = 2, 16

WORKING = "working …"


class FormScreen(ModalScreen[Any], DismissOnceScreen[Any]):
    """A form over the dashboard. It is dismissed with what `conclude` makes of the values, or with None.

    Args:
        title: What is set here.
        fields: In order.
        conclude: Handed field names and values once all of them can be read; may raise RefusedError.
        slow: Whether `conclude` runs on a thread of its own.
        cancel: Called when the form, or the app, is left while that thread runs.
    """

    DEFAULT_CSS = """
    FormScreen { background: $background; overflow: hidden; }
    FormScreen > .form-blank { height: 1; }
    FormScreen > #form-rest { height: 1fr; }
    FormScreen > #form-page {
        height: auto;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        scrollbar-background: $background;
        scrollbar-color: $foreground 25%;
    }
    FormScreen > #form-hint { height: 2; padding: 0 1; color: $text-muted; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "cancel", system=True),
        Binding("enter", "apply", "apply", system=True),
        Binding("up,shift+tab", "go(-1)", "field above", system=True),
        Binding("down,tab", "go(1)", "field below", system=True),
    ]

    def __init__(
        self,
        title: str,
        fields: Sequence[Field],
        conclude: Callable[[dict[str, Any]], Any] = dict,
        *,
        slow: bool = False,
        cancel: Callable[[], object] | None = None,
    ) -> None:
        super().__init__()
        told = (
            *(GOING if len(fields) > 1 else ()),
            *(TURNING if any(isinstance(each, Choice) for each in fields) else ()),
        )
        self._heading = Heading(title, told)
        left = max(cell_width(safe(field.label)) for field in fields) + MARGIN
        self._fields = [row_of(field, left) for field in fields]
        # Not one that scrolls by keys, which go through the fields.
        self._page = Vertical(*self._fields, id="form-page")
        self._told = Static(id="form-hint", markup=False)
        self._conclude, self._slow, self._stop = conclude, slow, cancel
        self._work: asyncio.Future[Any] | None = None

    def compose(self) -> ComposeResult:
        """Title, fields, and what the field that has the keys is about."""
        # Every row is a widget's: where the background is the terminal's own, a screen lets through what is below it.
        yield self._heading
        yield Static(classes="form-blank")
        yield self._page
        yield Static(classes="form-blank")
        yield self._told
        yield Static(id="form-rest")

    def on_mount(self) -> None:
        """The first field takes the keys."""
        self._fields[0].target.focus()

    def on_resize(self) -> None:
        """Where there is room, blank lines set the fields off; where not, they scroll."""
        height = self.app.size.height
        blank = int(height >= AIRY_FROM_HEIGHT)
        self.query(".form-blank").set(display=bool(blank))
        self._page.styles.max_height = max(height - 1 - HINT_HEIGHT - 2 * blank, 1)

    # Going through the fields

    @property
    def _place(self) -> int:
        """Which field has the keys."""
        return next((place for place, row in enumerate(self._fields) if row.target is self.focused), 0)

    def action_go(self, fields: int) -> None:
        """Give the keys to another field; after the last comes the first."""
        self._fields[(self._place + fields) % len(self._fields)].target.focus()

    def on_field_row_entered(self, event: FieldRow.Entered) -> None:
        """Tell what the field is about."""
        event.stop()
        self._tell()

    def _tell(self) -> None:
        self._told.update(WORKING if self._work is not None else safe(self._fields[self._place].field.hint))

    # Leaving

    def action_cancel(self) -> None:
        """Leave everything as it was."""
        self.dismiss(None)

    async def on_unmount(self) -> None:
        """Nobody waits any more for what still runs, but for a moment in which it can put things in order."""
        if self._work is None:
            return
        if self._stop is not None:
            self._stop()
        ended, _ = await asyncio.wait([self._work], timeout=LEAVING_SECONDS)
        for each in ended:
            each.exception()  # which would be complained about when nobody had looked at it

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """A text field takes enter for itself."""
        event.stop()
        self.action_apply()

    def action_apply(self) -> None:
        """Apply all values; the first that cannot be used takes the keys. What is typed is never lost."""
        if self._work is not None:
            return
        wrong = [row for row in self._fields if not row.check()]
        if wrong:
            wrong[0].target.focus()
            return
        values = {row.field.name: row.value() for row in self._fields}
        if self._slow:
            self._work = daemon_call(partial(self._conclude, values))
            self._tell()
            self.run_worker(self._conclude_slowly(self._work))
            return
        try:
            self.dismiss(self._conclude(values))
        except RefusedError as error:
            self._refuse(error)

    async def _conclude_slowly(self, work: asyncio.Future[Any]) -> None:
        try:
            outcome = await asyncio.shield(work)
        except RefusedError as error:
            self._work = None
            self._refuse(error)
        else:
            self._work = None
            self.dismiss(outcome)

    def _refuse(self, error: RefusedError) -> None:
        """Say at the field in question what is wrong with the whole."""
        row = next(row for row in self._fields if row.field.name == error.name)
        row.complain(str(error))
        row.target.focus()
        self._tell()


class Heading(Line):
    """What is set, which keys do it, and how to leave; a click on either way takes it."""

    def __init__(self, title: str, ways: Sequence[Piece] = ()) -> None:
        super().__init__()
        self._title = (f" {title}", Ink.BOLD)
        self._ways = tuple(ways)
        """What else is told of keys where there is room."""

    def on_resize(self) -> None:
        """Set the title for the terminal's width."""
        right = (*self._ways, *WAYS)
        if pieces_width((self._title, *right)) + MARGIN > self.size.width:
            right = WAYS
        self.show(apart((self._title,), right, self.size.width))

    async def on_click(self, event: events.Click) -> None:
        """Do what the words under the mouse say."""
        event.stop()
        from_right = self.size.width - event.x
        if from_right <= pieces_width(WAYS[2:]):
            await self.screen.run_action("cancel")
        elif from_right <= pieces_width(WAYS):
            await self.screen.run_action("apply")
