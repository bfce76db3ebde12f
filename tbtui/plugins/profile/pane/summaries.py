"""What stands above the tables of memory, communication and comparisons, as cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.numbers import counted, size
from tbtui.charts.text import cell_width, fit, safe, shorten
from tbtui.plugins.profile.breakdown import CLASSES, INPUT
from tbtui.plugins.profile.communication import (
    CollectiveRow,
    collective_rows,
    hidden_words,
    rank_summaries,
    straggler_words,
)
from tbtui.plugins.profile.comparison import ComparedRow, class_differences
from tbtui.plugins.profile.memory import MemoryRow, draw_memory, memory_words
from tbtui.plugins.profile.overview import CLASS_INKS, breakdown_bar, draw_lines, wrap_text
from tbtui.plugins.profile.summary import ms_text, percent_text, time_text
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


def summary_of_memory(analysis: Analysis, width: int, room: int) -> Cells:
    """Return the curve of each device, as far as there is room, each below its words."""
    devices = analysis.memory
    if not devices:
        return Cells.blank(0, width)
    rows = min(max(room // len(devices) - 1, MIN_CURVE_ROWS), MAX_CURVE_ROWS)
    shown = devices[: max(room // (rows + 1), 1)]
    cells = Cells.blank(min(len(shown) * (rows + 1), room), width)
    for number, memory in enumerate(shown):
        y = number * (rows + 1)
        cells.put(y, 0, draw_lines([((memory_words(memory), Ink.TEXT),)], width, 1))
        cells.put(y + 1, 0, draw_memory(analysis, memory, width, rows))
    return cells


def summary_of_ranks(ranks: Sequence[Analysis], analysis: Analysis, width: int, room: int) -> Cells:
    """Return how much of the communication is hidden, and a line for each rank."""
    lines: list[tuple[Piece, ...]] = []
    if words := hidden_words(collective_rows(analysis)):
        lines += (((line, Ink.TEXT),) for line in wrap_text(words, width))
    summaries = rank_summaries(ranks)
    if len(ranks) > 1:
        words = straggler_words(summaries)
        ink = Ink.WARN if "straggler" in words else Ink.GOOD
        lines += (((line, ink),) for line in wrap_text(words, width))
        rows = [
            (each.name, ms_text(each.step), percent_text(each.exposed), ms_text(each.wait), percent_text(each.busy))
            for each in summaries
        ]
        inks = [int(Ink.BOLD if rank is analysis else Ink.TEXT) for rank in ranks]
        lines += _text_table(("", "step ms", "exposed", "waits ms", "busy"), rows, inks, width)
    return draw_lines(lines, width, min(len(lines), room))


def _text_table(
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


def summary_of_input(analysis: Analysis, width: int, room: int) -> Cells:
    """Return how long the steps wait for input, and a bar for each step."""
    if not analysis.trace.of_kind(Kind.INPUT).any():
        return Cells.blank(0, width)
    waits = analysis.breakdown.times[:, CLASSES.index(INPUT)]
    durations = analysis.steps.durations
    share = analysis.breakdown.share(INPUT)
    verdict, ink = next((word, ink) for least, word, ink in _VERDICTS if share >= least)
    text = f": a step waits {time_text(float(waits.mean()))}, {percent_text(share)} of its time"
    lines: list[tuple[Piece, ...]] = [((verdict, ink), (text, Ink.TEXT))]
    if analysis.steps.source != "whole":
        for step, wait, duration in zip(analysis.steps.steps, waits.tolist(), durations.tolist(), strict=True):
            part = wait / duration if duration > 0 else 0.0
            bar = round(part * max(width - 40, 8))
            label = f"step {step.number} "
            lines.append(
                (
                    (f"{label:<12}", Ink.DIM),
                    ("▇" * bar, CLASS_INKS[INPUT.key]),
                    (f" {time_text(wait)} of {time_text(duration)}", Ink.TEXT),
                )
            )
    return draw_lines(lines, width, min(len(lines), room, MAX_CURVE_ROWS))


_VERDICTS = (
    (0.2, "highly input-bound", Ink.BAD),
    (0.05, "moderately input-bound", Ink.WARN),
    (0.0, "not input-bound", Ink.GOOD),
)
"""Verdicts of xprof by the share of the input."""


def summary_of_comparison(now: Analysis, before: Analysis, width: int, room: int) -> Cells:
    """Return the bars of both captures, and the difference of each class."""
    step, step_before = float(now.breakdown.mean.sum()), float(before.breakdown.mean.sum())
    longest = max(step, step_before, 1e-9)
    ratio = step / step_before if step_before > 0 else 1.0
    names = [safe(name) for name in _names_of(now.source, before.source)]
    unit = "" if now.steps.source == "whole" else " a step"
    change = f"{time_text(step)}{unit}, {time_text(step_before)} in the baseline {names[1]}: "
    words, ink = (
        (f"{percent_text(ratio - 1)} slower", Ink.WARN)
        if ratio > 1
        else (f"{percent_text(1 - ratio)} faster", Ink.GOOD)
    )
    label = min(max(map(cell_width, names)), max(width // 6, 6))
    bar = width - label - 1
    lines: list[tuple[Piece, ...]] = [((line, Ink.TEXT),) for line in wrap_text(change, width)]
    last = cell_width(lines[-1][0][0])
    if last + 1 + cell_width(words) <= width:
        lines[-1] = (*lines[-1], (" " + words, ink))
    else:
        lines.append(((words, ink),))
    for name, analysis, time in zip(names, (now, before), (step, step_before), strict=True):
        title = fit(shorten(name, label), label).ljust(label) + " "
        lines.append(breakdown_bar(analysis, max(round(bar * time / longest), 4), title))
    is_wide = width >= MIN_WIDE
    rows, inks = [], []
    for kind, time, time_before in sorted(class_differences(now, before), key=lambda each: -abs(each[1] - each[2])):
        title = f"{kind.letter} {kind.title if is_wide else kind.short}"
        rows.append((title, f"{(time - time_before) / 1e3:+,.2f}", ms_text(time), ms_text(time_before)))
        inks.append(int(Ink.WARN if time > time_before else Ink.GOOD))
    lines += _text_table(("", "diff ms", "this ms", "baseline"), rows, inks, width)
    return draw_lines(lines, width, min(len(lines), room))


def _names_of(now: CaptureSource, before: CaptureSource) -> tuple[str, str]:
    """Return short names of two captures that tell them apart."""
    if (now.run, now.tag, now.worker) == (before.run, before.tag, before.worker):
        return f"{now.number} of {now.count}", f"{before.number} of {before.count}"
    if now.run == before.run:
        return now.title, before.title
    if now.title == before.title:
        return now.run, before.run
    return f"{now.run} {now.title}", f"{before.run} {before.title}"


def words_of(row: AnyRow) -> str:
    """Return a line about a row of any table but those of operators."""
    if isinstance(row, KernelRow):
        text = f"{counted(row.calls, 'call')} · {time_text(row.least)} to {time_text(row.greatest)}"
        text += f" · launched by {row.operator}" if row.operator else ""
        text += " · tensor cores" if row.uses_tensor_cores else ""
        return text + (" · communication" if row.is_collective else "")
    if isinstance(row, MemoryRow):
        allocations = f"{counted(row.calls, 'allocation')} of {size(row.allocated)}"
        return f"{row.device}: {size(row.at_peak)} at the peak · {allocations}"
    if isinstance(row, CollectiveRow):
        hidden = percent_text(1 - row.exposed / row.total if row.total > 0 else 0.0)
        return f"{counted(row.calls, 'call')} of {time_text(row.mean)} · {hidden} hidden behind compute"
    if isinstance(row, ComparedRow):
        change = f"{time_text(abs(row.difference))} a step {'more' if row.difference > 0 else 'less'}"
        return f"{row.calls:,.1f} calls a step, were {row.calls_before:,.1f} · {change}"
    return ""
