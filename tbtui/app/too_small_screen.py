"""Notice that the terminal is too small, in front of all other screens."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Static

from tbtui.app.layout import MIN_HEIGHT, MIN_WIDTH

if TYPE_CHECKING:
    from textual.app import ComposeResult


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
