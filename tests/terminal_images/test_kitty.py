"""What is written for terminals of kitty's kind."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.cells import NUMBERED, Cells, build_placeholders, split_pair
from tbtui.terminal_images.kitty import (
    MAX_CHUNK_CHARS,
    MAX_IMAGES,
    KittyImage,
    KittyImageCache,
    encode,
    list_image_ids,
    wrap_for_tmux,
)
from tests.helpers.fake_terminals import FakeKitty
from tests.helpers.image_files import photo

IDS = list_image_ids(77)


def tiny(value: int = 0) -> KittyImage:
    return encode(np.full((4, 6, 3), value, np.uint8))


@pytest.mark.parametrize("in_tmux", [False, True])
def test_a_picture_that_is_put_is_held_and_shown_by_its_cells(in_tmux: bool) -> None:
    terminal, shelf = FakeKitty(in_tmux=in_tmux), KittyImageCache(IDS, tmux=in_tmux)
    picture = photo(120, 160, alpha=True)
    image = encode(picture)
    assert len(image.payload) > 5 * MAX_CHUNK_CHARS
    terminal.write(shelf.put("a", image, 20, 7))
    ((number, held),) = terminal.pictures.items()
    assert np.array_equal(held, picture)
    assert terminal.virtual == {number: (20, 7)}
    cells = shelf.cells("a")
    assert (cells.height, cells.width) == (7, 20)
    assert cells.colours is not None
    assert {split_pair(pair) for pair in cells.colours.ravel().tolist()} == {(NUMBERED + number % 256, None)}
    high = of_mark(number >> 24)
    assert cells.get_row_text(0).startswith(f"\U0010eeee\u0305\u0305{high}\U0010eeee\u0305\u030d{high}")


def of_mark(value: int) -> str:
    return Cells(build_placeholders(1, value + 1), np.zeros((1, value + 1), np.int16)).text()[-2]


def test_a_palette_takes_a_fraction_of_the_bytes_of_a_photo() -> None:
    picture = photo(200, 200)
    whole, few = encode(picture), encode(picture, palette=True)
    assert len(few.payload) < len(whole.payload) / 2
    terminal = FakeKitty()
    terminal.write(KittyImageCache(IDS).put("a", few, 2, 2))
    (held,) = terminal.pictures.values()
    assert np.abs(held[..., :3].astype(int) - picture).mean() < 10


def test_kitty_without_placeholders_places_moves_and_removes_images() -> None:
    terminal, shelf = FakeKitty(), KittyImageCache(IDS, placeholders=False)
    terminal.write(shelf.put("a", tiny(), 3, 2))
    assert (terminal.virtual, terminal.placed) == ({}, {})
    terminal.write(shelf.place("a", 4, 10))
    assert list(terminal.placed.values()) == [(4, 10, 2, 3)]
    terminal.write(shelf.place("a", 0, 0))
    assert list(terminal.placed.values()) == [(0, 0, 2, 3)]
    terminal.write(shelf.hide("a"))
    assert terminal.placed == {}
    assert len(terminal.pictures) == 1
    assert shelf.hide("no such picture") == ""


def test_a_picture_of_the_same_key_is_replaced() -> None:
    terminal, shelf = FakeKitty(), KittyImageCache(IDS)
    terminal.write(shelf.put("a", tiny(1), 3, 2) + shelf.put("a", tiny(2), 5, 4))
    ((number, held),) = terminal.pictures.items()
    assert held[0, 0, 0] == 2
    assert terminal.virtual == {number: (5, 4)}
    assert len(shelf) == 1


def test_what_is_dropped_is_freed_in_the_terminal() -> None:
    terminal, shelf = FakeKitty(), KittyImageCache(IDS)
    terminal.write(shelf.put("a", tiny(), 3, 2) + shelf.put("b", tiny(), 3, 2))
    terminal.write(shelf.drop("a") + shelf.drop("a"))
    assert ("a" in shelf, "b" in shelf, len(terminal.pictures)) == (False, True, 1)
    terminal.write(shelf.clear())
    assert terminal.pictures == {}
    assert (len(shelf), shelf.stored_bytes) == (0, 0)


def test_the_least_used_goes_first_and_what_is_on_the_screen_last() -> None:
    terminal, shelf = FakeKitty(), KittyImageCache(IDS[:3])
    for key in "abc":
        terminal.write(shelf.put(key, tiny(), 3, 2))
    shelf.cells("a")
    terminal.write(shelf.put("d", tiny(), 3, 2, shown="b"))
    assert [key in shelf for key in "abcd"] == [True, True, False, True]
    terminal.write(shelf.put("e", tiny(), 3, 2, shown="abd"))
    assert [key in shelf for key in "abde"] == [True, False, True, True], "all are shown: the least used"
    assert len(terminal.pictures) == 3


def test_pictures_are_bounded_in_bytes_and_one_is_always_held() -> None:
    size = tiny().stored_bytes
    terminal, shelf = FakeKitty(), KittyImageCache(IDS, max_bytes=5 * size // 2)
    for key in "abc":
        terminal.write(shelf.put(key, tiny(), 3, 2))
    assert [key in shelf for key in "abc"] == [False, True, True]
    terminal.write(shelf.put("large", encode(photo(40, 40)), 3, 2))
    assert len(terminal.pictures) == len(shelf) == 1


@given(st.lists(st.tuples(st.sampled_from("pdlc"), st.integers(0, 9)), max_size=40), st.booleans())
def test_the_terminal_holds_what_the_shelf_says(steps: list[tuple[str, int]], in_tmux: bool) -> None:
    image = tiny()
    terminal, shelf = FakeKitty(in_tmux=in_tmux), KittyImageCache(IDS[:4], placeholders=False, tmux=in_tmux)
    for step, key in steps:
        if step == "p":
            terminal.write(shelf.put(key, image, 1, 1, shown=range(3)))
        elif step == "d":
            terminal.write(shelf.drop(key))
        elif step == "l" and key in shelf:
            terminal.write(shelf.place(key, key, key) if not in_tmux else "")
        elif step == "c":
            terminal.write(shelf.clear())
        assert len(terminal.pictures) == len(shelf) <= 4


def test_more_cells_than_there_are_marks_are_not_filled() -> None:
    shelf = KittyImageCache(IDS)
    shelf.put("a", tiny(), 400, 300)
    cells = shelf.cells("a")
    assert (cells.height, cells.width) == (297, 297)


# Numbers


@pytest.mark.parametrize("namespace", [0, 1, 254, 255, 1 << 40, -3])
def test_every_picture_has_a_number_that_a_colour_and_a_mark_can_tell(namespace: int) -> None:
    ids = list_image_ids(namespace)
    assert len(set(ids)) == MAX_IMAGES
    assert all(0 < number < 1 << 32 for number in ids)
    assert {number & 0xFFFF00 for number in ids} == {0}
    assert all(16 <= number & 0xFF <= 255 and 1 <= number >> 24 <= 255 for number in ids)


def test_programs_in_one_terminal_differ_in_their_numbers() -> None:
    assert set(list_image_ids(1)).isdisjoint(list_image_ids(2))


def test_for_tmux_each_escape_is_doubled() -> None:
    assert wrap_for_tmux("\x1b_Ga=d\x1b\\") == "\x1bPtmux;\x1b\x1b_Ga=d\x1b\x1b\\\x1b\\"
