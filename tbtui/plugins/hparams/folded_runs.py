"""Find runs that only hold the session of the run above, so that it is one run everywhere.

PyTorch, tensorboardX and Accelerate write the session of `trial` into `trial/1700000000.12`, Keras's users often into
`trial/hparams` next to `trial/train`. A run is folded if it holds nothing but a session and single values, as those
writers log them with it.
"""

from __future__ import annotations

import re
import weakref
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.store.run_series import get_plain_table, list_other_series
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tbtui.plugins.hparams.decode import HParamValue
    from tbtui.store.snapshot import RunSnapshot

PLUGIN = "hparams"
"""Name of the plugin, as in `decode`, which is imported once a run has a session."""

SESSION_NAME = re.compile(
    r"\d{9,11}(?:\.\d+)?|[_.]*(?:hp|hparams?|hyper[_-]?params?|hyper[_-]?parameters?)[_.]*\d*", re.IGNORECASE
)
"""Name of a directory that writers and users give to the session of the run above; PyTorch takes `time.time()`."""

_PART_OF_TRAINING = re.compile(r"train(?:ing)?|val(?:idation)?|valid|eval(?:uation)?|test|dev", re.IGNORECASE)


def get_parent_name(name: str) -> str | None:
    """Return the run above, existing or not; the log directory is above all."""
    if name == ".":
        return None
    return name.rpartition("/")[0] or "."


@frozen
class _Facts:
    """Session of a run at one revision."""

    values: Mapping[str, HParamValue] | None = None
    """Hyperparameters; None: the run is no session."""

    is_ended: bool = False
    is_bare: bool = False
    """True if it holds nothing but sessions and as many values of each metric; a resumed training writes several."""


_NO_SESSION = _Facts()


class FoldFinder:
    """Finds the runs to fold in one snapshot after the other; only changed runs are examined again."""

    def __init__(self) -> None:
        self._facts_of_run: dict[str, tuple[int, int, _Facts]] = {}
        """Revision, generation and facts of each run."""

    def __call__(self, runs: Mapping[str, RunSnapshot]) -> dict[str, str]:
        """Return the run that each run is folded into, which need not exist.

        Args:
            runs: All runs as stored, by name.
        """
        former, self._facts_of_run = self._facts_of_run, {}
        candidates: dict[str, list[str]] = {}
        sessions: set[str] = set()
        for name, run in runs.items():
            entry = former.get(name)
            if entry is None or entry[:2] != (run.revision, run.reading):
                entry = run.revision, run.reading, _read_facts(run)
            self._facts_of_run[name] = entry
            if entry[2].values is None:
                continue
            sessions.add(name)
            parent = get_parent_name(name)
            if entry[2].is_bare and parent is not None:
                candidates.setdefault(parent, []).append(name)
        if not candidates:
            return {}
        below = _group_names_by_ancestor(runs)
        target_of_run: dict[str, str] = {}
        for parent, names in candidates.items():
            childless = [name for name in names if name not in below]
            if (
                childless
                and parent not in sessions
                and self._belong_to_parent(childless, parent, runs, sessions, below)
            ):
                target_of_run.update(dict.fromkeys(childless, parent))
        return target_of_run

    def _belong_to_parent(
        self,
        names: Sequence[str],
        parent: str,
        runs: Mapping[str, RunSnapshot],
        sessions: set[str],
        below: Mapping[str, Sequence[str]],
    ) -> bool:
        """Return True if sessions below a run all describe it: they have equal hyperparameters."""
        from tbtui.plugins.hparams.sessions import are_same

        facts = [self._facts_of_run[name][2] for name in names]
        first = facts[0].values or {}
        for other in facts[1:]:
            values = other.values or {}
            if values.keys() != first.keys() or not all(are_same(values[key], first[key]) for key in first):
                return False
        are_named = all(SESSION_NAME.fullmatch(name.rpartition("/")[2]) for name in names)
        if parent in runs and parent != ".":
            # A search below a run with event files starts like this: its first session is still running.
            return are_named or all(each.is_ended for each in facts)
        others = [name for name in below.get(parent, ()) if name not in names]
        if parent == ".":
            is_training = parent in runs or bool(others)
            return are_named and is_training and all(map(_PART_OF_TRAINING.match, others))
        return are_named and any(name not in sessions for name in others)


_facts: dict[int, tuple[weakref.ref[RunSnapshot], _Facts]] = {}
"""Facts by the identity of their snapshot, for the finders of all parts of a program; an entry goes with it."""


def _read_facts(run: RunSnapshot) -> _Facts:
    key = id(run)
    snapshot, facts = _facts.get(key, (None, _NO_SESSION))
    if snapshot is None or snapshot() is not run:
        facts = _find_facts(run)
        _facts[key] = weakref.ref(run, lambda _: _facts.pop(key, None)), facts
    return facts


def _find_facts(run: RunSnapshot) -> _Facts:
    if PLUGIN not in run.plugin_names:
        return _NO_SESSION
    from tbtui.plugins.hparams.sessions import read_run_hparams

    hparams = read_run_hparams(run)
    if not hparams.starts:
        return _NO_SESSION
    is_bare = not run.assets and _is_bare(run, hparams.sessions)
    return _Facts(hparams.starts[-1].hparams, hparams.end is not None, is_bare)


def _is_bare(run: RunSnapshot, sessions: int) -> bool:
    table = get_plain_table(run.series)
    if table is not None and len(table.steps) and int(table.counts.max()) > sessions:
        return False
    return all(
        len(series) <= sessions if isinstance(series, ScalarSeries) else series.metadata.plugin_name == PLUGIN
        for series in list_other_series(run.series)
    )


def _group_names_by_ancestor(runs: Iterable[str]) -> dict[str, list[str]]:
    """Return the runs below each parent path, which need not exist as a run."""
    below: dict[str, list[str]] = {}
    for name in runs:
        above = get_parent_name(name)
        while above is not None:
            below.setdefault(above, []).append(name)
            above = get_parent_name(above)
    return below
