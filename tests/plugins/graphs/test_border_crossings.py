"""What goes on beyond the border of an opened box."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tbtui.plugins.graphs.diagram_layout import NAMES
from tbtui.plugins.graphs.layout.layout import lay_out
from tbtui.plugins.graphs.scope_diagram import CONTROL_OUTPUT, build_diagram
from tests.helpers.graphs import Node
from tests.helpers.hierarchy_text import hierarchy_of, item

if TYPE_CHECKING:
    from tbtui.plugins.graphs.diagram import PlacedDiagram
    from tbtui.plugins.graphs.hierarchy import Hierarchy

SHAPE = ((4, 10),)


@pytest.fixture
def network() -> Hierarchy:
    """Two layers of which the optimiser reads the weights too; one waits for another."""
    return hierarchy_of(
        Node("x", shapes=SHAPE),
        Node("layer1/weights", shapes=SHAPE),
        Node("layer1/MatMul", inputs=("x", "layer1/weights"), shapes=SHAPE),
        Node("layer1/Relu", inputs=("layer1/MatMul",), shapes=SHAPE),
        Node("layer2/weights", shapes=SHAPE),
        Node("layer2/MatMul", inputs=("layer1/Relu", "layer2/weights"), shapes=SHAPE),
        Node("train/gradient", inputs=("layer2/MatMul", "layer1/Relu"), shapes=SHAPE),
        Node("train/apply", inputs=("layer1/weights", "train/gradient", "^layer1/MatMul"), shapes=SHAPE),
    )


def laid(of: Hierarchy, *opened: str) -> PlacedDiagram:
    return lay_out(build_diagram(of, of.root, frozenset(item(of, name) for name in opened), hubs_aside=False), NAMES)


def told(of: Hierarchy, layout: PlacedDiagram, routes: set[int]) -> set[str]:
    def name(place: int) -> str:
        return of.name(layout.boxes[place].item)

    return {f"{name(layout.routes[route].source)} -> {name(layout.routes[route].target)}" for route in routes}


def followed(of: Hierarchy, layout: PlacedDiagram, name: str) -> set[str]:
    own = {index for index, ends in enumerate(layout.ends.tolist()) if item(of, name) in ends}
    return told(of, layout, layout.crossings.with_continuations(own))


def test_border_crossing_continues_outside_and_into_another_box(network: Hierarchy) -> None:
    layout = laid(network, "layer1", "train")
    assert followed(network, layout, "layer1/weights") == {
        "layer1/weights -> layer1/MatMul",
        "layer1/weights -> layer1",
        "layer1 -> train",
        "train -> train/apply",
    }
    assert followed(network, layout, "train/gradient") == {
        "train -> train/gradient",
        "train/gradient -> train/apply",
        "layer2 -> train",
        "layer1 -> train",
        "layer1/Relu -> layer1",
    }


def test_border_crossing_control_edge_continues(network: Hierarchy) -> None:
    (link,) = (
        link
        for box in build_diagram(network, network.root, frozenset({item(network, "layer1")}), hubs_aside=False).boxes
        if box.content is not None
        for link in box.content.links
        if link.is_control
    )
    assert link.tensors == ((network.node(item(network, "layer1/MatMul")), CONTROL_OUTPUT),)
    assert "layer1 -> train" in followed(network, laid(network, "layer1"), "layer1/MatMul")


@pytest.mark.parametrize("across", [False, True])
def test_border_lines_join_only_if_they_carry_the_same_tensor(network: Hierarchy, across: bool) -> None:
    opened = frozenset(item(network, name) for name in ("layer1", "layer2", "train"))
    layout = lay_out(build_diagram(network, network.root, opened, hubs_aside=False), NAMES, across=across)
    met = 0
    for route in layout.routes:
        for other in layout.routes:
            if route.points[-1] == other.points[0] and layout.boxes[route.target].is_open:
                met += 1
                assert set(route.tensors) & set(other.tensors)
    assert met >= 4


def test_border_crossing_between_marked_boxes_draws_only_links_to_outside(network: Hierarchy) -> None:
    layout = laid(network, "layer1")
    marked = {item(network, name) for name in ("layer1", "layer1/weights", "layer1/Relu", "layer2")}
    between = [index for index, ends in enumerate(layout.ends.tolist()) if set(ends) <= marked]
    assert told(network, layout, set(between)) == {
        "layer1/weights -> layer1",
        "layer1/Relu -> layer1",
        "layer1 -> layer2",
    }
    assert told(network, layout, layout.crossings.drop_dead_ends(between)) == {
        "layer1/Relu -> layer1",
        "layer1 -> layer2",
    }
