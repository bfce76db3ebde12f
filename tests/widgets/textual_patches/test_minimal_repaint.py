"""An update sends the changed cells and no others."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from textual._compositor import ChopsUpdate, CompositorUpdate
from textual.app import App, ComposeResult
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import write
from tbtui.widgets.cells_view import CellsView
from tbtui.widgets.textual_patches.minimal_repaint import MinimalRepaintScreen, _CroppedUpdate, repaints_minimally
from tests.helpers.screen_text import screen_lines

if TYPE_CHECKING:
    from rich.console import RenderableType

WIDTH, HEIGHT = 24, 3


class Lean(App[None]):
    AUTO_FOCUS = None
    sent = 0
    """Cells sent to the terminal so far."""

    def get_default_screen(self) -> MinimalRepaintScreen:
        return MinimalRepaintScreen(id="_default")

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        if isinstance(renderable, CompositorUpdate):
            sequence = renderable.render_segments(self.console)
            self.sent += len(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\n", "", sequence))
        super()._display(screen, renderable)

    def compose(self) -> ComposeResult:
        yield CellsView()


def rows(*texts: str) -> Cells:
    cells = Cells.blank(HEIGHT, WIDTH)
    for y, text in enumerate(texts):
        write(cells, y, 0, text, Ink.TEXT)
    return cells


class Sized(Widget):
    heard = 0
    """Resize events so far."""

    def on_resize(self) -> None:
        self.heard += 1


@pytest.mark.parametrize(("screen", "heard"), [(MinimalRepaintScreen, 1), (Screen, 0)])
async def test_widget_looked_up_before_its_layout_gets_its_size(screen: type[Screen[None]], heard: int) -> None:
    class Looking(App[None]):
        def get_default_screen(self) -> Screen[None]:
            return screen(id="_default")

        def compose(self) -> ComposeResult:
            yield Sized()

    app = Looking()
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        added = app.query_one(Sized)
        added.display = False
        await pilot.pause()
        added.heard, added._size = 0, Size(0, 0)  # as if it had never been in a layout
        added.display = True
        app.screen._clear_arrangement_cache()
        compositor = app.screen._compositor
        compositor._full_map_invalidated = True
        assert added in compositor.full_map  # as `find_widget` does
        app.screen._refresh_layout()
        await pilot.pause()
        assert added.size.area
        assert added.heard == heard  # a canary: once Textual sends it, the patch can go


async def test_an_update_holds_the_changed_cells_alone() -> None:
    app = Lean()
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        picture = app.query_one(CellsView)
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
        picture = app.query_one(CellsView)
        picture.clear(HEIGHT, WIDTH)
        picture.put(0, 0, rows("one 世界 two", "", "three"))
        await pilot.pause()
        assert screen_lines(app) == ["one 世界 two", "", "three"]


class Lines(CellsView, can_focus=True):
    DEFAULT_CSS = "Lines { height: 1fr; }"

    def on_resize(self) -> None:
        if self._cells.glyphs.shape != self.size[::-1]:
            self.clear(*self.size[::-1])
        self.put(0, 0, rows(f"{self.id} of {self.size.width}"))


class Two(Lean):
    def compose(self) -> ComposeResult:
        yield Lines(id="first")
        yield Lines(id="second")


async def test_where_the_focus_goes_changes_no_cell_by_itself() -> None:
    app = Two()
    async with app.run_test(size=(WIDTH, 6)) as pilot:
        await pilot.pause()
        before = app.sent
        await pilot.press("tab", "tab")
        await pilot.pause()
        assert app.focused is app.query_one("#second")
        assert app.sent == before


async def test_what_comes_into_sight_is_sent_once() -> None:
    app = Two()
    async with app.run_test(size=(WIDTH, 6)) as pilot:
        first, second = app.query(Lines)
        second.display = False
        await pilot.pause()
        first.display, second.display = False, True
        await pilot.pause()
        before = app.sent
        first.refresh()
        first.put(3, 0, rows("while it was hidden"))
        first.display, second.display = True, False
        first.focus()
        await pilot.pause()
        assert app.sent - before == WIDTH * 6
        assert screen_lines(app) == ["first of 24", "", "", "while it was hidden", "", ""]


async def test_after_an_overlay_and_in_another_size_the_screen_is_whole() -> None:
    app = Two()
    async with app.run_test(size=(WIDTH, 6)) as pilot:
        await pilot.pause()
        await app.push_screen(MinimalRepaintScreen())
        await pilot.pause()
        assert not any(screen_lines(app))
        before = app.sent
        app.pop_screen()
        await pilot.pause()
        assert app.sent - before >= WIDTH * 6
        assert screen_lines(app) == ["first of 24", "", "", "second of 24", "", ""]
        await pilot.resize_terminal(WIDTH + 6, 4)
        await pilot.pause()
        assert screen_lines(app) == ["first of 30", "", "second of 30", ""]


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


COLUMNS, LINES = 120, 40


class PlainLines(Widget, can_focus=True):
    """Widget of plain Textual that repaints one cell on request."""

    DEFAULT_CSS = "PlainLines { height: 1fr; }"

    def render_line(self, y: int) -> Strip:
        return Strip([Segment("x" * self.size.width)])


@repaints_minimally
class LeanLines(Widget, can_focus=True):
    DEFAULT_CSS = "LeanLines { height: 1fr; }"

    def render_line(self, y: int) -> Strip:
        return Strip([Segment("x" * self.size.width)])


class CountingApp(App[None]):
    """Counts the bytes of updates."""

    AUTO_FOCUS = None
    sent = 0

    def __init__(self, widget: type[Widget], screen: type[Screen[None]]) -> None:
        super().__init__()
        self._widget_class, self._screen_class = widget, screen

    def get_default_screen(self) -> Screen[None]:
        return self._screen_class(id="_default")

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        if isinstance(renderable, CompositorUpdate):
            self.sent += len(renderable.render_segments(self.console).encode())
        super()._display(screen, renderable)

    def compose(self) -> ComposeResult:
        yield self._widget_class(id="first")
        yield self._widget_class(id="second")


async def sent_bytes(widget: type[Widget], screen: type[Screen[None]]) -> tuple[int, int]:
    """Return the bytes of one changed cell and of a focus that moves."""
    app = CountingApp(widget, screen)
    async with app.run_test(size=(COLUMNS, LINES)) as pilot:
        await pilot.press("tab")
        await pilot.pause(0.1)
        start = app.sent
        app.query_one("#first").refresh(Region(100, 3, 1, 1))
        await pilot.pause(0.1)
        cell, start = app.sent - start, app.sent
        await pilot.press("tab")
        await pilot.pause(0.1)
        return cell, app.sent - start


async def test_canary_plain_textual_repaints_more_than_the_change() -> None:
    plain_cell, plain_focus = await sent_bytes(PlainLines, Screen)
    lean_cell, lean_focus = await sent_bytes(LeanLines, MinimalRepaintScreen)
    assert lean_cell * 5 < plain_cell, (lean_cell, plain_cell)
    assert lean_focus == 0 < plain_focus, (lean_focus, plain_focus)
