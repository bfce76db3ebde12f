"""Keys of the graphs pane, and which of them are offered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding, BindingType

from tbtui.plugins.graphs.pane.navigator import selected_series

if TYPE_CHECKING:
    from tbtui.plugins.graphs.pane.pane import GraphsPane

WITHOUT_GRAPH = frozenset({"step", "choose_graph", "copy_path", "say_no_axis"})
"""Actions that do something while no graph shows."""

_VIEWS = Binding.Group("Views")
_GRAPHS = Binding.Group("Graphs")
_LINKS = Binding.Group("Navigate")

KEYMAP: list[BindingType] = [
    Binding("enter,space", "open", "open", id="graphs.open", tooltip="open or close; details", group=_VIEWS),
    Binding("d", "view('diagram')", "diagram", id="graphs.diagram", tooltip="diagram", group=_VIEWS),
    Binding("s", "view('tree')", "tree", id="graphs.tree", tooltip="tree", group=_VIEWS),
    Binding("o", "view('operations')", "table", id="graphs.operations", tooltip="table", group=_VIEWS),
    Binding("T", "view('timeline')", "timeline", show=False, id="graphs.timeline", tooltip="times", group=_VIEWS),
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
    Binding("c", "choose_graph", show=False, id="graphs.choose", tooltip="choose a graph", group=_GRAPHS),
    Binding("P", "next_profile", show=False, id="graphs.profile", tooltip="times of another run", group=_GRAPHS),
    Binding("D", "next_devices", show=False, id="graphs.devices", tooltip="times on other devices", group=_GRAPHS),
    Binding("i", "about", "about", show=False, id="graphs.about", tooltip="about this node, this graph", group=_GRAPHS),
    Binding("w", "write", show=False, id="graphs.write", tooltip="write the graph to a file", group=_GRAPHS),
    Binding("y", "copy", show=False, id="graphs.copy", tooltip="copy the name", group=_GRAPHS),
    Binding("C", "copy_path", show=False, id="graphs.copy_path", tooltip="copy the run's path", group=_GRAPHS),
    Binding("full_stop", "enter", show=False, id="graphs.enter", tooltip="show only this scope", group=_LINKS),
    Binding("comma", "leave", show=False, id="graphs.leave", tooltip="parent scope", group=_LINKS),
    Binding("u", "regroup", "series", id="graphs.regroup", tooltip="expand or collapse series", group=_LINKS),
    Binding("less_than_sign", "follow(-1)", show=False, id="graphs.input", tooltip="to its input", group=_LINKS),
    Binding("greater_than_sign", "follow(1)", show=False, id="graphs.output", tooltip="to its output", group=_LINKS),
    Binding("backspace", "return", show=False, id="graphs.return", tooltip="back to previous item", group=_LINKS),
    Binding("f,ctrl+f", "find", "find", id="graphs.find", tooltip="find by name, type, device"),
    Binding("n", "next_match(1)", "next", id="graphs.next", tooltip="next match"),
    Binding("N", "next_match(-1)", show=False, id="graphs.previous", tooltip="previous match"),
    Binding("t", "trace('inputs')", "trace", id="graphs.trace", tooltip="trace inputs"),
    Binding("p", "trace('output')", "path", show=False, id="graphs.path", tooltip="trace path to an output"),
    Binding("z", "zoom(-1)", "zoom", show=False, id="graphs.zoom_in", tooltip="larger"),
    Binding("Z", "zoom(1)", "zoom out", show=False, id="graphs.zoom_out", tooltip="smaller"),
    Binding("v", "switch_across", "rotate", id="graphs.across", tooltip="direction"),
    Binding("m", "next_graph_colour", "colour", id="graphs.colour", tooltip="colour by"),
    Binding("a", "switch_aside", show=False, id="graphs.aside", tooltip="high-degree nodes aside"),
    Binding("escape", "back", "back", id="graphs.back", tooltip="back"),
    Binding("x", "say_no_axis", show=False, system=True),
]


def is_offered(pane: GraphsPane, action: str, parameters: tuple[object, ...]) -> bool:
    """Return False for a key that would do nothing."""
    if pane.loader.graph is None and action not in WITHOUT_GRAPH:
        return False
    if action == "back":
        return pane.top_layer is not None
    if action == "next_match":
        return bool(pane.session.query)
    if action == "regroup":
        return (scene := pane.scene) is not None and selected_series(scene) is not None
    if action == "next_graph_colour":
        return len(pane.diagram.colours) > 1 or not pane.parts.diagram.display
    if action == "zoom":
        return pane.parts.diagram.display or pane.parts.timeline.display
    if action == "view":
        view = pane.session.view
        return parameters != (view,) or not pane.parts.view_widget(view).has_focus
    return action != "step" or len(pane.loader.sources) > 1
