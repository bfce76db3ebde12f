"""Which boxes are set aside for their many links: TensorBoard's quartiles, on counts worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tbtui.plugins.graphs.scope_diagram import HubSelection, select_hub_nodes


def chosen(
    count: int, links: list[tuple[int, int]], control: tuple[int, ...] = (), idle: tuple[int, ...] = ()
) -> HubSelection:
    """Of `count` boxes, with these links, some of which (by index) are waited for; some boxes do nothing."""
    ends = np.array(links, np.intp).reshape(-1, 2)
    waits, nothing = np.zeros(len(links), np.bool_), np.zeros(count, np.bool_)
    waits[list(control)] = True
    nothing[list(idle)] = True
    outside = np.zeros(count, np.bool_)
    return select_hub_nodes(ends[:, 0], ends[:, 1], waits, nothing, outside, outside)


def fan(targets: int, into: int) -> list[tuple[int, int]]:
    """`into` links to each of the first `targets` boxes, from boxes 10 and on."""
    return [(10 + source, target) for target in range(targets) for source in range(into)]


def test_hubs_of_an_empty_diagram_are_none() -> None:
    assert chosen(0, []).boxes.tolist() == []


@pytest.mark.parametrize(("into", "aside"), [(4, False), (5, True)])
def test_hubs_above_four_links_when_most_boxes_have_none(into: int, aside: bool) -> None:
    """20 boxes: the quartiles of what leads to each are 0 and 0, so more than max(0 + 0, 4) is too much."""
    assert chosen(20, fan(1, into)).boxes[0] == aside


@pytest.mark.parametrize(("into", "aside"), [(6, False), (7, True)])
def test_hubs_exceed_the_upper_quartile(into: int, aside: bool) -> None:
    """20 boxes, of which 0 has `into` links and six have 3: sorted, the 5th is 0 and the 15th 3; 3 + 3 = 6."""
    links = [*fan(1, into), *((10 + source, target) for target in range(1, 7) for source in range(3))]
    assert chosen(20, links).boxes[0] == aside


@pytest.mark.parametrize(("out_of", "aside"), [(5, False), (6, True)])
def test_hubs_limit_rises_with_the_quartiles(out_of: int, aside: bool) -> None:
    """20 boxes, six of which lead to 1: quartiles 0 and 1, so more than max(1 + 4 x 1, 4) = 5 is too much."""
    links = [(0, 10 + target) for target in range(out_of)] + [(source, 9 + source) for source in range(1, 7)]
    assert chosen(20, links).boxes[0] == aside


def test_hubs_need_fifteen_boxes() -> None:
    """And what does nothing is not among them."""
    assert not chosen(14, [(source, 0) for source in range(1, 14)]).boxes[0]
    assert chosen(15, [(source, 0) for source in range(1, 15)]).boxes[0]
    assert not chosen(15, [(source, 0) for source in range(1, 14)], idle=(14,)).boxes[0]


def test_hubs_count_control_edges_without_data_edges() -> None:
    links = [(source, 0) for source in range(1, 7)]
    assert chosen(20, links, control=tuple(range(6))).boxes[0]
    flows_too = chosen(20, [*links, (7, 0), (8, 7)], control=tuple(range(6)))
    assert not flows_too.boxes[0], "one link flows: it counts, and the six that wait do not"
    assert flows_too.links.tolist() == [True] * 6 + [False] * 2, "but these are too many to be drawn"


def test_hubs_no_op_is_removed_with_its_links() -> None:
    aside = chosen(3, [(0, 1), (1, 2)], control=(1,), idle=(2,))
    assert aside.boxes.tolist() == [False, False, True]
    assert aside.links.tolist() == [False, True]


def test_hubs_isolated_boxes_are_removed_unless_between() -> None:
    assert chosen(2, [(0, 1)], idle=(1,)).boxes.tolist() == [True, True], "it only leads to what is gone"
    between = chosen(3, [(0, 1), (1, 2)], idle=(0, 2))
    assert between.boxes.tolist() == [True, False, True]


def test_hubs_boxes_between_others_stay() -> None:
    """A concatenation of six, or a model that reads six weights: what reads it would hang in the air."""
    assert not chosen(20, [*fan(1, 6), (0, 1)]).boxes[0]
    assert not chosen(20, [(1, 0), *((0, 10 + target) for target in range(6))]).boxes[0]


def test_hubs_control_readers_are_no_flow() -> None:
    assert chosen(20, [*fan(1, 6), (0, 1)], control=(6,)).boxes[0]
