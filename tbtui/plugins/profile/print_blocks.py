"""Print profiles: the breakdown of a step, advice, and the operators and kernels that take most time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_count, format_size
from tbtui.charts.text import safe
from tbtui.plugins.profile.capture import SHARED, CaptureError, list_capture_sources
from tbtui.plugins.profile.memory import describe_memory
from tbtui.plugins.profile.summary import (
    format_milliseconds,
    format_operators_scope,
    format_percent,
    format_scope,
    list_class_times,
    list_device_parts,
    list_head_parts,
    list_missing_parts,
    time_text,
)
from tbtui.plugins.profile.tables import shorten_kernel_name
from tbtui.plugins.profile.trace import MEMORY_TIMELINE
from tbtui.report.blocks import MISSING, Column, Heading, InkText, Notes, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.plugins.profile.capture import Analysis, CaptureSource
    from tbtui.report.blocks import Block
    from tbtui.report.options import PrintOptions
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.view import View

MAX_CAPTURES = 6
"""Default maximum of captures for each run."""

MAX_OPERATORS, MAX_KERNELS = 12, 8
"""Default numbers of rows."""

MAX_ADVICE = 3
MAX_INSPECTED_BYTES = 32 << 20
"""Bytes of a file that `inspect` reads: about a second."""


def print_profiles(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield the summary of each capture of the matching runs."""
    for run in view.runs:
        sources = [source for source in list_capture_sources(run) if view.tag_matches(source.tag)]
        limit = MAX_CAPTURES if options.max_tags is None else options.max_tags or len(sources)
        for source in sources[:limit]:
            yield from _print_capture(source, options)
        if len(sources) > limit:
            yield Notes((f"{len(sources) - limit:,} more captures of {safe(run.name)} (--max-tags 0)",))


def describe_captures(run: RunSnapshot) -> Iterator[str]:
    """Yield lines about each capture of a run: events, steps, devices, damage, and the parts that were not recorded.

    The first captures are read, and no long ones: `print --plugin profile` reads them.
    """
    for number, source in enumerate(list_capture_sources(run)):
        if number >= MAX_CAPTURES or source.asset.bytes > MAX_INSPECTED_BYTES:
            yield f"{source.title}: not read (tbtui print --plugin profile)"
            continue
        try:
            analysis = SHARED.load(source)
        except CaptureError as error:
            yield f"! {error}"
            continue
        parts = [format_count(analysis.trace.event_count, "event"), *list_head_parts(analysis)]
        parts += [f"{device.name} busy {format_percent(device.busy)}" for device in analysis.devices]
        name = source.title if source.value is None else f"profile {source.title} in run metadata"
        yield f"{name}: {', '.join(parts)}"
        for problem in analysis.trace.problems:
            yield f"! {problem}"
        if missing := list_missing_parts(analysis):
            yield f"  not recorded: {'; '.join(missing)}"


def _print_capture(source: CaptureSource, options: PrintOptions) -> Iterator[Block]:
    name = source.title if source.run == "." else f"{source.run} · {source.title}"
    try:
        analysis = SHARED.load(source)
    except CaptureError as error:
        yield Heading(name)
        yield Notes((safe(str(error)),), Ink.WARN)
        return
    yield Heading(name, safe(" · ".join(list_head_parts(analysis))))
    if analysis.trace.writer == MEMORY_TIMELINE:
        yield from _print_memory(analysis)
        return
    yield _print_breakdown(analysis)
    if analysis.devices:
        yield Notes(tuple(safe(" · ".join(list_device_parts(device))) for device in analysis.devices), Ink.TEXT)
    yield Notes(tuple(_print_advice(analysis)), Ink.TEXT)
    yield from _print_operators(analysis, options.rows or MAX_OPERATORS)
    yield from _print_kernels(analysis, options.rows or MAX_KERNELS)
    if analysis.memory:
        yield Notes(tuple(safe(describe_memory(memory)) for memory in analysis.memory), Ink.TEXT)
    if analysis.trace.problems:
        yield Notes(tuple(safe(f"! {problem}") for problem in analysis.trace.problems), Ink.WARN)
    if missing := list_missing_parts(analysis):
        yield Notes((safe(f"not recorded: {'; '.join(missing)}"),))


def _print_memory(analysis: Analysis) -> Iterator[Block]:
    columns = Column("memory", "left"), Column("at the peak", "right"), Column("allocations", "right")
    for memory in analysis.memory:
        yield Notes((safe(describe_memory(memory)),), Ink.TEXT)
        rows = ((row.name, format_size(row.at_peak), f"{row.calls:,}") for row in memory.rows)
        yield Table(columns, tuple(tuple(map(InkText, row)) for row in rows), is_verbatim=True)


def _print_advice(analysis: Analysis) -> Iterator[str]:
    for advice in analysis.advice[:MAX_ADVICE]:
        yield safe(
            f"{'✓' if advice.is_good else '▲'} {advice.finding}" + (f" → {advice.change}" if advice.change else "")
        )


def _print_breakdown(analysis: Analysis) -> Table:
    count = len(analysis.steps.steps)
    title = "of a step" if count == 1 else f"of a step, mean of {count}"
    if analysis.steps.source == "whole":
        title = "of the capture"
    columns = (Column(title, "left"), Column("ms"), Column("share", "right"))
    rows = tuple(
        (InkText(each.kind.title), InkText(format_milliseconds(each.time)), InkText(format_percent(each.share)))
        for each in list_class_times(analysis)
    )
    return Table(columns, rows, is_verbatim=True)


def _print_operators(analysis: Analysis, max_rows: int) -> Iterator[Block]:
    rows = analysis.operators
    has_device = bool(analysis.devices)
    columns = [
        Column(f"operator, {format_operators_scope(analysis)}", "left"),
        Column("calls", "right"),
        *((Column("device ms"), Column("self", "number", 2)) if has_device else ()),
        Column("host ms"),
        Column("self", "number", 1),
    ]
    table_rows = []
    for row in rows[:max_rows]:
        device = (format_milliseconds(row.device_total), format_milliseconds(row.device_own)) if has_device else ()
        cells = (
            row.name,
            f"{row.calls:,}",
            *device,
            format_milliseconds(row.host_total),
            format_milliseconds(row.host_own),
        )
        table_rows.append(tuple(map(InkText, cells)))
    if table_rows:
        yield Table(tuple(columns), tuple(table_rows), is_verbatim=True)
        if len(rows) > max_rows:
            yield Notes((f"{len(rows) - max_rows:,} more operators (--height ROWS, tbtui export --plugin operators)",))


def _print_kernels(analysis: Analysis, max_rows: int) -> Iterator[Block]:
    rows = analysis.kernels
    columns = (
        Column(f"kernel, {format_scope(analysis)}", "left"),
        Column("calls", "right"),
        Column("total ms"),
        Column("mean", "right", 1),
        Column("share", "right"),
        Column("occupancy", "right", 1),
    )
    table_rows = []
    for row in rows[:max_rows]:
        occupancy = MISSING if math.isnan(row.occupancy) else InkText(f"{row.occupancy:.0f} %")
        cells = (f"{row.calls:,}", format_milliseconds(row.total), time_text(row.mean), format_percent(row.share))
        table_rows.append((InkText(shorten_kernel_name(row.name)), *map(InkText, cells), occupancy))
    if table_rows:
        yield Table(columns, tuple(table_rows), is_verbatim=True)
        if len(rows) > max_rows:
            yield Notes((f"{len(rows) - max_rows:,} more kernels (--height ROWS, tbtui export --plugin kernels)",))
