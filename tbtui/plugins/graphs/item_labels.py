"""Labels of items: lines in their boxes, shapes, devices, kinds; and texts about the costs of a run."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.numbers import format_brief, format_count, format_duration, format_size
from tbtui.plugins.graphs.costs import MEASURES
from tbtui.plugins.graphs.edges import find_constants_and_summaries
from tbtui.plugins.graphs.graph import LIBRARY, format_argument_title, format_function_title, shape_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.graphs.costs import Measure, RunCosts
    from tbtui.plugins.graphs.hierarchy import Hierarchy
    from tbtui.plugins.graphs.parsed_graph import Shape


FOLD_SIGNS = {True: "▾ ", False: "▸ "}
"""Signs before items that can be opened, by whether they are open."""

LEAF_SIGN = "  "


def format_shapes(shapes: tuple[Shape | None, ...]) -> str:
    """Return `32×10`, `scalar` or `3 tensors`; empty if no shape is known."""
    if len(shapes) > 1:
        return f"{len(shapes)} tensors"
    return shape_text(shapes[0]) if shapes else ""


def shorten_device(device: str) -> str:
    """Return `GPU:0` for `/job:worker/replica:0/task:1/device:GPU:0`."""
    return device.rsplit("/", 1)[-1].removeprefix("device:")


def format_devices(devices: Counter[str]) -> str:
    """Return the device of most nodes and the number of others; empty if none is known."""
    known = [device for device, _ in devices.most_common() if device]
    others = f" +{len(known) - 1}" if len(known) > 1 else ""
    return shorten_device(known[0]) + others if known else ""


def time_text(nanoseconds: float) -> str:
    """Return `1.2ms`; empty for 0."""
    return format_duration(nanoseconds / 1e9) if nanoseconds > 0 else ""


def format_memory(nbytes: float) -> str:
    """Return `4.2 kB`; empty for 0."""
    return format_size(nbytes) if nbytes > 0 else ""


def format_full_name(hierarchy: Hierarchy, item: int) -> str:
    """Return the name with all scopes; items of a function without the section of functions."""
    return hierarchy.name(item).removeprefix(LIBRARY) or hierarchy.leaf(item)


def label_path(hierarchy: Hierarchy, item: int) -> str:
    """Return the full name with the leaf of the item as its last part: `model/add` for `model/329`."""
    name = format_full_name(hierarchy, item)
    return name if name.endswith(leaf := hierarchy.leaf(item)) else f"{name[: name.rfind('/') + 1]}{leaf}"


def format_placement(hierarchy: Hierarchy, item: int) -> str:
    """Return the position of a constant or summary without a box: `set aside beside loss`; empty for other items."""
    embedded = hierarchy.graph.embedded
    host = item
    while 0 <= host < hierarchy.nodes and embedded[host]:
        host = int(hierarchy.parent[host])
    if host == item:
        return ""
    return "set aside" if host < 0 or host == hierarchy.root else f"set aside beside {hierarchy.leaf(host)}"


def format_kind(hierarchy: Hierarchy, item: int) -> str:
    """Return the operation of a node or series, or the size of a scope."""
    operation = hierarchy.op(item)
    if hierarchy.kind(item) == "series":
        return f"{len(hierarchy.children(item)):,} {operation}"
    noun = "layer" if hierarchy.graph.parsed.layers else "op"
    return operation or format_count(int(hierarchy.node_counts[item]), noun)


def format_common_ops(counts: Counter[str], max_kinds: int) -> str:
    """Return `3 MatMul, 2 Add, 4 others`, with at most `max_kinds` operations by name."""
    named = [f"{count:,} {operation or 'of no type'}" for operation, count in counts.most_common(max_kinds)]
    others = sum(counts.values()) - sum(count for _, count in counts.most_common(max_kinds))
    return ", ".join([*named, *([format_count(others, "other")] if others else [])])


MAX_SINGLE_OP_NODES = 8
"""A scope of at most this many nodes is labelled with its only operation besides inputs and outputs."""


_TRIVIAL_OPS = frozenset({"Identity", "NoOp", "prim::GetAttr", "VariableV2", "VarHandleOp", "ReadVariableOp"})
"""Operations that compute nothing."""


_SHAPE_OPS = frozenset({"Shape", "ShapeN", "StridedSlice", "Pack", "Rank", "Size", "BroadcastGradientArgs"})
"""Operations on shapes; other operations describe a scope better."""


MAX_LAYER_NODES = 32
"""A scope of at most this many nodes may be one layer, with nodes that create and check its variables."""


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
"""Maximum number of names of items that are set aside from a box."""


def list_item_lines(hierarchy: Hierarchy, item: int) -> tuple[str, ...]:
    """Return the lines of a box: the name, its type or content, and its parameters. May hold control characters."""
    lines = [format_argument_title(hierarchy.leaf(item)), *_list_content(hierarchy, item)]
    if parameters := hierarchy.parameters.count_text(item):
        lines.append(parameters)
    return tuple(lines)


def shorten_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return at most `MAX_NAMES_ASIDE` names, and the number of further ones."""
    if len(names) <= MAX_NAMES_ASIDE:
        return tuple(names)
    return (*names[:MAX_NAMES_ASIDE], f"… {len(names) - MAX_NAMES_ASIDE:,} more")


def _list_content(hierarchy: Hierarchy, item: int) -> list[str]:
    """Return the operation if it is not the name, the number of members of a series, or of nodes of a scope."""
    op = hierarchy.op(item)
    layers = hierarchy.graph.parsed.layers
    unit = "layer" if layers else "op"
    count = int(hierarchy.node_counts[item])
    if hierarchy.kind(item) == "series":
        return [f"{count:,} × {op}"]
    if not op:
        return [", ".join((*_describe_purpose(hierarchy, item), format_count(count, unit)))]
    lines = [op] if hierarchy.leaf(item) not in (op, op.rpartition("::")[2]) else []
    if layers and (shapes := hierarchy.shapes(item)) and (text := shape_text(shapes[0])):
        lines.append(text)
    return lines


def _describe_purpose(hierarchy: Hierarchy, item: int) -> list[str]:
    """Return the purpose of a scope: one operation, one layer, or the function that it calls; empty if unknown."""
    if hierarchy.node_counts[item] > MAX_LAYER_NODES:
        return []
    graph = hierarchy.graph
    nodes = [node for node in hierarchy.list_nodes(item) if graph.kinds[node] not in {"input", "output"}]
    functions = {graph.bodies[graph.calls[node]].name for node in nodes if node in graph.calls}
    counts = Counter(graph.ops[node] for node in nodes)
    computing = functions or counts.keys() - _TRIVIAL_OPS
    descriptive_ops = computing - _SHAPE_OPS or computing
    is_single = len(descriptive_ops) == 1 and hierarchy.node_counts[item] <= MAX_SINGLE_OP_NODES
    purpose = format_function_title("".join(descriptive_ops)) if is_single else _format_layer(counts)
    return [purpose] if purpose and purpose != hierarchy.leaf(item) else []


def _format_layer(counts: Counter[str]) -> str:
    """Return `Conv2D · Relu` for a scope that is one layer: its operation and its activation."""
    kinds = {op: op.rpartition("::")[2] for op in counts}
    layer_ops = [op for op, kind in kinds.items() if _LAYER_OPS.fullmatch(kind)]
    if sum(counts[op] for op in layer_ops) != 1 or any(map(_GRADIENT_OPS.fullmatch, kinds.values())):
        return ""
    activations = [op for op, kind in kinds.items() if _ACTIVATION_OPS.fullmatch(kind)]
    return " · ".join(layer_ops + activations if len(activations) == 1 else layer_ops)


MAX_NAMED_OPERATIONS = 3
"""Maximum number of operations that are named as missing from the graph."""


def format_cost(cost: float, measure: Measure) -> str:
    """Return `21µs` or `512 B`; empty for 0."""
    return time_text(cost) if measure == "time" else format_memory(cost)


def total_cost_text(costs: RunCosts | None) -> str:
    """Return `153µs in all, 95µs of it in 3 summaries set aside`, which explains why the tree adds up to less."""
    if costs is None or not costs.total("time"):
        return ""
    total = f"{time_text(costs.total('time'))} in all"
    graph, node_times = costs.hierarchy.graph, costs.list_by_item("time")[: costs.hierarchy.nodes]
    set_aside = np.flatnonzero(graph.embedded & (node_times > 0))
    if not len(set_aside):
        return total
    time = time_text(float(node_times[set_aside].sum()))
    is_constant, _ = find_constants_and_summaries([graph.ops[node] for node in set_aside.tolist()], ())
    noun = "constant" if is_constant.all() else "operation" if is_constant.any() else "summary"
    return f"{total}, {time} of it in {format_count(len(set_aside), noun)} set aside"


def format_item_cost(costs: RunCosts, item: int, measure: Measure) -> str:
    """Return the text of a cell in a column of time or memory."""
    return format_cost(costs.cost(item, measure), measure)


def format_item_costs(costs: RunCosts, item: int) -> tuple[str, ...]:
    """Return the costs of an item for the details, or that it was not run."""
    original = int(costs.hierarchy.original[item])
    count = int(costs.items.counts[original])
    if not count:
        return ("not run in this step",)
    texts = [_format_with_share(costs, item, measure) for measure in MEASURES]
    span = float(costs.items.spans[original])
    if count > 1:
        texts.append(format_count(count, "execution"))
        if span > 0:
            texts.append(f"{time_text(span)} from the first start to the last end")
    return (" · ".join(filter(None, texts)),)


def _format_with_share(costs: RunCosts, item: int, measure: Measure) -> str:
    cost, total = costs.cost(item, measure), costs.total(measure)
    text = format_cost(cost, measure) or ("time not measured" if measure == "time" else "")
    share = f" ({format_brief(100 * cost / total)} %)" if cost > 0 and total > 0 else ""
    return f"{text}{share}" if measure == "time" or not text else f"{text} allocated{share}"


def run_cost_lines(costs: RunCosts) -> tuple[str, ...]:
    """Return lines about the executions that are counted, those that are not, and those that match no node."""
    executions = costs.executions
    if not len(executions):
        names = ", ".join(device.short for device in costs.devices)
        return (f"no operation was timed on {names}" if names else "no operation was timed", *executions.notes)
    lines = [_format_counted_line(costs)]
    ignored = [device for device in costs.devices if not device.is_counted]
    if ignored:
        names = ", ".join(f"{device.short} ({device.executions:,})" for device in ignored)
        reason = "" if any(device.is_real for device in ignored) else ": streams and copies repeat the same executions"
        lines.append(f"not counted: {names}{reason}")
    if unmatched := costs.items.unmatched:
        count = sum(operation.executions for operation in unmatched)
        names = ", ".join(operation.name for operation in unmatched[:MAX_NAMED_OPERATIONS])
        more = ", …" if len(unmatched) > MAX_NAMED_OPERATIONS else ""
        lines.append(
            f"{format_count(count, 'execution')} of operations that are not nodes of this graph: {names}{more}"
        )
    return (*lines, *executions.notes)


def _format_counted_line(costs: RunCosts) -> str:
    devices = [device for device in costs.devices if device.is_counted]
    executions = sum(device.executions for device in devices)
    names = ", ".join(device.short for device in devices) or "no device"
    total = time_text(costs.total("time"))
    return f"{format_count(executions, 'execution')} on {names}" + (
        f", {total} in nodes of this graph" if total else ""
    )
