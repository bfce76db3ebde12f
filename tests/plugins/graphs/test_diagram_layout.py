"""Where boxes lie and links run, whatever the diagram."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.graphs.diagram import INLET, OUTLET, OUTSIDE, Box, Diagram, Link
from tbtui.plugins.graphs.diagram_layout import FULL, NAMES, ZOOMS
from tbtui.plugins.graphs.layout.layout import lay_out
from tests.helpers.diagrams import (
    all_items,
    boxes,
    chain,
    cycle,
    diagrams,
    diamond,
    drawn_links,
    fan,
    links,
    nested,
    residual_network,
    sequential,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.plugins.graphs.diagram import PlacedBox, PlacedDiagram, Point, Route

laid_out = st.builds(
    lambda diagram, zoom, across, breadth: (diagram, lay_out(diagram, zoom, across=across, breadth=breadth)),
    diagrams(),
    st.sampled_from(ZOOMS),
    st.booleans(),
    st.sampled_from([1, 30, 160]),
)


def holders(layout: PlacedDiagram, index: int) -> set[int]:
    """Places that a place lies in."""
    found = set()
    while (index := layout.boxes[index].parent) != OUTSIDE:
        found.add(index)
    return found


def apart(one: PlacedBox, other: PlacedBox) -> bool:
    across = one.right < other.left or other.right < one.left
    return across or one.bottom < other.top or other.bottom < one.top


def cells_of(route: Route) -> Iterator[tuple[Point, bool]]:
    """Cells of a route, and whether it runs up and down there."""
    for (x, y), (u, v) in pairwise(route.points):
        for across in range(min(x, u), max(x, u) + 1):
            for along in range(min(y, v), max(y, v) + 1):
                yield (across, along), x == u


def on_border(place: PlacedBox, point: Point) -> bool:
    x, y = point
    within = place.left <= x <= place.right and place.top <= y <= place.bottom
    return within and (x in (place.left, place.right) or y in (place.top, place.bottom))


@given(laid_out)
def test_layout_boxes_are_inside_and_do_not_overlap(made: tuple[Diagram, PlacedDiagram]) -> None:
    diagram, layout = made
    assert sorted(place.item for place in layout.boxes) == sorted(all_items([diagram]))
    for index, place in enumerate(layout.boxes):
        assert place.left >= 0
        assert place.top >= 0
        assert place.right < layout.width
        assert place.bottom < layout.height
        around = holders(layout, index)
        for before in range(index):
            other = layout.boxes[before]
            if before in around:
                assert other.left < place.left <= place.right < other.right
                assert other.top < place.top <= place.bottom < other.bottom
            else:
                assert apart(place, other)


@given(laid_out)
def test_layout_every_link_has_a_route_between_borders(made: tuple[Diagram, PlacedDiagram]) -> None:
    diagram, layout = made
    assert not layout.notes
    assert len(layout.routes) == drawn_links(diagram)
    for route in layout.routes:
        for end, point in ((route.source, route.points[0]), (route.target, route.points[-1])):
            assert end == OUTSIDE or on_border(layout.boxes[end], point)
        for (x, y), (u, v) in pairwise(route.points):
            assert (x == u) != (y == v)
        for x, y in route.points:
            assert 0 <= x < layout.width
            assert 0 <= y < layout.height


@given(laid_out)
def test_layout_routes_cross_no_box(made: tuple[Diagram, PlacedDiagram]) -> None:
    _, layout = made
    for route in layout.routes:
        between = {cell for cell, _ in cells_of(route)} - {route.points[0], route.points[-1]}
        for place in layout.boxes:
            for x, y in between:
                if place.left <= x <= place.right and place.top <= y <= place.bottom:
                    assert place.is_open
                    assert not on_border(place, (x, y))


@given(laid_out)
def test_layout_lines_of_different_outputs_cross_but_never_overlap(made: tuple[Diagram, PlacedDiagram]) -> None:
    _, layout = made
    nets: dict[tuple[Point, bool], int] = {}
    for route in layout.routes:
        for cell, upright in cells_of(route):
            if cell not in (route.points[0], route.points[-1]):
                assert nets.setdefault((cell, upright), route.net) == route.net


@given(laid_out)
def test_layout_labels_are_inside_and_over_no_box(made: tuple[Diagram, PlacedDiagram]) -> None:
    _, layout = made
    for route in layout.routes:
        if route.label_cell is not None:
            x, y = route.label_cell
            end = x + FULL.label(route.label).width - 1
            assert x >= 0
            assert end < layout.width
            for index, place in enumerate(layout.boxes):
                if place.top <= y <= place.bottom and place.left <= end and x <= place.right:
                    assert place.is_open
                    assert index in {route.source, route.target} | holders(layout, route.source)


@given(diagrams(), st.sampled_from(ZOOMS), st.booleans())
def test_layout_is_deterministic(diagram: Diagram, zoom: object, across: bool) -> None:
    one, other = (lay_out(diagram, FULL, across=across) for _ in range(2))
    assert (one.boxes, one.routes) == (other.boxes, other.routes)


def by_name(layout: PlacedDiagram) -> dict[str, PlacedBox]:
    return {place.lines[0].strip("▸▾ƒ "): place for place in layout.boxes}


def test_layout_chain_is_a_straight_column() -> None:
    layout = lay_out(sequential(), FULL)
    assert all(len(route.points) == 2 for route in layout.routes)
    tops = [place.top for place in layout.boxes]
    assert tops == sorted(tops)
    assert len(set(tops)) == 8


def test_layout_across_chain_is_a_straight_row() -> None:
    layout = lay_out(sequential(), FULL, across=True)
    assert len({place.top for place in layout.boxes}) == 1
    assert all(one.right < other.left for one, other in pairwise(layout.boxes))
    assert all(route.points[0][1] == route.points[1][1] for route in layout.routes)


def test_layout_skip_connection_leaves_the_main_line_straight() -> None:
    layout = lay_out(residual_network(), FULL)
    places = by_name(layout)
    chain = [places[name] for name in ("input", "stem", "conv1", "bn1", "relu1", "conv2", "bn2", "add", "relu2", "fc")]
    assert len({place.left + place.width // 2 for place in chain}) == 1
    index = layout.index_of
    skip = next(route for route in layout.routes if (route.source, route.target) == (index[2], index[105]))
    assert max(x for x, _ in skip.points) > max(places[name].right for name in ("conv1", "bn1", "conv2", "bn2"))
    first = next(route for route in layout.routes if (route.source, route.target) == (index[2], index[100]))
    assert (skip.net, skip.points[0]) == (first.net, first.points[0])


def test_layout_box_is_centred_between_two_equal_boxes() -> None:
    places = by_name(lay_out(diamond(), FULL))
    middle = (places["left"].left + places["right"].right) / 2
    assert abs(places["split"].left + places["split"].width // 2 - middle) <= 1
    assert abs(places["concat"].left + places["concat"].width // 2 - middle) <= 1
    assert places["left"].top == places["right"].top


def test_layout_back_link_runs_up_and_ends_below_its_box() -> None:
    layout = lay_out(cycle(), FULL)
    places = by_name(layout)
    back = next(route for route in layout.routes if layout.boxes[route.source].lines == ("NextIteration",))
    assert back.points[0][1] == places["NextIteration"].top
    assert back.points[-1][1] == places["Merge"].bottom


def test_layout_fan_wraps_into_rows_of_the_given_width() -> None:
    broad, narrow = lay_out(fan(40), FULL, breadth=1000), lay_out(fan(40), FULL, breadth=100)
    assert len({place.top for place in broad.boxes}) == 3
    assert len({place.top for place in narrow.boxes}) == 9
    assert narrow.width <= 104
    assert len({route.net for route in narrow.routes}) == 2


def test_layout_isolated_boxes_form_columns_of_equal_width() -> None:
    layout = lay_out(Diagram(boxes(*(f"op_{'x' * (index % 5)}" for index in range(30))), ()), FULL, breadth=80)
    assert layout.width <= 80
    assert len({(place.left, place.width) for place in layout.boxes}) == len({place.left for place in layout.boxes})


def test_layout_constant_is_directly_above_its_consumer() -> None:
    diagram = Diagram(boxes("x", "a", "b", "c", "constant"), links((0, 1), (1, 2), (2, 3), (4, 3)))
    places = by_name(lay_out(diagram, FULL))
    assert places["constant"].top == places["b"].top


def test_layout_set_aside_boxes_are_beside_the_flow_or_below_it() -> None:
    layout = lay_out(nested(), FULL)
    aside = [place for place in layout.boxes if place.is_aside]
    assert [place.item for place in aside] == [30, 31]
    assert all(place.left > max(other.right for other in layout.boxes if not other.is_aside) for place in aside)
    below = [place for place in lay_out(nested(), FULL, breadth=30).boxes if place.is_aside]
    assert all(place.top > max(other.bottom for other in layout.boxes if not other.is_aside) for place in below)


def test_layout_entry_continues_where_the_outer_arrow_ends() -> None:
    layout = lay_out(nested(), FULL)
    outer = layout.index_of[1]
    coming = {route.points[-1] for route in layout.routes if route.target == outer and not route.is_outlet}
    going_on = {
        route.points[0]
        for route in layout.routes
        if route.source == outer and route.points[0][1] != layout.boxes[outer].bottom
    }
    assert coming <= going_on


def test_layout_border_to_border_link_needs_no_box() -> None:
    inside = Diagram((), (Link(INLET, OUTLET),))
    layout = lay_out(Diagram((Box(0, ("a",)), Box(1, ("b",), "scope", inside)), links((0, 1))), FULL)
    through = next(route for route in layout.routes if route.is_outlet)
    frame = layout.boxes[1]
    assert [y for _, y in through.points] == [frame.top, frame.bottom]


@pytest.mark.parametrize("across", [False, True])
def test_layout_empty_diagram_has_size_zero(across: bool) -> None:
    layout = lay_out(Diagram((), ()), FULL, across=across)
    assert (layout.width, layout.height, layout.boxes, layout.routes) == (0, 0, (), ())
    assert layout.find_item_at(0, 0) is None
    assert layout.find_box(0) is None


def test_layout_box_at_a_point_is_the_innermost() -> None:
    layout = lay_out(nested(), FULL)
    for item in (0, 1, 10, 20):
        place = layout.find_box(item)
        assert place is not None
        assert layout.find_item_at(place.left, place.top) == item
    assert layout.find_item_at(-1, 0) is None


def test_layout_many_long_links_are_counted_instead_of_drawn() -> None:
    count = 600
    far = [(index, count - 1 - other) for index in range(60) for other in range(60)]
    diagram = Diagram(chain(*map(str, range(count))).boxes, links(*pairwise(range(count)), *far, label="x"))
    diagram = Diagram(diagram.boxes, tuple(link._replace(label=str(index)) for index, link in enumerate(diagram.links)))
    layout = lay_out(diagram, NAMES)
    missing = len(diagram.links) - len(layout.routes)
    assert missing > 3000
    assert layout.notes == (f"{missing:,} long links are not drawn",)
