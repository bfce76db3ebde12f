"""Pictures in a palette of their own."""

from __future__ import annotations

import numpy as np
import pytest

from tbtui.terminal_images.quantization import quantize_to_palette
from tests.helpers.image_files import photo


def shown(pixels: np.ndarray, colours: int, **how: bool) -> np.ndarray:
    image = quantize_to_palette(pixels, colours, **how)
    assert image.mode == "P"
    return np.asarray(image.convert("RGBA" if pixels.shape[2] == 4 else "RGB")).astype(int)


@pytest.mark.parametrize("dithered", [False, True])
def test_a_ground_keeps_its_colour_whatever_is_drawn_on_it(dithered: bool) -> None:
    picture = np.full((80, 100, 3), 255, np.uint8)
    picture[20:60, 10:90] = photo(40, 80)
    picture[70:, 50:] = [0, 0, 254]
    found = shown(picture, 64, dithered=dithered)
    assert (found[:20] == 255).all()
    assert (found[72:, 52:] == [0, 0, 254]).all()


def test_neighbours_make_up_for_what_each_of_them_is_off() -> None:
    y, x = np.mgrid[0:64, 0:96]
    picture = np.stack((40 + x * 2, 40 + y * 3, 130 + x - y), axis=2).astype(np.uint8)

    def off(found: np.ndarray) -> float:
        return float(np.abs((found - picture).reshape(16, 4, 24, 4, 3).mean(axis=(1, 3))).mean())

    plain, dithered = (shown(picture, 64, dithered=dithered) for dithered in (False, True))
    assert off(dithered) < off(plain) / 2


@pytest.mark.parametrize("colours", [16, 64, 256])
def test_there_are_no_more_colours_than_were_asked_for(colours: int) -> None:
    for dithered in (False, True):
        found = shown(photo(60, 80), colours, dithered=dithered)
        assert len(np.unique(found.reshape(-1, 3), axis=0)) <= colours


def test_alpha_stays() -> None:
    picture = photo(20, 30, alpha=True)
    picture[:10, :, 3], picture[10:, :, 3] = 255, 0
    found = shown(picture, 256)
    assert (found[:10, :, 3] == 255).all()
    assert (found[10:, :, 3] == 0).all()
