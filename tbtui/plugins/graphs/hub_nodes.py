"""Hub nodes, which are set aside so that the rest of a diagram is readable.

The rules are TensorBoard's (`tf_graph_common/render.ts`), with one difference: TensorBoard extracts boxes with many
links anywhere. Here only boxes at which the flow begins or ends are extracted, such as a step counter or the node
that saves all variables. A concatenation, or a model with many weights, is what the diagram has to show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

    Flags: TypeAlias = npt.NDArray[np.bool_]
    Boxes: TypeAlias = npt.NDArray[np.integer[Any]]
    Indices: TypeAlias = npt.NDArray[np.intp]
    Ints: TypeAlias = npt.NDArray[np.int32]
    Places: TypeAlias = npt.NDArray[np.integer[Any]]


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
    """bool[links]: True for links that are not drawn: of such boxes, and of boxes with too many control links."""


def select_hub_nodes(
    source: Boxes, target: Boxes, control: Flags, idle: Flags, from_outside: Flags, to_outside: Flags
) -> HubSelection:
    """Select boxes that are set aside: idle boxes, and boxes that nearly everything leads to or comes from.

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
        left = ~boxes[source] & ~boxes[target]
        into = _degrees(target[left], control[left], count)
        out_of = _degrees(source[left], control[left], count)
        flows = left & ~control
        begins, ends = ~from_outside, ~to_outside
        begins[target[flows]] = ends[source[flows]] = False
        is_kept = ~boxes
        boxes |= is_kept & ends & (into > _outlier_limit(into[is_kept], 1))
        boxes |= is_kept & begins & (out_of > _outlier_limit(out_of[is_kept], 4))
    gone = boxes[source] | boxes[target]

    waits = control & ~gone
    degree = np.bincount(source[waits], minlength=count) + np.bincount(target[waits], minlength=count)
    gone |= waits & ((degree[source] > MAX_CONTROL_LINKS) | (degree[target] > MAX_CONTROL_LINKS))

    drawn = from_outside | to_outside
    drawn[source[~gone]] = drawn[target[~gone]] = True
    leads, is_led_to = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    leads[source[gone]] = is_led_to[target[gone]] = True
    boxes |= ~drawn & (leads != is_led_to)
    return HubSelection(boxes, gone)


def _degrees(ends: Boxes, control: Flags, count: int) -> npt.NDArray[np.int64]:
    """Return the number of links of each box; control links count only for boxes without others."""
    flowing = np.bincount(ends[~control], minlength=count)
    waiting = np.bincount(ends[control], minlength=count)
    return np.where(flowing > 0, flowing, waiting)


def _outlier_limit(degrees: npt.NDArray[np.int64], factor: int) -> float:
    """Return the number of links far above the upper quartile."""
    ordered = np.sort(degrees)
    lower, upper = (ordered[min(int(len(ordered) * part + 0.5), len(ordered) - 1)] for part in (0.25, 0.75))
    return float(max(upper + factor * (upper - lower), MAX_USUAL_LINKS))
