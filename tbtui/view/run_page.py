"""The page of one run: its state, values, history, configuration and files, as lines of text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.number_columns import format_column
from tbtui.charts.numbers import format_count
from tbtui.charts.text import align_numbers, cell_width, format_run_name
from tbtui.run_health.ages import format_age, format_clock_offset, guess_time_unit, is_known_age
from tbtui.run_health.anomalies import guess_metric_direction
from tbtui.run_health.history import find_history, find_uneven_series
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tbtui.run_health.anomalies import Anomaly
    from tbtui.run_health.conditions import RunCondition
    from tbtui.run_health.history import Gap, Restart
    from tbtui.run_health.summaries import RunSummary
    from tbtui.store.snapshot import EventFile, RunSnapshot

MAX_METRICS = 100
"""Scalar tags on the page, the first ones in the order of their names."""

MAX_LISTED = 20
"""Restarts, gaps, files and problems of a file that are listed."""

INDENT = "  "
GAP = 2
"""Blanks between the columns of a table."""


def format_run_page(
    run: RunSnapshot,
    summary: RunSummary,
    condition: RunCondition,
    directory: str | None,
    details: Iterable[tuple[str, Sequence[str]]],
    columns: int = 80,
) -> Iterator[str]:
    """Yield the lines of the page. Names and texts are as written, not yet safe for a terminal.

    Args:
        run: The run.
        summary: Its summary.
        condition: Its condition at the time when the page is opened.
        directory: Path of its directory; None if it is not known.
        details: Headings and lines that dashboards add, such as hyperparameters.
        columns: Columns of the page.
    """
    yield format_run_name(run.name)
    if directory is not None:
        yield directory
    yield ""
    yield from _align_columns(_format_state(run, summary, condition))
    for heading, lines in (
        ("Metrics", _format_metrics(run, columns - len(INDENT))),
        *details,
        *_format_history(run),
        ("Files", [line for file in run.files[:MAX_LISTED] for line in _format_file(file)]),
        ("Set aside", [f"{aside.path}: {aside.reason}" for aside in run.set_aside[:MAX_LISTED]]),
    ):
        if lines:
            yield ""
            yield heading
            yield from (INDENT + line for line in lines)
    if len(run.files) > MAX_LISTED:
        yield f"{INDENT}and {len(run.files) - MAX_LISTED:,} more files"


def _format_state(run: RunSnapshot, summary: RunSummary, condition: RunCondition) -> Iterator[tuple[str, str]]:
    if run.problem is not None:
        yield "problem", run.problem
    yield "state", ", ".join(_format_conditions(run, condition))
    if summary.trouble is not None:
        yield "trouble", _format_trouble(summary.trouble)
    if summary.last_step is not None:
        yield "last step", f"{summary.last_step:,}"
    if summary.pace is not None:
        yield (
            "pace",
            f"{_format_rate(summary.pace.rate)} per second, a value every {_format_duration(summary.pace.interval)}",
        )
    if condition.left is not None:
        yield "time left", _format_duration(condition.left)
    first, last = run.first_wall_time, run.last_wall_time
    if first is not None and last is not None:
        lasted = f", for {_format_duration(last - first)}" if math.isfinite(last - first) and last > first else ""
        yield "written", f"{numbers.format_clock(first)}{lasted}"
        if last > first:
            yield "", f"until {numbers.format_clock(last)}"
    if unit := guess_time_unit(last):
        yield "clock", f"its times look like {unit}"
    if condition.clock_offset is not None:
        yield "clock", format_clock_offset(condition.clock_offset)
    superseded = sum(series.superseded for series in run.series.values())
    left_out = f", {superseded:,} superseded by a restart" if superseded else ""
    yield "values", f"{summary.values:,} in {format_count(len(run.series), 'tag')}{left_out}"
    for plugin, tags in sorted(summary.tags.items()):
        yield "", f"{format_run_name(plugin)}: {format_count(len(tags), 'tag')}"


def _format_rate(rate: float) -> str:
    text = numbers.format_brief(rate)
    return f"{text} step" if text == "1" else f"{text} steps"


def _format_conditions(run: RunSnapshot, condition: RunCondition) -> Iterator[str]:
    if run.vanished:
        yield "its files are gone"
    if condition.done:
        yield "done"
    if condition.stalled:
        yield "stalled"
    if not is_known_age(condition.age) or condition.age is None:
        yield "nothing written" if condition.age is None else "its clock is ahead"
        return
    label = format_age(condition.age)
    yield f"last write {label} ago" if label else "live: written within the last minute"


def _format_trouble(trouble: Anomaly) -> str:
    tag = format_run_name(trouble.tag)
    if trouble.step is not None:
        return f"{'NaN' if trouble.kind == 'nan' else 'Inf'} from step {trouble.step:,} in {tag}"
    return f"{tag} is flat" if trouble.kind == "flat" else f"{tag} diverges"


def _format_metrics(run: RunSnapshot, columns: int) -> list[str]:
    """Return the last and the best value of each scalar tag, without superseded points, in a number of columns."""
    scalars = sorted(
        (series for series in run.series.values() if isinstance(series, ScalarSeries) and len(series)),
        key=lambda series: series.tag,
    )
    if not scalars:
        return []
    rows = [_format_metric(series) for series in scalars[:MAX_METRICS]]
    lasts = align_numbers([last for _, last, _, _, _ in rows])
    bests = align_numbers([best for _, _, _, best, _ in rows])
    cells = [("tag", "last", "best", "at step")]
    for (tag, _, word, best, step_of_best), last, aligned in zip(rows, lasts, bests, strict=True):
        cells.append((tag, last, f"{word} {aligned}" if best else "", step_of_best))
    lines = _format_table(cells, columns)
    if len(scalars) > MAX_METRICS:
        lines.append(f"and {len(scalars) - MAX_METRICS:,} more tags")
    return lines


def _format_metric(series: ScalarSeries) -> tuple[str, str, str, str, str]:
    """Return tag, last value, `min` or `max`, that value and its step; different values have different texts."""
    tag, current, best = format_run_name(series.tag), series.current, guess_metric_direction(series.tag)
    last = float(current.values[-1])
    if best is None or not np.isfinite(current.values).any():
        return tag, numbers.format_number(last), "", "", ""
    best_index = int((np.nanargmin if best == "min" else np.nanargmax)(_select_finite(current.values, best)))
    last_text, best_text = format_column([last, float(current.values[best_index])])
    return tag, last_text, best, best_text, f"{int(current.steps[best_index]):,}"


def _format_table(rows: Sequence[tuple[str, ...]], columns: int) -> list[str]:
    """Return rows as lines; if they are too long, the first cell of each is on a separate line."""
    widths = [max(cell_width(row[column]) for row in rows) for column in range(len(rows[0]))]
    numbers_width = sum(widths[1:]) + GAP * len(widths[1:])
    is_stacked = widths[0] + numbers_width > columns
    lines = []
    for row in rows:
        texts = (" " * (GAP + width - cell_width(cell)) + cell for cell, width in zip(row[1:], widths[1:], strict=True))
        line = "".join(texts)
        if is_stacked:
            lines += [row[0], line.rstrip()]
        else:
            lines.append(f"{row[0]}{' ' * (widths[0] - cell_width(row[0]))}{line}".rstrip())
    return lines


def _select_finite(
    values: np.ndarray[tuple[int], np.dtype[np.float64]], best: str
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return values in which NaN and infinities are never the best."""
    return np.where(np.isfinite(values), values, math.inf if best == "min" else -math.inf)


def _format_history(run: RunSnapshot) -> Iterator[tuple[str, Sequence[str]]]:
    history = find_history(run, find_uneven_series(run))
    yield _format_heading("Restarts", history.restart_count), [*map(_format_restart, history.restarts[:MAX_LISTED])]
    yield _format_heading("Gaps", history.gap_count), [*map(_format_gap, history.gaps[:MAX_LISTED])]


def _format_heading(title: str, count: int) -> str:
    return f"{title} (the first {MAX_LISTED} of {count:,})" if count > MAX_LISTED else title


def _format_restart(restart: Restart) -> str:
    tags = format_count(restart.tags, "tag")
    time = numbers.format_clock(restart.wall_time)
    return f"from step {restart.from_step:,} back to {restart.to_step:,}, {time}, {tags}"


def _format_gap(gap: Gap) -> str:
    if gap.kind == "silence":
        duration, time = _format_duration(gap.seconds), numbers.format_clock(gap.after_wall_time)
        return f"silent for {duration} after step {gap.after_step:,}, {time}"
    return f"no value between step {gap.after_step:,} and {gap.before_step:,}"


def _format_file(file: EventFile) -> Iterator[str]:
    writer = f", {format_run_name(file.writer)}" if file.writer else ""
    yield file.path
    yield f"{INDENT}{file.state}, {format_count(file.records, 'record')}, {numbers.format_size(file.bytes)}{writer}"
    for problem in file.problems[:MAX_LISTED]:
        where = "" if problem.is_about_file else f"at byte {problem.offset:,}: "
        yield f"{INDENT}{where}{problem.message}"


def _format_duration(seconds: float) -> str:
    return numbers.format_duration(seconds)


def _align_columns(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    rows = list(pairs)
    width = max((len(name) for name, _ in rows), default=0)
    yield from (f"{name:<{width}}  {text}" for name, text in rows)
