"""Strings of the graphs pane: title, status, messages, and the page about a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_clock, format_count
from tbtui.charts.series_colours import get_series_marker
from tbtui.charts.styled_text import GAP, pieces_width, spread_pieces
from tbtui.charts.text import cell_width, format_run_name, safe, shorten
from tbtui.plugins.graphs.counts import choose_node_noun, count_nodes, count_texts, format_edge_count
from tbtui.plugins.graphs.functions import trace_text
from tbtui.plugins.graphs.item_labels import run_cost_lines, total_cost_text
from tbtui.plugins.graphs.read import format_source_kind, format_source_title
from tbtui.plugins.graphs.slowest_operations import rank_operations
from tbtui.view.run_names import fit_run_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.graphs.costs import RunCosts
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.navigation import Navigation
    from tbtui.plugins.graphs.open_graphs import OpenGraph
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
MAX_SLOWEST_ROWS = 20
"""Maximum rows of the slowest operations on the page about a graph."""


MIN_NAMES_WIDTH = 6
"""Minimum columns for names in the title; a narrower title has none."""


def title(
    source: GraphSource,
    ink: int,
    scopes: Sequence[str],
    right: Sequence[Piece],
    width: int,
    *,
    position: str = "",
    optional: str = "",
    sources: Sequence[GraphSource] = (),
) -> tuple[Piece, ...]:
    """Return `● adam/seed0  keras · layers › sequential`, with further texts at the right end.

    Args:
        source: The graph.
        ink: Colour of its run.
        scopes: Names of the entered scopes, from the outermost.
        right: Text at the right end; never shortened.
        width: Columns; names are shortened to fit.
        position: Position among several graphs: `2 of 5`.
        optional: Text before `right`; shown only if all names fit with it.
        sources: All graphs, from whose names those of this one differ if they are shortened.
    """
    tag, run = format_source_title(source), format_run_name(source.run.name)
    kind = f" · {format_source_kind(source)}" if source.kind != "ops" or source.is_superseded else ""
    inside = "".join(f"{STEP_SIGN}{name}" for name in scopes)
    marker: tuple[Piece, ...] = ((f"{get_series_marker(ink)} ", ink),)
    position_pieces: tuple[Piece, ...] = ((f"  {position}", Ink.DIM),) if position else ()
    names_width = width - pieces_width((*marker, *position_pieces, *right)) - 4
    if names_width < MIN_NAMES_WIDTH:
        return spread_pieces(marker, right, width)
    text_width = cell_width(safe(tag + kind)) + cell_width(safe(inside))
    free_width = names_width - cell_width(safe(run)) - text_width
    if optional and free_width >= cell_width(optional) + cell_width(GAP[0]):
        right = (optional, Ink.DIM), *([GAP, *right] if right else ())
    runs = tuple(dict.fromkeys(other.run.name for other in sources))
    run = fit_run_name(source.run.name, runs, max(names_width - text_width, names_width // 3))
    tag_width = max(names_width - cell_width(run) - cell_width(safe(inside)), names_width // 3)
    tags = tuple(dict.fromkeys(map(format_source_title, sources)))
    fitted_tag = fit_run_name(tag, tags, max(tag_width - cell_width(kind), MIN_NAMES_WIDTH))
    tag = shorten(fitted_tag + kind, tag_width)
    inside = shorten(inside, max(names_width - cell_width(run) - cell_width(tag), 0))
    left = (*marker, (run, Ink.TEXT), GAP, (tag, Ink.TEXT), (inside, Ink.BOLD), *position_pieces)
    return spread_pieces(left, right, width)


def format_status(hierarchy: Hierarchy, costs: RunCosts | None, width: int, *, hubs_aside: bool) -> str:
    """Return `34 ops · 4,810 parameters · 21µs in all`, with as many parts as fit.

    Ops are counted by `count_nodes`: no constants, no summaries; ops in functions are counted separately.

    Args:
        hierarchy: Hierarchy of the graph.
        costs: Costs of a run of the graph; None if unknown.
        width: Columns.
        hubs_aside: True if high-degree nodes are set aside.
    """
    ops, in_functions, _ = count_nodes(hierarchy)
    text = format_count(ops, choose_node_noun(hierarchy))
    details = (
        in_functions and f"{in_functions:,} in functions",
        hierarchy.parameters.count_text(hierarchy.root),
        total_cost_text(costs),
        "" if hubs_aside else "nothing set aside",
    )
    for detail in filter(None, details):
        longer = f"{text} · {detail}"
        if cell_width(longer) > width:
            break
        text = longer
    return text[:width]


def list_path_names(hierarchy: Hierarchy, navigation: Navigation) -> tuple[str, ...]:
    """Return the names of the entered scopes, from the outermost."""
    return tuple(hierarchy.leaf(item) for item in hierarchy.path(navigation.inside) if item != hierarchy.root)


def format_not_listed(hierarchy: Hierarchy, item: int) -> str:
    """Return the note that the table has no row of the selected item."""
    return f"without {hierarchy.leaf(item)}, which has the cursor"


def format_no_link(hierarchy: Hierarchy, item: int, direction: int) -> str:
    """Return the message that an item has no input, or no reader if the direction is above 0."""
    name = hierarchy.leaf(item)
    return f"nothing reads {name}" if direction > 0 else f"{name} reads nothing"


def describe_graph(graph: OpenGraph, costs: RunCosts | None) -> Iterator[str]:
    """Yield lines about a graph: its source, size, problems and costs."""
    source, hierarchy = graph.source, graph.hierarchy
    run, tag = format_run_name(source.run.name), format_run_name(source.tag)
    yield f"{format_source_title(source)} of {run}, tag {tag}, step {source.step}"
    yield f"written {format_clock(source.wall_time)} by plugin {source.plugin}"
    yield ", ".join(count_texts(hierarchy))
    yield format_edge_count(hierarchy)
    if calls := trace_text(hierarchy):
        yield calls
    yield from graph.notes
    if costs is not None:
        yield ""
        yield from run_cost_lines(costs)
        slowest = rank_operations(costs, "time", MAX_SLOWEST_ROWS)
        yield from _align_columns([(row.time or "–", row.share, row.memory, row.name, row.op) for row in slowest])


def _align_columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield rows with aligned numbers, which are all texts except the last two."""
    widths = [max(map(cell_width, column)) for column in zip(*rows, strict=True)][:-2]
    for row in rows:
        numbers = (f"{text:>{width}}" for text, width in zip(row, widths, strict=False) if width)
        yield "  ".join((*numbers, *filter(None, row[-2:])))
