"""The table of all sessions: hyperparameters and metrics as columns.

A session is a run with a session message, or a run whose hyperparameters are in a text, in a file or in its name. Runs
below it belong to it by path. PyTorch writes the message of a run into a run below it: such a run is folded into its
parent, which becomes the session (`folded_runs`).
"""

from __future__ import annotations

import re
import time
from dataclasses import field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.hparams.decode import FAILURE, RUNNING, HParamInfo
from tbtui.plugins.hparams.metric import FigureCache, Metric
from tbtui.plugins.hparams.sources import FILE, LOGGED, NAME, TEXT
from tbtui.run_health.conditions import WRITING_SECONDS
from tbtui.view.attributes import AttributeColumn, RunAttributes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.plugins.hparams.decode import HParamValue
    from tbtui.plugins.hparams.metric import MetricValues

SOURCES = (LOGGED, TEXT, FILE, NAME)
"""Sources of values, in order of precedence; a column stores their indices."""

SEED_NAME = re.compile(r"(?:^|[_/.\- ])(?:seed|random_state|fold|trial|rep(?:eat|lica)?|run_?id)s?\d*$", re.IGNORECASE)
"""Names of hyperparameters that repeat a training rather than change it."""

STATUS, GROUP = "status", "group"
"""Attributes of sessions that are neither hyperparameters nor metrics."""


@frozen
class Session:
    """One session."""

    name: str
    """Run that represents it: the run itself, or the one that a run of hyperparameters was folded into."""

    members: tuple[str, ...]
    """All its runs, `name` and those of its message among them."""

    hparams_runs: tuple[str, ...]
    """Runs with its session message; `name` for other sources."""

    group: str = ""
    """Name of the group that was logged with it; empty: none, or one that only repeats its values."""

    logged_status: str = ""
    """Status that was logged; empty: none."""

    started: float | None = None
    ended: float | None = None
    """Seconds since the epoch, as logged with the session, else first and last wall time of its runs."""

    last_step: int | None = None
    modified: float | None = None
    """Last write of its files, seconds since the epoch."""

    is_over: bool = False
    """True if its end was logged after everything else."""

    sessions: int = 1
    """Number of sessions written in its run; the last one counts."""

    changed: tuple[str, ...] = ()
    """Hyperparameters that differ between these."""

    origins: tuple[str, ...] = ()
    """Names of the texts and files that values are from."""

    problems: tuple[str, ...] = ()

    @property
    def duration(self) -> float | None:
        """Seconds from its start to its end; None if unknown."""
        if self.started is None or self.ended is None or self.ended < self.started:
            return None
        return self.ended - self.started


@frozen(slots=False, eq=False)
class HParam:
    """One hyperparameter of all sessions."""

    name: str
    column: AttributeColumn
    sources: npt.NDArray[np.int8]
    """Index into `SOURCES` for each session with a value, int8[n]."""

    info: HParamInfo | None = None
    """Its declaration."""

    has_shared_title: bool = False
    """True if another hyperparameter or a metric has the same display name."""

    @property
    def title(self) -> str:
        """Display name if no other column has it, else the name; not yet safe for a terminal."""
        if self.has_shared_title or self.info is None:
            return self.name
        return self.info.display_name or self.name

    @cached_property
    def is_seed(self) -> bool:
        """True if its name says that it repeats a training."""
        return SEED_NAME.search(self.name) is not None


@frozen(slots=False, eq=False)
class SessionTable:
    """All sessions, one row each, in the order of the run tree."""

    sessions: tuple[Session, ...] = ()
    hparams: Mapping[str, HParam] = field(default_factory=lambda: MappingProxyType({}))
    """Hyperparameters by name, in the order in which they were declared, then by name."""

    metrics: tuple[Metric, ...] = ()
    """Declared ones in their order, then others by name."""

    missing_metrics: tuple[str, ...] = ()
    """Titles of metrics that were declared and never written."""

    figures: FigureCache = field(default_factory=FigureCache)

    def __len__(self) -> int:
        return len(self.sessions)

    @cached_property
    def row_of(self) -> dict[str, int]:
        """Row by each of the runs of a session, and by its name, which may be a directory without a run."""
        rows = {session.name: row for row, session in enumerate(self.sessions)}
        return rows | {run: row for row, session in enumerate(self.sessions) for run in session.members}

    @cached_property
    def varying(self) -> tuple[str, ...]:
        """Names of the hyperparameters that differ between sessions."""
        return tuple(name for name, hparam in self.hparams.items() if not hparam.column.is_constant)

    @cached_property
    def seeds(self) -> tuple[str, ...]:
        """Names of hyperparameters that repeat a training."""
        return tuple(name for name in self.varying if self.hparams[name].is_seed)

    def metric(self, title: str) -> Metric | None:
        """Return the metric of a title; None without one."""
        return next((metric for metric in self.metrics if metric.title == title), None)

    @property
    def statuses(self) -> AttributeColumn:
        """Status of each session at present.

        `failed` and `running` as logged; `running` too if its files were written within the last minute and its end is
        not the last that was logged, since most writers log success at the start; `nan` if a last value is NaN; else
        `done`.
        """
        now = time.time()
        writing = frozenset(
            row
            for row, session in enumerate(self.sessions)
            if session.modified is not None and not session.is_over and 0 <= now - session.modified < WRITING_SECONDS
        )
        if writing not in self._statuses:
            self._statuses.clear()
            self._statuses[writing] = self._find_statuses(writing)
        return self._statuses[writing]

    @cached_property
    def _statuses(self) -> dict[frozenset[int], AttributeColumn]:
        """The latest statuses, by the sessions that are being written."""
        return {}

    def _find_statuses(self, writing: frozenset[int]) -> AttributeColumn:
        has_nan = np.zeros(len(self.sessions), np.bool_)
        for metric in self.shown_metrics:
            values = self.figures.values(metric, "last", None).values
            has_nan |= values.is_number & ~np.isfinite(values.numbers)
        words = {FAILURE: "failed", RUNNING: "running"}
        return AttributeColumn.of_values(
            words.get(session.logged_status) or ("nan" if has_nan[row] else "running" if row in writing else "done")
            for row, session in enumerate(self.sessions)
        )

    @cached_property
    def shown_metrics(self) -> tuple[Metric, ...]:
        """Initial columns of metrics: the declared ones, or all if a session has none of these."""
        declared = [metric for metric in self.metrics if metric.is_declared and metric.count]
        covered = np.zeros(len(self.sessions), np.bool_)
        for metric in declared:
            covered |= [
                curve is not None or value is not None
                for curve, value in zip(metric.curves, metric.logged, strict=True)
            ]
        return tuple(declared) if declared and covered.all() else self.metrics

    def attributes(self, values: Mapping[str, MetricValues] | None = None) -> RunAttributes:
        """Return all columns as attributes of runs, for filters and colours.

        Args:
            values: Values of metrics by title; None: the last ones.
        """
        columns = {name: hparam.column for name, hparam in self.hparams.items()}
        for hparam in self.hparams.values():
            columns.setdefault(hparam.title, hparam.column)
        for metric in self.metrics:
            metric_values = (values or {}).get(metric.title) or self.figures.values(metric, "last", None)
            columns.setdefault(metric.title, metric_values.values)
            columns.setdefault(metric.tag, metric_values.values)
        columns.setdefault(STATUS, self.statuses)
        if any(session.group for session in self.sessions):
            columns.setdefault(GROUP, AttributeColumn.of_values(session.group or None for session in self.sessions))
        members = tuple(session.members for session in self.sessions)
        return RunAttributes(members, MappingProxyType(columns), [session.name for session in self.sessions])

    def groups(self, seeds: Sequence[str]) -> npt.NDArray[np.intp]:
        """Return the group of each session, int[n] from 0 in the order of first appearance.

        Sessions of one logged group belong together; else those with equal values of all hyperparameters but `seeds`.
        """
        key = frozenset(seeds)
        if key not in self._groups:
            keys = [hparam.column.level_codes for name, hparam in self.hparams.items() if name not in key]
            stacked = np.stack(keys, axis=1).astype(np.int32) if keys else np.zeros((len(self.sessions), 1), np.int32)
            group_numbers: dict[object, int] = {}
            # Rows as bytes: np.unique sorts all of them, which takes ten times as long.
            groups = [
                group_numbers.setdefault(session.group or row.tobytes(), len(group_numbers))
                for session, row in zip(self.sessions, stacked, strict=True)
            ]
            self._groups[key] = np.array(groups, np.intp)
        return self._groups[key]

    @cached_property
    def _groups(self) -> dict[frozenset[str], npt.NDArray[np.intp]]:
        return {}


@frozen
class RunSession:
    """Session of a run, as commands show it."""

    values: Mapping[str, HParamValue] = field(default_factory=lambda: MappingProxyType({}))
    source: str | None = None
    """Run, text or file that holds the values; None without values."""


NO_SESSION = RunSession()


def map_sessions(table: SessionTable, runs: Iterable[str]) -> dict[str, RunSession]:
    """Return the session of each run: its own, or that of a run above or below that it belongs to."""
    session_of_row: dict[int, RunSession] = {}
    sessions = {}
    for run in runs:
        row = table.row_of.get(run)
        if row is not None and row not in session_of_row:
            session = table.sessions[row]
            values = {name: hparam.column.value(row) for name, hparam in table.hparams.items()}
            present = {name: value for name, value in values.items() if value is not None}
            source = session.origins[0] if session.origins else session.hparams_runs[-1]
            session_of_row[row] = RunSession(MappingProxyType(present), source)
        sessions[run] = NO_SESSION if row is None else session_of_row[row]
    return sessions
