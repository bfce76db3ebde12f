from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tbtui.charts.card import compute_body_size, draw_card
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import write


def body(width: int, height: int) -> Cells:
    columns, rows = compute_body_size(width, height)
    cells = Cells.blank(rows, columns)
    for y in range(rows):
        write(cells, y, 0, "#" * columns, 7)
    return cells


LEGEND = tuple((f"● run{number}", number) for number in range(6))


@pytest.mark.parametrize(
    ("title", "note", "width", "height", "legend", "picture"),
    [
        (
            "loss/train",
            ".021",
            26,
            3,
            (),
            ["╭ loss/train ────── .021 ╮", "│########################│", "╰────────────────────────╯"],
        ),
        ("loss/train", "", 20, 2, (), ["╭ loss/train ──────╮", "╰──────────────────╯"]),
        ("loss/train", ".021", 19, 2, (), ["╭ loss…ain ─ .021 ╮", "╰─────────────────╯"]),
        ("loss/train", ".021", 12, 2, (), ["╭ loss…ain ╮", "╰──────────╯"]),
        ("loss/train", ".021", 20, 2, (), ["╭ loss…rain ─ .021 ╮", "╰──────────────────╯"]),
        ("loss/train", ".021", 18, 2, (), ["╭ loss/train ────╮", "╰────────────────╯"]),
        ("t", ".021", 12, 2, (), ["╭ t ─ .021 ╮", "╰──────────╯"]),
        ("loss", ".021", 26, 2, LEGEND[:2], ["╭ loss ──────────── .021 ╮", "╰ ● run0 ● run1 ─────────╯"]),
        ("loss", "", 26, 2, LEGEND, ["╭ loss ──────────────────╮", "╰ ● run0 ● run1 ⋯+4 ─────╯"]),
        ("loss", "", 11, 2, LEGEND, ["╭ loss ───╮", "╰ ⋯+6 ────╯"]),
        ("漢字\x1b[2J", "", 13, 2, (), ["╭ 漢字·[2J ─╮", "╰───────────╯"]),
        ("", "", 6, 2, (), ["╭────╮", "╰────╯"]),
        ("loss", "", 6, 1, LEGEND, ["╭ l… ╮"]),
        ("loss", "x", 3, 2, LEGEND, ["╭─╮", "╰─╯"]),
        ("loss", "x", 2, 1, (), ["╭╮"]),
        ("loss", "x", 1, 1, (), [" "]),
    ],
)
def test_frames(
    title: str, note: str, width: int, height: int, legend: tuple[tuple[str, int], ...], picture: list[str]
) -> None:
    cells = draw_card(title, body(width, height), width, height, note=note, legend=legend)
    assert cells.text().split("\n") == picture


def test_inks_say_what_is_what() -> None:
    cells = draw_card("loss", body(30, 3), 30, 3, note=".02", legend=LEGEND[:1], focused=True)
    assert cells.inks[0, 0] == cells.inks[2, 29] == Ink.ACCENT
    assert cells.inks[0, 2] == Ink.BOLD
    assert cells.inks[0, 26] == Ink.DIM
    assert cells.inks[2, 2] == 0
    assert cells.inks[1, 1] == 7
    assert draw_card("loss", body(30, 3), 30, 3).inks[0, 0] == Ink.FAINT


def test_a_body_of_another_size_is_cut_or_stands_at_the_top_left() -> None:
    assert draw_card("", body(40, 9), 6, 3).text() == "╭────╮\n│####│\n╰────╯"
    assert draw_card("", body(4, 3), 6, 4).text() == "╭────╮\n│##  │\n│    │\n╰────╯"


@given(
    st.text(max_size=30), st.text(max_size=12), st.integers(-1, 50), st.integers(-1, 6), st.lists(st.text(max_size=9))
)
def test_any_card_has_its_size(title: str, note: str, width: int, height: int, legend: list[str]) -> None:
    columns, rows = max(width, 0), max(height, 0)
    cells = draw_card(title, body(columns, rows), width, height, note=note, legend=[(text, 1) for text in legend])
    assert (cells.height, cells.width) == (rows, columns)
    assert all(cell_len(cells.get_row_text(y)) == columns for y in range(rows))


def test_remark_is_at_the_right_end_apart_from_the_legend() -> None:
    legend = [("● a", 0), ("● b", 1), ("● c", 2)]
    cells = draw_card("loss", Cells.blank(1, 28), 30, 3, legend=legend, remark="2 superseded (u)")
    assert cells.get_row_text(2) == "╰ ● a ⋯+2 ─ 2 superseded (u) ╯"
    assert draw_card("loss", Cells.blank(1, 8), 10, 3, remark="2 superseded (u)").get_row_text(2) == "╰ 2 sup… ╯"
