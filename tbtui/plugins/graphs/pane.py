"""The pane of the Graphs tab: what its keys and the mouse do."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.plugins.graphs import changes, words
from tbtui.plugins.graphs.columns import NAME, title_at
from tbtui.plugins.graphs.drawn import ZOOMS
from tbtui.plugins.graphs.going import GraphGoing
from tbtui.widgets.pane import Choose

if TYPE_CHECKING:
    from tbtui.plugins.graphs.items import OperationList, TableHeads
    from tbtui.plugins.graphs.marks import TraceKind
    from tbtui.viewstate.graph_looks import GraphView

WITHOUT_GRAPH = frozenset({"step", "choose_graph", "copy_path", "say_no_axis"})
"""Actions that do something while a graph is being read, or where it cannot be shown."""


class GraphsPane(GraphGoing):
    """Graphs of operations and of layers."""

    UNUSED = frozenset({"next_x_axis", "next_y_scale", "smooth"})
    BINDING_GROUP_TITLE = "Graphs"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f,ctrl+f", "find", "find", id="graphs.find", tooltip="find by name, type, device"),
        Binding("n", "next_match(1)", "next", id="graphs.next", tooltip="next match"),
        Binding("N", "next_match(-1)", show=False, id="graphs.previous", tooltip="match before"),
        Binding("t", "trace('inputs')", "trace", id="graphs.trace", tooltip="trace inputs"),
        Binding("p", "trace('output')", "path", show=False, id="graphs.path", tooltip="trace way to an output"),
        Binding("z", "zoom(-1)", "zoom", show=False, id="graphs.zoom_in", tooltip="larger"),
        Binding("Z", "zoom(1)", "zoom out", show=False, id="graphs.zoom_out", tooltip="smaller"),
        Binding("v", "switch_across", "turn", id="graphs.across", tooltip="the diagram leads"),
        Binding("m", "next_graph_colour", "colour", id="graphs.colour", tooltip="colour by"),
        Binding("a", "switch_aside", show=False, id="graphs.aside", tooltip="set busy nodes aside"),
        Binding("escape", "back", "back", id="graphs.back", tooltip="one layer back"),
        Binding("x", "say_no_axis", show=False, system=True),
    ]

    # What happens

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

    def on_descendant_focus(self) -> None:
        """The titles tell where the keys are, and what escape takes away."""
        self.say_whose_details()
        self.say_title()

    def on_descendant_blur(self) -> None:
        """Likewise."""
        self.say_whose_details()
        self.say_title()

    def on_resize(self) -> None:
        """The parts stand elsewhere."""
        self.place()

    # Layers and views

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A key that would do nothing is not offered."""
        if self.graph is None and action not in WITHOUT_GRAPH:
            return False
        if action == "back":
            return self.topmost is not None
        if action == "next_match":
            return self.is_searched
        if action == "regroup":
            return self.series is not None
        if action == "next_graph_colour":
            return len(self.telling) > 1 or not self.diagram.display
        if action == "zoom":
            return self.diagram.display or self.timeline.display
        if action == "view":
            return parameters != (self.graph_view,) or not self.view_widget.has_focus
        return super().check_action(action, parameters)

    @property
    def topmost(self) -> str | None:
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
        layer = self.topmost
        if layer == "details":
            self.focus_view()
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
        self.focus_view()
        self.post_message(Choose(graph_view=view))

    # Finding

    def action_find(self) -> None:
        """Have a pattern typed."""
        self.start_finding()

    def action_next_match(self, count: int) -> None:
        """Look at another match."""
        self.go_to_match(count)

    def action_trace(self, kind: TraceKind) -> None:
        """Have stand out what leads here, or the way from here to an output."""
        self.switch_trace(kind)

    # How it is drawn

    def action_zoom(self, steps: int) -> None:
        """See more of each box, or more boxes; more of the time, or more of each execution."""
        if self.timeline.display:
            self.timeline.zoom(0.5 if steps < 0 else 2.0)
        elif self.drawn is not None:
            self.zoom = max(0, min(self.drawn.zoom + steps, len(ZOOMS) - 1))
            self.fit()

    def action_next_graph_colour(self) -> None:
        """Colour boxes by something else, where there are boxes; executions by time or by memory."""
        if self.timeline.display and self.timeline.run is not None:
            self.post_message(Choose(changes.next_measure))
            return
        if self.hierarchy is not None and not self.diagram.display:
            self.tell(words.COLOURS_ELSEWHERE)
            return
        self.post_message(Choose(partial(changes.next_colour, self.telling)))

    def action_say_no_axis(self) -> None:
        """Say that the key that changes the axis of charts changes nothing here, where it is not offered either."""
        self.tell(words.NO_AXIS)

    def action_switch_across(self) -> None:
        """Have the diagram lead from left to right, or down."""
        if not self.diagram.display:
            self.tell(words.DIRECTION_ELSEWHERE)
            return
        self.post_message(Choose(changes.across_switched))

    def action_switch_aside(self) -> None:
        """Set nodes aside that nearly everything is joined to, or draw them too."""
        self.post_message(Choose(changes.aside_switched))
