"""Summaries above the tables of memory, input, communication and comparisons, as cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.numbers import format_count, format_size
from tbtui.charts.text import cell_width, fit, safe, shorten
from tbtui.plugins.profile.breakdown import CLASSES, INPUT
from tbtui.plugins.profile.communication import (
    CollectiveRow,
    describe_hidden_share,
    describe_straggler,
    list_collectives,
    rank_summaries,
)
from tbtui.plugins.profile.comparison import ComparedRow, compare_classes
from tbtui.plugins.profile.memory import MemoryRow, describe_memory, draw_memory
from tbtui.plugins.profile.overview import CLASS_INKS, build_breakdown_bar, draw_lines, wrap_text
from tbtui.plugins.profile.summary import format_change, format_milliseconds, format_percent, time_text
from tbtui.plugins.profile.tables import KernelRow
from tbtui.plugins.profile.trace import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.profile.capture import Analysis, CaptureSource
    from tbtui.plugins.profile.pane.tables import AnyRow

MAX_CURVE_ROWS = 10
MIN_CURVE_ROWS = 5
MIN_WIDE = 60
"""Columns from which classes of time have their long names."""


def draw_memory_summary(analysis: Analysis, width: int, max_rows: int) -> Cells:
    """Draw the curve of each device below its text, as far as the rows suffice."""
    devices = analysis.memory
    if not devices:
        return Cells.blank(0, width)
    rows = min(max(max_rows // len(devices) - 1, MIN_CURVE_ROWS), MAX_CURVE_ROWS)
    shown = devices[: max(max_rows // (rows + 1), 1)]
    cells = Cells.blank(min(len(shown) * (rows + 1), max_rows), width)
    for number, memory in enumerate(shown):
        y = number * (rows + 1)
        cells.put(y, 0, draw_lines([((describe_memory(memory), Ink.TEXT),)], width, 1))
        cells.put(y + 1, 0, draw_memory(analysis, memory, width, rows))
    return cells


def draw_rank_summary(ranks: Sequence[Analysis], analysis: Analysis, width: int, max_rows: int) -> Cells:
    """Draw the hidden share of the communication, and a line for each rank."""
    lines: list[tuple[Piece, ...]] = []
    if text := describe_hidden_share(list_collectives(analysis)):
        lines += (((line, Ink.TEXT),) for line in wrap_text(text, width))
    summaries = rank_summaries(ranks)
    if len(ranks) > 1:
        text = describe_straggler(summaries)
        ink = Ink.WARN if "straggler" in text else Ink.GOOD
        lines += (((line, ink),) for line in wrap_text(text, width))
        rows = [
            (
                each.name,
                format_milliseconds(each.step),
                format_percent(each.exposed),
                format_milliseconds(each.wait),
                format_percent(each.busy),
            )
            for each in summaries
        ]
        inks = [int(Ink.BOLD if rank is analysis else Ink.TEXT) for rank in ranks]
        lines += _build_text_table(("", "step ms", "exposed", "waits ms", "busy"), rows, inks, width)
    return draw_lines(lines, width, min(len(lines), max_rows))


def _build_text_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], inks: Sequence[int], width: int
) -> Iterator[tuple[Piece, ...]]:
    """Yield a line of titles and one for each row; columns at the right that do not fit are left out.

    Args:
        head: Titles; the first column is aligned at the left.
        rows: Texts of each row.
        inks: Ink of each row.
        width: Columns.
    """
    widths = [max(cell_width(row[index]) for row in (head, *rows)) for index in range(len(head))]
    widths[0] = min(widths[0], max(2 * width // 5, 8))
    count = next((shown for shown in range(len(head), 1, -1) if sum(widths[:shown]) + 2 * (shown - 1) <= width), 1)
    for row, ink in zip((head, *rows), (int(Ink.DIM), *inks), strict=True):
        texts = [fit(shorten(row[0], widths[0]), widths[0]).ljust(widths[0])]
        texts += (text.rjust(size) for text, size in zip(row[1:count], widths[1:count], strict=True))
        yield (("  ".join(texts), ink),)


def draw_input_summary(analysis: Analysis, width: int, max_rows: int) -> Cells:
    """Draw the time for which the steps wait for input, and a bar for each step."""
    if not analysis.trace.is_of_kind(Kind.INPUT).any():
        return Cells.blank(0, width)
    waits = analysis.breakdown.times[:, CLASSES.index(INPUT)]
    durations = analysis.steps.durations
    share = analysis.breakdown.share(INPUT)
    verdict, ink = next((text, ink) for min_share, text, ink in _VERDICTS if share >= min_share)
    text = f": a step waits {time_text(float(waits.mean()))}, {format_percent(share)} of its time"
    lines: list[tuple[Piece, ...]] = [((verdict, ink), (text, Ink.TEXT))]
    if analysis.steps.source != "whole":
        for step, wait, duration in zip(analysis.steps.steps, waits.tolist(), durations.tolist(), strict=True):
            wait_share = wait / duration if duration > 0 else 0.0
            bar = round(wait_share * max(width - 40, 8))
            label = f"step {step.number} "
            lines.append(
                (
                    (f"{label:<12}", Ink.DIM),
                    ("▇" * bar, CLASS_INKS[INPUT.key]),
                    (f" {time_text(wait)} of {time_text(duration)}", Ink.TEXT),
                )
            )
    return draw_lines(lines, width, min(len(lines), max_rows, MAX_CURVE_ROWS))


_VERDICTS = (
    (0.2, "highly input-bound", Ink.BAD),
    (0.05, "moderately input-bound", Ink.WARN),
    (0.0, "not input-bound", Ink.GOOD),
)
"""Verdicts of xprof by the minimum share of the input."""


def draw_comparison_summary(now: Analysis, before: Analysis, width: int, max_rows: int) -> Cells:
    """Draw the bars of both captures, and the difference of each class."""
    step, step_before = float(now.breakdown.mean.sum()), float(before.breakdown.mean.sum())
    longest = max(step, step_before, 1e-9)
    ratio = step / step_before if step_before > 0 else 1.0
    names = [safe(name) for name in _shorten_names(now.source, before.source)]
    unit = "" if now.steps.source == "whole" else " a step"
    times = f"{time_text(step)}{unit}, {time_text(step_before)} in the baseline {names[1]}: "
    verdict, ink = (
        (f"{format_percent(ratio - 1)} slower", Ink.WARN)
        if ratio > 1
        else (f"{format_percent(1 - ratio)} faster", Ink.GOOD)
    )
    label_width = min(max(map(cell_width, names)), max(width // 6, 6))
    bar_width = width - label_width - 1
    lines: list[tuple[Piece, ...]] = [((line, Ink.TEXT),) for line in wrap_text(times, width)]
    last = cell_width(lines[-1][0][0])
    if last + 1 + cell_width(verdict) <= width:
        lines[-1] = (*lines[-1], (" " + verdict, ink))
    else:
        lines.append(((verdict, ink),))
    for name, analysis, time in zip(names, (now, before), (step, step_before), strict=True):
        title = fit(shorten(name, label_width), label_width).ljust(label_width) + " "
        lines.append(build_breakdown_bar(analysis, max(round(bar_width * time / longest), 4), title))
    is_wide = width >= MIN_WIDE
    rows, inks = [], []
    for difference in compare_classes(now, before):
        kind = difference.kind
        title = f"{kind.letter} {kind.title if is_wide else kind.short}"
        both = [format_milliseconds(duration) for duration in (difference.now, difference.before)]
        rows.append((title, format_change(difference.change), *both))
        inks.append(int(Ink.WARN if difference.change > 0 else Ink.GOOD))
    lines += _build_text_table(("", "diff ms", "this ms", "baseline"), rows, inks, width)
    return draw_lines(lines, width, min(len(lines), max_rows))


def _shorten_names(now: CaptureSource, before: CaptureSource) -> tuple[str, str]:
    """Return short names of two captures that differ."""
    if (now.run, now.tag, now.worker) == (before.run, before.tag, before.worker):
        return f"{now.number} of {now.count}", f"{before.number} of {before.count}"
    if now.run == before.run:
        return now.title, before.title
    if now.title == before.title:
        return now.run, before.run
    return f"{now.run} {now.title}", f"{before.run} {before.title}"


def describe_row(row: AnyRow) -> str:
    """Return a line about a row of a table that lists no operators."""
    if isinstance(row, KernelRow):
        text = f"{format_count(row.calls, 'call')} · {time_text(row.least)} to {time_text(row.greatest)}"
        text += f" · launched by {row.operator}" if row.operator else ""
        text += " · tensor cores" if row.uses_tensor_cores else ""
        return text + (" · communication" if row.is_collective else "")
    if isinstance(row, MemoryRow):
        allocations = f"{format_count(row.calls, 'allocation')} of {format_size(row.allocated)}"
        return f"{row.device}: {format_size(row.at_peak)} at the peak · {allocations}"
    if isinstance(row, CollectiveRow):
        hidden = format_percent(1 - row.exposed / row.total if row.total > 0 else 0.0)
        return f"{format_count(row.calls, 'call')} of {time_text(row.mean)} · {hidden} hidden behind compute"
    if isinstance(row, ComparedRow):
        change = f"{time_text(abs(row.difference))} a step {'more' if row.difference > 0 else 'less'}"
        return f"{row.calls:,.1f} calls a step, were {row.calls_before:,.1f} · {change}"
    return ""
