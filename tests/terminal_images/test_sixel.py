"""What is written for terminals that draw sixels."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from tbtui.terminal_images.decode import draw_on_checker
from tbtui.terminal_images.quantization import quantize_to_palette
from tbtui.terminal_images.sixel import CHECKER_SQUARE, encode, encode_indexed, position_sixels
from tests.helpers.fake_terminals import drawn
from tests.helpers.image_files import photo


@pytest.mark.parametrize(("height", "width"), [(1, 1), (5, 9), (6, 6), (7, 3), (20, 31), (60, 80)])
def test_sixels_draw_about_the_same_picture_in_the_same_size(height: int, width: int) -> None:
    picture = photo(height, width)
    shown = drawn(encode(picture))
    assert shown.shape == picture.shape
    assert np.abs(shown.astype(int) - picture).mean() < 12


@pytest.mark.parametrize("colours", [2, 16, 256])
@pytest.mark.parametrize(("height", "width"), [(1, 1), (5, 9), (13, 40), (40, 61)])
def test_in_sixels_draws_each_pixel_of_the_palette_image(height: int, width: int, colours: int) -> None:
    for picture in (photo(height, width), np.random.default_rng(7).integers(0, 256, (height, width, 3), np.uint8)):
        image = quantize_to_palette(picture, colours)
        percent = (np.asarray(image.convert("RGB"), np.int64) * 100 + 127) // 255
        assert (drawn(encode_indexed(image)) == np.rint(percent * 255 / 100)).all()


def test_few_colours_are_drawn_as_they_are() -> None:
    picture = np.zeros((12, 10, 3), np.uint8)
    picture[3:9, 2:5] = [255, 0, 51]
    picture[:, 7] = [102, 204, 255]
    assert np.abs(drawn(encode(picture)).astype(int) - picture).max() <= 2


def test_what_is_transparent_lets_a_checkerboard_through() -> None:
    clear = np.zeros((24, 24, 4), np.uint8)
    assert np.abs(drawn(encode(clear)).astype(int) - draw_on_checker(clear, CHECKER_SQUARE)).max() <= 2


def test_fewer_colours_are_fewer_bytes() -> None:
    picture = photo(120, 160)
    sizes = [len(encode(picture, colours)) for colours in (16, 64, 256)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[2] / 2


def test_they_are_drawn_at_a_cell_and_the_cursor_stays() -> None:
    assert position_sixels(4, 10, "sixels") == "\x1b7\x1b[5;11Hsixels\x1b8"


def test_encoding_asks_the_terminal_nothing() -> None:
    code = """
import sys, numpy
class Terminal:
    def isatty(self): return True
    def write(self, text): raise SystemExit(f"asked {text!r}")
    def flush(self): pass
    def fileno(self): raise SystemExit("looked at the terminal")
sys.__stdout__ = sys.__stdin__ = Terminal()
from tbtui.terminal_images.sixel import encode
encode(numpy.zeros((6, 6, 3), numpy.uint8))
loaded = {name for name in sys.modules if name.startswith(("textual_image", "textual."))}
sys.exit(str(loaded) if loaded else 0)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
