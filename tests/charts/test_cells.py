"""Rectangles of cells: parts of them, one put into another, colours of their own."""

from __future__ import annotations

import numpy as np
import pytest

from tbtui.charts.card import draw_card, stack_cells
from tbtui.charts.cells import NO_COLOUR, Cells, Ink, colour_pairs, pair_background_ids, split_pair
from tbtui.charts.text import write


def coloured(height: int, width: int, over: int = 0xFF0000, under: int = 0x0000FF) -> Cells:
    cells = Cells.blank(height, width, coloured=True)
    cells.glyphs[:] = ord("▀")
    assert cells.colours is not None
    cells.colours[:] = colour_pairs(over, under)
    return cells


@pytest.mark.parametrize("over", [0, 1, 0x123456, 0xFFFFFF, None])
@pytest.mark.parametrize("under", [0, 1, 0x654321, 0xFFFFFF, None])
def test_a_pair_of_colours_is_one_number_that_tells_both(over: int | None, under: int | None) -> None:
    pair = colour_pairs(NO_COLOUR if over is None else over, NO_COLOUR if under is None else under)
    assert split_pair(int(pair)) == (over, under)
    assert pair > np.iinfo(np.int16).max, "no ink, and not nothing"


def test_the_ground_of_a_pair_is_told_from_every_ground_of_an_ink() -> None:
    pairs = colour_pairs([1, 2, 3, 4], [5, 5, 0, NO_COLOUR])
    one, other, black, none = pair_background_ids(pairs).tolist()
    assert one == other != black
    assert none == 0
    assert min(one, black) > np.iinfo(np.int16).max


def test_what_is_put_outside_is_cut_off() -> None:
    cells = Cells.blank(2, 4)
    part = Cells.blank(2, 3)
    write(part, 0, 0, "abc", Ink.TEXT)
    write(part, 1, 0, "def", Ink.BAD)
    cells.put(1, 2, part)
    cells.put(2, 0, part)
    cells.put(0, 4, part)
    assert cells.text() == "    \n  ab"
    assert cells.inks[1].tolist() == [Ink.NONE, Ink.NONE, Ink.TEXT, Ink.TEXT]


def test_what_is_written_to_a_part_is_written_to_the_whole() -> None:
    cells = coloured(2, 4)
    write(cells.crop(slice(1, 2), slice(1, 3)), 0, 0, "ok", Ink.GOOD)
    assert cells.text() == "▀▀▀▀\n▀ok▀"
    assert cells.colours is not None
    assert (cells.colours != 0).tolist() == [[True] * 4, [True, False, False, True]]


def test_a_copy_is_written_to_alone() -> None:
    cells = coloured(1, 2)
    write(cells.copy(), 0, 0, "ok", Ink.GOOD)
    assert cells.text() == "▀▀"
    assert cells.colours is not None
    assert cells.colours.all()


def test_colours_go_where_there_is_room_for_them() -> None:
    plain, room = Cells.blank(1, 3), Cells.blank(1, 3, coloured=True)
    plain.put(0, 1, coloured(1, 1))
    room.put(0, 1, coloured(1, 1))
    assert plain.text() == room.text() == " ▀ "
    assert plain.colours is None
    assert room.colours is not None
    assert (room.colours != 0).tolist() == [[False, True, False]]
    room.put(0, 0, Cells.blank(1, 3))
    assert not room.colours.any(), "what had no colours covers what had"


def test_a_picture_in_a_card_and_below_a_title_keeps_its_colours() -> None:
    card = draw_card("a title", coloured(2, 3), 5, 4)
    assert card.colours is not None
    assert (card.colours != 0).sum() == 6
    assert (card.colours[1:3, 1:4] != 0).all()
    assert draw_card("a title", Cells.blank(2, 3), 5, 4).colours is None
    both = stack_cells(Cells.blank(1, 3), coloured(2, 3))
    assert both.colours is not None
    assert (both.colours != 0).any(axis=1).tolist() == [False, True, True]
