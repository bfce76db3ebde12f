from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style
from textual.app import App

from tbtui.charts.cells import Ink
from tbtui.charts.styled_text import cut_pieces, pieces_width, spread_pieces
from tbtui.widgets import ink_styles as inks
from tbtui.widgets.ink_styles import render_pieces
from tbtui.widgets.line import Line

texts = st.text(max_size=12) | st.sampled_from(["表表", "e\u0301", "\x1b[31m", "a\nb", "\u202eabc", "[b]x[/b]"])
lines = st.lists(st.tuples(texts, st.sampled_from([Ink.TEXT, Ink.DIM, 0, 7, 5000])), max_size=5)


@given(lines, st.integers(0, 30))
def test_strip_of_has_the_width_and_no_control_characters(pieces: list[tuple[str, int]], width: int) -> None:
    strip = render_pieces(pieces, width, inks.get_ink_styles(App()), Style())
    assert strip.cell_length == width
    assert sum(len(segment.text) > 0 for segment in strip) == 0 or strip.text.isprintable()


@given(lines, lines, st.integers(0, 40))
def test_apart_keeps_the_right_end_whole(left: list[tuple[str, int]], right: list[tuple[str, int]], width: int) -> None:
    pieces = spread_pieces(left, right, width)
    if pieces_width(right) <= width:
        assert pieces_width(pieces) <= width
    assert tuple(pieces[len(pieces) - len(right) :]) == tuple(right)


def test_strip_of_joins_blanks_and_equal_styles() -> None:
    strip = render_pieces([("a", 1), ("  ", Ink.DIM), ("b", 2), (" c", 2)], 10, inks.get_ink_styles(App()), Style())
    assert [segment.text for segment in strip] == ["a  ", "b c    "]


def test_cut_marks_the_cut() -> None:
    assert cut_pieces([("abc", 0), ("defgh", 1), ("more", 2)], 6) == [("abc", 0), ("de…", 1)]
    assert cut_pieces([("abc", 0), ("def", 1)], 6) == [("abc", 0), ("def", 1)]


async def test_line_repaints_only_on_change() -> None:
    class Host(App[None]):
        def compose(self):
            yield Line([("one", Ink.TEXT)])

    app = Host()
    async with app.run_test(size=(10, 2)) as pilot:
        line = app.query_one(Line)
        repaints: list[object] = []
        line.refresh = lambda *regions, **_: repaints.append(regions)  # type: ignore[method-assign,assignment]
        line.show([("one", Ink.TEXT)])
        assert repaints == []
        line.show([("two", Ink.TEXT)])
        assert len(repaints) == 1
        await pilot.pause()
        assert line.render_line(0).text == "two       "
