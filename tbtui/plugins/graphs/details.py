"""What is known of the item under the cursor, in rows of which some lead to other items."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width, safe
from tbtui.graphs.tracing import inputs, missing_inputs, outputs
from tbtui.plugins.graphs import signs
from tbtui.plugins.graphs.times import about_item
from tbtui.widgets.row_list import Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tbtui.graphs.hierarchy import Hierarchy
    from tbtui.graphs.tracing import Neighbour
    from tbtui.plugins.graphs.times import Times
    from tbtui.widgets.line import Piece

MOST_NEIGHBOURS = 500
"""Inputs, and outputs, that are listed of one item."""

FROM, TO, WAITS_FROM, WAITS_TO = "← ", "→ ", "⇠ ", "⇢ "
NAMED_OPS = 4
SEPARATOR = " · "


@dataclass(frozen=True, slots=True, eq=False)
class Details:
    """Of one item."""

    item: int
    name: str
    """In full."""

    words: str
    """What it is: `MatMul · 32×10 · 640 parameters`."""

    rows: tuple[Row, ...] = ()
    targets: Mapping[str, int] = field(default_factory=dict)
    """By the keys of rows: the items that they lead to."""

    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()


def details_of(hierarchy: Hierarchy, item: int, times: Times | None = None) -> Details:
    """All that is known of an item.

    Args:
        hierarchy: That it is of.
        item: Which.
        times: What a run cost.
    """
    into, out_of = inputs(hierarchy, item), outputs(hierarchy, item)
    around = f"{hierarchy.name(int(hierarchy.parent[item]))}/" if hierarchy.parent[item] >= 0 else ""
    rows = [Row(f"cost {line}", (), line, Ink.DIM) for line in _costs(times, item)]
    targets: dict[str, int] = {}
    for found, sign, waits in ((into, FROM, WAITS_FROM), (out_of, TO, WAITS_TO)):
        for number, neighbour in enumerate(found[:MOST_NEIGHBOURS]):
            row = _neighbour_row(hierarchy, neighbour, waits if neighbour.control else sign, f"{sign}{number}", around)
            rows.append(row)
            targets[row.key] = neighbour.item
        if len(found) > MOST_NEIGHBOURS:
            rows.append(Row(f"{sign}more", (), f"⋯ and {len(found) - MOST_NEIGHBOURS:,} more", Ink.DIM))
    rows += _missing(missing_inputs(hierarchy, item) if hierarchy.node(item) >= 0 else ())
    rows += _attributes(hierarchy, item)
    return Details(
        item,
        hierarchy.name(item) or hierarchy.leaf(item),
        SEPARATOR.join(_words(hierarchy, item)),
        tuple(rows),
        targets,
        tuple(dict.fromkeys(one.item for one in into)),
        tuple(dict.fromkeys(one.item for one in out_of)),
    )


def _costs(times: Times | None, item: int) -> tuple[str, ...]:
    """What it cost, where anything was timed at all."""
    return () if times is None or not len(times.executions) else about_item(times, item)


def rows_of(details: Details, width: int) -> tuple[Row, ...]:
    """All rows: first what the item is, as many parts a row as fit into `width` columns."""
    lines: list[str] = []
    for part in details.words.split(SEPARATOR):
        joined = f"{lines[-1]}{SEPARATOR}{part}" if lines else part
        if lines and cell_width(safe(joined)) <= width:
            lines[-1] = joined
        else:
            lines.append(part)
    told = (Row(f"words {number}", (), line, Ink.DIM, cut_end=True) for number, line in enumerate(lines))
    return (*told, *details.rows)


def _neighbour_row(hierarchy: Hierarchy, neighbour: Neighbour, sign: str, key: str, around: str) -> Row:
    item = neighbour.item
    said = " · ".join(filter(None, (hierarchy.op(item), neighbour.label)))
    ink = Ink.DIM if neighbour.control else Ink.TEXT
    return Row(key, ((sign, Ink.ACCENT),), hierarchy.name(item).removeprefix(around), ink, right=((said, Ink.DIM),))


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
    """What the item is, the most telling first."""
    kind, operation = hierarchy.kind(item), hierarchy.op(item)
    yield operation or kind
    if hierarchy.opens(item):
        yield signs.most_common(hierarchy.op_counts(item), NAMED_OPS)
    shapes = hierarchy.shapes(item)
    if shapes:
        yield ", ".join(filter(None, map(signs.shape_word, shapes[:NAMED_OPS])))
    if parameters := int(hierarchy.parameters[item]):
        yield signs.counted(parameters, "parameter")
    if device := signs.devices_word(hierarchy.devices(item)):
        yield device


def about(details: Details) -> tuple[str, ...]:
    """Every line of it, for a page of its own; any text."""
    lines = [details.name, *details.words.split(SEPARATOR), ""]
    for row in details.rows:
        texts = ("".join(text for text, _ in row.lead), row.label, " ".join(text for text, _ in row.right))
        lines.append("  ".join(filter(None, texts)))
    return tuple(lines)
