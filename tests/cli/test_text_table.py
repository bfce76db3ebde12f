from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from tbtui.charts.text import cell_width
from tbtui.report.tables import stack_rows, wrap_list

if TYPE_CHECKING:
    from collections.abc import Iterable

ROWS = [("name", "n", "words"), ("a", "1", ""), ("a longer name than others", "22", "odd, very odd")]


def test_stacked_rows_aligns_first_column_left_others_right() -> None:
    assert list(stack_rows(ROWS)) == [
        "name                        n          words",
        "a                           1",
        "a longer name than others  22  odd, very odd",
    ]


def test_stacked_rows_narrow_moves_names_and_remarks_to_own_lines() -> None:
    assert list(stack_rows(ROWS, width=24, remarks=True)) == [
        "name                   n",
        "      words",
        "a                      1",
        "a longer name than other",
        "  s",
        "                      22",
        "      odd, very odd",
    ]


def test_stacked_rows_with_one_cell_is_a_line() -> None:
    assert list(stack_rows([("a", "1"), ("and many more of them",)])) == ["a  1", "and many more of them"]


def test_wrap_list_breaks_after_commas_else_at_blanks() -> None:
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


def test_stacked_rows_narrow_stacks_columns() -> None:
    rows = [("run", "state", "values", "size", ""), ("a/longer/name", "over", "12", "1.2 kB", "1 gap"), ("b", "done")]
    assert list(stack_rows(rows, width=20, remarks=True, left_aligned=2)) == [
        "run    state  values",
        "         size",
        "a/longer/name",
        "       over       12",
        "       1.2 kB  1 gap",
        "b      done",
    ]


NARROW = st.text("ab,  漢", max_size=60), st.integers(4, 30)


@given(*NARROW)
def test_wrap_list_loses_nothing_and_keeps_the_width(text: str, width: int) -> None:
    lines = list(wrap_list(text, width, "    "))
    assert _letters(lines) == _letters([text])
    assert all(cell_width(line) <= width for line in lines)


@given(st.lists(st.lists(NARROW[0], min_size=1, max_size=6).map(tuple), max_size=5), NARROW[1], st.booleans())
def test_stacked_rows_loses_nothing_and_keeps_the_width(rows: list[tuple[str, ...]], width: int, remarks: bool) -> None:
    lines = list(stack_rows(rows, width=width, remarks=remarks))
    assert sorted(_letters(lines)) == sorted(_letters(cell for row in rows for cell in row))
    assert all(cell_width(line) <= width for line in lines)


def _letters(texts: Iterable[str]) -> str:
    return "".join("".join(texts).split())
