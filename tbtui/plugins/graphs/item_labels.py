"""Labels of items: lines in their boxes, shapes, devices, costs, kinds."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias

from tbtui.charts.numbers import counted, duration, size
from tbtui.plugins.graphs.graph import LIBRARY, argument_title, function_title, shape_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.parsed_graph import Shape

    Flags: TypeAlias = npt.NDArray[np.bool_]
    Boxes: TypeAlias = npt.NDArray[np.integer[Any]]
    Indices: TypeAlias = npt.NDArray[np.intp]
    Ints: TypeAlias = npt.NDArray[np.int32]
    Places: TypeAlias = npt.NDArray[np.integer[Any]]


FOLD_SIGNS = {True: "▾ ", False: "▸ "}
"""Signs before items that can be opened, by whether they are open."""

LEAF_SIGN = "  "


def shapes_text(shapes: tuple[Shape | None, ...]) -> str:
    """Return `32×10`, `scalar` or `3 tensors`; empty if no shape is known."""
    if len(shapes) > 1:
        return f"{len(shapes)} tensors"
    return shape_text(shapes[0]) if shapes else ""


def short_device(device: str) -> str:
    """Return `GPU:0` for `/job:worker/replica:0/task:1/device:GPU:0`."""
    last = device.rsplit("/", 1)[-1]
    return last.removeprefix("device:")


def devices_text(devices: Counter[str]) -> str:
    """Return the device of most nodes and the number of others; empty if none is known."""
    known = [device for device, _ in devices.most_common() if device]
    others = f" +{len(known) - 1}" if len(known) > 1 else ""
    return short_device(known[0]) + others if known else ""


def time_text(nanoseconds: float) -> str:
    """Return `1.2ms`; empty for 0."""
    return duration(nanoseconds / 1e9) if nanoseconds > 0 else ""


def memory_text(nbytes: float) -> str:
    """Return `4.2 kB`; empty for 0."""
    return size(nbytes) if nbytes > 0 else ""


def full_name(hierarchy: Hierarchy, item: int) -> str:
    """Return the name with all scopes; items of a function without the section of functions."""
    return hierarchy.name(item).removeprefix(LIBRARY) or hierarchy.leaf(item)


def label_path(hierarchy: Hierarchy, item: int) -> str:
    """Return the full name with the label of the item in place of the last part: `model/add` for `model/329`."""
    name = full_name(hierarchy, item)
    return name if name.endswith(leaf := hierarchy.leaf(item)) else f"{name[: name.rfind('/') + 1]}{leaf}"


def placement_text(hierarchy: Hierarchy, item: int) -> str:
    """Return where a constant or summary without a box is shown; empty for all other items."""
    embedded = hierarchy.graph.embedded
    beside = item
    while 0 <= beside < hierarchy.nodes and embedded[beside]:
        beside = int(hierarchy.parent[beside])
    if beside == item:
        return ""
    return "set aside" if beside < 0 or beside == hierarchy.root else f"set aside beside {hierarchy.leaf(beside)}"


def kind_text(hierarchy: Hierarchy, item: int) -> str:
    """Return the operation of a node or series, or the size of a scope."""
    operation = hierarchy.op(item)
    if hierarchy.kind(item) == "series":
        return f"{len(hierarchy.children(item)):,} {operation}"
    noun = "layer" if hierarchy.graph.parsed.layers else "op"
    return operation or counted(int(hierarchy.inside[item]), noun)


def common_ops_text(counts: Counter[str], most: int) -> str:
    """Return `3 MatMul, 2 Add, 4 others`, with at most `most` kinds by name."""
    named = [f"{count:,} {operation or 'of no type'}" for operation, count in counts.most_common(most)]
    others = sum(counts.values()) - sum(count for _, count in counts.most_common(most))
    return ", ".join([*named, *([counted(others, "other")] if others else [])])


MAX_SINGLE_OP_NODES = 8
"""A scope of at most this many nodes is labelled with its only operation besides inputs and outputs."""


_PASSING_OPS = frozenset({"Identity", "NoOp", "prim::GetAttr", "VariableV2", "VarHandleOp", "ReadVariableOp"})
"""Operations that compute nothing."""


_SHAPE_OPS = frozenset({"Shape", "ShapeN", "StridedSlice", "Pack", "Rank", "Size", "BroadcastGradientArgs"})
"""Operations on shapes; other operations describe a scope better."""


MAX_LAYER_NODES = 32
"""A scope of at most this many nodes may be one layer, with the nodes that make and check its variables."""


_LAYER_OPS = re.compile(
    r"(?:batch_?)?matmul(?:v[0-9]+)?|addmm|bmm|linear|einsum|gemm|\w*conv(?:olution|[0-9]d\w*)?"
    r"|\w*(?:max|avg|average)_?pool\w*|\w*(?:lstm|gru|rnn)(?:v[0-9]+|block\w*|cell)?"
    r"|\w*(?:batch|layer|group|instance)_?norm(?:alization)?(?:v[0-9]+)?|resourcegather|embedding\w*"
    r"|\w*attention\w*",
    re.ASCII | re.IGNORECASE,
)
"""Operations that occur once in a layer and name it."""


_ACTIVATION_OPS = re.compile(
    r"(?:leaky_?|p)?relu6?_?|[sc]?elu|gelu|silu|swish|sigmoid|tanh|(?:log_?)?softmax|softplus|softsign",
    re.ASCII | re.IGNORECASE,
)


_GRADIENT_OPS = re.compile(r"\w*(?:Grad(?:V[0-9]+)?|Backprop\w*|_backward\w*)", re.ASCII)
"""Operations of gradients; a scope that has one is not a layer."""


MAX_NAMES_ASIDE = 5
"""Maximum number of names beside a box."""


def item_lines(hierarchy: Hierarchy, item: int) -> tuple[str, ...]:
    """Return the lines of a box: the name, its type or content, and its parameters. May hold control characters."""
    lines = [argument_title(hierarchy.leaf(item)), *_content_lines(hierarchy, item)]
    if parameters := hierarchy.parameters.words(item):
        lines.append(parameters)
    return tuple(lines)


def shorten_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return at most `MAX_NAMES_ASIDE` names, and the number of further ones."""
    if len(names) <= MAX_NAMES_ASIDE:
        return tuple(names)
    return (*names[:MAX_NAMES_ASIDE], f"… {len(names) - MAX_NAMES_ASIDE:,} more")


def _content_lines(hierarchy: Hierarchy, item: int) -> list[str]:
    """Return the operation if the name is another one, the number of members of a series, or of nodes of a scope."""
    op = hierarchy.op(item)
    layers = hierarchy.graph.parsed.layers
    unit = "layer" if layers else "op"
    count = int(hierarchy.inside[item])
    if hierarchy.kind(item) == "series":
        return [f"{count:,} × {op}"]
    if not op:
        return [", ".join((*_purpose(hierarchy, item), counted(count, unit)))]
    lines = [op] if hierarchy.leaf(item) not in (op, op.rpartition("::")[2]) else []
    if layers and (shapes := hierarchy.shapes(item)) and (text := shape_text(shapes[0])):
        lines.append(text)
    return lines


def _purpose(hierarchy: Hierarchy, item: int) -> list[str]:
    """Return the purpose of a scope: one operation, one layer, or the function that it calls; empty if unknown."""
    if hierarchy.inside[item] > MAX_LAYER_NODES:
        return []
    graph = hierarchy.graph
    nodes = [node for node in hierarchy.nodes_in(item) if graph.kinds[node] not in {"input", "output"}]
    called = {graph.bodies[graph.calls[node]].name for node in nodes if node in graph.calls}
    counts = Counter(graph.ops[node] for node in nodes)
    computing = called or counts.keys() - _PASSING_OPS
    descriptive_ops = computing - _SHAPE_OPS or computing
    is_one = len(descriptive_ops) == 1 and hierarchy.inside[item] <= MAX_SINGLE_OP_NODES
    summary = function_title("".join(descriptive_ops)) if is_one else _layer_text(counts)
    return [summary] if summary and summary != hierarchy.leaf(item) else []


def _layer_text(counts: Counter[str]) -> str:
    """Return `Conv2D · Relu` for a scope that is one layer: its operation and its activation."""
    kinds = {op: op.rpartition("::")[2] for op in counts}
    leads = [op for op, kind in kinds.items() if _LAYER_OPS.fullmatch(kind)]
    if sum(counts[op] for op in leads) != 1 or any(map(_GRADIENT_OPS.fullmatch, kinds.values())):
        return ""
    activations = [op for op, kind in kinds.items() if _ACTIVATION_OPS.fullmatch(kind)]
    return " · ".join(leads + activations if len(activations) == 1 else leads)
