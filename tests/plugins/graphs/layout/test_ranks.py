"""Ranks of boxes: below what leads to them, as many side by side as there is room for."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tbtui.plugins.graphs.layout.ranks import assign_ranks, measure_longest_paths, select_acyclic_edges

pairs = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)).filter(lambda pair: pair[0] != pair[1]), max_size=40)


@given(pairs, st.integers(1, 60))
def test_ranks_every_box_is_below_its_inputs(links: list[tuple[int, int]], room: int) -> None:
    down = [pair if kept else pair[::-1] for pair, kept in zip(links, select_acyclic_edges(12, links), strict=True)]
    ranks = assign_ranks([10] * 12, down, room)
    assert all(ranks[one] < ranks[other] for one, other in down)
    assert sorted(set(ranks)) == list(range(max(ranks) + 1))
    assert max(Counter(ranks).values()) <= max(room // 10, 1)


@given(pairs)
def test_ranks_acyclic_graph_keeps_all_directions(links: list[tuple[int, int]]) -> None:
    onward = [(min(pair), max(pair)) for pair in links]
    assert all(select_acyclic_edges(12, onward))


def test_ranks_cycle_is_cut_at_its_closing_link() -> None:
    assert select_acyclic_edges(4, [(0, 1), (1, 2), (2, 3), (3, 1)]) == [True, True, True, False]


def test_ranks_very_long_chain_does_not_overflow_the_stack() -> None:
    links = list(pairwise(range(5000)))
    assert all(select_acyclic_edges(5000, links))
    assert measure_longest_paths(5000, links)[0] == list(range(5000))


def test_ranks_source_nodes_are_placed_next_to_their_consumer() -> None:
    links = [(0, 1), (1, 2), (2, 3), (4, 5), (5, 3)]
    assert assign_ranks([1] * 6, links, 100) == [0, 1, 2, 3, 1, 2]
    assert assign_ranks([1] * 6, links, 100, entry_nodes=frozenset({4})) == [1, 2, 3, 4, 0, 1]


def test_ranks_last_boxes_are_alone_in_their_rank() -> None:
    assert assign_ranks([1] * 4, [(0, 1), (1, 2), (0, 3)], 100, exit_nodes=frozenset({3})) == [0, 1, 2, 3]
