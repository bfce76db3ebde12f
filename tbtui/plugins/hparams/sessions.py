"""Hyperparameters of runs: those of the run itself, or of the session it belongs to."""

from __future__ import annotations

import weakref
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.plugins.hparams.decode import (
    EXPERIMENT_TAG,
    PLUGIN,
    SESSION_END_TAG,
    SESSION_START_TAG,
    UNKNOWN,
    Experiment,
    HParamsError,
    HParamValue,
    SessionEndInfo,
    SessionStartInfo,
    read_hparams,
)
from tbtui.store.run_series import list_other_series
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.hparams.decode import HParamsData
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot, Series


# A run is a session if it holds a `session_start_info`. PyTorch and tensorboardX write each `add_hparams` into a run of
# its own below the one that trains; TensorFlow writes into the run itself, whose children `train` and `validation` then
# belong to it (TensorBoard `plugins/hparams/backend_context.py`). Runs keep their names here, whatever the writer.


MAX_SESSIONS = 64
"""Sessions of one run that are read, the last ones: each is a resumption."""

_EXPERIMENT_KEY = b"\x12"
"""First byte of a serialized `HParamsPluginData` that holds an experiment (field 2) and no version."""

_ORDER = {EXPERIMENT_TAG: 0, SESSION_START_TAG: 1, SESSION_END_TAG: 2}


@frozen(slots=False)
class RunHParams:
    """Hyperparameters of a run."""

    experiment: Experiment | None = None
    """Declarations of all experiments in the run; name and description are those of the first."""

    starts: tuple[SessionStartInfo, ...] = ()
    """Sessions that are known, in the order in which they were written."""

    end: SessionEndInfo | None = None
    unread: int = 0
    """Sessions that were written but are not among `starts`."""

    problems: tuple[str, ...] = ()
    """Reasons why values could not be read, one plain sentence each."""

    @cached_property
    def values(self) -> Mapping[str, HParamValue]:
        """Names and values of the last known session, as they were declared, then by name; empty without a session."""
        return _order_hparams(self.starts[-1].hparams, self.experiment) if self.starts else _NOTHING

    @property
    def start(self) -> SessionStartInfo | None:
        """Last known session; None if the run is not a session."""
        return self.starts[-1] if self.starts else None

    @property
    def sessions(self) -> int:
        """Number of sessions written in the run."""
        return len(self.starts) + self.unread

    @property
    def status(self) -> str | None:
        """`unknown`, `success`, `failure` or `running`; None if the run is not a session."""
        return (self.end.status if self.end else UNKNOWN) if self.starts else None

    @property
    def changed(self) -> tuple[str, ...]:
        """Names of hyperparameters that differ between known sessions."""
        if len(self.starts) < 2:
            return ()
        names = dict.fromkeys(name for start in self.starts for name in start.hparams)
        return tuple(name for name in names if any(_differ(a, b, name) for a, b in pairwise(self.starts)))


def read_run_hparams(run: RunSnapshot, payloads: Payloads | None = None) -> RunHParams:
    """Return the hyperparameters of a run.

    Args:
        run: The run.
        payloads: Reader of the event files. A run that was resumed may hold several sessions: the first is in memory,
            the others are read again. None: the first alone, as in TensorBoard, and the others are counted in `unread`.

    Returns:
        Its declarations and sessions; empty for a run without hyperparameters. The same object for the same snapshot if
        all messages are in memory.
    """
    key = id(run)
    snapshot, hparams = _cached_hparams.get(key, (None, _EMPTY))
    if snapshot is not None and snapshot() is run:
        return hparams
    all_series = _list_hparams_series(run)
    if not all_series:
        return _EMPTY
    in_memory = all(len(series) == 1 for series in all_series)
    hparams = _find_single_hparams(all_series) if in_memory else _find_hparams(run, all_series, payloads)
    if in_memory:
        _cached_hparams[key] = weakref.ref(run, lambda _: _cached_hparams.pop(key, None)), hparams
    return hparams


def _find_single_hparams(all_series: Sequence[Series]) -> RunHParams:
    """Return the result of `_find_hparams` for series of one value each, as nearly all are, in a third of the time."""
    experiment: Experiment | None = None
    start: SessionStartInfo | None = None
    end: SessionEndInfo | None = None
    problems: list[str] = []
    for series in all_series:
        data = _read(series.metadata.content)
        if isinstance(data, SessionStartInfo):
            start = data if start is None else start
        elif isinstance(data, SessionEndInfo):
            end = data if end is None else end
        elif isinstance(data, HParamsError):
            problems.append(f"{series.tag}: {data}")
        else:
            experiment = data if experiment is None else merge_experiments((experiment, data))
    return RunHParams(experiment, () if start is None else (start,), end, 0, tuple(problems))


def _find_hparams(run: RunSnapshot, all_series: Sequence[Series], payloads: Payloads | None) -> RunHParams:
    experiment: Experiment | None = None
    starts: tuple[SessionStartInfo, ...] = ()
    end: SessionEndInfo | None = None
    begun = ended = 0
    problems: list[str] = []
    for series in all_series:
        messages, reasons = _read_messages(run, series, payloads)
        problems += [f"{series.tag}: {reason}" for reason in reasons]
        declared = [data for data in messages if isinstance(data, Experiment)]
        if declared:
            experiment = merge_experiments([experiment, *declared])
        session_starts = tuple(data for data in messages if isinstance(data, SessionStartInfo))
        if session_starts and not starts:
            starts, begun = session_starts, len(series)
        ends = [data for data in messages if isinstance(data, SessionEndInfo)]
        if ends and end is None:
            end, ended = ends[-1], len(series)
    # A session that was begun once more and not ended since is not at its end.
    return RunHParams(experiment, starts, end if ended >= begun else None, begun - len(starts), tuple(problems))


def merge_experiments(experiments: Iterable[Experiment | None]) -> Experiment | None:
    """Return the first experiment with the hyperparameters and metrics that only the others declare."""
    declared = [experiment for experiment in experiments if experiment is not None]
    if len(declared) < 2:
        return declared[0] if declared else None
    hparams = {info.name: info for experiment in reversed(declared) for info in experiment.hparam_infos}
    metrics = {(info.tag, info.group): info for experiment in reversed(declared) for info in experiment.metric_infos}
    hparam_order = dict.fromkeys(info.name for experiment in declared for info in experiment.hparam_infos)
    metric_order = dict.fromkeys((info.tag, info.group) for experiment in declared for info in experiment.metric_infos)
    return replace(
        declared[0],
        hparam_infos=tuple(hparams[name] for name in hparam_order),
        metric_infos=tuple(metrics[key] for key in metric_order),
    )


def _list_hparams_series(run: RunSnapshot) -> list[Series]:
    """Return the series of the plugin, the reserved tags first: a value describes itself, its tag does not."""
    if PLUGIN not in run.plugin_names:
        return []
    all_series = [series for series in list_other_series(run.series) if series.metadata.plugin_name == PLUGIN]
    return sorted(all_series, key=lambda series: _ORDER.get(series.tag, len(_ORDER)))


def _read_messages(run: RunSnapshot, series: Series, payloads: Payloads | None) -> tuple[list[HParamsData], list[str]]:
    """Return the readable values of a series, and the problems of the others."""
    if len(series) == 1:
        data = _read(series.metadata.content)
        return ([], [str(data)]) if isinstance(data, HParamsError) else ([data], [])
    messages: list[HParamsData] = []
    problems: list[str] = []
    for content in _read_contents(run, series, payloads, problems):
        data = _read(content)
        if isinstance(data, HParamsError):
            problems.append(str(data))
        else:
            messages.append(data)
    return messages, list(dict.fromkeys(problems))


def _read(content: bytes) -> HParamsData | HParamsError:
    # The first field of most messages; PyTorch repeats an equal experiment in every run of a search.
    return _read_experiment(content) if content[:1] == _EXPERIMENT_KEY else _read_message(content)


@lru_cache(maxsize=256)
def _read_experiment(content: bytes) -> HParamsData | HParamsError:
    return _read_message(content)


def _read_message(content: bytes) -> HParamsData | HParamsError:
    try:
        return read_hparams(content)
    except HParamsError as error:
        return error


def _read_contents(run: RunSnapshot, series: Series, payloads: Payloads | None, problems: list[str]) -> Iterator[bytes]:
    """Yield the metadata content of each value, in order of arrival."""
    later = range(max(1, len(series) - MAX_SESSIONS), len(series))
    if len(series) <= MAX_SESSIONS or payloads is None:
        yield series.metadata.content
    if payloads is None or not later or isinstance(series, ScalarSeries):
        return
    yield from _read_contents_from_files(run, series, list(later), payloads, problems)


def _read_contents_from_files(
    run: RunSnapshot, series: ReferenceSeries, points: Sequence[int], payloads: Payloads, problems: list[str]
) -> Iterator[bytes]:
    from tbtui.loading.payloads import decode_block

    block = payloads.read(run, series, points)
    contents, errors = decode_block(block, series, lambda value: bytes(value.metadata.plugin_data.content))
    problems.extend(errors.values())
    yield from filter(None, contents.values())  # TensorFlow leaves out metadata that it wrote before


def _order_hparams(hparams: Mapping[str, HParamValue], experiment: Experiment | None) -> Mapping[str, HParamValue]:
    declared = [info.name for info in experiment.hparam_infos if info.name in hparams] if experiment else []
    if declared == [*hparams]:
        return hparams
    return MappingProxyType({name: hparams[name] for name in dict.fromkeys([*declared, *hparams])})


def _differ(a: SessionStartInfo, b: SessionStartInfo, name: str) -> bool:
    return not are_same(a.hparams.get(name), b.hparams.get(name))


def find_differing_hparams(
    all_values: Sequence[Mapping[str, HParamValue]],
) -> tuple[tuple[str, ...], dict[str, HParamValue]]:
    """Return the names that differ between sessions or are missing in some, and the values that all share.

    Args:
        all_values: Names and values of each; both results have the names in the order in which they come first.
    """
    names = dict.fromkeys(name for values in all_values for name in values)
    first = all_values[0] if all_values else _NOTHING
    constant = {
        name: first[name]
        for name in names
        if all(name in values and are_same(values[name], first.get(name)) for values in all_values)
    }
    return tuple(name for name in names if name not in constant), constant


def are_same(a: HParamValue | None, b: HParamValue | None) -> bool:
    """Return True if two values are equal: a boolean is not a number, and NaN equals NaN."""
    return isinstance(a, bool) == isinstance(b, bool) and (a == b or (a != a and b != b))  # noqa: PLR0124


_NOTHING: Mapping[str, HParamValue] = MappingProxyType({})

_EMPTY = RunHParams()
_cached_hparams: dict[int, tuple[weakref.ref[RunSnapshot], RunHParams]] = {}
"""Hyperparameters by the identity of their snapshot, for all parts of a program; an entry goes with it."""
