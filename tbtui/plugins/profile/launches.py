"""Which call launched a device event, and which operator made the call.

The correlation leads from a kernel to its launch; the innermost operator around the launch on that thread owns the
kernel. The `External id` is used only if there is no such operator: some writers of 2023 give it another meaning.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.intervals import nest
from tbtui.plugins.profile.trace import DEVICE_KINDS, NOTHING, Kind

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.plugins.profile.trace import Trace

CALLS = (Kind.OPERATOR, Kind.RUNTIME, Kind.INPUT, Kind.COLLECTIVE)
"""Kinds that take time from the operator around them."""


@frozen(slots=False, eq=False)
class CallTree:
    """Operators and calls of the runtime, nested; device events with their launch and owner."""

    parents: npt.NDArray[np.int64]
    """int64[n]: row of the innermost call around each call; -1 for none, and for other events."""

    own: npt.NDArray[np.float64]
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
    def launches_in_order(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Rows of all launches in ascending order, and the device event that each launched."""
        order = np.argsort(self.launches, kind="stable")
        order = order[self.launches[order] >= 0]
        return self.launches[order], self.device_rows[order]


def build_call_tree(trace: Trace) -> CallTree:
    """Nest the calls of a trace, and match device events with them."""
    count = len(trace)
    parents, own = np.full(count, NOTHING, np.int64), np.zeros(count)
    is_call = trace.of_kind(*CALLS)
    for track in range(len(trace.tracks)):
        part = trace.track(track)
        rows = part.start + np.flatnonzero(is_call[part])
        if len(rows):
            nesting = nest(trace.starts[rows], trace.ends[rows])
            own[rows] = nesting.self_times
            parents[rows] = np.where(nesting.parents >= 0, rows[nesting.parents], NOTHING)
    device_rows = np.flatnonzero(trace.of_kind(*DEVICE_KINDS))
    launches = _launches(trace, device_rows)
    owners = _owners(trace, device_rows, launches, parents)
    lengths = trace.durations[device_rows]
    known = owners >= 0
    device_own = np.bincount(owners[known], lengths[known], minlength=count).astype(np.float64)
    return CallTree(parents, own, device_rows, launches, owners, device_own, _sum_up(device_own, parents))


def _launches(trace: Trace, device_rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    calls = np.flatnonzero(trace.of_kind(Kind.RUNTIME) & (trace.correlations >= 0))
    if not len(calls) or not len(device_rows):
        return np.full(len(device_rows), NOTHING, np.int64)
    calls = calls[np.argsort(trace.correlations[calls], kind="stable")]
    keys, wanted = trace.correlations[calls], trace.correlations[device_rows]
    index = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    found: npt.NDArray[np.int64] = np.where((keys[index] == wanted) & (wanted >= 0), calls[index], NOTHING)
    return found


def _owners(
    trace: Trace, device_rows: npt.NDArray[np.int64], launches: npt.NDArray[np.int64], parents: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    is_operator = trace.of_kind(Kind.OPERATOR, Kind.COLLECTIVE)
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
        wanted = trace.external_ids[sources]
        index = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        # Where the number is the correlation it names no operator, whatever has the same number.
        is_id = (keys[index] == wanted) & (wanted > 0) & (wanted != trace.correlations[sources])
        owners[missing] = np.where(is_id, operators[index], NOTHING)
    return owners


def _sum_up(own: npt.NDArray[np.float64], parents: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the sums of each event and all below it; a parent has a smaller row than its children."""
    totals: npt.NDArray[np.float64] = own.copy()
    active = np.flatnonzero(own > 0)
    carried = own[active]
    while len(active):
        above = parents[active]
        inside = above >= 0
        active, carried = above[inside], carried[inside]
        np.add.at(totals, active, carried)
    return totals
