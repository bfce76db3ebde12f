"""Details of one row of a table or of one event: shapes, stacks, callers, kernels."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_count
from tbtui.charts.text import safe
from tbtui.plugins.profile.formats.chrome_events import SHAPES, format_shapes
from tbtui.plugins.profile.groups import find_innermost_python
from tbtui.plugins.profile.summary import format_moment, time_text
from tbtui.plugins.profile.tables import OperatorRow, find_launch_and_owner
from tbtui.plugins.profile.timeline import sum_span
from tbtui.plugins.profile.trace import NOTHING, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.profile.capture import Analysis
    from tbtui.plugins.profile.tables import KernelRow
    from tbtui.plugins.profile.timeline import VisibleRange

MAX_CALLS_READ = 200
"""Calls whose arguments are read from the file: the longest ones."""

MAX_LINES = 12
MAX_SPAN_LINES = 500


def list_row_details(analysis: Analysis, row: OperatorRow | KernelRow) -> list[str]:
    """Return the details of an operator, a kernel or a call. Reads arguments of its longest calls from the file."""
    trace = analysis.trace
    lines: list[str] = []
    if isinstance(row, OperatorRow):
        times = (("host", row.host_total, row.host_own), ("device", row.device_total, row.device_own))
        lines.append(format_count(row.calls, "call"))
        lines += [f"{unit} {time_text(total)}, self {time_text(own)}" for unit, total, own in times if total or own]
        lines += _list_longest("kernels", _sum_by_kernel(analysis, row.rows))
        lines += _list_longest("called by", _sum_by_caller(analysis, row.rows))
        lines += _list_longest("calls", _sum_by_callee(analysis, row.rows))
        lines += _list_longest("modules", _sum_by_python(analysis, row.rows, modules=True))
        lines += _list_longest("Python functions", _sum_by_python(analysis, row.rows, modules=False))
    else:
        lines += [
            f"{format_count(row.calls, 'call')}, {time_text(row.total)} in all",
            f"mean {time_text(row.mean)}, {time_text(row.least)} to {time_text(row.greatest)}",
        ]
        if row.uses_tensor_cores:
            lines.append("uses tensor cores, by its name")
        lines += _list_longest("launched by", _sum_by_owner(analysis, row.rows))
    lengths = trace.durations[row.rows]
    longest = row.rows[np.argsort(-lengths, kind="stable")[:MAX_CALLS_READ]]
    arguments = [analysis.arguments(int(event)) for event in longest.tolist()]
    lines += _list_longest("shapes", _sum_by_argument(analysis, longest, arguments, _format_shapes))
    lines += _list_longest("launch configurations", _sum_by_argument(analysis, longest, arguments, _format_grid))
    if len(longest):
        lines += [
            "",
            f"longest call: {time_text(float(lengths.max()))} at {format_moment(float(trace.starts[longest[0]]))}",
        ]
        lines += [f"  {name}: {str(value)[:300]}" for name, value in arguments[0].items()]
    return lines


def list_event_details(analysis: Analysis, event: int) -> list[str]:
    """Return the details of one event."""
    trace = analysis.trace
    track = trace.tracks[int(trace.track_ids[event])]
    kind = Kind(int(trace.kinds[event])).name.lower().replace("_", " ")
    lines = [
        trace.name(event),
        "",
        f"{kind} on {track.title} of {track.process_name or track.process}",
        f"{time_text(float(trace.durations[event]))}, from {format_moment(float(trace.starts[event]))} on",
    ]
    launch, owner = find_launch_and_owner(analysis.calls, event)
    if launch != NOTHING:
        before = float(trace.starts[event] - trace.ends[launch])
        lines.append(f"launched by {trace.name(launch)}, {time_text(before)} before it began")
    if owner != NOTHING:
        lines.append(f"owned by {trace.name(owner)}")
    lines += [f"{name}: {str(value)[:300]}" for name, value in analysis.arguments(event).items()]
    return lines


def list_span_details(analysis: Analysis, start: float, end: float) -> list[str]:
    """Return the sums of the events within a span of time."""
    sums = sum_span(analysis, start, end)
    lines = [f"{time_text(end - start)}, from {format_moment(start)} to {format_moment(end)}", ""]
    duration = max(end - start, 1e-9)
    for name, time, count in sums[:MAX_SPAN_LINES]:
        lines.append(f"{time_text(time):>10}  {100 * time / duration:5.1f} %  {count:>6,} x  {name}")
    if len(sums) > MAX_SPAN_LINES:
        lines.append(f"and {len(sums) - MAX_SPAN_LINES:,} more names")
    return lines


class DetailLines(NamedTuple):
    """Two lines about the item under the cursor."""

    name: tuple[Piece, ...] = ()
    """Full name."""

    numbers: tuple[Piece, ...] = ()


def describe_selection(
    analysis: Analysis | None, visible_range: VisibleRange | None, span: tuple[float, float] | None
) -> DetailLines:
    """Return the lines about the selected event of a timeline, or about the span from the mark to it."""
    if analysis is None or visible_range is None or visible_range.event < 0:
        return DetailLines((("← → choose an event", Ink.DIM),))
    trace, event = analysis.trace, visible_range.event
    track = trace.tracks[int(trace.track_ids[event])]
    title: list[Piece] = [(f"{safe(track.title)}  ", Ink.DIM), (safe(trace.name(event)), Ink.TEXT)]
    parts = [time_text(float(trace.durations[event])), f"at {format_moment(float(trace.starts[event]))}"]
    if analysis.steps.source != "whole":
        start = trace.starts[event]
        parts += [f"step {step.number}" for step in analysis.steps.steps if step.start <= start < step.end]
    launch, owner = find_launch_and_owner(analysis.calls, event)
    if owner != NOTHING:
        parts.append(f"of {safe(trace.name(owner))}")
    if launch != NOTHING:
        parts.append(f"launched {time_text(float(trace.starts[event] - trace.starts[launch]))} before (U)")
    if span is not None:
        parts.insert(0, f"span {time_text(span[1] - span[0])} (⏎ sums)")
    return DetailLines(tuple(title), ((" · ".join(parts), Ink.DIM),))


def _list_longest(title: str, times: Counter[str]) -> list[str]:
    """Return a title and the names with most time.

    Args:
        title: The title.
        times: µs by name.
    """
    if not times:
        return []
    total = sum(times.values())
    lines = ["", f"{title}:"]
    for name, time in times.most_common(MAX_LINES):
        share = f"{100 * time / total:5.1f} %  " if total > 0 else ""
        lines.append(f"  {share}{time_text(time):>10}  {name}")
    if len(times) > MAX_LINES:
        lines.append(f"  and {len(times) - MAX_LINES:,} more")
    return lines


def _sum_by_kernel(analysis: Analysis, rows: Any) -> Counter[str]:
    calls, trace = analysis.calls, analysis.trace
    launched = calls.device_rows[np.isin(calls.owners, rows)]
    return _sum_times(analysis, ((trace.name(row), row) for row in launched.tolist()))


def _sum_by_owner(analysis: Analysis, rows: Any) -> Counter[str]:
    calls, trace = analysis.calls, analysis.trace
    index = np.searchsorted(calls.device_rows, rows)
    pairs = zip(calls.owners[index].tolist(), rows.tolist(), strict=True)
    return _sum_times(analysis, ((trace.name(owner) if owner >= 0 else "unknown", row) for owner, row in pairs))


def _sum_by_caller(analysis: Analysis, rows: Any) -> Counter[str]:
    parents, trace = analysis.calls.parents[rows], analysis.trace
    pairs = zip(parents.tolist(), rows.tolist(), strict=True)
    return _sum_times(analysis, ((trace.name(parent), row) for parent, row in pairs if parent >= 0))


def _sum_by_callee(analysis: Analysis, rows: Any) -> Counter[str]:
    trace = analysis.trace
    inside = np.flatnonzero(np.isin(analysis.calls.parents, rows))
    return _sum_times(analysis, ((trace.name(row), row) for row in inside.tolist()))


def _sum_by_python(analysis: Analysis, rows: Any, *, modules: bool) -> Counter[str]:
    """Return the innermost modules or Python functions around calls."""
    names = find_innermost_python(analysis, modules=modules)
    if names is None:
        return Counter()
    trace = analysis.trace
    return _sum_times(analysis, ((trace.name(int(names[row])), row) for row in rows.tolist() if names[row] >= 0))


def _sum_times(analysis: Analysis, pairs: Iterator[tuple[str, int]]) -> Counter[str]:
    """Return the µs of each name."""
    durations, times = analysis.trace.durations, Counter[str]()
    for name, row in pairs:
        times[name] += float(durations[row])  # type: ignore[assignment]
    return times


def _sum_by_argument(analysis: Analysis, rows: Any, arguments: Sequence[dict[str, Any]], to_text: Any) -> Counter[str]:
    """Return the µs of each text of the arguments; calls with an empty text do not count."""
    pairs = ((to_text(each), row) for each, row in zip(arguments, rows.tolist(), strict=True))
    return _sum_times(analysis, ((text, row) for text, row in pairs if text))


def _format_shapes(arguments: dict[str, Any]) -> str:
    return format_shapes(arguments.get(SHAPES))


def _format_grid(arguments: dict[str, Any]) -> str:
    if "grid" not in arguments:
        return ""
    return f"grid {arguments.get('grid')} block {arguments.get('block')}"
