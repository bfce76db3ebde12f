"""Hub nodes, which are set aside so that the rest of a diagram is readable.

The rules are TensorBoard's (`tf_graph_common/render.ts`), with one difference: TensorBoard extracts boxes with many
links anywhere. Here only boxes at which the flow begins or ends are extracted, such as a step counter or the node
that saves all variables: a concatenation, or a model with many weights, belongs into the diagram.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

    Flags: TypeAlias = npt.NDArray[np.bool_]
    Boxes: TypeAlias = npt.NDArray[np.integer[Any]]


MIN_BOXES = 15
"""Diagrams with fewer boxes keep their hubs."""


MAX_USUAL_LINKS = 4
"""A box with at most this many links is never a hub."""


MAX_CONTROL_LINKS = 4
"""A box with more control links than this loses them."""


@frozen(eq=False)
class HubSelection:
    """Boxes and links that are not drawn in the flow."""

    boxes: Flags
    """bool[boxes]: True for boxes that are set aside."""

    links: Flags
    """bool[links]: True for links that are not drawn: those of such boxes, and of boxes with many control links."""


def select_hub_nodes(
    source: Boxes, target: Boxes, control: Flags, idle: Flags, from_outside: Flags, to_outside: Flags
) -> HubSelection:
    """Select boxes that are set aside: idle boxes, and boxes linked to nearly all others.

    Args:
        source: Source box of each link; each pair of boxes occurs once.
        target: Target box of each link.
        control: True for links without data.
        idle: bool[boxes]: True if a box computes nothing, such as `NoOp`.
        from_outside: bool[boxes]: True if data flows to the box from outside the diagram.
        to_outside: bool[boxes]: True if data flows from the box to outside the diagram.
    """
    count = len(idle)
    boxes = idle.copy()
    if count - int(boxes.sum()) >= MIN_BOXES:
        # Quartiles of the remaining boxes, without links to boxes that are set aside already.
        remaining_links = ~boxes[source] & ~boxes[target]
        in_degrees = _count_links(target[remaining_links], control[remaining_links], count)
        out_degrees = _count_links(source[remaining_links], control[remaining_links], count)
        flows = remaining_links & ~control
        is_start, is_end = ~from_outside, ~to_outside
        is_start[target[flows]] = is_end[source[flows]] = False
        remaining = ~boxes
        boxes |= remaining & is_end & (in_degrees > _find_outlier_limit(in_degrees[remaining], 1))
        boxes |= remaining & is_start & (out_degrees > _find_outlier_limit(out_degrees[remaining], 4))
    removed = boxes[source] | boxes[target]

    control_links = control & ~removed
    degree = np.bincount(source[control_links], minlength=count) + np.bincount(target[control_links], minlength=count)
    removed |= control_links & ((degree[source] > MAX_CONTROL_LINKS) | (degree[target] > MAX_CONTROL_LINKS))

    has_links = from_outside | to_outside
    has_links[source[~removed]] = has_links[target[~removed]] = True
    lost_outputs, lost_inputs = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    lost_outputs[source[removed]] = lost_inputs[target[removed]] = True
    boxes |= ~has_links & (lost_outputs != lost_inputs)
    return HubSelection(boxes, removed)


def _count_links(ends: Boxes, control: Flags, count: int) -> npt.NDArray[np.int64]:
    """Return the number of links of each box; control links count only for boxes without others."""
    data_links = np.bincount(ends[~control], minlength=count)
    control_links = np.bincount(ends[control], minlength=count)
    return np.where(data_links > 0, data_links, control_links)


def _find_outlier_limit(degrees: npt.NDArray[np.int64], factor: int) -> float:
    """Return the number of links far above the upper quartile."""
    ordered = np.sort(degrees)
    lower, upper = (ordered[min(int(len(ordered) * share + 0.5), len(ordered) - 1)] for share in (0.25, 0.75))
    return float(max(upper + factor * (upper - lower), MAX_USUAL_LINKS))
