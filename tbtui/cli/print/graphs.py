"""Graphs as outlines: scopes within scopes, and beside each what it is, its shape and how many parameters it has."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import counted
from tbtui.charts.text import safe
from tbtui.events.graph_errors import GraphError
from tbtui.export.graphs import chosen_graphs
from tbtui.graphs.counting import amounts_words
from tbtui.graphs.graph import graph_of
from tbtui.graphs.hierarchy import Hierarchy
from tbtui.plugins.graphs.signs import SIGNS, figure, shape_words, what
from tbtui.plugins.graphs.tree import Tree
from tbtui.report.blocks import Column, Heading, Notes, Piece, PieceRows, Table
from tbtui.report.options import point_label, tag_blocks
from tbtui.report.tables import table_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.loading.graphs import GraphSource
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.viewstate.view import View

MAX_RUNS = 4
"""Runs of a tag where nobody says how many: seeds of one model have one graph."""

MAX_ROWS = 60
"""Rows of an outline where nobody says how many."""

LINKS = "what leads where: tbtui export --plugin graphs --format mermaid (or dot, svg)"
"""An outline has no links."""

OPENED = ("scope", "series", "function")
"""What can hold anything."""

INDENT = 2
MAX_INDENT_PART = 3
"""Names are indented by one part in so many of the paper's width at most."""

LEAF = " " * len(SIGNS[True])


class _Chosen(NamedTuple):
    """The graph of one tag of one run that is told of."""

    run: RunSnapshot
    source: GraphSource
    steps: int
    """How many there are to choose from."""


def graph_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """The graph of each tag and run that matches."""
    held: dict[str, dict[str, list[GraphSource]]] = {}
    for source in chosen_graphs(view.runs, view.tag_matches):
        held.setdefault(source.tag, {}).setdefault(source.run.name, []).append(source)

    def chosen(tag: str) -> list[_Chosen]:
        runs = [(run, held[tag][run.name]) for run in view.runs if run.name in held[tag]]
        return [
            _Chosen(run, sources[options.nearest(np.array([source.step for source in sources]))], len(sources))
            for run, sources in runs
        ]

    linked: list[str] = []
    yield from tag_blocks(list(held), chosen, options, MAX_RUNS, partial(_of_run, linked=linked))
    if linked:
        yield Notes((LINKS,), apart=True)


def _of_run(chosen: _Chosen, options: PrintOptions, linked: list[str]) -> Iterator[Block]:
    """The outline of a graph; where there are links that it does not have its run is added to `linked`."""
    source = chosen.source
    yield Heading(source.tag, point_label(source.run.name, source.step, options.step, chosen.steps))
    try:
        graph = graph_of(options.cache.graphs.read(source))
    except GraphError as error:
        yield Notes((safe(str(error)),), Ink.WARN)
        return
    hierarchy = Hierarchy(graph)
    if len(graph.edges):
        linked.append(source.run.name)
    parameters = int(hierarchy.parameters[hierarchy.root])
    yield Notes((", ".join((*amounts_words(hierarchy), *([f"{parameters:,} parameters"] if parameters else []))),))
    yield from _outline(hierarchy, options)
    if graph.notes:
        yield Notes(tuple(map(safe, graph.notes)), Ink.WARN)


def _outline(hierarchy: Hierarchy, options: PrintOptions) -> Iterator[Block]:
    """The rows of a graph, and how much of it is in none of them."""
    most = options.rows or MAX_ROWS
    tree = Tree(hierarchy, opened_in_rows(hierarchy, most))
    items = tree.items[:most].tolist()
    columns: list[tuple[Column, list[str]]] = [
        (
            Column("name", "left"),
            [_name(tree, row, options.target.width) for row in range(len(items))],
        ),
        (Column("type", "left", 3), [safe(what(hierarchy, item)) for item in items]),
        (Column("shape", "left", 1), [shape_words(hierarchy.shapes(item)) for item in items]),
        (Column("params", "right", 2), [figure(int(hierarchy.parameters[item])) for item in items]),
    ]
    told = [(column, cells) for column, cells in columns if any(cells)]
    rows = tuple(tuple(map(Piece, row)) for row in zip(*(cells for _, cells in told), strict=True))
    if rows:
        table = Table(tuple(column for column, _ in told), rows, verbatim=True)
        yield PieceRows(tuple(map(tuple, table_rows(table, options.target.width))))  # in Markdown, too: it is indented
    folded = sum(hierarchy.opens(item) and item not in tree.opened for item in items)
    more = len(tree) - len(items)
    said = (f"{folded:,} folded" if folded else "", f"{counted(more, 'more row')}" if more else "")
    if any(said):
        yield Notes((f"{', '.join(filter(None, said))} (--height ROWS: more rows, tbtui export --plugin graphs: all)",))


def _name(tree: Tree, row: int, width: int) -> str:
    item = int(tree.items[row])
    sign = SIGNS[item in tree.opened] if tree.hierarchy.opens(item) else LEAF
    return f"{' ' * min(INDENT * int(tree.depths[row]), width // MAX_INDENT_PART)}{sign}{tree.hierarchy.leaf(item)}"


def opened_in_rows(hierarchy: Hierarchy, most: int) -> frozenset[int]:
    """Scopes, series and functions to open so that an outline has at most `most` rows.

    Those further out come first, of one depth the small ones. One that is all there is to see is opened however much is
    in it.
    """
    level: list[int] = [item for item in (*hierarchy.children(hierarchy.root).tolist(), hierarchy.library) if item >= 0]
    rows, opened = len(level), set[int]()
    while level:
        inside = {item: hierarchy.children(item).tolist() for item in level if hierarchy.kind(item) in OPENED}
        level = []
        for item, children in sorted(inside.items(), key=lambda held: len(held[1])):
            if children and (rows == 1 or rows + len(children) <= most):
                rows += len(children)
                opened.add(item)
                level += children
    return frozenset(opened)
