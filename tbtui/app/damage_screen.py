"""Screen over the main screen that lists damaged files."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from tbtui.app.status_line import summarize_damage
from tbtui.charts import numbers
from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_count
from tbtui.charts.styled_text import Row
from tbtui.charts.text import safe
from tbtui.widgets.line import Heading
from tbtui.widgets.row_list import RowList
from tbtui.widgets.textual_patches.modal import DismissOnceScreen
from tbtui.widgets.worker import call_on_daemon

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import Callable, Iterable, Sequence

    from textual.app import App, ComposeResult

    from tbtui.loading.state import FileProblem, LoadState
    from tbtui.plugins.base import ValueProblem

DAMAGE_WIDTH, UNDAMAGED_WIDTH = 110, 72
"""Columns of the list, and of the sentence that there is no damage."""

MESSAGE_ROWS = 6
FRAME, FRAMED_FROM_HEIGHT = 2, 16
"""Lines of the frame, and lines of a terminal from which there is one."""


def build_damage_rows(problems: Sequence[FileProblem]) -> list[Row]:
    """Return one row per file, followed by one row per damaged place in it."""
    rows = []
    for path, group in groupby(problems, key=lambda problem: problem.path):
        file_problems = list(group)
        right = ((f"{file_problems[0].state}  ", Ink.WARN), (format_count(len(file_problems), "place"), Ink.DIM))
        rows.append(Row(f"f{path}", ((" ✗ ", Ink.BAD),), f"{file_problems[0].run}  {path}", Ink.BOLD, right=right))
        rows += [_build_row(index, problem) for index, problem in enumerate(file_problems)]
    return rows


def build_value_rows(problems: Sequence[ValueProblem]) -> list[Row]:
    """Return one row per tag or file with values that cannot be used, followed by one row per reason."""
    rows = []
    for (run, source), of_source in groupby(problems, key=lambda problem: (problem.run, problem.source)):
        reasons = list(of_source)
        key = f"{run}\0{source}"
        label = "  ".join(filter(None, (run, source)))
        rows.append(Row(f"v{key}", ((" ⚠ ", Ink.WARN),), label, Ink.BOLD, right=(("unusable  ", Ink.WARN),)))
        rows += [
            Row(f"w{index}:{key}", (("   ", Ink.DIM),), each.message, cut_end=True)
            for index, each in enumerate(reasons)
        ]
    return rows


def _build_row(index: int, problem: FileProblem) -> Row:
    damage = problem.problem
    # The beginning of a record that is still being written is not lost.
    count = 0 if damage.kind == "truncated" else damage.bytes_skipped
    skipped = ((format_count(count, "byte") + " skipped", Ink.DIM),) if count else ()
    prefix = ("   " if damage.is_about_file else f"   at {damage.offset:,}  ", Ink.DIM)
    return Row(f"p{index}:{problem.path}", (prefix,), damage.message, right=skipped, cut_end=True)


def format_verification(load: LoadState) -> str:
    """Return `12.5 MB left to compare`: the bytes not yet compared with their checksums; empty without any."""
    if not load.complete:
        return f"{numbers.format_size(load.bytes_total - load.bytes_read)} left to read"
    if load.unverified_bytes is None:
        return "files not compared yet"
    return f"{numbers.format_size(load.unverified_bytes)} left to compare" if load.unverified_bytes else ""


def format_no_damage(load: LoadState) -> str:
    """Return the sentence that stands where no damage is listed."""
    files = sum(len(run.files) for run in load.snapshot.runs.values())
    if not files:
        return "no event file was found"
    return f"{format_count(files, 'file')} read: every complete record matches its checksum"


class DamageScreen(ModalScreen[None], DismissOnceScreen[None]):
    """Lists the damaged files. The message of the row under the cursor is shown in full below the list.

    Args:
        load: The state of the loader, which compares the files with their checksums while the screen is open.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,exclamation_mark", "dismiss", "close", system=True),
    ]

    DEFAULT_CSS = """
    DamageScreen { align: right bottom; background: transparent; }
    DamageScreen > Vertical {
        height: auto; max-width: 100%; max-height: 100%; background: $background; border: round $foreground 50%;
    }
    DamageScreen.-low > Vertical { border: none; }
    DamageScreen #message { height: auto; max-height: 6; padding: 0 1; color: $text-muted; }
    """

    def __init__(self, load: LoadState) -> None:
        super().__init__()
        self._load = load
        self._values: Sequence[ValueProblem] = ()
        self._heading = Heading("", ("esc", "close"), id="damage-title")
        self._list = RowList(is_divided=False, id="damage")
        self._message = Static(id="message", markup=False)
        self._box = Vertical(self._heading, self._list, self._message)

    def compose(self) -> ComposeResult:
        """Compose title, list and message."""
        yield self._box

    def on_mount(self) -> None:
        """Focus the list."""
        self._list.focus()
        self._show()

    def show_load(self, load: LoadState) -> None:
        """Show another state of the loader; the cursor keeps its row."""
        before, self._load = self._load, load
        if load.problems != before.problems or format_verification(load) != format_verification(before):
            self._show()

    def show_values(self, problems: Sequence[ValueProblem]) -> None:
        """Show the values that dashboards cannot use, below the damaged files."""
        if problems != self._values:
            self._values = problems
            self._show()

    def _show(self) -> None:
        problems, progress = self._load.problems, format_verification(self._load)
        title = summarize_damage(problems) or ("no damage found so far" if progress else "no damage")
        if self._values:
            unusable = format_count(len(self._values), "unusable value")
            title = f"{title}, {unusable}" if problems else f"{unusable}, {title}"
        self._heading.entitle(f"{title}, {progress}" if progress else title)
        rows = [*build_damage_rows(problems), *build_value_rows(self._values)]
        self._list.show_rows(rows)
        self._fit()
        self._show_message()

    def on_resize(self) -> None:
        """Fit the list to the terminal."""
        self._fit()

    def _fit(self) -> None:
        """Give the list the size of its rows: without damage, a sentence is enough."""
        columns, height = self.app.size
        is_low = height < FRAMED_FROM_HEIGHT
        self.set_class(is_low, "-low")
        rows = len(self._list.rows)
        self._list.styles.height = min(rows, height - 1 - MESSAGE_ROWS - (0 if is_low else FRAME))
        self._list.display = bool(rows)
        self._box.styles.width = columns if is_low else DAMAGE_WIDTH if rows else UNDAMAGED_WIDTH

    def on_row_list_moved(self) -> None:
        """Show the message under the cursor."""
        self._show_message()

    def _show_message(self) -> None:
        key = self._list.cursor_key or ""
        rows = self._list.rows
        index = next((index for index, row in enumerate(rows) if row.key == key), None)
        if index is not None:
            # A narrow list cuts the reasons below the row of a file.
            is_file = key[:1] in {"f", "v"} and index + 1 < len(rows)
            self._message.update("\n".join(safe(row.label) for row in rows[index : index + 1 + is_file]))
        else:
            self._message.update("" if format_verification(self._load) else format_no_damage(self._load))


def open_damage_screen(
    app: App[int], load: LoadState, find_problems: Callable[[], Iterable[ValueProblem]], on_close: Callable[[], None]
) -> DamageScreen:
    """Open the list of damaged files, and of values that dashboards cannot use.

    Args:
        app: The app.
        load: The state of the loader.
        find_problems: Returns the values that dashboards cannot use; called on a thread of its own.
        on_close: Called when the screen is closed.
    """
    screen = DamageScreen(load)

    def show_values(result: Future[list[ValueProblem]]) -> None:
        if result.exception() is None and screen.is_attached:
            screen.show_values(result.result())

    app.push_screen(screen, lambda _: on_close())
    call_on_daemon(lambda: list(find_problems())).add_done_callback(show_values)
    return screen
