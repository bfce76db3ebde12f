"""Render one run for `tbtui inspect`: its state, its files and their damage, its tags."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from tbtui.app.run_status import format_trouble
from tbtui.charts import numbers
from tbtui.charts.numbers import format_count
from tbtui.charts.text import format_run_name, safe, shorten
from tbtui.cli.inspect.report import STATES, describe_age, describe_pace, format_gap, format_restart, list_remarks
from tbtui.maths.x_values import guess_wall_time_unit
from tbtui.plugins.hparams.table import format_hparam, format_session_count
from tbtui.plugins.registry import describe_run_assets, find_facts
from tbtui.plugins.unsupported_data import format_asset_lines
from tbtui.report.tables import MAX_NAME, break_line, stack_rows, wrap_list
from tbtui.run_health.ages import format_clock_offset, guess_time_unit
from tbtui.store.run_series import list_other_series
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tbtui.cli.inspect.report import RunReport
    from tbtui.loading.assets import RunAssets
    from tbtui.plugins.base import InspectFacts
    from tbtui.store.snapshot import AssetFile, Series


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
"""Cells of a tag of which only values and steps are known, or these and a text."""


def format_run(report: RunReport, width: int, *, everything: bool = False) -> Iterator[str]:
    """Yield the lines of a run.

    Args:
        report: The run.
        width: Columns of the output.
        everything: List all tags, restarts, gaps and hyperparameters.
    """
    for line in _run_lines(report, everything=everything):
        yield from wrap_list(line, width, _INDENT)
    yield from _format_files(report, width)
    for file in report.run.set_aside:
        name = shorten(Path(file.path).name, _MAX_FILE_NAME)
        yield from wrap_list(
            f"set aside: {name}, {format_count(file.bytes, 'byte')}, {safe(file.reason)}", width, _INDENT
        )
    yield from _format_assets(report.run.assets, width, everything=everything)
    for line in describe_run_assets(report.run):
        yield from wrap_list(safe(line), width, _INDENT)
    yield from _format_tags(report, width, everything=everything)


def _format_unreadable(report: RunReport) -> Iterator[str]:
    """Yield the reason for each value that describes other tags, such as a layout, and cannot be read."""
    for series in list_other_series(report.run.series):
        facts = find_facts(series.metadata.plugin_name)
        if facts is not None and facts.tells_reason:
            try:
                facts.cells(report.run, series, None)
            except ValueError as error:
                yield f"! {safe(series.tag)}: {safe(str(error))}"


def _run_lines(report: RunReport, *, everything: bool) -> Iterator[str]:
    """Yield the state of a run, its restarts and gaps, and its hyperparameters."""
    if report.run.problem is not None:
        yield f"! {safe(report.run.problem)}"
    parts = [STATES[report.state]]
    if report.age is not None:
        parts.append(f"last write {describe_age(report.age)}")
    if pace := describe_pace(report):
        parts.append(f"pace {pace}")
    if report.clock_offset is not None:
        parts.append(f"its {format_clock_offset(report.clock_offset)}")
    yield ", ".join(parts)
    if unit := guess_time_unit(report.run.last_wall_time):
        yield f"its wall times look like {unit}; TensorBoard expects seconds"
    yield from _format_folded(report)
    if report.summary.trouble is not None:
        yield format_trouble(report.summary.trouble)
    history = report.history
    restarts = history.restarts if everything else history.restarts[:MAX_EVENTS]
    for restart in restarts:
        yield f"restart {format_restart(restart)}"
    if others := history.restart_count - len(restarts):
        yield f"{format_count(others, 'more restart')} (--all, --json)"
    longest = sorted(history.gaps, key=lambda gap: (gap.kind, -gap.seconds if gap.kind == "silence" else -gap.steps))
    gaps = longest if everything else longest[:MAX_EVENTS]
    for gap in sorted(gaps, key=lambda gap: gap.after_wall_time):
        yield format_gap(gap)
    if others := history.gap_count - len(gaps):
        yield f"{format_count(others, 'more gap')} (--all, --json)"
    yield from _format_hparams(report, everything=everything)
    yield from _format_unreadable(report)
    shares = [
        f"{safe(plugin) or '(no plugin)'} {numbers.format_size(share.bytes)}"
        for plugin, share in report.plugins.items()
        if share.bytes is not None
    ]
    if shares:
        yield f"sizes: {', '.join(shares)}"


def _format_folded(report: RunReport) -> Iterator[str]:
    """Yield a line for each folded run, with its values of tags that the main run has too."""
    own: set[str] = set()
    for part in report.run.folded:
        if part.name != report.run.name:
            again = [
                f"{safe(tag)} {numbers.format_number(float(series.values[-1]), 10)}"
                for tag, series in part.series.items()
                if tag in own and isinstance(series, ScalarSeries)
            ]
            also = f", and logged with it {', '.join(again)}" if again else ""
            yield f"with {safe(part.name)}, which only holds its hyperparameters{also}"
        own |= part.series.keys()


def _format_hparams(report: RunReport, *, everything: bool) -> Iterator[str]:
    hparams = report.hparams
    if hparams.start is not None:
        values = [f"{safe(name)}={shorten(format_hparam(value), _MAX_VALUE)}" for name, value in hparams.values.items()]
        shown = values if everything else values[:MAX_HPARAMS]
        more = [f"{len(values) - len(shown):,} more (--all)"] if len(shown) < len(values) else []
        yield f"hyperparameters: {', '.join([*shown, *more]) or 'none'}"
        if label := format_session_count(hparams):
            yield label
    checks = report.checks
    if checks.never_written:
        yield f"metrics that were declared and never written: {', '.join(map(safe, checks.never_written))}"
    if checks.outside_domain:
        yield f"outside their declared domain: {', '.join(map(safe, checks.outside_domain))}"
    if checks.at_step_0:
        yield f"logged with the session at an earlier step than their curve: {', '.join(map(safe, checks.at_step_0))}"
    for problem in hparams.problems:
        yield f"! {safe(problem)}"


def _format_files(report: RunReport, width: int) -> Iterator[str]:
    directories = {Path(file.path).parent for file in report.run.files}
    for file in report.run.files:
        path = Path(file.path)
        name = path.name if len(directories) == 1 else f"{path.parent.name}/{path.name}"
        parts = [
            shorten(name, _MAX_FILE_NAME),
            format_count(file.bytes, "byte"),
            format_count(file.records, "record"),
            file.state,
        ]
        if file.first_wall_time is not None:
            parts.append(numbers.format_clock(file.first_wall_time))
            ends = file.first_wall_time, file.last_wall_time or file.first_wall_time
            first, last = (seconds / guess_wall_time_unit(seconds)[0] for seconds in ends)
            lasted = last - first
            parts += [f"for {numbers.format_duration(lasted)}"] if lasted > 0 else []
        if file.writer:
            parts.append(f"by {shorten(file.writer, MAX_NAME)}")
        yield from wrap_list(", ".join(parts), width, _INDENT)
        for problem in file.problems:
            position_text = "" if problem.is_about_file else f"at byte {problem.offset:,}: "
            yield from wrap_list(f"  ! {position_text}{safe(problem.message)}", width, _INDENT * 3)


def _format_assets(assets: Sequence[AssetFile], width: int, *, everything: bool) -> Iterator[str]:
    """Yield one line for each file of a profile or an embedding."""
    listed = assets if everything else assets[:MAX_TAGS]
    for asset in listed:
        name = shorten(Path(asset.path).name, _MAX_FILE_NAME)
        kind = asset.kind.replace("_part", "")
        parts = [f"{kind} {shorten(asset.tag, MAX_NAME)}: {name}", format_count(asset.bytes, "byte")]
        yield from wrap_list(", ".join((*parts, numbers.format_clock(asset.modified))), width, _INDENT)
    if others := len(assets) - len(listed):
        yield f"{format_count(others, 'more file')} of profiles and embeddings: --all shows them"


def _format_tags(report: RunReport, width: int, *, everything: bool) -> Iterator[str]:
    """Yield one row for each tag, below the name of its plugin."""
    ordered = sorted(report.run.series.values(), key=lambda series: series.metadata.plugin_name)
    rows: list[tuple[str, ...]] = []
    noted: dict[int, str] = {}
    for plugin, group in groupby(ordered, key=lambda series: series.metadata.plugin_name):
        facts = find_facts(plugin)
        members = [(name, series) for series in group if (name := _name_row(series, report, facts)) is not None]
        listed = members if everything else members[:MAX_TAGS]
        headings = () if facts is None else facts.headings
        is_text = facts is not None and facts.is_text
        if is_text:
            noted[len(rows)], headings = ", ".join(headings), ()
        rows.append((shorten(plugin, MAX_NAME) or "(no plugin)", *_HEADINGS, *headings))
        for name, series in listed:
            cells, note = _read_facts(series, report, facts), _note(series, report)
            if is_text:
                cells, note = (), "; ".join(filter(None, (*cells, note)))
            if note:
                noted[len(rows)] = note
            rows.append((f"  {safe(format_run_name(name))}", *_format_extent(series), *cells))
        if others := len(members) - len(listed):
            rows.append((f"  {format_count(others, 'more tag')} of {safe(plugin)}: --tags REGEX or --all shows them",))
    columns = max(map(len, rows), default=0)
    # The notes share one column behind all others; a table with facts has the column even where it is empty.
    has_notes = bool(noted) or columns > _PLAIN
    yield from stack_rows(
        [
            (*row, *[""] * (columns - len(row)), noted.get(index, "")) if index in noted or len(row) > _PLAIN else row
            for index, row in enumerate(rows)
        ],
        width=width,
        remarks=has_notes,
    )


UNREADABLE = "unreadable"
"""Cell of a tag whose facts raised an exception."""


def _name_row(series: Series, report: RunReport, facts: InspectFacts | None) -> str | None:
    """Return the name of the row of a series; None if another row describes it."""
    return series.tag if facts is None or facts.row_name is None else facts.row_name(report.run, series)


def _format_extent(series: Series) -> tuple[str, str]:
    """Return the number of values, and their first and last step as the step axis shows it."""
    current = series.current_indices
    first, last = series.steps.item(0 if current is None else int(current[0])), series.last_step or 0
    steps = numbers.format_step(first) if first == last else f"{numbers.format_step(first)}…{numbers.format_step(last)}"
    return f"{series.steps.size:,}", steps


def _read_facts(series: Series, report: RunReport, facts: InspectFacts | None) -> tuple[str, ...]:
    """Return the facts of the dashboard."""
    if facts is None:
        return ()
    try:
        cells = facts.cells(report.run, series, report.extents.get(series.tag)) or ()
    except Exception:  # noqa: BLE001 - one value that a dashboard cannot read must not end the report of all files
        cells = (UNREADABLE,)
    return tuple(map(safe, cells))


def _note(series: Series, report: RunReport) -> str:
    """Return the numbers of superseded, NaN and infinite points; empty without any."""
    superseded, extent = report.superseded.get(series.tag), report.extents.get(series.tag)
    notes = [f"{superseded:,} superseded"] if superseded else []
    if extent is not None:
        notes += [f"{count:,} {word}" for word, count in (("NaN", extent.nan), ("Inf", extent.inf)) if count]
    return ", ".join(notes)


# Render the report of `tbtui inspect` as plain text: a summary, one line for each run, then one block for each run.
#
# Lines fit the terminal: a text that is too long has one or more lines of its own. A note reports everything that is
# left
# out.


MAX_ROWS = 1000
"""Maximum number of runs with a line."""

MAX_BLOCKS = 12
"""Maximum number of runs with a block; those with damage or anomalies come first."""

_TABLE_HEADINGS = ("run", "state", "last write", "last step", "pace", "values", "size", "")


def report_lines(
    logdir: str,
    reports: Sequence[RunReport],
    *,
    width: int,
    everything: bool = False,
    assets: Iterable[RunAssets] = (),
) -> Iterator[str]:
    """Yield the lines of a report.

    Args:
        logdir: The paths as the user gave them.
        reports: Reports of the runs.
        width: Columns of the output.
        everything: List every run and every tag.
        assets: Embeddings and profiles beside the event files.
    """
    yield from wrap_list(f"{safe(logdir)}: {_format_summary(reports)}", width, "  ")
    inset = "  "[: width // 4]
    for line in format_asset_lines(assets):
        yield from wrap_list(inset + safe(line), width, _INDENT * 2)
    if len(reports) > 1:
        yield from (inset + line for line in _format_plugins(reports, width - len(inset)))
        yield ""
        yield from _format_run_table(reports, width, everything=everything)
    chosen = reports if everything else _select_detailed(reports)
    for report in chosen:
        yield ""
        yield from break_line(shorten(format_run_name(report.run.name), max(width, MAX_NAME)), width, "  ")
        yield from (inset + line for line in format_run(report, width - len(inset), everything=everything))
    if len(chosen) < len(reports):
        others = format_count(len(reports) - len(chosen), "more run")
        yield ""
        yield from wrap_list(f"{others} without a block here: --runs REGEX or --all shows them", width, "  ")


def _format_summary(reports: Sequence[RunReport]) -> str:
    files = [file for report in reports for file in report.run.files]
    tags = {tag for report in reports for tag in report.run.series}
    parts = [
        format_count(len(reports), "run"),
        format_count(len(tags), "tag"),
        format_count(sum(share.values for report in reports for share in report.plugins.values()), "value"),
        f"{format_count(len(files), 'file')} of {format_count(sum(file.bytes for file in files), 'byte')}",
    ]
    assets = [asset for report in reports for asset in report.run.assets]
    if assets:
        size = numbers.format_size(sum(asset.bytes for asset in assets))
        parts.append(f"{format_count(len(assets), 'file')} of profiles and embeddings of {size}")
    unhealthy = sum(file.state in {"corrupt", "unreadable"} for file in files)
    return ", ".join(parts) + (f", {unhealthy:,} of them damaged" if unhealthy else "")


def _format_plugins(reports: Sequence[RunReport], width: int) -> Iterator[str]:
    """Yield one line for each plugin over all runs."""
    tags: dict[str, set[str]] = {}
    totals: dict[str, tuple[int, int, int]] = {}
    for report in reports:
        for tag, series in report.run.series.items():
            tags.setdefault(series.metadata.plugin_name, set()).add(tag)
        for plugin, share in report.plugins.items():
            runs, values, byte_count = totals.get(plugin, (0, 0, 0))
            totals[plugin] = runs + 1, values + share.values, byte_count + (share.bytes or 0)
    rows = [
        (
            safe(plugin) or "(no plugin)",
            format_count(len(tags[plugin]), "tag"),
            format_count(runs, "run"),
            format_count(values, "value"),
            numbers.format_size(byte_count) if byte_count else "",
        )
        for plugin, (runs, values, byte_count) in sorted(totals.items(), key=lambda total: -total[1][1])
    ]
    yield from stack_rows(rows, width=width)


def _format_run_table(reports: Sequence[RunReport], width: int, *, everything: bool) -> Iterator[str]:
    listed = reports if everything else reports[:MAX_ROWS]
    rows = [_TABLE_HEADINGS, *(_run_row(report) for report in listed)]
    yield from stack_rows(rows, width=width, remarks=True, left_aligned=2)
    if len(listed) < len(reports):
        yield from wrap_list(
            f"{format_count(len(reports) - len(listed), 'more run')}: --runs REGEX or --all shows them", width
        )


def _run_row(report: RunReport) -> tuple[str, ...]:
    last = report.run.last_step
    return (
        safe(format_run_name(report.run.name)),
        report.state,
        describe_age(report.age),
        "" if last is None else numbers.format_step(last),
        describe_pace(report),
        f"{sum(share.values for share in report.plugins.values()):,}",
        numbers.format_size(
            sum(file.bytes for file in report.run.files) + sum(asset.bytes for asset in report.run.assets)
        ),
        ", ".join(list_remarks(report)),
    )


def _select_detailed(reports: Sequence[RunReport]) -> list[RunReport]:
    """Return the runs with a block, in their order."""
    if len(reports) <= MAX_BLOCKS:
        return list(reports)
    order = sorted(range(len(reports)), key=lambda index: (not _has_problems(reports[index]), index))
    return [reports[index] for index in sorted(order[:MAX_BLOCKS])]


def _has_problems(report: RunReport) -> bool:
    return any(file.problems for file in report.run.files) or report.summary.trouble is not None
