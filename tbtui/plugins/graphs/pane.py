"""The pane of the Graphs tab: what its keys and the mouse do."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.plugins.graphs import changes, words
from tbtui.plugins.graphs.asking import GraphAsking
from tbtui.plugins.graphs.columns import NAME, title_at
from tbtui.plugins.graphs.drawn import ZOOMS
from tbtui.plugins.graphs.look import entered, left, moved, seen, switched
from tbtui.plugins.graphs.tree import listed_in
from tbtui.widgets.pane import Choose

if TYPE_CHECKING:
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.graphs.items import DetailList, OperationList, TableHeads, TreeList
    from tbtui.plugins.graphs.marks import TraceKind
    from tbtui.plugins.graphs.timeline_chart import TimelineChart
    from tbtui.plugins.graphs.view import DiagramView
    from tbtui.viewstate.graph_looks import GraphView
    from tbtui.widgets.row_list import RowList


class GraphsPane(GraphAsking):
    """Graphs of operations and of layers."""

    BINDING_GROUP_TITLE = "Graphs"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "open", "open", id="graphs.open", tooltip="open or close; details"),
        Binding("s", "view('tree')", "tree", id="graphs.tree", tooltip="tree of scopes"),
        Binding("d", "view('diagram')", "diagram", id="graphs.diagram", tooltip="diagram"),
        Binding("o", "view('operations')", "table", id="graphs.operations", tooltip="table of operations"),
        Binding("f,ctrl+f", "find", "find", id="graphs.find", tooltip="find by name, type, device"),
        Binding("n", "next_match(1)", "next", id="graphs.next", tooltip="next match"),
        Binding("N", "next_match(-1)", show=False, id="graphs.previous", tooltip="match before"),
        Binding("t", "trace('inputs')", "trace", id="graphs.trace", tooltip="trace what leads here"),
        Binding("p", "trace('output')", "path", show=False, id="graphs.path", tooltip="the path to an output"),
        Binding("T", "view('timeline')", "timeline", show=False, id="graphs.timeline", tooltip="timeline of a run"),
        Binding("less_than_sign", "follow(-1)", show=False, id="graphs.input", tooltip="to its input"),
        Binding("greater_than_sign", "follow(1)", show=False, id="graphs.output", tooltip="to where it leads"),
        Binding("backspace", "return", show=False, id="graphs.return", tooltip="back to where you came from"),
        Binding("full_stop", "enter", show=False, id="graphs.enter", tooltip="nothing but this scope"),
        Binding("comma", "leave", show=False, id="graphs.leave", tooltip="what is around it"),
        Binding("z", "zoom(-1)", "zoom", show=False, id="graphs.zoom_in", tooltip="larger"),
        Binding("Z", "zoom(1)", "zoom out", show=False, id="graphs.zoom_out", tooltip="smaller"),
        Binding("m", "next_graph_colour", "colour", id="graphs.colour", tooltip="colour by"),
        Binding("a", "switch_aside", show=False, id="graphs.aside", tooltip="set busy nodes aside"),
        Binding("escape", "back", "back", id="graphs.back", tooltip="one layer back"),
        Binding("x", "say_no_axis", show=False, system=True),
    ]

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self._came_from: list[int] = []
        """Items from which links were followed, the latest last."""

    # What happens

    def on_diagram_view_moved(self, event: DiagramView.Moved) -> None:
        """The cursor goes from box to box; another click on a box opens it."""
        event.stop()
        hierarchy, look = self.hierarchy, self.look
        is_shown = self.drawn is not None and self.graph is not None and self.drawn.key.graph == self.graph.place
        if hierarchy is None or look is None or not is_shown:
            return
        if event.again:
            self.action_open()
        else:
            self.gesture(moved(look, hierarchy, event.item))

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """The cursor goes from row to row."""
        event.stop()
        for rows in (self.scopes, self.operations):
            item = rows.cursor_item
            if rows.has_focus and item is not None:
                self._go_to(item, stays=rows is self.scopes)

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """A click on an item in the tree opens it, one on what it leads to goes there."""
        event.stop()
        if self.scopes.has_focus:
            self.action_open()
        elif self.details.has_focus:
            self._follow_row()

    def _go_to(self, item: int, *, stays: bool = False) -> None:
        """Have the cursor on an item; what that lies in stays open where it was open to be gone to."""
        hierarchy, look = self.hierarchy, self.look
        if hierarchy is None or look is None or item == look.chosen:
            return
        if stays:
            self.gesture(moved(look, hierarchy, item))
        else:
            self.jump(item)

    def on_tree_list_folded(self, event: TreeList.Folded) -> None:
        """Open or close; where that is so already go to the first inside, or to what is around."""
        event.stop()
        hierarchy, look = self.hierarchy, self.look
        item = self.scopes.cursor_item
        if hierarchy is None or look is None or item is None:
            return
        can_switch = hierarchy.opens(item) and (item in look.opened) == event.fold
        if can_switch:
            self.gesture(switched(look, hierarchy, item))
        elif event.fold and (around := int(hierarchy.parent[item])) >= 0 and around != hierarchy.root:
            self._go_to(around, stays=True)
        elif not event.fold and hierarchy.opens(item):
            self._go_to(int(listed_in(hierarchy, item)[0]), stays=True)

    def on_operation_list_column_moved(self, event: OperationList.ColumnMoved) -> None:
        """Another column may be sorted by."""
        event.stop()
        known = (NAME, *(column.title for column in self.shown_columns))
        place = known.index(self.column) if self.column in known else 0
        self.column = known[max(0, min(place + event.columns, len(known) - 1))]
        self.fit()

    def on_operation_list_sort_asked(self, event: OperationList.SortAsked) -> None:
        """Sort by the column that was gone to."""
        event.stop()
        self.post_message(Choose(partial(changes.sorted_by, self.column)))

    def on_table_heads_clicked(self, event: TableHeads.Clicked) -> None:
        """Sort by the column whose title was clicked."""
        event.stop()
        self.column = title_at(self.shown_columns, event.x, self.table_width)
        self.post_message(Choose(partial(changes.sorted_by, self.column)))

    def on_detail_list_follow_asked(self, event: DetailList.FollowAsked) -> None:
        """Go to what a row of the details leads to."""
        event.stop()
        self._follow_row()

    def on_timeline_chart_moved(self, event: TimelineChart.Moved) -> None:
        """The node of the chosen execution is under the cursor everywhere."""
        event.stop()
        run = self.timeline.run
        if run is not None and run.chosen_item is not None:
            self._go_to(run.chosen_item)

    def on_descendant_focus(self) -> None:
        """The title of the details tells whether they have the keys."""
        self.say_whose_details()

    def on_descendant_blur(self) -> None:
        """Likewise."""
        self.say_whose_details()

    def on_resize(self) -> None:
        """The parts stand elsewhere."""
        self.place()

    # Layers and views

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A key that would do nothing is not offered."""
        if action == "back":
            return self._layer is not None
        if action == "next_match":
            return self.is_searched
        if action == "view":
            return parameters != (self.graph_view,) or not self.view_widget.has_focus
        return super().check_action(action, parameters)

    @property
    def _layer(self) -> str | None:
        """What escape takes away."""
        if self.details.has_focus:
            return "details"
        if self.trace is not None:
            return "trace"
        if self.is_searched:
            return "search"
        graph, look = self.graph, self.look
        if graph is not None and look is not None and look.inside != graph.start.inside:
            return "inside"
        return None

    def action_back(self) -> None:
        """Take the topmost layer away: the details' keys, what is traced, what was searched for, the scope entered."""
        layer = self._layer
        if layer == "details":
            self.view_widget.focus(scroll_visible=False)
        elif layer == "trace":
            self.forget_trace()
        elif layer == "search":
            self.forget()
        elif layer == "inside":
            self.action_leave()
        self.refresh_bindings()

    def action_view(self, view: GraphView) -> None:
        """Give the keys to a view."""
        self.graph_view = view
        self.place()
        self.fit()
        self.view_widget.focus(scroll_visible=False)
        self.post_message(Choose(graph_view=view))

    # What is open

    def action_open(self) -> None:
        """Open or close a scope; tell more of a node; show an execution's node in the diagram."""
        if self.timeline.has_focus:
            self.action_view("diagram")
        elif (hierarchy := self.hierarchy) is not None and (look := self.look) is not None:
            item = seen(hierarchy, look.chosen)
            if hierarchy.opens(item):
                self.gesture(switched(look, hierarchy, item))
            elif self.details.display:
                self.details.focus(scroll_visible=False)
            else:
                self.action_about()

    def _follow_row(self) -> None:
        key = self.details.cursor_key
        if key is not None and key in self.targets:
            self._follow_to(self.targets[key])

    def action_enter(self) -> None:
        """Have the diagram show nothing but the inside of a scope."""
        if (hierarchy := self.hierarchy) is not None and (look := self.look) is not None:
            item = seen(hierarchy, look.chosen)
            if not hierarchy.opens(item):
                self.tell(f"{hierarchy.leaf(item)} has nothing inside")
                return
            self.gesture(entered(look, hierarchy, item))
            self.refresh_bindings()

    def action_leave(self) -> None:
        """Have it show what is around that."""
        if (hierarchy := self.hierarchy) is not None and (look := self.look) is not None:
            self.gesture(left(look, hierarchy))
            self.refresh_bindings()

    # Finding and following

    def action_find(self) -> None:
        """Have a pattern typed."""
        self.start_finding()

    def action_next_match(self, count: int) -> None:
        """Look at another match."""
        self.go_to_match(count)

    def action_trace(self, kind: TraceKind) -> None:
        """Have stand out what leads here, or the way from here to an output."""
        self.switch_trace(kind)

    def action_follow(self, direction: int) -> None:
        """Go along a link: to the first input, or to the first of those that read the output."""
        known, hierarchy, look = self.known, self.hierarchy, self.look
        if known is None or hierarchy is None or look is None or known.item != look.chosen:
            return
        here = seen(hierarchy, look.chosen)
        items = known.inputs if direction < 0 else known.outputs
        target = next((item for item in items if seen(hierarchy, item) != here), None)
        if target is not None:
            self._follow_to(target)

    def _follow_to(self, item: int) -> None:
        if self.look is not None:
            self._came_from.append(self.look.chosen)
            self._go_to(item)

    def action_return(self) -> None:
        """Go back to where a link was followed from."""
        if self._came_from:
            self._go_to(self._came_from.pop())

    def show_graph(self) -> None:
        """In another graph nothing was followed yet."""
        self._came_from.clear()
        super().show_graph()

    # How it is drawn

    def action_zoom(self, steps: int) -> None:
        """See more of each box, or more boxes; more of the time, or more of each execution."""
        if self.timeline.display:
            self.timeline.zoom(0.5 if steps < 0 else 2.0)
        elif self.drawn is not None:
            self.zoom = max(0, min(self.drawn.zoom + steps, len(ZOOMS) - 1))
            self.fit()

    def action_next_graph_colour(self) -> None:
        """Colour boxes by something else, where there are boxes."""
        if self.hierarchy is not None and not self.diagram.display:
            self.tell(words.COLOURS_ELSEWHERE)
            return
        self.post_message(Choose(changes.next_colour))

    def action_say_no_axis(self) -> None:
        """Say that the key that changes the axis of charts changes nothing here, where it is not offered either."""
        self.tell(words.NO_AXIS)

    def action_switch_aside(self) -> None:
        """Set nodes aside that nearly everything is joined to, or draw them too."""
        self.post_message(Choose(changes.aside_switched))
