"""Draw the overview of a capture: breakdown of a step, use of the devices, advice, and the steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import cell_width, fit, safe, write
from tbtui.plugins.profile.breakdown import CLASSES, NOTHING
from tbtui.plugins.profile.summary import (
    ALL_STEPS,
    format_milliseconds,
    format_percent,
    list_class_times,
    list_device_parts,
    time_text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.styled_text import Piece
    from tbtui.plugins.profile.capture import Analysis
    from tbtui.plugins.profile.summary import ClassTime

CLASS_INKS = {kind.key: ink for kind, ink in zip(CLASSES, (0, 1, 2, 6, 5, 3, 4, 7, int(Ink.FAINT)), strict=True)}
"""Series inks of the classes: the same in bars, timeline and flame graph."""

VIEW_KEYS = {"operators": "o", "kernels": "e", "timeline": "T", "memory": "M", "input": "I", "communication": "X"}
"""Letters of the views that show the evidence of an advice, in the list of views (m)."""

WIDE = 76
MIN_STEP_BAR = 16
"""Columns of a step with its number, bar and duration."""

MAX_ADVICE = 3
MAX_STEPS = 8
"""Steps with a bar of their own; more are drawn as a curve of bars."""

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_BAR = "█"


def build_overview(analysis: Analysis, width: int, height: int, step: int = ALL_STEPS) -> list[tuple[Piece, ...]]:
    """Return the lines of the overview, at most `height`; the least important ones are left out.

    Args:
        analysis: The capture.
        width: Columns.
        height: Rows.
        step: Index of the step that is shown; `ALL_STEPS`: the mean of all.
    """
    times = list_class_times(analysis, step)
    lines = [_build_bar(times, width)]
    table = _list_classes(times, width)[: max(height // 2 - 1, 2)]
    devices = [_describe_device(analysis, index, width) for index in range(len(analysis.devices))][:4]
    step_lines = _list_step_lines(analysis, width, step)
    problems = _list_problems(analysis, width)[: max(height // 4, 1)]
    advice_rows = height - 1 - len(problems) - len(devices) - min(len(table), 5)
    advice = _list_advice(analysis, width, max(advice_rows - len(step_lines), 1))
    lines += problems
    lines += table
    lines += devices
    lines += advice
    if len(lines) + len(step_lines) <= height:
        lines += step_lines
    return lines[:height]


def draw_lines(lines: Sequence[tuple[Piece, ...]], width: int, height: int) -> Cells:
    """Draw lines of pieces."""
    cells = Cells.blank(height, width)
    for y, pieces in enumerate(lines[:height]):
        x = 0
        for text, ink in pieces:
            x = write(cells, y, x, fit(safe(text), max(width - x, 0)), ink)
    return cells


def divide_width(times: Sequence[float], width: int) -> list[int]:
    """Return whole columns in proportion to times; they add up to `width`, and the largest remainders round up."""
    total = sum(times)
    if total <= 0:
        return [0] * len(times)
    exact = np.array(times) * width / total
    columns = np.floor(exact).astype(np.int64)
    rest = int(width - columns.sum())
    for index in np.argsort(columns - exact, kind="stable")[:rest].tolist():
        columns[index] += 1
    return [int(column) for column in columns]


def _build_bar(times: Sequence[ClassTime], width: int) -> tuple[Piece, ...]:
    inner = max(width - 2, 1)
    pieces: list[Piece] = [("▕", Ink.FAINT)]
    for each, columns in zip(times, divide_width([each.time for each in times], inner), strict=True):
        if not columns:
            continue
        ink = CLASS_INKS[each.kind.key]
        if each.kind is NOTHING:
            pieces.append(("·" * columns, ink))
        else:
            pieces.append((each.kind.letter, ink))
            pieces.append((_BAR * (columns - 1), ink))
    return (*pieces, ("▏", Ink.FAINT))


def build_breakdown_bar(analysis: Analysis, width: int, title: str) -> tuple[Piece, ...]:
    """Return a title and the bar of a mean step."""
    return ((title, Ink.DIM), *_build_bar(list_class_times(analysis), width))


def _list_classes(times: Sequence[ClassTime], width: int) -> list[tuple[Piece, ...]]:
    """Return the classes in one or two columns, the greatest first."""
    ordered = sorted(times, key=lambda each: (each.kind is NOTHING, -each.time))
    ordered = [each for each in ordered if each.share >= 0.0005] or ordered
    columns = 2 if width >= WIDE else 1
    rows = -(-len(ordered) // columns)
    column_width = width // columns - 2
    lines = []
    for row in range(rows):
        pieces: list[Piece] = []
        for column in range(columns):
            index = row + column * rows
            if index < len(ordered):
                pieces += _describe_class(ordered[index], column_width)
        lines.append(tuple(pieces))
    return lines


def _describe_class(each: ClassTime, width: int) -> list[Piece]:
    time, share = f"{format_milliseconds(each.time)} ms", format_percent(each.share)
    amounts = f"{time:>11} {share:>7}"
    name_width = max(min(width - len(amounts) - 3, 28), 4)
    text = each.kind.title if cell_width(each.kind.title) <= name_width else fit(each.kind.short, name_width)
    padding = " " * (name_width - cell_width(text))
    ink = CLASS_INKS[each.kind.key]
    gap = " " * max(width + 2 - name_width - len(amounts) - 2, 0)
    return [(f"{each.kind.letter} ", ink), (text + padding, Ink.TEXT), (amounts, Ink.TEXT), (gap, Ink.NONE)]


def _describe_device(analysis: Analysis, index: int, width: int) -> tuple[Piece, ...]:
    device = analysis.devices[index]
    parts = list_device_parts(device)
    while len(parts) > 1 and cell_width("   ".join(parts)) > width:
        parts.pop()
    head, *rest = parts
    ink = Ink.GOOD if device.busy >= 0.9 else Ink.WARN if device.busy < 0.5 else Ink.TEXT
    return ((head, ink), *((f"   {part}", Ink.TEXT) for part in rest))


def _list_problems(analysis: Analysis, width: int) -> list[tuple[Piece, ...]]:
    """Return the lines about parts of the capture that are damaged or left out."""
    lines = (line for problem in analysis.trace.problems for line in wrap_text(f"! {problem}", width))
    return [((line, Ink.WARN),) for line in lines]


def _list_advice(analysis: Analysis, width: int, max_rows: int) -> list[tuple[Piece, ...]]:
    lines: list[tuple[Piece, ...]] = []
    for advice in analysis.advice[:MAX_ADVICE]:
        sign, ink = ("✓ ", Ink.GOOD) if advice.is_good else ("▲ ", Ink.WARN)
        wrapped = wrap_text(advice.finding, width - 2)
        finding: list[tuple[Piece, ...]] = [((sign, ink), (wrapped[0], Ink.TEXT))]
        finding += [(("  ", Ink.NONE), (part, Ink.TEXT)) for part in wrapped[1:]]
        key = VIEW_KEYS.get(advice.view, "")
        hint = f"{advice.change} (m {key})" if advice.change and key else advice.change
        change = [(("  ", Ink.NONE), (part, Ink.DIM)) for part in wrap_text(hint, width - 2) if part]
        if len(lines) + len(finding) > max(max_rows, 2):
            break
        lines += finding
        if len(lines) + len(change) <= max_rows:
            lines += change
    return lines


def wrap_text(text: str, width: int) -> list[str]:
    """Return a text in lines of a width, broken between words."""
    lines, line = [], ""
    for word in safe(text).split():
        if line and cell_width(line) + 1 + cell_width(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]


def _list_step_lines(analysis: Analysis, width: int, step: int) -> list[tuple[Piece, ...]]:
    """Return the durations of the steps as bars, or as one line of columns if there are many."""
    steps = analysis.steps
    if steps.source == "whole" or len(steps.steps) < 2:
        return []
    durations = steps.durations
    longest = float(durations.max())
    bars_width = width - len("steps ")
    if len(durations) <= MAX_STEPS and bars_width // len(durations) >= MIN_STEP_BAR:
        pieces: list[Piece] = [("steps ", Ink.DIM)]
        step_width = bars_width // len(durations)
        for index, window in enumerate(steps.steps):
            label, value = f"{window.number} ", f" {time_text(window.duration)}"
            bar = max(step_width - len(label) - len(value) - 2, 1)
            filled = max(round(bar * window.duration / longest), 1) if longest > 0 else 1
            ink = Ink.BOLD if index == step else Ink.TEXT
            pieces += [
                (label, Ink.TEXT if index == step else Ink.DIM),
                ("▇" * filled, Ink.ACCENT if index == step else Ink.DIM),
                (value, ink),
            ]
            pieces.append((" " * (step_width - len(label) - filled - len(value)), Ink.NONE))
        return [(("", Ink.NONE),), tuple(pieces)]
    shown = durations[: max(width - 30, 8)]
    glyphs = "".join(_EIGHTHS[max(round(8 * value / longest), 1)] if longest > 0 else "▁" for value in shown.tolist())
    first, last = steps.steps[0].number, steps.steps[len(shown) - 1].number
    text = f"steps {first}–{last} "
    return [((text, Ink.DIM), (glyphs, Ink.DIM), (f" up to {time_text(longest)}", Ink.TEXT))]
