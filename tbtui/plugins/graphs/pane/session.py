"""State of the graphs pane as one frozen value. The views never change it; `transitions` returns the next one."""

from __future__ import annotations

from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from tbtui.frozen import frozen
from tbtui.plugins.graphs.item_columns import NAME
from tbtui.plugins.graphs.search import SearchResults

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from tbtui.plugins.graphs.navigation import Navigation
    from tbtui.plugins.graphs.open_graphs import OpenGraph
    from tbtui.plugins.graphs.search import Highlights, TraceKind
    from tbtui.plugins.graphs.settings import GraphView

Layer: TypeAlias = Literal["details", "trace", "search", "inside"]
"""States that escape ends."""


class Trace(NamedTuple):
    """A request to highlight the inputs of an item at any distance, or its path to an output."""

    item: int
    kind: TraceKind


@frozen
class GraphSession:
    """Everything that keys and mouse change in the pane, except for settings."""

    view: GraphView = "diagram"
    """The view that has the focus. It shows next to the tree, or instead of it in a narrow pane."""

    graph: OpenGraph | None = None
    """Graph of `navigation`; it stays while another graph is being read."""

    navigation: Navigation | None = None
    visited: Mapping[Hashable, Navigation] = field(default_factory=lambda: MappingProxyType({}))
    """The last navigation of each graph that was shown, by the key of the graph."""

    is_expanding: bool = False
    """The first expansion of the graph is still being computed."""

    history: tuple[int, ...] = ()
    """Items from which links were followed, the latest last."""

    is_bar_open: bool = False
    """The search bar has a line of the screen."""

    query: str = ""
    results: SearchResults = field(default_factory=SearchResults)
    search_start: int = -1
    """The selected item when the search bar was opened; the search selects the first match after it."""

    before_preview: Navigation | None = None
    """The navigation before matches were previewed; None without a preview. Scopes that a preview opens close again."""

    trace: Trace | None = None
    highlights: Highlights | None = None
    zoom: int | None = None
    """Index into `ZOOMS` that a key chose; None: the largest boxes at which all of the diagram fits."""

    column: str = NAME
    """Title of the table column that the sort key acts on."""


def top_layer(session: GraphSession, start: Navigation | None, *, in_details: bool) -> Layer | None:
    """Return the state that escape ends; None if there is none.

    Args:
        session: State of the pane.
        start: First navigation of the graph; None while no graph shows.
        in_details: True if the details have the focus.
    """
    if in_details:
        return "details"
    if session.trace is not None:
        return "trace"
    if session.query:
        return "search"
    navigation = session.navigation
    if start is not None and navigation is not None and navigation.inside != start.inside:
        return "inside"
    return None
