"""The two lines below the views of the Profile tab, and the pages that enter opens."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.text import safe
from tbtui.plugins.profile.details import event_lines, row_lines, span_lines, timeline_lines
from tbtui.plugins.profile.flame import frame_pieces, stack_lines
from tbtui.plugins.profile.memory import memory_lines
from tbtui.plugins.profile.pane.summaries import words_of
from tbtui.plugins.profile.summary import time_text
from tbtui.plugins.profile.tables import KernelRow, OperatorRow
from tbtui.widgets.text_page import open_text_page

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.charts.pieces import Piece
    from tbtui.plugins.profile.capture import Analysis
    from tbtui.plugins.profile.pane.pane import ProfilePane

_STACKS = {"calls": "all calls", "modules": "modules and operators", "operators": "operators"}


def detail_lines(pane: ProfilePane) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return two lines about what is under the cursor: its whole name, and its numbers."""
    if pane.view_name == "timeline":
        timeline = pane.timeline
        return timeline_lines(timeline.analysis, timeline.sight, timeline.span)
    if pane.view_name == "flame":
        return _frame_lines(pane)
    row = pane.row
    if row is None:
        return (), ()
    if isinstance(row, OperatorRow):
        text = f"{row.calls:,} calls · host {time_text(row.host_total)}, self {time_text(row.host_own)}"
        if row.kernels:
            text += f" · launches {row.kernels:,} kernels of {time_text(row.device_own)}"
    else:
        text = safe(words_of(row))
    return ((safe(row.name), Ink.TEXT),), ((text, Ink.DIM),)


def _frame_lines(pane: ProfilePane) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    view = pane.flame
    if view.flame is None:
        return (), ()
    whole = f"{_STACKS[pane.shown_stack]}, time of the {view.weight}"
    name = safe(view.flame.names[view.cursor]) if view.cursor else whole
    return ((name, Ink.TEXT),), frame_pieces(view.flame, view.cursor, view.matches)


def open_details(pane: ProfilePane) -> None:
    """Open a page about what is under the cursor; in the flame graph first zoom into the frame."""
    analysis = pane.analysis
    if analysis is None:
        return
    if pane.view_name == "timeline":
        _open_event(pane, analysis)
    elif pane.view_name == "flame":
        flame = pane.flame.flame
        if flame is not None and not pane.flame.zoom_in():
            _open(pane, flame.names[pane.flame.cursor], partial(stack_lines, flame, pane.flame.cursor))
    elif pane.view_name == "memory":
        _open(pane, "memory", partial(_memory_lines, analysis))
    else:
        _open_row(pane, analysis)


def _open_event(pane: ProfilePane, analysis: Analysis) -> None:
    """Open a page about the chosen event, or about the span."""
    sight, span = pane.timeline.sight, pane.timeline.span
    if span is not None:
        _open(pane, "span", partial(span_lines, analysis, *span))
    elif sight is not None and sight.event >= 0:
        _open(pane, analysis.trace.name(sight.event), partial(event_lines, analysis, sight.event))


def _open_row(pane: ProfilePane, analysis: Analysis) -> None:
    row = pane.row
    if isinstance(row, OperatorRow | KernelRow):
        _open(pane, row.name, partial(row_lines, analysis, row))
    elif row is not None and len(row.rows):
        longest = int(row.rows[int(analysis.trace.durations[row.rows].argmax())])
        _open(pane, row.name, partial(event_lines, analysis, longest))


def _memory_lines(analysis: Analysis) -> list[str]:
    return [line for memory in analysis.memory for line in (*memory_lines(memory), "")]


def _open(pane: ProfilePane, title: str, lines: Callable[[], Sequence[str]]) -> None:
    open_text_page(pane.app, pane.background, safe(title), lines)
