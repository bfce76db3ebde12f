"""The title of the graphs pane: which graph is open, and what is highlighted in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.card import BACK_HINT
from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width, fit
from tbtui.plugins.graphs.item_colours import MEASURES, legend
from tbtui.plugins.graphs.pane import strings
from tbtui.plugins.graphs.settings import COLOUR

if TYPE_CHECKING:
    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.graphs.pane.loader import GraphLoader
    from tbtui.plugins.graphs.pane.presenters import DiagramPresenter, Scene
    from tbtui.plugins.graphs.pane.session import Layer
    from tbtui.plugins.graphs.pane.views import GraphParts
    from tbtui.settings.settings import Settings


class TitlePresenter:
    """Shows the run, the tag and the entered scopes at the left, notes on highlights and colours at the right."""

    def __init__(self, parts: GraphParts, diagram: DiagramPresenter) -> None:
        self._parts, self._diagram = parts, diagram

    def show(self, scene: Scene | None, loader: GraphLoader, settings: Settings, layer: Layer | None) -> None:
        """Show the title of the chosen graph; nothing without one.

        Args:
            scene: Scene on the screen; None while the graph is read.
            loader: Loader of the graph.
            settings: Settings of the app.
            layer: Topmost layer, which escape takes away.
        """
        parts = self._parts
        listed, source, width = loader.listed, loader.source, parts.areas.title.width - 1
        if listed is None or source is None or width < 1:
            return
        count = len(listed.sources)
        names = () if scene is None else strings.path_names(scene.hierarchy, scene.navigation)
        lead = f"{loader.index + 1:,} of {count:,}" if count > 1 else ""
        ink = listed.view.inks.get(source.run.name, 0)
        is_structure = COLOUR.value(settings) == "structure" and self._diagram.is_tinted
        spare = strings.STRUCTURE if parts.diagram.display and is_structure else ""
        right = _title_notes(scene, parts, self._diagram, layer, width)
        parts.title.show(strings.title(source, ink, names, right, width, lead=lead, spare=spare))


def _title_notes(
    scene: Scene | None, parts: GraphParts, diagram: DiagramPresenter, layer: Layer | None, width: int
) -> tuple[Piece, ...]:
    """Return what the title says at its right end, with the way back last if there is one."""
    if layer in (None, "details"):
        return _notes(scene, parts, diagram, width)
    notes = _notes(scene, parts, diagram, width - len(BACK_HINT) - cell_width(strings.GAP[0]))
    return (*notes, *([strings.GAP] if notes else []), (BACK_HINT, Ink.DIM))


def _notes(scene: Scene | None, parts: GraphParts, diagram: DiagramPresenter, width: int) -> tuple[Piece, ...]:
    """Return why items are highlighted, or else what the colours mean, or what the diagram leaves out."""
    if scene is None:
        return ()
    highlights = scene.session.highlights
    if highlights is not None and highlights.words:
        return ((fit(highlights.words, width), Ink.ACCENT),)
    if scene.hub_word:
        return ((f"{scene.hierarchy.leaf(scene.navigation.chosen)} is {scene.hub_word}", Ink.ACCENT),)
    colour = COLOUR.value(scene.settings)
    if parts.timeline.display:
        colour = MEASURES.get(colour, "time")
    pieces = legend(scene.hierarchy, scene.times, colour)
    notes = () if diagram.drawn is None else diagram.drawn.layout.notes
    if notes and parts.diagram.display:
        pieces = ((notes[0], Ink.WARN),)
    return pieces if sum(len(text) for text, _ in pieces) <= width // 2 else ()
