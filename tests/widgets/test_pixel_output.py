"""The terminal shows no image of an earlier cell size after a change of the font, however late new images come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from textual._compositor import CompositorUpdate
from textual.widgets import Static

from tbtui.charts.cells import Cells
from tbtui.terminal_images.capabilities import ImageProtocol
from tbtui.terminal_images.encode import ImagePlacement, encode_image
from tbtui.terminal_images.terminal_query import CellSize
from tbtui.widgets.cells_view import CellsView
from tbtui.widgets.image_layer import ImageLayer, ProtocolDetector
from tbtui.widgets.pixel_output import PixelOutput, TerminalImages
from tbtui.widgets.textual_patches.minimal_repaint import MinimalRepaintScreen
from tbtui.widgets.textual_patches.screen_diff import DiffedApp
from tests.helpers.pixel_terminal import XTERM, PixelScreen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType
    from textual.app import ComposeResult
    from textual.pilot import Pilot
    from textual.screen import Screen

WIDTH, HEIGHT = 60, 20
SMALL, LARGE = CellSize(10, 20), CellSize(12, 24)
ROWS, COLUMNS = 4, 8


def placement(column: int, cell: CellSize) -> ImagePlacement:
    """Return an image of `ROWS` x `COLUMNS` cells of a size."""
    pixels = np.full((ROWS * cell.height, COLUMNS * cell.width, 3), (255, 0, 0), np.uint8)
    (inset,) = encode_image(pixels, (column, cell), ImageProtocol("sixel", "", cell=cell))
    return inset.translate(1, column)


class Picture(CellsView):
    """Shows the images that a test gives it, in blank cells."""

    insets: Sequence[ImagePlacement] = ()

    def __init__(self) -> None:
        super().__init__()
        self.images = ImageLayer(self, lambda: self.insets, self._draw)

    def show(self, *insets: ImagePlacement) -> None:
        self.insets = insets
        self._draw()

    def on_resize(self) -> None:
        self.clear(self.size.height, self.size.width)
        self._draw()

    def _draw(self) -> None:
        self.put(0, 0, Cells.blank(self.size.height, self.size.width))
        self.images.update()


class PictureApp(DiffedApp[None]):
    """Shows images in a terminal that draws sixels and changes its font."""

    AUTO_FOCUS = None
    CSS = "Picture { height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self.terminal = PixelScreen(WIDTH, HEIGHT)
        self.picture = Picture()
        self.cell = SMALL

    def get_default_screen(self) -> MinimalRepaintScreen:
        return MinimalRepaintScreen(id="_default")

    def compose(self) -> ComposeResult:
        yield self.picture
        yield Static("below")

    def on_mount(self) -> None:
        output = PixelOutput(self.picture, (self.picture.images,), lambda: self.picture.show(*self.picture.insets))
        self.images = TerminalImages(self.picture)
        self.images.add(output)
        self.images.selection.feed("".join(XTERM.values()))
        self.images.want("sixel")

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if isinstance(renderable, CompositorUpdate):
            self.terminal.feed(self.changed_cells(renderable).encode())

    def change_font(self, cell: CellSize) -> None:
        """Report another size of cells, as a terminal does after its font has changed."""
        self.cell = cell
        self.terminal.cells.cell = cell.width, cell.height
        self.images.selection.decide()

    @property
    def sixels(self) -> set[tuple[int, tuple[int, int]]]:
        """Return column, width and height of each image that the terminal shows."""
        return {(column, image.shape[1::-1]) for (_, column), image in self.terminal.cells.sixels.items()}


def pixels_of(cell: CellSize) -> tuple[int, int]:
    return COLUMNS * cell.width, ROWS * cell.height


@pytest.fixture(autouse=True)
def _terminal_with_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TMUX", "STY", "ZELLIJ", "TERM_PROGRAM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> PictureApp:
    app = PictureApp()
    monkeypatch.setattr(ProtocolDetector, "_cell", lambda _: app.cell)
    return app


@pytest.mark.parametrize(("before", "after"), [(SMALL, LARGE), (LARGE, SMALL)])
async def test_images_of_another_cell_size_are_erased_before_new_ones(
    app: PictureApp, before: CellSize, after: CellSize
) -> None:
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        app.change_font(before)
        app.picture.show(placement(20, before))
        await settle(pilot)
        assert app.sixels == {(20, pixels_of(before))}
        app.picture.show()  # the layout has changed, and the frames of the new one are not there yet
        app.change_font(after)
        await settle(pilot)
        assert app.sixels == set()
        app.picture.show(placement(24, after))
        await settle(pilot)
        assert app.sixels == {(24, pixels_of(after))}


@pytest.mark.parametrize(("before", "after"), [(SMALL, LARGE), (LARGE, SMALL)])
async def test_late_images_of_another_cell_size_are_not_drawn(
    app: PictureApp, before: CellSize, after: CellSize
) -> None:
    async with app.run_test(size=(WIDTH, HEIGHT)) as pilot:
        app.change_font(before)
        app.change_font(after)
        app.picture.show(placement(20, before))  # was encoded while the font changed
        await settle(pilot)
        assert app.sixels == set()
        app.picture.show(placement(20, after))
        await settle(pilot)
        assert app.sixels == {(20, pixels_of(after))}


async def settle(pilot: Pilot[None]) -> None:
    await pilot.pause()
    await pilot.pause()
