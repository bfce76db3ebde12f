"""The costs of a run of a graph, by item: colours, cells of tables, and words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from tbtui.charts.cells import HEAT_LEVELS, heat
from tbtui.charts.numbers import brief, counted
from tbtui.frozen import frozen
from tbtui.graphs.embedding import constants_and_summaries
from tbtui.graphs.stats import is_device, stats_of, usual_devices
from tbtui.plugins.graphs.item_labels import memory_word, time_word

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    import numpy.typing as npt

    from tbtui.events.run_metadata import Executions
    from tbtui.graphs.hierarchy import Hierarchy
    from tbtui.graphs.stats import Stats

Measure: TypeAlias = Literal["time", "memory"]
MEASURES: tuple[Measure, ...] = ("time", "memory")

MOST_NAMED = 3
"""Maximum number of operations that are named as missing from the graph."""


NOTABLE = 0.02
"""An operation that takes at least this share of the time or the memory gets a box."""


class DeviceRow(NamedTuple):
    """A device that something ran on."""

    name: str
    """In full, as it was written."""

    short: str
    """Such as `GPU:0`, as far as that tells it from the others."""

    real: bool
    """False of streams and copies beside a device: what ran there is told of the device, too."""

    counted: bool
    executions: int


@frozen(eq=False)
class Times:
    """The costs of one run of a graph. Immutable: any thread may use it."""

    hierarchy: Hierarchy
    executions: Executions
    stats: Stats
    devices: tuple[DeviceRow, ...]

    def of(self, measure: Measure) -> npt.NDArray[np.float64]:
        """Return nanoseconds or bytes by item; 0 if nothing was measured."""
        return self.stats.times if measure == "time" else self.stats.memory

    def cost(self, item: int, measure: Measure) -> float:
        """Return nanoseconds or bytes of an item; a copy costs what its original does."""
        return float(self.of(measure)[self.hierarchy.original[item]])

    def whole(self, measure: Measure) -> float:
        """Return the cost of all nodes together."""
        return float(self.of(measure)[self.hierarchy.root])


def times_of(hierarchy: Hierarchy, executions: Executions, devices: Collection[str] | None = None) -> Times:
    """Join executions with a graph; about 1 µs per execution and 5 µs per name.

    Args:
        hierarchy: Of the graph that was run.
        executions: Of one run of it.
        devices: Names of those that are counted; None: as TensorBoard has it at first, all but streams and copies.
    """
    names = executions.devices
    chosen = usual_devices(names)
    if devices is not None:
        chosen = frozenset(index for index, name in enumerate(names) if name in devices)
    held = np.bincount(executions.device, minlength=len(names)).tolist()
    shorts = short_devices(names)
    rows = tuple(
        DeviceRow(name, shorts[index], is_device(name), index in chosen, held[index])
        for index, name in enumerate(names)
    )
    return Times(hierarchy, executions, stats_of(hierarchy, executions, chosen), rows)


def costly_aside(times: Times) -> frozenset[int]:
    """Return the constants and summaries without a box that take a notable share of time or memory."""
    nodes, embedded = times.hierarchy.nodes, times.hierarchy.graph.embedded
    costly = np.zeros(nodes, np.bool_)
    for measure in MEASURES:
        costs = times.of(measure)[:nodes]
        costly |= (costs > 0) & (costs >= NOTABLE * times.whole(measure))
    return frozenset(np.flatnonzero(embedded & costly).tolist())


def next_devices(times: Times) -> frozenset[str]:
    """Return the devices to count next: the usual ones, then each by itself, streams and copies too."""
    names = [row.name for row in times.devices]
    choices = list(dict.fromkeys((usual_names(times), *(frozenset((name,)) for name in names))))
    counted_now = frozenset(row.name for row in times.devices if row.counted)
    place = choices.index(counted_now) if counted_now in choices else -1
    return choices[(place + 1) % len(choices)]


def usual_names(times: Times) -> frozenset[str]:
    """Return the devices that are counted by default."""
    names = [row.name for row in times.devices]
    return frozenset(names[index] for index in usual_devices(names))


def short_devices(names: Sequence[str]) -> list[str]:
    """Return names of devices without their machine, if they stay distinct."""
    shorts = [name.rpartition("/device:")[2] for name in names]  # `GPU:0/stream:all` stays whole
    return shorts if len(set(shorts)) == len(set(names)) else list(names)


def tints(times: Times, items: Iterable[int], measure: Measure) -> dict[int, int]:
    """Return inks of items by their cost; the highest cost at the top of the graph has the last colour.

    Items that cost nothing have none.
    """
    top = most_at_top(times, measure)
    found = {item: times.cost(item, measure) for item in items}
    return {item: _ink(level_of(cost, top)) for item, cost in found.items() if cost > 0}


def level_of(cost: float, top: float) -> int:
    """The level of the colour map, from 1 on, of a cost of which `top` has the last."""
    return 1 + round((HEAT_LEVELS - 2) * min(cost / top, 1.0)) if top > 0 else 1


def _ink(level: int) -> int:
    return int(heat(text_level(level), level))


def text_level(ground: int) -> int:
    """The level of text that is read best on a ground."""
    return 0 if ground > HEAT_LEVELS // 2 else HEAT_LEVELS - 1


def most_at_top(times: Times, measure: Measure) -> float:
    """Return the highest cost of the items at the top of the graph, which has the last colour."""
    children = times.hierarchy.children(times.hierarchy.root)
    return float(times.of(measure)[children].max(initial=0.0))


# Words


def cost_word(cost: float, measure: Measure) -> str:
    """Return `21µs` or `512 B`; empty for 0."""
    return time_word(cost) if measure == "time" else memory_word(cost)


def whole_word(times: Times | None) -> str:
    """`153µs in all, 95µs of it in 3 summaries set aside`: what the items of the tree do not add up to, and why."""
    if times is None or not times.whole("time"):
        return ""
    whole = f"{time_word(times.whole('time'))} in all"
    graph, nodes = times.hierarchy.graph, times.hierarchy.nodes
    aside = np.flatnonzero(graph.embedded & (times.of("time")[:nodes] > 0))
    if not len(aside):
        return whole
    cost = time_word(float(times.of("time")[aside].sum()))
    constants, _ = constants_and_summaries([graph.ops[node] for node in aside.tolist()], ())
    noun = "constant" if constants.all() else "operation" if constants.any() else "summary"
    return f"{whole}, {cost} of it in {counted(len(aside), noun)} set aside"


def cell_word(times: Times, item: int, measure: Measure) -> str:
    """Return the text of a cell in a column of time or memory."""
    return cost_word(times.cost(item, measure), measure)


def about_item(times: Times, item: int) -> tuple[str, ...]:
    """Return what an item cost, for the details, or that it was not run."""
    original = int(times.hierarchy.original[item])
    count = int(times.stats.counts[original])
    if not count:
        return ("not run in this step",)
    words = [_with_share(times, item, measure) for measure in MEASURES]
    span = float(times.stats.spans[original])
    if count > 1:
        words.append(counted(count, "execution"))
        if span > 0:
            words.append(f"{time_word(span)} from the first start to the last end")
    return (" · ".join(word for word in words if word),)


def _with_share(times: Times, item: int, measure: Measure) -> str:
    cost, whole = times.cost(item, measure), times.whole(measure)
    word = cost_word(cost, measure) or ("time not measured" if measure == "time" else "")
    share = f" ({brief(100 * cost / whole)} %)" if cost > 0 and whole > 0 else ""
    return f"{word}{share}" if measure == "time" or not word else f"{word} allocated{share}"


def about_times(times: Times) -> tuple[str, ...]:
    """Return which executions are counted, which are not, and how many have no node in the graph."""
    executions = times.executions
    if not len(executions):
        named = ", ".join(row.short for row in times.devices)
        return (f"no operation was timed on {named}" if named else "no operation was timed", *executions.notes)
    lines = [_counted_line(times)]
    left = [row for row in times.devices if not row.counted]
    if left:
        named = ", ".join(f"{row.short} ({row.executions:,})" for row in left)
        why = ": streams and copies tell of the same once more" if not any(row.real for row in left) else ""
        lines.append(f"not counted: {named}{why}")
    if strays := times.stats.strays:
        count = sum(stray.executions for stray in strays)
        names = ", ".join(stray.name for stray in strays[:MOST_NAMED])
        more = ", …" if len(strays) > MOST_NAMED else ""
        lines.append(f"{counted(count, 'execution')} of operations that are no nodes of this graph: {names}{more}")
    return (*lines, *executions.notes)


def _counted_line(times: Times) -> str:
    used = [row for row in times.devices if row.counted]
    total = sum(row.executions for row in used)
    where = ", ".join(row.short for row in used) or "no device"
    whole = time_word(times.whole("time"))
    return f"{counted(total, 'execution')} on {where}" + (f", {whole} in nodes of this graph" if whole else "")
