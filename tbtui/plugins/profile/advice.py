"""Advice, each with its evidence: a number, the threshold that it passes, and the view that shows it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tbtui.charts.numbers import format_count
from tbtui.frozen import frozen
from tbtui.maths.intervals import merge, sum_covered_between, sum_lengths
from tbtui.plugins.profile.breakdown import COMMUNICATION, INPUT, is_collective
from tbtui.plugins.profile.summary import time_text
from tbtui.plugins.profile.trace import XLA, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.plugins.profile.capture import Analysis

View: TypeAlias = Literal["overview", "operators", "kernels", "timeline", "memory", "input", "communication"]

MAX_INPUT = 0.05
MAX_HOST_LATE = 0.20
MAX_SHORT_KERNEL = 20.0
"""µs: a device whose median kernel is shorter is fed by launches."""

MIN_KERNELS = 10
MAX_COMMUNICATION = 0.10
MAX_PAGEABLE = 0.03
MAX_SYNC = 0.05
MAX_COPIES = 0.10
MAX_SET_UP = 0.20
"""Share of the time of one call of the runtime from which it is the set-up of the device."""
MAX_SPREAD = 0.20
MIN_WARM_UP = 3.0
MIN_BUSY = 0.90
MAX_MEMORY = 0.90
MIN_CAPABILITY = 8

_SYNC = re.compile(
    r"^(?:cuda|hip)(?:Stream|Device|Event)Synchronize$|^aten::(?:item|_local_scalar_dense|nonzero|is_nonzero)$"
)
_SET_UP = re.compile(r"^(?:cuda|cu|hip)(?!.*(?:Launch|Memcpy|Memset|Synchronize|Wait))", re.IGNORECASE)
"""Calls of the runtime that launch nothing, copy nothing and wait for nothing; the first one creates the context."""

_COPY = re.compile(r"^aten::(?:copy_|to|_to_copy|contiguous|clone)$")
_MATMUL = re.compile(r"gemm|cudnn.*(?:conv|fprop|dgrad|wgrad)|cutlass|implicit", re.IGNORECASE)


@frozen
class Advice:
    """One thing to change."""

    weight: float
    """Share of the time that it concerns, 0 to 1; the greatest comes first."""

    finding: str
    """Finding, with its number."""

    change: str
    """Change that helps; empty if there is nothing to do."""

    view: View = "overview"
    """View that shows the evidence."""

    is_good: bool = False


def find_advice(analysis: Analysis) -> tuple[Advice, ...]:
    """Return advice, the most promising first; without any, one line that says so."""
    advice = sorted(_find(analysis), key=lambda each: -each.weight)
    if advice:
        return tuple(advice)
    devices = analysis.devices
    busy = max((device.busy for device in devices), default=0.0)
    if busy >= MIN_BUSY:
        text = f"the device is {100 * busy:.0f} % busy: only faster or fewer kernels help"
        return (Advice(busy, text, "", "kernels", is_good=True),)
    return (Advice(0.0, "nothing stands out", "", "operators", is_good=True),)


def _find(analysis: Analysis) -> Iterator[Advice]:
    yield from _set_up(analysis)
    yield from _check_input(analysis)
    yield from _check_late_launches(analysis)
    yield from _check_communication(analysis)
    yield from _check_pageable_copies(analysis)
    yield from _check_steps(analysis)
    yield from _check_precision(analysis)
    yield from _check_memory(analysis)
    if max((device.busy for device in analysis.devices), default=0.0) < MIN_BUSY:  # else the host has time to spare
        yield from _check_syncs(analysis)
        yield from _check_copies(analysis)


def _set_up(analysis: Analysis) -> Iterator[Advice]:
    """Find one call that takes much of the capture: the first of a process creates the context of the device."""
    trace = analysis.trace
    rows = np.flatnonzero(trace.is_of_kind(Kind.RUNTIME))
    duration = float(analysis.steps.durations.sum())
    if not len(rows) or duration <= 0:
        return
    longest = int(rows[int(trace.durations[rows].argmax())])
    time = float(trace.durations[longest])
    if time > MAX_SET_UP * duration and _SET_UP.match(trace.name(longest)):
        yield Advice(
            1.0,
            f"one call of {trace.name(longest)} takes {time_text(time)}, "
            f"{_format_percent(time / duration)} of the time: the device is being set up",
            "warm up before the capture: schedule(wait, warmup) of the profiler",
            "timeline",
        )


def _check_input(analysis: Analysis) -> Iterator[Advice]:
    share = analysis.breakdown.share(INPUT)
    if share > MAX_INPUT:
        yield Advice(
            share,
            f"input-bound: {_format_percent(share)} of the step waits for the next batch",
            "prefetch and map in parallel (AUTOTUNE), cache, batch before mapping"
            if analysis.trace.writer == XLA
            else "more loader workers, pin_memory, prefetch; cache or simplify the transforms",
            "input",
        )


def _check_late_launches(analysis: Analysis) -> Iterator[Advice]:
    for device in analysis.devices:
        if device.host_late > MAX_HOST_LATE:
            duration = float(analysis.steps.durations.mean())
            unit = "" if analysis.steps.source == "whole" else " a step"
            waiting, total = _format_ms(device.host_late * duration), _format_ms(duration)
            late = f"{device.name} waits for the host {waiting} of {total} ms{unit}"
            if device.median_kernel < MAX_SHORT_KERNEL and device.kernels >= MIN_KERNELS:
                late += f"; half of its {device.kernels:,} kernels run < {max(device.median_kernel, 0.1):.3g} µs"
                yield Advice(
                    device.host_late,
                    f"launch-bound: {late}",
                    "larger batches, CUDA graphs, torch.compile; fewer small operators",
                    "timeline",
                )
            else:
                yield Advice(
                    device.host_late,
                    f"host-bound: {late}",
                    "move work of the host off the step: input, logging, metrics, synchronisation",
                    "timeline",
                )


def _check_communication(analysis: Analysis) -> Iterator[Advice]:
    share = analysis.breakdown.share(COMMUNICATION)
    if share > MAX_COMMUNICATION:
        trace = analysis.trace
        mask = is_collective(trace) | trace.is_of_kind(Kind.COLLECTIVE)
        communication = merge(trace.starts[mask], trace.ends[mask])
        compute = trace.is_of_kind(Kind.KERNEL) & ~mask
        merged = merge(trace.starts[compute], trace.ends[compute])
        hidden = float(sum_covered_between(merged, communication[0], communication[1]).sum()) / max(
            sum_lengths(communication), 1e-9
        )
        yield Advice(
            share,
            f"{_format_percent(share)} of the step is communication that nothing hides; "
            f"{_format_percent(hidden)} of it is hidden",
            "overlap it with the backward pass, larger buckets, gradient accumulation, faster links",
            "communication",
        )


def _check_pageable_copies(analysis: Analysis) -> Iterator[Advice]:
    rows = [row for row in analysis.kernels if "Pageable" in row.name]
    duration = float(analysis.steps.durations.sum())
    share = sum(row.total for row in rows) / duration if duration > 0 else 0.0
    if share > MAX_PAGEABLE:
        count = sum(row.calls for row in rows)
        yield Advice(
            share,
            f"{count:,} copies of pageable memory take {_format_percent(share)} of the step",
            "pin_memory=True and non_blocking=True",
            "kernels",
        )


def _check_syncs(analysis: Analysis) -> Iterator[Advice]:
    trace = analysis.trace
    names = np.array([_SYNC.match(name) is not None for name in trace.names], np.bool_)
    if not names.any():
        return
    mask = trace.match_names(names) & trace.is_of_kind(Kind.RUNTIME, Kind.OPERATOR)
    merged = merge(trace.starts[mask], trace.ends[mask])
    times = sum_covered_between(merged, analysis.steps.starts, analysis.steps.ends)
    duration = float(analysis.steps.durations.sum())
    share = float(times.sum()) / duration if duration > 0 else 0.0
    if share > MAX_SYNC:
        rows = np.flatnonzero(mask)
        longest = int(rows[int(trace.durations[rows].argmax())])
        caller = find_python_caller(analysis, longest)
        caller_text = f", called from {caller}" if caller else ""
        yield Advice(
            share,
            f"the host waits for the device {_format_percent(share)} of the step: {trace.name(longest)}{caller_text}",
            "keep losses and metrics on the device; log less often; avoid .item() and nonzero",
            "timeline",
        )


def find_python_caller(analysis: Analysis, row: int) -> str:
    """Return the innermost Python function around an event; empty if stacks were not recorded."""
    trace = analysis.trace
    part = trace.track(int(trace.track_ids[row]))
    rows = part.start + np.flatnonzero(trace.kinds[part] == Kind.PYTHON)
    rows = rows[(trace.starts[rows] <= trace.starts[row]) & (trace.ends[rows] >= trace.ends[row])]
    for each in rows[::-1].tolist():
        name = trace.name(each)
        if not name.startswith(("<built-in", "torch/", "nn.Module:")):
            return name
    return trace.name(int(rows[-1])) if len(rows) else ""


def _check_steps(analysis: Analysis) -> Iterator[Advice]:
    durations = analysis.steps.durations
    if len(durations) < 3 or analysis.steps.source == "whole":
        return
    median = float(np.median(durations))
    if durations[0] >= MIN_WARM_UP * median:
        yield Advice(
            0.04,
            f"the first step takes {time_text(float(durations[0]))}, the median {time_text(median)}: "
            "warm-up in the capture",
            "start the capture some steps later"
            if analysis.trace.writer == XLA
            else "skip it with schedule(wait, warmup) of the profiler",
        )
        durations = durations[1:]
    spread = float(durations.std() / max(durations.mean(), 1e-9))
    if spread > MAX_SPREAD:
        yield Advice(
            0.05,
            f"the {'other ' if len(durations) < len(analysis.steps.steps) else ''}steps vary by "
            f"{_format_percent(spread)}: {time_text(float(durations.min()))} to {time_text(float(durations.max()))}",
            "look for what only the long steps do",
            "timeline",
        )


def _check_precision(analysis: Analysis) -> Iterator[Advice]:
    properties = analysis.trace.head.get("deviceProperties")
    if not isinstance(properties, list) or not properties or not isinstance(properties[0], dict):
        return
    capability = properties[0].get("computeMajor")
    if not isinstance(capability, int) or capability < MIN_CAPABILITY:
        return
    matmuls = [row for row in analysis.kernels if _MATMUL.search(row.name)]
    slow = [row for row in matmuls if not row.uses_tensor_cores]
    device_time = sum(row.total for row in analysis.kernels)
    share = sum(row.total for row in slow) / device_time if device_time > 0 else 0.0
    if share > MAX_COPIES:
        yield Advice(
            share * max((device.busy for device in analysis.devices), default=0.0),
            f"{_format_percent(share)} of the device time are matrix kernels without tensor cores",
            "autocast to bfloat16, or allow TF32: torch.set_float32_matmul_precision('high')",
            "kernels",
        )


def _check_copies(analysis: Analysis) -> Iterator[Advice]:
    rows = [row for row in analysis.operators if _COPY.match(row.name)]
    duration = float(analysis.steps.durations.sum())
    host = max((row.host_total for row in rows), default=0.0)
    if duration > 0 and host / duration > MAX_COPIES:
        row = max(rows, key=lambda operator: operator.host_total)
        yield Advice(
            host / duration,
            f"{format_count(row.calls, 'call')} of {row.name} take {_format_ms(host)} ms of the host "
            f"in {_format_scope(analysis)}",
            "create tensors on the device and in the dtype and layout in which they are used",
            "operators",
        )


def _check_memory(analysis: Analysis) -> Iterator[Advice]:
    allocations = analysis.trace.allocations
    properties = analysis.trace.head.get("deviceProperties")
    if not len(allocations) or not isinstance(properties, list):
        return
    for device in properties:
        if not isinstance(device, dict) or not isinstance(device.get("totalGlobalMem"), int):
            continue
        name = f"GPU {device.get('id', 0)}"
        if name not in allocations.device_names:
            continue
        is_on_device = allocations.devices == allocations.device_names.index(name)
        peak = float(np.nanmax(allocations.reserved[is_on_device], initial=0.0))
        share = peak / device["totalGlobalMem"] if device["totalGlobalMem"] else 0.0
        if share > MAX_MEMORY:
            yield Advice(
                0.2,
                f"{name} reserves {_format_percent(share)} of its memory at the peak",
                "a smaller batch, activation checkpointing, or a lower precision",
                "memory",
            )


def _format_scope(analysis: Analysis) -> str:
    return "the capture" if analysis.steps.source == "whole" else format_count(len(analysis.steps.steps), "step")


def _format_percent(share: float) -> str:
    return f"{100 * share:.3g} %" if share < 0.995 else f"{100 * share:.0f} %"


def _format_ms(microseconds: float) -> str:
    milliseconds = microseconds / 1e3
    return f"{milliseconds:,.0f}" if milliseconds >= 100 else f"{milliseconds:.3g}"
