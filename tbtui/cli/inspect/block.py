"""Render one run for `tbtui inspect`: its state, its files and their damage, its tags."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from tbtui.app.run_status import trouble_text
from tbtui.charts import numbers
from tbtui.charts.numbers import counted
from tbtui.charts.text import nameable, safe, shorten
from tbtui.cli.hparams import hparam_words, sessions_words
from tbtui.cli.inspect.words import (
    STATES,
    age_of,
    gap_words,
    pace_of,
    restart_words,
)
from tbtui.plugins.registry import facts_of
from tbtui.report.tables import MAX_NAME, stacked_rows, wrap_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tbtui.cli.inspect.report import RunReport
    from tbtui.plugins.base import InspectFacts
    from tbtui.store.snapshot import EventFile, Series

MAX_TAGS = 40
"""Maximum number of tags listed for each plugin."""

MAX_EVENTS = 5
"""Maximum number of restarts (the first ones) and of gaps (the longest ones)."""

MAX_HPARAMS = 40

_HEADINGS = ("values", "steps")
_MAX_FILE_NAME = 72
_MAX_VALUE = 48
_INDENT = "  "
_PLAIN = 1 + len(_HEADINGS)
"""Cells of a tag of which only values and steps are known."""


def block_lines(report: RunReport, width: int, *, everything: bool = False) -> Iterator[str]:
    """Yield the lines of a run.

    Args:
        report: The run.
        width: Columns of the output.
        everything: List all tags, restarts, gaps and hyperparameters.
    """
    for line in _run_lines(report, everything=everything):
        yield from wrap_list(line, width, _INDENT)
    yield from _file_lines(report.run.files, width)
    yield from _tag_lines(report, width, everything=everything)


def _run_lines(report: RunReport, *, everything: bool) -> Iterator[str]:
    """Yield the state of a run, its restarts and gaps, and its hyperparameters."""
    if report.run.problem is not None:
        yield f"! {safe(report.run.problem)}"
    parts = [STATES[report.state]]
    if report.age is not None:
        parts.append(f"last write {age_of(report.age)}")
    if pace := pace_of(report):
        parts.append(f"pace {pace}")
    yield ", ".join(parts)
    if report.facts.trouble is not None:
        yield trouble_text(report.facts.trouble)
    history = report.history
    restarts = history.restarts if everything else history.restarts[:MAX_EVENTS]
    for restart in restarts:
        yield f"restart {restart_words(restart)}"
    if others := history.restart_count - len(restarts):
        yield f"{counted(others, 'more restart')} (--all, --json)"
    longest = sorted(history.gaps, key=lambda gap: (gap.kind, -gap.seconds if gap.kind == "silence" else -gap.steps))
    gaps = longest if everything else longest[:MAX_EVENTS]
    for gap in sorted(gaps, key=lambda gap: gap.after_wall_time):
        yield gap_words(gap)
    if others := history.gap_count - len(gaps):
        yield f"{counted(others, 'more gap')} (--all, --json)"
    yield from _hparam_lines(report, everything=everything)
    shares = [
        f"{safe(plugin) or '(no plugin)'} {numbers.size(share.bytes)}"
        for plugin, share in report.plugins.items()
        if share.bytes is not None
    ]
    if shares:
        yield f"sizes: {', '.join(shares)}"


def _hparam_lines(report: RunReport, *, everything: bool) -> Iterator[str]:
    held = report.hparams
    if held.start is not None:
        values = [f"{safe(name)}={shorten(hparam_words(value), _MAX_VALUE)}" for name, value in held.values.items()]
        shown = values if everything else values[:MAX_HPARAMS]
        more = [f"{len(values) - len(shown):,} more (--all)"] if len(shown) < len(values) else []
        yield f"hyperparameters: {', '.join([*shown, *more]) or 'none'}"
        if said := sessions_words(held):
            yield said
    for problem in held.problems:
        yield f"! {safe(problem)}"


def _file_lines(files: Iterable[EventFile], width: int) -> Iterator[str]:
    for file in files:
        parts = [
            shorten(Path(file.path).name, _MAX_FILE_NAME),
            counted(file.bytes, "byte"),
            counted(file.records, "record"),
            file.state,
        ]
        if file.first_wall_time is not None:
            parts.append(numbers.clock(file.first_wall_time))
            lasted = (file.last_wall_time or file.first_wall_time) - file.first_wall_time
            parts += [f"for {numbers.duration(lasted)}"] if lasted > 0 else []
        if file.writer:
            parts.append(f"by {shorten(file.writer, MAX_NAME)}")
        yield from wrap_list(", ".join(parts), width, _INDENT)
        for problem in file.problems:
            place = "" if problem.of_file else f"at byte {problem.offset:,}: "
            yield from wrap_list(f"  ! {place}{safe(problem.message)}", width, _INDENT * 3)


def _tag_lines(report: RunReport, width: int, *, everything: bool) -> Iterator[str]:
    """Yield one row for each tag, below the name of its plugin."""
    ordered = sorted(report.run.series.values(), key=lambda series: series.metadata.plugin_name)
    rows: list[tuple[str, ...]] = []
    noted: dict[int, str] = {}
    for plugin, group in groupby(ordered, key=lambda series: series.metadata.plugin_name):
        held = list(group)
        listed = held if everything else held[:MAX_TAGS]
        facts = facts_of(plugin)
        headings = _HEADINGS if facts is None else (*_HEADINGS, *facts.headings)
        rows.append((shorten(plugin, MAX_NAME) or "(no plugin)", *headings))
        for series in listed:
            if note := _note(series, report):
                noted[len(rows)] = note
            rows.append((f"  {safe(nameable(series.tag))}", *_cells(series, report, facts)))
        if others := len(held) - len(listed):
            rows.append((f"  {counted(others, 'more tag')} of {safe(plugin)}: --tags REGEX or --all shows them",))
    columns = max(map(len, rows), default=0)
    # The notes share one column behind all others; a table with facts has the column even where it is empty.
    has_notes = bool(noted) or columns > _PLAIN
    yield from stacked_rows(
        [
            (*row, *[""] * (columns - len(row)), noted.get(index, "")) if index in noted or len(row) > _PLAIN else row
            for index, row in enumerate(rows)
        ],
        width=width,
        remarks=has_notes,
    )


def _cells(series: Series, report: RunReport, facts: InspectFacts | None) -> Iterator[str]:
    """Yield values, steps and the facts of the dashboard."""
    yield f"{series.steps.size:,}"
    first, last = series.steps.item(0), series.steps.item(-1)
    yield numbers.step(first) if first == last else f"{numbers.step(first)}…{numbers.step(last)}"
    yield from () if facts is None else facts.cells(report, series) or ()


def _note(series: Series, report: RunReport) -> str:
    """Return how many points are superseded, NaN or infinite; empty if none is."""
    superseded, extent = report.superseded.get(series.tag), report.extents.get(series.tag)
    notes = [f"{superseded:,} superseded"] if superseded else []
    if extent is not None:
        notes += [f"{count:,} {word}" for word, count in (("NaN", extent.nan), ("Inf", extent.inf)) if count]
    return ", ".join(notes)
