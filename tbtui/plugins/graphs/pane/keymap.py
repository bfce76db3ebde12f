"""Keys of the graphs pane, and the conditions under which they are offered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding, BindingType

from tbtui.plugins.graphs.pane.navigator import find_selected_series
from tbtui.widgets.chooser import Option

if TYPE_CHECKING:
    from tbtui.plugins.graphs.pane.pane import GraphsPane
    from tbtui.plugins.graphs.settings import GraphView

WITHOUT_GRAPH = frozenset({"step", "choose_graph", "copy_path", "say_no_axis"})
"""Actions that have an effect while no graph is open."""

VIEW_OPTIONS: tuple[Option[GraphView], ...] = (
    Option("d", "diagram", "diagram"),
    Option("s", "tree of scopes", "tree"),
    Option("o", "table of operations", "operations"),
    Option("T", "times", "timeline"),
)

_VIEWS = Binding.Group("Views")
_GRAPHS = Binding.Group("Graphs")
_LINKS = Binding.Group("Navigate")

KEYMAP: list[BindingType] = [
    Binding("enter,space", "open", "open", id="graphs.open", tooltip="open or close; details", group=_VIEWS),
    Binding("m", "choose_view", "view", id="graphs.view", tooltip="diagram, tree, table, times", group=_VIEWS),
    Binding("left_square_bracket", "step(-1)", show=False, id="graphs.before", tooltip="graph previous", group=_GRAPHS),
    Binding(
        "right_square_bracket",
        "step(1)",
        "graph",
        key_display="[ ]",
        id="graphs.after",
        tooltip="graph next",
        group=_GRAPHS,
    ),
    Binding("I", "choose_graph", show=False, id="graphs.choose", tooltip="choose a graph", group=_GRAPHS),
    Binding("t", "next_profile", show=False, id="graphs.profile", tooltip="times of another run", group=_GRAPHS),
    Binding("D", "next_devices", show=False, id="graphs.devices", tooltip="times on other devices", group=_GRAPHS),
    Binding("i", "about", "about", show=False, id="graphs.about", tooltip="about this node, this graph", group=_GRAPHS),
    Binding("w", "write", show=False, id="graphs.write", tooltip="write the graph to a file", group=_GRAPHS),
    Binding("y", "copy", show=False, id="graphs.copy", tooltip="copy the name", group=_GRAPHS),
    Binding("C", "copy_path", show=False, id="graphs.copy_path", tooltip="copy the run's path", group=_GRAPHS),
    Binding("s", "enter", show=False, id="graphs.enter", tooltip="show only this scope", group=_LINKS),
    Binding("a", "leave", show=False, id="graphs.leave", tooltip="parent scope", group=_LINKS),
    Binding("R", "regroup", "series", id="graphs.regroup", tooltip="expand or collapse series", group=_LINKS),
    Binding("asterisk", "fold_all", show=False, id="graphs.fold_all", tooltip="fold or unfold all", group=_LINKS),
    Binding("less_than_sign", "follow(-1)", show=False, id="graphs.input", tooltip="to its input", group=_LINKS),
    Binding("greater_than_sign", "follow(1)", show=False, id="graphs.output", tooltip="to its output", group=_LINKS),
    Binding("backspace", "return", show=False, id="graphs.return", tooltip="back to previous item", group=_LINKS),
    Binding("slash", "find", "find", id="graphs.find", tooltip="find by name, type, device"),
    Binding("n", "next_match(1)", "next", id="graphs.next", tooltip="next match"),
    Binding("N", "next_match(-1)", show=False, id="graphs.previous", tooltip="previous match"),
    Binding("U", "next_trace", "trace", id="graphs.trace", tooltip="trace inputs, then the path to an output"),
    Binding("z", "zoom(1)", "zoom", show=False, id="graphs.zoom_in", tooltip="larger"),
    Binding("Z", "zoom(-1)", "zoom out", show=False, id="graphs.zoom_out", tooltip="smaller"),
    Binding("f", "fit_view", "fit", show=False, id="graphs.fit", tooltip="fit"),
    Binding("V", "switch_across", "rotate", id="graphs.across", tooltip="direction"),
    Binding("c", "next_graph_colour", "colour", id="graphs.colour", tooltip="colour by"),
    Binding("O", "switch_aside", show=False, id="graphs.aside", tooltip="high-degree nodes aside"),
    Binding("escape", "back", "back", id="graphs.back", tooltip="back"),
    Binding("x", "say_no_axis", show=False, system=True),
]


def is_available(pane: GraphsPane, action: str) -> bool:
    """Return False for a key that would have no effect."""
    if pane.loader.graph is None and action not in WITHOUT_GRAPH:
        return False
    if action == "back":
        return pane.top_layer is not None
    if action == "next_match":
        return bool(pane.session.query)
    if action == "regroup":
        return (scene := pane.scene) is not None and find_selected_series(scene) is not None
    if action == "next_graph_colour":
        return len(pane.diagram.colours) > 1 or not pane.parts.diagram.display
    if action in ("zoom", "fit_view"):
        return pane.parts.diagram.display or pane.parts.timeline.display
    return action != "step" or len(pane.loader.sources) > 1
