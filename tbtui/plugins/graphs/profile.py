"""What running a graph cost: time and memory of every item of its hierarchy, and what has no place in it.

Rules: TensorBoard `tf_graph_common/graph.ts` `joinStatsInfoWithGraph`, `hierarchy.ts` `joinAndAggregateStats`, with
three differences. What ran several times has the sum of its executions as its time, beside the span from the first
start to the last end, which is all that TensorBoard tells; likewise a scope. Constants and summaries, which it sets
aside, count in the scopes that they are called by. An execution that matches no node is kept in a list.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from tbtui.charts import colours as palette
from tbtui.charts.cells import HEAT_LEVELS, Cells, Ink, heat
from tbtui.charts.numbers import brief, counted
from tbtui.charts.text import fit, pad, shorten, write
from tbtui.frozen import frozen
from tbtui.plugins.graphs.edges import constants_and_summaries
from tbtui.plugins.graphs.item_labels import device_word, memory_word, time_word
from tbtui.settings.settings import GRAPH_COLOURS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.charts.pieces import Piece
    from tbtui.plugins.graphs.formats.salvage import Executions as RunMetadataExecutions
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.settings.settings import GraphColour


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


# The list of the operations that cost most, below the timeline.


LEAST_HEIGHT = 3
"""Minimum number of lines of the list: the titles and two rows."""

LEAST_NAME = 16
OP_WIDTH, FIGURE_WIDTH, COUNT_WIDTH = 16, 9, 6
HEADS: Mapping[Measure, tuple[str, ...]] = {
    "time": ("longest", "type", "time", "share", "runs"),
    "memory": ("largest", "type", "memory", "share", "runs"),
}


def draw_longest(rows: Sequence[TopRow], measure: Measure, width: int, height: int) -> Cells:
    """Draw as many rows as fit, the costly first.

    Args:
        rows: In order.
        measure: What they are ordered by.
        width: Columns; what is less telling than the time goes where they are few.
        height: Lines; the first has the heads.
    """
    cells = Cells.blank(height, width)
    costs = (row.time if measure == "time" else row.memory for row in rows)
    told = zip(rows, costs, strict=True)
    texts = [HEADS[measure], *((row.name, row.op, cost, row.share, f"{row.executions:,}") for row, cost in told)]
    for y, (name, op, cost, share, count) in enumerate(texts[:height]):
        right = f"{cost:>{FIGURE_WIDTH}}{share:>{FIGURE_WIDTH}}"
        if width >= LEAST_NAME + len(right) + COUNT_WIDTH:
            right += f"{count:>{COUNT_WIDTH}}"
        if width >= LEAST_NAME + len(right) + OP_WIDTH:
            right = f" {pad(shorten(op, OP_WIDTH - 1), OP_WIDTH - 1)}{right}"
        room = max(width - len(right) - 1, 0)
        write(cells, y, 0, shorten(name, room), Ink.TEXT if y else Ink.DIM)
        write(cells, y, width - len(right), fit(right, width), Ink.DIM)
    return cells


# The costs of a run of a graph, by item: colours, cells of tables, and words.


Measure: TypeAlias = Literal["time", "memory"]
NODE_MEASURES: tuple[Measure, ...] = ("time", "memory")

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
    executions: RunMetadataExecutions
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


def times_of(hierarchy: Hierarchy, executions: RunMetadataExecutions, devices: Collection[str] | None = None) -> Times:
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
    for measure in NODE_MEASURES:
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
    words = [_with_share(times, item, measure) for measure in NODE_MEASURES]
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


# Colours of boxes, and their legend.


MOST_DEVICES = 4
"""Maximum number of devices in the legend."""

KINDS_OF_INK = (0, 2, 3, 7, 8, 9, 10)
"""Series inks for devices and structures; none is near the accent colour of highlighted edges."""

MEASURES: Mapping[GraphColour, Measure] = {"time": "time", "memory": "memory"}


def inks_of(hierarchy: Hierarchy, times: Times | None, items: Iterable[int], colour: GraphColour) -> Mapping[int, int]:
    """Return the ink of each item that has one."""
    if measure := MEASURES.get(colour):
        return {} if times is None else tints(times, items, measure)
    if colour == "device":
        known = devices(hierarchy)
        ran = () if known or times is None else devices_run_on(times)
        places = {device: place for place, device in enumerate(known or ran)}
        if ran and times is not None:
            main = _run_on(times, items)
        else:
            main = {item: next((name for name, _ in hierarchy.devices(item).most_common(1)), "") for item in items}
        return {item: kind_ink(places[name]) for item, name in main.items() if name in places}
    if colour == "structure":
        found = {item: int(hierarchy.template[item]) for item in items}
        return {item: kind_ink(template) for item, template in found.items() if template >= 0}
    return {}


def telling_colours(hierarchy: Hierarchy, times: Times | None) -> tuple[GraphColour, ...]:
    """Return the properties that are known of the boxes of a graph; the cost is one pass over all nodes."""
    tells: Mapping[GraphColour, bool] = {
        "structure": bool((hierarchy.template >= 0).any()),
        "device": bool(devices(hierarchy) or (times is not None and devices_run_on(times))),
        "time": times is not None and times.whole("time") > 0,
        "memory": times is not None and times.whole("memory") > 0,
        "none": True,
    }
    return tuple(colour for colour in GRAPH_COLOURS if tells[colour])


def kind_ink(number: int) -> int:
    """Return the ink of one of several kinds; repeated colours have other markers."""
    again, place = divmod(number, len(KINDS_OF_INK))
    return KINDS_OF_INK[place] + palette.PALETTE_SIZE * again


def devices(hierarchy: Hierarchy) -> Sequence[str]:
    """Return all devices of a graph, the one of most nodes first."""
    return [device for device, _ in hierarchy.devices(hierarchy.root).most_common() if device]


def devices_run_on(times: Times) -> Sequence[str]:
    """Return all devices of a run, for a graph that names none itself."""
    ran = [row for row in times.devices if row.executions]
    return [row.name for row in ran if row.real] or [row.name for row in ran]


def _run_on(times: Times, items: Iterable[int]) -> dict[int, str]:
    """Return the device of most executions of each item that was run."""
    hierarchy, names = times.hierarchy, times.executions.devices
    known = [names.index(name) for name in devices_run_on(times)]
    nodes = items_of(hierarchy, times.executions)
    counts = np.zeros((len(known), hierarchy.nodes), np.int64)
    for row, device in enumerate(known):
        ran = nodes[(times.executions.device == device) & (nodes != NOWHERE)]
        counts[row] = np.bincount(ran, minlength=hierarchy.nodes)
    found = {item: counts[:, hierarchy.original[hierarchy.under(item)]].sum(axis=1) for item in items}
    return {item: names[known[int(one.argmax())]] for item, one in found.items() if one.any()}


def legend(hierarchy: Hierarchy, times: Times | None, colour: GraphColour) -> tuple[Piece, ...]:
    """Return the meaning of the colours in a line; empty if nothing is coloured."""
    if colour == "device":
        known = devices(hierarchy)
        pieces: list[Piece] = []
        if not known and times is not None and (known := devices_run_on(times)):
            pieces = [("run on  ", Ink.DIM)]
        if not known:
            return (("no devices are given", Ink.DIM),)
        for ink, device in zip(map(kind_ink, range(MOST_DEVICES)), known, strict=False):
            pieces += [(f"{palette.marker(ink)} ", ink), (f"{device_word(device)}  ", Ink.DIM)]
        more = f"+{len(known) - MOST_DEVICES}" if len(known) > MOST_DEVICES else ""
        return (*pieces, (more, Ink.DIM))
    if measure := MEASURES.get(colour):
        if times is None or not times.whole(measure):
            return ((f"no {measure} was measured", Ink.DIM),)
        return ((f"{measure}: {cost_word(times.whole(measure), measure)} in all", Ink.DIM),)
    return ()


# The operations that cost most, as rows: nodes of the graph and operations that are no nodes.


NO_NODE = "no node"
"""Type of an operation that is no node of the graph."""


class TopRow(NamedTuple):
    """One operation that was run."""

    item: int | None
    """None: it is no node of the graph."""

    name: str
    """In full."""

    op: str
    time: str
    share: str
    """Of all time, or of all memory, that the counted devices tell of."""

    memory: str
    executions: int


def top_rows(times: Times, measure: Measure, most: int | None = None) -> tuple[TopRow, ...]:
    """Return what was run, the costly first; equal ones in graph order, those without a node last.

    Args:
        times: Of one run.
        measure: What the order and the share are by.
        most: Rows at most; None: all.
    """
    stats, nodes = times.stats, times.hierarchy.nodes
    run = np.flatnonzero(stats.counts[:nodes])
    costs = times.of(measure)[run].tolist()
    strays = [stray.time if measure == "time" else stray.memory for stray in stats.strays]
    whole = sum(costs) + sum(strays)
    order = np.argsort(-np.array(costs + strays), kind="stable")[:most].tolist()
    return tuple(
        _node_row(times, int(run[place]), costs[place], whole)
        if place < len(run)
        else _stray_row(times, place - len(run), strays[place - len(run)], whole)
        for place in order
    )


def _node_row(times: Times, node: int, cost: float, whole: float) -> TopRow:
    stats, hierarchy = times.stats, times.hierarchy
    costs = float(stats.times[node]), float(stats.memory[node])
    return _row(node, hierarchy.name(node), hierarchy.op(node), costs, _share(cost, whole), int(stats.counts[node]))


def _stray_row(times: Times, index: int, cost: float, whole: float) -> TopRow:
    stray = times.stats.strays[index]
    return _row(None, stray.name, NO_NODE, (stray.time, stray.memory), _share(cost, whole), stray.executions)


def _row(item: int | None, name: str, op: str, costs: tuple[float, float], share: str, executions: int) -> TopRow:
    time, memory = costs
    return TopRow(item, name, op, cost_word(time, "time"), share, cost_word(memory, "memory"), executions)


def _share(cost: float, whole: float) -> str:
    return f"{brief(100 * cost / whole)} %" if cost > 0 else ""
