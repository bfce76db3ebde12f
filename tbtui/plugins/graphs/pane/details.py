"""Details of the selected item as rows; some of them are links to other items."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tbtui.charts.card import SEPARATOR
from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import Row
from tbtui.charts.text import cell_width, safe
from tbtui.frozen import frozen
from tbtui.plugins.graphs import item_labels
from tbtui.plugins.graphs.graph import format_argument_title, shape_text
from tbtui.plugins.graphs.item_labels import format_item_costs
from tbtui.plugins.graphs.pane.rows import MAX_COMPARED_NAMES, measure_longest
from tbtui.plugins.graphs.pane.strings import describe_graph
from tbtui.plugins.graphs.tracing import list_inputs, list_missing_inputs, list_outputs
from tbtui.view.run_names import fit_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.graphs.costs import RunCosts
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.pane.pane import GraphsPane
    from tbtui.plugins.graphs.tracing import Neighbour

MAX_LINKS = 1000
"""Maximum number of listed inputs and outputs."""

MIN_WIDTH_FOR_OPS = 44
"""Minimum columns for types of inputs and outputs."""

MAX_ATTRIBUTE_WIDTH = 18
"""Maximum columns of names of attributes on the page about an item."""

FROM, TO, WAITS_FROM, WAITS_TO = "← ", "→ ", "⇠ ", "⇢ "
NAMED_OPS = 4


class DetailLink(NamedTuple):
    """An input or an output of an item."""

    sign: str
    item: int
    """The item at the other end."""

    name: str
    """Name without the scope or the function that contains both items."""

    op: str
    label: str
    is_control: bool

    @property
    def key(self) -> str:
        """Key of the row."""
        return f"{self.sign}{self.item} {self.label}"


@frozen(eq=False)
class Details:
    """Details of one item."""

    item: int
    name: str
    """Full name."""

    properties: tuple[str, ...] = ()
    """Texts such as `MatMul`, `32×10`, `640 parameters`."""

    links: tuple[DetailLink, ...] = ()
    rows: tuple[Row, ...] = ()
    """Further rows: missing inputs, attributes."""


def collect_details(hierarchy: Hierarchy, item: int, costs: RunCosts | None = None) -> Details:
    """Collect the details of an item.

    Args:
        hierarchy: Hierarchy of the graph.
        item: The item.
        costs: Costs of a run.
    """
    prefixes = tuple(_iter_common_prefixes(hierarchy, item))

    def link(neighbour: Neighbour, arrows: tuple[str, str]) -> DetailLink:
        other, label, is_control = neighbour
        name = item_labels.format_full_name(hierarchy, other)
        prefix = next(filter(name.startswith, prefixes), "")
        return DetailLink(arrows[is_control], other, name[len(prefix) :], hierarchy.op(other), label, is_control)

    missing = list_missing_inputs(hierarchy, item) if hierarchy.node(item) >= 0 else ()
    return Details(
        item,
        item_labels.format_full_name(hierarchy, item),
        (*_iter_properties(hierarchy, item), *_list_costs(costs, item)),
        (
            *(link(neighbour, (FROM, WAITS_FROM)) for neighbour in list_inputs(hierarchy, item)),
            *(link(neighbour, (TO, WAITS_TO)) for neighbour in list_outputs(hierarchy, item)),
        ),
        (*_iter_missing_rows(missing), *_iter_attribute_rows(hierarchy, item)),
    )


def _iter_common_prefixes(hierarchy: Hierarchy, item: int) -> Iterator[str]:
    """Yield prefixes that names of neighbours of an item may omit: its scope, and its function."""
    path = hierarchy.path(int(hierarchy.original[item]))[:-1]
    functions = path[1:2] if path[:1] == (hierarchy.library,) else ()
    for scope in (*path[1:][-1:], *functions):
        yield f"{item_labels.format_full_name(hierarchy, scope)}/"


def build_rows(details: Details, width: int) -> tuple[tuple[Row, ...], dict[str, int]]:
    """Return all rows, and the targets of the links among them by the keys of the rows.

    The first rows describe the item, with as many properties per row as fit.

    Args:
        details: Details of an item.
        width: Terminal columns of a row; narrow rows show only names.
    """
    lines: list[str] = []
    for text in details.properties:
        joined = f"{lines[-1]}{SEPARATOR}{text}" if lines else text
        if lines and cell_width(safe(joined)) <= width:
            lines[-1] = joined
        else:
            lines.append(text)
    text_rows = [Row(f"property {number}", (), line, Ink.DIM, cut_end=True) for number, line in enumerate(lines)]
    targets: dict[str, int] = {}
    links: list[DetailLink] = []
    for link in details.links:
        if link.key not in targets and len(links) < MAX_LINKS:
            targets[link.key] = link.item
            links.append(link)
    link_rows = [
        row
        for start in range(0, len(links), MAX_COMPARED_NAMES)
        for row in _link_rows(links[start : start + MAX_COMPARED_NAMES], width)
    ]
    if len(details.links) > MAX_LINKS:
        link_rows.append(Row("more", (), f"⋯ and {len(details.links) - MAX_LINKS:,} more", Ink.DIM))
    return (*text_rows, *link_rows, *details.rows), targets


def _link_rows(links: Sequence[DetailLink], width: int) -> Iterator[Row]:
    """Yield rows with distinct names."""
    has_ops = width >= MIN_WIDTH_FOR_OPS
    right_texts = [SEPARATOR.join(filter(None, (link.op if has_ops else "", link.label))) for link in links]
    names = tuple(format_argument_title(link.name) for link in links)
    right_widths = (cell_width(safe(text)) + 1 if text else 0 for text in right_texts)
    name_widths = tuple(max(width - len(FROM) - right_width, 0) for right_width in right_widths)
    labels = fit_names(names, measure_longest(names), name_widths)
    for link, label, right in zip(links, labels, right_texts, strict=True):
        ink = Ink.DIM if link.is_control else Ink.TEXT
        yield Row(link.key, ((link.sign, Ink.ACCENT),), label, ink, right=((right, Ink.DIM),))


def _list_costs(costs: RunCosts | None, item: int) -> tuple[str, ...]:
    """Return the costs, if any operation was timed."""
    if costs is None or not len(costs.executions):
        return ()
    return tuple(text for line in format_item_costs(costs, item) for text in line.split(SEPARATOR))


def _iter_missing_rows(names: Iterable[str]) -> Iterator[Row]:
    for name in names:
        yield Row(f"missing {name}", ((FROM, Ink.WARN),), name, Ink.WARN, right=(("not in the graph", Ink.WARN),))


def _iter_attribute_rows(hierarchy: Hierarchy, item: int) -> Iterator[Row]:
    node = hierarchy.node(item)
    if node < 0:
        return
    for attribute in hierarchy.graph.attributes(node):
        prefix: tuple[Piece, ...] = ((f"{safe(attribute.name)}  ", Ink.DIM),)
        yield Row(f"attribute {attribute.name}", prefix, attribute.text, Ink.TEXT, cut_end=True)


def _iter_properties(hierarchy: Hierarchy, item: int) -> Iterator[str]:
    """Yield texts about an item, the most useful first."""
    kind, operation, opens = hierarchy.kind(item), hierarchy.op(item), hierarchy.has_children(item)
    if operation or not opens:
        yield operation or kind
    if placement := item_labels.format_placement(hierarchy, item):
        yield placement
    if (body := hierarchy.body(item)) >= 0:
        call_text = "" if hierarchy.leaf(body) == operation else f"calls {hierarchy.leaf(body)} of "
        yield f"{call_text}{item_labels.format_common_ops(hierarchy.count_ops(body), NAMED_OPS)}"
        if not opens and hierarchy.has_children(body):
            yield "shown among the functions only"
    elif opens:
        yield item_labels.format_common_ops(hierarchy.count_ops(item), NAMED_OPS)
    if shapes := ", ".join(filter(None, map(shape_text, hierarchy.shapes(item)[:NAMED_OPS]))):
        yield shapes
    if parameters := hierarchy.parameters.count_text(item):
        yield parameters
    if (first := hierarchy.parameters.repeats.get(hierarchy.node(item))) is not None:
        yield f"same parameter as {item_labels.format_full_name(hierarchy, first)}"
    if device := item_labels.format_devices(hierarchy.devices(item)):
        yield device


def list_lines(details: Details) -> tuple[str, ...]:
    """Return all lines for the page about an item; may hold any characters."""
    lines = [details.name, *details.properties, *([""] if details.links or details.rows else [])]
    lines += ("  ".join(filter(None, (link.sign + link.name, link.op, link.label))) for link in details.links)
    prefixes = ["".join(text for text, _ in row.prefix).rstrip(" ") for row in details.rows]
    width = min(max(map(cell_width, prefixes), default=0), MAX_ATTRIBUTE_WIDTH)
    for row, prefix in zip(details.rows, prefixes, strict=True):
        padded = prefix + " " * (width - cell_width(prefix))
        lines.append("  ".join(filter(None, (padded, row.label, " ".join(text for text, _ in row.right)))))
    return tuple(lines)


def open_about_page(pane: GraphsPane) -> None:
    """Open a page with all details of the selected item and of the graph."""
    from tbtui.widgets.text_page import open_text_page

    scene = pane.scene
    if scene is None:
        return
    graph, costs, item = scene.graph, scene.costs, scene.navigation.chosen

    def lines() -> tuple[str, ...]:
        return *list_lines(collect_details(graph.hierarchy, item, costs)), "", *describe_graph(graph, costs)

    open_text_page(pane.app, pane.worker, f"about {graph.hierarchy.leaf(item)}", lines)
