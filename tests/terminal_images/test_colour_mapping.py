"""Masks and depth: their range is known, and they can be stretched or coloured."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from tbtui.terminal_images.decode import decode
from tbtui.terminal_images.header import PictureError, read_header

MASK = np.repeat(np.arange(3, dtype=np.uint8), 4).reshape(1, 12).repeat(4, axis=0)
DEPTH = np.linspace(0, 2520, 64).astype(np.uint16).reshape(8, 8)


def png(pixels: np.ndarray) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


@pytest.mark.parametrize(
    ("pixels", "text"),
    [
        (MASK, "values 0–2 of 255"),
        (np.stack([MASK] * 3, axis=2), "values 0–2 of 255"),
        (DEPTH, "values 0–2,520 of 65,535"),
        (np.full((4, 4), 3, np.uint8), "values 3 of 255"),
    ],
)
def test_decode_small_range_is_reported(pixels: np.ndarray, text: str) -> None:
    values = decode(png(pixels)).values
    assert values is not None
    assert (values.is_narrow, values.text) == (True, text)


@pytest.mark.parametrize("pixels", [np.zeros((4, 4), np.uint8), np.full((4, 4), 255, np.uint8), MASK * 60, DEPTH * 20])
def test_decode_other_range_is_not_narrow(pixels: np.ndarray) -> None:
    values = decode(png(pixels)).values
    assert values is not None
    assert not values.is_narrow


@pytest.mark.parametrize("pixels", [MASK, np.stack([MASK] * 3, axis=2), DEPTH])
def test_decode_stretched_reaches_black_and_white(pixels: np.ndarray) -> None:
    stretched = decode(png(pixels), tone="stretched").pixels
    assert (stretched.min(), stretched.max()) == (0, 255)
    assert decode(png(pixels)).pixels.max() < 11


def test_decode_stretched_colours_keep_the_order_of_channels() -> None:
    pixels = np.zeros((2, 2, 3), np.uint8)
    pixels[0, 0], pixels[1, 1] = (0, 2, 4), (4, 4, 0)
    assert decode(png(pixels), tone="stretched").pixels[0, 0].tolist() == [0, 128, 255]


def test_decode_classes_have_the_colours_of_the_voc_map() -> None:
    pixels = decode(png(MASK), tone="classes").pixels
    assert pixels[0, ::4].tolist() == [[0, 0, 0], [128, 0, 0], [0, 128, 0]]


def test_decode_depth_goes_from_dark_violet_to_yellow() -> None:
    pixels = decode(png(DEPTH), tone="depth").pixels
    assert pixels[0, 0].tolist() == [0x44, 0x01, 0x54]
    assert pixels[-1, -1].tolist() == [0xFD, 0xE7, 0x25]


def test_decode_colour_picture_keeps_its_colours_with_a_map() -> None:
    pixels = np.zeros((2, 2, 3), np.uint8)
    pixels[0, 0] = (200, 10, 3)
    assert np.array_equal(decode(png(pixels), tone="classes").pixels, pixels)


def test_decode_jpeg_beyond_the_bound_is_shown_reduced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tbtui.terminal_images.header.MAX_PIXELS", 5000)
    monkeypatch.setattr("tbtui.terminal_images.decode.MAX_PIXELS", 5000)
    image = Image.fromarray(np.full((100, 120, 3), (200, 30, 30), np.uint8))
    plain, progressive = io.BytesIO(), io.BytesIO()
    image.save(plain, "JPEG")
    image.save(progressive, "JPEG", progressive=True)
    decoded = decode(plain.getvalue())
    assert read_header(plain.getvalue()).size == (120, 100)
    assert decoded.pixels.shape == (50, 60, 3)
    assert decoded.note == "shown reduced: too large to be decoded whole"
    with pytest.raises(PictureError, match="too large to be shown"):
        decode(progressive.getvalue())


@pytest.mark.parametrize(("factor", "measured"), [(1, 2), (60, 1)])
def test_decode_thumbnail_measures_the_range_only_without_contrast(
    factor: int, measured: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    images: list[tuple[int, int]] = []

    def extrema(image: Image.Image) -> tuple[float, float]:
        images.append(image.size)
        return original(image)

    original = Image.Image.getextrema
    monkeypatch.setattr(Image.Image, "getextrema", extrema)
    mask = MASK.repeat(100, axis=0).repeat(100, axis=1) * factor
    values = decode(png(mask), enough=(12, 4)).values
    assert images == [(32, 32), (1200, 400)][:measured]
    assert (values is None) == (measured == 1)
    assert values is None or values.text == "values 0–2 of 255"
