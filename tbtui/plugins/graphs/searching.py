"""The part of the Graphs tab that finds: a pattern that is typed, its matches, and traces along the links."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.plugins.graphs.finding import Found, find, found_words
from tbtui.plugins.graphs.listing import GraphListing
from tbtui.plugins.graphs.look import moved
from tbtui.plugins.graphs.marks import traced
from tbtui.plugins.graphs.signs import aside_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.graphs.data import OpenGraph
    from tbtui.plugins.graphs.look import Look
    from tbtui.plugins.graphs.marks import Marks, TraceKind
    from tbtui.plugins.graphs.operations import Operations
    from tbtui.widgets.filter_bar import FilterBar


class GraphSearching(GraphListing):
    """What a match lies in is open only as long as it is looked at; what the user opens stays open."""

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self.found = Found()
        self.trace: tuple[int, TraceKind] | None = None
        """What is traced: from which item, and where to."""

        self._types = False
        """Whether the line for patterns shows."""

        self._query = ""
        self._before: Look | None = None
        """What was looked at before matches were; None: none is."""

        self._from = -1
        """Where the cursor was when a pattern began to be typed: the first match is the next one from there."""

    # The look

    def gesture(self, look: Look) -> None:
        """Show what the user asks for."""
        self._before = None
        self.show_look(look)
        self._note()

    def jump(self, item: int) -> None:
        """Look at a match."""
        hierarchy, look = self.hierarchy, self.look
        if hierarchy is not None and look is not None:
            self._before = self._before or look
            self.show_look(moved(self._before, hierarchy, item))
            self._note()

    def show_graph(self) -> None:
        """Another graph is searched for the same, and nothing in it is traced."""
        self.trace = self._before = None
        self.found = Found()
        super().show_graph()
        self._from = -1 if self.look is None else self.look.chosen
        self._search(move=False)

    @property
    def listed_nodes(self) -> Marks | None:
        """The table lists what was found."""
        return self.found.marks

    def take_operations(self, made: tuple[OpenGraph, Marks | None, Operations]) -> None:
        """What was found is gone through in their order."""
        super().take_operations(made)
        self._note()

    def fit(self) -> None:
        """Another view may go through what was found in another order."""
        super().fit()
        if self.is_searched:
            self._note()

    # Finding

    @property
    def is_searched(self) -> bool:
        """Whether something is searched for."""
        return bool(self._query)

    @property
    def searched(self) -> bool:
        """Whether a line is needed for what is searched for."""
        return self._types

    def start_finding(self) -> None:
        """Have a pattern typed."""
        self._types = True
        self._from = -1 if self.look is None else self.look.chosen
        self.place()
        self.bar.edit()

    def forget(self) -> None:
        """Search no longer."""
        self._query, self.found = "", Found()
        self._types = False
        self.bar.show_applied("")
        self.place()
        self._show_found()

    def on_filter_bar_drafted(self, event: FilterBar.Drafted) -> None:
        """What is typed is searched for at once."""
        event.stop()
        if event.pattern != self._query:
            self._query = event.pattern
            self._search(move=True)

    def on_filter_bar_left(self, event: FilterBar.Left) -> None:
        """The pattern stays, and the keys go to what was found."""
        event.stop()
        if not self._query:
            self.forget()
        self.focus_view()

    def _search(self, *, move: bool) -> None:
        graph, query = self.graph, self._query
        if graph is None:
            return
        if not query:
            self._take_found(Found(), move=move)
            return

        def search() -> Iterator[Found]:
            yield find(graph.hierarchy, query)

        def show(found: Found) -> None:
            if self.graph is graph and self._query == query:
                self._take_found(found, move=move)

        self.background.ask("find", search, show, self._say_failed)

    def _take_found(self, found: Found, *, move: bool) -> None:
        self.found = found
        hierarchy = self.hierarchy
        if move and hierarchy is not None:
            self.jump(found.after(hierarchy, self._from, 0) if len(found) else self._from)
        self._show_found()

    def _show_found(self) -> None:
        """Matches stand out; where nothing is searched for any more, what is traced does."""
        self.show_marks(self.found.marks)
        if self.operations.display:
            self.fit()
        self._note()

    def _note(self) -> None:
        hierarchy, look = self.hierarchy, self.look
        matches = self._matches
        place = -1 if look is None else matches.place_of(look.chosen)
        aside = "" if hierarchy is None or look is None or place < 0 else aside_word(hierarchy, look.chosen)
        told = " · ".join(filter(None, (found_words(place, matches), aside)))
        self.bar.show_applied(self._query, told if self._query else "")

    def _say_failed(self, error: Exception) -> None:
        self.bar.complain(f"{type(error).__name__}: {error}")

    def go_to_match(self, count: int) -> None:
        """Look at another match; after the last comes the first."""
        hierarchy, look, matches = self.hierarchy, self.look, self._matches
        if hierarchy is None or look is None or not len(matches):
            return
        here = matches.place_of(look.chosen)
        if here >= 0:
            self.jump(int(matches.items[(here + count) % len(matches)]))
        else:
            self.jump(self.found.after(hierarchy, look.chosen, count))

    @property
    def _matches(self) -> Found:
        """What was found in the order in which it is gone through: that of the table where it shows, or of the tree."""
        listed = self.operations_found
        return self.found if listed is None else replace(self.found, items=listed.items, inside=0)

    # Tracing

    def switch_trace(self, kind: TraceKind) -> None:
        """Have stand out what leads to the item under the cursor, or its way to an output; or no longer."""
        graph, look = self.graph, self.look
        if graph is None or look is None:
            return
        item = look.chosen
        if self.trace == (item, kind):
            self.forget_trace()
            return
        self.trace = item, kind

        def trace() -> Iterator[tuple[OpenGraph, Marks]]:
            yield graph, traced(graph.hierarchy, item, kind)

        self.background.ask("trace", trace, self._take_trace, self.say_failed)

    def forget_trace(self) -> None:
        """Trace no longer; what was found stands out again."""
        self.trace = None
        self.show_marks(self.found.marks)

    def _take_trace(self, made: tuple[OpenGraph, Marks]) -> None:
        graph, marks = made
        if graph is self.graph and self.trace is not None:
            self.show_marks(marks)
