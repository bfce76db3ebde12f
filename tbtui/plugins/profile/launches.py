"""The launch of each device event, and the operator that made it.

The correlation leads from a kernel to its launch; the innermost operator around the launch on that thread owns the
kernel. The `External id` is used only if there is no such operator: some writers of 2023 give it another meaning.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.intervals import nest
from tbtui.plugins.profile.trace import DEVICE_KINDS, NOTHING, Kind

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.plugins.profile.trace import Trace

CALLS = (Kind.OPERATOR, Kind.RUNTIME, Kind.INPUT, Kind.COLLECTIVE)
"""Kinds that take time from the operator around them."""


class OrderedLaunches(NamedTuple):
    """Launches in ascending order of their rows."""

    launches: npt.NDArray[np.int64]
    device_rows: npt.NDArray[np.int64]
    """Row of the device event that each launched."""


@frozen(slots=False, eq=False)
class CallTree:
    """Operators and calls of the runtime, nested; device events with their launch and owner."""

    parents: npt.NDArray[np.int64]
    """int64[n]: row of the innermost call around each call; -1 for none, and for other events."""

    self_times: npt.NDArray[np.float64]
    """float64[n]: µs in which the call was the innermost one; 0 for other events."""

    device_rows: npt.NDArray[np.int64]
    """int64[d]: rows of device events."""

    launches: npt.NDArray[np.int64]
    """int64[d]: row of the call that launched each; -1 if unknown."""

    owners: npt.NDArray[np.int64]
    """int64[d]: row of the operator that made the call; -1 if unknown."""

    device_own: npt.NDArray[np.float64]
    """float64[n]: µs of device events that each operator owns itself."""

    device_total: npt.NDArray[np.float64]
    """float64[n]: the same with those of the operators inside."""

    @cached_property
    def launches_in_order(self) -> OrderedLaunches:
        """All launches that are known."""
        order = np.argsort(self.launches, kind="stable")
        order = order[self.launches[order] >= 0]
        return OrderedLaunches(self.launches[order], self.device_rows[order])


def build_call_tree(trace: Trace) -> CallTree:
    """Nest the calls of a trace, and match device events with them."""
    count = len(trace)
    parents, self_times = np.full(count, NOTHING, np.int64), np.zeros(count)
    is_call = trace.is_of_kind(*CALLS)
    for track in range(len(trace.tracks)):
        part = trace.track(track)
        rows = part.start + np.flatnonzero(is_call[part])
        if len(rows):
            nesting = nest(trace.starts[rows], trace.ends[rows])
            self_times[rows] = nesting.self_times
            parents[rows] = np.where(nesting.parents >= 0, rows[nesting.parents], NOTHING)
    device_rows = np.flatnonzero(trace.is_of_kind(*DEVICE_KINDS))
    launches = _find_launches(trace, device_rows)
    owners = _find_owners(trace, device_rows, launches, parents)
    lengths = trace.durations[device_rows]
    has_owner = owners >= 0
    device_own = np.bincount(owners[has_owner], lengths[has_owner], minlength=count).astype(np.float64)
    return CallTree(parents, self_times, device_rows, launches, owners, device_own, _sum_up(device_own, parents))


def _find_launches(trace: Trace, device_rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    calls = np.flatnonzero(trace.is_of_kind(Kind.RUNTIME) & (trace.correlations >= 0))
    if not len(calls) or not len(device_rows):
        return np.full(len(device_rows), NOTHING, np.int64)
    calls = calls[np.argsort(trace.correlations[calls], kind="stable")]
    keys, correlations = trace.correlations[calls], trace.correlations[device_rows]
    index = np.minimum(np.searchsorted(keys, correlations), len(keys) - 1)
    is_match = (keys[index] == correlations) & (correlations >= 0)
    launches: npt.NDArray[np.int64] = np.where(is_match, calls[index], NOTHING)
    return launches


def _find_owners(
    trace: Trace, device_rows: npt.NDArray[np.int64], launches: npt.NDArray[np.int64], parents: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    is_operator = trace.is_of_kind(Kind.OPERATOR, Kind.COLLECTIVE)
    owners = np.where(launches >= 0, parents[launches], NOTHING)
    while True:  # a call of the runtime inside another one
        inner = (owners >= 0) & ~is_operator[owners]
        if not inner.any():
            break
        owners[inner] = parents[owners[inner]]
    operators = np.flatnonzero(is_operator & (trace.external_ids > 0))
    missing = np.flatnonzero(owners < 0)
    if len(operators) and len(missing):
        operators = operators[np.argsort(trace.external_ids[operators], kind="stable")]
        keys = trace.external_ids[operators]
        sources = np.where(launches[missing] >= 0, launches[missing], device_rows[missing])
        ids = trace.external_ids[sources]
        index = np.minimum(np.searchsorted(keys, ids), len(keys) - 1)
        # Where the number is the correlation it names no operator, whatever has the same number.
        is_id = (keys[index] == ids) & (ids > 0) & (ids != trace.correlations[sources])
        owners[missing] = np.where(is_id, operators[index], NOTHING)
    return owners


def _sum_up(self_times: npt.NDArray[np.float64], parents: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the sums of each event and all below it; a parent has a smaller row than its children."""
    totals: npt.NDArray[np.float64] = self_times.copy()
    active = np.flatnonzero(self_times > 0)
    carried = self_times[active]
    while len(active):
        callers = parents[active]
        has_caller = callers >= 0
        active, carried = callers[has_caller], carried[has_caller]
        np.add.at(totals, active, carried)
    return totals
