"""Oddities of the session of a run: metrics that were never written, values outside their domain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.plugins.base import ValueProblem
from tbtui.plugins.hparams.decode import PLUGIN, Interval
from tbtui.plugins.hparams.folded_runs import get_parent_name
from tbtui.plugins.hparams.session_metrics import separate_logged_value
from tbtui.plugins.hparams.sessions import are_same, merge_experiments, read_run_hparams
from tbtui.plugins.hparams.settings import name_pattern
from tbtui.plugins.hparams.sources import list_config_texts
from tbtui.plugins.hparams.table import restore_written_number
from tbtui.plugins.hparams.table_builder import share_tables
from tbtui.store.run_series import iter_scalar_series, list_other_series
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.hparams.decode import Experiment, HParamInfo, HParamValue
    from tbtui.plugins.hparams.sessions import RunHParams
    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import RunSnapshot, StoreSnapshot


@frozen
class SessionChecks:
    """Findings about one session."""

    never_written: tuple[str, ...] = ()
    """Declared metrics without a value, as paths of group and tag."""

    outside_domain: tuple[str, ...] = ()
    """Hyperparameters whose value is outside the declared domain."""

    at_step_0: tuple[str, ...] = ()
    """Tags of metrics that were logged with the session at an earlier step than their curve, as by `add_hparams`."""


NO_FINDINGS = SessionChecks()


def find_session_problems(snapshot: StoreSnapshot, settings: Settings, payloads: Payloads) -> Iterator[ValueProblem]:
    """Yield the unreadable messages, texts and files of hyperparameters of a snapshot.

    Nothing is read if no run has a session or a text of settings, so that other logs cost nothing.
    """
    has_messages = any(
        series.metadata.plugin_name == PLUGIN
        for run in snapshot.runs.values()
        for series in list_other_series(run.series)
    )
    if not has_messages and not any(map(list_config_texts, snapshot.runs.values())):
        return
    for session in share_tables(payloads).build(snapshot.runs, name_pattern(settings)).sessions:
        for problem in session.problems:
            yield ValueProblem(session.name, "hyperparameters", problem)


def check_session(run: RunSnapshot, hparams: RunHParams, runs: Mapping[str, RunSnapshot]) -> SessionChecks:
    """Return the contradictions between the session of a run and the declarations in it and in the runs above.

    Args:
        run: The run.
        hparams: Its hyperparameters.
        runs: All runs by name.
    """
    if not hparams.starts:
        return NO_FINDINGS
    experiment = merge_experiments([hparams.experiment, *_iter_experiments_above(run.name, runs)])
    never_written = [] if experiment is None else [(info.group, info.tag) for info in experiment.metric_infos]
    never_written = [(group, tag) for group, tag in never_written if not _has_values(run.name, group, tag, runs)]
    infos = () if experiment is None else experiment.hparam_infos
    values = hparams.values
    outside = (
        info.name
        for info in infos
        if info.domain is not None and info.name in values and _is_outside(info, values[info.name])
    )
    return SessionChecks(
        tuple("/".join(filter(None, pair)) for pair in never_written),
        tuple(outside),
        tuple(
            series.tag for series in iter_scalar_series(run.series) if separate_logged_value(run, series) is not None
        ),
    )


def _iter_experiments_above(name: str, runs: Mapping[str, RunSnapshot]) -> Iterator[Experiment | None]:
    above = get_parent_name(name)
    while above is not None:
        if above in runs:
            yield read_run_hparams(runs[above]).experiment
        above = get_parent_name(above)


def _has_values(session: str, group: str, tag: str, runs: Mapping[str, RunSnapshot]) -> bool:
    name = "/".join(filter(None, ("" if session == "." else session, group))) or "."
    run = runs.get(name)
    return run is not None and isinstance(series := run.series.get(tag), ScalarSeries) and len(series) > 0


def _is_outside(info: HParamInfo, value: HParamValue) -> bool:
    """Return True if a value is not in its declared domain; a float32 of a declared number is in it."""
    if info.domain is None:
        return False
    if isinstance(info.domain, Interval):
        if isinstance(value, bool | str):
            return True
        return not info.domain.min_value <= restore_written_number(value) <= info.domain.max_value
    plain = restore_written_number(value) if isinstance(value, float) else value
    domain = (restore_written_number(each) if isinstance(each, float) else each for each in info.domain)
    # PyTorch writes booleans as numbers, whatever their declaration says.
    return not any(are_same(plain, each) or (isinstance(each, bool) and plain in (0.0, 1.0)) for each in domain)
