"""The colour chooser: the colours of the palette, each with the markers that distinguish runs of one colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget

from tbtui.charts.cells import Ink
from tbtui.charts.series_colours import MARKERS, PALETTE_SIZE, get_series_marker
from tbtui.charts.text import format_run_name, shorten
from tbtui.view.run_names import fit_run_name
from tbtui.widgets import ink_styles as inks
from tbtui.widgets.ink_styles import render_pieces
from tbtui.widgets.line import Heading, Line
from tbtui.widgets.scroll_state import ScrollState
from tbtui.widgets.textual_patches.modal import DismissOnceScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual import events
    from textual.app import App, ComposeResult

    from tbtui.charts.styled_text import Piece

MARKER_COUNT = len(MARKERS)
MARKERS_FROM, MARKER_WIDTH = 4, 3
"""First column of the markers, and columns of each."""

WIDTH = 60
MAX_NAMES = 3
"""Runs that are named beside a colour; the rest are counted."""


def build_colour_row(colour: int, chosen: int | None, names: Sequence[str]) -> tuple[Piece, ...]:
    """Return the row of a colour with its markers: ` 3  ● [◆] ■  ▲   adam/seed0`.

    Args:
        colour: Index in the palette.
        chosen: The ink under the cursor if it has this colour.
        names: Names of other runs of this colour.
    """
    pieces: list[Piece] = [(f"{colour + 1:>3} ", Ink.DIM)]
    for ink in range(colour, MARKER_COUNT * PALETTE_SIZE, PALETTE_SIZE):
        left, right = "[]" if ink == chosen else "  "
        pieces += [(left, Ink.ACCENT), (get_series_marker(ink), ink), (right, Ink.ACCENT)]
    listed = ", ".join(shorten(format_run_name(name), WIDTH // 3) for name in names[:MAX_NAMES])
    more = f", {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return (*pieces, (f"  {listed}{more}", Ink.DIM))


class ColourTable(Widget, can_focus=True):
    """One row per colour, with a cursor on one marker.

    Args:
        ink: The ink (colour and marker) under the cursor at first.
        names: Other runs by the index of their colour.
        colours: Number of colours of the theme.
    """

    BINDING_GROUP_TITLE = "Colours"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1, 0)", "up", show=False),
        Binding("down,j", "move(1, 0)", "down", show=False),
        Binding("left,h", "move(0, -1)", "left", show=False),
        Binding("right,l", "move(0, 1)", "right", show=False),
        *(Binding(str(n), f"go({n - 1})", show=False) for n in range(1, 10)),
    ]

    DEFAULT_CSS = """
    ColourTable { height: 1fr; width: 1fr; }
    """

    class Moved(Message):
        """The cursor is on another ink."""

    def __init__(self, ink: int, names: Mapping[int, Sequence[str]], colours: int) -> None:
        super().__init__()
        self._colour_count = colours
        self._colour, self._marker = ink % PALETTE_SIZE % colours, ink // PALETTE_SIZE % MARKER_COUNT
        self._names = names

    @property
    def ink(self) -> int:
        """The ink under the cursor."""
        return self._marker * PALETTE_SIZE + self._colour

    def _colour_at(self, y: int) -> int | None:
        """Return the colour at line `y`; the cursor stays in the middle as far as possible."""
        height = self.size.height
        return ScrollState(self._colour_count, height).with_top(self._colour - height // 2).index_at(y)

    def render_line(self, y: int) -> Strip:
        """Return the row of one colour."""
        colour = self._colour_at(y)
        if colour is None:
            return Strip.blank(self.size.width, self.rich_style)
        chosen = self.ink if colour == self._colour else None
        row = build_colour_row(colour, chosen, self._names.get(colour, ()))
        return render_pieces(row, self.size.width, inks.get_ink_styles(self.app), self.rich_style)

    def action_move(self, rows: int, markers: int) -> None:
        """Move the cursor; it wraps around."""
        self._colour = (self._colour + rows) % self._colour_count
        self._marker = (self._marker + markers) % MARKER_COUNT
        self.refresh()
        self.post_message(self.Moved())

    def action_go(self, colour: int) -> None:
        """Move the cursor to a colour by its index."""
        if colour < self._colour_count:
            self.action_move(colour - self._colour, 0)

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the mouse; a click on a marker chooses it at once."""
        event.stop()
        colour, marker = self._colour_at(event.y), (event.x - MARKERS_FROM) // MARKER_WIDTH
        if colour is not None:
            on_marker = 0 <= marker < MARKER_COUNT
            self.action_move(colour - self._colour, marker - self._marker if on_marker else 0)
            if on_marker:
                self.screen.dismiss(self.ink)


class ColourChooser(ModalScreen["int | None"], DismissOnceScreen["int | None"]):
    """Lets the user choose an ink; returns it, or None if the user cancels.

    Args:
        title: Common name of the runs, not yet safe for a terminal.
        runs: Names of the runs; at least one.
        inks_by_run: The ink of every run.
        show: Shows the runs in the ink under the cursor, before it is chosen.
        colours: Number of colours of the theme.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "apply", "apply", system=True),
        Binding("escape,q,c", "dismiss(None)", "cancel", system=True),
    ]

    DEFAULT_CSS = f"""
    ColourChooser {{ align: right bottom; background: transparent; }}
    ColourChooser > Vertical {{
        width: {WIDTH}; max-width: 100%; height: {PALETTE_SIZE + 4}; max-height: 100%;
        background: $background; border: round $foreground 50%;
    }}
    """

    def __init__(
        self,
        title: str,
        runs: Sequence[str],
        inks_by_run: Mapping[str, int],
        show: Callable[[int], object],
        colours: int = PALETTE_SIZE,
    ) -> None:
        super().__init__()
        self._colour_count = colours
        self._show_ink = show
        names: dict[int, list[str]] = {}
        for run, ink in inks_by_run.items():
            if run not in runs:
                names.setdefault(ink % PALETTE_SIZE, []).append(run)
        all_runs = tuple(inks_by_run)
        names = {
            colour: [*(fit_run_name(run, all_runs, WIDTH // 3) for run in users[:MAX_NAMES]), *users[MAX_NAMES:]]
            for colour, users in names.items()
        }
        name = fit_run_name(title, all_runs, WIDTH - 36)
        self._heading = Heading(f"colour of {name}", ("⏎", "apply"), ("esc", "cancel"))
        self._table = ColourTable(inks_by_run[runs[0]], names, colours)

    def compose(self) -> ComposeResult:
        """Compose the title and the table."""
        dialog = Vertical(self._heading, Line(), self._table)
        dialog.styles.height = self._colour_count + 4
        yield dialog

    def on_mount(self) -> None:
        """Focus the table."""
        self._table.focus()

    def on_colour_table_moved(self, event: ColourTable.Moved) -> None:
        """Show the runs in another ink."""
        event.stop()
        self._show_ink(self._table.ink)

    def action_apply(self) -> None:
        """Return the ink under the cursor."""
        self.dismiss(self._table.ink)


def open_colour_chooser(
    app: App[int],
    title: str,
    runs: Sequence[str],
    inks: Mapping[str, int],
    set_inks: Callable[[Mapping[str, int]], None],
    save: Callable[[], None],
    colours: int,
) -> None:
    """Open the chooser. It shows the runs in the ink under its cursor; a cancel restores their inks.

    Args:
        app: The app.
        title: Common name of the runs, not yet safe for a terminal.
        runs: Names of the runs; at least one.
        inks: The inks of all runs.
        set_inks: Shows runs in other inks.
        save: Called after a choice.
        colours: Number of colours of the theme.
    """

    def show(ink: int) -> None:
        set_inks(dict.fromkeys(runs, ink))

    def finish(ink: int | None) -> None:
        if ink is None:
            set_inks({run: inks[run] for run in runs if run in inks})
        else:
            show(ink)
            save()

    app.push_screen(ColourChooser(title, runs, inks, show, colours), finish)
