"""The two lines below each view of the Profile tab, and the page that enter opens in it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import counted
from tbtui.charts.text import safe
from tbtui.plugins.profile.details import DetailLines, event_lines, row_lines, selection_lines, span_lines
from tbtui.plugins.profile.flame import frame_pieces, stack_lines
from tbtui.plugins.profile.memory import memory_lines
from tbtui.plugins.profile.pane.summaries import describe_row
from tbtui.plugins.profile.summary import time_text
from tbtui.plugins.profile.tables import KernelRow, OperatorRow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tbtui.plugins.profile.capture import Analysis
    from tbtui.plugins.profile.flame import Stack
    from tbtui.plugins.profile.pane.flame_view import FlameView
    from tbtui.plugins.profile.pane.tables import AnyRow
    from tbtui.plugins.profile.pane.timeline_view import TimelineView

_STACKS = {"calls": "all calls", "modules": "modules and operators", "operators": "operators"}


class DetailPage(NamedTuple):
    """A page of text."""

    title: str
    lines: Callable[[], Sequence[str]]
    """Returns the lines, on the worker thread."""


def row_detail(row: AnyRow | None) -> DetailLines:
    """Return the lines about a row of a table."""
    if row is None:
        return DetailLines()
    if isinstance(row, OperatorRow):
        text = f"{counted(row.calls, 'call')} · host {time_text(row.host_total)}, self {time_text(row.host_own)}"
        if row.kernels:
            text += f" · launches {counted(row.kernels, 'kernel')} of {time_text(row.device_own)}"
    else:
        text = safe(describe_row(row))
    return DetailLines(((safe(row.name), Ink.TEXT),), ((text, Ink.DIM),))


def row_page(analysis: Analysis, row: AnyRow | None) -> DetailPage | None:
    """Return the page about a row of a table; of a row that has no page of its own, about its longest event."""
    if isinstance(row, OperatorRow | KernelRow):
        return DetailPage(row.name, partial(row_lines, analysis, row))
    if row is not None and len(row.rows):
        longest = int(row.rows[int(analysis.trace.durations[row.rows].argmax())])
        return DetailPage(row.name, partial(event_lines, analysis, longest))
    return None


def memory_page(analysis: Analysis) -> DetailPage:
    """Return the page about the memory of all devices."""
    return DetailPage("memory", partial(_memory_lines, analysis))


def _memory_lines(analysis: Analysis) -> list[str]:
    return [line for memory in analysis.memory for line in (*memory_lines(memory), "")]


def timeline_detail(view: TimelineView) -> DetailLines:
    """Return the lines about the selected event, or about the span."""
    return selection_lines(view.analysis, view.visible_range, view.span)


def timeline_page(view: TimelineView, analysis: Analysis) -> DetailPage | None:
    """Return the page about the selected event, or about the span."""
    visible_range, span = view.visible_range, view.span
    if span is not None:
        return DetailPage("span", partial(span_lines, analysis, *span))
    if visible_range is not None and visible_range.event >= 0:
        event = visible_range.event
        return DetailPage(analysis.trace.name(event), partial(event_lines, analysis, event))
    return None


def flame_detail(view: FlameView, stack: Stack) -> DetailLines:
    """Return the lines about the frame under the cursor.

    Args:
        view: The flame graph.
        stack: Kind of its frames.
    """
    if view.flame is None:
        return DetailLines()
    root = f"{_STACKS[stack]}, time of the {view.weight}"
    name = safe(view.flame.names[view.cursor]) if view.cursor else root
    return DetailLines(((name, Ink.TEXT),), frame_pieces(view.flame, view.cursor, view.matches))


def flame_page(view: FlameView) -> DetailPage | None:
    """Return the page about the frame under the cursor."""
    if view.flame is None:
        return None
    return DetailPage(view.flame.names[view.cursor], partial(stack_lines, view.flame, view.cursor))
