"""Print graphs as outlines: nested scopes, each with its type, shape and number of parameters."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_count
from tbtui.charts.text import safe
from tbtui.loading.payloads import Payloads
from tbtui.plugins.graphs.counts import count_texts
from tbtui.plugins.graphs.export import select_graphs
from tbtui.plugins.graphs.formats.salvage import GraphError
from tbtui.plugins.graphs.graph import build_graph
from tbtui.plugins.graphs.hierarchy import Hierarchy
from tbtui.plugins.graphs.item_labels import FOLD_SIGNS, format_kind, format_shapes
from tbtui.plugins.graphs.read import GraphReader, list_graph_sources
from tbtui.plugins.graphs.tree import Tree
from tbtui.report.blocks import Column, Heading, InkText, InkTextRows, Notes, Table
from tbtui.report.options import format_point_label, print_tags
from tbtui.report.tables import format_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.plugins.graphs.read import GraphSource
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.view.view import View

MAX_RUNS = 4
"""Default maximum of runs for each tag: seeds of one model have the same graph."""

MAX_ROWS = 60
"""Default maximum of rows in an outline."""

LINKS = "links between nodes: tbtui export --plugin graphs --format mermaid (or dot, svg)"
"""Note on links, which an outline does not show."""

PARENT_KINDS = ("scope", "series", "function")
"""Kinds of items that can have children."""

INDENT = 2
MAX_INDENT_SHARE = 1 / 3
"""Names are indented by at most this share of the output width."""

LEAF_SIGN = " " * len(FOLD_SIGNS[True])


class _SelectedGraph(NamedTuple):
    """The graph of one tag of one run."""

    run: RunSnapshot
    source: GraphSource
    steps: int
    """Number of steps with a graph."""

    superseded: int
    """Number of superseded graphs, which are not printed."""


def print_graphs(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield an outline of the graph of each matching tag and run."""
    sources_by_tag: dict[str, dict[str, list[GraphSource]]] = {}
    for source in select_graphs(view.runs, view.tag_matches):
        sources_by_tag.setdefault(source.tag, {}).setdefault(source.run.name, []).append(source)

    def chosen(tag: str) -> list[_SelectedGraph]:
        runs = [(run, sources_by_tag[tag][run.name]) for run in view.runs if run.name in sources_by_tag[tag]]
        return [
            _SelectedGraph(
                run,
                current[options.nearest(np.array([source.step for source in current]))],
                len(current),
                len(sources) - len(current),
            )
            for run, sources in runs
            for current in [[source for source in sources if not source.is_superseded]]
        ]

    linked: list[str] = []
    yield from print_tags(list(sources_by_tag), chosen, options, MAX_RUNS, partial(_print_outline, linked=linked))
    if linked:
        yield Notes((LINKS,), has_blank_line=True)


def _print_outline(chosen: _SelectedGraph, options: PrintOptions, linked: list[str]) -> Iterator[Block]:
    """Yield the outline of a graph, and add its run to `linked` if the graph has links."""
    source = chosen.source
    yield Heading(source.tag, format_point_label(source.run.name, source.step, options.step, chosen.steps))
    if chosen.superseded:
        yield Notes(
            (f"{format_count(chosen.superseded, 'earlier graph')} superseded: tbtui export -o FOLDER/ has all",)
        )
    try:
        graph = build_graph(options.cache.reader(GraphReader).read(source))
    except GraphError as error:
        yield Notes((safe(str(error)),), Ink.WARN)
        return
    hierarchy = Hierarchy(graph)
    if len(graph.edges):
        linked.append(source.run.name)
    parameters = hierarchy.parameters.count_text(hierarchy.root)
    yield Notes((", ".join(filter(None, (*count_texts(hierarchy), parameters))),))
    yield from _iter_outline_rows(hierarchy, options)
    if graph.notes:
        yield Notes(tuple(map(safe, graph.notes)), Ink.WARN)


MAX_COUNTED_BYTES = 4 << 20
"""Bytes of a graph whose operations `inspect` counts: about a second; `print` counts those of any graph."""


def describe_newest(run: RunSnapshot, series: ReferenceSeries) -> str:
    """Return the content of the newest value for `inspect`, such as `91 ops, 45,162+ parameters`, or an error."""
    point = len(series) - 1
    source = next(
        (other for other in list_graph_sources(run) if other.tag == series.tag and other.point == point), None
    )
    if source is None or source.kind == "profile":
        return ""
    if int(series.lengths[point]) > MAX_COUNTED_BYTES:
        return "large: tbtui print --plugin graphs counts it"
    try:
        hierarchy = Hierarchy(build_graph(GraphReader(Payloads(max_bytes=0)).read(source)))
    except GraphError as error:
        return str(error)
    return ", ".join(filter(None, (*count_texts(hierarchy), hierarchy.parameters.count_text(hierarchy.root))))


def _iter_outline_rows(hierarchy: Hierarchy, options: PrintOptions) -> Iterator[Block]:
    """Yield the rows of a graph, and a note on the rows that are left out."""
    max_rows = options.rows or MAX_ROWS
    tree = Tree(hierarchy, choose_opened(hierarchy, max_rows))
    items = tree.items[:max_rows].tolist()
    columns: list[tuple[Column, list[str]]] = [
        (
            Column("name", "left"),
            [_name(tree, row, options.target.width) for row in range(len(items))],
        ),
        (Column("type", "left", 3), [safe(format_kind(hierarchy, item)) for item in items]),
        (Column("shape", "left", 1), [format_shapes(hierarchy.shapes(item)) for item in items]),
        (Column("params", "right", 2), [hierarchy.parameters.text(item) for item in items]),
    ]
    filled_columns = [(column, cells) for column, cells in columns if any(cells)]
    rows = tuple(tuple(map(InkText, row)) for row in zip(*(cells for _, cells in filled_columns), strict=True))
    if rows:
        table = Table(tuple(column for column, _ in filled_columns), rows, is_verbatim=True)
        yield InkTextRows(
            tuple(map(tuple, format_table(table, options.target.width)))
        )  # pre-rendered, because Markdown tables lose the indent
    folded = sum(hierarchy.has_children(item) and item not in tree.opened for item in items)
    more = len(tree) - len(items)
    notes = (f"{folded:,} folded" if folded else "", f"{format_count(more, 'more row')}" if more else "")
    if any(notes):
        yield Notes(
            (f"{', '.join(filter(None, notes))} (--height ROWS: more rows, tbtui export --plugin graphs: all)",)
        )


def _name(tree: Tree, row: int, width: int) -> str:
    item = int(tree.items[row])
    sign = FOLD_SIGNS[item in tree.opened] if tree.hierarchy.has_children(item) else LEAF_SIGN
    return (
        f"{' ' * min(INDENT * int(tree.depths[row]), int(MAX_INDENT_SHARE * width))}{sign}{tree.hierarchy.leaf(item)}"
    )


def choose_opened(hierarchy: Hierarchy, max_rows: int) -> frozenset[int]:
    """Return the scopes, series and functions to expand so that an outline has at most `max_rows` rows.

    Outer items come first, and the small ones of one depth. An item that is the only row is always expanded.
    """
    level: list[int] = [item for item in (*hierarchy.children(hierarchy.root).tolist(), hierarchy.library) if item >= 0]
    rows, opened = len(level), set[int]()
    while level:
        inside = {item: hierarchy.children(item).tolist() for item in level if hierarchy.kind(item) in PARENT_KINDS}
        level = []
        for item, children in sorted(inside.items(), key=lambda entry: len(entry[1])):
            if children and (rows == 1 or rows + len(children) <= max_rows):
                rows += len(children)
                opened.add(item)
                level += children
    return frozenset(opened)
