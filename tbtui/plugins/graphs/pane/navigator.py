"""Navigation of the graphs pane: selects items, opens and enters scopes, follows links, and saves the navigation."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tbtui.plugins.graphs.diagram_layout import DiagramSize, expand_initially
from tbtui.plugins.graphs.navigation import (
    enter_scope,
    find_series,
    find_visible_item,
    find_visible_parent,
    leave_scope,
    record_navigation,
    select_item,
    toggle_all,
    toggle_scope,
    toggle_series,
)
from tbtui.plugins.graphs.pane import session as session_transitions
from tbtui.plugins.graphs.pane import strings
from tbtui.plugins.graphs.pane.views import arrange_parts
from tbtui.plugins.graphs.settings import ACROSS, HUBS_ASIDE
from tbtui.plugins.graphs.tracing import list_inputs, list_outputs
from tbtui.plugins.graphs.transitions import save_navigation
from tbtui.plugins.graphs.tree import list_children
from tbtui.widgets.pane import Choose
from tbtui.widgets.textual_patches.timers import start_timer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.timer import Timer

    from tbtui.plugins.graphs.navigation import Navigation
    from tbtui.plugins.graphs.open_graphs import OpenGraph
    from tbtui.plugins.graphs.pane.pane import GraphsPane
    from tbtui.plugins.graphs.pane.scene import Scene
    from tbtui.plugins.graphs.pane.session import GraphSession

SAVE_AFTER_SECONDS = 0.5
"""The navigation is saved when it has not changed for this long."""


def find_selected_series(scene: Scene) -> int | None:
    """Return the series that the selected item is, or is a member of."""
    return find_series(scene.hierarchy, scene.navigation.chosen)


class Navigator:
    """Changes the navigation of the session, and updates the views. Used on the UI thread.

    Args:
        pane: The pane that holds the session and the views.
    """

    def __init__(self, pane: GraphsPane) -> None:
        self._pane = pane
        self._save_timer: Timer | None = None

    # Selection

    def navigate(self, navigation: Navigation) -> None:
        """Apply a navigation that the user chose."""
        self._apply(session_transitions.navigate(self._pane.session, navigation))

    def preview(self, item: int) -> None:
        """Select an item; the scopes that this opens close with the next preview."""
        scene = self._pane.scene
        if scene is not None:
            self._apply(session_transitions.preview_item(self._pane.session, scene.hierarchy, item))

    def return_to(self, navigation: Navigation) -> None:
        """Undo an automatic move of the cursor."""
        self._apply(session_transitions.return_to(self._pane.session, navigation))

    def select(self, item: int, *, keeps_open: bool = False) -> None:
        """Select an item.

        Args:
            item: The item.
            keeps_open: True if the scopes around it stay open after the next preview.
        """
        scene = self._pane.scene
        if scene is None or item == scene.navigation.chosen:
            return
        if keeps_open:
            self.navigate(select_item(scene.navigation, scene.hierarchy, item))
        else:
            self.preview(item)

    def _apply(self, session: GraphSession) -> None:
        """Set a session with another navigation, and update the views."""
        pane = self._pane
        before, session_before = pane.scene, pane.session
        pane.session = session
        scene = pane.scene
        if scene is not None and before is not None and session.navigation != session_before.navigation:
            self._update_views(before, scene)
        pane.search.show_position()

    def _update_views(self, before: Scene, scene: Scene) -> None:
        pane, new, old = self._pane, scene.navigation, before.navigation
        has_other_items = (new.opened, new.ungrouped) != (old.opened, old.ungrouped)
        if has_other_items:
            pane.scopes.show(scene)
        else:
            pane.parts.scopes.go_to(scene.selected)
        if has_other_items or new.inside != old.inside:
            pane.diagram.show(scene)
        else:
            pane.diagram.select(scene.selected)
        pane.show_details()
        self._save_later()
        pane.table.follow_cursor()
        scene = pane.scene or scene  # the table may have selected one of its rows
        if new.inside != old.inside or scene.placement or before.placement:
            pane.show_title()
        if (find_selected_series(scene) is None) != (find_selected_series(before) is None):
            pane.refresh_bindings()

    # Scopes

    def toggle(self, scene: Scene, item: int) -> None:
        """Open or close a scope."""
        self.navigate(toggle_scope(scene.navigation, scene.hierarchy, item))

    def set_folded(self, *, is_folded: bool) -> None:
        """Close or open the scope under the cursor of the tree.

        If it is closed already, select the scope around it; if it is open already, select its first item.
        """
        scene = self._pane.scene
        item = None if scene is None else self._pane.parts.scopes.get_cursor_item(scene.hierarchy)
        if scene is None or item is None:
            return
        hierarchy, navigation = scene.hierarchy, scene.navigation
        if hierarchy.has_children(item) and (item in navigation.opened) == is_folded:
            self.toggle(scene, item)
        elif (
            is_folded
            and (outside := find_visible_parent(navigation, hierarchy, item)) >= 0
            and outside != hierarchy.root
        ):
            self.select(outside, keeps_open=True)
        elif not is_folded and hierarchy.has_children(item):
            self.select(int(list_children(hierarchy, item, navigation.ungrouped)[0]), keeps_open=True)

    def fold_all(self) -> None:
        """Close all scopes; open them if all are closed."""
        if (scene := self._pane.scene) is not None:
            self.navigate(toggle_all(scene.navigation, scene.hierarchy))

    def regroup(self) -> None:
        """Show the members of a series instead of it, or the series instead of them."""
        scene = self._pane.scene
        if scene is not None and (series := find_selected_series(scene)) is not None:
            self.navigate(toggle_series(scene.navigation, scene.hierarchy, series))

    def enter(self) -> None:
        """Draw only the content of the selected scope."""
        if (scene := self._pane.scene) is not None:
            hierarchy, item = scene.hierarchy, scene.navigation.chosen
            if not hierarchy.has_children(item):
                self._pane.toast(f"{hierarchy.leaf(item)} has nothing inside")
                return
            self.navigate(enter_scope(scene.navigation, hierarchy, item))
            self._pane.refresh_bindings()

    def leave(self) -> None:
        """Draw the parent of the drawn scope."""
        if (scene := self._pane.scene) is not None:
            outside = leave_scope(scene.navigation, scene.hierarchy)
            if outside is scene.navigation:
                self._pane.toast(strings.NOTHING_AROUND)
                return
            self.navigate(outside)
            self._pane.refresh_bindings()

    def expand(self, graph: OpenGraph) -> None:
        """Open as many scopes of a new graph as fit on the screen; computed on the worker thread."""
        pane = self._pane
        area, settings = arrange_parts(*pane.content_size, "diagram", has_bar=False).view, pane.settings
        if not area.width:
            return
        size = DiagramSize(area.width, area.height, ACROSS.value(settings), HUBS_ASIDE.value(settings))

        def compute() -> Iterator[tuple[OpenGraph, Navigation]]:
            yield graph, expand_initially(graph.hierarchy, graph.start, size)

        pane.worker.ask("begin", compute, self._set_expanded, pane.diagram.show_error)

    def _set_expanded(self, result: tuple[OpenGraph, Navigation]) -> None:
        pane, (graph, expanded) = self._pane, result
        if graph is pane.loader.graph and pane.session.is_expanding:
            pane.session = session_transitions.expand_graph(pane.session, graph, expanded)
            pane.refresh_views()

    # Links

    def follow(self, direction: int) -> None:
        """Select the first input of the item (-1), or the first reader of its output (1)."""
        if (scene := self._pane.scene) is None:
            return
        hierarchy, selected = scene.hierarchy, scene.navigation.chosen
        items = [link.item for link in (list_inputs if direction < 0 else list_outputs)(hierarchy, selected)]
        # Links of a box end at other boxes. A node that is set aside may have no link except to its box.
        target = next(
            (item for item in items if scene.placement or find_visible_item(hierarchy, item) != selected), None
        )
        if target is None:
            self._pane.toast(strings.format_no_link(hierarchy, selected, direction))
        else:
            self._follow_to(target)

    def follow_row(self) -> None:
        """Follow the link under the cursor of the details."""
        pane = self._pane
        key = pane.parts.details.cursor_key
        if pane.details.details is not None and key is not None and key in pane.parts.targets:
            self._follow_to(pane.parts.targets[key])

    def go_back(self) -> None:
        """Select the item that the last link was followed from."""
        self._pane.session, item = session_transitions.pop_history(self._pane.session)
        if item is None:
            self._pane.toast(strings.NO_LINK_FOLLOWED)
        else:
            self.select(item)

    def _follow_to(self, item: int) -> None:
        if self._pane.scene is not None:
            self._pane.session = session_transitions.follow_link(self._pane.session)
            self.select(item)

    # Saving

    def save_now(self) -> None:
        """Save the navigation in the settings, if it changed since it was saved."""
        session, timer = self._pane.session, self._save_timer
        if timer is None or session.graph is None or session.navigation is None:
            return
        timer.stop()
        self._save_timer = None
        saved = record_navigation(session.navigation, session.graph.hierarchy)
        self._pane.post_message(Choose(partial(save_navigation, session.graph.source.tag, saved)))

    def _save_later(self) -> None:
        if self._save_timer is not None:
            self._save_timer.stop()
        self._save_timer = start_timer(self._pane, SAVE_AFTER_SECONDS, self.save_now)
