"""Keys of the projector, and the conditions under which they are available."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding, BindingType

from tbtui.plugins.projector.session import get_top_layer

if TYPE_CHECKING:
    from tbtui.plugins.projector.pane.pane import ProjectorPane

WITHOUT_POINTS = frozenset({"choose_source", "copy_path", "step", "switch_variables", "about", "say_no_axis", "pixels"})
"""Actions that have an effect while no points are shown."""

_POINTS = Binding.Group("Points")
_LAYOUT = Binding.Group("Layout")
_COLOURS = Binding.Group("Colours and labels")
_EMBEDDING = Binding.Group("Embedding")

KEYMAP: list[BindingType] = [
    # In the order of the footer, which shows those that fit.
    Binding("enter", "neighbours", "nearest", id="projector.neighbours", tooltip="its neighbours", group=_POINTS),
    Binding("slash", "find", "find", id="projector.find", tooltip="find by regex", group=_POINTS),
    Binding("m", "next_layout", "layout", id="projector.layout", tooltip="next layout", group=_LAYOUT),
    Binding("P", "pause", "pause", id="projector.pause", tooltip="pause or go on", group=_LAYOUT),
    Binding("c", "colour", "colour", id="projector.colour", tooltip="colour by", group=_COLOURS),
    Binding("left_square_bracket", "step(-1)", show=False, id="projector.before", tooltip="step", group=_EMBEDDING),
    Binding(
        "right_square_bracket",
        "step(1)",
        "step",
        key_display="[ ]",
        id="projector.after",
        tooltip="step next",
        group=_EMBEDDING,
    ),
    Binding("T", "switch_table", "table", id="projector.table", tooltip="table or map", group=_POINTS),
    Binding("V", "switch_3d", "3D", id="projector.3d", tooltip="2D or 3D", group=_LAYOUT),
    Binding("B", "next_list", "list", id="projector.list", tooltip="next list", group=_POINTS),
    Binding("I", "choose_source", "embeddings", id="projector.choose", tooltip="choose one", group=_EMBEDDING),
    # The help alone shows these.
    Binding("n", "next_match(1)", show=False, id="projector.next", tooltip="match next", group=_POINTS),
    Binding("N", "next_match(-1)", show=False, id="projector.previous", tooltip="match previous", group=_POINTS),
    Binding("space", "select", "select", show=False, id="projector.select", tooltip="select", group=_POINTS),
    Binding("v", "rectangle", show=False, id="projector.rectangle", tooltip="rectangle", group=_POINTS),
    Binding("s", "isolate", show=False, id="projector.isolate", tooltip="only these", group=_POINTS),
    Binding("a", "show_all", show=False, id="projector.show_all", tooltip="all points", group=_POINTS),
    Binding("plus,equals_sign", "count(1)", show=False, id="projector.more", tooltip="neighbours more", group=_POINTS),
    Binding("minus", "count(-1)", show=False, id="projector.fewer", tooltip="neighbours fewer", group=_POINTS),
    Binding("t", "metric", show=False, id="projector.metric", tooltip="distance", group=_POINTS),
    Binding("y", "copy_labels", show=False, id="projector.copy_labels", tooltip="copy labels", group=_POINTS),
    Binding("o", "layout_form", show=False, id="projector.layout_form", tooltip="parameters", group=_LAYOUT),
    Binding("x", "axes_form", show=False, id="projector.axes", tooltip="axes of labels", group=_LAYOUT),
    Binding("X", "component(0)", show=False, id="projector.x", tooltip="component across", group=_LAYOUT),
    Binding("Y", "component(1)", show=False, id="projector.y", tooltip="component up", group=_LAYOUT),
    Binding("backspace", "restart", show=False, id="projector.restart", tooltip="lay out anew", group=_LAYOUT),
    Binding("z", "zoom(1)", show=False, id="projector.zoom_in", tooltip="larger", group=_LAYOUT),
    Binding("Z", "zoom(-1)", show=False, id="projector.zoom_out", tooltip="smaller", group=_LAYOUT),
    Binding("f,F", "fit", show=False, id="projector.fit", tooltip="first view", group=_LAYOUT),
    Binding("e", "columns_form", show=False, id="projector.columns", tooltip="columns", group=_COLOURS),
    Binding("Q", "pixels", show=False, id="projector.pixels", tooltip="drawn as", group=_COLOURS),
    Binding("D", "density", show=False, id="projector.density", tooltip="dots or density", group=_COLOURS),
    Binding("d", "compare", show=False, id="projector.compare", tooltip="compare", group=_EMBEDDING),
    Binding("R", "beside", show=False, id="projector.beside", tooltip="two maps", group=_EMBEDDING),
    Binding("W", "views", show=False, id="projector.views", tooltip="saved views", group=_EMBEDDING),
    Binding("A", "switch_variables", show=False, id="projector.variables", tooltip="all variables", group=_EMBEDDING),
    Binding("i", "about", show=False, id="projector.about", tooltip="about it", group=_EMBEDDING),
    Binding("w", "write", show=False, id="projector.write", tooltip="write", group=_EMBEDDING),
    Binding("C", "copy_path", show=False, id="projector.copy_path", tooltip="copy path", group=_EMBEDDING),
    Binding("escape", "back", "back", id="projector.back", tooltip="back"),
    Binding("x", "say_no_axis", show=False, system=True),
]


def is_available(pane: ProjectorPane, action: str) -> bool:
    """Return False for an action that would do nothing."""
    loader, session = pane.loader, pane.session
    if loader.points is None and action not in WITHOUT_POINTS:
        return False
    checks = {
        "back": lambda: (
            get_top_layer(session) is not None or pane.widgets.bar.display or not pane.widgets.points.has_focus
        ),
        "next_match": lambda: bool(session.query),
        "pause": lambda: loader.is_running,
        "restart": lambda: session.layout.is_iterative,
        "step": lambda: loader.source is not None and len(loader.source.embedding.versions) > 1,
        "show_all": lambda: session.isolated is not None,
        "beside": lambda: session.baseline is not None,
        "component": lambda: session.layout.kind in ("pca", "raw"),
        "choose_source": lambda: loader.listed is not None and len(loader.listed.sources) > 1,
    }
    check = checks.get(action)
    return True if check is None else check()
