"""What a search in a graph goes through, and what it tells of the rest."""

from __future__ import annotations

from tbtui.plugins.graphs.finding import find, found_words
from tests.graphs.told import hierarchy
from tests.made_graphs import chain


def test_of_a_scope_that_matches_it_is_told_how_much_is_inside() -> None:
    graph = hierarchy(chain("conv/a", "conv/b", "x/conv_1", "y"))
    matches = find(graph, "conv")
    assert [graph.name(item) for item in matches.items.tolist()] == ["conv", "x/conv_1"]
    assert found_words(0, matches) == "1 of 2 · 2 more inside"
    assert matches.marks is not None
    assert matches.marks.flags[[0, 1, 2, 3]].tolist() == [True, True, True, False]
