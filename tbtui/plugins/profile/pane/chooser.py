"""A modal list of all captures, to choose one."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from tbtui.charts import colours as palette
from tbtui.charts.cells import Ink
from tbtui.charts.numbers import clock, size
from tbtui.charts.styled_text import Row
from tbtui.charts.text import visible_name
from tbtui.plugins.profile.pane import strings
from tbtui.widgets.line import Heading, Line
from tbtui.widgets.row_list import RowList
from tbtui.widgets.textual_patches.modal import DismissOnceScreen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.app import ComposeResult

    from tbtui.plugins.profile.capture import CaptureSource

WIDTH = 76
MAX_ROWS = 30
FRAME_ROWS = 4
"""Rows of the dialog around the list: the heading, a blank row and both borders."""

BORDER_COLUMNS = 2
MIN_DETAILS = 60
"""Columns from which size and time of a capture are listed."""


def capture_rows(sources: Sequence[CaptureSource], inks: Mapping[str, int], width: int = WIDTH) -> tuple[Row, ...]:
    """Return a row for each capture: its run, its title, size and time."""
    rows = []
    for index, source in enumerate(sources):
        ink = inks.get(source.run, 0)
        right = source.title
        if width >= MIN_DETAILS:
            right += f"  {size(source.asset.bytes):>8}  {clock(source.asset.modified)}"
        lead = ((f" {palette.marker(ink)} ", ink),)
        rows.append(Row(str(index), lead, visible_name(source.run), Ink.TEXT, right=((f"{right} ", Ink.DIM),)))
    return tuple(rows)


class CaptureChooser(ModalScreen["int | None"], DismissOnceScreen["int | None"]):
    """Returns the index of the chosen capture, or None.

    Args:
        sources: All captures.
        inks: Ink of each run.
        index: Index of the shown capture.
        title: Text of the heading.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "apply", "show", system=True),
        Binding("escape,q,I", "dismiss(None)", "cancel", system=True),
    ]

    DEFAULT_CSS = f"""
    CaptureChooser {{ align: right bottom; background: transparent; }}
    CaptureChooser > Vertical {{
        width: {WIDTH}; max-width: 100%; max-height: 100%;
        background: $background; border: round $foreground 50%;
    }}
    """

    def __init__(
        self, sources: Sequence[CaptureSource], inks: Mapping[str, int], index: int, title: str = strings.CHOOSE
    ) -> None:
        super().__init__()
        self._sources, self._inks, self._index = sources, inks, index
        self._rows = RowList()
        self._box = Vertical(Heading(title, ("⏎", "show"), ("esc", "cancel")), Line(), self._rows)

    def compose(self) -> ComposeResult:
        """Yield a title, and the captures below it."""
        yield self._box

    def on_mount(self) -> None:
        """Focus the list, with the cursor on the capture that is open."""
        self._box.styles.height = min(len(self._sources), MAX_ROWS) + FRAME_ROWS
        self._list()
        self._rows.move_to_key(str(self._index))
        self._rows.focus()

    def on_resize(self) -> None:
        """Show as many words of each capture as fit."""
        self._list()

    def _list(self) -> None:
        self._rows.show_rows(capture_rows(self._sources, self._inks, min(self.app.size.width, WIDTH) - BORDER_COLUMNS))

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Choose the capture that was clicked."""
        event.stop()
        self.action_apply()

    def action_apply(self) -> None:
        """Choose the capture under the cursor."""
        key = self._rows.cursor_key
        self.dismiss(None if key is None else int(key))
