"""The table of runs below a chart."""

from __future__ import annotations

from tbtui.charts.cells import Ink
from tbtui.view.run_names import FOCUS_SIGN
from tbtui.view.run_table import TableRow, create_column, draw_run_table

ROWS = (TableRow("adam/seed0", "seed0", 0), TableRow("adam/seed1", "seed1", 1, in_focus=True))
COLUMNS = (
    create_column("value", ("0.5", "12.25"), 10),
    create_column("Δ", ("-0.5", "+0.25"), 9),
    create_column("min @ step", ("0.125", "3"), 4, (" @ 7", " @ 120")),
)


def lines(width: int, **how: object) -> list[str]:
    header, body = draw_run_table(ROWS, COLUMNS, width, **how)  # type: ignore[arg-type]
    assert (header.width, body.width, header.height, body.height) == (width, width, 1, len(ROWS))
    return [header.get_row_text(0).rstrip(), *(body.get_row_text(y).rstrip() for y in range(body.height))]


def test_points_stand_below_each_other() -> None:
    assert lines(60) == [
        "  run         value      Δ   min @ step",
        "● adam/seed0   0.5   -0.5   0.125 @ 7",
        "●▸adam/seed1  12.25  +0.25  3     @ 120",
    ]


def test_rows_stand_in_the_order_asked_for() -> None:
    assert [line[2:12] for line in lines(60, order=(1, 0))[1:]] == ["adam/seed1", "adam/seed0"]


def test_narrow_table_keeps_important_columns_and_short_names() -> None:
    assert lines(22) == ["  run    value      Δ", "● seed0   0.5   -0.5", "●▸seed1  12.25  +0.25"]
    assert lines(16)[1] == "● seed0   0.5"
    assert lines(5)[1] == "● s…0"
    assert lines(0) == ["", "", ""]


def test_the_focused_row_stands_out() -> None:
    _, body = draw_run_table(ROWS, COLUMNS, 40)
    assert body.inks[1, 0] == 1
    assert chr(body.glyphs[1, 1]) == FOCUS_SIGN
    assert body.inks[1, 2] == Ink.BOLD


def test_a_table_without_rows_has_a_head() -> None:
    header, body = draw_run_table((), (create_column("value", (), 10),), 20)
    assert header.get_row_text(0).split() == ["run", "value"]
    assert body.height == 0


def test_columns_of_a_pair_are_shown_both_or_not_at_all() -> None:
    pair = [create_column(title, ("1.25", "2.5"), worth, pair="ends") for title, worth in (("low", 4), ("high", 4))]
    columns = (pair[0], create_column("middle", ("1", "2"), 10), pair[1])

    def titles(width: int) -> list[str]:
        return draw_run_table(ROWS, columns, width)[0].get_row_text(0).split()[1:]

    assert titles(40) == ["low", "middle", "high"]
    assert titles(26) == titles(20) == ["middle"]
