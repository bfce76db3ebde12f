"""Search of the projector: the search bar, the matches, and moves from match to match."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tbtui.plugins.projector import session as transitions

if TYPE_CHECKING:
    from tbtui.plugins.projector.pane.pane import ProjectorPane


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
        pane.session = transitions.with_query(pane.session, query)
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
        pane.change(transitions.next_match(pane.session, pane.loader.matches, count))
        pane.widgets.rows.move_cursor_to(str(pane.session.cursor))
