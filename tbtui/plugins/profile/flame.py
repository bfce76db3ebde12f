"""Flame graphs: calls merged by their stack of names, over all steps; width is time of the host or of devices.

The frames of one depth are intervals of one row, so that a graph is drawn as a timeline is, at any zoom.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from tbtui.charts.cells import SHADES, Cells, Ink, to_shade_inks
from tbtui.charts.numbers import format_count
from tbtui.charts.text import cell_width, fit, safe, shorten, write
from tbtui.frozen import frozen
from tbtui.maths.intervals import nest
from tbtui.maths.level_of_detail import DetailRow
from tbtui.plugins.profile.groups import find_modules
from tbtui.plugins.profile.overview import CLASS_INKS
from tbtui.plugins.profile.summary import format_percent, time_text
from tbtui.plugins.profile.trace import NOTHING, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.profile.capture import Analysis

Stack: TypeAlias = Literal["calls", "modules", "operators"]
Weight: TypeAlias = Literal["host", "device"]

STACKS: tuple[Stack, ...] = ("calls", "modules", "operators")
MAX_DEPTH = 128
MIN_FRAME = 2
"""Columns from which a frame has a name."""

_KINDS = {
    "calls": (Kind.PYTHON, Kind.OPERATOR, Kind.RUNTIME, Kind.INPUT, Kind.COLLECTIVE, Kind.OTHER),
    "modules": (Kind.PYTHON, Kind.OPERATOR),
    "operators": (Kind.OPERATOR, Kind.COLLECTIVE, Kind.INPUT),
}


@frozen(eq=False)
class Flame:
    """Frames merged by their stacks; frame 0 is all of them."""

    names: tuple[str, ...]
    """Names of frames; any characters."""

    parents: npt.NDArray[np.int32]
    depths: npt.NDArray[np.int32]
    totals: npt.NDArray[np.float64]
    """float64[n]: µs, with the frames on top of it."""

    self_times: npt.NDArray[np.float64]
    """float64[n]: µs of the frame itself."""

    counts: npt.NDArray[np.int64]
    starts: npt.NDArray[np.float64]
    """float64[n]: left end of each frame, µs; that of frame 0 is 0."""

    inks: npt.NDArray[np.int16]
    rows: tuple[DetailRow, ...]
    """Frames by depth."""

    def children(self, frame: int) -> npt.NDArray[np.int64]:
        """Return the frames on top of a frame, the widest first."""
        children = np.flatnonzero(self.parents == frame)
        children = children[children != frame]
        ordered: npt.NDArray[np.int64] = children[np.argsort(self.starts[children], kind="stable")]
        return ordered

    def siblings(self, frame: int) -> npt.NDArray[np.int64]:
        """Return the frames with the same caller as a frame, with itself."""
        return self.children(int(self.parents[frame])) if frame else np.zeros(1, np.int64)


def build_flame(analysis: Analysis, stack: Stack, weight: Weight, within: npt.NDArray[np.bool_] | None) -> Flame:
    """Merge the calls of a capture by their stacks.

    Args:
        analysis: The capture.
        stack: `calls`: all functions and operators; `modules`: modules and operators; `operators` alone.
        weight: Time of the host, or of the device events that a call launched.
        within: bool[n]: events that count; None: all.
    """
    trace = analysis.trace
    mask = trace.is_of_kind(*_KINDS[stack])
    if within is not None:
        mask &= within
    if stack == "modules" and len(trace.names):
        is_module = np.array([name.startswith("nn.Module:") for name in trace.names], np.bool_)
        mask &= trace.is_of_kind(Kind.OPERATOR) | trace.match_names(is_module)
    nested = _nest(analysis, mask)
    if stack == "modules":
        _join_backward(analysis, mask, nested)
    weights = _sum_device_times(analysis, mask) if weight == "device" else nested.self_times
    return _merge(analysis, np.flatnonzero(mask), nested, weights)


class _NestedCalls(NamedTuple):
    """Columns by the rows of a trace; rows that do not count have no parent and depth 0."""

    parents: npt.NDArray[np.int64]
    depths: npt.NDArray[np.int32]
    self_times: npt.NDArray[np.float64]


def _nest(analysis: Analysis, mask: npt.NDArray[np.bool_]) -> _NestedCalls:
    """Nest the calls in a mask, bool[n]."""
    trace = analysis.trace
    parents = np.full(len(trace), NOTHING, np.int64)
    depths = np.zeros(len(trace), np.int32)
    self_times = np.zeros(len(trace))
    for track in range(len(trace.tracks)):
        part = trace.track(track)
        rows = part.start + np.flatnonzero(mask[part])
        if len(rows):
            nesting = nest(trace.starts[rows], trace.ends[rows])
            parents[rows] = np.where(nesting.parents >= 0, rows[nesting.parents], NOTHING)
            depths[rows] = nesting.depths
            self_times[rows] = nesting.self_times
    return _NestedCalls(parents, depths, self_times)


def _join_backward(analysis: Analysis, mask: npt.NDArray[np.bool_], nested: _NestedCalls) -> None:
    """Move the operators of the backward pass on top of the module of their forward operator."""
    parents, depths, _ = nested
    modules = find_modules(analysis)
    if modules is None:
        return
    roots = np.flatnonzero(mask & (parents < 0) & (modules >= 0) & analysis.trace.is_of_kind(Kind.OPERATOR))
    roots = roots[mask[modules[roots]]]
    lift = np.zeros(len(mask), np.int32)
    lift[roots] = depths[modules[roots]] + 1
    parents[roots] = modules[roots]
    # One pass over the depths lifts all that the operators call, since the depth of a caller is smaller.
    inner = np.flatnonzero(mask & (parents >= 0) & (lift == 0))
    for depth in range(1, int(depths.max(initial=0)) + 1):
        level = inner[depths[inner] == depth]
        lift[level] = lift[parents[level]]
    depths += lift


def _sum_device_times(analysis: Analysis, mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Return µs of device events by the call that owns them, or by their launch if no operator does."""
    calls, trace = analysis.calls, analysis.trace
    sources = np.where(calls.owners >= 0, calls.owners, calls.launches)
    has_source = sources >= 0
    has_source[has_source] = mask[sources[has_source]]
    lengths = trace.durations[calls.device_rows]
    return np.bincount(sources[has_source], lengths[has_source], minlength=len(trace)).astype(np.float64)


def _merge(
    analysis: Analysis,
    rows: npt.NDArray[np.int64],
    nested: _NestedCalls,
    weights: npt.NDArray[np.float64],
) -> Flame:
    """Merge level by level: the calls of one name in one frame are one frame."""
    trace, parents, depths = analysis.trace, nested.parents, nested.depths
    frames = np.zeros(len(trace), np.int64)
    names, frame_parents, first_rows = [np.zeros(1, np.int64)], [np.zeros(1, np.int64)], [NOTHING]
    sums, counts, count = [np.zeros(1)], [np.zeros(1, np.int64)], 1
    frame_depths: list[npt.NDArray[np.int32]] = [np.zeros(1, np.int32)]
    for depth in range(min(int(depths[rows].max(initial=-1)) + 1, MAX_DEPTH)):
        level = rows[depths[rows] == depth]
        if not len(level):
            continue
        caller_frames = np.where(parents[level] >= 0, frames[parents[level]], 0)
        keys = caller_frames * len(trace.names) + trace.name_ids[level]
        unique, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        frames[level] = count + inverse
        names.append(unique % len(trace.names))
        frame_parents.append(unique // len(trace.names))
        frame_depths.append(np.full(len(unique), depth + 1, np.int32))
        first_rows += level[first].tolist()
        sums.append(np.bincount(inverse, weights[level], minlength=len(unique)).astype(np.float64))
        counts.append(np.bincount(inverse, minlength=len(unique)))
        count += len(unique)
    all_parents = np.concatenate(frame_parents).astype(np.int32)
    all_depths, self_times = np.concatenate(frame_depths), np.concatenate(sums).astype(np.float64)
    totals = self_times.copy()
    for depth in range(int(all_depths.max()), 0, -1):
        level = np.flatnonzero(all_depths == depth)
        np.add.at(totals, all_parents[level], totals[level])
    starts = _lay_out(all_parents, all_depths, totals)
    detail_rows = []
    for depth in range(int(all_depths.max()) + 1):
        level = np.flatnonzero((all_depths == depth) & (totals > 0))
        level = level[np.argsort(starts[level], kind="stable")]
        detail_rows.append(DetailRow.build(starts[level], starts[level] + totals[level], level.astype(np.int64)))
    name_ids = np.concatenate(names)
    inks = np.full(count, CLASS_INKS["host"], np.int16)
    for kind, key in ((Kind.OPERATOR, "operators"), (Kind.RUNTIME, "launch"), (Kind.INPUT, "input")):
        inks[[frame for frame, row in enumerate(first_rows) if row >= 0 and trace.kinds[row] == kind]] = CLASS_INKS[key]
    texts = ("all", *(trace.names[name] for name in name_ids[1:].tolist()))
    return Flame(
        texts, all_parents, all_depths, totals, self_times, np.concatenate(counts), starts, inks, tuple(detail_rows)
    )


def _lay_out(
    parents: npt.NDArray[np.int32], depths: npt.NDArray[np.int32], totals: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the left end of each frame: those of one parent side by side, the widest first."""
    starts = np.zeros(len(parents))
    for depth in range(1, int(depths.max()) + 1):
        level = np.flatnonzero(depths == depth)
        level = level[np.lexsort((level, -totals[level], parents[level]))]
        ends = np.cumsum(totals[level])
        is_first = np.append(True, np.diff(parents[level]) != 0)
        offsets = np.append(0.0, ends[:-1])
        first_offsets = offsets[np.flatnonzero(is_first)][np.cumsum(is_first) - 1]
        starts[level] = starts[parents[level]] + offsets - first_offsets
    return starts


def measure_matches(flame: Flame, matches: npt.NDArray[np.bool_]) -> float:
    """Return the share of the time in frames that match, each instant once.

    Args:
        flame: The graph.
        matches: bool[frames].
    """
    total = float(flame.totals[0])
    is_inside = matches.copy()
    matched = 0.0
    for depth in range(1, int(flame.depths.max()) + 1):
        level = np.flatnonzero(flame.depths == depth)
        is_counted = is_inside[flame.parents[level]] & (flame.parents[level] > 0)
        matched += float(flame.totals[level[matches[level] & ~is_counted]].sum())
        is_inside[level] |= is_counted
    return matched / total if total > 0 else 0.0


def count_max_callers(height: int) -> int:
    """Return the maximum number of callers that are drawn above the widest frame."""
    return height // 3


def choose_callers(path: Sequence[int], height: int) -> Sequence[int]:
    """Return the callers of the widest frame that are drawn above it, the outermost first.

    Args:
        path: The widest frame, its caller, and so on to frame 0.
        height: Rows of the graph.
    """
    count = count_max_callers(height)
    return path[count:0:-1]


def draw_flame(
    flame: Flame,
    width: int,
    height: int,
    *,
    focus: int = 0,
    cursor: int = 0,
    matches: npt.NDArray[np.bool_] | None = None,
    focused: bool = True,
) -> Cells:
    """Draw one frame and the frames on top of it, from the top down.

    Args:
        flame: The graph.
        width: Columns.
        height: Rows.
        focus: Frame that takes the whole width.
        cursor: Frame under the cursor.
        matches: bool[frames]: frames that are drawn in another colour.
        focused: The cursor is drawn.
    """
    cells = Cells.blank(height, width)
    start, total = float(flame.starts[focus]), float(flame.totals[focus])
    if total <= 0:
        write(cells, 0, 0, fit("no time was recorded here", width), Ink.DIM)
        return cells
    path = [focus]
    while path[-1]:
        path.append(int(flame.parents[path[-1]]))
    first = int(flame.depths[focus])
    y = 0
    for frame in choose_callers(path, height):
        _draw_frame(cells, flame, frame, y, 0, width, matches, is_cursor=focused and frame == cursor, is_faded=True)
        y += 1
    edges = np.linspace(start, start + total, width + 1)
    for level in range(first, len(flame.rows)):
        if y >= height:
            write(cells, height - 1, max(width - 14, 0), fit(f" +{len(flame.rows) - level} deeper ", width), Ink.ACCENT)
            break
        row = flame.rows[level]
        if len(row):
            _draw_level(cells, flame, row, y, edges, cursor if focused else NOTHING, matches)
        y += 1
    return cells


def _draw_level(
    cells: Cells,
    flame: Flame,
    row: DetailRow,
    y: int,
    edges: npt.NDArray[np.float64],
    cursor: int,
    matches: npt.NDArray[np.bool_] | None,
) -> None:
    width = cells.width
    shares, tops = row.columns(edges)
    scale = width / (edges[-1] - edges[0])
    is_drawn = np.zeros(width, np.bool_)
    for position in np.unique(tops[tops >= 0]).tolist():
        first, last = (float(row.starts[position]) - edges[0]) * scale, (float(row.ends[position]) - edges[0]) * scale
        begin, end = max(round(first), 0), min(round(last), width)
        if end - begin >= MIN_FRAME:
            frame = int(row.rows[position])
            _draw_frame(cells, flame, frame, y, begin, end, matches, is_cursor=frame == cursor)
            is_drawn[begin:end] = True
    rest = np.flatnonzero((tops >= 0) & ~is_drawn & (shares > 1 / 16))
    if len(rest):
        frames = row.rows[tops[rest]]
        cells.glyphs[y, rest] = ord("▏")
        cells.inks[y, rest] = np.where(frames == cursor, int(Ink.CURSOR), flame.inks[frames])
        if matches is not None:
            cells.inks[y, rest[matches[frames]]] = Ink.ACCENT


def _draw_frame(
    cells: Cells,
    flame: Flame,
    frame: int,
    y: int,
    begin: int,
    end: int,
    matches: npt.NDArray[np.bool_] | None,
    *,
    is_cursor: bool,
    is_faded: bool = False,
) -> None:
    width = end - begin
    name = shorten(flame.names[frame].removeprefix("nn.Module: "), max(width - 1, 1))
    text = safe(name) + " " * max(width - 1 - cell_width(safe(name)), 0)
    if is_cursor:
        write(cells, y, begin, fit(" " + text, width), Ink.CURSOR)
        return
    if matches is not None and matches[frame]:
        write(cells, y, begin, "▌", Ink.ACCENT)
        write(cells, y, begin + 1, fit(text, width - 1), Ink.ACCENT)
        return
    ink = int(flame.inks[frame])
    level = 2 if is_faded else SHADES - 3
    cells.glyphs[y, begin:end] = 32
    cells.inks[y, begin:end] = to_shade_inks(ink, 0, level)
    cells.glyphs[y, begin], cells.inks[y, begin] = ord("▌"), to_shade_inks(ink, SHADES - 1, level)
    write(cells, y, begin + 1, fit(text, width - 1), int(to_shade_inks(ink, SHADES - 1 if is_faded else 0, level)))


def describe_frame(flame: Flame, frame: int, matches: npt.NDArray[np.bool_] | None) -> tuple[Piece, ...]:
    """Return a line about a frame: its time, share and number of calls."""
    total, time = float(flame.totals[0]), float(flame.totals[frame])
    parts = [
        f"{time_text(time)}, {format_percent(time / total if total > 0 else 0.0)} of all",
        f"self {time_text(float(flame.self_times[frame]))}",
    ]
    if frame:
        parts.append(format_count(int(flame.counts[frame]), "call"))
    if matches is not None:
        parts.append(f"matches: {format_percent(measure_matches(flame, matches))}")
    return ((" · ".join(parts), Ink.DIM),)


def stack_lines(flame: Flame, frame: int) -> list[str]:
    """Return the names of a stack, the outermost first, and the frames on top of it."""
    path = [frame]
    while path[-1]:
        path.append(int(flame.parents[path[-1]]))
    lines = [f"{'  ' * depth}{flame.names[caller]}" for depth, caller in enumerate(reversed(path))]
    lines += ["", f"self: {time_text(float(flame.self_times[frame]))} of {time_text(float(flame.totals[frame]))}", ""]
    for child in flame.children(frame)[:30].tolist():
        share = float(flame.totals[child]) / max(float(flame.totals[frame]), 1e-9)
        lines.append(f"{time_text(float(flame.totals[child])):>10}  {format_percent(share):>7}  {flame.names[child]}")
    return lines
