"""Search of the projector: the bar, the matches, and the way from one to the next."""

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
        self._pane.parts.bar.display = True
        self._pane.place()
        self._pane.parts.bar.edit()

    def run(self, query: str) -> None:
        """Search for another query."""
        pane = self._pane
        pane.session = transitions.with_query(pane.session, query)
        pane.loader.search(pane.session, partial(self._show, query))

    def _show(self, query: str, error: str | None) -> None:
        pane, bar = self._pane, self._pane.parts.bar
        if query != pane.session.query:
            return
        if error is not None:
            bar.complain(error)
            return
        found = pane.loader.matches
        bar.accept()
        bar.show_applied(query, f"{len(found):,}" if query else "")
        session = replace(pane.session, cursor=found[0]) if found else pane.session
        pane.show_session(session)

    def leave(self) -> None:
        """Keep the query, and give the keys to the map or the table."""
        pane = self._pane
        pane.parts.bar.display = bool(pane.session.query)
        pane.place()
        pane.parts.points.focus(scroll_visible=False)

    def close(self) -> None:
        """Drop the matches, and close the bar."""
        pane = self._pane
        pane.loader.matches = ()
        pane.parts.bar.show_applied("")
        pane.parts.bar.display = False
        pane.place()

    def next(self, count: int) -> None:
        """Go to another match; after the last comes the first."""
        pane = self._pane
        pane.change(transitions.next_match(pane.session, pane.loader.matches, count))
        pane.parts.rows.go_to(str(pane.session.cursor))
