"""Short labels of items: numbers, shapes, devices, kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.numbers import counted, duration, size, step
from tbtui.plugins.graphs.graph import LIBRARY

if TYPE_CHECKING:
    from collections import Counter

    from tbtui.plugins.graphs.graph import Shape
    from tbtui.plugins.graphs.hierarchy import Hierarchy

SIGNS = {True: "▾ ", False: "▸ "}
"""Of what can be opened: whether it is."""

LEAF = "  "
UNKNOWN_SIDE = "?"


def shape_words(shapes: tuple[Shape | None, ...]) -> str:
    """Return `32×10`, `scalar` or `3 tensors`; empty if no shape is known."""
    if len(shapes) > 1:
        return f"{len(shapes)} tensors"
    return shape_word(shapes[0]) if shapes else ""


def shape_word(shape: Shape | None) -> str:
    """Return `?×10` for one tensor; a negative length is unknown."""
    if shape is None:
        return ""
    return "×".join(UNKNOWN_SIDE if side < 0 else str(side) for side in shape) or "scalar"


def device_word(device: str) -> str:
    """Return `GPU:0` for `/job:worker/replica:0/task:1/device:GPU:0`."""
    last = device.rsplit("/", 1)[-1]
    return last.removeprefix("device:")


def devices_word(devices: Counter[str]) -> str:
    """Return the device of most nodes and the number of others; empty if none is known."""
    known = [device for device, _ in devices.most_common() if device]
    others = f" +{len(known) - 1}" if len(known) > 1 else ""
    return device_word(known[0]) + others if known else ""


def time_word(nanoseconds: float) -> str:
    """Return `1.2ms`; empty for 0."""
    return duration(nanoseconds / 1e9) if nanoseconds > 0 else ""


def memory_word(nbytes: float) -> str:
    """Return `4.2 kB`; empty for 0."""
    return size(nbytes) if nbytes > 0 else ""


def figure(count: int, room: int = 20) -> str:
    """Return `4,160`, or `12.5k` if that is too wide; empty for 0."""
    told = f"{count:,}" if count else ""
    return told if len(told) <= room else step(count)


def full_name(hierarchy: Hierarchy, item: int) -> str:
    """Return the name with all scopes; items of a function without the section of functions."""
    return hierarchy.name(item).removeprefix(LIBRARY) or hierarchy.leaf(item)


def aside_word(hierarchy: Hierarchy, item: int) -> str:
    """Return where a constant or summary without a box is shown; empty for all other items."""
    embedded = hierarchy.graph.embedded
    beside = item
    while 0 <= beside < hierarchy.nodes and embedded[beside]:
        beside = int(hierarchy.parent[beside])
    if beside == item:
        return ""
    return "set aside" if beside < 0 or beside == hierarchy.root else f"set aside beside {hierarchy.leaf(beside)}"


def what(hierarchy: Hierarchy, item: int) -> str:
    """Return the operation of a node or series, or the size of a scope."""
    operation = hierarchy.op(item)
    if hierarchy.kind(item) == "series":
        return f"{len(hierarchy.children(item)):,} {operation}"
    noun = "layer" if hierarchy.graph.written.layers else "op"
    return operation or counted(int(hierarchy.inside[item]), noun)


def most_common(counts: Counter[str], most: int) -> str:
    """Return `3 MatMul, 2 Add, 4 others`, with at most `most` kinds by name."""
    told = [f"{count:,} {operation or 'of no type'}" for operation, count in counts.most_common(most)]
    others = sum(counts.values()) - sum(count for _, count in counts.most_common(most))
    return ", ".join([*told, *([counted(others, "other")] if others else [])])
