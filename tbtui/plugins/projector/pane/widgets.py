"""The widgets of the pane: their areas by its size, messages and headings, and the column next to the map."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.axis import DOTS_ACROSS, DOTS_DOWN
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import cell_width, fit, safe, write
from tbtui.frozen import frozen
from tbtui.plugins.projector import strings
from tbtui.plugins.projector.pane.map_view import MapView
from tbtui.terminal_images.half_blocks import draw_half_blocks
from tbtui.widgets.cells_view import CellsView
from tbtui.widgets.data_grid import DataGrid
from tbtui.widgets.filter_bar import FilterBar
from tbtui.widgets.line import Line
from tbtui.widgets.row_list import RowList

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt
    from textual.geometry import Size
    from textual.widget import Widget

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.projector.scene import Scene
    from tbtui.terminal_images.half_blocks import Depth
    from tbtui.widgets.worker import Worker


class PaneWidgets:
    """The widgets of the pane, independent of the embedding.

    Args:
        worker: Computes the cells of the table.
    """

    def __init__(self, worker: Worker) -> None:
        self.title, self.layout, self.legend = Line(), Line(), Line()
        self.heading, self.summary = Line(), Line()
        self.map, self.details, self.rows = MapView(), DetailsView(), PointRows()
        self.table = DataGrid(worker, names=True)
        self.is_table = False
        self.bar = FilterBar("regular expression in the labels")
        self.bar.display = False
        self.has_points = False
        self.areas = arrange_areas(0, 0, has_bar=False, has_points=False)

    def iter_widgets(self) -> Iterator[Widget]:
        """Yield all widgets in the order of the focus."""
        yield from (self.title, self.layout, self.legend, self.map, self.table)
        yield from (self.details, self.heading, self.summary, self.rows, self.bar)

    @property
    def points(self) -> Widget:
        """The widget that shows all points: the map or the table."""
        return self.table if self.is_table else self.map

    def show_points(self, *, is_table: bool) -> None:
        """Show the points as a table, or as a map."""
        had_focus, self.is_table = self.points.has_focus, is_table
        if had_focus:
            self.points.display = True
            self.points.focus(scroll_visible=False)

    def lay_out(self, size: Size) -> None:
        """Move all widgets to their areas in a pane of some size."""
        self.areas = areas = arrange_areas(
            size.width, size.height, has_bar=self.bar.display, has_points=self.has_points
        )
        areas_by_widget = (
            (self.title, areas.title),
            (self.layout, areas.layout),
            (self.legend, areas.legend),
            (self.map, NOWHERE if self.is_table else areas.map),
            (self.table, areas.map if self.is_table else NOWHERE),
            (self.details, areas.details),
            (self.heading, areas.heading),
            (self.summary, areas.summary),
            (self.rows, areas.rows),
        )
        for widget, area in areas_by_widget:
            widget.display = bool(area.width and area.height)
            _set_area(widget, area)
        _set_area(self.bar, areas.bar)

    def show_message(self, headline: str, hint: str) -> None:
        """Show a message instead of points."""
        self.has_points = False
        self.show_points(is_table=False)
        self.legend.show(())
        self.layout.show(())
        self.map.show_message(headline, hint)

    def show_heading(self, heading: str, summary: str, keys: str) -> None:
        """Show heading, summary and keys of the list, as far as they fit."""
        width = self.areas.heading.width
        has_line = bool(self.areas.summary.height)
        parts = summary.split(" · ")
        while len(parts) > 1 and cell_width(safe(" · ".join(parts))) > self.areas.summary.width:
            parts.pop()
        self.summary.show(((" · ".join(parts), Ink.DIM),))
        rest = f"  {summary}" if summary and not has_line and len(heading) + len(summary) + 4 <= width else ""
        used_width = len(heading) + len(rest) + 4
        action = next((text for text in (" other lists", "") if used_width + len(keys) + len(text) <= width), None)
        key = () if not keys or action is None else ((f"  {keys}", Ink.ACCENT), (action, Ink.DIM))
        self.heading.show(((heading, Ink.BOLD), (rest, Ink.DIM), *key))


def _set_area(widget: Widget, area: Area) -> None:
    widget.styles.offset = (area.x, area.y)
    widget.styles.width, widget.styles.height = area.width, area.height


SIDE_COLUMN_FROM_WIDTH = 64
"""Columns from which on the list is always in a column next to the map."""

MIN_WIDTH_WITH_SIDE_COLUMN = 52
"""Columns from which on the list is next to the map if that makes the map larger, as in a low pane with a sidebar."""

MIN_SIDE_WIDTH, MAX_SIDE_WIDTH = 26, 44

SIDE_DIVISOR = 3

ONE_LINE_FROM_WIDTH = 80
"""Columns from which on a title and the layout share a line."""

LEGEND_FROM_HEIGHT = 14

LIST_BELOW_FROM_HEIGHT = 20
"""Lines from which on a narrow pane has a list below the map."""

DETAILS_DIVISOR = 3

SUMMARY_FROM_HEIGHT = 24

MAX_DETAILS_ROWS = 10

MAX_ROWS_BELOW = 14


class Area(NamedTuple):
    """A rectangle of cells of the pane."""

    x: int
    y: int
    width: int
    height: int


NOWHERE = Area(0, 0, 0, 0)


@frozen
class PaneAreas:
    """The area of each widget; a widget without cells is hidden."""

    title: Area
    layout: Area
    """A line for the layout in a narrow pane, where it does not fit next to the title."""

    legend: Area
    map: Area
    details: Area
    heading: Area
    summary: Area
    """A line below the heading of the list."""

    rows: Area
    bar: Area


def arrange_areas(width: int, height: int, *, has_bar: bool, has_points: bool) -> PaneAreas:
    """Return the areas of all widgets.

    Args:
        width: Columns of the pane.
        height: Lines of the pane.
        has_bar: The search bar takes a line.
        has_points: There are points, whose details and lists are shown.
    """
    bar = Area(0, height - 1, width, 1) if has_bar else NOWHERE
    title = Area(0, 0, width, 1)
    layout = Area(0, 1, width, 1) if height >= LEGEND_FROM_HEIGHT and width < ONE_LINE_FROM_WIDTH else NOWHERE
    top = 1 + layout.height
    legend = Area(0, top, width, 1) if height >= LEGEND_FROM_HEIGHT else NOWHERE
    top += legend.height
    lines = max(height - top - has_bar, 1)
    if not has_points:
        return PaneAreas(title, layout, legend, Area(0, top, width, lines), NOWHERE, NOWHERE, NOWHERE, NOWHERE, bar)
    if width >= SIDE_COLUMN_FROM_WIDTH or (
        width >= MIN_WIDTH_WITH_SIDE_COLUMN and _is_map_larger_with_side_column(width, lines)
    ):
        side = max(MIN_SIDE_WIDTH, min(width // SIDE_DIVISOR, MAX_SIDE_WIDTH))
        details = max(1, min(lines // DETAILS_DIVISOR, MAX_DETAILS_ROWS))
        left = width - side
        heading_lines = 3 if lines >= SUMMARY_FROM_HEIGHT else 2
        return PaneAreas(
            title,
            layout,
            legend,
            Area(0, top, left - 1, lines),
            Area(left, top, side, details),
            Area(left, top + details + 1, side, 1),
            Area(left, top + details + 2, side, 1) if heading_lines == 3 else NOWHERE,
            Area(left, top + details + heading_lines, side, max(lines - details - heading_lines, 1)),
            bar,
        )
    if height < LIST_BELOW_FROM_HEIGHT:
        detail_lines = 1 if lines > 4 else 0
        return PaneAreas(
            title,
            layout,
            legend,
            Area(0, top, width, lines - detail_lines),
            Area(0, top + lines - detail_lines, width, detail_lines) if detail_lines else NOWHERE,
            NOWHERE,
            NOWHERE,
            NOWHERE,
            bar,
        )
    rows = _list_rows_below(lines)
    return PaneAreas(
        title,
        layout,
        legend,
        Area(0, top, width, lines - rows - 2),
        Area(0, top + lines - rows - 2, width, 1),
        Area(0, top + lines - rows - 1, width, 1),
        NOWHERE,
        Area(0, top + lines - rows, width, rows),
        bar,
    )


def _list_rows_below(lines: int) -> int:
    """Return the rows of a list below the map, which share a number of lines."""
    return min(MAX_ROWS_BELOW, lines // 3)


def _is_map_larger_with_side_column(width: int, lines: int) -> bool:
    """Return True if a square map is larger with the list next to it than with the list below it."""
    side_with_column = min((width - MIN_SIDE_WIDTH) * DOTS_ACROSS, lines * DOTS_DOWN)
    return side_with_column > min(width * DOTS_ACROSS, (lines - _list_rows_below(lines) - 2) * DOTS_DOWN)


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
        self._nearest_images: Sequence[npt.NDArray[np.uint8]] = ()
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
        self._scene, self._picture, self._nearest_images, self._depth = scene, picture, nearest_pictures, depth
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
        if self._nearest_images and height >= STRIP_FROM_HEIGHT:
            height -= STRIP_ROWS
            for index, pixels in enumerate(self._nearest_images[: (width + 1) // (STRIP_COLUMNS + 1)]):
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
                self._scroll = self._fit_scroll().with_cursor(index)
                self._redraw()
                return

    def reset_cursor(self) -> None:
        """Put the cursor on the first row: the list has another content."""
        self._put_cursor(0, 0)
