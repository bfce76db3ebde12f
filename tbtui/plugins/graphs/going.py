"""The part of the Graphs tab that goes: from item to item, into scopes and out of them, and along links."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tbtui.graphs.tracing import inputs, outputs
from tbtui.plugins.graphs import words
from tbtui.plugins.graphs.asking import GraphAsking
from tbtui.plugins.graphs.look import around, entered, left, moved, regrouped, seen, series_of, switched
from tbtui.plugins.graphs.tree import listed_in

if TYPE_CHECKING:
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.graphs.items import DetailList, TreeList
    from tbtui.plugins.graphs.look import Look
    from tbtui.plugins.graphs.timeline_chart import TimelineChart
    from tbtui.plugins.graphs.view import DiagramView
    from tbtui.viewstate.graph_looks import GraphView
    from tbtui.widgets.row_list import RowList


class GraphGoing(GraphAsking):
    """Every way to another item is a gesture that changes the look."""

    BINDING_GROUP_TITLE = "Going about a graph"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("full_stop", "enter", show=False, id="graphs.enter", tooltip="nothing but this scope"),
        Binding("comma", "leave", show=False, id="graphs.leave", tooltip="what is around it"),
        Binding("u", "regroup", "series", id="graphs.regroup", tooltip="series apart or together"),
        Binding("less_than_sign", "follow(-1)", show=False, id="graphs.input", tooltip="to its input"),
        Binding("greater_than_sign", "follow(1)", show=False, id="graphs.output", tooltip="to its output"),
        Binding("backspace", "return", show=False, id="graphs.return", tooltip="back where you came from"),
    ]

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self._came_from: list[int] = []
        """Items from which links were followed, the latest last."""

    def action_view(self, view: GraphView) -> None:
        """Give the keys to a view."""
        raise NotImplementedError

    # The cursor moves

    def on_diagram_view_moved(self, event: DiagramView.Moved) -> None:
        """The cursor goes from box to box; another click on a box opens it."""
        event.stop()
        hierarchy, look = self.hierarchy, self.look
        if hierarchy is None or look is None or self.graph is None or event.graph != self.graph.place:
            return
        if event.again:
            self.action_open()
        else:
            self.gesture(moved(look, hierarchy, event.item))

    def on_row_list_moved(self, event: RowList.Moved) -> None:
        """The cursor goes from row to row."""
        event.stop()
        hierarchy = self.hierarchy
        for rows in (self.scopes, self.operations):
            item = None if hierarchy is None else rows.cursor_item(hierarchy)
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
        item = None if hierarchy is None else self.scopes.cursor_item(hierarchy)
        if hierarchy is None or look is None or item is None:
            return
        can_switch = hierarchy.opens(item) and (item in look.opened) == event.fold
        if can_switch:
            self.gesture(switched(look, hierarchy, item))
        elif event.fold and (outside := around(look, hierarchy, item)) >= 0 and outside != hierarchy.root:
            self._go_to(outside, stays=True)
        elif not event.fold and hierarchy.opens(item):
            self._go_to(int(listed_in(hierarchy, item, look.apart)[0]), stays=True)

    def on_detail_list_follow_asked(self, event: DetailList.FollowAsked) -> None:
        """Go to what a row of the details leads to."""
        event.stop()
        self._follow_row()

    def on_detail_list_all_asked(self, event: DetailList.AllAsked) -> None:
        """Tell all that the details say, without anything cut off."""
        event.stop()
        self.action_about()

    def on_timeline_chart_moved(self, event: TimelineChart.Moved) -> None:
        """The node of the chosen execution is under the cursor everywhere."""
        event.stop()
        view = self.timeline.run
        if view is not None and view.run.times is self.times and view.chosen_item is not None:
            self._go_to(view.chosen_item)

    # What is open

    def action_open(self) -> None:
        """Open or close a scope; tell more of a node; show an execution's node in the diagram."""
        if self.timeline.has_focus:
            self.action_view("diagram")
        elif (hierarchy := self.hierarchy) is not None and (look := self.look) is not None:
            item = look.chosen
            if hierarchy.opens(item):
                self.gesture(switched(look, hierarchy, item))
            elif self.details.display:
                self.details.focus(scroll_visible=False)
            else:
                self.action_about()

    def action_regroup(self) -> None:
        """Have the members of a series stand in its place, or the series in theirs."""
        if (hierarchy := self.hierarchy) is not None and (look := self.look) is not None:
            series = self.series
            if series is not None:
                self.gesture(regrouped(look, hierarchy, series))

    @property
    def series(self) -> int | None:
        """The series under the cursor, or that the item under it is a member of."""
        hierarchy, look = self.hierarchy, self.look
        return None if hierarchy is None or look is None else series_of(hierarchy, look.chosen)

    def show_look(self, look: Look) -> None:
        """Keys that would do nothing there are not offered; of what has no box the title tells where it stands."""
        before, was_aside = self.series, self.is_aside
        super().show_look(look)
        if self.is_aside or was_aside:
            self.say_title()
        if (self.series is None) != (before is None):
            self.refresh_bindings()

    def _follow_row(self) -> None:
        key = self.details.cursor_key
        if self.known is not None and key is not None and key in self.targets:
            self._follow_to(self.targets[key])

    def action_enter(self) -> None:
        """Have the diagram show nothing but the inside of a scope."""
        if (hierarchy := self.hierarchy) is not None and (look := self.look) is not None:
            item = look.chosen
            if not hierarchy.opens(item):
                self.tell(f"{hierarchy.leaf(item)} has nothing inside")
                return
            self.gesture(entered(look, hierarchy, item))
            self.refresh_bindings()

    def action_leave(self) -> None:
        """Have it show what is around that."""
        if (hierarchy := self.hierarchy) is not None and (look := self.look) is not None:
            outside = left(look, hierarchy)
            if outside is look:
                self.tell(words.NOTHING_AROUND)
                return
            self.gesture(outside)
            self.refresh_bindings()

    def action_follow(self, direction: int) -> None:
        """Go along a link: to the first input, or to the first of those that read the output."""
        hierarchy, look = self.hierarchy, self.look
        if hierarchy is None or look is None:
            return
        here = look.chosen
        items = [link.item for link in (inputs if direction < 0 else outputs)(hierarchy, here)]
        # From what has a box links lead to other boxes; what is set aside beside it may lead to nothing but that one.
        target = next((item for item in items if self.is_aside or seen(hierarchy, item) != here), None)
        if target is None:
            self.tell(words.no_link(hierarchy, here, direction))
            return
        self._follow_to(target)

    def _follow_to(self, item: int) -> None:
        if self.look is not None:
            self._came_from.append(self.look.chosen)
            self._go_to(item)

    def action_return(self) -> None:
        """Go back to where a link was followed from."""
        if not self._came_from:
            self.tell(words.NO_LINK_FOLLOWED)
            return
        self._go_to(self._came_from.pop())

    def show_graph(self) -> None:
        """In another graph nothing was followed yet."""
        self._came_from.clear()
        super().show_graph()
