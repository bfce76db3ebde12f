"""Shows a scene in the parts of the pane: title, legend, map or table, facts and list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.charts.styled_text import cut_pieces, pieces_width, spread_pieces
from tbtui.plugins.projector import strings
from tbtui.plugins.projector.lists import point_list
from tbtui.plugins.projector.pane.point_table import PointTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.plugins.projector.pane.loader import ProjectorLoader
    from tbtui.plugins.projector.pane.parts import ProjectorParts
    from tbtui.plugins.projector.scene import Scene
    from tbtui.terminal_images.half_blocks import Depth
    from tbtui.widgets.worker import Worker

MAX_NEAR_PICTURES = 12


class ScenePresenter:
    """Shows scenes. All methods are called on the UI thread.

    Args:
        parts: The widgets.
        loader: Holds pictures of the points, the list of embeddings and whether a layout is paused.
        background: Sorts the table.
    """

    def __init__(self, parts: ProjectorParts, loader: ProjectorLoader, background: Worker) -> None:
        self._parts, self._loader, self._background = parts, loader, background
        self._listed: object = None
        self._tabled: object = None
        self._sorted: object = None

    def show(self, scene: Scene, depth: Depth) -> None:
        """Draw everything."""
        self.show_title(scene)
        if scene.session.is_table:
            self._show_table(scene)
        else:
            self._tabled = None
            self._parts.map.show(scene)
        self._show_side(scene, depth)

    def show_title(self, scene: Scene) -> None:
        """Show which embedding it is, its layout and the progress of that, and what the colours mean."""
        parts, loader = self._parts, self._loader
        width = parts.areas.title.width - 1
        if width < 1:
            return
        sources = () if loader.listed is None else loader.listed.sources
        number = next((place for place, each in enumerate(sources, 1) if each.key == scene.source.key), 0)
        position = f"{number:,} of {len(sources):,}" if len(sources) > 1 and number else ""
        progress = strings.progress_pieces(scene.state, width, paused=loader.is_paused)
        if not parts.areas.legend.height:
            point = scene.session.cursor
            name = "" if point is None else scene.label(point)
            parts.title.show(strings.compact_title(scene, width, progress, name))
            return
        has_layout = not parts.areas.layout.height
        parts.title.show(strings.title(scene, width, position=position, has_layout=has_layout))
        if not has_layout:
            parts.layout.show(cut_pieces(progress or strings.layout_pieces(scene), width))
            progress = ()
        legend = strings.legend(scene, width - pieces_width(progress) - 2 if progress else width)
        parts.legend.show(spread_pieces(legend, progress, width) if progress else cut_pieces(legend, width))

    def _show_table(self, scene: Scene) -> None:
        """Request the table if what it holds has changed, and move its cursor to that of the map."""
        session = scene.session
        identity = (
            scene.source,
            scene.version,
            id(scene.points),
            session.sort,
            session.is_descending,
            session.isolated,
            session.selected,
            session.centre,
            session.metric,
            session.colour,
            session.label,
            scene.matches if session.query else None,
            id(scene.nearest),
            id(scene.agreement),
            id(scene.comparison),
        )
        if identity == self._tabled:
            self._follow_cursor(scene)
            return
        self._tabled = identity
        order = session.sort, session.is_descending
        is_sorted, self._sorted = self._sorted not in (None, order), order

        def work() -> Iterator[PointTable]:
            yield PointTable(scene)

        def deliver(table: PointTable) -> None:
            if self._tabled == identity:
                if table.rows:
                    self._parts.table.show(table)
                else:
                    self._parts.table.say("no point is listed", "escape ends the search")
                grid = self._parts.table
                if is_sorted and table.rows:
                    grid.move_to_row(table.rows[0].key)
                    grid.post_message(grid.Moved().set_sender(grid))  # also if the row under the cursor is another one
                else:
                    self._follow_cursor(scene)

        def fail(error: Exception) -> None:
            self._parts.table.say("the table cannot be made", f"{type(error).__name__}: {error}")

        self._background.ask("table", work, deliver, fail)

    def _follow_cursor(self, scene: Scene) -> None:
        point, table = scene.session.cursor, self._parts.table
        if point is not None and table.cursor_row != str(point):
            table.move_to_row(str(point))

    def _show_side(self, scene: Scene, depth: Depth) -> None:
        parts, session, sprite = self._parts, scene.session, self._loader.sprite
        picture = None if sprite is None or session.cursor is None else sprite.picture(session.cursor)
        parts.details.show(scene, picture, self._near_pictures(scene), depth)
        listed = point_list(scene, parts.areas.rows.width)
        parts.show_heading(listed.heading, listed.summary, "B")
        identity = session.listed, session.centre, session.query
        if identity != self._listed and not parts.rows.has_focus:
            self._listed = identity
            parts.rows.restart()
        parts.rows.show_rows(listed.rows, listed.empty)

    def _near_pictures(self, scene: Scene) -> list[Any]:
        """Return the pictures of the points that are nearest to that under the cursor, as far as they show."""
        sprite, found = self._loader.sprite, scene.neighbours
        if sprite is None or found is None or found.point != scene.session.cursor:
            return []
        pictures = (sprite.picture(point) for point in found.indices[:MAX_NEAR_PICTURES].tolist())
        return [picture for picture in pictures if picture is not None]
