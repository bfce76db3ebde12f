"""The content of the views of the graphs pane, and the part of the pane that their presenters use."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from tbtui.plugins.graphs.item_labels import format_placement
from tbtui.plugins.graphs.navigation import find_visible_item

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tbtui.plugins.graphs.costs import RunCosts
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.item_columns import Column
    from tbtui.plugins.graphs.navigation import Navigation
    from tbtui.plugins.graphs.open_graphs import OpenGraph
    from tbtui.plugins.graphs.pane.navigator import Navigator
    from tbtui.plugins.graphs.pane.search_controller import SearchController
    from tbtui.plugins.graphs.pane.session import GraphSession
    from tbtui.settings.settings import Settings
    from tbtui.widgets.worker import Worker


class Scene(NamedTuple):
    """Everything that the views of one graph depend on."""

    graph: OpenGraph
    session: GraphSession
    navigation: Navigation
    settings: Settings
    costs: RunCosts | None
    """Costs of a run of the graph; None if not available."""

    columns: tuple[Column, ...]
    """Columns that lists may show next to names."""

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy of the graph."""
        return self.graph.hierarchy

    @property
    def selected(self) -> int:
        """The item that the views show as selected; for a constant embedded in a node it is the node."""
        return find_visible_item(self.graph.hierarchy, self.navigation.chosen)

    @property
    def placement(self) -> str:
        """Text about the position of a selected item that has no box; empty for all other items."""
        return format_placement(self.graph.hierarchy, self.navigation.chosen)

    @property
    def flags(self) -> npt.NDArray[np.bool_] | None:
        """bool[items]: the highlighted items; None if nothing is highlighted."""
        return None if self.session.highlights is None else self.session.highlights.flags


class PresenterHost(Protocol):
    """The part of the pane that presenters use. All methods are called on the UI thread."""

    worker: Worker
    navigator: Navigator
    search: SearchController

    @property
    def scene(self) -> Scene | None:
        """Scene on the screen; None without a graph. Presenters drop results for an older scene."""

    def show_title(self) -> None:
        """Show the title again, because something it depends on has changed."""

    def refresh_bindings(self) -> None:
        """Show other keys in the footer."""

    def toast_error(self, error: Exception) -> None:
        """Show an error in a toast."""

    def show_error(self, error: Exception) -> None:
        """Show an error instead of the views."""
