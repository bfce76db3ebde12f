"""Presenters of the projector: request results from the loader, build scenes of them, and show these in the widgets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.charts.styled_text import cut_pieces, pieces_width, spread_pieces
from tbtui.plugins.projector import strings
from tbtui.plugins.projector.pane.point_table import PointTable
from tbtui.plugins.projector.point_lists import build_point_list
from tbtui.plugins.projector.scene import Scene
from tbtui.plugins.projector.session import ALL_STEPS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.plugins.projector.pane.loader import ProjectorLoader
    from tbtui.plugins.projector.pane.widgets import PaneWidgets
    from tbtui.plugins.projector.session import MapSession
    from tbtui.terminal_images.half_blocks import Depth
    from tbtui.widgets.worker import Worker


class SceneBuilder:
    """Requests the results that a session shows, and builds scenes. All methods are called on the UI thread.

    Args:
        loader: Reads and computes.
    """

    def __init__(self, loader: ProjectorLoader) -> None:
        self._loader = loader
        self._last: Scene | None = None
        """The last scene, whose caches the next one uses."""

        self._comparison_request: object = None
        """The request of the last comparison; None: there was none."""

    def scene(self, session: MapSession, run_ink: int, distinct_colours: int) -> Scene | None:
        """Return the scene of a session; None while there are no points."""
        loader = self._loader
        if loader.source is None or loader.points is None or loader.state is None:
            return None
        if len(loader.state.positions) != loader.points.count:
            return None
        scene = Scene(
            loader.source,
            loader.version,
            loader.points,
            loader.state,
            session,
            run_ink,
            loader.neighbours,
            loader.matches,
            loader.agreement,
            loader.comparison if session.baseline is not None else None,
            loader.nearest,
            () if loader.listed is None else tuple(loader.listed.sources),
            distinct_colours,
        )
        self._last = scene.reuse_caches(self._last)
        return scene

    def request(self, session: MapSession) -> None:
        """Request the results that a session shows and that are not computed yet."""
        point = session.centre if session.centre is not None else session.cursor
        if point is not None:
            self._loader.find_neighbours(point, session)
        self._loader.find_agreement(session.colour)
        self.request_comparison(session)

    def request_comparison(self, session: MapSession) -> None:
        """Request the comparison with the baseline again once the points or their layout have changed."""
        loader = self._loader
        baseline, listed, state = session.baseline, loader.listed, loader.state
        if baseline is None or listed is None or loader.points is None or state is None:
            self._comparison_request = None
            return
        request = loader.key, baseline, session.layout.identity
        if request == self._comparison_request or not state.is_done or not loader.points.is_complete:
            return
        self._comparison_request = request
        key, version = baseline
        other = listed.find(key)
        if version == ALL_STEPS:
            loader.compare_steps(session)
        elif other is not None:
            loader.compare_with(other, version, session)

    def forget_comparison(self) -> None:
        """Request the next comparison also if it is the same: the points have changed."""
        self._comparison_request = None


MAX_NEAREST_PICTURES = 12


class ScenePresenter:
    """Shows scenes. All methods are called on the UI thread.

    Args:
        widgets: The widgets.
        loader: Holds pictures of the points, the list of embeddings and whether a layout is paused.
        worker: Sorts the table.
    """

    def __init__(self, widgets: PaneWidgets, loader: ProjectorLoader, worker: Worker) -> None:
        self._widgets, self._loader, self._worker = widgets, loader, worker
        self._list_identity: object = None
        self._table_identity: object = None
        self._table_order: object = None

    def show(self, scene: Scene, depth: Depth) -> None:
        """Draw everything."""
        self.show_title(scene)
        if scene.session.is_table:
            self._show_table(scene)
        else:
            self._table_identity = None
            self._widgets.map.show(scene)
        self._show_side(scene, depth)

    def show_title(self, scene: Scene) -> None:
        """Show the name of the embedding, its layout and the progress of that, and the legend of colours."""
        widgets, loader = self._widgets, self._loader
        width = widgets.areas.title.width - 1
        if width < 1:
            return
        sources = () if loader.listed is None else loader.listed.sources
        number = next((number for number, source in enumerate(sources, 1) if source.key == scene.source.key), 0)
        position = f"{number:,} of {len(sources):,}" if len(sources) > 1 and number else ""
        progress = strings.format_progress(scene.state, width, paused=loader.is_paused)
        if not widgets.areas.legend.height:
            point = scene.session.cursor
            name = "" if point is None else scene.label(point)
            widgets.title.show(strings.format_compact_title(scene, width, progress, name))
            return
        has_layout = not widgets.areas.layout.height
        widgets.title.show(strings.format_title(scene, width, position=position, has_layout=has_layout))
        if not has_layout:
            widgets.layout.show(cut_pieces(progress or strings.fit_layout(scene, width), width))
            progress = ()
        legend = strings.format_legend(scene, width - pieces_width(progress) - 2 if progress else width)
        widgets.legend.show(spread_pieces(legend, progress, width) if progress else cut_pieces(legend, width))

    def _show_table(self, scene: Scene) -> None:
        """Request the table if its content has changed, and move its cursor to that of the map."""
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
        if identity == self._table_identity:
            self._follow_cursor(scene)
            return
        self._table_identity = identity
        order = session.sort, session.is_descending
        is_sorted, self._table_order = self._table_order not in (None, order), order

        def work() -> Iterator[PointTable]:
            yield PointTable(scene)

        def deliver(table: PointTable) -> None:
            if self._table_identity == identity:
                if table.rows:
                    self._widgets.table.show(table)
                else:
                    self._widgets.table.show_message("no point is listed", "escape ends the search")
                grid = self._widgets.table
                if is_sorted and table.rows:
                    grid.move_to_row(table.rows[0].key)
                    grid.post_message(grid.Moved().set_sender(grid))  # also if the row under the cursor is another one
                else:
                    self._follow_cursor(scene)

        def fail(error: Exception) -> None:
            self._widgets.table.show_message("the table cannot be made", f"{type(error).__name__}: {error}")

        self._worker.ask("table", work, deliver, fail)

    def _follow_cursor(self, scene: Scene) -> None:
        point, table = scene.session.cursor, self._widgets.table
        if point is not None and table.cursor_row != str(point):
            table.move_to_row(str(point))

    def _show_side(self, scene: Scene, depth: Depth) -> None:
        widgets, session, sprite = self._widgets, scene.session, self._loader.sprite
        picture = None if sprite is None or session.cursor is None else sprite.picture(session.cursor)
        widgets.details.show(scene, picture, self._list_nearest_images(scene), depth)
        listed = build_point_list(scene, widgets.areas.rows.width)
        widgets.show_heading(listed.heading, listed.summary, "B")
        identity = session.listed, session.centre, session.query
        if identity != self._list_identity and not widgets.rows.has_focus:
            self._list_identity = identity
            widgets.rows.reset_cursor()
        widgets.rows.show_rows(listed.rows, listed.empty)

    def _list_nearest_images(self, scene: Scene) -> list[Any]:
        """Return the pictures of the points that are nearest to that under the cursor."""
        sprite, neighbours = self._loader.sprite, scene.neighbours
        if sprite is None or neighbours is None or neighbours.point != scene.session.cursor:
            return []
        pictures = (sprite.picture(point) for point in neighbours.indices[:MAX_NEAREST_PICTURES].tolist())
        return [picture for picture in pictures if picture is not None]
