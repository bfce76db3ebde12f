"""Words in the middle."""

from __future__ import annotations

from tbtui.charts.cells import Ink
from tbtui.widgets.notice import notice


def rows(text: str, width: int, height: int) -> list[str]:
    return notice([(text, Ink.DIM)], width, height).text().split("\n")


def test_lines_stand_in_the_middle_in_their_inks() -> None:
    cells = notice([("ab", Ink.TEXT), ("cdef", Ink.DIM)], 10, 4)
    assert cells.text().split("\n") == [" " * 10, "    ab    ", "   cdef   ", " " * 10]
    assert (cells.inks[1, 4], cells.inks[2, 4]) == (Ink.TEXT, Ink.DIM)


def test_long_lines_are_wrapped_and_what_is_too_low_is_cut() -> None:
    assert [row.strip() for row in rows("press a in the list", 10, 3)] == ["press a", "in the", "list"]
    assert rows("press a in the list", 10, 1) == [" press a  "]


def test_any_size_and_any_text() -> None:
    assert rows("word", 0, 0) == [""]
    assert rows("word", 1, 2) == ["w", "o"]
    assert "\x1b" not in rows("a\x1b[2Jb", 20, 1)[0]
    assert rows("", 3, 1) == ["   "]
