"""What is wrong with which files, place by place."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Static

from tbtui.app.words import told_files
from tbtui.charts.cells import Ink
from tbtui.charts.numbers import counted
from tbtui.charts.text import safe
from tbtui.widgets.line import Heading
from tbtui.widgets.passing_screen import PassingScreen
from tbtui.widgets.row_list import Row, RowList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from tbtui.loading.state import FileProblem


def damage_rows(problems: Sequence[FileProblem]) -> list[Row]:
    """A row for each file, the places in it below."""
    rows = []
    for path, of_file in groupby(problems, key=lambda problem: problem.path):
        places = list(of_file)
        right = ((f"{places[0].state}  ", Ink.WARN), (counted(len(places), "place"), Ink.DIM))
        rows.append(Row(f"f{path}", ((" ✗ ", Ink.BAD),), f"{places[0].run}  {path}", Ink.BOLD, right=right))
        rows += [_place_row(index, problem) for index, problem in enumerate(places)]
    return rows


def _place_row(index: int, problem: FileProblem) -> Row:
    place = problem.problem
    # The beginning of a record that is still being written is not lost.
    count = 0 if place.kind == "truncated" else place.bytes_skipped
    skipped = ((counted(count, "byte") + " skipped", Ink.DIM),) if count else ()
    lead = ("   " if place.of_file else f"   at {place.offset:,}  ", Ink.DIM)
    return Row(f"p{index}:{problem.path}", (lead,), place.message, right=skipped, cut_end=True)


class DamageScreen(ModalScreen[None], PassingScreen[None]):
    """Covers the dashboard until a key closes it. The row under the cursor is told in full below the list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,exclamation_mark", "dismiss", "close", system=True),
    ]

    DEFAULT_CSS = """
    DamageScreen { background: $background; }
    DamageScreen > #told { height: auto; max-height: 6; padding: 0 1; color: $text-muted; }
    """

    def __init__(self, problems: Sequence[FileProblem]) -> None:
        """Show these problems.

        Args:
            problems: As the loader lists them, those of one file side by side.
        """
        super().__init__()
        self._problems = problems
        self._heading = Heading("", ("esc", "close"), id="damage-title")
        self._list = RowList(id="damage")
        self._told = Static(id="told", markup=False)

    def compose(self) -> ComposeResult:
        """Title, list, and the whole of what the cursor is on."""
        yield self._heading
        yield self._list
        yield self._told

    def on_mount(self) -> None:
        """The list takes the keys."""
        self._list.focus()
        self._show()

    def show_problems(self, problems: Sequence[FileProblem]) -> None:
        """Show what is known by now; the cursor stays."""
        if problems != self._problems:
            self._problems = problems
            self._show()

    def _show(self) -> None:
        self._heading.entitle(told_files(self._problems) or "no damage")
        self._list.show_rows(damage_rows(self._problems), "every file could be read to its end")
        self._tell()

    def on_row_list_moved(self) -> None:
        """The cursor is on another row."""
        self._tell()

    def _tell(self) -> None:
        key = self._list.cursor_key or ""
        row = next((row for row in self._list.rows if row.key == key), None)
        self._told.update("" if row is None else safe(row.label))
