"""Strings of the graphs pane: its title, its status, its messages, and the page about a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import colours as palette
from tbtui.charts.cells import Ink
from tbtui.charts.numbers import clock, counted
from tbtui.charts.styled_text import pieces_width, spread_pieces
from tbtui.charts.text import cell_width, safe, shorten, visible_name
from tbtui.plugins.graphs.counts import count_nodes, count_texts, edge_count_text, node_noun
from tbtui.plugins.graphs.functions import trace_text
from tbtui.plugins.graphs.profile import profile_lines, total_cost_text
from tbtui.plugins.graphs.read import source_kind, source_title
from tbtui.plugins.graphs.slowest_operations import slowest_operations

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.navigation import Navigation
    from tbtui.plugins.graphs.open_graphs import OpenGraph
    from tbtui.plugins.graphs.profile import Times
    from tbtui.plugins.graphs.read import GraphSource

UNREADABLE = "this graph cannot be shown"
READING = "reading the graph …"
NO_TIMES = (
    "no timing was recorded for this graph",
    "log it with FileWriter.add_run_metadata or tf.summary.trace_export(profiler_outdir=…)",
)
ONE_PROFILE = "only one timing was recorded for this graph"
STRUCTURE = "colour = same structure"
COLOURS_ELSEWHERE = "Colours apply to the diagram (m)"
DIRECTION_ELSEWHERE = "The direction applies to the diagram (m)"
NO_AXIS = "graphs have no x axis"
NOTHING_FOUND = "no operation matches; escape ends the search"
CHOOSE = "choose a graph"
NO_OTHER_GRAPH = "there is no other graph"
OTHER_GRAPHS = "[ and ] lead to other graphs"
FOUND, WHOLE = "found", "of all the graph"
NOTHING_AROUND = "the whole graph is shown: there is no parent scope"
NO_LINK_FOLLOWED = "no link was followed yet (< and > follow one)"
CANNOT_DRAW = "the diagram cannot be drawn"
STEP_SIGN = " › "
TOP_ROWS = 20
GAP: Piece = ("  ", Ink.NONE)
MIN_NAMES_WIDTH = 6
"""The title shows names only if they have at least this many columns."""


def title(
    source: GraphSource,
    ink: int,
    place: Sequence[str],
    right: Sequence[Piece],
    width: int,
    *,
    lead: str = "",
    spare: str = "",
) -> tuple[Piece, ...]:
    """Return `● adam/seed0  keras · layers › sequential`, with further words at the right end.

    Args:
        source: The graph.
        ink: Colour of its run.
        place: Names of the scopes that the diagram is inside of.
        right: Text at the right end; never shortened.
        width: Columns; names give way.
        lead: `2 of 5`, which of several graphs it is.
        spare: Text before `right`; shown only if no name is shortened for it.
    """
    tag, run = source_title(source), visible_name(source.run.name)
    kind = f" · {source_kind(source)}" if source.kind != "ops" or source.is_superseded else ""
    inside = "".join(f"{STEP_SIGN}{name}" for name in place)
    first: tuple[Piece, ...] = ((f"{palette.marker(ink)} ", ink),)
    counts: tuple[Piece, ...] = ((f"  {lead}", Ink.DIM),) if lead else ()
    room = width - pieces_width((*first, *counts, *right)) - 4
    if room < MIN_NAMES_WIDTH:
        return spread_pieces(first, right, width)
    text_width = cell_width(safe(tag + kind)) + cell_width(safe(inside))
    if spare and room - cell_width(safe(run)) - text_width >= cell_width(spare) + cell_width(GAP[0]):
        right = (spare, Ink.DIM), *([GAP, *right] if right else ())
    run = shorten(run, max(room - text_width, room // 3))
    tag = shorten(tag + kind, max(room - cell_width(run) - cell_width(safe(inside)), room // 3))
    inside = shorten(inside, max(room - cell_width(run) - cell_width(tag), 0))
    return spread_pieces((*first, (run, Ink.TEXT), GAP, (tag, Ink.TEXT), (inside, Ink.BOLD), *counts), right, width)


def status(hierarchy: Hierarchy, times: Times | None, width: int, *, aside: bool) -> str:
    """Return `34 ops · 4,810 parameters · 21µs in all`, in as many words as fit.

    Ops as in `count_nodes`: no constants and no summaries. Ops in functions are counted separately.

    Args:
        hierarchy: Hierarchy of the graph.
        times: Costs of a run of the graph; None if unknown.
        width: Columns.
        aside: True if nodes that are linked to nearly all others are set aside.
    """
    ops, in_functions, _ = count_nodes(hierarchy)
    text = counted(ops, node_noun(hierarchy))
    more = (
        in_functions and f"{in_functions:,} in functions",
        hierarchy.parameters.words(hierarchy.root),
        total_cost_text(times),
        "" if aside else "nothing set aside",
    )
    for word in filter(None, more):
        longer = f"{text} · {word}"
        if cell_width(longer) > width:
            break
        text = longer
    return text[:width]


def path_names(hierarchy: Hierarchy, navigation: Navigation) -> tuple[str, ...]:
    """Return the names of the scopes that the diagram is inside of, from the outermost."""
    return tuple(hierarchy.leaf(item) for item in hierarchy.path(navigation.inside) if item != hierarchy.root)


def not_listed(hierarchy: Hierarchy, item: int) -> str:
    """Say that the table has no row of an item."""
    return f"without {hierarchy.leaf(item)}, which has the cursor"


def no_link(hierarchy: Hierarchy, item: int, direction: int) -> str:
    """Say that an item has no input, or no reader if the direction is above 0."""
    name = hierarchy.leaf(item)
    return f"nothing reads {name}" if direction > 0 else f"{name} reads nothing"


def about_graph(graph: OpenGraph, times: Times | None) -> Iterator[str]:
    """Yield lines about a graph: its source, size, problems and costs."""
    source, hierarchy = graph.source, graph.hierarchy
    run, tag = visible_name(source.run.name), visible_name(source.tag)
    yield f"{source_title(source)} of {run}, tag {tag}, step {source.step}"
    yield f"written {clock(source.wall_time)} by plugin {source.plugin}"
    yield ", ".join(count_texts(hierarchy))
    yield edge_count_text(hierarchy)
    if several := trace_text(hierarchy):
        yield several
    yield from graph.notes
    if times is not None:
        yield ""
        yield from profile_lines(times)
        top = slowest_operations(times, "time", TOP_ROWS)
        yield from _in_columns([(row.time or "–", row.share, row.memory, row.name, row.op) for row in top])


def _in_columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield rows whose figures, all but the last two texts, are aligned."""
    widths = [max(map(cell_width, column)) for column in zip(*rows, strict=True)][:-2]
    for row in rows:
        figures = (f"{text:>{width}}" for text, width in zip(row, widths, strict=False) if width)
        yield "  ".join((*figures, *filter(None, row[-2:])))
