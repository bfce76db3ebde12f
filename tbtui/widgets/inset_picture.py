"""A picture of cells with pictures in pixels among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Region

from tbtui.graphics.placing import Area, Placed, moves
from tbtui.widgets.plot_picture import PlotPicture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.graphics.insets import Inset
    from tbtui.widgets.pixel_layer import PixelLayer


class InsetPicture(PlotPicture):
    """Keeps its cells blank where insets are; the terminal is had to draw these by a layer."""

    pixel_layer: PixelLayer | None = None

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's own name for it
        super().__init__(id=id)
        self._laid: dict[Placed, tuple[int, int]] = {}
        """What was on the screen last, and its width and height in pixels."""

    @property
    def insets(self) -> Sequence[Inset]:
        """Those it shows now, from the upper left cell of its content on."""
        raise NotImplementedError

    def _draw(self) -> None:
        raise NotImplementedError

    def draw_again(self) -> None:
        """The terminal has forgotten what it was sent."""
        self._draw()

    def lay(self) -> None:
        """Have the insets drawn that have come, and taken away those that have gone; after all cells are put.

        What lies over cells is drawn again where one of them is, and gone where all are.
        """
        before, self._laid = self._laid, dict(map(_placed, self.insets))
        if self.pixel_layer is None or not self.pixel_layer.lies_over:
            return
        found = moves(before, self._laid)
        pixels = {(placed.area, self._laid[placed]) for placed in found.come}
        for placed in found.gone:
            area = placed.area
            if (area, before[placed]) not in pixels:  # otherwise the newer one covers it to the last pixel
                self.refresh(Region(area.column, area.row, area.columns, area.rows))
        for placed in found.come:
            self.refresh(Region(placed.area.column, placed.area.row, 1, 1))


def _placed(inset: Inset) -> tuple[Placed, tuple[int, int]]:
    picture = inset.picture
    return Placed(picture.key, Area(inset.row, inset.column, picture.rows, picture.columns)), picture.size
