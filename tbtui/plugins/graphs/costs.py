"""Costs of a run of a graph: time and memory of every item of its hierarchy, and operations that match no node.

The rules are TensorBoard's (`tf_graph_common/graph.ts` `joinStatsInfoWithGraph`, `hierarchy.ts`
`joinAndAggregateStats`) with three differences. The time of an item that ran several times is the sum of its
executions; the span from the first start to the last end, TensorBoard's only number, is available too. Embedded
constants and summaries count in the scopes of their names. Executions that match no node are listed.
Of several devices, the user chooses those that are counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.graphs.edges import NO_NODE

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy.typing as npt

    from tbtui.plugins.graphs.formats.run_metadata import Executions
    from tbtui.plugins.graphs.hierarchy import Hierarchy


Measure: TypeAlias = Literal["time", "memory"]
MEASURES: tuple[Measure, ...] = ("time", "memory")

MIN_NOTABLE_SHARE = 0.02
"""A constant or summary that takes at least this share of the time or the memory gets its own box."""


class UnmatchedOperation(NamedTuple):
    """An operation that ran but is not a node of the graph, such as a folded constant."""

    name: str
    executions: int
    time: float
    """Nanoseconds, the sum of all executions."""

    memory: float
    """Bytes, the maximum of all executions."""

    def cost(self, measure: Measure) -> float:
        """Return nanoseconds or bytes."""
        return self.time if measure == "time" else self.memory


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

    unmatched: tuple[UnmatchedOperation, ...]
    """Operations that match no node, the most costly first."""


@frozen(eq=False)
class RunCosts:
    """The costs of one run of a graph. Immutable: any thread may use it."""

    hierarchy: Hierarchy
    executions: Executions
    items: ItemCosts
    devices: tuple[DeviceUse, ...]

    def list_by_item(self, measure: Measure) -> npt.NDArray[np.float64]:
        """Return nanoseconds or bytes by item; 0 if nothing was measured."""
        return self.items.times if measure == "time" else self.items.memory

    def cost(self, item: int, measure: Measure) -> float:
        """Return nanoseconds or bytes of an item; a copy costs what its original does."""
        return float(self.list_by_item(measure)[self.hierarchy.original[item]])

    def total(self, measure: Measure) -> float:
        """Return the cost of all nodes together."""
        return float(self.list_by_item(measure)[self.hierarchy.root])


def build_run_costs(
    hierarchy: Hierarchy, executions: Executions, device_names: Collection[str] | None = None
) -> RunCosts:
    """Join executions with a graph, in about 1 µs per execution and 5 µs per name.

    Args:
        hierarchy: Hierarchy of the graph that ran.
        executions: Executions of one run.
        device_names: Names of the devices that are counted; None: all but streams and copies, as TensorBoard does.
    """
    indices = select_default_devices(executions.devices)
    if device_names is not None:
        indices = frozenset(index for index, name in enumerate(executions.devices) if name in device_names)
    items = join_costs(hierarchy, executions, indices)
    return RunCosts(hierarchy, executions, items, count_device_uses(executions, indices))


def find_costly_embedded(costs: RunCosts) -> frozenset[int]:
    """Return the constants and summaries without a box that take a notable share of time or memory."""
    nodes, embedded = costs.hierarchy.nodes, costs.hierarchy.graph.embedded
    is_costly = np.zeros(nodes, np.bool_)
    for measure in MEASURES:
        node_costs = costs.list_by_item(measure)[:nodes]
        is_costly |= (node_costs > 0) & (node_costs >= MIN_NOTABLE_SHARE * costs.total(measure))
    return frozenset(np.flatnonzero(embedded & is_costly).tolist())


# Joining executions with nodes


def match_executions(hierarchy: Hierarchy, executions: Executions) -> npt.NDArray[np.int32]:
    """Return the node of each execution, int32[n]; `NO_NODE` if no node has its name.

    Streams of a GPU call an operation `name:Type`; it matches the node `name` if that has this type.
    """
    nodes = {name: _find_node(hierarchy, name) for name in set(executions.names)}
    return np.array([nodes[name] for name in executions.names], np.int32)


def _find_node(hierarchy: Hierarchy, name: str) -> int:
    node = hierarchy.find_node(name)
    if node is None:
        base, _, kind = name.rpartition(":")
        node = hierarchy.find_node(base)
        if node is None or hierarchy.op(node) != kind:
            return NO_NODE
    return node


def join_costs(
    hierarchy: Hierarchy, executions: Executions, device_indices: Collection[int] | None = None
) -> ItemCosts:
    """Join executions with the items of a hierarchy.

    Args:
        hierarchy: Hierarchy of the graph that ran.
        executions: Executions of one run.
        device_indices: Indices of the devices that are counted; None: `select_default_devices`.
    """
    if device_indices is None:
        device_indices = select_default_devices(executions.devices)
    is_counted = np.isin(executions.device, list(device_indices))
    nodes = match_executions(hierarchy, executions)
    matched, unmatched = is_counted & (nodes != NO_NODE), is_counted & (nodes == NO_NODE)
    sums = _CostSums.of_nodes(len(hierarchy), nodes[matched], executions, matched)
    sums.add_to_scopes(hierarchy)
    return ItemCosts(sums.counts, sums.times, sums.spans(), sums.memory, _sum_unmatched(executions, unmatched))


@dataclass(slots=True)
class _CostSums:
    """Costs of items while they are summed up."""

    counts: npt.NDArray[np.int64]
    times: npt.NDArray[np.float64]
    memory: npt.NDArray[np.float64]
    first_starts: npt.NDArray[np.int64]
    last_ends: npt.NDArray[np.int64]
    """Nanoseconds. For items that were not measured, the first start is above the last end."""

    @staticmethod
    def of_nodes(
        size: int, nodes: npt.NDArray[np.int32], executions: Executions, matched: npt.NDArray[np.bool_]
    ) -> _CostSums:
        """Return the sums of the nodes alone.

        Args:
            size: Number of items.
            nodes: int32[m]: nodes of the executions that are summed up.
            executions: Executions of one run.
            matched: bool[n]: the m executions that are summed up.
        """
        starts, durations = executions.starts[matched], executions.durations[matched]
        bounds = np.iinfo(np.int64)
        sums = _CostSums(
            np.bincount(nodes, minlength=size),
            np.bincount(nodes, durations.astype(np.float64), minlength=size).astype(np.float64),
            np.zeros(size),
            np.full(size, bounds.max),
            np.full(size, bounds.min),
        )
        np.maximum.at(sums.memory, nodes, executions.memory[matched].astype(np.float64))
        measured = durations > 0
        ends = starts + durations
        np.minimum.at(sums.first_starts, nodes[measured], starts[measured])
        np.maximum.at(sums.last_ends, nodes[measured], ends[measured])
        return sums

    def add_to_scopes(self, hierarchy: Hierarchy) -> None:
        """Add the costs of nodes to the scopes around them; embedded nodes belong to the scope of their name."""
        items = np.flatnonzero(self.counts)
        node_costs = [
            column[items] for column in (self.counts, self.times, self.memory, self.first_starts, self.last_ends)
        ]
        parent = hierarchy.parent.copy()
        for node in items[hierarchy.graph.embedded[items]].tolist():
            parent[node] = _find_innermost_scope(hierarchy, node)
        while len(items):
            parents = parent[items]
            has_parent = (parents >= 0) & (parents != items)
            items, node_costs = parents[has_parent], [column[has_parent] for column in node_costs]
            is_scope = items >= hierarchy.nodes
            scopes = items[is_scope]
            counts, times, memory, first_starts, last_ends = (column[is_scope] for column in node_costs)
            np.add.at(self.counts, scopes, counts)
            np.add.at(self.times, scopes, times)
            np.add.at(self.memory, scopes, memory)
            np.minimum.at(self.first_starts, scopes, first_starts)
            np.maximum.at(self.last_ends, scopes, last_ends)

    def spans(self) -> npt.NDArray[np.float64]:
        """Return the time from the first start to the last end."""
        measured = self.last_ends > self.first_starts
        # Items that were not measured hold the limits of int64: subtracting those would overflow.
        ends, starts = np.where(measured, self.last_ends, 0), np.where(measured, self.first_starts, 0)
        return np.where(measured, ends - starts, 0).astype(float)


def _find_innermost_scope(hierarchy: Hierarchy, node: int) -> int:
    """Return the innermost existing scope in the name of a node."""
    name = hierarchy.graph.names[node]
    while name := name.rpartition("/")[0]:
        item = hierarchy.find_item(name)
        if item is not None and item >= hierarchy.nodes:
            return item
    return hierarchy.root


def _sum_unmatched(executions: Executions, unmatched: npt.NDArray[np.bool_]) -> tuple[UnmatchedOperation, ...]:
    """Return the operations of these executions, the most costly first."""
    operations: dict[str, UnmatchedOperation] = {}
    for index in np.flatnonzero(unmatched).tolist():
        name, time, memory = executions.names[index], executions.durations[index], executions.memory[index]
        before = operations.get(name, UnmatchedOperation(name, 0, 0.0, 0.0))
        operations[name] = UnmatchedOperation(
            name, before.executions + 1, before.time + float(time), max(before.memory, float(memory))
        )
    return tuple(
        sorted(operations.values(), key=lambda operation: (-operation.time, -operation.memory, operation.name))
    )


_DEVICE = re.compile(r"(?:device:[^:]+|/(?:cpu|gpu|tpu)):[0-9]+$")
"""TensorBoard `tf-graph-controls.ts` `DEVICE_NAME_REGEX`, and device names of TensorFlow before 1.4."""


class DeviceUse(NamedTuple):
    """A device on which operations ran."""

    name: str
    """Full name as written."""

    short: str
    """Short name such as `GPU:0`, if it is unique."""

    is_real: bool
    """False for streams and copies, whose executions the device reports too."""

    is_counted: bool
    executions: int
    """Number of executions."""


def is_device(name: str) -> bool:
    """Return True for the name of a device; False for streams and copies, which repeat its executions."""
    return _DEVICE.search(name) is not None


def select_default_devices(names: Sequence[str]) -> frozenset[int]:
    """Return the indices of the devices that are counted by default; all indices if `is_device` accepts no name."""
    real = frozenset(index for index, name in enumerate(names) if is_device(name))
    return real or frozenset(range(len(names)))


def name_default_devices(devices: Sequence[DeviceUse]) -> frozenset[str]:
    """Return the names of the devices that are counted by default."""
    names = [device.name for device in devices]
    return frozenset(names[index] for index in select_default_devices(names))


def count_device_uses(executions: Executions, counted_indices: Collection[int]) -> tuple[DeviceUse, ...]:
    """Return the devices of a run with their numbers of executions.

    Args:
        executions: Executions of the run.
        counted_indices: Indices of the devices that are counted.
    """
    names = executions.devices
    execution_counts = np.bincount(executions.device, minlength=len(names)).tolist()
    shorts = shorten_device_names(names)
    return tuple(
        DeviceUse(name, shorts[index], is_device(name), index in counted_indices, execution_counts[index])
        for index, name in enumerate(names)
    )


def cycle_device_names(devices: Sequence[DeviceUse]) -> frozenset[str]:
    """Return the names of the devices to count next: the default ones, then each by itself, streams and copies too."""
    single = (frozenset((device.name,)) for device in devices)
    choices = list(dict.fromkeys((name_default_devices(devices), *single)))
    current = frozenset(device.name for device in devices if device.is_counted)
    index = choices.index(current) if current in choices else -1
    return choices[(index + 1) % len(choices)]


def shorten_device_names(names: Sequence[str]) -> list[str]:
    """Return names of devices without their machine, if they stay distinct."""
    shorts = [name.rpartition("/device:")[2] for name in names]  # `GPU:0/stream:all` stays complete
    return shorts if len(set(shorts)) == len(set(names)) else list(names)
