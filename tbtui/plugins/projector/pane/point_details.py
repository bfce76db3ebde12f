"""The column next to the map: details and picture of the point under the cursor, and the list of points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import cell_width, fit, write
from tbtui.plugins.projector import strings
from tbtui.terminal_images.half_blocks import draw_half_blocks
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
"""Lines from which on pictures of the nearest points are shown below the details."""


def scale_thumbnail(pixels: npt.NDArray[np.uint8], columns: int, rows: int) -> npt.NDArray[np.uint8]:
    """Return a picture scaled to cells of two pixels each, uint8[height, width, 3]; small ones grow as a whole."""
    height, width = pixels.shape[:2]
    factor = min(columns / width, 2 * rows / height)
    if factor >= 1:
        scale = max(int(factor), 1)
        return pixels.repeat(scale, axis=0).repeat(scale, axis=1)
    from PIL import Image

    size = max(1, int(width * factor)), max(1, int(height * factor))
    return np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BOX))


class DetailsView(CellsView, can_focus=False):
    """Details of the point under the cursor, with its picture of the sprite."""

    DEFAULT_CSS = """
    DetailsView { height: 1fr; width: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._scene: Scene | None = None
        self._picture: npt.NDArray[np.uint8] | None = None
        self._nearest_pictures: Sequence[npt.NDArray[np.uint8]] = ()
        self._depth: Depth = "true"

    def show(
        self,
        scene: Scene | None,
        picture: npt.NDArray[np.uint8] | None,
        nearest_pictures: Sequence[npt.NDArray[np.uint8]],
        depth: Depth,
    ) -> None:
        """Show the point under the cursor of a scene.

        Args:
            scene: The scene.
            picture: Picture of the point.
            nearest_pictures: Pictures of its nearest points, the nearest first.
            depth: Colours of the terminal.
        """
        self._scene, self._picture, self._nearest_pictures, self._depth = scene, picture, nearest_pictures, depth
        self._draw()

    def on_resize(self) -> None:
        """Draw in the new size."""
        self._draw()

    def _draw(self) -> None:
        width, height = self.size.width, self.size.height
        if self._cells.glyphs.shape != (height, width):
            self.clear(height, width)
        if width and height:
            self.put(0, 0, self._draw_details(width, height))

    def _draw_details(self, width: int, height: int) -> Cells:
        cells = Cells.blank(height, width, coloured=True)
        scene = self._scene
        point = None if scene is None else scene.session.cursor
        if scene is None or point is None:
            if scene is not None:
                _draw_overview(cells, scene)
            return cells
        end = write(cells, 0, 0, fit(scene.label(point), width), Ink.BOLD)
        if height == 1:
            rest = "".join(f"  {name} {value}" for name, value in strings.list_point_properties(scene, point))
            write(cells, 0, end, fit(rest, max(width - end, 0)), Ink.DIM)
            return cells
        left = 0
        if self._nearest_pictures and height >= STRIP_FROM_HEIGHT:
            height -= STRIP_ROWS
            for index, pixels in enumerate(self._nearest_pictures[: (width + 1) // (STRIP_COLUMNS + 1)]):
                cells_of_picture = draw_half_blocks(scale_thumbnail(pixels, STRIP_COLUMNS, STRIP_ROWS), self._depth)
                cells.put(height, index * (STRIP_COLUMNS + 1), cells_of_picture)
        if self._picture is not None and height > 3:
            columns, rows = min(MAX_THUMBNAIL_COLUMNS, width // 2), min(MAX_THUMBNAIL_ROWS, height - 1)
            thumbnail = draw_half_blocks(scale_thumbnail(self._picture, columns, rows), self._depth)
            cells.put(1, 0, thumbnail)
            left = min(thumbnail.width, columns) + 1
        properties = strings.list_point_properties(scene, point)
        name_width = min(max(cell_width(name) for name, _ in properties), max((width - left) // 2 - 1, 4))
        for row, (name, value) in enumerate(properties[: height - 1], 1):
            write(cells, row, left, fit(name, name_width), Ink.DIM)
            write(cells, row, left + name_width + 1, fit(value, max(width - left - name_width - 1, 0)), Ink.TEXT)
        if len(properties) > height - 1 and height > 1:
            write(
                cells,
                height - 1,
                left,
                fit(f"⋯{len(properties) - height + 2} more (i)", width - left).ljust(width - left),
                Ink.DIM,
            )
        return cells


def _draw_overview(cells: Cells, scene: Scene) -> None:
    """Draw results about all points: components, and the agreement of labels with neighbours."""
    rows: list[tuple[Piece, ...]] = [((text, Ink.TEXT),) for text in strings.format_overview(scene, cells.width)]
    if scene.session.layout.kind == "pca" and cells.height > 4:
        rows.append((("component · variance", Ink.DIM),))
        rows += strings.draw_component_bars(scene, cells.width)
    for y, pieces in enumerate(rows[: cells.height]):
        x = 0
        for text, ink in pieces:
            x = write(cells, y, x, fit(text, max(cells.width - x, 0)), ink)


class PointRows(RowList):
    """The list of points next to the map."""

    BINDING_GROUP_TITLE = "List"

    def move_cursor_to(self, key: str) -> None:
        """Put the cursor on a row without a message."""
        for index, row in enumerate(self.rows):
            if row.key == key:
                self._scroll = self._fit_scroll().moved_to(index)
                self._redraw()
                return

    def reset_cursor(self) -> None:
        """Put the cursor on the first row: the list has another content."""
        self._put_cursor(0, 0)
