"""What painters make of pictures that the terminal draws, and of those that nobody does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tbtui.loading.payloads import Payloads
from tbtui.plugins.images.painter import ImagesPainter
from tbtui.plugins.images.pixels import PixelCache
from tbtui.plugins.images.read import ImageData
from tbtui.plugins.images.table import describe_protocol, format_protocol
from tbtui.terminal_images.capabilities import ImageProtocol
from tbtui.terminal_images.terminal_query import CellSize
from tbtui.view.image_renderer import ImageRenderer, RenderTarget
from tbtui.view.view import build_view
from tests.helpers.image_logs import BLUE, RED, ImageLogs, plain

if TYPE_CHECKING:
    from pathlib import Path

    from tbtui.terminal_images.encode import ImagePlacement

CELL = CellSize(8, 17)
HALF, OFF = ImageProtocol("half", "as chosen"), ImageProtocol("off", "as chosen")
KITTY = ImageProtocol("kitty", "as chosen", placeholders=True, cell=CELL)
SIXEL = ImageProtocol("sixel", "the terminal draws sixels", cell=CELL)
IN_TMUX = ImageProtocol("sixel", "tmux draws sixels", opened_only=True, cell=CELL)
PIXELS = pytest.mark.parametrize("way", [KITTY, SIXEL])


@pytest.fixture
def logs(tmp_path: Path) -> ImageLogs:
    made = ImageLogs(tmp_path)
    halves = plain(RED, 64, 32)
    halves[:, 32:] = BLUE
    made.add("a", {"x": {0: plain(RED, 200, 100), 1: halves}, "huge": {0: plain(RED, 900, 400)}})
    return made


class Painting:
    """A painter of these logs, and what it decodes."""

    def __init__(self, logs: ImageLogs, way: ImageProtocol, **settings: Any) -> None:
        app = logs.app(**settings)
        self.view = build_view(app.store, app.settings, app.colours, app.summary_cache)
        self.data, self.pixels = ImageData(Payloads()), PixelCache()
        self.cards = self.data.cards(self.view)
        screen = RenderTarget(way=way, ground=(20, 23, 28))
        self.painter = ImagesPainter(self.data, self.pixels, ImageRenderer(), self.view, self.cards, screen)

    def key(self, tag: str) -> str:
        return self.cards.key_of(tag)


def blank(cells: Any, inset: ImagePlacement) -> bool:
    rows = slice(inset.row, inset.row + inset.picture.rows)
    part = cells.crop(rows, slice(inset.column, inset.column + inset.picture.columns))
    return bool((part.glyphs == 32).all())


@PIXELS
def test_card_in_pixels_has_inset_inside_frame(logs: ImageLogs, way: ImageProtocol) -> None:
    painting = Painting(logs, way)
    painted = painting.painter.paint(painting.key("x"), 40, 14, focused=False)
    (inset,) = painted.insets
    assert blank(painted.cells, inset)
    assert inset.row >= 1
    assert inset.column >= 1
    assert inset.row + inset.picture.rows <= 13
    assert inset.column + inset.picture.columns <= 39
    width, height = inset.picture.size
    assert (width, height) == (inset.picture.columns * 8, inset.picture.rows * 17)
    assert width > 0.8 * 38 * 8, "small pictures fill what they can"


@PIXELS
def test_renderer_same_style_reuses_encoded_picture(logs: ImageLogs, way: ImageProtocol) -> None:
    painting = Painting(logs, way)
    key = painting.key("x")
    first, again = (painting.painter.paint(key, 40, 14, focused=focused).insets for focused in (True, False))
    assert first[0].picture is again[0].picture
    brighter = Painting(logs, way, image_brightness=1.5)
    assert brighter.painter.paint(key, 40, 14, focused=True).insets[0].picture.key != first[0].picture.key


@PIXELS
def test_opened_pictures_in_pixels_have_insets(logs: ImageLogs, way: ImageProtocol) -> None:
    painting = Painting(logs, way)
    opened = painting.painter.open(painting.key("x"), 100, 30)
    (inset,) = opened.insets
    assert blank(opened.picture, inset)
    assert opened.dots == (8, 17)
    assert opened.room[0] == 100 * 8
    beside = Painting(logs, way, image_comparison="beside")
    opened = beside.painter.open(beside.key("x"), 100, 30)
    left, right = sorted(opened.insets, key=lambda each: each.column)
    assert left.column + left.picture.columns <= right.column
    assert all(blank(opened.picture, each) for each in (left, right))
    difference = Painting(logs, way, image_comparison="difference")
    opened = difference.painter.open(difference.key("x"), 100, 30)
    assert len(opened.insets) == 1
    assert "differ" in opened.picture.text()


def test_tmux_gets_pixels_for_opened_pictures_only(logs: ImageLogs) -> None:
    painting, half = Painting(logs, IN_TMUX), Painting(logs, HALF)
    painted = painting.painter.paint(painting.key("x"), 40, 14, focused=False)
    as_text = half.painter.paint(half.key("x"), 40, 14, focused=False)
    assert painted.insets == ()
    for column in ("glyphs", "colours"):
        np.testing.assert_array_equal(getattr(painted.cells, column), getattr(as_text.cells, column))
    assert painting.painter.open(painting.key("x"), 100, 30).insets


@pytest.mark.parametrize("comparison", ["off", "beside", "difference"])
def test_images_off_shows_details_without_decoding(logs: ImageLogs, comparison: str) -> None:
    painting = Painting(logs, OFF, image_comparison=comparison)
    card = painting.painter.paint(painting.key("huge"), 40, 14, focused=False)
    assert "900 × 400 pixels" in card.cells.text()
    assert "PNG, RGB of 8 bits" in card.cells.text()
    assert "bytes encoded" in card.cells.text()
    for tag in ("x", "huge"):
        assert "pixels" in painting.painter.open(painting.key(tag), 100, 30).picture.text()
    assert painting.pixels.decodings == 0


@pytest.mark.parametrize("way", [KITTY, SIXEL, HALF, OFF])
@pytest.mark.parametrize("size", [(0, 0), (1, 1), (2, 2), (3, 3), (12, 4), (300, 90)])
def test_pixel_cards_of_every_size_are_drawn(logs: ImageLogs, way: ImageProtocol, size: tuple[int, int]) -> None:
    painting = Painting(logs, way)
    key = painting.key("x")
    painted = painting.painter.paint(key, *size, focused=True)
    assert (painted.cells.width, painted.cells.height) == size
    painting.painter.open(key, *size)


@pytest.mark.parametrize(
    ("way", "wanted", "word"),
    [
        (None, "auto", ""),
        (ImageProtocol("half", "this terminal shows text only"), "auto", ""),
        (HALF, "half", "half blocks"),
        (
            ImageProtocol("half", "this terminal reports no sixel support"),
            "sixel",
            "half blocks: this terminal reports no sixel support",
        ),
        (KITTY, "kitty", "kitty graphics"),
        (SIXEL, "auto", "sixels"),
        (OFF, "off", "images off"),
    ],
)
def test_status_names_protocol_and_reason_if_not_the_chosen_one(way: ImageProtocol, wanted: Any, word: str) -> None:
    assert format_protocol(way, wanted) == word


@pytest.mark.parametrize(
    ("way", "words"),
    [
        (OFF, "images off, as chosen"),
        (SIXEL, "drawn as sixels: the terminal draws sixels, cells of 8 × 17 pixels"),
        (
            ImageProtocol("kitty", "so it is", remote=True),
            "drawn as kitty graphics, in few colours, as the connection is remote: so it is",
        ),
        (ImageProtocol("half", "so it is", remote=True), "drawn as half blocks: so it is"),
    ],
)
def test_protocol_details_explain_the_protocol(way: ImageProtocol, words: str) -> None:
    assert describe_protocol(way) == words
