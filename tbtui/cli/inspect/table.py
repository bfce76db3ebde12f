"""Render the report of `tbtui inspect` as plain text: a summary, one line for each run, then one block for each run.

Lines fit the terminal: a text that is too long has one or more lines of its own. A note reports everything that is left
out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.numbers import counted
from tbtui.charts.text import safe, shorten
from tbtui.cli.inspect.block import block_lines
from tbtui.cli.inspect.words import age_of, pace_of, remarks_of
from tbtui.report.tables import MAX_NAME, break_line, stacked_rows, wrap_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.cli.inspect.report import RunReport

MAX_ROWS = 1000
"""Maximum number of runs with a line."""

MAX_BLOCKS = 12
"""Maximum number of runs with a block; those with damage or anomalies come first."""

_HEADINGS = ("run", "state", "last write", "last step", "pace", "values", "size", "")


def report_lines(logdir: str, reports: Sequence[RunReport], *, width: int, everything: bool = False) -> Iterator[str]:
    """Yield the lines of a report.

    Args:
        logdir: The paths as the user gave them.
        reports: Reports of the runs.
        width: Columns of the output.
        everything: List every run and every tag.
    """
    yield from wrap_list(f"{safe(logdir)}: {_summary(reports)}", width, "  ")
    inset = "  "[: width // 4]
    if len(reports) > 1:
        yield from (inset + line for line in _plugin_lines(reports, width - len(inset)))
        yield ""
        yield from _run_lines(reports, width, everything=everything)
    chosen = reports if everything else _blocks(reports)
    for report in chosen:
        yield ""
        yield from break_line(shorten(report.run.name, max(width, MAX_NAME)), width, "  ")
        yield from (inset + line for line in block_lines(report, width - len(inset), everything=everything))
    if len(chosen) < len(reports):
        others = counted(len(reports) - len(chosen), "more run")
        yield ""
        yield from wrap_list(f"{others} without a block here: --runs REGEX or --all shows them", width, "  ")


def _summary(reports: Sequence[RunReport]) -> str:
    files = [file for report in reports for file in report.run.files]
    tags = {tag for report in reports for tag in report.run.series}
    parts = [
        counted(len(reports), "run"),
        counted(len(tags), "tag"),
        counted(sum(share.values for report in reports for share in report.plugins.values()), "value"),
        f"{counted(len(files), 'file')} of {counted(sum(file.bytes for file in files), 'byte')}",
    ]
    unhealthy = sum(file.state in {"corrupt", "unreadable"} for file in files)
    return ", ".join(parts) + (f", {unhealthy:,} of them damaged" if unhealthy else "")


def _plugin_lines(reports: Sequence[RunReport], width: int) -> Iterator[str]:
    """Yield one line for each plugin over all runs."""
    tags: dict[str, set[str]] = {}
    totals: dict[str, tuple[int, int, int]] = {}
    for report in reports:
        for tag, series in report.run.series.items():
            tags.setdefault(series.metadata.plugin_name, set()).add(tag)
        for plugin, share in report.plugins.items():
            runs, values, held = totals.get(plugin, (0, 0, 0))
            totals[plugin] = runs + 1, values + share.values, held + (share.bytes or 0)
    rows = [
        (
            safe(plugin) or "(no plugin)",
            counted(len(tags[plugin]), "tag"),
            counted(runs, "run"),
            counted(values, "value"),
            numbers.size(held) if held else "",
        )
        for plugin, (runs, values, held) in sorted(totals.items(), key=lambda total: -total[1][1])
    ]
    yield from stacked_rows(rows, width=width)


def _run_lines(reports: Sequence[RunReport], width: int, *, everything: bool) -> Iterator[str]:
    listed = reports if everything else reports[:MAX_ROWS]
    rows = [_HEADINGS, *(_run_row(report) for report in listed)]
    yield from stacked_rows(rows, width=width, remarks=True, left=2)
    if len(listed) < len(reports):
        yield from wrap_list(
            f"{counted(len(reports) - len(listed), 'more run')}: --runs REGEX or --all shows them", width
        )


def _run_row(report: RunReport) -> tuple[str, ...]:
    last = report.run.last_step
    return (
        safe(report.run.name),
        report.state,
        age_of(report.age),
        "" if last is None else numbers.step(last),
        pace_of(report),
        f"{sum(share.values for share in report.plugins.values()):,}",
        numbers.size(sum(file.bytes for file in report.run.files)),
        ", ".join(remarks_of(report)),
    )


def _blocks(reports: Sequence[RunReport]) -> list[RunReport]:
    """Return the runs with a block, in their order."""
    if len(reports) <= MAX_BLOCKS:
        return list(reports)
    order = sorted(range(len(reports)), key=lambda index: (not _has_problems(reports[index]), index))
    return [reports[index] for index in sorted(order[:MAX_BLOCKS])]


def _has_problems(report: RunReport) -> bool:
    return any(file.problems for file in report.run.files) or report.facts.trouble is not None
