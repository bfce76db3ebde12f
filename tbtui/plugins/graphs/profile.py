"""Costs of a run of a graph: time and memory of every item of its hierarchy, and operations that match no node.

The rules are TensorBoard's (`tf_graph_common/graph.ts` `joinStatsInfoWithGraph`, `hierarchy.ts`
`joinAndAggregateStats`) with three differences. The time of an item that ran several times is the sum of its
executions; the span from the first start to the last end, TensorBoard's only number, is available too. Embedded
constants and summaries count in the scopes of their names. Executions that match no node are listed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from tbtui.charts.numbers import brief, counted
from tbtui.frozen import frozen
from tbtui.plugins.graphs.edges import constants_and_summaries
from tbtui.plugins.graphs.item_labels import memory_text, time_text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy.typing as npt

    from tbtui.plugins.graphs.formats.run_metadata import Executions as RunMetadataExecutions
    from tbtui.plugins.graphs.hierarchy import Hierarchy


NOWHERE = -1
"""Stands for an item that does not exist."""


_DEVICE = re.compile(r"(?:device:[^:]+|/(?:cpu|gpu|tpu)):[0-9]+$")
"""TensorBoard `tf-graph-controls.ts` `DEVICE_NAME_REGEX`, and device names of TensorFlow before 1.4."""


class Executions(Protocol):
    """Columns with one entry for each execution of an operation; see `formats.run_metadata.Executions`."""

    @property
    def devices(self) -> Sequence[str]:
        """Names of the devices."""

    @property
    def names(self) -> Sequence[str]:
        """Names of the operations."""

    @property
    def device(self) -> npt.NDArray[np.int32]:
        """Index into `devices`."""

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """Start times in nanoseconds from any epoch."""

    @property
    def durations(self) -> npt.NDArray[np.int64]:
        """Nanoseconds; 0 if not measured."""

    @property
    def memory(self) -> npt.NDArray[np.int64]:
        """Allocated bytes."""


class UnmatchedOperation(NamedTuple):
    """An operation that ran but is not a node of the graph, such as a folded constant."""

    name: str
    executions: int
    time: float
    """Nanoseconds, the sum of all executions."""

    memory: float
    """Bytes, the maximum of all executions."""


@frozen(eq=False)
class ItemCosts:
    """Costs by item of a hierarchy; scopes include everything inside."""

    counts: npt.NDArray[np.int64]
    """int64[items]: number of executions."""

    times: npt.NDArray[np.float64]
    """float64[items]: nanoseconds, the sum of all executions."""

    spans: npt.NDArray[np.float64]
    """float64[items]: nanoseconds from the first start to the last end."""

    memory: npt.NDArray[np.float64]
    """float64[items]: bytes. The maximum of all executions for a node, the sum of its nodes for a scope."""

    strays: tuple[UnmatchedOperation, ...]
    """Operations that match no node, the most costly first."""


def is_device(name: str) -> bool:
    """Return True for the name of a device; False for streams and copies, which repeat its executions."""
    return _DEVICE.search(name) is not None


def default_devices(devices: Sequence[str]) -> frozenset[int]:
    """Return the indices of the devices that are counted by default; all indices if `is_device` accepts no name."""
    real = frozenset(index for index, name in enumerate(devices) if is_device(name))
    return real or frozenset(range(len(devices)))


def execution_nodes(hierarchy: Hierarchy, executions: Executions) -> npt.NDArray[np.int32]:
    """Return the node of each execution, int32[n]; `NOWHERE` if no node has its name.

    Streams of a GPU call an operation `name:Type`; it matches the node `name` if that has this type.
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


def join_costs(hierarchy: Hierarchy, executions: Executions, devices: Collection[int] | None = None) -> ItemCosts:
    """Join executions with the items of a hierarchy.

    Args:
        hierarchy: Hierarchy of the graph that ran.
        executions: Executions of one run.
        devices: Indices of the devices that are counted; None: `default_devices`.
    """
    counted = np.isin(executions.device, list(default_devices(executions.devices) if devices is None else devices))
    items = execution_nodes(hierarchy, executions)[counted]
    names = np.array(executions.names, object)[counted]
    durations = executions.durations[counted].astype(np.float64)
    memory = executions.memory[counted].astype(np.float64)
    starts = executions.starts[counted].astype(np.int64)
    known = items != NOWHERE
    sums = _Sums.of(len(hierarchy), items[known], starts[known], durations[known], memory[known])
    sums.carry_up(hierarchy)
    strays = _strays(names[~known].tolist(), durations[~known].tolist(), memory[~known].tolist())
    return ItemCosts(sums.counts, sums.times, sums.spans(), sums.memory, strays)


@dataclass(slots=True)
class _Sums:
    """Costs of items while they are summed up."""

    counts: npt.NDArray[np.int64]
    times: npt.NDArray[np.float64]
    memory: npt.NDArray[np.float64]
    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    """Nanoseconds: the first start and the last end. For items that were not measured, first is above last."""

    @staticmethod
    def of(
        size: int,
        items: npt.NDArray[np.int32],
        starts: npt.NDArray[np.int64],
        durations: npt.NDArray[np.float64],
        memory: npt.NDArray[np.float64],
    ) -> _Sums:
        """Return the sums of the nodes alone."""
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
        """Add the costs of nodes to the scopes around them; embedded nodes belong to the scope of their name."""
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
        """Return the time from the first start to the last end."""
        measured = self.last > self.first
        # Items that were not measured hold the limits of int64: subtracting those would overflow.
        return np.where(measured, np.where(measured, self.last, 0) - np.where(measured, self.first, 0), 0).astype(float)


def _scope_of(hierarchy: Hierarchy, node: int) -> int:
    """Return the innermost existing scope in the name of a node."""
    name = hierarchy.graph.names[node]
    while name := name.rpartition("/")[0]:
        item = hierarchy.item_of(name)
        if item is not None and item >= hierarchy.nodes:
            return item
    return hierarchy.root


def _strays(names: list[str], durations: list[float], memory: list[float]) -> tuple[UnmatchedOperation, ...]:
    gathered: dict[str, UnmatchedOperation] = {}
    for name, duration, size in zip(names, durations, memory, strict=True):
        before = gathered.get(name, UnmatchedOperation(name, 0, 0.0, 0.0))
        gathered[name] = UnmatchedOperation(
            name, before.executions + 1, before.time + duration, max(before.memory, size)
        )
    return tuple(sorted(gathered.values(), key=lambda stray: (-stray.time, -stray.memory, stray.name)))


Measure: TypeAlias = Literal["time", "memory"]


NODE_MEASURES: tuple[Measure, ...] = ("time", "memory")


MAX_NAMED_OPERATIONS = 3
"""Maximum number of operations that are named as missing from the graph."""


MIN_NOTABLE_SHARE = 0.02
"""A constant or summary that takes at least this share of the time or the memory gets its own box."""


class DeviceUse(NamedTuple):
    """A device on which operations ran."""

    name: str
    """Full name as written."""

    short: str
    """Short name such as `GPU:0`, if it is unique."""

    real: bool
    """False for streams and copies, whose executions the device reports too."""

    counted: bool
    executions: int


@frozen(eq=False)
class Times:
    """The costs of one run of a graph. Immutable: any thread may use it."""

    hierarchy: Hierarchy
    executions: RunMetadataExecutions
    stats: ItemCosts
    devices: tuple[DeviceUse, ...]

    def of(self, measure: Measure) -> npt.NDArray[np.float64]:
        """Return nanoseconds or bytes by item; 0 if nothing was measured."""
        return self.stats.times if measure == "time" else self.stats.memory

    def cost(self, item: int, measure: Measure) -> float:
        """Return nanoseconds or bytes of an item; a copy costs what its original does."""
        return float(self.of(measure)[self.hierarchy.original[item]])

    def whole(self, measure: Measure) -> float:
        """Return the cost of all nodes together."""
        return float(self.of(measure)[self.hierarchy.root])


def build_times(
    hierarchy: Hierarchy, executions: RunMetadataExecutions, devices: Collection[str] | None = None
) -> Times:
    """Join executions with a graph, in about 1 µs per execution and 5 µs per name.

    Args:
        hierarchy: Hierarchy of the graph that ran.
        executions: Executions of one run.
        devices: Names of the devices that are counted; None: all but streams and copies, as TensorBoard does.
    """
    names = executions.devices
    chosen = default_devices(names)
    if devices is not None:
        chosen = frozenset(index for index, name in enumerate(names) if name in devices)
    execution_counts = np.bincount(executions.device, minlength=len(names)).tolist()
    shorts = short_device_names(names)
    rows = tuple(
        DeviceUse(name, shorts[index], is_device(name), index in chosen, execution_counts[index])
        for index, name in enumerate(names)
    )
    return Times(hierarchy, executions, join_costs(hierarchy, executions, chosen), rows)


def costly_embedded(times: Times) -> frozenset[int]:
    """Return the constants and summaries without a box that take a notable share of time or memory."""
    nodes, embedded = times.hierarchy.nodes, times.hierarchy.graph.embedded
    costly = np.zeros(nodes, np.bool_)
    for measure in NODE_MEASURES:
        costs = times.of(measure)[:nodes]
        costly |= (costs > 0) & (costs >= MIN_NOTABLE_SHARE * times.whole(measure))
    return frozenset(np.flatnonzero(embedded & costly).tolist())


def next_devices(times: Times) -> frozenset[str]:
    """Return the devices to count next: the usual ones, then each by itself, streams and copies too."""
    names = [row.name for row in times.devices]
    choices = list(dict.fromkeys((default_device_names(times), *(frozenset((name,)) for name in names))))
    counted_now = frozenset(row.name for row in times.devices if row.counted)
    place = choices.index(counted_now) if counted_now in choices else -1
    return choices[(place + 1) % len(choices)]


def default_device_names(times: Times) -> frozenset[str]:
    """Return the devices that are counted by default."""
    names = [row.name for row in times.devices]
    return frozenset(names[index] for index in default_devices(names))


def short_device_names(names: Sequence[str]) -> list[str]:
    """Return names of devices without their machine, if they stay distinct."""
    shorts = [name.rpartition("/device:")[2] for name in names]  # `GPU:0/stream:all` stays whole
    return shorts if len(set(shorts)) == len(set(names)) else list(names)


# Words


def cost_text(cost: float, measure: Measure) -> str:
    """Return `21µs` or `512 B`; empty for 0."""
    return time_text(cost) if measure == "time" else memory_text(cost)


def total_cost_text(times: Times | None) -> str:
    """Return `153µs in all, 95µs of it in 3 summaries set aside`, which explains why the tree adds up to less."""
    if times is None or not times.whole("time"):
        return ""
    whole = f"{time_text(times.whole('time'))} in all"
    graph, nodes = times.hierarchy.graph, times.hierarchy.nodes
    aside = np.flatnonzero(graph.embedded & (times.of("time")[:nodes] > 0))
    if not len(aside):
        return whole
    cost = time_text(float(times.of("time")[aside].sum()))
    constants, _ = constants_and_summaries([graph.ops[node] for node in aside.tolist()], ())
    noun = "constant" if constants.all() else "operation" if constants.any() else "summary"
    return f"{whole}, {cost} of it in {counted(len(aside), noun)} set aside"


def item_cost_text(times: Times, item: int, measure: Measure) -> str:
    """Return the text of a cell in a column of time or memory."""
    return cost_text(times.cost(item, measure), measure)


def item_cost_lines(times: Times, item: int) -> tuple[str, ...]:
    """Return what an item cost, for the details, or that it was not run."""
    original = int(times.hierarchy.original[item])
    count = int(times.stats.counts[original])
    if not count:
        return ("not run in this step",)
    words = [_with_share(times, item, measure) for measure in NODE_MEASURES]
    span = float(times.stats.spans[original])
    if count > 1:
        words.append(counted(count, "execution"))
        if span > 0:
            words.append(f"{time_text(span)} from the first start to the last end")
    return (" · ".join(word for word in words if word),)


def _with_share(times: Times, item: int, measure: Measure) -> str:
    cost, whole = times.cost(item, measure), times.whole(measure)
    word = cost_text(cost, measure) or ("time not measured" if measure == "time" else "")
    share = f" ({brief(100 * cost / whole)} %)" if cost > 0 and whole > 0 else ""
    return f"{word}{share}" if measure == "time" or not word else f"{word} allocated{share}"


def profile_lines(times: Times) -> tuple[str, ...]:
    """Return lines that say which executions are counted, which are not, and how many match no node."""
    executions = times.executions
    if not len(executions):
        named = ", ".join(row.short for row in times.devices)
        return (f"no operation was timed on {named}" if named else "no operation was timed", *executions.notes)
    lines = [_counted_line(times)]
    left = [row for row in times.devices if not row.counted]
    if left:
        named = ", ".join(f"{row.short} ({row.executions:,})" for row in left)
        why = ": streams and copies repeat the same executions" if not any(row.real for row in left) else ""
        lines.append(f"not counted: {named}{why}")
    if strays := times.stats.strays:
        count = sum(stray.executions for stray in strays)
        names = ", ".join(stray.name for stray in strays[:MAX_NAMED_OPERATIONS])
        more = ", …" if len(strays) > MAX_NAMED_OPERATIONS else ""
        lines.append(f"{counted(count, 'execution')} of operations that are not nodes of this graph: {names}{more}")
    return (*lines, *executions.notes)


def _counted_line(times: Times) -> str:
    used = [row for row in times.devices if row.counted]
    total = sum(row.executions for row in used)
    where = ", ".join(row.short for row in used) or "no device"
    whole = time_text(times.whole("time"))
    return f"{counted(total, 'execution')} on {where}" + (f", {whole} in nodes of this graph" if whole else "")
