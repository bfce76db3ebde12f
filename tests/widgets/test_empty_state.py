"""The centred message of an empty state."""

from __future__ import annotations

from textual.app import App, ComposeResult

from tbtui.charts.cells import Ink
from tbtui.widgets.empty_state import EmptyState, draw_empty_state


def rows(text: str, width: int, height: int) -> list[str]:
    return draw_empty_state(text, "", width, height).text().split("\n")


def test_notice_centres_headline_and_hint() -> None:
    cells = draw_empty_state("ab", "cdef", 10, 5)
    assert cells.text().split("\n") == [" " * 10, "    ab    ", " " * 10, "   cdef   ", " " * 10]
    assert (cells.inks[1, 4], cells.inks[3, 4]) == (Ink.TEXT, Ink.DIM)


def test_notice_wraps_long_lines_and_cuts_at_the_bottom() -> None:
    assert [row.strip() for row in rows("press a in the list", 10, 3)] == ["press a", "in the", "list"]
    assert rows("press a in the list", 10, 1) == [" press a  "]


def test_notice_accepts_any_size_and_text() -> None:
    assert rows("word", 0, 0) == [""]
    assert rows("word", 1, 2) == ["w", "o"]
    assert "\x1b" not in rows("a\x1b[2Jb", 20, 1)[0]
    assert rows("", 3, 1) == ["   "]


async def test_notice_stays_centred_after_a_resize() -> None:
    class Host(App[None]):
        def compose(self) -> ComposeResult:
            yield EmptyState()

    app = Host()
    async with app.run_test(size=(20, 5)) as pilot:
        shown = app.query_one(EmptyState)
        shown.show_message("nothing here")
        await pilot.pause()
        assert shown.get_text().split("\n")[2] == "    nothing here    "
        await pilot.resize_terminal(14, 3)
        await pilot.pause()
        assert shown.get_text().split("\n")[1] == " nothing here "
        assert not shown.focusable
