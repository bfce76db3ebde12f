"""Screens over the main screen: help, command palette, list of damaged files, and the notice of a small terminal."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, ClassVar

from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.command import SearchIcon
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from tbtui.app.keymap import EVERYWHERE, group_title, key_signs, moves_cursor, own_bindings, own_classes
from tbtui.app.layout import MIN_HEIGHT, MIN_WIDTH
from tbtui.app.status import damage_summary
from tbtui.app.themes import NAMES
from tbtui.charts import numbers
from tbtui.charts.cells import Ink
from tbtui.charts.numbers import counted
from tbtui.charts.pieces import Row
from tbtui.charts.text import safe
from tbtui.widgets.line import Heading
from tbtui.widgets.row_list import RowList
from tbtui.widgets.textual_patches.command_palette import PatchedCommandPalette
from tbtui.widgets.textual_patches.input_filter import TYPED
from tbtui.widgets.textual_patches.modal import DismissOnceScreen

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from textual.app import App, ComposeResult
    from textual.dom import DOMNode

    from tbtui.loading.state import FileProblem, LoadState
    from tbtui.plugins.base import Plugin

# Damaged files


def damage_rows(problems: Sequence[FileProblem]) -> list[Row]:
    """Return one row per file, followed by one row per damaged place in it."""
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
    lead = ("   " if place.is_about_file else f"   at {place.offset:,}  ", Ink.DIM)
    return Row(f"p{index}:{problem.path}", (lead,), place.message, right=skipped, cut_end=True)


def verification_text(load: LoadState) -> str:
    """Return how much is still to be compared with its checksums: `12.5 MB left to compare`; empty if nothing is."""
    if not load.complete:
        return f"{numbers.size(load.bytes_total - load.bytes_read)} left to read"
    if load.unverified_bytes is None:
        return "files not compared yet"
    return f"{numbers.size(load.unverified_bytes)} left to compare" if load.unverified_bytes else ""


def undamaged_text(load: LoadState) -> str:
    """Return the sentence that stands where no damage is listed."""
    files = sum(len(run.files) for run in load.snapshot.runs.values())
    if not files:
        return "no event file was found"
    return f"{counted(files, 'file')} read: every complete record matches its checksum"


class DamageScreen(ModalScreen[None], DismissOnceScreen[None]):
    """Lists the damaged files. The message of the row under the cursor is shown in full below the list.

    Args:
        load: The state of the loader, which compares the files with their checksums while the screen is open.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,exclamation_mark", "dismiss", "close", system=True),
    ]

    DEFAULT_CSS = """
    DamageScreen { background: $background; }
    DamageScreen > #message { height: auto; max-height: 6; padding: 0 1; color: $text-muted; }
    """

    def __init__(self, load: LoadState) -> None:
        super().__init__()
        self._load = load
        self._heading = Heading("", ("esc", "close"), id="damage-title")
        self._list = RowList(id="damage")
        self._message = Static(id="message", markup=False)

    def compose(self) -> ComposeResult:
        """Compose title, list and message."""
        yield self._heading
        yield self._list
        yield self._message

    def on_mount(self) -> None:
        """Focus the list."""
        self._list.focus()
        self._show()

    def show_load(self, load: LoadState) -> None:
        """Show another state of the loader; the cursor keeps its row."""
        before, self._load = self._load, load
        if load.problems != before.problems or verification_text(load) != verification_text(before):
            self._show()

    def _show(self) -> None:
        problems, progress = self._load.problems, verification_text(self._load)
        title = damage_summary(problems) or ("no damage found so far" if progress else "no damage")
        self._heading.entitle(f"{title}, {progress}" if progress else title)
        self._list.show_rows(damage_rows(problems), "" if progress else undamaged_text(self._load))
        self._show_message()

    def on_row_list_moved(self) -> None:
        """Show the message under the cursor."""
        self._show_message()

    def _show_message(self) -> None:
        key = self._list.cursor_key or ""
        row = next((row for row in self._list.rows if row.key == key), None)
        self._message.update("" if row is None else safe(row.label))


# Command palette

FOCUS_GROUPS = frozenset({"Filter"})
"""Groups of keys that have no effect without the focus."""


def palette_commands(app: App[int], nodes: Iterable[DOMNode], plugins: Sequence[Plugin]) -> Iterator[SystemCommand]:
    """Yield the commands of the palette: actions, tabs and themes.

    Args:
        app: Runs the actions.
        nodes: The nodes with key bindings; a class that occurs twice counts once.
        plugins: The plugins that have a tab.
    """
    seen: set[type] = set()
    for node in nodes:
        for node_class in own_classes(node, seen):
            for binding in own_bindings(node_class):
                group = group_title(node, node_class, binding)
                if group not in FOCUS_GROUPS and _is_command(binding):
                    yield _command(app, node, binding, group)
    for number, plugin in enumerate(plugins, 1):
        yield SystemCommand(f"Open {plugin.title} · {number}", "", partial(app.run_action, f"open_tab({number})"))
    for name in NAMES:
        yield SystemCommand(f"Theme {name}", "", partial(setattr, app, "theme", name))


def _is_command(binding: Binding) -> bool:
    """Return True for actions that are useful by name: no cursor keys, no tabs (listed by title), not the palette."""
    named = bool(binding.description or binding.tooltip)
    return named and not moves_cursor(binding) and not binding.action.startswith(("open_tab", "command_palette"))


def _command(app: App[int], node: DOMNode, binding: Binding, group: str) -> SystemCommand:
    text = binding.tooltip or binding.description
    name = text[0].upper() + text[1:] if group == EVERYWHERE else f"{group}: {text}"
    return SystemCommand(f"{name} · {key_signs(binding)[0]}", "", partial(app.run_action, binding.action, node))


class Palette(PatchedCommandPalette, DismissOnceScreen[None]):
    """Textual's command palette without a blinking cursor and without an emoji."""

    DEFAULT_CSS = """
    Palette { background: $background 60%; }
    Palette > Vertical { margin-top: 1; background: $surface; }
    Palette #--input { border: none; padding: 0 1; }
    Palette #--input CommandInput { border: none; height: 1; }
    Palette #--input SearchIcon { margin: 0; width: 2; color: $accent; }
    Palette CommandList { border: none; max-height: 60vh; }
    """

    def on_mount(self) -> None:
        """Stop the blinking, and accept the same characters as other input fields."""
        self.query_one(SearchIcon).icon = "/"
        field = self.query_one(Input)
        field.cursor_blink, field.restrict = False, TYPED


# Terminal too small


class TooSmallScreen(ModalScreen[None]):
    """Covers everything until the terminal has room for a chart."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "app.quit", "quit", system=True)]

    DEFAULT_CSS = """
    TooSmallScreen { align: center middle; background: $background; }
    TooSmallScreen > Static { width: 100%; height: 100%; content-align: center middle; text-align: center; }
    """

    def compose(self) -> ComposeResult:
        """Compose the message."""
        yield Static(f"tbtui needs at least {MIN_WIDTH}x{MIN_HEIGHT}", markup=False)
