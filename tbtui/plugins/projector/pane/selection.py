"""Search and selection of points: matches, list, table and rectangle; isolated points and copied labels."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tbtui.plugins.projector import session as session_transitions
from tbtui.plugins.projector import strings
from tbtui.plugins.projector.pane.map_view import select_points_in_box
from tbtui.plugins.projector.point_lists import label_lines

if TYPE_CHECKING:
    from tbtui.plugins.projector.pane.pane import ProjectorPane


class SelectionController:
    """Changes the cursor and the selected points. All methods are called on the UI thread.

    Args:
        pane: The pane, whose session is changed.
    """

    def __init__(self, pane: ProjectorPane) -> None:
        self._pane = pane

    def apply_list_cursor(self) -> None:
        """Go to the point of the row in the list, or select the points of two labels that are mixed."""
        pane = self._pane
        key, scene = pane.widgets.rows.cursor_key, pane.scene
        if key is None or scene is None:
            return
        if key.isdecimal():
            pane.change(session_transitions.move_to_listed(pane.session, int(key)))
            return
        label, _, other = key.partition(":")
        column = scene.colour_column
        if column is not None:
            has_label = (column.codes == int(label)) | (column.codes == int(other))
            pane.change(replace(pane.session, selected=frozenset(has_label.nonzero()[0].tolist()), centre=None))

    def apply_table_cursor(self) -> None:
        """Go to the point of the row in the table."""
        pane = self._pane
        row = pane.widgets.table.cursor_row
        if row is not None and pane.session.is_table:
            pane.change(replace(pane.session, cursor=int(row)))
        pane.refresh_bindings()  # enter sorts on a column

    def sort(self) -> None:
        """Sort the table by the column under the cursor."""
        pane = self._pane
        column = pane.widgets.table.cursor_column
        if column is not None:
            pane.change(session_transitions.sort_by(pane.session, column))

    def begin_rectangle(self) -> None:
        """Begin a rectangle at the cursor."""
        self._pane.change(replace(self._pane.session, corner=self._pane.session.cursor))

    def end_rectangle(self) -> None:
        """Select the points in the rectangle."""
        pane = self._pane
        scene, picture, session = pane.scene, pane.widgets.map.picture, pane.session
        corner, cursor = session.corner, session.cursor
        if scene is None or picture is None or corner is None or cursor is None:
            return
        projection = picture.projection
        ends = [(float(projection.x[point]), float(projection.y[point])) for point in (corner, cursor)]
        pane.change(session_transitions.select(session, select_points_in_box(picture, scene, ends[0], ends[1])))

    def isolate(self) -> None:
        """Show only the selected points, or the highlighted neighbours."""
        pane = self._pane
        neighbours = () if pane.loader.neighbours is None else pane.loader.neighbours.indices.tolist()
        isolated = session_transitions.isolate(pane.session, neighbours)
        if isolated is pane.session:
            pane.toast(strings.NOTHING_ISOLATED)
        pane.change(isolated)

    def copy_labels(self) -> None:
        """Copy the labels of the selected or highlighted points, else of that under the cursor."""
        pane = self._pane
        scene, cursor = pane.scene, pane.session.cursor
        if scene is None:
            return
        points = scene.highlighted or ([cursor] if cursor is not None else [])
        if not points:
            pane.toast(strings.NOTHING_ISOLATED)
            return
        pane.app.copy_to_clipboard(label_lines(scene, points))
        pane.toast(f"copied {len(points):,} labels" if len(points) > 1 else "copied the label")


class SearchController:
    """Runs searches and shows their matches. All methods are called on the UI thread.

    Args:
        pane: The pane whose session holds the query.
    """

    def __init__(self, pane: ProjectorPane) -> None:
        self._pane = pane

    def open(self) -> None:
        """Open the search bar."""
        self._pane.widgets.bar.display = True
        self._pane.lay_out_widgets()
        self._pane.widgets.bar.edit()

    def run(self, query: str) -> None:
        """Search for another query."""
        pane = self._pane
        pane.session = session_transitions.with_query(pane.session, query)
        pane.loader.search(pane.session, partial(self._show, query))

    def _show(self, query: str, error: str | None) -> None:
        pane, bar = self._pane, self._pane.widgets.bar
        if query != pane.session.query:
            return
        if error is not None:
            bar.complain(error)
            return
        matches = pane.loader.matches
        bar.accept()
        bar.show_applied(query, f"{len(matches):,}" if query else "")
        session = replace(pane.session, cursor=matches[0]) if matches else pane.session
        pane.show_session(session)

    def leave(self) -> None:
        """Keep the query, and move the focus to the map or the table."""
        pane = self._pane
        pane.widgets.bar.display = bool(pane.session.query)
        pane.lay_out_widgets()
        pane.widgets.points.focus(scroll_visible=False)

    def close(self) -> None:
        """Drop the matches, and close the bar."""
        pane = self._pane
        pane.loader.matches = ()
        pane.widgets.bar.show_applied("")
        pane.widgets.bar.display = False
        pane.lay_out_widgets()

    def next(self, count: int) -> None:
        """Go to another match; after the last comes the first."""
        pane = self._pane
        pane.change(session_transitions.go_to_match(pane.session, pane.loader.matches, count))
        pane.widgets.rows.move_cursor_to(str(pane.session.cursor))
