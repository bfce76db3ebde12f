"""Build tables of sessions from runs; the facts of a run are cached by its revision."""

from __future__ import annotations

import re
import threading
from collections import Counter, OrderedDict
from types import MappingProxyType
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.hparams.decode import FAILURE, RUNNING, SESSION_END_TAG, SUCCESS, HParamInfo
from tbtui.plugins.hparams.folded_runs import FoldFinder, get_parent_name
from tbtui.plugins.hparams.metric import FigureCache
from tbtui.plugins.hparams.session_metrics import MetricFinder
from tbtui.plugins.hparams.session_table import SOURCES, HParam, Session, SessionTable
from tbtui.plugins.hparams.sessions import RunHParams, read_run_hparams
from tbtui.plugins.hparams.sources import NAME, list_config_texts, name_values, read_file, read_texts
from tbtui.store.run_folds import list_stored_runs
from tbtui.store.run_series import get_plain_table
from tbtui.store.snapshot import ScalarSeries
from tbtui.view.attributes import NO_ATTRIBUTES, AttributeColumn, RunAttributes
from tbtui.view.natural_order import make_natural_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.hparams.decode import Experiment, HParamValue
    from tbtui.plugins.hparams.sources import SourceValues
    from tbtui.store.snapshot import RunSnapshot

END_SECONDS = 5.0
"""Seconds after the end of a session in which its metrics are still logged."""

_HASH = re.compile(r"[0-9a-f]{40,}")
"""TensorFlow's default name of a group: the hash of all hyperparameters, the seed among them."""

MAX_CACHED_RUNS = 1 << 16


@frozen(eq=False)
class _RunFacts:
    """Session of one run at one revision."""

    hparams: RunHParams
    other_values: tuple[SourceValues, ...] | None = None
    """Values of other sources; None: not searched."""


class SessionTables:
    """Builds session tables; a run that has not changed is not read again. Threads wait for each other.

    Args:
        payloads: Reads values that are in files.
    """

    def __init__(self, payloads: Payloads) -> None:
        self._payloads = payloads
        self._cached_facts: OrderedDict[str, tuple[int, _RunFacts]] = OrderedDict()
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
        runs = list_stored_runs(runs)
        key = tuple((name, run.revision) for name, run in runs.items())
        with self._lock:
            if self._latest is not None and self._latest[:2] == (key, repr(name_pattern)):
                return self._latest[2]
            folds = self._find_folds(runs)
            table = _Builder(runs, folds, self._read_facts, self._search, name_pattern, self._figures).build_table()
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
        runs = list_stored_runs(runs)
        with self._lock:
            builder = _Builder(
                runs, self._find_folds(runs), self._read_facts, self._search, name_pattern, self._figures
            )
            attributes = builder.build_attributes()
            if not _are_equal(attributes, self._hparams):
                self._hparams = attributes
            return self._hparams

    def _read_facts(self, run: RunSnapshot) -> _RunFacts:
        entry = self._cached_facts.get(run.name)
        if entry is None or entry[0] != run.revision:
            entry = run.revision, _RunFacts(read_run_hparams(run, self._payloads))
            self._cached_facts[run.name] = entry
            while len(self._cached_facts) > MAX_CACHED_RUNS:
                self._cached_facts.popitem(last=False)
        return entry[1]

    def _search(self, run: RunSnapshot) -> tuple[SourceValues, ...]:
        facts = self._read_facts(run)
        if facts.other_values is None:
            all_values = [*read_texts(run, self._payloads)]
            if not all_values and (in_file := read_file(run)) is not None:
                all_values.append(in_file)
            facts = _RunFacts(facts.hparams, tuple(all_values))
            self._cached_facts[run.name] = run.revision, facts
        return facts.other_values or ()


def _are_equal(first: RunAttributes, second: RunAttributes) -> bool:
    """Return True if two tables have the same rows, columns and values."""
    first_columns, second_columns = first.columns or {}, second.columns or {}
    return (
        (first.members, [*first_columns]) == (second.members, [*second_columns])
        and all(column.words == second_columns[name].words for name, column in first_columns.items())
        and all(
            column.codes.tobytes() == second_columns[name].codes.tobytes() for name, column in first_columns.items()
        )
        and all(
            column.numbers.tobytes() == second_columns[name].numbers.tobytes() for name, column in first_columns.items()
        )
    )


_SHARED: WeakKeyDictionary[Payloads, SessionTables] = WeakKeyDictionary()


def share_tables(payloads: Payloads) -> SessionTables:
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
        search: Callable[[RunSnapshot], tuple[SourceValues, ...]],
        name_pattern: str | None,
        figures: FigureCache,
    ) -> None:
        self._runs = runs
        self._figures = figures
        self._facts = {name: facts(run) for name, run in runs.items()}
        self._logged = {name: run_facts.hparams for name, run_facts in self._facts.items() if run_facts.hparams.starts}
        self._folded = folded
        self._values: dict[str, dict[str, HParamValue]] = {}
        """Values of each row by name."""

        self._sources: dict[str, dict[str, int]] = {}
        """Sources of those that were not logged, by row and name."""

        self._unlogged: dict[str, tuple[SourceValues, ...]] = {}
        self._rows = self._find_rows(search, name_pattern)

    def build_table(self) -> SessionTable:
        """Return the table."""
        members = self._group_runs()
        sessions = tuple(self._build_session(row, members[row]) for row in self._rows)
        metrics, missing = MetricFinder(self._runs, self._folded, self._logged, self._find_experiments()).find(members)
        hparams = self._build_hparams([metric.title for metric in metrics])
        return SessionTable(sessions, hparams, metrics, missing, self._figures)

    def build_attributes(self) -> RunAttributes:
        """Return the hyperparameters by title."""
        members = self._group_runs()
        columns: dict[str, AttributeColumn] = {}
        for name, hparam in self._build_hparams().items():
            columns[name if hparam.title in columns else hparam.title] = hparam.column
        return RunAttributes(tuple(tuple(members[row]) for row in self._rows), MappingProxyType(columns), self._rows)

    # Rows

    def _find_rows(
        self, search: Callable[[RunSnapshot], tuple[SourceValues, ...]], name_pattern: str | None
    ) -> tuple[str, ...]:
        """Return the names of all rows, and store their values."""
        for name, hparams in self._logged.items():
            row, values = self._folded.get(name, name), hparams.starts[-1].hparams
            if row in self._values:
                self._values[row].update(values)
            else:
                self._values[row] = values.copy()
        self._add_unreadable()
        covered = {name for name in self._runs if self._find_row(name) is not None}
        for name, run in self._runs.items():
            if name in self._values:
                continue
            has_text = bool(list_config_texts(run))
            if has_text or (name not in covered and _has_scalars(run)):
                all_values = search(run)
                if any(each.values for each in all_values):
                    self._unlogged[name] = all_values
        for name, all_values in self._unlogged.items():
            for each in all_values:
                self._add_values(self._find_row(name) or name, each.values, SOURCES.index(each.source))
        if name_pattern is not None:
            names = [name for name in self._runs if _has_scalars(self._runs[name])]
            rows = list(dict.fromkeys(self._find_row(name) or name for name in names))
            for name, pairs in name_values(rows, name_pattern).items():
                self._add_values(name, pairs, SOURCES.index(NAME))
        return tuple(sorted(self._values, key=make_natural_key))

    def _add_values(self, row: str, new_values: Mapping[str, HParamValue], source: int) -> None:
        """Add values of a source to a row, which has those of better sources."""
        values, sources = self._values.setdefault(row, {}), self._sources.setdefault(row, {})
        for key, value in new_values.items():
            if key not in values:
                values[key], sources[key] = value, source

    def _add_unreadable(self) -> None:
        """Add an empty row for each session that cannot be read; its problems hold the reason."""
        for name, facts in self._facts.items():
            if facts.hparams.problems and self._find_row(name) is None:
                self._values.setdefault(name, {})

    def _find_row(self, name: str) -> str | None:
        """Return the row that a run belongs to: itself, or the nearest run above it; None if there is none."""
        above: str | None = self._folded.get(name, name)
        while above is not None:
            if above in self._values:
                return above
            above = get_parent_name(above)
        return None

    def _group_runs(self) -> dict[str, list[str]]:
        """Return the runs of each row."""
        members: dict[str, list[str]] = {row: [] for row in self._rows}
        for name in self._runs:
            row = self._find_row(name)
            if row is not None:
                members[row].append(name)
        return members

    def _build_session(self, row: str, members: Sequence[str]) -> Session:
        with_message = [
            name for name in members if name in self._logged and (name == row or self._folded.get(name) == row)
        ]
        runs = [self._runs[name] for name in members]
        all_values = self._unlogged.get(row, ())
        hparams = self._logged[with_message[-1]] if with_message else RunHParams()
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
            tuple(dict.fromkeys(each.origin for each in all_values if each.values)),
            (*problems, *(reason for each in all_values for reason in each.problems)),
        )

    # Columns

    def _find_experiments(self) -> Iterable[Experiment]:
        """Return the declarations of all runs: PyTorch repeats an equal experiment in every run of a search."""
        declared = (facts.hparams.experiment for facts in self._facts.values())
        return {id(experiment): experiment for experiment in declared if experiment is not None}.values()

    def _build_hparams(self, metrics: Sequence[str] = ()) -> Mapping[str, HParam]:
        """Return the hyperparameters by name.

        Args:
            metrics: Titles of the metrics.
        """
        infos: dict[str, HParamInfo] = {}
        for experiment in self._find_experiments():
            for info in experiment.hparam_infos:
                infos.setdefault(info.name, info)
        seen = set().union(*self._values.values())
        names = [name for name in infos if name in seen]
        names += sorted(seen.difference(infos), key=make_natural_key)
        titles = Counter([*metrics, *(infos[name].display_name for name in names if name in infos)])
        columns = {}
        rows = [self._values[row] for row in self._rows]
        values_by_name = _transpose(rows, names)
        unlogged = [(index, self._sources[row]) for index, row in enumerate(self._rows) if row in self._sources]
        for name in names:
            column = AttributeColumn.of_values(values_by_name[name])
            sources = np.zeros(len(rows), np.int8)
            for index, row_sources in unlogged:
                sources[index] = row_sources.get(name, 0)
            is_shared = name in infos and titles[infos[name].display_name] > 1
            columns[name] = HParam(name, column, sources, infos.get(name), is_shared)
        return MappingProxyType(columns)


def _transpose(
    rows: Sequence[Mapping[str, HParamValue]], names: Sequence[str]
) -> Mapping[str, Iterable[HParamValue | None]]:
    """Return the values of each name in all rows."""
    order = list(rows[0]) if rows else []
    if all(list(values) == order for values in rows):
        # The sessions of a search have the same names.
        columns: Iterable[Iterable[HParamValue]] = zip(*(values.values() for values in rows), strict=True)
        return dict(zip(order, columns, strict=True))
    return {name: [values.get(name) for values in rows] for name in names}


def _ends_with_session(runs: Iterable[RunSnapshot]) -> bool:
    """Return True if no scalar was logged after the end of the session."""
    ends = [float(series.wall_times[-1]) for run in runs if (series := run.series.get(SESSION_END_TAG)) and len(series)]
    last = max((end for run in runs for end in _iter_last_times(run)), default=-np.inf)
    return bool(ends) and last <= max(ends) + END_SECONDS


def _iter_last_times(run: RunSnapshot) -> Iterator[float]:
    table = get_plain_table(run.series)
    if table is not None and len(table.wall_times):
        yield table.last_wall_time
        return
    for series in run.series.values():
        if isinstance(series, ScalarSeries) and len(series):
            yield float(series.wall_times[-1])


def _has_scalars(run: RunSnapshot) -> bool:
    return any(isinstance(series, ScalarSeries) and len(series) for series in run.series.values())
