"""The embedding and the step that the pane shows; each embedding keeps its session while others are shown."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import unquote

from tbtui.charts.text import safe
from tbtui.plugins.projector import strings
from tbtui.plugins.projector.layouts import create_default_choice
from tbtui.plugins.projector.points import find_point
from tbtui.plugins.projector.scene import choose_default_colour
from tbtui.plugins.projector.session import MapSession
from tbtui.plugins.projector.settings import EMBEDDING, POINT
from tbtui.widgets.pane import Choose

if TYPE_CHECKING:
    from tbtui.plugins.projector.layouts import LayoutChoice
    from tbtui.plugins.projector.pane.pane import ProjectorPane
    from tbtui.plugins.projector.points import Points
    from tbtui.plugins.projector.sources import EmbeddingSource, SourceList

_SEPARATOR = "\n"


class EmbeddingNavigator:
    """Chooses embeddings and steps. All methods are called on the UI thread.

    Args:
        pane: The pane, whose session is replaced by that of the shown embedding.
    """

    def __init__(self, pane: ProjectorPane) -> None:
        self._pane = pane
        self._sessions: dict[tuple[str, str], MapSession] = {}
        self._is_new = True
        """True if the embedding is shown for the first time: the defaults then depend on its points."""

    def show_list(self, listed: SourceList) -> None:
        """Show the chosen embedding of a new list; a step that was the last one follows the run."""
        pane, loader = self._pane, self._pane.loader
        loader.listed = listed
        source = self._find_source(listed)
        if source is None:
            loader.close()
            problems = "; ".join(f"{run}: {problem}" for run, problem in listed.problems)
            headline, hint = strings.NO_EMBEDDING
            pane.show_message("these embeddings cannot be read" if problems else headline, safe(problems) or hint)
            pane.refresh_bindings()
            return
        shown = loader.source
        version = len(source.embedding.versions) - 1
        if shown is not None and shown.key == source.key:
            was_last = loader.version == len(shown.embedding.versions) - 1
            version = version if was_last else source.find_version(shown.embedding.versions[loader.version].step)
        self.open(source, version)

    def _find_source(self, listed: SourceList) -> EmbeddingSource | None:
        """Return the shown embedding, else the one shown last, else the first that can be read."""
        source, view = self._pane.loader.source, self._pane.view
        present = None if source is None else listed.find(source.key)
        if present is not None:
            return present
        run, _, name = ("" if view is None else EMBEDDING.value(view.settings)).partition(_SEPARATOR)
        readable = [source for source in listed.sources if not source.embedding.versions[-1].problem]
        return listed.find((run, name)) or next(iter(readable or listed.sources), None)

    def choose(self, source: EmbeddingSource) -> None:
        """Show another embedding, also at the next start."""
        setting = _SEPARATOR.join(source.key)
        self._pane.post_message(Choose(lambda settings: EMBEDDING.with_value(settings, setting)))
        self.open(source, len(source.embedding.versions) - 1)

    def reveal(self, tag: str) -> None:
        """Show the embedding of a tag of the sidebar."""
        listed = self._pane.loader.listed
        for source in () if listed is None else listed.sources:
            if unquote(tag) in (source.embedding.name, source.embedding.title):
                self.choose(source)
                return

    def step(self, versions: int) -> None:
        """Show another step; after the last comes the first."""
        loader = self._pane.loader
        source = loader.source
        if source is None:
            return
        count = len(source.embedding.versions)
        if count < 2:
            self._pane.toast(strings.ONE_STEP)
            return
        self.open(source, (loader.version + versions) % count)

    def open(self, source: EmbeddingSource, version: int) -> None:
        """Show a version of an embedding."""
        pane, loader = self._pane, self._pane.loader
        previous = loader.source
        if previous is None or previous.key != source.key:
            if previous is not None:
                self._sessions[previous.key] = pane.session
            session = self._sessions.get(source.key)
            self._is_new = session is None
            pane.session = session or MapSession()
        if (previous, loader.version) == (source, version) and loader.points is not None:
            pane.show_scene()
            return
        choice = None if self._is_new else pane.session.layout
        if previous is None or previous.key != source.key or loader.points is None:
            pane.show_message(strings.READING)
            self._show_name(source, version)
        loader.open(source, version, partial(_choose_layout, choice))

    def _show_name(self, source: EmbeddingSource, version: int) -> None:
        """Show the name of an embedding without points."""
        pane = self._pane
        others = () if pane.loader.listed is None else tuple(pane.loader.listed.sources)
        pieces = strings.format_source(source, version, pane.get_ink(source), pane.size.width - 2, others=others)
        pane.widgets.title.show(pieces)

    def show_failure(self, reason: str) -> None:
        """Show the reason for which the points cannot be read."""
        pane, loader = self._pane, self._pane.loader
        has_others = loader.listed is not None and len(loader.listed.sources) > 1
        pane.show_message(strings.UNREADABLE, reason + (". I lists all embeddings" if has_others else ""))
        if loader.source is not None:
            self._show_name(loader.source, loader.version)
        pane.refresh_bindings()

    def create_session(self, points: Points) -> MapSession:
        """Return the session for points that were read; that of a new embedding has defaults that suit the points."""
        session = self._pane.session
        if self._is_new:
            session = MapSession(layout=_choose_layout(None, points), colour=choose_default_colour(points))
            self._is_new = not points.is_complete
            session = self._with_named_point(session, points)
        return session.with_points(points.count)

    def _with_named_point(self, session: MapSession, points: Points) -> MapSession:
        """Return the session with the cursor on the point that the command line names."""
        view = self._pane.view
        name = "" if view is None or not points.is_complete else POINT.value(view.settings)
        point = find_point(points, name) if name else None
        if name and point is None:
            self._pane.toast(f"no point is {name}")
        return session if point is None else replace(session, cursor=point, centre=point)


def _choose_layout(choice: LayoutChoice | None, points: Points) -> LayoutChoice:
    """Return the layout of points: the chosen one, else components, with the usual perplexity of their number."""
    if choice is not None:
        return choice
    return create_default_choice(points)
