"""From box to box with arrow keys."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.graphs.diagram import Diagram
from tbtui.plugins.graphs.diagram_layout import FULL
from tbtui.plugins.graphs.layout.layout import lay_out
from tbtui.plugins.graphs.tracing import find_box_in_direction
from tests.helpers.diagrams import boxes, diagrams, diamond, links, nested, residual_network, sequential

if TYPE_CHECKING:
    from tbtui.plugins.graphs.diagram import PlacedDiagram
    from tbtui.plugins.graphs.tracing import Direction


def way(layout: PlacedDiagram, item: int, directions: list[Direction]) -> list[int | None]:
    found: list[int | None] = []
    for direction in directions:
        found.append(find_box_in_direction(layout, item, direction))
        item = item if found[-1] is None else found[-1]
    return found


def test_neighbours_along_a_chain_stop_at_its_ends() -> None:
    layout = lay_out(sequential(), FULL)
    assert way(layout, 0, ["down"] * 8) == [1, 2, 3, 4, 5, 6, 7, None]
    assert way(layout, 7, ["up"] * 8) == [6, 5, 4, 3, 2, 1, 0, None]
    assert way(layout, 3, ["left", "right"]) == [None, None]


def test_neighbours_across_follow_the_flow_right() -> None:
    layout = lay_out(sequential(), FULL, across=True)
    assert way(layout, 0, ["right", "right", "left"]) == [1, 2, 1]
    assert way(layout, 0, ["down"]) == [None]


def test_neighbours_move_between_two_branches() -> None:
    layout = lay_out(diamond(), FULL)
    assert way(layout, 1, ["right", "left", "down", "up"]) == [2, 1, 3, 1]
    assert find_box_in_direction(layout, 2, "down") == 3


def test_neighbours_prefer_a_link_to_a_nearer_box() -> None:
    diagram = Diagram(boxes("a", "b", "c", "d"), links((0, 1), (1, 2), (0, 3), (3, 2)))
    far = Diagram(diagram.boxes, (*diagram.links[:3], links((2, 3))[0]))
    layout = lay_out(far, FULL)
    assert find_box_in_direction(layout, 2, "down") == 3
    assert find_box_in_direction(layout, 3, "up") == 2


def test_neighbours_enter_and_leave_an_open_box() -> None:
    layout = lay_out(residual_network(), FULL)
    assert way(layout, 1, ["down"] * 9) == [2, 100, 101, 102, 103, 104, 105, 106, 3]
    assert way(layout, 3, ["up"] * 8) == [106, 105, 104, 103, 102, 101, 100, 2]


def test_neighbours_reach_set_aside_boxes() -> None:
    layout = lay_out(nested(), FULL)
    assert find_box_in_direction(layout, 0, "right") == 30
    assert find_box_in_direction(layout, 30, "down") == 31


def test_neighbours_of_a_missing_item_are_none() -> None:
    assert find_box_in_direction(lay_out(sequential(), FULL), 99, "down") is None
    assert find_box_in_direction(lay_out(Diagram((), ()), FULL), 0, "down") is None


DIRECTIONS: list[tuple[Direction, int, int]] = [("down", 1, 1), ("up", 1, -1), ("right", 0, 1), ("left", 0, -1)]


@given(diagram=diagrams(), across=st.booleans())
def test_neighbours_are_other_boxes_in_that_direction(diagram: Diagram, across: bool) -> None:
    layout = lay_out(diagram, FULL, across=across)
    for place, (direction, axis, sign) in product(layout.boxes, DIRECTIONS):
        item = find_box_in_direction(layout, place.item, direction)
        if item is not None:
            neighbour = layout.find_box(item)
            assert neighbour is not None
            assert ((neighbour.left, neighbour.top)[axis] - (place.left, place.top)[axis]) * sign > 0
