from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.text import cell_width
from tbtui.cli.text_table import lines_of, wrapped

ROWS = [("name", "n", "words"), ("a", "1", ""), ("a longer name than others", "22", "odd, very odd")]


def test_the_first_column_stands_to_the_left_the_others_to_the_right() -> None:
    assert list(lines_of(ROWS)) == [
        "name                        n          words",
        "a                           1",
        "a longer name than others  22  odd, very odd",
    ]


def test_where_there_is_no_room_names_and_remarks_have_lines_of_their_own() -> None:
    assert list(lines_of(ROWS, width=24, remarks=True)) == [
        "name                   n",
        "      words",
        "a                      1",
        "a longer name than others",
        "                      22",
        "      odd, very odd",
    ]


def test_a_row_of_one_cell_is_a_line() -> None:
    assert list(lines_of([("a", "1"), ("and many more of them",)])) == ["a  1", "and many more of them"]


def test_lists_are_broken_after_commas_and_sentences_at_blanks() -> None:
    assert list(wrapped("one thing, another thing, 1,000 things", 20, "  ")) == [
        "one thing,",
        "  another thing,",
        "  1,000 things",
    ]
    assert list(wrapped("a word and anunbreakableword after it", 12, " ")) == [
        "a word and",
        " anunbreakableword",
        " after it",
    ]
    assert list(wrapped("", 10)) == []


@given(st.text("ab,  漢", max_size=60), st.integers(4, 30))
def test_nothing_is_lost_and_lines_keep_to_the_width(text: str, width: int) -> None:
    lines = list(wrapped(text, width))
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(cell_width(line) <= width or len(line.split()) == 1 for line in lines)
