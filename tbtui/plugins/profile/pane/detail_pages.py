"""The two lines below the views of the Profile tab, and the pages that enter opens."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import counted
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

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.profile.capture import Analysis
    from tbtui.plugins.profile.pane.views import ProfileViews
    from tbtui.widgets.worker import Worker

_STACKS = {"calls": "all calls", "modules": "modules and operators", "operators": "operators"}


def detail_lines(views: ProfileViews) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return two lines about what is under the cursor: its whole name, and its numbers."""
    if views.view_name == "timeline":
        timeline = views.timeline
        return timeline_lines(timeline.analysis, timeline.sight, timeline.span)
    if views.view_name == "flame":
        return _frame_lines(views)
    row = views.row
    if row is None:
        return (), ()
    if isinstance(row, OperatorRow):
        text = f"{counted(row.calls, 'call')} · host {time_text(row.host_total)}, self {time_text(row.host_own)}"
        if row.kernels:
            text += f" · launches {counted(row.kernels, 'kernel')} of {time_text(row.device_own)}"
    else:
        text = safe(words_of(row))
    return ((safe(row.name), Ink.TEXT),), ((text, Ink.DIM),)


def _frame_lines(views: ProfileViews) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    view = views.flame
    if view.flame is None:
        return (), ()
    whole = f"{_STACKS[views.shown_stack]}, time of the {view.weight}"
    name = safe(view.flame.names[view.cursor]) if view.cursor else whole
    return ((name, Ink.TEXT),), frame_pieces(view.flame, view.cursor, view.matches)


def open_details(views: ProfileViews, background: Worker) -> None:
    """Open a page about what is under the cursor; in the flame graph first zoom into the frame."""
    analysis = views.analysis
    if analysis is None:
        return
    if views.view_name == "timeline":
        _open_event(views, background, analysis)
    elif views.view_name == "flame":
        flame = views.flame.flame
        if flame is not None and not views.flame.zoom_in():
            _open(views, background, flame.names[views.flame.cursor], partial(stack_lines, flame, views.flame.cursor))
    elif views.view_name == "memory":
        _open(views, background, "memory", partial(_memory_lines, analysis))
    else:
        _open_row(views, background, analysis)


def _open_event(views: ProfileViews, background: Worker, analysis: Analysis) -> None:
    """Open a page about the chosen event, or about the span."""
    sight, span = views.timeline.sight, views.timeline.span
    if span is not None:
        _open(views, background, "span", partial(span_lines, analysis, *span))
    elif sight is not None and sight.event >= 0:
        _open(views, background, analysis.trace.name(sight.event), partial(event_lines, analysis, sight.event))


def _open_row(views: ProfileViews, background: Worker, analysis: Analysis) -> None:
    row = views.row
    if isinstance(row, OperatorRow | KernelRow):
        _open(views, background, row.name, partial(row_lines, analysis, row))
    elif row is not None and len(row.rows):
        longest = int(row.rows[int(analysis.trace.durations[row.rows].argmax())])
        _open(views, background, row.name, partial(event_lines, analysis, longest))


def _memory_lines(analysis: Analysis) -> list[str]:
    return [line for memory in analysis.memory for line in (*memory_lines(memory), "")]


def _open(views: ProfileViews, background: Worker, title: str, lines: Callable[[], Sequence[str]]) -> None:
    open_text_page(views.app, background, safe(title), lines)
