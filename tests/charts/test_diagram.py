"""The part of a layout that a window shows, as cells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.cells import Cells, Ink, to_heat_inks
from tbtui.charts.text import cell_width, safe
from tbtui.plugins.graphs.diagram import OUTLET, Box, Diagram, Link, Window
from tbtui.plugins.graphs.diagram_layout import FULL, NAMES, TINY, ZOOMS
from tbtui.plugins.graphs.diagram_painter import draw_diagram, reveal_item
from tbtui.plugins.graphs.layout.layout import lay_out
from tests.helpers.diagrams import boxes, chain, cycle, diagrams, fan, links, nested, residual_network, sequential


def drawn(diagram: Diagram, **looks: object) -> Cells:
    layout = lay_out(diagram, FULL)
    return draw_diagram(layout, Window(0, 0, layout.width, layout.height), **looks)  # type: ignore[arg-type]


def lines(cells: Cells) -> list[str]:
    return [line.rstrip() for line in cells.text().splitlines()]


def inks_of(cells: Cells, text: str) -> set[int]:
    """Inks that a text is written in, where it first is."""
    for y in range(cells.height):
        x = cells.get_row_text(y).find(text)
        if x >= 0:
            return set(cells.inks[y, x : x + len(text)].tolist())
    raise AssertionError(f"{text} is not there")


sizes = st.integers(0, 60)
windows = st.builds(Window, st.integers(-70, 200), st.integers(-50, 100), sizes, sizes)


@given(diagrams(), st.sampled_from(ZOOMS), st.booleans(), windows, st.integers(0, 5))
def test_any_window_is_drawn_in_its_size_and_safely(
    diagram: Diagram, zoom: object, across: bool, window: Window, chosen: int
) -> None:
    layout = lay_out(diagram, zoom, across=across)  # type: ignore[arg-type]
    tints = {1: 3, 2: int(to_heat_inks(40, 20))}
    cells = draw_diagram(layout, window, chosen=chosen, highlighted=[0, 1, 2], tints=tints)
    assert (cells.width, cells.height) == (window.width, window.height)
    for y in range(cells.height):
        text = cells.get_row_text(y)
        assert safe(text) == text
        assert cell_width(text) == window.width


@given(diagrams(), st.sampled_from(ZOOMS), windows)
def test_a_window_shows_a_part_of_the_whole(diagram: Diagram, zoom: object, window: Window) -> None:
    layout = lay_out(diagram, zoom)  # type: ignore[arg-type]
    whole = draw_diagram(layout, Window(0, 0, layout.width, layout.height), chosen=1)
    part = draw_diagram(layout, window, chosen=1)
    for y in range(part.height):
        for x in range(part.width):
            column, row = x + window.left, y + window.top
            inside = 0 <= column < layout.width and 0 <= row < layout.height
            glyph = int(whole.glyphs[row, column]) if inside else 32
            # A wide glyph of which the window shows one half is a blank.
            assert (
                int(part.glyphs[y, x]) in (glyph, 32) if x in (0, part.width - 1) else int(part.glyphs[y, x]) == glyph
            )


def test_lines_join_borders_and_arrows_end_in_them() -> None:
    assert lines(drawn(chain("a", "b", label="32×10"))) == [
        "╭───╮",
        "│ a │",
        "╰─┬─╯",
        "  │ 32×10",
        "╭─▼─╮",
        "│ b │",
        "╰───╯",
    ]


def test_lines_of_two_outputs_cross_and_do_not_seem_to_join() -> None:
    diagram = Diagram(
        boxes("a", "b", "c", "d"), tuple(Link(s, t, f"{s}{t}") for s, t in ((0, 2), (0, 3), (1, 2), (1, 3)))
    )
    text = "\n".join(lines(drawn(diagram)))
    assert "─│─" in text
    assert "┼" not in text


def test_lines_of_one_output_branch() -> None:
    text = "\n".join(lines(drawn(fan(4))))
    assert "┴" in text
    assert "┬" in text


def test_what_only_waits_is_dashed() -> None:
    text = drawn(cycle()).text()
    assert text.count("┊") == 2


def test_kinds_are_told_by_their_marks() -> None:
    kinds = ("op", "scope", "series", "function")
    rows = lines(drawn(Diagram(tuple(Box(index, (kind,), kind) for index, kind in enumerate(kinds)), ())))
    text = "\n".join(rows)
    assert "│ op │" in text.replace("  ", " ")
    assert "▸ scope" in text
    assert "▸ series" in text
    assert "║" in text
    assert "ƒ function" in text


def test_the_title_of_an_opened_box_stands_in_its_frame() -> None:
    row = next(row for row in lines(drawn(residual_network())) if "layer1.0" in row)
    assert row.strip().startswith("╭─ ▾ layer1.0 ─")
    assert "▼" in row


def test_what_is_said_of_a_box_stands_side_by_side_where_it_has_room() -> None:
    assert lines(drawn(Diagram((Box(0, ("conv", "Conv2D", "320 parameters"), aside_names=("kernel",)),), ()))) == [
        "╭─────────────────────────╮",
        "│          conv           │",
        "│ Conv2D · 320 parameters │",
        "│        + kernel         │",
        "╰─────────────────────────╯",
    ]
    many = Diagram((Box(0, ("conv",), aside_names=("kernel", "bias")),), ())
    assert "+ 2 aside" in "\n".join(lines(drawn(many)))


def test_a_name_of_nothing_is_seen() -> None:
    assert lines(drawn(Diagram((Box(0, ("",)),), ()))) == ["╭───╮", "│ ␣ │", "╰───╯"]
    assert lines(drawn(Diagram((Box(0, ()),), ()))) == ["╭───╮", "│ ␣ │", "╰───╯"]


def test_zoom_levels_say_less_and_less() -> None:
    layouts = [lay_out(sequential(), zoom) for zoom in (FULL, NAMES, TINY)]
    heights = [layout.height for layout in layouts]
    assert heights == sorted(heights, reverse=True)
    texts = [draw_diagram(layout, Window(0, 0, layout.width, layout.height)).text() for layout in layouts]
    assert ["aten::relu" in text for text in texts] == [True, False, False]
    assert ["4×8×8×8" in text for text in texts] == [True, True, False]
    assert all("Conv2d[1]" in text for text in texts)


def test_the_chosen_box_and_its_links_lead() -> None:
    cells = drawn(chain("a", "b", "c"), chosen=1)
    text = lines(cells)
    assert "┏━▼━┓" in text
    assert "┗━┯━┛" in text
    assert inks_of(cells, " b ") == {Ink.CURSOR}
    assert inks_of(cells, "a") == {Ink.TEXT}
    arrows = [
        int(ink) for ink, glyph in zip(cells.inks.ravel(), cells.glyphs.ravel(), strict=True) if glyph == ord("▼")
    ]
    assert arrows == [Ink.ACCENT, Ink.ACCENT]


def test_marked_boxes_and_the_links_between_them_stand_out() -> None:
    cells = drawn(chain("a", "b", "c"), highlighted={0, 1})
    arrows = [
        int(ink) for ink, glyph in zip(cells.inks.ravel(), cells.glyphs.ravel(), strict=True) if glyph == ord("▼")
    ]
    assert arrows == [Ink.ACCENT, Ink.FAINT]
    assert int(cells.inks[0, 0]) == Ink.ACCENT
    assert [inks_of(cells, name) for name in "abc"] == [{Ink.ACCENT}, {Ink.ACCENT}, {Ink.DIM}]


def test_links_of_the_selected_item_are_not_links_between_marked_items() -> None:
    cells = drawn(chain("a", "b", "c"), highlighted={0, 1}, chosen=2, tints={0: 3, 2: 3})
    arrows = cells.inks[cells.glyphs == ord("▼")].tolist()
    assert arrows == [Ink.ACCENT, Ink.TEXT]
    assert 3 not in cells.inks
    cells = drawn(chain("a", "b", "c"), highlighted={0, 1}, chosen=1)
    assert cells.inks[cells.glyphs == ord("▼")].tolist() == [Ink.ACCENT, Ink.TEXT]


@pytest.mark.parametrize("zoom", ZOOMS)
@pytest.mark.parametrize("tint", [3, int(to_heat_inks(47, 30))])
def test_nothing_but_the_chosen_box_has_the_ground_of_the_cursor(zoom: object, tint: int) -> None:
    layout = lay_out(chain("a", "b", "c"), zoom)  # type: ignore[arg-type]
    tints = dict.fromkeys(range(3), tint)
    cells = draw_diagram(layout, Window(0, 0, layout.width, layout.height), chosen=1, highlighted=[0], tints=tints)
    rows, columns = (cells.inks == Ink.CURSOR).nonzero()
    place = layout.boxes[1]
    assert set(rows.tolist()) == {place.top + place.height // 2}
    assert columns.min() >= place.left
    assert columns.max() <= place.right
    assert inks_of(cells, "b") == {Ink.CURSOR}


def test_a_tint_with_a_ground_fills_the_box_another_colours_its_frame() -> None:
    ground = int(to_heat_inks(47, 30))
    cells = drawn(chain("a", "b"), tints={0: ground, 1: 5})
    assert set(cells.inks[:3].ravel().tolist()) == {ground}
    assert inks_of(cells, "b") == {Ink.TEXT}
    assert int(cells.inks[-1, 0]) == 5


def test_an_arrow_lies_on_the_ground_of_the_box_that_it_leads_to() -> None:
    ground = int(to_heat_inks(47, 30))
    cells = drawn(chain("a", "b"), tints={1: ground})
    assert set(cells.inks[cells.glyphs == ord("▼")].tolist()) == {ground}


def test_no_line_runs_up_to_a_name_without_a_frame() -> None:
    names = Diagram(boxes("a", "b", "c", "x"), links((0, 3), (1, 3), (2, 3)))
    layout = lay_out(names, TINY)
    text = draw_diagram(layout, Window(0, 0, layout.width, layout.height)).text()
    assert "╴x╶" in text


def test_what_is_set_aside_is_faint() -> None:
    cells = drawn(nested())
    assert inks_of(cells, "save") == {Ink.DIM}


@pytest.mark.parametrize("across", [False, True])
def test_a_name_without_a_frame_gets_as_broad_as_its_lines_need(across: bool) -> None:
    names = Diagram(boxes("a", "b", "c", "x"), links((0, 3), (1, 3), (2, 3)))
    layout = lay_out(names, TINY, across=across)
    text = draw_diagram(layout, Window(0, 0, layout.width, layout.height)).text()
    assert "▼" not in text
    assert "x" in text


def test_a_layout_that_fits_is_centred() -> None:
    layout = lay_out(chain("a", "b"), FULL)
    window = reveal_item(layout, Window(50, 50, 25, 20), 0)
    assert window == Window(-((25 - layout.width) // 2), -((20 - layout.height) // 2), 25, 20)


@given(diagrams(), windows, st.integers(0, 30))
def test_a_window_is_moved_to_where_an_item_is_seen(diagram: Diagram, window: Window, item: int) -> None:
    layout = lay_out(diagram, NAMES)
    found = reveal_item(layout, window, item)
    assert found[2:] == window[2:]
    assert reveal_item(layout, found, item) == found
    place = layout.find_box(item)
    if place is not None and window.width > place.width and window.height > place.height:
        assert found.left <= place.left
        assert place.left < found.left + found.width
        assert found.top <= place.top
        assert place.top < found.top + found.height


def test_a_tiny_window_shows_the_item_rather_than_its_surroundings() -> None:
    layout = lay_out(Diagram(boxes("a", "b", "c", "d"), ()), NAMES)
    assert layout.width > 6
    for item in range(4):
        window, box = reveal_item(layout, Window(0, 0, 6, 4), item), layout.find_box(item)
        assert box is not None
        assert window.left <= box.left < window.left + 6


def test_a_window_that_shows_an_item_well_stays() -> None:
    layout = lay_out(sequential(), FULL)
    window = Window(reveal_item(layout, Window(0, 0, 80, 20), 0).left, 5, 80, 20)
    assert reveal_item(layout, window, 2) == window


def test_links_of_the_selected_box_leave_the_scope_around_it() -> None:
    one, other = ((0, 0),), ((1, 0),)
    inside = Diagram(boxes("a", "b", first=10), (Link(0, OUTLET, tensors=one), Link(1, OUTLET, tensors=other)))
    whole = (Box(0, ("s",), "scope", inside), *boxes("x", "y", first=1))
    diagram = Diagram(whole, (Link(0, 1, "one", tensors=one), Link(0, 2, "other", tensors=other)))
    cells = drawn(diagram, chosen=10)
    assert inks_of(cells, "one") == {Ink.ACCENT}
    assert inks_of(cells, "other") == {Ink.DIM}
    cells = drawn(diagram, chosen=1)
    assert cells.text().count("┼") == 2  # each goes on where it comes to the border
