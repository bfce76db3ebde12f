"""The colours that a run can have: the palette's, and for each the signs that tell runs of one colour apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget

from tbtui.charts import palette
from tbtui.charts.cells import Ink
from tbtui.charts.text import nameable, shorten
from tbtui.widgets import inks
from tbtui.widgets.line import Heading, Line, strip_of
from tbtui.widgets.passing_screen import PassingScreen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual import events
    from textual.app import ComposeResult

    from tbtui.widgets.line import Piece

SHAPES = len(palette.MARKERS)
SHAPES_FROM, SHAPE_WIDTH = 4, 3
"""Columns: where the signs of a colour begin, and what each takes."""

WIDTH = 60
MOST_NAMES = 3
"""Runs that are named as wearing a colour."""


def colour_row(colour: int, chosen: int | None, wearing: Sequence[str]) -> tuple[Piece, ...]:
    """A colour with its signs: ` 3  ● [◆] ■  ▲   adam/seed0`.

    Args:
        colour: Index in the palette.
        chosen: The ink under the cursor, where it is of this colour.
        wearing: Names of other runs of this colour.
    """
    pieces: list[Piece] = [(f"{colour + 1:>3} ", Ink.DIM)]
    for ink in range(colour, SHAPES * palette.SIZE, palette.SIZE):
        left, right = "[]" if ink == chosen else "  "
        pieces += [(left, Ink.ACCENT), (palette.marker(ink), ink), (right, Ink.ACCENT)]
    names = ", ".join(shorten(nameable(name), WIDTH // 3) for name in wearing[:MOST_NAMES])
    more = f", {len(wearing) - MOST_NAMES} more" if len(wearing) > MOST_NAMES else ""
    return (*pieces, (f"  {names}{more}", Ink.DIM))


class Colours(Widget, can_focus=True):
    """The colours, one a row, with a cursor on one sign of one of them."""

    BINDING_GROUP_TITLE = "Colours"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1, 0)", "up", show=False),
        Binding("down,j", "move(1, 0)", "down", show=False),
        Binding("left,h", "move(0, -1)", "left", show=False),
        Binding("right,l", "move(0, 1)", "right", show=False),
        *(Binding(str(n), f"go({n - 1})", show=False) for n in range(1, 10)),
    ]

    DEFAULT_CSS = """
    Colours { height: 1fr; width: 1fr; }
    """

    def __init__(self, ink: int, wearing: Mapping[int, Sequence[str]]) -> None:
        """Begin with the cursor on an ink.

        Args:
            ink: Any series ink.
            wearing: Index of a colour to the other runs that have it.
        """
        super().__init__()
        self._colour, self._shape = ink % palette.SIZE, ink // palette.SIZE % SHAPES
        self._wearing = wearing

    @property
    def ink(self) -> int:
        """The ink under the cursor."""
        return self._shape * palette.SIZE + self._colour

    @property
    def _top(self) -> int:
        """The first colour in sight; all are where there is room."""
        return max(0, min(self._colour - self.size.height // 2, palette.SIZE - self.size.height))

    def render_line(self, y: int) -> Strip:
        """One colour."""
        colour = self._top + y
        if colour >= palette.SIZE:
            return Strip.blank(self.size.width, self.rich_style)
        chosen = self.ink if colour == self._colour else None
        row = colour_row(colour, chosen, self._wearing.get(colour, ()))
        return strip_of(row, self.size.width, inks.styles(self.app), self.rich_style)

    def action_move(self, rows: int, shapes: int) -> None:
        """Move the cursor; it comes round at the ends."""
        self._colour = (self._colour + rows) % palette.SIZE
        self._shape = (self._shape + shapes) % SHAPES
        self.refresh()

    def action_go(self, colour: int) -> None:
        """Put the cursor on a colour by its number."""
        self.action_move(colour - self._colour, 0)

    def on_click(self, event: events.Click) -> None:
        """Put the cursor under the mouse; on a sign it is chosen at once."""
        event.stop()
        colour, shape = self._top + event.y, (event.x - SHAPES_FROM) // SHAPE_WIDTH
        if colour < palette.SIZE:
            on_sign = 0 <= shape < SHAPES
            self.action_move(colour - self._colour, shape - self._shape if on_sign else 0)
            if on_sign:
                self.screen.dismiss(self.ink)


class ColourChooser(ModalScreen["int | None"], PassingScreen["int | None"]):
    """Lets the user choose an ink; ends with it, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "apply", "apply", system=True),
        Binding("escape,q,c", "dismiss(None)", "cancel", system=True),
    ]

    DEFAULT_CSS = f"""
    ColourChooser {{ align: center middle; background: $background 60%; }}
    ColourChooser > Vertical {{
        width: {WIDTH}; max-width: 100%; height: {palette.SIZE + 2}; max-height: 100%; background: $surface;
    }}
    """

    def __init__(self, title: str, runs: Sequence[str], worn: Mapping[str, int]) -> None:
        """Choose for these runs.

        Args:
            title: What the runs are called together; not yet made safe for a terminal.
            runs: Their names; at least one.
            worn: Every run's ink.
        """
        super().__init__()
        wearing: dict[int, list[str]] = {}
        for run, ink in worn.items():
            if run not in runs:
                wearing.setdefault(ink % palette.SIZE, []).append(run)
        name = shorten(nameable(title), WIDTH - 36)
        self._heading = Heading(f"colour of {name}", ("⏎", "apply"), ("esc", "cancel"))
        self._colours = Colours(worn[runs[0]], wearing)

    def compose(self) -> ComposeResult:
        """The title, and the colours below it."""
        yield Vertical(self._heading, Line(), self._colours)

    def on_mount(self) -> None:
        """The colours take the keys."""
        self._colours.focus()

    def action_apply(self) -> None:
        """End with the ink under the cursor."""
        self.dismiss(self._colours.ink)
