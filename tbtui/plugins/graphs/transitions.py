"""Transitions of the settings of the Graphs tab: each function returns the settings after a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.graphs.settings import COLOUR, DESCENDING, GRAPH_COLOURS, NAVIGATION, SORT
from tbtui.settings.settings import next_in_cycle

if TYPE_CHECKING:
    from collections.abc import Collection

    from tbtui.plugins.graphs.settings import GraphColour, GraphNavigation
    from tbtui.settings.settings import Settings

DESCENDING_FIRST = frozenset({"shape", "params", "time", "memory"})
"""Columns of the table of operations that are sorted in descending order first."""


def sort_by(column: str, settings: Settings) -> Settings:
    """Sort the table by a column, then in the other direction, then not at all."""
    is_first_descending = column in DESCENDING_FIRST
    if SORT.value(settings) != column:
        return DESCENDING.with_value(SORT.with_value(settings, column), is_first_descending)
    if DESCENDING.value(settings) == is_first_descending:
        return DESCENDING.with_value(settings, not is_first_descending)
    return DESCENDING.with_value(SORT.with_value(settings, ""), False)


def cycle_colour(available: Collection[GraphColour], settings: Settings) -> Settings:
    """Colour boxes by the next property that this graph has."""
    colour = next_in_cycle(GRAPH_COLOURS, COLOUR.value(settings))
    while colour not in available and colour != COLOUR.value(settings):
        colour = next_in_cycle(GRAPH_COLOURS, colour)
    return COLOUR.with_value(settings, colour)


def cycle_measure(settings: Settings) -> Settings:
    """Colour executions by memory instead of time, or by time instead of memory."""
    return COLOUR.with_value(settings, "time" if COLOUR.value(settings) == "memory" else "memory")


def save_navigation(tag: str, saved: GraphNavigation, settings: Settings) -> Settings:
    """Save the navigation for the graphs of a tag."""
    return NAVIGATION.with_value(settings, {**NAVIGATION.value(settings), tag: saved})
