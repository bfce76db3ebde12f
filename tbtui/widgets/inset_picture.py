"""Images in pixels among the cells of a widget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.geometry import Region

from tbtui.graphics.placing import Area, Placed, moves

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.widget import Widget

    from tbtui.charts.cells import Cells
    from tbtui.graphics.insets import Inset
    from tbtui.widgets.pixel_layer import PixelLayer


class ImageLayer:
    """Repaints the cells of a widget where its images appear or disappear. Belongs to the UI thread.

    Args:
        view: The widget; it keeps its cells blank where images are.
        insets: Returns the images that the widget shows now, from the upper left cell of its content on.
        redraw: Draws the widget again.
    """

    def __init__(self, view: Widget, insets: Callable[[], Sequence[Inset]], redraw: Callable[[], object]) -> None:
        self.view = view
        self.redraw = redraw
        """Called when the terminal has forgotten its images, too."""

        self.pixels: PixelLayer | None = None
        """Sends images to the terminal; None until its protocol is known."""

        self._insets = insets
        self._placed: dict[Placed, tuple[int, int]] = {}
        """What was on the screen last, and its width and height in pixels."""

    @property
    def insets(self) -> Sequence[Inset]:
        """Return the images that the widget shows now."""
        return self._insets()

    def in_place(self, cells: Cells, insets: Sequence[Inset]) -> Cells:
        """Return the cells with those that the terminal replaces by images."""
        return cells if self.pixels is None else self.pixels.in_place(cells, insets)

    def update(self) -> None:
        """Repaint where images appeared or disappeared; call it after all cells are put.

        An image over cells is drawn again when one of its cells is repainted, and is gone when all of them are.
        """
        before, self._placed = self._placed, dict(map(_placed, self.insets))
        if self.pixels is None or not self.pixels.lies_over:
            return
        found = moves(before, self._placed)
        covered = {(placed.area, self._placed[placed]) for placed in found.come}
        for placed in found.gone:
            area = placed.area
            if (area, before[placed]) not in covered:  # otherwise the newer image covers it to the last pixel
                self.view.refresh(Region(area.column, area.row, area.columns, area.rows))
        for placed in found.come:
            self.view.refresh(Region(placed.area.column, placed.area.row, 1, 1))


def _placed(inset: Inset) -> tuple[Placed, tuple[int, int]]:
    picture = inset.picture
    return Placed(picture.key, Area(inset.row, inset.column, picture.rows, picture.columns)), picture.size
