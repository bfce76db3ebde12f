"""What running a graph cost: time and memory of every item of its hierarchy, and what has no place in it.

Rules: TensorBoard `tf_graph_common/graph.ts` `joinStatsInfoWithGraph`, `hierarchy.ts` `joinAndAggregateStats`, with
three differences. What ran several times has the sum of its executions as its time, beside the span from the first
start to the last end, which is all that TensorBoard tells; likewise a scope. Constants and summaries, which it sets
aside, count in the scopes that they are called by. An execution that matches no node is kept in a list.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy.typing as npt

    from tbtui.graphs.hierarchy import Hierarchy

NOWHERE = -1
"""In place of an item."""

_DEVICE = re.compile(r"(?:device:[^:]+|/(?:cpu|gpu|tpu)):[0-9]+$")
"""TensorBoard `tf-graph-controls.ts` `DEVICE_NAME_REGEX`; and how TensorFlow spelled devices before 1.4."""


class Executions(Protocol):
    """One entry for each execution of an operation; see `events.run_metadata.Executions`."""

    @property
    def devices(self) -> Sequence[str]:
        """Their names."""

    @property
    def names(self) -> Sequence[str]:
        """Of the operations."""

    @property
    def device(self) -> npt.NDArray[np.int32]:
        """Index into `devices`."""

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """Nanoseconds since any moment."""

    @property
    def durations(self) -> npt.NDArray[np.int64]:
        """Nanoseconds; 0 where none was measured."""

    @property
    def memory(self) -> npt.NDArray[np.int64]:
        """Bytes that were allocated."""


class Stray(NamedTuple):
    """An operation that was executed and is no node of the graph, such as a constant that was folded."""

    name: str
    executions: int
    time: float
    """Nanoseconds, all its executions together."""

    memory: float
    """Bytes, the most of any execution."""


@frozen(eq=False)
class Stats:
    """Costs by item of a hierarchy; those of scopes are of all that is inside."""

    counts: npt.NDArray[np.int64]
    """int64[items]: executions; 0 for what was not run."""

    times: npt.NDArray[np.float64]
    """float64[items]: nanoseconds, the sum of all executions."""

    spans: npt.NDArray[np.float64]
    """float64[items]: nanoseconds from the first start to the last end."""

    memory: npt.NDArray[np.float64]
    """float64[items]: bytes. Of a node the most that one execution allocated, of a scope their sum."""

    strays: tuple[Stray, ...]
    """The costly first."""


def is_device(name: str) -> bool:
    """Whether a name is a device's, not that of a stream or of copies beside one, which tell of the same executions."""
    return _DEVICE.search(name) is not None


def usual_devices(devices: Sequence[str]) -> frozenset[int]:
    """Indices of the devices whose executions are counted unless others are chosen; all, where none is called so."""
    real = frozenset(index for index, name in enumerate(devices) if is_device(name))
    return real or frozenset(range(len(devices)))


def items_of(hierarchy: Hierarchy, executions: Executions) -> npt.NDArray[np.int32]:
    """The node of each execution, int32[n]; `NOWHERE` where none is called so.

    Streams of a GPU call an operation `name:Type`; it is the node of that name if that is its type.
    """
    found = {name: _node(hierarchy, name) for name in set(executions.names)}
    return np.array([found[name] for name in executions.names], np.int32)


def _node(hierarchy: Hierarchy, name: str) -> int:
    node = hierarchy.node_of(name)
    if node is None:
        base, _, kind = name.rpartition(":")
        node = hierarchy.node_of(base)
        if node is None or hierarchy.op(node) != kind:
            return NOWHERE
    return node


def stats_of(hierarchy: Hierarchy, executions: Executions, devices: Collection[int] | None = None) -> Stats:
    """Join executions with the items of a hierarchy.

    Args:
        hierarchy: Of the graph that was run.
        executions: Of one run of it.
        devices: Indices of those whose executions are counted; None: `usual_devices`.
    """
    counted = np.isin(executions.device, list(usual_devices(executions.devices) if devices is None else devices))
    items = items_of(hierarchy, executions)[counted]
    names = np.array(executions.names, object)[counted]
    durations = executions.durations[counted].astype(np.float64)
    memory = executions.memory[counted].astype(np.float64)
    starts = executions.starts[counted].astype(np.int64)
    known = items != NOWHERE
    sums = _Sums.of(len(hierarchy), items[known], starts[known], durations[known], memory[known])
    sums.carry_up(hierarchy)
    strays = _strays(names[~known].tolist(), durations[~known].tolist(), memory[~known].tolist())
    return Stats(sums.counts, sums.times, sums.spans(), sums.memory, strays)


@dataclass(slots=True)
class _Sums:
    """Of items, while they are made."""

    counts: npt.NDArray[np.int64]
    times: npt.NDArray[np.float64]
    memory: npt.NDArray[np.float64]
    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    """Nanoseconds: the first start and the last end; of items that were not measured nothing lies between them."""

    @staticmethod
    def of(
        size: int,
        items: npt.NDArray[np.int32],
        starts: npt.NDArray[np.int64],
        durations: npt.NDArray[np.float64],
        memory: npt.NDArray[np.float64],
    ) -> _Sums:
        """The executions of nodes by themselves."""
        bounds = np.iinfo(np.int64)
        sums = _Sums(
            np.bincount(items, minlength=size),
            np.bincount(items, durations, minlength=size).astype(np.float64),
            np.zeros(size),
            np.full(size, bounds.max),
            np.full(size, bounds.min),
        )
        np.maximum.at(sums.memory, items, memory)
        measured = durations > 0
        ends = starts + durations.astype(np.int64)
        np.minimum.at(sums.first, items[measured], starts[measured])
        np.maximum.at(sums.last, items[measured], ends[measured])
        return sums

    def carry_up(self, hierarchy: Hierarchy) -> None:
        """Give the scopes above what is theirs. What is embedded belongs to the scope that its name is of."""
        at = np.flatnonzero(self.counts)
        own = [column[at] for column in (self.counts, self.times, self.memory, self.first, self.last)]
        parent = hierarchy.parent.copy()
        for node in at[hierarchy.graph.embedded[at]].tolist():
            parent[node] = _scope_of(hierarchy, node)
        while len(at):
            above = parent[at]
            inside = (above >= 0) & (above != at)
            at, own = above[inside], [column[inside] for column in own]
            scopes = at >= hierarchy.nodes
            counts, times, memory, first, last = (column[scopes] for column in own)
            np.add.at(self.counts, at[scopes], counts)
            np.add.at(self.times, at[scopes], times)
            np.add.at(self.memory, at[scopes], memory)
            np.minimum.at(self.first, at[scopes], first)
            np.maximum.at(self.last, at[scopes], last)

    def spans(self) -> npt.NDArray[np.float64]:
        """From the first start to the last end."""
        measured = self.last > self.first
        # Not subtracted where nothing was measured: what stands there is as far apart as numbers can be.
        return np.where(measured, np.where(measured, self.last, 0) - np.where(measured, self.first, 0), 0).astype(float)


def _scope_of(hierarchy: Hierarchy, node: int) -> int:
    """The innermost scope that there is of those in a node's name."""
    name = hierarchy.graph.names[node]
    while name := name.rpartition("/")[0]:
        item = hierarchy.item_of(name)
        if item is not None and item >= hierarchy.nodes:
            return item
    return hierarchy.root


def _strays(names: list[str], durations: list[float], memory: list[float]) -> tuple[Stray, ...]:
    gathered: dict[str, Stray] = {}
    for name, duration, size in zip(names, durations, memory, strict=True):
        before = gathered.get(name, Stray(name, 0, 0.0, 0.0))
        gathered[name] = Stray(name, before.executions + 1, before.time + duration, max(before.memory, size))
    return tuple(sorted(gathered.values(), key=lambda stray: (-stray.time, -stray.memory, stray.name)))
