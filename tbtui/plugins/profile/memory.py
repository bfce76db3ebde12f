"""Memory over time: the curve of each device, the allocations at the peak, and growth from step to step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.numbers import format_count, format_size
from tbtui.charts.text import cell_width, fit, write
from tbtui.frozen import frozen
from tbtui.plugins.profile.groups import find_modules
from tbtui.plugins.profile.overview import CLASS_INKS
from tbtui.plugins.profile.summary import time_text
from tbtui.plugins.profile.trace import NOTHING, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tbtui.plugins.profile.capture import Analysis
    from tbtui.plugins.profile.trace import Trace

MIN_GROWTH = 0.01
"""Growth of each step, as a share of the peak, that is reported."""

_EIGHTHS = " ▁▂▃▄▅▆▇█"


@frozen(eq=False)
class MemoryRow:
    """Allocations of one operator on one device."""

    name: str
    device: str
    calls: int
    """Number of allocations."""

    allocated: float
    """Bytes of all allocations."""

    freed: float
    net: float
    """Bytes allocated and not freed by the same operator."""

    at_peak: float
    """Bytes that are allocated at the peak of the device."""

    rows: npt.NDArray[np.int64]
    """Not used: allocations are no ranges."""


@frozen(eq=False)
class DeviceMemory:
    """The memory of one device."""

    name: str
    times: npt.NDArray[np.float64]
    """float64[n]: µs."""

    totals: npt.NDArray[np.float64]
    """float64[n]: bytes allocated; above the minimum, if that is below 0 as the capture began later."""

    reserved: npt.NDArray[np.float64]
    peak: float
    peak_time: float
    peak_reserved: float
    """Greatest reserved bytes; NaN if not recorded."""

    growth: float
    """Bytes by which each step ends higher than the one before; 0 unless all do."""

    rows: tuple[MemoryRow, ...]
    modules: tuple[tuple[str, float], ...]
    """Modules with the bytes that they hold at the peak, the largest first."""

    unknown_at_peak: float
    """Bytes at the peak that were allocated before the capture, or whose allocation was not recorded."""


def build_memory(analysis: Analysis) -> tuple[DeviceMemory, ...]:
    """Return the memory of each device of a capture; none if it was not recorded."""
    allocations = analysis.trace.allocations
    if not len(allocations):
        return ()
    owners = _find_owners(analysis)
    return tuple(
        _measure_device(analysis, number, name, owners) for number, name in enumerate(allocations.device_names)
    )


def _find_owners(analysis: Analysis) -> npt.NDArray[np.int64]:
    """Return the innermost operator at each allocation, int64[allocations]; -1 for none."""
    trace, allocations = analysis.trace, analysis.trace.allocations
    owners = np.full(len(allocations), NOTHING, np.int64)
    is_operator = trace.is_of_kind(Kind.OPERATOR)
    parents = analysis.calls.parents
    for track in np.unique(allocations.tracks).tolist():
        part = trace.track(track)
        rows = part.start + np.flatnonzero(is_operator[part])
        indices = np.flatnonzero(allocations.tracks == track)
        if not len(rows):
            continue
        last = np.searchsorted(trace.starts[rows], allocations.times[indices], "right") - 1
        for index, position in zip(indices.tolist(), last.tolist(), strict=True):
            row = int(rows[position]) if position >= 0 else NOTHING
            while row >= 0 and trace.ends[row] < allocations.times[index]:
                row = int(parents[row])
            owners[index] = row
    return owners


def _measure_device(analysis: Analysis, number: int, name: str, owners: npt.NDArray[np.int64]) -> DeviceMemory:
    trace, allocations = analysis.trace, analysis.trace.allocations
    on_device = np.flatnonzero(allocations.devices == number)
    times, sizes = allocations.times[on_device], allocations.sizes[on_device]
    totals = allocations.totals[on_device]
    if not np.isfinite(totals).any():
        totals = np.cumsum(sizes)
    totals = np.where(np.isfinite(totals), totals, np.cumsum(sizes))
    totals = totals - min(float(totals.min()), 0.0)
    peak = int(totals.argmax())
    live: dict[int, int] = {}
    addresses = allocations.addresses[on_device].tolist()
    for index in range(peak + 1):
        if allocations.categories is not None:
            break
        if sizes[index] > 0:
            live[addresses[index]] = index
        else:
            live.pop(addresses[index], None)
    live_at_peak = np.array(sorted(live.values()), np.int64)
    rows = (
        _sum_by_operator(trace, name, owners[on_device], sizes, live_at_peak)
        if allocations.categories is None
        else _sum_by_category(allocations.category_names, name, allocations.categories[on_device], sizes, peak)
    )
    known_bytes = float(totals[peak]) if allocations.categories is not None else float(sizes[live_at_peak].sum())
    reserved = allocations.reserved[on_device]
    has_reserved = bool((np.isfinite(reserved) & (reserved > 0)).any())
    return DeviceMemory(
        name,
        times,
        totals,
        reserved,
        float(totals[peak]),
        float(times[peak]),
        float(np.nanmax(reserved)) if has_reserved else float("nan"),
        _measure_growth(analysis, times, totals),
        rows,
        _sum_by_module(analysis, owners[on_device][live_at_peak], sizes[live_at_peak]) if len(live_at_peak) else (),
        max(float(totals[peak]) - known_bytes, 0.0),
    )


def _sum_by_operator(
    trace: Trace,
    device: str,
    owners: npt.NDArray[np.int64],
    sizes: npt.NDArray[np.float64],
    live_at_peak: npt.NDArray[np.int64],
) -> tuple[MemoryRow, ...]:
    ids = np.where(owners >= 0, trace.name_ids[owners], len(trace.names))
    count = len(trace.names) + 1
    allocated = np.bincount(ids, np.maximum(sizes, 0), minlength=count)
    freed = np.bincount(ids, np.maximum(-sizes, 0), minlength=count)
    calls = np.bincount(ids, sizes > 0, minlength=count).astype(np.int64)
    live_ids, live_sizes = ids[live_at_peak], sizes[live_at_peak]
    at_peak = np.bincount(live_ids, live_sizes, minlength=count) if len(live_ids) else np.zeros(count)
    names = (*trace.names, "(outside of operators)")
    rows = [
        MemoryRow(
            names[index],
            device,
            int(calls[index]),
            float(allocated[index]),
            float(freed[index]),
            float(allocated[index] - freed[index]),
            float(at_peak[index]),
            np.zeros(0, np.int64),
        )
        for index in np.unique(ids).tolist()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.at_peak, -row.allocated, row.name)))


def _sum_by_category(
    names: Sequence[str], device: str, categories: npt.NDArray[np.int8], sizes: npt.NDArray[np.float64], peak: int
) -> tuple[MemoryRow, ...]:
    """Return a row for each category; without addresses, the bytes at the peak are the sum of all changes before."""
    count = len(names)
    allocated = np.bincount(categories, np.maximum(sizes, 0), minlength=count)
    freed = np.bincount(categories, np.maximum(-sizes, 0), minlength=count)
    calls = np.bincount(categories, sizes > 0, minlength=count).astype(np.int64)
    at_peak = np.bincount(categories[: peak + 1], sizes[: peak + 1], minlength=count)
    rows = [
        MemoryRow(
            name,
            device,
            int(calls[index]),
            float(allocated[index]),
            float(freed[index]),
            float(allocated[index] - freed[index]),
            float(at_peak[index]),
            np.zeros(0, np.int64),
        )
        for index, name in enumerate(names)
        if calls[index]
    ]
    return tuple(sorted(rows, key=lambda row: (-row.at_peak, -row.allocated, row.name)))


def _sum_by_module(
    analysis: Analysis, owners: npt.NDArray[np.int64], sizes: npt.NDArray[np.float64]
) -> tuple[tuple[str, float], ...]:
    modules = find_modules(analysis)
    if modules is None:
        return ()
    sums: dict[str, float] = {}
    for owner, nbytes in zip(owners.tolist(), sizes.tolist(), strict=True):
        module = int(modules[owner]) if owner >= 0 else NOTHING
        name = analysis.trace.name(module).removeprefix("nn.Module: ") if module >= 0 else "(no module)"
        sums[name] = sums.get(name, 0.0) + nbytes
    return tuple(sorted(sums.items(), key=lambda module: -module[1]))


def _measure_growth(analysis: Analysis, times: npt.NDArray[np.float64], totals: npt.NDArray[np.float64]) -> float:
    """Return the median growth of a step if all steps end higher than the one before."""
    steps = analysis.steps
    if steps.source == "whole" or len(steps.steps) < 3:
        return 0.0
    index = np.searchsorted(times, steps.ends, "right") - 1
    if index.min() < 0:
        return 0.0
    changes = np.diff(totals[index])
    min_change = MIN_GROWTH * float(totals.max())
    return float(np.median(changes)) if len(changes) and bool((changes > min_change).all()) else 0.0


def describe_memory(memory: DeviceMemory) -> str:
    """Return a line about the memory of a device."""
    parts = [f"{memory.name}: peak {format_size(memory.peak)} at {time_text(memory.peak_time)}"]
    if memory.peak_reserved == memory.peak_reserved:
        parts.append(f"reserved {format_size(memory.peak_reserved)}")
    if memory.unknown_at_peak > 0.01 * memory.peak:
        parts.append(f"{format_size(memory.unknown_at_peak)} of it from before the capture")
    if memory.growth > 0:
        parts.append(f"each step ends {format_size(memory.growth)} higher: a leak?")
    if memory.modules and memory.modules[0][0] != "(no module)":
        parts.append(f"most in {memory.modules[0][0]} ({format_size(memory.modules[0][1])})")
    return " · ".join(parts)


def draw_memory(analysis: Analysis, memory: DeviceMemory, width: int, height: int) -> Cells:
    """Draw the curve of a device: allocated bytes bright, reserved ones faint, the peak marked.

    Args:
        analysis: The capture.
        memory: Memory of one device.
        width: Columns.
        height: Rows, at least 3: the last two are the peak and the steps.
    """
    cells = Cells.blank(height, width)
    label = format_size(memory.peak)
    left = len(label) + 1
    columns, rows = max(width - left, 1), max(height - 2, 1)
    start, end = analysis.trace.extent
    edges = np.linspace(start, end, columns + 1)
    top = max(memory.peak, 1.0)
    if memory.peak_reserved == memory.peak_reserved and memory.peak_reserved < 3 * top:
        top = max(top, memory.peak_reserved)
        _draw_area(cells, left, rows, edges, memory.times, memory.reserved / top, int(Ink.FAINT))
    _draw_area(cells, left, rows, edges, memory.times, memory.totals / top, CLASS_INKS["copies"])
    write(cells, 0, 0, format_size(top).rjust(left - 1), Ink.DIM)
    write(cells, rows - 1, 0, "0".rjust(left - 1), Ink.DIM)
    column = left + min(int((memory.peak_time - start) / (end - start) * columns), columns - 1)
    text = f"▲ {label}"
    write(cells, rows, column if column + len(text) <= width else max(column - len(text) + 1, left), text, Ink.WARN)
    last = -1
    for step in analysis.steps.steps if analysis.steps.source != "whole" else ():
        column = left + int((step.start - start) / (end - start) * columns)
        if left <= column < width and column > last:
            name = fit(f"│{step.number}", width - column)
            write(cells, height - 1, column, name, Ink.DIM)
            last = column + cell_width(name)
    return cells


def _draw_area(
    cells: Cells,
    left: int,
    rows: int,
    edges: npt.NDArray[np.float64],
    times: npt.NDArray[np.float64],
    shares: npt.NDArray[np.float64],
    ink: int,
) -> None:
    firsts = np.searchsorted(times, edges[:-1], "right") - 1
    lasts = np.searchsorted(times, edges[1:], "left")
    for column, (first, last) in enumerate(zip(firsts.tolist(), lasts.tolist(), strict=True)):
        begin = max(first, 0)
        if first < 0 and last <= 0:
            continue
        share = float(np.nanmax(shares[begin : max(last, begin + 1)], initial=0.0))
        eighths = min(max(round(share * rows * 8), 1 if share > 0 else 0), rows * 8)
        for row in range(rows):  # from the bottom
            filled = min(max(eighths - 8 * row, 0), 8)
            if filled:
                cells.glyphs[rows - 1 - row, left + column] = ord(_EIGHTHS[filled])
                cells.inks[rows - 1 - row, left + column] = ink


def list_memory_owners(memory: DeviceMemory) -> list[str]:
    """Return the modules and operators that hold memory of a device at its peak."""
    lines = [describe_memory(memory), ""]
    if memory.modules:
        lines += ["modules that hold memory at the peak:"]
        lines += [f"{format_size(nbytes):>10}  {name}" for name, nbytes in memory.modules[:30]]
        lines.append("")
    lines.append("operators that allocated what is held at the peak:")
    lines += [
        f"{format_size(row.at_peak):>10}  {row.name},"
        f" {format_count(row.calls, 'allocation')} of {format_size(row.allocated)} in all"
        for row in memory.rows[:60]
        if row.at_peak > 0
    ]
    return lines
