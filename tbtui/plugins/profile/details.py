"""Details of one row of a table or of one event: shapes, stacks, callers, kernels."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import counted
from tbtui.charts.text import safe
from tbtui.plugins.profile.formats.chrome_events import SHAPES, shapes_text
from tbtui.plugins.profile.groups import innermost_python
from tbtui.plugins.profile.summary import moment_text, time_text
from tbtui.plugins.profile.tables import OperatorRow, launched_by
from tbtui.plugins.profile.timeline import span_sums
from tbtui.plugins.profile.trace import NOTHING, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.profile.capture import Analysis
    from tbtui.plugins.profile.tables import KernelRow
    from tbtui.plugins.profile.timeline import Sight

MAX_CALLS_READ = 200
"""Calls whose arguments are read from the file: the longest ones."""

MAX_LINES = 12
MAX_SPAN_LINES = 500


def row_lines(analysis: Analysis, row: OperatorRow | KernelRow) -> list[str]:
    """Return what is known of an operator, a kernel or a call. Reads arguments of its longest calls from the file."""
    trace = analysis.trace
    lines: list[str] = []
    if isinstance(row, OperatorRow):
        times = (("host", row.host_total, row.host_own), ("device", row.device_total, row.device_own))
        lines.append(counted(row.calls, "call"))
        lines += [f"{place} {time_text(total)}, self {time_text(own)}" for place, total, own in times if total or own]
        lines += _counted("kernels", _kernels_of(analysis, row.rows))
        lines += _counted("called by", _callers(analysis, row.rows))
        lines += _counted("calls", _callees(analysis, row.rows))
        lines += _counted("modules", _around(analysis, row.rows, modules=True))
        lines += _counted("Python functions", _around(analysis, row.rows, modules=False))
    else:
        lines += [
            f"{counted(row.calls, 'call')}, {time_text(row.total)} in all",
            f"mean {time_text(row.mean)}, {time_text(row.least)} to {time_text(row.greatest)}",
        ]
        if row.uses_tensor_cores:
            lines.append("uses tensor cores, by its name")
        lines += _counted("launched by", _owners(analysis, row.rows))
    lengths = trace.durations[row.rows]
    longest = row.rows[np.argsort(-lengths, kind="stable")[:MAX_CALLS_READ]]
    arguments = [analysis.arguments(int(each)) for each in longest.tolist()]
    lines += _counted("shapes", _times(analysis, longest, arguments, _shape))
    lines += _counted("launch configurations", _times(analysis, longest, arguments, _grid))
    if len(longest):
        lines += [
            "",
            f"longest call: {time_text(float(lengths.max()))} at {moment_text(float(trace.starts[longest[0]]))}",
        ]
        lines += [f"  {name}: {str(value)[:300]}" for name, value in arguments[0].items()]
    return lines


def event_lines(analysis: Analysis, event: int) -> list[str]:
    """Return what is known of one event."""
    trace = analysis.trace
    track = trace.tracks[int(trace.track_ids[event])]
    kind = Kind(int(trace.kinds[event])).name.lower().replace("_", " ")
    lines = [
        trace.name(event),
        "",
        f"{kind} on {track.title} of {track.process_name or track.process}",
        f"{time_text(float(trace.durations[event]))}, from {moment_text(float(trace.starts[event]))} on",
    ]
    launch, owner = launched_by(analysis.calls, event)
    if launch != NOTHING:
        before = float(trace.starts[event] - trace.ends[launch])
        lines.append(f"launched by {trace.name(launch)}, {time_text(before)} before it began")
    if owner != NOTHING:
        lines.append(f"owned by {trace.name(owner)}")
    lines += [f"{name}: {str(value)[:300]}" for name, value in analysis.arguments(event).items()]
    return lines


def span_lines(analysis: Analysis, start: float, end: float) -> list[str]:
    """Return the sums of the events within a span of time."""
    sums = span_sums(analysis, start, end)
    lines = [f"{time_text(end - start)}, from {moment_text(start)} to {moment_text(end)}", ""]
    whole = max(end - start, 1e-9)
    for name, time, count in sums[:MAX_SPAN_LINES]:
        lines.append(f"{time_text(time):>10}  {100 * time / whole:5.1f} %  {count:>6,} x  {name}")
    if len(sums) > MAX_SPAN_LINES:
        lines.append(f"and {len(sums) - MAX_SPAN_LINES:,} more names")
    return lines


def timeline_lines(
    analysis: Analysis | None, sight: Sight | None, span: tuple[float, float] | None
) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return two lines about the chosen event, or about the span from the mark to it."""
    if analysis is None or sight is None or sight.event < 0:
        return (("← → choose an event", Ink.DIM),), ()
    trace, event = analysis.trace, sight.event
    track = trace.tracks[int(trace.track_ids[event])]
    title: list[Piece] = [(f"{safe(track.title)}  ", Ink.DIM), (safe(trace.name(event)), Ink.TEXT)]
    parts = [time_text(float(trace.durations[event])), f"at {moment_text(float(trace.starts[event]))}"]
    if analysis.steps.source != "whole":
        begin = trace.starts[event]
        parts += [f"step {step.number}" for step in analysis.steps.steps if step.start <= begin < step.end]
    launch, owner = launched_by(analysis.calls, event)
    if owner != NOTHING:
        parts.append(f"of {safe(trace.name(owner))}")
    if launch != NOTHING:
        parts.append(f"launched {time_text(float(trace.starts[event] - trace.starts[launch]))} before (U)")
    if span is not None:
        parts.insert(0, f"span {time_text(span[1] - span[0])} (⏎ sums)")
    return tuple(title), ((" · ".join(parts), Ink.DIM),)


def _counted(title: str, found: Counter[str]) -> list[str]:
    """Return the names with most time."""
    if not found:
        return []
    whole = sum(found.values())
    lines = ["", f"{title}:"]
    for name, time in found.most_common(MAX_LINES):
        share = f"{100 * time / whole:5.1f} %  " if whole > 0 else ""
        lines.append(f"  {share}{time_text(time):>10}  {name}")
    if len(found) > MAX_LINES:
        lines.append(f"  and {len(found) - MAX_LINES:,} more")
    return lines


def _kernels_of(analysis: Analysis, rows: Any) -> Counter[str]:
    calls, trace = analysis.calls, analysis.trace
    chosen = calls.device_rows[np.isin(calls.owners, rows)]
    return _sums(analysis, ((trace.name(row), row) for row in chosen.tolist()))


def _owners(analysis: Analysis, rows: Any) -> Counter[str]:
    calls, trace = analysis.calls, analysis.trace
    index = np.searchsorted(calls.device_rows, rows)
    pairs = zip(calls.owners[index].tolist(), rows.tolist(), strict=True)
    return _sums(analysis, ((trace.name(owner) if owner >= 0 else "unknown", row) for owner, row in pairs))


def _callers(analysis: Analysis, rows: Any) -> Counter[str]:
    parents, trace = analysis.calls.parents[rows], analysis.trace
    pairs = zip(parents.tolist(), rows.tolist(), strict=True)
    return _sums(analysis, ((trace.name(parent), row) for parent, row in pairs if parent >= 0))


def _callees(analysis: Analysis, rows: Any) -> Counter[str]:
    trace = analysis.trace
    inside = np.flatnonzero(np.isin(analysis.calls.parents, rows))
    return _sums(analysis, ((trace.name(row), row) for row in inside.tolist()))


def _around(analysis: Analysis, rows: Any, *, modules: bool) -> Counter[str]:
    """Return the innermost modules or Python functions around calls."""
    names = innermost_python(analysis, modules=modules)
    if names is None:
        return Counter()
    trace = analysis.trace
    return _sums(analysis, ((trace.name(int(names[row])), row) for row in rows.tolist() if names[row] >= 0))


def _sums(analysis: Analysis, pairs: Iterator[tuple[str, int]]) -> Counter[str]:
    durations, found = analysis.trace.durations, Counter[str]()
    for name, row in pairs:
        found[name] += float(durations[row])  # type: ignore[assignment]
    return found


def _times(analysis: Analysis, rows: Any, arguments: Sequence[dict[str, Any]], text: Any) -> Counter[str]:
    pairs = ((text(each), row) for each, row in zip(arguments, rows.tolist(), strict=True))
    return _sums(analysis, ((found, row) for found, row in pairs if found))


def _shape(arguments: dict[str, Any]) -> str:
    return shapes_text(arguments.get(SHAPES))


def _grid(arguments: dict[str, Any]) -> str:
    if "grid" not in arguments:
        return ""
    return f"grid {arguments.get('grid')} block {arguments.get('block')}"
