"""What is set aside so that the rest of a diagram can be read.

The rules are TensorBoard's (`tf_graph_common/render.ts`), but that it takes boxes with many links away wherever they
are. Here only those go at which the flow begins or ends, such as a step counter or what saves all variables: what is
in between, a concatenation or a whole model with its many weights, is what the diagram is there to show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    import numpy.typing as npt

    Flags: TypeAlias = npt.NDArray[np.bool_]
    Boxes: TypeAlias = npt.NDArray[np.integer[Any]]

FEWEST_BOXES = 15
"""Of fewer none is set aside for its many links."""

FEWEST_LINKS = 4
"""Up to this many are never too many, whatever the others have."""

MOST_CONTROL = 4
"""Links of one box that are only waited for; with more it loses them."""


@frozen(eq=False)
class Aside:
    """What is left of a diagram."""

    boxes: Flags
    """Which boxes are set aside."""

    links: Flags
    """Which links are not drawn: those of such boxes, and those of boxes that wait for too many."""


def set_aside(
    source: Boxes, target: Boxes, control: Flags, idle: Flags, from_outside: Flags, to_outside: Flags
) -> Aside:
    """Choose what is set aside: what does nothing, then what nearly everything leads to or comes from.

    Args:
        source: Box that each link comes from; links between two boxes only, each pair once.
        target: Box that it leads to.
        control: Whether nothing flows along it.
        idle: For each box whether it computes nothing, such as `NoOp`.
        from_outside: For each box whether something flows to it from outside of the diagram.
        to_outside: For each box whether something flows from it to outside of the diagram.
    """
    count = len(idle)
    boxes = idle.copy()
    if count - int(boxes.sum()) >= FEWEST_BOXES:
        # Quartiles are those of what is left; links to what is set aside already do not count.
        left = ~boxes[source] & ~boxes[target]
        into = _degrees(target[left], control[left], count)
        out_of = _degrees(source[left], control[left], count)
        flows = left & ~control
        begins, ends = ~from_outside, ~to_outside
        begins[target[flows]] = ends[source[flows]] = False
        kept = ~boxes
        boxes |= kept & ends & (into > _limit(into[kept], 1))
        boxes |= kept & begins & (out_of > _limit(out_of[kept], 4))
    gone = boxes[source] | boxes[target]

    waits = control & ~gone
    degree = np.bincount(source[waits], minlength=count) + np.bincount(target[waits], minlength=count)
    gone |= waits & ((degree[source] > MOST_CONTROL) | (degree[target] > MOST_CONTROL))

    drawn = from_outside | to_outside
    drawn[source[~gone]] = drawn[target[~gone]] = True
    leads, is_led_to = np.zeros(count, np.bool_), np.zeros(count, np.bool_)
    leads[source[gone]] = is_led_to[target[gone]] = True
    boxes |= ~drawn & (leads != is_led_to)
    return Aside(boxes, gone)


def _degrees(ends: Boxes, control: Flags, count: int) -> npt.NDArray[np.int64]:
    """How many links each box has; those that are only waited for count where it has no others."""
    flowing = np.bincount(ends[~control], minlength=count)
    waiting = np.bincount(ends[control], minlength=count)
    return np.where(flowing > 0, flowing, waiting)


def _limit(degrees: npt.NDArray[np.int64], factor: int) -> float:
    """What is far above the upper quartile."""
    ordered = np.sort(degrees)
    lower, upper = (ordered[min(int(len(ordered) * part + 0.5), len(ordered) - 1)] for part in (0.25, 0.75))
    return float(max(upper + factor * (upper - lower), FEWEST_LINKS))
