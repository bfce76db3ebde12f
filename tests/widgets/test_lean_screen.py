"""Only the cells of an update are sent, and they are the right ones."""

from __future__ import annotations

from itertools import pairwise

import pyte
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from textual._compositor import ChopsUpdate
from textual.app import App, ComposeResult
from textual.strip import Strip

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import write
from tbtui.widgets.lean_screen import LeanScreen, _CroppedUpdate
from tbtui.widgets.picture import Picture
from tests.screen_text import screen_lines

WIDTH, HEIGHT = 24, 3


class Lean(App[None]):
    def get_default_screen(self) -> LeanScreen:
        return LeanScreen(id="_default")

    def compose(self) -> ComposeResult:
        yield Picture()


def rows(*texts: str) -> Cells:
    cells = Cells.blank(HEIGHT, WIDTH)
    for y, text in enumerate(texts):
        write(cells, y, 0, text, Ink.TEXT)
    return cells


async def test_an_update_holds_the_changed_cells_alone() -> None:
    app = Lean()
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        picture = app.query_one(Picture)
        picture.clear(HEIGHT, WIDTH)
        picture.put(0, 0, rows("left of it   x   right", "second row"))
        await pilot.pause()
        app.screen._compositor._dirty_regions.clear()
        picture.put(0, 0, rows("left of it   y   right", "second row"))
        app.screen._compositor.update_widgets({picture})
        update = app.screen._compositor.render_update()
        assert isinstance(update, ChopsUpdate)
        sent = update.render_segments(app.console)
        assert "y" in sent
        assert "left" not in sent
        assert "right" not in sent


async def test_the_screen_shows_what_a_plain_one_does() -> None:
    app = Lean()
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        picture = app.query_one(Picture)
        picture.clear(HEIGHT, WIDTH)
        picture.put(0, 0, rows("one 世界 two", "", "three"))
        await pilot.pause()
        assert screen_lines(app) == ["one 世界 two", "", "three"]


spans = st.lists(
    st.tuples(st.integers(0, HEIGHT - 1), st.integers(0, WIDTH), st.integers(0, WIDTH)).map(
        lambda span: (span[0], min(span[1:]), max(span[1:]))
    ),
    min_size=1,
    max_size=6,
)


@given(spans, st.sets(st.integers(1, WIDTH - 1), max_size=4))
def test_any_spans_of_any_chops_arrive_where_they_belong(spans: list[tuple[int, int, int]], cuts: set[int]) -> None:
    edges = [0, *sorted(cuts), WIDTH]
    lines = ["".join(chr(ord("a") + (x + 7 * y) % 26) for x in range(WIDTH)) for y in range(HEIGHT)]
    chops = [{start: Strip([Segment(line[start:end])]) for start, end in pairwise(edges)} for line in lines]
    update = _CroppedUpdate(chops, spans, [edges[1:]] * HEIGHT)
    screen = pyte.Screen(WIDTH, HEIGHT)
    pyte.Stream(screen).feed(update.render_segments(Console(width=WIDTH, height=HEIGHT)))
    expected = [[" "] * WIDTH for _ in lines]
    for y, start, end in spans:
        expected[y][start:end] = lines[y][start:end]
    assert screen.display == ["".join(line) for line in expected]
