"""The column beside the map: facts and picture of the point under the cursor, and the list of points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import cell_width, fit, write
from tbtui.plugins.projector import strings
from tbtui.terminal_images.half_blocks import half_blocks
from tbtui.widgets.cells_view import CellsView
from tbtui.widgets.row_list import RowList

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.projector.scene import Scene
    from tbtui.terminal_images.half_blocks import Depth

MAX_THUMBNAIL_COLUMNS, MAX_THUMBNAIL_ROWS = 16, 8
STRIP_COLUMNS, STRIP_ROWS = 8, 4
"""Cells of each picture of the nearest points."""

STRIP_FROM_HEIGHT = 10
"""Lines from which on pictures of the nearest points stand below the facts."""


def thumbnail_pixels(pixels: npt.NDArray[np.uint8], columns: int, rows: int) -> npt.NDArray[np.uint8]:
    """Return a picture scaled to cells of two pixels each, uint8[height, width, 3]; small ones grow as a whole."""
    height, width = pixels.shape[:2]
    factor = min(columns / width, 2 * rows / height)
    if factor >= 1:
        times = max(int(factor), 1)
        return pixels.repeat(times, axis=0).repeat(times, axis=1)
    from PIL import Image

    size = max(1, int(width * factor)), max(1, int(height * factor))
    return np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BOX))


class DetailsView(CellsView, can_focus=False):
    """Facts of the point under the cursor, with its picture of the sprite."""

    DEFAULT_CSS = """
    DetailsView { height: 1fr; width: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._scene: Scene | None = None
        self._picture: npt.NDArray[np.uint8] | None = None
        self._near: Sequence[npt.NDArray[np.uint8]] = ()
        self._depth: Depth = "true"

    def show(
        self,
        scene: Scene | None,
        picture: npt.NDArray[np.uint8] | None,
        near: Sequence[npt.NDArray[np.uint8]],
        depth: Depth,
    ) -> None:
        """Show the point under the cursor of a scene.

        Args:
            scene: The scene.
            picture: Picture of the point.
            near: Pictures of its nearest points, the nearest first.
            depth: Colours of the terminal.
        """
        self._scene, self._picture, self._near, self._depth = scene, picture, near, depth
        self._draw()

    def on_resize(self) -> None:
        """Draw in the new size."""
        self._draw()

    def _draw(self) -> None:
        width, height = self.size.width, self.size.height
        if self._cells.glyphs.shape != (height, width):
            self.clear(height, width)
        if width and height:
            self.put(0, 0, self._facts(width, height))

    def _facts(self, width: int, height: int) -> Cells:
        cells = Cells.blank(height, width, coloured=True)
        scene = self._scene
        point = None if scene is None else scene.session.cursor
        if scene is None or point is None:
            if scene is not None:
                _draw_overview(cells, scene)
            return cells
        end = write(cells, 0, 0, fit(scene.label(point), width), Ink.BOLD)
        if height == 1:
            rest = "".join(f"  {name} {value}" for name, value in strings.point_facts(scene, point))
            write(cells, 0, end, fit(rest, max(width - end, 0)), Ink.DIM)
            return cells
        left = 0
        if self._near and height >= STRIP_FROM_HEIGHT:
            height -= STRIP_ROWS
            for place, pixels in enumerate(self._near[: (width + 1) // (STRIP_COLUMNS + 1)]):
                drawn = half_blocks(thumbnail_pixels(pixels, STRIP_COLUMNS, STRIP_ROWS), self._depth)
                cells.put(height, place * (STRIP_COLUMNS + 1), drawn)
        if self._picture is not None and height > 3:
            columns, rows = min(MAX_THUMBNAIL_COLUMNS, width // 2), min(MAX_THUMBNAIL_ROWS, height - 1)
            drawn = half_blocks(thumbnail_pixels(self._picture, columns, rows), self._depth)
            cells.put(1, 0, drawn)
            left = min(drawn.width, columns) + 1
        facts = strings.point_facts(scene, point)
        longest = min(max(cell_width(name) for name, _ in facts), max((width - left) // 2 - 1, 4))
        for row, (name, value) in enumerate(facts[: height - 1], 1):
            write(cells, row, left, fit(name, longest), Ink.DIM)
            write(cells, row, left + longest + 1, fit(value, max(width - left - longest - 1, 0)), Ink.TEXT)
        if len(facts) > height - 1 and height > 1:
            write(
                cells,
                height - 1,
                left,
                fit(f"⋯{len(facts) - height + 2} more (i)", width - left).ljust(width - left),
                Ink.DIM,
            )
        return cells


def _draw_overview(cells: Cells, scene: Scene) -> None:
    """Draw what is known of all points: components, and how well labels agree with neighbours."""
    rows: list[tuple[Piece, ...]] = [((text, Ink.TEXT),) for text in strings.overview(scene, cells.width)]
    if scene.session.layout.kind == "pca" and cells.height > 4:
        rows.append((("component · variance", Ink.DIM),))
        rows += strings.component_bars(scene, cells.width)
    for y, pieces in enumerate(rows[: cells.height]):
        x = 0
        for text, ink in pieces:
            x = write(cells, y, x, fit(text, max(cells.width - x, 0)), ink)


class PointRows(RowList):
    """The list of points beside the map."""

    BINDING_GROUP_TITLE = "List"

    def go_to(self, key: str) -> None:
        """Put the cursor on a row without a message."""
        for index, row in enumerate(self.rows):
            if row.key == key:
                self._scroll = self._fitted_scroll().moved_to(index)
                self._redraw()
                return

    def restart(self) -> None:
        """Put the cursor on the first row: the list has another content."""
        self._put_cursor(0, 0)
