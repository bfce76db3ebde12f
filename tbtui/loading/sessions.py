"""Whose hyperparameters a run was made with: its own, or those that were written beside it."""

from __future__ import annotations

from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING

from tbtui.frozen import frozen
from tbtui.loading.hparams import are_same, hparams_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tbtui.events.hparams import HParamValue
    from tbtui.loading.hparams import RunHParams
    from tbtui.loading.payloads import Payloads
    from tbtui.store.snapshot import RunSnapshot

_NOTHING: Mapping[str, HParamValue] = MappingProxyType({})


@frozen
class RunSession:
    """With what a run was made."""

    values: Mapping[str, HParamValue] = field(default_factory=lambda: _NOTHING)
    source: str | None = None
    """The run that says so; None where none does."""


NO_SESSION = RunSession()


def sessions_of(runs: Mapping[str, RunSnapshot], payloads: Payloads | None = None) -> dict[str, RunSession]:
    """With what each run was made.

    A run that is no session belongs to the nearest run above it that is one: TensorFlow's `train` and `validation`.
    Else to the sessions right below it, as PyTorch and tensorboardX write them beside what they train, if these say
    the same: runs of a search below one directory do not.

    Args:
        runs: All there are, by name.
        payloads: As `hparams_of` takes them.
    """
    own = {name: held for name, run in runs.items() if (held := hparams_of(run, payloads)).starts}
    below: dict[str, list[str]] = {}
    for name in own:
        below.setdefault(_parent(name) or "", []).append(name)
    return {name: _session(name, own, below.get(name, ())) for name in runs}


def _session(name: str, own: Mapping[str, RunHParams], below: Sequence[str]) -> RunSession:
    above: str | None = name
    while above is not None:
        if above in own:
            return RunSession(own[above].values, above)
        above = _parent(above)
    if not below:
        return NO_SESSION
    first, *others = below
    if all(_agree(own[first].values, own[other].values) for other in others):
        return RunSession(own[first].values, first)
    return NO_SESSION


def _parent(name: str) -> str | None:
    """The run above, whether it is there or not; the log directory itself is above all."""
    if name == ".":
        return None
    return name.rpartition("/")[0] or "."


def _agree(a: Mapping[str, HParamValue], b: Mapping[str, HParamValue]) -> bool:
    return a.keys() == b.keys() and all(are_same(a[name], b[name]) for name in a)
