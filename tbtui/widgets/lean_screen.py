"""A screen that sends the terminal only the cells of an update, not all that stands to their left.

Textual 8 repaints from the left edge of a widget to the last changed cell; over a slow line that is most of what a live
chart costs. Nothing but the update that Textual itself has computed is cut here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.control import Control
from textual._compositor import ChopsUpdate, Compositor
from textual.screen import Screen

if TYPE_CHECKING:
    from rich.console import Console


class _CroppedUpdate(ChopsUpdate):
    """The same update with both ends of each span cut."""

    def render_segments(self, console: Console) -> str:
        """Escape sequences and text of the changed spans."""
        parts: list[str] = []
        for y, first, end in self.spans:
            for chop_end, (x, strip) in zip(self.chop_ends[y], self.chops[y].items(), strict=False):
                start, stop = max(x, first), min(chop_end, end)
                if strip is not None and start < stop:
                    cropped = strip if (start, stop) == (x, chop_end) else strip.crop(start - x, stop - x)
                    parts += [Control.move_to(start, y).segment.text, cropped.render(console)]
        return "".join(parts)


class _LeanCompositor(Compositor):
    def render_partial_update(self) -> ChopsUpdate | None:
        update = super().render_partial_update()
        return None if update is None else _CroppedUpdate(update.chops, update.spans, update.chop_ends)


class LeanScreen(Screen[None]):
    """A screen whose partial updates are as narrow as what changed."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self._compositor = _LeanCompositor()
