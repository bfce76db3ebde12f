"""The table of all sessions: hyperparameters and metrics as columns, built from runs and cached by their revisions.

A session is a run with a session message, or a run whose hyperparameters are in a text, in a file or in its name. Runs
below it belong to it by path. PyTorch writes the message of a run into a run below it: such a run is folded into its
parent, which becomes the session (`folds`).
"""

from __future__ import annotations

import re
import threading
import time
from collections import OrderedDict
from dataclasses import field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.hparams.decode import (
    FAILURE,
    RUNNING,
    SESSION_END_TAG,
    SESSION_START_TAG,
    SUCCESS,
    HParamInfo,
    MetricInfo,
)
from tbtui.plugins.hparams.folds import FoldFinder, parent_of
from tbtui.plugins.hparams.metric import PLACEHOLDER_METRIC, PLACEHOLDER_VALUE, FigureCache, LoggedValue, Metric
from tbtui.plugins.hparams.sessions import RunHParams, hparams_of
from tbtui.plugins.hparams.sources import FILE, LOGGED, NAME, TEXT, config_texts, file_values, name_values, text_values
from tbtui.run_health.conditions import WRITING_SECONDS
from tbtui.store.run_folds import stored_runs
from tbtui.store.scalar_table import plain_table
from tbtui.store.snapshot import ReferenceSeries, ScalarSeries
from tbtui.view.attributes import NO_ATTRIBUTES, AttributeColumn, RunAttributes
from tbtui.view.run_tree import natural_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.hparams.decode import Experiment, HParamValue
    from tbtui.plugins.hparams.metric import MetricValues
    from tbtui.plugins.hparams.sources import FoundValues
    from tbtui.store.snapshot import RunSnapshot

SOURCES = (LOGGED, TEXT, FILE, NAME)
"""Sources of values, in order of precedence; a column stores their indices."""

SEED_NAME = re.compile(r"(?:^|[_/.\- ])(?:seed|random_state|fold|trial|rep(?:eat|lica)?|run_?id)s?\d*$", re.IGNORECASE)
"""Names of hyperparameters that repeat a training rather than change it."""

END_SECONDS = 5.0
"""Seconds after the end of a session in which its metrics are still logged."""

STATUS, GROUP = "status", "group"
"""Attributes of sessions beside hyperparameters and metrics."""

_METRIC_PREFIX = re.compile(r"^(?:hparams?|hp|metrics?)/")
_HASH = re.compile(r"[0-9a-f]{40,}")
"""TensorFlow's default name of a group: the hash of all hyperparameters, the seed among them."""


@frozen
class Session:
    """One session."""

    name: str
    """Run that stands for it: the run itself, or the one that a run of hyperparameters was folded into."""

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

    places: tuple[str, ...] = ()
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

    @property
    def title(self) -> str:
        """Display name, else the name; not yet safe for a terminal."""
        return self.info.display_name if self.info is not None and self.info.display_name else self.name

    @cached_property
    def is_seed(self) -> bool:
        """True if its name says that it repeats a training."""
        return SEED_NAME.search(self.name) is not None


@frozen(slots=False, eq=False)
class SessionTable:
    """All sessions, one row each, in the order of the run tree."""

    sessions: tuple[Session, ...] = ()
    hparams: Mapping[str, HParam] = field(default_factory=lambda: MappingProxyType({}))
    """By name, in the order in which they were declared, then by name."""

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
        """Metrics that are columns at first: the declared ones, and all if a session has none of these."""
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
            found = (values or {}).get(metric.title) or self.figures.values(metric, "last", None)
            columns.setdefault(metric.title, found.values)
            columns.setdefault(metric.tag, found.values)
        columns.setdefault(STATUS, self.statuses)
        if any(session.group for session in self.sessions):
            columns.setdefault(GROUP, AttributeColumn.of_values(session.group or None for session in self.sessions))
        members = tuple(session.members for session in self.sessions)
        return RunAttributes(members, MappingProxyType(columns), [session.name for session in self.sessions])

    def groups(self, seeds: Sequence[str]) -> npt.NDArray[np.intp]:
        """Return the group of each session, int[n] from 0 in the order of first appearance.

        Sessions of one logged group belong together; else those with equal values of all hyperparameters but `seeds`.
        """
        asked = frozenset(seeds)
        if asked not in self._groups:
            keys = [hparam.column.level_codes for name, hparam in self.hparams.items() if name not in asked]
            stacked = np.stack(keys, axis=1).astype(np.int32) if keys else np.zeros((len(self.sessions), 1), np.int32)
            known: dict[object, int] = {}
            # Rows as bytes: np.unique sorts all of them, which takes ten times as long.
            found = [
                known.setdefault(session.group or row.tobytes(), len(known))
                for session, row in zip(self.sessions, stacked, strict=True)
            ]
            self._groups[asked] = np.array(found, np.intp)
        return self._groups[asked]

    @cached_property
    def _groups(self) -> dict[frozenset[str], npt.NDArray[np.intp]]:
        return {}


MAX_CACHED_RUNS = 1 << 16


@frozen(eq=False)
class _RunFacts:
    """Session of one run at one revision."""

    hparams: RunHParams
    found: tuple[FoundValues, ...] | None = None
    """Values of other sources; None: not searched."""


class SessionTables:
    """Builds session tables; a run that has not changed is not read again. Threads wait for each other.

    Args:
        payloads: Reads values that are in files.
    """

    def __init__(self, payloads: Payloads) -> None:
        self._payloads = payloads
        self._known: OrderedDict[str, tuple[int, _RunFacts]] = OrderedDict()
        self._figures = FigureCache()
        self._find_folds = FoldFinder()
        self._lock = threading.Lock()
        self._hparams = NO_ATTRIBUTES
        self._latest: tuple[tuple[tuple[str, int], ...], str, SessionTable] | None = None

    def build(self, runs: Mapping[str, RunSnapshot], name_pattern: str | None = None) -> SessionTable:
        """Return the table of all sessions; the same object for the same runs.

        Args:
            runs: All runs by name, folded or as stored.
            name_pattern: Regular expression with named groups that are hyperparameters in run names; empty: pieces
                `key=value` and `key<number>`; None: names are not searched.
        """
        runs = stored_runs(runs)
        key = tuple((name, run.revision) for name, run in runs.items())
        with self._lock:
            if self._latest is not None and self._latest[:2] == (key, repr(name_pattern)):
                return self._latest[2]
            folds = self._find_folds(runs)
            table = _Builder(runs, folds, self._facts, self._search, name_pattern, self._figures).table()
            self._latest = key, repr(name_pattern), table
            return table

    def hparams(self, runs: Mapping[str, RunSnapshot], name_pattern: str | None = None) -> RunAttributes:
        """Return the hyperparameters of all sessions by title, without their metrics: those take much longer.

        Args:
            runs: As of `build`.
            name_pattern: As of `build`.

        Returns:
            The same object as long as no hyperparameter changes.
        """
        runs = stored_runs(runs)
        with self._lock:
            builder = _Builder(runs, self._find_folds(runs), self._facts, self._search, name_pattern, self._figures)
            found = builder.attributes()
            if not _are_equal(found, self._hparams):
                self._hparams = found
            return self._hparams

    def _facts(self, run: RunSnapshot) -> _RunFacts:
        known = self._known.get(run.name)
        if known is None or known[0] != run.revision:
            known = run.revision, _RunFacts(hparams_of(run, self._payloads))
            self._known[run.name] = known
            while len(self._known) > MAX_CACHED_RUNS:
                self._known.popitem(last=False)
        return known[1]

    def _search(self, run: RunSnapshot) -> tuple[FoundValues, ...]:
        facts = self._facts(run)
        if facts.found is None:
            found = [*text_values(run, self._payloads)]
            if not found and (in_file := file_values(run)) is not None:
                found.append(in_file)
            facts = _RunFacts(facts.hparams, tuple(found))
            self._known[run.name] = run.revision, facts
        return facts.found or ()


def _are_equal(one: RunAttributes, other: RunAttributes) -> bool:
    """Return True if two tables have the same rows, columns and values."""
    ours, theirs = one.columns or {}, other.columns or {}
    return (
        (one.members, [*ours]) == (other.members, [*theirs])
        and all(column.words == theirs[name].words for name, column in ours.items())
        and all(column.codes.tobytes() == theirs[name].codes.tobytes() for name, column in ours.items())
        and all(column.numbers.tobytes() == theirs[name].numbers.tobytes() for name, column in ours.items())
    )


_SHARED: WeakKeyDictionary[Payloads, SessionTables] = WeakKeyDictionary()


def shared_tables(payloads: Payloads) -> SessionTables:
    """Return the tables of all users of one reader of values; called on any thread."""
    tables = _SHARED.get(payloads)
    if tables is None:
        tables = _SHARED.setdefault(payloads, SessionTables(payloads))
    return tables


class _Builder:
    """One table being built."""

    def __init__(
        self,
        runs: Mapping[str, RunSnapshot],
        folded: Mapping[str, str],
        facts: Callable[[RunSnapshot], _RunFacts],
        search: Callable[[RunSnapshot], tuple[FoundValues, ...]],
        name_pattern: str | None,
        figures: FigureCache,
    ) -> None:
        self._runs = runs
        self._figures = figures
        self._facts = {name: facts(run) for name, run in runs.items()}
        self._own = {name: known.hparams for name, known in self._facts.items() if known.hparams.starts}
        self._folded = folded
        self._values: dict[str, dict[str, HParamValue]] = {}
        """Values of each row by name."""

        self._sources: dict[str, dict[str, int]] = {}
        """Sources of those that were not logged, by row and name."""

        self._found: dict[str, tuple[FoundValues, ...]] = {}
        self._rows = self._find_rows(search, name_pattern)

    def table(self) -> SessionTable:
        """Return the table."""
        members = self._members()
        sessions = tuple(self._session(row, members[row]) for row in self._rows)
        metrics, missing = self._metrics(members)
        return SessionTable(sessions, self._hparams(), metrics, missing, self._figures)

    def attributes(self) -> RunAttributes:
        """Return the hyperparameters by title."""
        members = self._members()
        columns: dict[str, AttributeColumn] = {}
        for name, hparam in self._hparams().items():
            columns[name if hparam.title in columns else hparam.title] = hparam.column
        return RunAttributes(tuple(tuple(members[row]) for row in self._rows), MappingProxyType(columns), self._rows)

    # Rows

    def _find_rows(
        self, search: Callable[[RunSnapshot], tuple[FoundValues, ...]], name_pattern: str | None
    ) -> tuple[str, ...]:
        """Return the names of all rows, and store their values."""
        for name, hparams in self._own.items():
            row, values = self._folded.get(name, name), hparams.starts[-1].hparams
            if row in self._values:
                self._values[row].update(values)
            else:
                self._values[row] = values.copy()
        self._add_unreadable()
        covered = {name for name in self._runs if self._row_above(name) is not None}
        for name, run in self._runs.items():
            if name in self._values:
                continue
            has_text = bool(config_texts(run))
            if has_text or (name not in covered and _has_scalars(run)):
                found = search(run)
                if any(each.values for each in found):
                    self._found[name] = found
        for name, found in self._found.items():
            for each in found:
                self._add(self._row_above(name) or name, each.values, SOURCES.index(each.source))
        if name_pattern is not None:
            names = [name for name in self._runs if _has_scalars(self._runs[name])]
            rows = list(dict.fromkeys(self._row_above(name) or name for name in names))
            for name, pairs in name_values(rows, name_pattern).items():
                self._add(name, pairs, SOURCES.index(NAME))
        return tuple(sorted(self._values, key=natural_key))

    def _add(self, row: str, found: Mapping[str, HParamValue], source: int) -> None:
        """Add values of a source to a row, which has those of better sources."""
        values, sources = self._values.setdefault(row, {}), self._sources.setdefault(row, {})
        for key, value in found.items():
            if key not in values:
                values[key], sources[key] = value, source

    def _add_unreadable(self) -> None:
        """Add a row for each session that cannot be read: it is there, with the reason."""
        for name, known in self._facts.items():
            if known.hparams.problems and self._row_above(name) is None:
                self._values.setdefault(name, {})

    def _row_above(self, name: str) -> str | None:
        """Return the row that a run belongs to: itself, or the nearest run above it; None if there is none."""
        above: str | None = self._folded.get(name, name)
        while above is not None:
            if above in self._values:
                return above
            above = parent_of(above)
        return None

    def _members(self) -> dict[str, list[str]]:
        """Return the runs of each row."""
        members: dict[str, list[str]] = {row: [] for row in self._rows}
        for name in self._runs:
            row = self._row_above(name)
            if row is not None:
                members[row].append(name)
        return members

    def _session(self, row: str, members: Sequence[str]) -> Session:
        with_message = [
            name for name in members if name in self._own and (name == row or self._folded.get(name) == row)
        ]
        runs = [self._runs[name] for name in members]
        found = self._found.get(row, ())
        hparams = self._own[with_message[-1]] if with_message else RunHParams()
        starts = [run.first_wall_time for run in runs if run.first_wall_time is not None]
        ends = [run.last_wall_time for run in runs if run.last_wall_time is not None]
        started = hparams.start.start_time_secs if hparams.start is not None else None
        ended = hparams.end.end_time_secs if hparams.end is not None else None
        group = hparams.start.group_name if hparams.start is not None else ""
        with_problems = dict.fromkeys([*with_message, row])
        problems = [
            reason for name in with_problems if name in self._facts for reason in self._facts[name].hparams.problems
        ]
        return Session(
            row,
            tuple(members),
            tuple(with_message) or (row,),
            "" if _HASH.fullmatch(group) else group,
            hparams.status if hparams.status in (SUCCESS, FAILURE, RUNNING) else "",
            min(starts, default=None) if started is None else started,
            max(ends, default=None) if ended is None else ended,
            max((run.last_step for run in runs if run.last_step is not None), default=None),
            max((run.modified for run in runs if run.modified is not None), default=None),
            hparams.end is not None and _ends_with_session(runs),
            max(hparams.sessions, 1),
            hparams.changed,
            tuple(dict.fromkeys(each.place for each in found if each.values)),
            (*problems, *(reason for each in found for reason in each.problems)),
        )

    # Columns

    def _experiments(self) -> Iterable[Experiment]:
        """Return the declarations of all runs: PyTorch repeats an equal experiment in every run of a search."""
        declared = (known.hparams.experiment for known in self._facts.values())
        return {id(experiment): experiment for experiment in declared if experiment is not None}.values()

    def _hparams(self) -> Mapping[str, HParam]:
        infos: dict[str, HParamInfo] = {}
        for experiment in self._experiments():
            for info in experiment.hparam_infos:
                infos.setdefault(info.name, info)
        seen = set().union(*self._values.values())
        names = [name for name in infos if name in seen]
        names += sorted(seen.difference(infos), key=natural_key)
        columns = {}
        rows = [self._values[row] for row in self._rows]
        values_by_name = _transposed(rows, names)
        unlogged = [(place, self._sources[row]) for place, row in enumerate(self._rows) if row in self._sources]
        for name in names:
            column = AttributeColumn.of_values(values_by_name[name])
            sources = np.zeros(len(rows), np.int8)
            for place, found in unlogged:
                sources[place] = found.get(name, 0)
            columns[name] = HParam(name, column, sources, infos.get(name))
        return MappingProxyType(columns)

    def _metrics(self, members: Mapping[str, Sequence[str]]) -> tuple[tuple[Metric, ...], tuple[str, ...]]:
        """Return all metrics with a value, and the titles of those that were declared and have none."""
        declared: dict[tuple[str, str], MetricInfo] = {}
        for experiment in self._experiments():
            for info in experiment.metric_infos:
                declared.setdefault((info.tag, info.group), info)
        count = len(self._rows)
        curves: dict[tuple[str, str], list[ScalarSeries | None]] = {}
        logged: dict[tuple[str, str], list[LoggedValue | None]] = {}
        for index, row in enumerate(self._rows):
            for key, curve, value in self._metrics_of(row, members[row]):
                if key not in curves:
                    curves[key], logged[key] = [None] * count, [None] * count
                curves[key][index] = curve if curve is not None else curves[key][index]
                logged[key][index] = value if value is not None else logged[key][index]
        keys = [key for key in declared if key in curves and not _is_placeholder(key[0], curves[key], logged[key])]
        others = [key for key in curves if key not in declared]
        others = [key for key in others if not _is_placeholder(key[0], curves[key], logged[key])]
        keys += sorted(others, key=lambda key: natural_key(f"{key[1]}/{key[0]}"))
        titles = _titles(keys, declared)
        metrics = tuple(
            Metric(
                *key,
                titles[key],
                declared[key].description if key in declared else "",
                declared[key].dataset_type if key in declared else "",
                key in declared,
                tuple(curves[key]),
                tuple(logged[key]),
            )
            for key in keys
        )
        return metrics, tuple("/".join(filter(None, (key[1], key[0]))) for key in declared if key not in curves)

    def _metrics_of(
        self, row: str, members: Iterable[str]
    ) -> Iterator[tuple[tuple[str, str], ScalarSeries | None, LoggedValue | None]]:
        """Yield tag and group of each metric of a row, its curve, and the value that was logged with the session."""
        own: dict[tuple[str, str], ScalarSeries] = {}
        folded: dict[str, ScalarSeries] = {}
        for name in members:
            is_folded = self._folded.get(name) == row
            group = "" if is_folded or name == row else name if row == "." else name[len(row) + 1 :]
            for tag, series in self._runs[name].series.items():
                if not isinstance(series, ScalarSeries) or not len(series):
                    continue
                if is_folded:
                    folded[tag] = series
                else:
                    own[tag, group] = series
        run = self._runs.get(row)
        for (tag, group), series in own.items():
            alone = None if group or run is None or row not in self._own else logged_apart(run, series)
            if alone is None:
                yield (tag, group), series, None
            else:
                yield (tag, group), alone[1], alone[0]
        for tag, series in folded.items():
            value = LoggedValue(float(series.values[-1]), int(series.steps[-1]))
            curve = own.get((tag, "")) or own.get((_METRIC_PREFIX.sub("", tag), ""))
            yield (tag, ""), curve or series, value


def _transposed(
    rows: Sequence[Mapping[str, HParamValue]], names: Sequence[str]
) -> Mapping[str, Iterable[HParamValue | None]]:
    """Return the values of each name in all rows."""
    order = list(rows[0]) if rows else []
    if all(list(values) == order for values in rows):
        # The sessions of a search have the same names.
        columns: Iterable[Iterable[HParamValue]] = zip(*(values.values() for values in rows), strict=True)
        return dict(zip(order, columns, strict=True))
    return {name: [values.get(name) for values in rows] for name in names}


@frozen
class RunSession:
    """Session of a run, as commands show it."""

    values: Mapping[str, HParamValue] = field(default_factory=lambda: MappingProxyType({}))
    source: str | None = None
    """Run, text or file that says so; None where none does."""


NO_SESSION = RunSession()


def sessions_of(table: SessionTable, runs: Iterable[str]) -> dict[str, RunSession]:
    """Return the session of each run: its own, or that of a run above or below that it belongs to."""
    found: dict[int, RunSession] = {}
    sessions = {}
    for run in runs:
        row = table.row_of.get(run)
        if row is not None and row not in found:
            session = table.sessions[row]
            values = {name: hparam.column.value(row) for name, hparam in table.hparams.items()}
            known = {name: value for name, value in values.items() if value is not None}
            source = session.places[0] if session.places else session.hparams_runs[-1]
            found[row] = RunSession(MappingProxyType(known), source)
        sessions[run] = NO_SESSION if row is None else found[row]
    return sessions


def logged_apart(run: RunSnapshot, series: ScalarSeries) -> tuple[LoggedValue, ScalarSeries] | None:
    """Return the value that a session logged into a curve at an earlier step, and the curve without it.

    PyTorch's `add_hparams(run_name=".")` without a step logs the metrics at step 0 of the run itself, into a file of
    their own. Such a value must not take the place of the curve's first point.

    Args:
        run: The run of the session.
        series: A scalar series of the run.

    Returns:
        None if there is no such value.
    """
    parts, start = series.parts, run.series.get(SESSION_START_TAG)
    if parts is None or not isinstance(start, ReferenceSeries) or len(series) < 2:
        return None
    files = parts.of_points(len(series))
    for file in np.unique(start.files).tolist():
        points = np.flatnonzero(files == file)
        if len(points) == 1 and series.steps[points[0]] < series.steps.max() and len(points) < len(series):
            point = int(points[0])
            others = np.flatnonzero(files != file)
            return LoggedValue(float(series.values[point]), int(series.steps[point])), series.part(others)
    return None


def _ends_with_session(runs: Iterable[RunSnapshot]) -> bool:
    """Return True if no scalar was logged after the end of the session."""
    ends = [float(series.wall_times[-1]) for run in runs if (series := run.series.get(SESSION_END_TAG)) and len(series)]
    last = max((end for run in runs for end in _last_times(run)), default=-np.inf)
    return bool(ends) and last <= max(ends) + END_SECONDS


def _last_times(run: RunSnapshot) -> Iterator[float]:
    table = plain_table(run.series)
    if table is not None and len(table.wall_times):
        yield float(table.wall_times.max())
        return
    for series in run.series.values():
        if isinstance(series, ScalarSeries) and len(series):
            yield float(series.wall_times[-1])


def _has_scalars(run: RunSnapshot) -> bool:
    return any(isinstance(series, ScalarSeries) and len(series) for series in run.series.values())


def _is_placeholder(tag: str, curves: Iterable[ScalarSeries | None], logged: Iterable[LoggedValue | None]) -> bool:
    """Return True for Lightning's metric if it has no other value than its default."""
    if tag.rpartition("/")[2] != PLACEHOLDER_METRIC:
        return False
    return all(curve is None or bool((curve.values == PLACEHOLDER_VALUE).all()) for curve in curves) and all(
        value is None or value.value == PLACEHOLDER_VALUE for value in logged
    )


def _titles(
    keys: Sequence[tuple[str, str]], declared: Mapping[tuple[str, str], MetricInfo]
) -> dict[tuple[str, str], str]:
    """Return a unique title of each metric: its display name, with its group if another one has the same."""
    paths = {key: "/".join(filter(None, (key[1], key[0]))) for key in keys}
    titles = {key: (declared[key].display_name if key in declared else "") or paths[key] for key in keys}
    seen: dict[str, list[tuple[str, str]]] = {}
    for key, title in titles.items():
        seen.setdefault(title, []).append(key)
    for title, alike in seen.items():
        if len(alike) > 1:
            for key in alike:
                titles[key] = f"{key[1]}/{title}" if key[1] else paths[key]
    taken: set[str] = set()
    for key, title in titles.items():
        number = 1
        unique = title
        while unique in taken:
            number += 1
            unique = f"{title} ({number})"
        titles[key] = unique
        taken.add(unique)
    return titles
