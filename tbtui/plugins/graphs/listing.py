"""The part of the Graphs tab that lists: the table of operations, and what ran when."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.graphs.finding import in_tree_order
from tbtui.plugins.graphs import words
from tbtui.plugins.graphs.colours import MEASURES
from tbtui.plugins.graphs.columns import fitting
from tbtui.plugins.graphs.looking import GraphLooking
from tbtui.plugins.graphs.operations import OperationRows, Operations, titles
from tbtui.plugins.graphs.timeline import TimelineView, timeline_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.graphs.columns import Column
    from tbtui.plugins.graphs.data import OpenGraph
    from tbtui.plugins.graphs.look import Look
    from tbtui.plugins.graphs.marks import Marks
    from tbtui.plugins.graphs.timeline import RunTimeline


class GraphListing(GraphLooking):
    """Nothing is listed before the table, or the timeline, is looked at."""

    def __init__(self, payloads: Payloads | None = None) -> None:
        super().__init__(payloads)
        self.column = "name"
        """Title of the column of the table that a key sorts by."""

        self._asked_operations: Hashable = None
        self._listed_operations: Operations | None = None
        self._listed_of: Marks | None = None
        """Of what `_listed_operations` are; None: of the whole graph."""

        self._scope = -1
        """What the table lists all nodes of; kept as long as it shows and the cursor is on one of its rows."""

        self._put: tuple[int, Look] | None = None
        """On which row the cursor was put as what it was on has none, and what was looked at before."""

        self._timeline_of: object = None

    def show_graph(self) -> None:
        """Nothing is listed of another graph yet."""
        self._asked_operations = self._listed_operations = self._timeline_of = self._put = None
        self._scope = -1
        super().show_graph()

    def fit(self) -> None:
        """Show everything as it fits now."""
        super().fit()
        self._list_operations()
        self._show_timeline()

    def show_look(self, look: Look) -> None:
        """Have the cursor elsewhere."""
        super().show_look(look)
        self._follow_cursor()

    def show_marks(self, marks: Marks | None) -> None:
        """Have other items stand out, or none."""
        super().show_marks(marks)
        self._show_operations()

    def jump(self, item: int) -> None:
        """Have the cursor on an item that the user did not go to row by row."""
        raise NotImplementedError

    # The table

    @property
    def listed_nodes(self) -> Marks | None:
        """Which nodes the table lists; None: all."""
        return None

    def _list_operations(self) -> None:
        graph, choices, times, only = self.graph, self.choices, self.times, self.listed_nodes
        look = self.look
        if graph is None or look is None:
            return
        if not self.operations.display:
            self._leave_table()
            return
        hierarchy = graph.hierarchy
        listed, self._scope = self._listed_operations, look.inside if self._scope < 0 else self._scope
        if listed is not None and listed.place_of(look.chosen) is None:
            self._scope = look.inside
        scope = hierarchy.root if only is not None else self._scope
        sort, descending = choices.graph_sort, choices.graph_descending
        asked = graph.place, times, only, scope, sort, descending
        if asked == self._asked_operations:
            self._show_operations()
            return
        self._asked_operations = asked

        def order() -> Iterator[tuple[OpenGraph, Marks | None, Operations]]:
            items = in_tree_order(hierarchy) if scope == hierarchy.root else hierarchy.under(scope)
            nodes = items[hierarchy.original[items] < hierarchy.nodes].astype(np.int32)
            if only is not None:
                nodes = nodes[only.flags[nodes]]
            yield graph, only, Operations(hierarchy, times, nodes, sort, descending=descending)

        self.background.ask("operations", order, self.take_operations, self.say_failed)

    def take_operations(self, made: tuple[OpenGraph, Marks | None, Operations]) -> None:
        """List operations in the table."""
        graph, only, operations = made
        if graph is self.graph:
            before, self._listed_operations, self._listed_of = self._listed_operations, operations, only
            self._show_operations()
            if before is not None and len(operations) and operations.is_sorted_unlike(before):
                self.jump(int(operations.items[0]))
            self._follow_cursor()

    def _follow_cursor(self) -> None:
        """Have the row of what is looked at under the cursor, in another list if this one has none.

        What no table has rows of, as a scope, is left for the first row in it, until the table is. Of what was found
        no row is made up: links lead to what was not, too.
        """
        listed, hierarchy, look = self._listed_operations, self.hierarchy, self.look
        if listed is None or hierarchy is None or look is None or not self.operations.display:
            return
        self.operations.go_to(look.chosen)
        if self._listed_of is not self.listed_nodes:
            return  # another list comes
        self._show_heads()
        if listed.place_of(look.chosen) is not None or self.scopes.has_focus:
            return
        if self.listed_nodes is None and self._scope != look.inside:
            self._list_operations()
        elif self.listed_nodes is None or hierarchy.node(look.chosen) < 0:
            row = listed.nearest(look.chosen)
            if row is not None:
                self._put = row, look
                self.jump(row)

    def _leave_table(self) -> None:
        """Have the cursor again where it was before it was put on a row, unless it went on from there."""
        put, self._put = self._put, None
        self._scope = -1
        if put is not None and self.look is not None and put[0] == self.look.chosen:
            self.show_look(put[1])

    @property
    def operations_found(self) -> Operations | None:
        """What the table lists of what was found; None where it lists everything, or nothing, or does not show."""
        only = self.listed_nodes
        lists = self.operations.display and only is not None and only is self._listed_of
        return self._listed_operations if lists else None

    @property
    def shown_columns(self) -> tuple[Column, ...]:
        """The columns of the table that fit beside names."""
        sort = "" if self._listed_operations is None else self._listed_operations.sort
        return fitting(self.columns, self.table_width, (sort, "type"))

    def _show_operations(self) -> None:
        listed, look = self._listed_operations, self.look
        if listed is None or look is None or not self.operations.display:
            return
        columns = self.shown_columns
        flags = None if self.marks is None or self.marks is self.listed_nodes else self.marks.flags
        rows = OperationRows(listed, columns, self.table_width, flags)
        self.operations.show_items(rows, look.chosen, empty=words.NOTHING_FOUND)
        self._show_heads()

    def _show_heads(self) -> None:
        """Say what the columns are, and of what the rows; where links led away from these say that."""
        listed, hierarchy, look = self._listed_operations, self.hierarchy, self.look
        if listed is None or hierarchy is None or look is None:
            return
        if len(listed) and listed.place_of(look.chosen) is None:
            scope, of = "", words.not_listed(hierarchy, look.chosen)
        elif self._listed_of is not None or self._scope == hierarchy.root:
            scope, of = listed.scope, words.WHOLE if self._listed_of is None else words.FOUND
        else:
            scope, of = listed.scope or f"{hierarchy.leaf(self._scope)}/", ""
        sort, descending = listed.sort, listed.descending
        heads = titles(self.shown_columns, sort, descending=descending, cursor=self.column, scope=scope, of=of)
        self.show_heads(heads, of_tree=False)

    # The timeline

    def _show_timeline(self) -> None:
        times = self.times
        if not self.timeline.display:
            return
        if times is None or not len(times.executions):
            self._timeline_of = None
            self.timeline.say(*words.NO_TIMES)
            return
        measure = MEASURES.get(self.choices.graph_colour, "time")
        if (times, measure) == self._timeline_of:
            return
        self._timeline_of = times, measure

        def make() -> Iterator[RunTimeline]:
            yield timeline_of(times, measure)

        self.background.ask("timeline", make, self._take_timeline, self.say_error)

    def _take_timeline(self, run: RunTimeline) -> None:
        before = self.timeline.run
        if run.times is not self.times or self.look is None:
            return
        if before is not None and before.run.times is run.times:
            self.timeline.show(replace(before, run=run))
        else:
            self.timeline.show(TimelineView(run).choosing_item(self.look.chosen))
