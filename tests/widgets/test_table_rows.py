"""Visible rows of the table below a chart."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tbtui.widgets.chart_view import TableRows
from tests.helpers.charts import text


def rows(runs: tuple[str, ...], room: int) -> TableRows:
    table = TableRows()
    table.show(text([f"row {run}" for run in runs], 40), runs, room)
    return table


def lines(table: TableRows) -> list[str]:
    return [line.strip() for line in table.draw(40).text().splitlines()]


def test_all_rows_where_they_fit_and_blanks_below() -> None:
    assert lines(rows(("a", "b"), 3)) == ["row a", "row b", ""]


def test_one_row_tells_of_those_out_of_sight() -> None:
    table = rows(("a", "b", "c"), 2)
    assert lines(table) == ["row a", "⋯ 1–1 of 3, ↑ ↓ for the others"]
    assert (table.run_at(0), table.run_at(1)) == ("a", None)
    assert rows(("a", "b", "c"), 0).in_sight == 0


def test_no_row_is_at_places_outside() -> None:
    table = rows(("a", "b"), 3)
    assert [table.run_at(y) for y in (-1, 0, 1, 2, 3)] == [None, "a", "b", None, None]


@settings(deadline=None)
@given(
    st.lists(st.sampled_from("abcdef"), max_size=30),
    st.integers(0, 12),
    st.lists(st.one_of(st.integers(-40, 40), st.sampled_from("abcdefx")), max_size=10),
)
def test_whatever_is_scrolled_and_selected_the_room_is_filled(
    runs: list[str], room: int, done: list[int | str]
) -> None:
    table = rows(tuple(runs), room)
    for step in done:
        if isinstance(step, int):
            table.scroll(step)
        else:
            had = table.selected
            table.select(step)
            if step in runs and step != had and table.in_sight:
                assert list(table.marked())
        shown = [run for run in (table.run_at(y) for y in range(room)) if run is not None]
        assert len(shown) == min(table.in_sight, len(runs))
        assert len(lines(table)) == room
        assert all(table.run_at(y) == table.selected for y in table.marked())
