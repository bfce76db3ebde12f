"""What keys of the Graphs tab change, each a function of the choices as they are when it is applied."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.plugins.graphs.operations import FALLS_FIRST
from tbtui.viewstate.graph_looks import GRAPH_COLOURS
from tbtui.viewstate.options import following

if TYPE_CHECKING:
    from collections.abc import Collection

    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.graph_looks import GraphColour, GraphLook


def sorted_by(column: str, choices: Choices) -> Choices:
    """Sort the table by a column, then the other way round, then no more."""
    first = column in FALLS_FIRST
    if choices.graph_sort != column:
        return replace(choices, graph_sort=column, graph_descending=first)
    if choices.graph_descending == first:
        return replace(choices, graph_descending=not first)
    return replace(choices, graph_sort="", graph_descending=False)


def next_colour(telling: Collection[GraphColour], choices: Choices) -> Choices:
    """Colour boxes by something else that says anything of them."""
    colour = following(GRAPH_COLOURS, choices.graph_colour)
    while colour not in telling and colour != choices.graph_colour:
        colour = following(GRAPH_COLOURS, colour)
    return replace(choices, graph_colour=colour)


def next_measure(choices: Choices) -> Choices:
    """Colour executions by what else they cost."""
    return replace(choices, graph_colour="time" if choices.graph_colour == "memory" else "memory")


def aside_switched(choices: Choices) -> Choices:
    """Set nodes aside that nearly everything is joined to, or draw them too."""
    return replace(choices, graph_aside=not choices.graph_aside)


def across_switched(choices: Choices) -> Choices:
    """Have the diagram lead from left to right, or down."""
    return replace(choices, graph_across=not choices.graph_across)


def looked_at(tag: str, look: GraphLook, choices: Choices) -> Choices:
    """Keep what is looked at of the graphs of a tag."""
    return replace(choices, graph_looks={**choices.graph_looks, tag: look})
