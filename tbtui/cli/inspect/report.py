"""Collect the facts of each run for `tbtui inspect`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tbtui.app.run_status import NO_NUMBERS, format_pace
from tbtui.charts import numbers
from tbtui.charts.numbers import format_count
from tbtui.frozen import frozen
from tbtui.loading.payloads import Payloads
from tbtui.maths.decimate import column_extents, compute_series_extents
from tbtui.plugins.base import ScalarExtremes
from tbtui.plugins.hparams.decode import FAILURE, SUCCESS
from tbtui.plugins.hparams.session_checks import NO_FINDINGS, SessionChecks, check_session
from tbtui.plugins.hparams.sessions import RunHParams, read_run_hparams
from tbtui.run_health.ages import is_known_age
from tbtui.run_health.conditions import judge_runs
from tbtui.run_health.history import History, find_history, find_uneven_series
from tbtui.run_health.summaries import summarize_run
from tbtui.store.event_files import select_troubled
from tbtui.store.run_series import get_plain_table, layout_in, list_other_series
from tbtui.store.scalar_table import SCALARS
from tbtui.store.snapshot import ReferenceSeries, ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tbtui.maths.decimate import Extents
    from tbtui.run_health.conditions import RunCondition
    from tbtui.run_health.history import Gap, Restart
    from tbtui.run_health.summaries import RunSummary
    from tbtui.store.scalar_table import SeriesLayout
    from tbtui.store.snapshot import RunSnapshot, Series


RECORD_FRAME = 16
"""Bytes of length and checksums around the payload of a record."""


@frozen
class PluginShare:
    """Data of one plugin in a run."""

    tags: int
    values: int
    bytes: int | None
    """Bytes of the records with these values, frames included; None for scalars, whose record sizes are not stored."""


@frozen
class RunReport:
    """Facts of one run at one time."""

    run: RunSnapshot
    summary: RunSummary
    state: str
    """`empty`, `assets`, `writing`, `active`, `stalled`, `quiet`, `done`, `failed`, `over` or `unknown` (guide)."""

    age: float | None
    """Seconds since the last write; None without any."""

    clock_offset: float | None
    """Seconds by which the clock of the run is ahead of that of its files; None if they agree or if it is unknown."""

    history: History
    hparams: RunHParams
    plugins: Mapping[str, PluginShare]
    """Shares by plugin name, the one with most values first."""

    extents: ScalarExtents
    """By scalar tag."""

    superseded: Mapping[str, int]
    """Number of superseded points by tag; tags without any are missing."""

    checks: SessionChecks = NO_FINDINGS
    """Oddities of its session."""


def create_reports(
    runs: Sequence[RunSnapshot], now: float, everyone: Iterable[RunSnapshot] | None = None
) -> Iterator[RunReport]:
    """Yield the reports of runs, each computed when it is consumed.

    Args:
        runs: Runs with all or some of their tags.
        now: Seconds since the epoch.
        everyone: All runs with all tags; a run has stalled if it ended before the others. None: `runs`.
    """
    known = {run.name: run for run in (runs if everyone is None else everyone)}
    summaries = {name: summarize_run(run) for name, run in known.items()}
    conditions = judge_runs(summaries, now, None).of
    payloads = Payloads()
    for run in runs:
        hparams = read_run_hparams(run, payloads)
        condition = conditions[run.name]
        uneven = find_uneven_series(run)
        yield RunReport(
            run,
            summaries[run.name],
            "assets" if run.asset_tags and not run.series else _name_state(summaries[run.name], condition, hparams),
            condition.age,
            condition.clock_offset,
            find_history(run, uneven),
            hparams,
            _count_plugins(run),
            _measure_extents(run),
            {series.tag: series.superseded for series in uneven},
            check_session(run, hparams, known),
        )


def _name_state(summary: RunSummary, condition: RunCondition, hparams: RunHParams) -> str:
    """Return the state of a run."""
    if condition.age is None or not summary.values:
        return "empty"
    if not is_known_age(condition.age):
        return "unknown"
    if hparams.status in {SUCCESS, FAILURE}:
        return "done" if hparams.status == SUCCESS else "failed"
    for state in ("writing", "active", "stalled"):
        if getattr(condition, state):
            return state
    return "quiet" if condition.silent else "over"


class ScalarExtents(Mapping[str, ScalarExtremes]):
    """The value ranges of the scalar tags of a run."""

    def __init__(self, names: Sequence[str], extents: Extents) -> None:
        """Create the ranges of the tags `names`, in their order."""
        self._names, self.found = names, extents

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __getitem__(self, tag: str) -> ScalarExtremes:
        index = self._numbers[tag]
        least, greatest = self.found.minimum.item(index), self.found.maximum.item(index)
        nan, inf = self.found.nan.item(index), self.found.inf.item(index)
        return ScalarExtremes(None, None, nan, inf) if math.isnan(least) else ScalarExtremes(least, greatest, nan, inf)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self._names)}


def _measure_extents(run: RunSnapshot) -> ScalarExtents:
    table = get_plain_table(run.series)
    if table is not None:
        return ScalarExtents(table.scalar_names, column_extents(table.values, table.starts[:-1][table.counts > 0]))
    scalars = {tag: series for tag, series in run.series.items() if isinstance(series, ScalarSeries)}
    return ScalarExtents(tuple(scalars), compute_series_extents([series.values for series in scalars.values()]))


def _count_plugins(run: RunSnapshot) -> Mapping[str, PluginShare]:
    layout = layout_in(run.series)
    if layout is not None and layout.has_single_values and len(layout.other_tags) < 2:
        return _count_shares_of_search(run, layout)
    all_series: dict[str, list[Series]] = {}
    for series in list_other_series(run.series):
        all_series.setdefault(series.metadata.plugin_name, []).append(series)
    shares = {
        plugin: PluginShare(len(series), sum(each.steps.size for each in series), _count_bytes(series))
        for plugin, series in all_series.items()
    }
    table = get_plain_table(run.series)
    if table is not None and len(table.steps):
        share = PluginShare(len(table.scalar_names), len(table.steps), None)
        first = {
            plugin: table.tags.numbers.get(series[0].tag, len(table.tags)) for plugin, series in all_series.items()
        }
        first[SCALARS] = table.tags.numbers[table.scalar_names[0]]
        shares = {plugin: {SCALARS: share, **shares}[plugin] for plugin in sorted(first, key=first.__getitem__)}
    return dict(sorted(shares.items(), key=lambda share: -share[1].values))


def _count_shares_of_search(run: RunSnapshot, layout: SeriesLayout) -> dict[str, PluginShare]:
    """Return the shares of a run with single values of at most one plugin beside its scalars."""
    table = get_plain_table(run.series)
    scalars = PluginShare(len(layout.counts.scalar_names), 0 if table is None else len(table.steps), None)
    own = {SCALARS: scalars} if scalars.values else {}
    others = list(list_other_series(run.series))
    if not others:
        return own
    share = {others[0].metadata.plugin_name: PluginShare(len(others), len(others), _count_bytes(others))}
    if own and scalars.values == len(others):  # the plugin of the first tag comes first
        is_first = layout.names[0] == others[0].tag
        return share | own if is_first else own | share
    return own | share if scalars.values > len(others) else share | own


def _count_bytes(all_series: Sequence[Series]) -> int | None:
    """Return the bytes of the records with these values; each record counts once."""
    reference_series = [series for series in all_series if isinstance(series, ReferenceSeries)]
    if len(reference_series) < len(all_series):
        return None
    if all(series.steps.size == 1 for series in reference_series):  # as in most runs of a search
        records = {
            (series.files.item(0), series.offsets.item(0)): series.lengths.item(0) for series in reference_series
        }
        return int(sum(records.values())) + RECORD_FRAME * len(records)
    lengths = np.concatenate([series.lengths for series in reference_series])
    if any(np.any(series.indices > 0) for series in reference_series):  # several values in one event
        offsets = np.concatenate([series.offsets for series in reference_series])
        files = np.concatenate([series.files for series in reference_series])
        order = np.lexsort((offsets, files))
        first = np.ones(len(order), np.bool_)
        first[1:] = (np.diff(offsets[order]) != 0) | (np.diff(files[order]) != 0)
        lengths = lengths[order][first]
    return int(lengths.sum()) + RECORD_FRAME * len(lengths)


# Short texts of `tbtui inspect` about a run.


STATES = {
    "empty": "nothing has been written",
    "assets": "no event file beside its profiles or embeddings",
    "writing": "being written",
    "active": "active: its next write is not overdue",
    "stalled": "stalled: it stopped before the step that other runs reached",
    "quiet": "quiet: its writes stopped; the log does not say whether it ended",
    "done": "done: its session ended in success",
    "failed": "failed: its session ended in failure",
    "over": "over",
    "unknown": "the time of its last write is unknown: its clock is ahead",
}
"""Meaning of each state."""


def describe_age(age: float | None) -> str:
    """Return `4 seconds ago`; empty if nothing was written."""
    if age is None:
        return ""
    return f"{numbers.spell_age(age)} ago" if is_known_age(age) else "clock ahead"


def describe_pace(report: RunReport) -> str:
    """Return the steps per second, or per minute, hour or day if they take longer."""
    return "" if report.summary.pace is None else format_pace(report.summary.pace.rate)


def list_remarks(report: RunReport) -> Iterator[str]:
    """Yield one word or phrase for each irregularity of a run."""
    states = {file.state for file in select_troubled(report.run.files)}
    if states & {"corrupt", "unreadable"}:
        yield "damaged"
    if report.run.problem is not None:
        yield "cannot be read"
    trouble = report.summary.trouble
    if trouble is not None:
        step = trouble.step
        yield trouble.kind if step is None else f"{NO_NUMBERS[trouble.kind]} from step {numbers.format_step(step)}"
    if count := report.history.restart_count:
        yield format_count(count, "restart")
    if count := report.history.gap_count:
        yield format_count(count, "gap")


def format_restart(restart: Restart) -> str:
    """Return `at step 500 from 900 (3 tags, 2026-11-20 18:23:05)`."""
    when = numbers.format_clock(restart.wall_time)
    return f"at step {restart.to_step:,} from {restart.from_step:,} ({format_count(restart.tags, 'tag')}, {when})"


def format_gap(gap: Gap) -> str:
    """Return `silent for 2h5m between steps 900 and 910 (from 2026-11-20 18:23:05)`, `no steps between 500 and 900`."""
    steps = f"{gap.after_step:,} and {gap.before_step:,}"
    if gap.kind == "steps":
        return f"no steps between {steps}"
    since = numbers.format_clock(gap.after_wall_time)
    return f"silent for {numbers.format_duration(gap.seconds)} between steps {steps} (from {since})"
