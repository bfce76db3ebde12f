"""Texts about a capture: its head, the breakdown of a step, its devices, and the parts that were not recorded."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.charts.numbers import format_count, format_size
from tbtui.frozen import frozen
from tbtui.plugins.profile.breakdown import CLASSES
from tbtui.plugins.profile.trace import MEMORY_TIMELINE, STEP_STATS, XLA, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.plugins.profile.breakdown import DeviceUse, TimeClass
    from tbtui.plugins.profile.capture import Analysis

PRIVATE = frozenset({"host_name", "user", "username", "job", "traceName"})
"""Keys of the head that name people and machines."""

ALL_STEPS = -1


@frozen
class ClassTime:
    """Time of one class in a step."""

    kind: TimeClass
    time: float
    """µs."""

    share: float


def time_text(microseconds: float) -> str:
    """Return a duration with its unit: `222.4 ms`, `16.3 µs`, `43.4 s`."""
    if not math.isfinite(microseconds):
        return "–"
    for unit, factor in (("s", 1e6), ("ms", 1e3), ("µs", 1.0)):
        if abs(microseconds) >= 0.9995 * factor:
            return f"{_format_digits(microseconds / factor)} {unit}"
    return f"{_format_digits(microseconds * 1e3)} ns" if microseconds else "0"


def format_moment(microseconds: float) -> str:
    """Return a time since the start of the capture to a µs, so that neighbours differ."""
    return f"{microseconds / 1e3:,.3f} ms" if math.isfinite(microseconds) else "–"


MIN_MS = 0.0005
"""Shorter times would be `0.000`."""


def format_milliseconds(microseconds: float) -> str:
    """Return milliseconds without unit, as in columns of a table: `46.876`. Operators of small models take some µs.

    Less than half a µs is `<0.001`, and nothing at all `0`.
    """
    milliseconds = microseconds / 1e3
    if abs(milliseconds) < MIN_MS:
        return "<0.001" if milliseconds else "0"
    decimals = 3 if abs(milliseconds) < 999.9995 else 1 if abs(milliseconds) < 99_999.95 else 0
    return f"{milliseconds:,.{decimals}f}"


def format_change(microseconds: float) -> str:
    """Return a difference in milliseconds with its sign, `+0.91`; `0.00` if it rounds to nothing."""
    if not microseconds:
        return "0"
    text = f"{microseconds / 1e3:+,.2f}"
    return text[1:] if text in ("+0.00", "-0.00") else text


def format_percent(share: float) -> str:
    """Return `28.4 %`."""
    return "–" if math.isnan(share) else f"{100 * share:.1f} %"


def _format_digits(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{value:.4g}" if abs(value) >= 1 else f"{value:.3g}"


def list_class_times(analysis: Analysis, step: int = ALL_STEPS) -> list[ClassTime]:
    """Return the classes that take time, by precedence.

    Args:
        analysis: The capture.
        step: Index of a step; `ALL_STEPS`: the mean of all.
    """
    times = analysis.breakdown.mean if step == ALL_STEPS else analysis.breakdown.times[step]
    duration = float(times.sum())
    return [
        ClassTime(kind, time, time / duration if duration > 0 else 0.0)
        for kind, time in zip(CLASSES, times.tolist(), strict=True)
        if time > 0
    ]


def list_head_parts(analysis: Analysis) -> list[str]:
    """Return the parts of the head, the most important first: duration, steps, rank, device."""
    trace, steps = analysis.trace, analysis.steps
    parts, durations = [], steps.durations
    mean = float(durations.mean())
    if trace.writer == MEMORY_TIMELINE:
        return [f"memory over {time_text(mean)}"]
    if steps.source == "whole":
        parts.append(f"{time_text(mean)}, no steps marked")
    else:
        spread = float(durations.std() / mean) if mean > 0 and len(durations) > 1 else 0.0
        guessed = "guessed " if steps.source == "guessed" else ""
        count = f"{guessed}{format_count(len(durations), 'step')}"
        single = f"{count} of {time_text(mean)}"
        parts.append(single if len(durations) == 1 else f"{time_text(mean)} a step ±{100 * spread:.1f} % · {count}")
    if rank := rank_text(analysis):
        parts.append(rank)
    names = list(dict.fromkeys(_list_device_names(trace.head)))
    if names:
        parts.append(names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} others")
    elif not analysis.devices:
        parts.append("CPU")
    if not trace.is_complete:
        parts.append("reading …")
    return parts


def list_heads(analysis: Analysis) -> tuple[str, ...]:
    """Return ever shorter heads: all parts, then without the last ones, at last the mean duration of a step alone."""
    parts = " · ".join(list_head_parts(analysis)).split(" · ")
    heads = [" · ".join(parts[:count]) for count in range(len(parts), 0, -1)]
    durations = analysis.steps.durations
    if len(durations) > 1:
        mean = time_text(float(durations.mean()))
        heads += [f"{mean} a step", f"{mean}/step"]
    return tuple(heads)


def format_scope(analysis: Analysis, step: int = ALL_STEPS) -> str:
    """Return the part of the capture that numbers are about: `all 3 steps`, `step 4`, `whole capture`."""
    steps = analysis.steps
    if steps.source == "whole":
        return "whole capture"
    if step != ALL_STEPS or len(steps.steps) == 1:
        return f"step {steps.steps[max(step, 0)].number}"
    return f"all {len(steps.steps)} steps"


def format_operators_scope(analysis: Analysis, step: int = ALL_STEPS) -> str:
    """Return the part of the capture that numbers of operators are about, as `format_scope` does."""
    if step == ALL_STEPS and not analysis.are_operators_of_steps:
        return "whole capture"
    return format_scope(analysis, step)


def rank_text(analysis: Analysis) -> str:
    """Return `rank 0 of 2`; empty if not recorded."""
    info = analysis.trace.head.get("distributedInfo")
    if isinstance(info, dict) and isinstance(info.get("rank"), int):
        world = info.get("world_size")
        return f"rank {info['rank']}" + (f" of {world}" if isinstance(world, int) else "")
    return ""


def _list_device_names(head: Any) -> Iterator[str]:
    devices = head.get("deviceProperties")
    if isinstance(devices, list):
        for device in devices:
            if isinstance(device, dict) and isinstance(device.get("name"), str):
                yield device["name"].removeprefix("NVIDIA ").removeprefix("Tesla ")


def list_device_parts(device: DeviceUse) -> list[str]:
    """Return the parts of a line about a device, the most important first."""
    parts = [
        f"{device.name} busy {format_percent(device.busy)}",
        f"host late {format_percent(device.host_late)}",
        f"waiting {format_percent(device.waiting)}",
    ]
    if not math.isnan(device.occupancy):
        parts.append(f"occupancy {device.occupancy:.0f} %")
    if not math.isnan(device.efficiency):
        parts.append(f"SM {100 * device.efficiency:.0f} %")
    if device.kernels:
        parts.append(f"{format_count(device.kernels, 'kernel')}, median {time_text(device.median_kernel)}")
    return parts


def list_missing_parts(analysis: Analysis) -> list[str]:
    """Return the parts that were not recorded, each with the option that records it."""
    trace, head = analysis.trace, analysis.trace.head
    parts = []
    if analysis.steps.source == "whole" and trace.writer != MEMORY_TIMELINE:
        option = "StepTraceAnnotation or trace(step_num=)" if trace.writer == XLA else "call prof.step()"
        parts.append(f"no steps: {option}")
    if trace.writer in {STEP_STATS, MEMORY_TIMELINE}:
        return parts
    if trace.writer == XLA:
        if not trace.is_of_kind(Kind.PYTHON).any():
            parts.append("no Python functions: python_tracer_level=1")
        return parts
    if not trace.is_of_kind(Kind.KERNEL).any():
        parts.append("no device activity: ProfilerActivity.CUDA")
    if not head.get("record_shapes"):
        parts.append("no shapes: record_shapes=True")
    if not trace.is_of_kind(Kind.PYTHON).any():
        parts.append("no stacks and modules: with_stack=True")
    if not len(trace.allocations):
        parts.append("no memory: profile_memory=True")
    return parts


def describe_capture(analysis: Analysis) -> list[str]:
    """Return all metadata of a capture, except names of people and machines."""
    trace = analysis.trace
    kinds, counts = np.unique(trace.kinds, return_counts=True)
    names = {int(kind): int(count) for kind, count in zip(kinds, counts, strict=True)}
    lines = [
        f"file: {analysis.source.asset.path}",
        f"size: {format_size(analysis.source.asset.bytes)}, {format_count(trace.event_count, 'event')}",
        f"ranges: {len(trace):,} on {format_count(len(trace.tracks), 'track')}",
        "kinds: "
        + ", ".join(f"{Kind(kind).name.lower().replace('_', ' ')} {count:,}" for kind, count in names.items()),
        f"time: {time_text(trace.extent[1] - trace.extent[0])}",
        *(f"missing: {part}" for part in list_missing_parts(analysis)),
        *(f"problem: {problem}" for problem in trace.problems),
        "",
    ]
    steps = analysis.steps
    if steps.left_out:
        lines.insert(
            4, f"steps: the last {format_count(steps.left_out, 'step')} was cut by the capture and is left out"
        )
    if steps.guess:
        lines.insert(4, f"steps: guessed from the calls of {steps.guess}")
    for key, value in trace.head.items():
        if key not in PRIVATE and isinstance(value, str | int | float):
            lines.append(f"{key}: {value}")
    for key, value in trace.head.items():
        if isinstance(value, list | dict) and value:
            lines += _iter_nested(key, value)
    return lines


def _iter_nested(key: str, value: Any, depth: int = 0) -> Sequence[str]:
    indent = "  " * depth
    if isinstance(value, dict) and depth < 4:
        inner = [
            line for name, each in value.items() if name not in PRIVATE for line in _iter_nested(name, each, depth + 1)
        ]
        return [f"{indent}{key}:", *inner]
    if isinstance(value, list) and depth < 4 and any(isinstance(each, dict) for each in value):
        inner = [line for number, each in enumerate(value) for line in _iter_nested(f"{number}", each, depth + 1)]
        return [f"{indent}{key}:", *inner]
    return [f"{indent}{key}: {str(value)[:200]}"]
