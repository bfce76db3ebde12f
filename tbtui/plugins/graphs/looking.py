"""The part of the Graphs tab that looks: what of the graph is open, drawn, listed and told."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tbtui.plugins.graphs import changes, words
from tbtui.plugins.graphs.arrangement import arranged
from tbtui.plugins.graphs.beginning import Room, filled
from tbtui.plugins.graphs.colours import inks_of, telling_colours
from tbtui.plugins.graphs.columns import fitting
from tbtui.plugins.graphs.drawn import DiagramKey, Drawer, TooManyBoxesError
from tbtui.plugins.graphs.look import kept, lies_in, restored, seen
from tbtui.plugins.graphs.operations import titles
from tbtui.plugins.graphs.rows import TreeRows
from tbtui.plugins.graphs.telling import GraphTelling
from tbtui.plugins.graphs.tree import Tree
from tbtui.viewstate.graph_looks import GRAPH_COLOURS
from tbtui.widgets.pane import Choose
from tbtui.widgets.textual_patches.timers import start_timer

KEEP_AFTER = 0.5
"""Seconds of rest after which it is kept what is looked at."""

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from textual.timer import Timer

    from tbtui.graphs.hierarchy import Hierarchy
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.graphs.data import OpenGraph
    from tbtui.plugins.graphs.drawn import Drawn
    from tbtui.plugins.graphs.look import Look
    from tbtui.plugins.graphs.marks import Marks
    from tbtui.plugins.graphs.times import Times
    from tbtui.viewstate.graph_looks import GraphColour
    from tbtui.viewstate.view import View


class GraphLooking(GraphTelling):
    """Shows one look of one graph in all views. Tree, diagram and table share the cursor and what is open."""

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self._looks: dict[Hashable, Look] = {}
        self._looked_at: OpenGraph | None = None
        """What `look` is of."""

        self._begins = False
        """Whether it is still to be seen how much of the graph is open at first."""

        self._drawer = Drawer()
        self._tree: Tree | None = None
        self._asked_diagram: Hashable = None
        self._telling_of: tuple[Hierarchy, Times | None] | None = None
        self.telling = GRAPH_COLOURS
        """What boxes can be coloured by so that it says anything, as far as that is known yet."""

        self._keep_timer: Timer | None = None

    # A graph comes

    def show_graph(self) -> None:
        """Show a graph as it was left; one that was not seen yet as others of its tag are looked at."""
        graph = self.graph
        if graph is None:
            return
        self._keep_now()
        before, self._looked_at = self._looked_at, graph
        look = self._looks.get(graph.place)
        other_boxes = before is not None and before is not graph and before.source.place == graph.source.place
        if look is None or other_boxes:
            held = self.choices.graph_looks.get(graph.source.tag)
            if before is not None and before.source.tag == graph.source.tag and self.look is not None:
                held = kept(self.look, before.hierarchy)
            look = graph.start if held is None else restored(held, graph.hierarchy)
        self._tree = self.marks = self.known = self.zoom = self.drawn = self._asked_diagram = None
        self._telling_of, self.telling = None, GRAPH_COLOURS
        self.look, self._begins = look, look == graph.start
        self.choices_changed(None)

    def _begin(self, graph: OpenGraph) -> None:
        """Have as much open of a graph that nobody looked at yet as there is room for."""
        area, choices = arranged(*self.content_size, "diagram", searched=False).view, self.choices
        if not area.width:
            return
        room = Room(area.width, area.height, choices.graph_across, choices.graph_aside)

        def begin() -> Iterator[tuple[OpenGraph, Look]]:
            yield graph, filled(graph.hierarchy, graph.start, room)

        self.background.ask("begin", begin, self._take_begun, self._say_undrawn)

    def _take_begun(self, begun: tuple[OpenGraph, Look]) -> None:
        graph, look = begun
        if graph is not self.graph or not self._begins:
            return
        self._begins = False
        if self.look == graph.start:
            self.look = self._looks[graph.place] = look
        self.fit()

    def show_times(self) -> None:
        """Columns, colours and the timeline are of another run."""
        self.fit()
        self.tell_chosen()
        self.refresh_bindings()  # whoever shows the status looks again

    def choices_changed(self, before: View | None) -> None:
        """Another view has the keys, other colours are asked for, or all is shown for the first time."""
        view = self.choices.graph_view
        if before is None or view != self.graph_view:
            self.graph_view = view
            self.place()
        self.fit()
        if before is None:
            self.tell_chosen()

    def place(self) -> None:
        """Place the parts, and fit what they show to them."""
        before = self.areas
        super().place()
        if self.areas != before:
            self.fit()
            self.say_title()

    def fit(self) -> None:
        """Show everything as it fits now; what would be the same is not made again."""
        if self.graph is None or self.look is None:
            return
        if self._begins:
            self._begin(self.graph)
            return
        self._list_tree()
        self._draw_diagram()
        if self.known is not None:
            self.show_details(self.known)
        self.say_title()

    # The look changes

    def show_look(self, look: Look) -> None:
        """Have other items open, or the cursor elsewhere."""
        before, self.look = self.look, look
        graph = self.graph
        if graph is None or before is None or look == before:
            return
        self._looks[graph.place] = look
        chosen = seen(graph.hierarchy, look.chosen)
        if (look.opened, look.apart) != (before.opened, before.apart):
            self._list_tree()
        else:
            self.scopes.go_to(chosen)
        if (look.inside, look.opened, look.apart) == (before.inside, before.opened, before.apart):
            self.diagram.choose(chosen)
        else:
            self._draw_diagram()
        self.tell_chosen()
        if look.inside != before.inside:
            self.say_title()
        self._keep_later()

    def _keep_later(self) -> None:
        if self._keep_timer is not None:
            self._keep_timer.stop()
        self._keep_timer = start_timer(self, KEEP_AFTER, self._keep_now)

    def _keep_now(self) -> None:
        """Have it kept what is looked at, where that has changed."""
        graph, look, timer = self._looked_at, self.look, self._keep_timer
        if timer is None or graph is None or look is None:
            return
        timer.stop()
        self._keep_timer = None
        self.post_message(Choose(partial(changes.looked_at, graph.source.tag, kept(look, graph.hierarchy))))

    def show_marks(self, marks: Marks | None) -> None:
        """Have other items stand out, or none."""
        self.marks = marks
        self._list_tree()
        self._mark_diagram()
        self.say_title()
        self.refresh_bindings()

    # The tree

    def _list_tree(self) -> None:
        hierarchy, look = self.hierarchy, self.look
        if hierarchy is None or look is None or not self.scopes.display:
            return
        if self._tree is None or (self._tree.opened, self._tree.apart) != (look.opened, look.apart):
            self._tree = Tree(hierarchy, look.opened, look.apart)
        width = self.tree_width
        columns = fitting(self.columns, width, (self.choices.graph_colour,))
        flags = None if self.marks is None else self.marks.flags
        self.scopes.show_items(TreeRows(self._tree, columns, width, flags), seen(hierarchy, look.chosen))
        self.show_heads(titles(columns, "", descending=False, cursor=""), of_tree=True)

    # The diagram

    def _draw_diagram(self) -> None:
        graph, look, size = self.graph, self.look, self.areas.view
        if graph is None or look is None or not self.diagram.display or not size.width:
            return
        hierarchy, choices, times = graph.hierarchy, self.choices, self.times
        opened = frozenset(item for item in look.opened if lies_in(hierarchy, item, look.inside))
        zoom, across = self.zoom, choices.graph_across
        if zoom is None and self.drawn is not None and self.drawn.key.view == (graph.place, look.inside, across):
            zoom = self.drawn.zoom
        width = size.width if zoom is None or not across else 0
        height = size.height if zoom is None or across else 0
        key = DiagramKey(graph.place, look.inside, across, opened, look.apart, choices.graph_aside, zoom, width, height)
        asked = key, choices.graph_colour, times
        if asked == self._asked_diagram:
            self.diagram.choose(seen(hierarchy, look.chosen))
            return
        self._asked_diagram = asked

        def draw() -> Iterator[tuple[Drawn, Mapping[int, int]]]:
            drawn = self._drawer.drawn(hierarchy, key)
            items = [place.item for place in drawn.layout.places]
            yield drawn, inks_of(hierarchy, times, items, choices.graph_colour)

        self.background.ask("diagram", draw, self._take_drawn, self._say_undrawn)
        self._find_telling(hierarchy, times)

    def _find_telling(self, hierarchy: Hierarchy, times: Times | None) -> None:
        """Once for a graph and the times of a run: all its nodes are looked at, and no key may wait for that."""
        if self._telling_of == (hierarchy, times):
            return
        self._telling_of = hierarchy, times

        def find() -> Iterator[tuple[GraphColour, ...]]:
            yield telling_colours(hierarchy, times)

        self.background.ask("colours", find, self._take_telling, self._say_undrawn)

    def _take_telling(self, telling: tuple[GraphColour, ...]) -> None:
        if telling != self.telling:
            self.telling = telling
            self.refresh_bindings()  # a key that would colour nothing is not offered

    def _take_drawn(self, made: tuple[Drawn, Mapping[int, int]]) -> None:
        drawn, tints = made
        graph, look = self.graph, self.look
        if graph is None or look is None or drawn.key.graph != graph.place:
            return
        anew = self.drawn is None or self.drawn.key.view != drawn.key.view
        self.drawn, self.tinted = drawn, bool(tints)
        marked = frozenset() if self.marks is None else self.marks.among(drawn.layout.index_of)
        chosen = seen(graph.hierarchy, look.chosen)
        self.diagram.show(drawn.key.graph, drawn.layout, chosen, marked, tints, anew=anew)
        self.say_title()

    def _mark_diagram(self) -> None:
        if self.drawn is not None:
            items = self.drawn.layout.index_of
            self.diagram.mark(frozenset() if self.marks is None else self.marks.among(items))

    def _say_undrawn(self, error: Exception) -> None:
        self.drawn = None
        told = str(error) if isinstance(error, TooManyBoxesError) else f"{type(error).__name__}: {error}"
        self.diagram.say(words.CANNOT_DRAW, told)
