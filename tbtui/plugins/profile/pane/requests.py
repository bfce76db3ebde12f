"""Computations of the Profile tab for its worker thread: the rows of a table, and the summary above it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.series_colours import get_series_marker
from tbtui.charts.styled_text import Piece, pieces_width, spread_pieces
from tbtui.charts.text import cell_width, format_run_name, safe
from tbtui.frozen import frozen
from tbtui.plugins.profile.capture import CaptureError
from tbtui.plugins.profile.communication import list_collectives
from tbtui.plugins.profile.comparison import compare_operators
from tbtui.plugins.profile.pane.summaries import (
    draw_comparison_summary,
    draw_input_summary,
    draw_memory_summary,
    draw_rank_summary,
)
from tbtui.plugins.profile.pane.tables import NOUNS, ProfileTable
from tbtui.plugins.profile.summary import ALL_STEPS, format_operators_scope, format_scope, list_heads, time_text
from tbtui.plugins.profile.tables import list_host_calls, list_kernels, list_operators
from tbtui.plugins.profile.trace import MEMORY_TIMELINE, EventTexts, Kind
from tbtui.settings.filters import get_filter
from tbtui.view.run_names import fit_run_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.plugins.profile.capture import Analysis, CaptureCache, CaptureSource
    from tbtui.plugins.profile.pane.tables import AnyRow, TableName
    from tbtui.plugins.profile.tables import Grouping


_STEP_TABLES = frozenset({"operators", "kernels", "runtime", "input"})
"""Tables that are about the chosen step, or all of them."""


@frozen
class TableRequest:
    """Contents of a table."""

    name: TableName
    step: int
    """Index of a step; `ALL_STEPS`: all."""

    grouping: Grouping
    sort: str
    """Key of the column that sorts; empty: the usual order."""

    descending: bool
    pattern: str
    """Regular expression of the names; empty: all."""

    ranks: tuple[CaptureSource, ...] = ()
    """Captures of the other ranks of the job."""

    baseline: CaptureSource | None = None
    """Capture to compare with."""


def build_table(analysis: Analysis, request: TableRequest, cache: CaptureCache) -> Iterator[float | ProfileTable]:
    """Yield the share of the work that is done, if it takes long, at last the table of a request.

    Raises:
        CaptureError: The baseline cannot be read.
    """
    key = (
        analysis.source.asset,
        analysis.trace.is_complete,
        request.step,
        request.grouping,
        None if request.baseline is None else request.baseline.asset,
    )
    groups: EventTexts | None = None
    if request.name == "operators" and request.grouping != "name":
        for update in analysis.group(request.grouping):
            if isinstance(update, EventTexts):
                groups = update
            else:
                yield update
    is_timeline = analysis.trace.writer == MEMORY_TIMELINE
    scope = format_scope(analysis, request.step) if request.name in _STEP_TABLES else ""
    if request.name == "operators":
        scope = format_operators_scope(analysis, request.step)
    yield ProfileTable(
        request.name,
        _build_rows(analysis, request, cache, groups),
        key,
        has_device=bool(analysis.devices),
        noun="category" if is_timeline else NOUNS[request.name],
        scope=scope,
        sort=request.sort,
        descending=request.descending,
        matches=get_filter(request.pattern).matches,
    )


def _build_rows(
    analysis: Analysis, request: TableRequest, cache: CaptureCache, groups: EventTexts | None
) -> Sequence[AnyRow]:
    name = request.name
    if name == "memory":
        return [row for memory in analysis.memory for row in memory.rows]
    if name == "communication":
        return list_collectives(analysis, load_ranks(analysis, request.ranks, cache))
    if name == "comparison":
        return [] if request.baseline is None else compare_operators(analysis, cache.load(request.baseline))
    return _build_step_rows(analysis, request, groups)


def _build_step_rows(analysis: Analysis, request: TableRequest, groups: EventTexts | None) -> Sequence[AnyRow]:
    """Return the rows of a table that can show one step alone."""
    name, trace, calls, within = request.name, analysis.trace, analysis.calls, analysis.select_step(request.step)
    if name in {"runtime", "input"}:
        return list_host_calls(trace, calls, within, Kind.RUNTIME if name == "runtime" else Kind.INPUT)
    if name == "kernels":
        return analysis.kernels if request.step == ALL_STEPS else list_kernels(trace, calls, within)
    if groups is not None:
        return list_operators(trace, calls, within, groups)
    return analysis.operators if request.step == ALL_STEPS else list_operators(trace, calls, within)


def build_summary(
    analysis: Analysis,
    name: str,
    ranks: Sequence[CaptureSource],
    baseline: CaptureSource | None,
    cache: CaptureCache,
    size: tuple[int, int],
) -> Cells:
    """Draw the summary above the table of a view; no rows for most views.

    Args:
        analysis: The capture.
        name: Name of the view.
        ranks: Captures of the other ranks of the job.
        baseline: Capture to compare with.
        cache: Captures that were read.
        size: Columns, and the maximum number of rows.
    """
    width, max_rows = size
    if name == "memory":
        return draw_memory_summary(analysis, width, max_rows)
    if name == "input":
        return draw_input_summary(analysis, width, max_rows)
    if name == "communication":
        return draw_rank_summary(load_ranks(analysis, ranks, cache), analysis, width, max_rows)
    if name == "comparison" and baseline is not None:
        return draw_comparison_summary(analysis, cache.load(baseline), width, max_rows)
    return Cells.blank(0, width)


def load_ranks(analysis: Analysis, sources: Sequence[CaptureSource], cache: CaptureCache) -> list[Analysis]:
    """Return the captures of all ranks in order of their names; a rank that cannot be read is left out."""
    analyses = [analysis]
    for source in sources:
        with suppress(CaptureError):
            analyses.append(cache.load(source))
    return sorted(analyses, key=lambda rank: (len(rank.source.worker), rank.source.worker))


def build_title(
    source: CaptureSource,
    sources: Sequence[CaptureSource],
    ink: int,
    analysis: Analysis | None,
    step: int,
    width: int,
    *,
    progress: str = "",
) -> tuple[Piece, ...]:
    """Return the title line: run, capture, duration and device; at the right the step and the position of the capture.

    Args:
        source: The capture.
        sources: All captures.
        ink: Ink of its run.
        analysis: Its analysis; None while it is read.
        step: Index of the step that is shown, or `ALL_STEPS`.
        width: Columns.
        progress: Text about a computation, in place of the step.
    """
    name = format_run_name(source.run) if source.run != "." else ""
    left: list[Piece] = [(f"{get_series_marker(ink)} ", ink)]
    if name:
        runs = tuple(dict.fromkeys(each.run for each in sources))
        left += [(fit_run_name(source.run, runs, max(width // 3, 12)), Ink.BOLD), (" · ", Ink.FAINT)]
    left.append((source.title, Ink.TEXT if name else Ink.BOLD))
    right: list[Piece] = []
    if analysis is not None:
        if progress:
            right.append((f" {progress}", Ink.ACCENT))
        elif step != ALL_STEPS:
            window = analysis.steps.steps[step]
            right.append((f"step {window.number}: {time_text(window.duration)}", Ink.ACCENT))
    if len(sources) > 1:
        right.append((f"  {list(sources).index(source) + 1} of {len(sources)}", Ink.DIM))
    if analysis is not None:
        heads = [f" · {safe(head)}" for head in list_heads(analysis)]
        room = width - pieces_width(left) - pieces_width(right) - (1 if right else 0)
        left.append((next((head for head in heads if cell_width(head) <= room), heads[-1]), Ink.TEXT))
    return spread_pieces(left, right, width)
