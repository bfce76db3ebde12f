"""The terminal shows exactly the current images, whatever happens to the cells around them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from textual._compositor import CompositorUpdate
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.screen import ModalScreen
from textual.widgets import Static

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import write
from tbtui.terminal_images.capabilities import ImageProtocol
from tbtui.terminal_images.encode import ImagePlacement, add_stand_ins, encode_image
from tbtui.terminal_images.kitty import MAX_IMAGES
from tbtui.terminal_images.terminal_query import CellSize
from tbtui.widgets.cells_view import CellsView
from tbtui.widgets.image_layer import ImageLayer, PixelLayer, VisibleInsets, make_layer
from tbtui.widgets.textual_patches.minimal_repaint import MinimalRepaintScreen
from tests.helpers.pixel_terminal import CELL, PixelScreen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType
    from textual.screen import Screen

WIDTH, HEIGHT = 60, 20
WAYS = {
    "sixel": ImageProtocol("sixel", "", cell=CellSize(*CELL)),
    "over": ImageProtocol("kitty", "", cell=CellSize(*CELL)),
    "in place": ImageProtocol("kitty", "", placeholders=True, cell=CellSize(*CELL)),
}
PLACES = [(1, 2, 3, 5), (1, 10, 3, 5), (1, 10, 2, 8), (6, 2, 4, 6), (11, 20, 5, 20), (6, 30, 3, 3)]
"""Row, column, rows and columns; of two at the same place one at a time is shown."""

STAND_IN = "▒"

Colour = tuple[int, int, int]


def inset(place: int, colour: Colour, way: ImageProtocol) -> ImagePlacement:
    row, column, rows, columns = PLACES[place]
    pixels = np.full((rows * CELL[1], columns * CELL[0], 3), colour, np.uint8)
    stand_in = Cells.blank(rows, columns)
    stand_in.glyphs[:] = ord(STAND_IN)
    (found,) = add_stand_ins(encode_image(pixels, (place, colour), way), stand_in)
    return found.translate(row, column)


class Shower(CellsView):
    """Shows the insets it is handed, and words beside them."""

    insets: tuple[ImagePlacement, ...] = ()
    words = ""

    def __init__(self) -> None:
        super().__init__()
        self.images = ImageLayer(self, lambda: self.insets, self._draw)

    def show(self, insets: Sequence[ImagePlacement], words: str = "") -> None:
        self.insets, self.words = tuple(insets), words
        self._draw()

    def on_resize(self) -> None:
        self.clear(self.size.height, self.size.width)
        self._draw()

    def _draw(self) -> None:
        cells = Cells.blank(self.size.height, self.size.width, coloured=True)
        if cells.height:
            write(cells, 0, 0, self.words, Ink.TEXT)
            write(cells, cells.height - 2, 0, self.words, Ink.TEXT)
        self.put(0, 0, self.images.with_placeholders(cells, self.insets))
        self.images.update()


class Showing(App[None]):
    """The widget at the right of another one, and the terminal that it is seen in."""

    AUTO_FOCUS = None
    CSS = "#beside { width: 8; } Shower { width: 1fr; height: 1fr; }"

    def __init__(self, way: ImageProtocol) -> None:
        super().__init__()
        self.way = way
        self.terminal = PixelScreen(WIDTH, HEIGHT)
        self.shower = Shower()
        self.written = 0

    def get_default_screen(self) -> MinimalRepaintScreen:
        return MinimalRepaintScreen(id="_default")

    def compose(self) -> ComposeResult:
        yield Horizontal(Static("beside", id="beside"), self.shower)

    def on_mount(self) -> None:
        screen = self.screen
        assert isinstance(screen, MinimalRepaintScreen)
        self.layer: PixelLayer = make_layer(self.way, VisibleInsets(screen, self.shower.images), self.write)
        self.shower.images.pixels = screen.overlay = self.layer

    def write(self, sequence: str) -> None:
        self.written += len(sequence)
        self.terminal.feed(sequence.encode())

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if isinstance(renderable, CompositorUpdate):
            self.write(renderable.render_segments(self.console))
        super()._display(screen, renderable)

    @property
    def seen(self) -> set[tuple[int, int, Colour]]:
        """Row, column and colour of each picture on the terminal."""
        terminal = self.terminal
        if self.way.kind == "sixel":
            return set(terminal.sixels)
        if not self.way.placeholders:
            kitty = terminal.kitty
            middle = {number: tuple(pixels[5, 5, :3].tolist()) for number, pixels in kitty.pictures.items()}
            return {(row, column, middle[number]) for number, (row, column, *_) in kitty.placed.items()}
        return {(0, 0, (terminal.placeholders, 0, 0))}

    def expected(self) -> set[tuple[int, int, Colour]]:
        insets, left = self.shower.insets, self.shower.region.x
        if self.way.placeholders:  # what tells them apart is for the tests of kitty: here their cells are counted
            return {(0, 0, (sum(each.picture.rows * each.picture.columns for each in insets), 0, 0))}
        return {(each.row, each.column + left, self.colour_of(each)) for each in insets}

    @property
    def stand_ins(self) -> int:
        """Number of cells that stand in for pictures."""
        return self.terminal.text.count(STAND_IN)

    @property
    def cells_of_insets(self) -> int:
        return sum(each.picture.rows * each.picture.columns for each in self.shower.insets)

    def colour_of(self, given: ImagePlacement) -> Colour:
        key: Any = given.picture.key
        _, colour = key[0] if self.way.kind == "sixel" else key
        return colour


@pytest.mark.parametrize("name", WAYS)
async def test_whatever_happens_the_terminal_shows_the_pictures_there_are(name: str) -> None:
    app, chance = Showing(WAYS[name]), random.Random(7)
    colours = [(255, 0, 0), (0, 255, 0), (0, 0, 255)]
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        await pilot.pause()
        for step in range(80):
            kind = chance.randrange(5)
            if kind < 3:
                places = chance.sample(range(len(PLACES)), chance.randrange(4))
                places = [place for place in places if not {1, 2} <= set(places) or place != 2]
                insets = [inset(place, chance.choice(colours), app.way) for place in places]
                app.shower.show(insets, "words " * chance.randrange(8))
            elif kind == 3:
                app.query_one("#beside", Static).update(f"{step}\n" * chance.randrange(1, 15))
            else:
                app.push_screen(ModalScreen())
                await pilot.pause()
                if not app.way.placeholders:
                    assert not app.seen
                    assert app.stand_ins == app.cells_of_insets
                app.pop_screen()
            await pilot.pause()
            assert app.seen == app.expected(), step
            assert not app.stand_ins


@pytest.mark.parametrize("name", WAYS)
async def test_nothing_is_written_when_nothing_has_changed(name: str) -> None:
    app = Showing(WAYS[name])
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        insets = [inset(0, (255, 0, 0), app.way), inset(3, (0, 255, 0), app.way)]
        app.shower.show(insets)
        await pilot.pause()
        before = app.written
        app.shower.show(insets)
        await pilot.pause()
        assert app.written == before
        app.shower.show(insets, "words")
        await pilot.pause()
        assert app.written - before < 200, "text beside pictures has none of them sent again"


@pytest.mark.parametrize("name", ["sixel", "over"])
async def test_what_stands_in_front_is_not_drawn_over(name: str) -> None:
    app = Showing(WAYS[name])
    async with app.run_test(size=(WIDTH, HEIGHT), notifications=True) as pilot:
        app.shower.show([inset(0, (255, 0, 0), app.way), inset(4, (0, 255, 0), app.way).translate(3, 0)])
        await pilot.pause()
        assert len(app.seen) == 2
        app.notify("in front of the lower one", timeout=1000)
        await pilot.pause()
        await pilot.pause()
        assert {colour for *_, colour in app.seen} == {(255, 0, 0)}
        assert 0 < app.stand_ins < app.cells_of_insets, "the part that is not covered"
        app.shower.show([inset(0, (0, 0, 255), app.way), inset(4, (0, 0, 255), app.way).translate(3, 0)])
        await pilot.pause()
        assert len(app.seen) == 1
        assert "in front" in app.terminal.text
        app.clear_notifications()
        await pilot.pause()
        await pilot.pause()
        assert app.seen == app.expected()


@pytest.mark.parametrize("name", ["sixel", "over"])
async def test_the_last_row_of_the_screen_is_left_free(name: str) -> None:
    app = Showing(WAYS[name])
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        app.shower.show([inset(0, (255, 0, 0), app.way).translate(HEIGHT - 4, 0)])
        await pilot.pause()
        assert not app.seen
        app.shower.show([inset(0, (255, 0, 0), app.way).translate(HEIGHT - 5, 0)])
        await pilot.pause()
        assert len(app.seen) == 1


async def test_a_terminal_that_has_forgotten_all_is_sent_all_again() -> None:
    app = Showing(WAYS["in place"])
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        app.shower.show([inset(0, (255, 0, 0), app.way), inset(4, (0, 255, 0), app.way)])
        await pilot.pause()
        app.terminal.kitty.pictures.clear()
        app.layer.forget()
        app.shower.images.redraw()
        await pilot.pause()
        assert len(app.terminal.kitty.pictures) == 2
        app.write(app.layer.forget())
        assert not app.terminal.kitty.pictures


async def test_more_pictures_than_can_be_told_apart_are_left_out() -> None:
    app = Showing(WAYS["in place"])
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        pixels = np.zeros((20, 10, 3), np.uint8)
        many = [
            encode_image(pixels, number, app.way)[0].translate(number // 50, number % 50)
            for number in range(MAX_IMAGES + 1)
        ]
        app.shower.show(many)
        await pilot.pause()
        assert app.terminal.placeholders == 0
        app.shower.show(many[1:])
        await pilot.pause()
        assert app.terminal.placeholders == MAX_IMAGES


async def test_pictures_of_another_way_are_not_shown() -> None:
    for name, other in (("in place", "sixel"), ("over", "sixel"), ("sixel", "over")):
        app = Showing(WAYS[name])
        async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
            app.shower.show([inset(0, (255, 0, 0), WAYS[other])])
            await pilot.pause()
            assert not app.terminal.placeholders
            assert not app.terminal.sixels
            assert not app.terminal.kitty.pictures


def test_text_needs_no_layer() -> None:
    layer = make_layer(ImageProtocol("half", ""), VisibleInsets(MinimalRepaintScreen()), lambda _: None)
    cells = Cells.blank(2, 3)
    assert layer.with_placeholders(cells, ()) is cells
    assert (layer.output_after(()), layer.forget(), layer.lies_over) == ("", "", False)
    layer.leave()
