"""Details of the selected item, as rows; some lead to other items."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import Row
from tbtui.charts.text import cell_width, safe
from tbtui.frozen import frozen
from tbtui.plugins.graphs import item_labels
from tbtui.plugins.graphs.graph import argument_title, shape_text
from tbtui.plugins.graphs.pane.rows import COMPARED_NAMES
from tbtui.plugins.graphs.pane.strings import about_graph
from tbtui.plugins.graphs.profile import item_cost_lines
from tbtui.plugins.graphs.tracing import inputs, missing_inputs, outputs
from tbtui.view.run_names import fit_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.pane.pane import GraphsPane
    from tbtui.plugins.graphs.profile import Times
    from tbtui.plugins.graphs.tracing import Neighbour

MAX_JOINTS = 1000
"""Maximum number of listed inputs and outputs."""

MIN_WIDTH_FOR_OPS = 44
"""Minimum columns for types of inputs and outputs."""

MAX_LEAD_WIDTH = 18
"""Maximum columns of names of attributes on the page about an item."""

FROM, TO, WAITS_FROM, WAITS_TO = "← ", "→ ", "⇠ ", "⇢ "
NAMED_OPS = 4
SEPARATOR = " · "


class Joint(NamedTuple):
    """An input or an output of an item."""

    sign: str
    item: int
    """The item at the other end."""

    name: str
    """Name without the scope, or the function, that both items are in."""

    op: str
    label: str
    control: bool

    @property
    def key(self) -> str:
        """Key of its row."""
        return f"{self.sign}{self.item} {self.label}"


@frozen(eq=False)
class Details:
    """Details of one item."""

    item: int
    name: str
    """Full name."""

    words: tuple[str, ...] = ()
    """Return the facts of an item: `MatMul`, `32×10`, `640 parameters`."""

    joints: tuple[Joint, ...] = ()
    rows: tuple[Row, ...] = ()
    """Further rows: missing inputs, attributes."""


def details_of(hierarchy: Hierarchy, item: int, times: Times | None = None) -> Details:
    """Collect the details of an item.

    Args:
        hierarchy: Hierarchy of the graph.
        item: The item.
        times: Costs of a run.
    """
    into, out_of = inputs(hierarchy, item), outputs(hierarchy, item)
    around = tuple(_prefixes(hierarchy, item))

    def joint(neighbour: Neighbour, arrows: tuple[str, str]) -> Joint:
        other, label, control = neighbour
        name = item_labels.full_name(hierarchy, other)
        before = next(filter(name.startswith, around), "")
        return Joint(arrows[control], other, name[len(before) :], hierarchy.op(other), label, control)

    missing = missing_inputs(hierarchy, item) if hierarchy.node(item) >= 0 else ()
    return Details(
        item,
        item_labels.full_name(hierarchy, item),
        (*_words(hierarchy, item), *_costs(times, item)),
        (*(joint(one, (FROM, WAITS_FROM)) for one in into), *(joint(one, (TO, WAITS_TO)) for one in out_of)),
        (*_missing(missing), *_attributes(hierarchy, item)),
    )


def _prefixes(hierarchy: Hierarchy, item: int) -> Iterator[str]:
    """Yield prefixes that names beside an item may omit: its scope, and its function."""
    path = hierarchy.path(int(hierarchy.original[item]))[:-1]
    functions = path[1:2] if path[:1] == (hierarchy.library,) else ()
    for scope in (*path[1:][-1:], *functions):
        yield f"{item_labels.full_name(hierarchy, scope)}/"


def detail_rows(details: Details, width: int) -> tuple[tuple[Row, ...], dict[str, int]]:
    """Return all rows, and the items that some lead to, by their keys.

    The first rows describe the item, with as many words per row as fit.

    Args:
        details: Details of an item.
        width: Terminal columns of a row; narrow rows show only names.
    """
    lines: list[str] = []
    for word in details.words:
        joined = f"{lines[-1]}{SEPARATOR}{word}" if lines else word
        if lines and cell_width(safe(joined)) <= width:
            lines[-1] = joined
        else:
            lines.append(word)
    text_rows = [Row(f"words {number}", (), line, Ink.DIM, cut_end=True) for number, line in enumerate(lines)]
    targets: dict[str, int] = {}
    listed: list[Joint] = []
    for joint in details.joints:
        if joint.key not in targets and len(listed) < MAX_JOINTS:
            targets[joint.key] = joint.item
            listed.append(joint)
    joints = [
        row
        for at in range(0, len(listed), COMPARED_NAMES)
        for row in _joint_rows(listed[at : at + COMPARED_NAMES], width)
    ]
    if len(details.joints) > MAX_JOINTS:
        joints.append(Row("more", (), f"⋯ and {len(details.joints) - MAX_JOINTS:,} more", Ink.DIM))
    return (*text_rows, *joints, *details.rows), targets


def _joint_rows(joints: Sequence[Joint], width: int) -> Iterator[Row]:
    """Yield rows with distinct names."""
    with_op = width >= MIN_WIDTH_FOR_OPS
    right_texts = [SEPARATOR.join(filter(None, (joint.op if with_op else "", joint.label))) for joint in joints]
    names = tuple(argument_title(joint.name) for joint in joints)
    rooms = tuple(max(width - len(FROM) - (cell_width(safe(one)) + 1 if one else 0), 0) for one in right_texts)
    whole = 2 * max(map(len, names), default=0)  # keeps common parts of names
    for joint, name, right in zip(joints, fit_names(names, whole, rooms), right_texts, strict=True):
        ink = Ink.DIM if joint.control else Ink.TEXT
        yield Row(joint.key, ((joint.sign, Ink.ACCENT),), name, ink, right=((right, Ink.DIM),))


def _costs(times: Times | None, item: int) -> tuple[str, ...]:
    """Return the costs, if any operation was timed."""
    if times is None or not len(times.executions):
        return ()
    return tuple(word for line in item_cost_lines(times, item) for word in line.split(SEPARATOR))


def _missing(names: Iterable[str]) -> Iterator[Row]:
    for name in names:
        yield Row(f"missing {name}", ((FROM, Ink.WARN),), name, Ink.WARN, right=(("not in the graph", Ink.WARN),))


def _attributes(hierarchy: Hierarchy, item: int) -> Iterator[Row]:
    node = hierarchy.node(item)
    if node < 0:
        return
    for attribute in hierarchy.graph.attributes(node):
        lead: tuple[Piece, ...] = ((f"{safe(attribute.name)}  ", Ink.DIM),)
        yield Row(f"attribute {attribute.name}", lead, attribute.text, Ink.TEXT, cut_end=True)


def _words(hierarchy: Hierarchy, item: int) -> Iterator[str]:
    """Yield what the item is, the most useful first."""
    kind, operation, opens = hierarchy.kind(item), hierarchy.op(item), hierarchy.opens(item)
    if operation or not opens:
        yield operation or kind
    if aside := item_labels.placement_text(hierarchy, item):
        yield aside
    if (body := hierarchy.body(item)) >= 0:
        called = "" if hierarchy.leaf(body) == operation else f"calls {hierarchy.leaf(body)} of "
        yield f"{called}{item_labels.common_ops_text(hierarchy.op_counts(body), NAMED_OPS)}"
        if not opens and hierarchy.opens(body):
            yield "shown among the functions only"
    elif opens:
        yield item_labels.common_ops_text(hierarchy.op_counts(item), NAMED_OPS)
    if shapes := ", ".join(filter(None, map(shape_text, hierarchy.shapes(item)[:NAMED_OPS]))):
        yield shapes
    if parameters := hierarchy.parameters.words(item):
        yield parameters
    if (first := hierarchy.parameters.repeats.get(hierarchy.node(item))) is not None:
        yield f"same parameter as {item_labels.full_name(hierarchy, first)}"
    if device := item_labels.devices_text(hierarchy.devices(item)):
        yield device


def detail_lines(details: Details) -> tuple[str, ...]:
    """Return all lines for a page of its own; may hold any characters."""
    lines = [details.name, *details.words, *([""] if details.joints or details.rows else [])]
    lines += ("  ".join(filter(None, (one.sign + one.name, one.op, one.label))) for one in details.joints)
    leads = ["".join(text for text, _ in row.lead).rstrip(" ") for row in details.rows]
    room = min(max(map(cell_width, leads), default=0), MAX_LEAD_WIDTH)
    for row, lead in zip(details.rows, leads, strict=True):
        padded = lead + " " * (room - cell_width(lead))
        lines.append("  ".join(filter(None, (padded, row.label, " ".join(text for text, _ in row.right)))))
    return tuple(lines)


def open_about_page(pane: GraphsPane) -> None:
    """Open a page with all that is known of the selected item and of the graph."""
    from tbtui.widgets.text_page import open_text_page

    scene = pane.scene
    if scene is None:
        return
    graph, times, item = scene.graph, scene.times, scene.navigation.chosen

    def lines() -> tuple[str, ...]:
        return *detail_lines(details_of(graph.hierarchy, item, times)), "", *about_graph(graph, times)

    open_text_page(pane.app, pane.background, f"about {graph.hierarchy.leaf(item)}", lines)
