"""A diagram before it has places: boxes, some of which hold diagrams themselves, and what leads from one to another."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from tbtui.frozen import frozen

INLET, OUTLET = -1, -2
"""In place of a box in a link: the upper and the lower border of the box that the diagram is inside of."""


Tensor: TypeAlias = tuple[int, int]
"""A node and which of its outputs; `links.WAITED` for what only waits for it."""


class Link(NamedTuple):
    """An arrow from one box to another of the same diagram; from a box to itself there is none."""

    source: int
    """Index of a box, or `INLET`."""

    target: int
    """Index of a box, or `OUTLET`."""

    label: str = ""
    """Such as `32×10` or `3 tensors`; left out where there is no room."""

    control: bool = False
    """Only waited for: nothing flows."""

    weight: float = 1.0
    """At least 1: how much flows, by which lines may be drawn heavier."""

    carries: tuple[Tensor, ...] = ()
    """Of a link from or to the border of an opened box, inside or outside: by what the link on the other side of the
    border is known that goes on with it. Empty where that is not told: then it may be any."""


@frozen
class Box:
    """One box."""

    item: int
    """What it stands for: an item of the hierarchy."""

    lines: tuple[str, ...]
    """Its text: the name first. Not made safe for a terminal yet."""

    kind: str = "op"
    """`op`, `scope` (can be opened), `series` (likewise), `function`, `input`, `output`, `layer`."""

    inside: Diagram | None = None
    """What is drawn in it, of an opened scope; its first line becomes the title of the frame."""

    aside: tuple[str, ...] = ()
    """Names of what was set aside and belongs to it, such as an initialiser; drawn small, or counted."""


@frozen
class Diagram:
    """Boxes in the order as written, and links between them."""

    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    aside: tuple[Box, ...] = ()
    """Boxes set aside from the flow, such as those that everything leads to; drawn beside or below it."""
