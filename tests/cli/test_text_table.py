from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.text import cell_width
from tbtui.report.tables import stacked_rows, wrap_list

if TYPE_CHECKING:
    from collections.abc import Iterable

ROWS = [("name", "n", "words"), ("a", "1", ""), ("a longer name than others", "22", "odd, very odd")]


def test_the_first_column_stands_to_the_left_the_others_to_the_right() -> None:
    assert list(stacked_rows(ROWS)) == [
        "name                        n          words",
        "a                           1",
        "a longer name than others  22  odd, very odd",
    ]


def test_where_there_is_no_room_names_and_remarks_have_lines_of_their_own() -> None:
    assert list(stacked_rows(ROWS, width=24, remarks=True)) == [
        "name                   n",
        "      words",
        "a                      1",
        "a longer name than other",
        "  s",
        "                      22",
        "      odd, very odd",
    ]


def test_a_row_of_one_cell_is_a_line() -> None:
    assert list(stacked_rows([("a", "1"), ("and many more of them",)])) == ["a  1", "and many more of them"]


def test_lists_are_broken_after_commas_and_sentences_at_blanks() -> None:
    assert list(wrap_list("one thing, another thing, 1,000 things", 20, "  ")) == [
        "one thing,",
        "  another thing,",
        "  1,000 things",
    ]
    assert list(wrap_list("a word and averyverylongword after it", 12, " ")) == [
        "a word and",
        " averyverylo",
        " ngword",
        " after it",
    ]
    assert list(wrap_list("", 10)) == []


def test_columns_that_have_no_room_beside_each_other_stand_below_each_other() -> None:
    rows = [("run", "state", "values", "size", ""), ("a/longer/name", "over", "12", "1.2 kB", "1 gap"), ("b", "done")]
    assert list(stacked_rows(rows, width=20, remarks=True, left=2)) == [
        "run    state  values",
        "         size",
        "a/longer/name",
        "       over       12",
        "       1.2 kB  1 gap",
        "b      done",
    ]


NARROW = st.text("ab,  漢", max_size=60), st.integers(4, 30)


@given(*NARROW)
def test_nothing_is_lost_and_lines_keep_to_the_width(text: str, width: int) -> None:
    lines = list(wrap_list(text, width, "    "))
    assert _letters(lines) == _letters([text])
    assert all(cell_width(line) <= width for line in lines)


@given(st.lists(st.lists(NARROW[0], min_size=1, max_size=6).map(tuple), max_size=5), NARROW[1], st.booleans())
def test_tables_lose_nothing_and_keep_to_the_width(rows: list[tuple[str, ...]], width: int, remarks: bool) -> None:
    lines = list(stacked_rows(rows, width=width, remarks=remarks))
    assert sorted(_letters(lines)) == sorted(_letters(cell for row in rows for cell in row))
    assert all(cell_width(line) <= width for line in lines)


def _letters(texts: Iterable[str]) -> str:
    return "".join("".join(texts).split())
