"""The part of the Graphs tab that tells: what is known of an item, which graph is shown, how much is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.headline import BACK
from tbtui.charts.text import cell_width, fit, safe
from tbtui.plugins.graphs import words
from tbtui.plugins.graphs.colours import MEASURES, legend
from tbtui.plugins.graphs.details import details_of
from tbtui.plugins.graphs.reading import GraphReading
from tbtui.plugins.graphs.signs import aside_word
from tbtui.widgets.pane import STATUS_SHARE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.graphs.hierarchy import Hierarchy
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.graphs.data import OpenGraph
    from tbtui.plugins.graphs.details import Details
    from tbtui.plugins.graphs.drawn import Drawn
    from tbtui.plugins.graphs.look import Look
    from tbtui.plugins.graphs.marks import Marks
    from tbtui.widgets.line import Piece


class GraphTelling(GraphReading):
    """Knows what of the graph is looked at, and says so in words."""

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self.look: Look | None = None
        self.marks: Marks | None = None
        """What stands out, and why; None for nothing."""

        self.zoom: int | None = None
        """The zoom level that was asked for; None: whatever shows all of a diagram at first."""

        self.drawn: Drawn | None = None
        self.tinted = False
        """Whether any box of the diagram has a colour."""

        self.known: Details | None = None
        """What is known of an item, the latest that there is."""

    @property
    def hierarchy(self) -> Hierarchy | None:
        """Of the graph on the screen."""
        return None if self.graph is None or self.look is None else self.graph.hierarchy

    @property
    def is_aside(self) -> bool:
        """Whether what is told of is a constant or a summary that has no box of its own, but is set aside."""
        return bool(self._aside)

    @property
    def _aside(self) -> str:
        hierarchy, look = self.hierarchy, self.look
        return "" if hierarchy is None or look is None else aside_word(hierarchy, look.chosen)

    # Details, title, status

    def tell_chosen(self) -> None:
        """Tell what is known of the item under the cursor."""
        graph, look, times = self.graph, self.look, self.times
        if graph is None or look is None:
            return
        item = look.chosen

        def tell() -> Iterator[tuple[OpenGraph, Details]]:
            yield graph, details_of(graph.hierarchy, item, times)

        self.background.ask("details", tell, self._take_details, self.say_failed)

    def _take_details(self, made: tuple[OpenGraph, Details]) -> None:
        graph, details = made
        if graph is self.graph and self.look is not None and details.item == self.look.chosen:
            self.known = details
            self.show_details(details)

    def tell(self, text: str) -> None:
        """Say why a key did nothing, or what it did that is not seen."""
        self.notify(safe(text), markup=False)

    def say_failed(self, error: Exception) -> None:
        """Say that what was asked for could not be worked out."""
        self.notify(safe(f"{type(error).__name__}: {error}"), severity="error", markup=False)

    def say_title(self) -> None:
        """Say which graph is shown, and what stands out in it."""
        listed, source, width = self.listed, self.source, self.areas.title.width - 1
        if listed is None or source is None or width < 1:
            return
        hierarchy = self.hierarchy
        place = () if hierarchy is None or self.look is None else words.place_of(hierarchy, self.look)
        several = len(listed.sources) > 1
        colour = self.choices.graph_colour
        lead = f"{self.index + 1:,} of {len(listed.sources):,}" if several else ""
        ink = listed.view.inks.get(source.run.name, 0)
        spare = words.STRUCTURE if self.diagram.display and self.tinted and colour == "structure" else ""
        self.show_title(words.title(source, ink, place, self._right(width), width, lead=lead, spare=spare))

    @property
    def topmost(self) -> str | None:
        """What escape takes away."""
        raise NotImplementedError

    def _right(self, width: int) -> tuple[Piece, ...]:
        """What the title says at its right end, and last of all where there is a way back."""
        if self.topmost in (None, "details"):
            return self._noted(width)
        noted = self._noted(width - len(BACK) - cell_width(words.GAP[0]))
        return (*noted, *([words.GAP] if noted else []), (BACK, Ink.DIM))

    def _noted(self, width: int) -> tuple[Piece, ...]:
        """What stands out, what the colours say, or what was simplified."""
        if self.hierarchy is None:
            return ()
        if self.marks is not None and self.marks.words:
            return ((fit(self.marks.words, width), Ink.ACCENT),)
        if (aside := self._aside) and self.look is not None:
            return ((f"{self.hierarchy.leaf(self.look.chosen)} is {aside}", Ink.ACCENT),)
        colour = self.choices.graph_colour
        if self.timeline.display:
            colour = MEASURES.get(colour, "time")
        told = legend(self.hierarchy, self.times, colour)
        notes = () if self.drawn is None else self.drawn.layout.notes
        if notes and self.diagram.display:
            told = ((notes[0], Ink.WARN),)
        return told if sum(len(text) for text, _ in told) <= width // 2 else ()

    def status(self) -> str:
        """How much is in the graph."""
        if self.hierarchy is None:
            return ""
        room = int(self.app.size.width * STATUS_SHARE) - 1
        return words.status(self.hierarchy, self.times, room, aside=self.choices.graph_aside)
