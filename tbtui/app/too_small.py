"""What stands in a terminal that has no room for a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Static

from tbtui.app.layout import LEAST_HEIGHT, LEAST_WIDTH

if TYPE_CHECKING:
    from textual.app import ComposeResult


class TooSmall(ModalScreen[None]):
    """Covers everything until the terminal is enlarged."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "app.quit", "quit", system=True)]

    DEFAULT_CSS = """
    TooSmall { align: center middle; background: $background; }
    TooSmall > Static { width: 100%; height: 100%; content-align: center middle; text-align: center; }
    """

    def compose(self) -> ComposeResult:
        """One sentence."""
        yield Static(f"tbtui needs at least {LEAST_WIDTH}x{LEAST_HEIGHT}", markup=False)
