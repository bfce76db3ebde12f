"""The two lines below each view of the Profile tab, and the page that enter opens in it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_count
from tbtui.charts.text import safe
from tbtui.plugins.profile.details import (
    DetailLines,
    describe_selection,
    list_event_details,
    list_row_details,
    list_span_details,
)
from tbtui.plugins.profile.flame import describe_frame, stack_lines
from tbtui.plugins.profile.memory import list_memory_owners
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


def describe_row_briefly(row: AnyRow | None) -> DetailLines:
    """Return the lines about a row of a table."""
    if row is None:
        return DetailLines()
    if isinstance(row, OperatorRow):
        text = f"{format_count(row.calls, 'call')} · host {time_text(row.host_total)}, self {time_text(row.host_own)}"
        if row.kernels:
            text += f" · launches {format_count(row.kernels, 'kernel')} of {time_text(row.device_own)}"
    else:
        text = safe(describe_row(row))
    return DetailLines(((safe(row.name), Ink.TEXT),), ((text, Ink.DIM),))


def build_row_page(analysis: Analysis, row: AnyRow | None) -> DetailPage | None:
    """Return the page about a row of a table; of a row that has no page of its own, about its longest event."""
    if isinstance(row, OperatorRow | KernelRow):
        return DetailPage(row.name, partial(list_row_details, analysis, row))
    if row is not None and len(row.rows):
        longest = int(row.rows[int(analysis.trace.durations[row.rows].argmax())])
        return DetailPage(row.name, partial(list_event_details, analysis, longest))
    return None


def build_memory_page(analysis: Analysis) -> DetailPage:
    """Return the page about the memory of all devices."""
    return DetailPage("memory", partial(_list_memory_owners, analysis))


def _list_memory_owners(analysis: Analysis) -> list[str]:
    return [line for memory in analysis.memory for line in (*list_memory_owners(memory), "")]


def describe_timeline(view: TimelineView) -> DetailLines:
    """Return the lines about the selected event, or about the span."""
    return describe_selection(view.analysis, view.visible_range, view.span)


def build_timeline_page(view: TimelineView, analysis: Analysis) -> DetailPage | None:
    """Return the page about the selected event, or about the span."""
    visible_range, span = view.visible_range, view.span
    if span is not None:
        return DetailPage("span", partial(list_span_details, analysis, *span))
    if visible_range is not None and visible_range.event >= 0:
        event = visible_range.event
        return DetailPage(analysis.trace.name(event), partial(list_event_details, analysis, event))
    return None


def describe_flame(view: FlameView, stack: Stack) -> DetailLines:
    """Return the lines about the frame under the cursor.

    Args:
        view: The flame graph.
        stack: Kind of its frames.
    """
    if view.flame is None:
        return DetailLines()
    root = f"{_STACKS[stack]}, time of the {view.weight}"
    name = safe(view.flame.names[view.cursor]) if view.cursor else root
    return DetailLines(((name, Ink.TEXT),), describe_frame(view.flame, view.cursor, view.matches))


def build_flame_page(view: FlameView) -> DetailPage | None:
    """Return the page about the frame under the cursor."""
    if view.flame is None:
        return None
    return DetailPage(view.flame.names[view.cursor], partial(stack_lines, view.flame, view.cursor))
