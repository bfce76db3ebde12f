"""What is said at the edges of a window on a diagram."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.text import cell_width
from tbtui.plugins.graphs.diagram import Diagram, Window
from tbtui.plugins.graphs.diagram_layout import FULL, TINY
from tbtui.plugins.graphs.diagram_painter import count_hidden_boxes, draw_diagram, draw_overflow_hints
from tbtui.plugins.graphs.layout.layout import lay_out
from tests.helpers.diagrams import boxes, chain, diagrams, links


def seen(window: Window, diagram: Diagram) -> list[str]:
    layout = lay_out(diagram, FULL)
    cells = draw_diagram(layout, window)
    draw_overflow_hints(cells, layout, window)
    return cells.text().splitlines()


def test_what_is_seen_whole_has_nothing_beyond() -> None:
    layout = lay_out(chain("a", "b"), FULL)
    assert count_hidden_boxes(layout, Window(-5, -5, layout.width + 10, layout.height + 10)) == {}
    assert count_hidden_boxes(layout, Window(0, 0, layout.width, layout.height)) == {}


def test_each_direction_is_told_of_with_how_many_boxes_are_not_seen_whole() -> None:
    layout = lay_out(chain("a", "b", "c", "d"), FULL)
    assert layout.boxes[1].top == 4
    assert count_hidden_boxes(layout, Window(1, 4, 3, 3)) == {"left": 4, "right": 4, "up": 1, "down": 2}
    assert count_hidden_boxes(layout, Window(0, 5, 5, 20)) == {"up": 2}
    assert count_hidden_boxes(layout, Window(0, layout.boxes[1].top - 1, 5, 20)) == {"up": 1}


def test_edge_label_is_in_the_middle_and_covers_little() -> None:
    lines = seen(Window(-20, 0, 45, 8), chain("a", "b", "c", "d"))
    assert lines[-1].strip() == "│   ↓ 2 more", "and is not read with what stands there"
    across = seen(Window(-2, 0, 34, 7), Diagram(boxes("a", "b", *(f"box number {one}" for one in range(4))), links()))
    assert any(line.endswith(" more → ") for line in across)


def test_where_words_would_cover_something_a_number_stands_alone() -> None:
    assert seen(Window(-6, 0, 18, 8), chain("a", "b", "c", "d"))[-1].split() == ["│", "↓", "2"]
    assert "↓ 3" in seen(Window(0, 0, 5, 5), chain("a", "b", "c", "d"))[-1]


@given(diagrams(), st.builds(Window, *[st.integers(-30, 60)] * 2, *[st.integers(1, 40)] * 2))
def test_any_window_keeps_its_size(diagram: Diagram, window: Window) -> None:
    layout = lay_out(diagram, TINY)
    cells = draw_diagram(layout, window)
    draw_overflow_hints(cells, layout, window)
    assert [cell_width(line) for line in cells.text().split("\n")] == [window.width] * window.height
