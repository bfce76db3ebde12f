"""What is known of a picture before its pixels are decoded, and what is refused without decoding any."""

from __future__ import annotations

import re
import struct
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tbtui.terminal_images.header import MAX_ANIMATED_PIXELS, MAX_FRAMES, MAX_PIXELS, Header, PictureError, read_header
from tests.helpers.image_files import animation, encoded, photo, png, png_16_bit, png_chunk

EXIF_ORIENTATION = 0x0112


def lying(orientation: int) -> Image.Exif:
    exif = Image.Exif()
    exif[EXIF_ORIENTATION] = orientation
    return exif


@pytest.mark.parametrize(
    ("data", "header"),
    [
        (encoded(photo(7, 9)), Header("PNG", 9, 7, "RGB", 8)),
        (encoded(photo(7, 9, alpha=True)), Header("PNG", 9, 7, "RGBA", 8)),
        (encoded(photo(7, 9)[..., 0]), Header("PNG", 9, 7, "L", 8)),
        (encoded(Image.fromarray(photo(7, 9)).quantize(12), bits=4), Header("PNG", 9, 7, "P", 4)),
        (encoded(Image.new("1", (9, 7))), Header("PNG", 9, 7, "1", 1)),
        (png_16_bit(np.zeros((7, 9), np.uint16)), Header("PNG", 9, 7, "I;16", 16)),
        (png_16_bit(np.zeros((7, 9, 3), np.uint16)), Header("PNG", 9, 7, "RGB", 16)),
        (encoded(photo(7, 9), "JPEG"), Header("JPEG", 9, 7, "RGB", 8)),
        (encoded(photo(7, 9), "JPEG", progressive=True), Header("JPEG", 9, 7, "RGB", 8)),
        (encoded(photo(7, 9)[..., 0], "JPEG"), Header("JPEG", 9, 7, "L", 8)),
        (encoded(Image.new("CMYK", (9, 7)), "JPEG"), Header("JPEG", 9, 7, "CMYK", 8)),
        (encoded(photo(7, 9), "JPEG", exif=lying(6)), Header("JPEG", 7, 9, "RGB", 8)),
        (encoded(photo(7, 9), "JPEG", exif=lying(3)), Header("JPEG", 9, 7, "RGB", 8)),
        (encoded(photo(7, 9), "GIF"), Header("GIF", 9, 7, "P", 8)),
        (encoded(photo(7, 9), "BMP"), Header("BMP", 9, 7, "RGB", 8)),
        (encoded(photo(7, 9), "WEBP"), Header("WebP", 9, 7, "RGB", 8)),
        (encoded(photo(7, 9, alpha=True), "WEBP", lossless=True), Header("WebP", 9, 7, "RGBA", 8)),
        (encoded(photo(7, 9), "TIFF"), Header("TIFF", 9, 7, "RGB", 8)),
        (encoded(np.zeros((7, 9), np.float32), "TIFF"), Header("TIFF", 9, 7, "F", 32)),
        (encoded(photo(7, 9), "PPM"), Header("PPM", 9, 7, "RGB", 8)),
        (animation("GIF", 5), Header("GIF", 16, 16, "P", 8, 5, seconds=0.6)),
        (animation("WEBP", 4), Header("WebP", 16, 16, "RGBA", 8, 4, seconds=0.48)),
        (animation("PNG", 3), Header("PNG", 16, 16, "RGB", 8, 3, seconds=0.36)),
    ],
    ids=lambda value: value.format if isinstance(value, Header) else "",
)
def test_the_header_of(data: bytes, header: Header) -> None:
    assert read_header(data) == header
    assert header.size == (header.width, header.height)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "nothing: it is empty"),
        (b"<?xml version='1.0'?>\n<!-- by hand -->\n<svg xmlns='http://www.w3.org/2000/svg'/>", "an SVG drawing"),
        (b"  <svg/>", "an SVG drawing"),
        (b"<!doctype html><html>", "an HTML page"),
        (b"loss = 0.3", "text"),
        (b"%PDF-1.4", "a PDF document"),
        (b"%!PS-Adobe-3.0 EPSF-3.0", "a PostScript document"),
        (b"\0\0\0\x20ftypavif", "an AVIF image"),
        (b"\0\0\0\x20ftypheic", "a HEIF image"),
        (b"\0\0\0\x20ftypisom", "a film"),
        (b"RIFF\0\0\0\0WAVEfmt ", "a sound"),
        (b"RIFF\0\0\0\0AVI LIST", "a film"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\x93NUMPY\1\0", "a NumPy array"),
        (b"\x00\x01\x02\x03", "nothing that is known"),
    ],
)
def test_what_is_no_picture_is_called_what_it_looks_like(data: bytes, words: str) -> None:
    with pytest.raises(PictureError) as refused:
        read_header(data)
    assert str(refused.value) == f"this is not an image of a known format but {words}"


def huge(kind: str) -> bytes:
    """Headers of 60,000 x 60,000, or as near to it as the format goes."""
    if kind == "PNG":
        return png(60_000, 60_000, 8, 2, b"")
    if kind == "JPEG":
        return of_size(encoded(photo(8, 8), "JPEG"))
    if kind == "GIF":
        return b"GIF89a" + struct.pack("<HHBBB", 60_000, 60_000, 0, 0, 0) + encoded(photo(4, 4), "GIF")[13:]
    if kind == "BMP":
        return b"BM" + struct.pack("<IIIIiiHHIIiiII", 54, 0, 54, 40, 60_000, 60_000, 1, 24, 0, 0, 0, 0, 0, 0)
    if kind == "PPM":
        return b"P6 60000 60000 255\n"
    data = encoded(photo(4, 4), "TIFF")
    for tag in (256, 257):
        at = re.search(struct.pack("<H", tag) + rb"[\x03\x04]\x00\x01\x00\x00\x00", data).start()  # type: ignore[union-attr]
        data = data[: at + 8] + struct.pack("<H", 60_000) + data[at + 10 :]
    return data


def of_size(data: bytes) -> bytes:
    at = data.index(b"\xff\xc0") + 5
    return data[:at] + struct.pack(">HH", 60_000, 60_000) + data[at + 4 :]


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "BMP", "PPM", "TIFF"])
def test_open_picture_too_large_is_refused_before_decoding(kind: str) -> None:
    data = huge(kind)
    read_header(encoded(photo(4, 4), kind))  # imports what it needs
    tracemalloc.start()
    with pytest.raises(PictureError) as refused:
        read_header(data)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert str(refused.value) == (
        f"this {kind} image of 60,000 × 60,000 pixels is too large to be shown; 33 million pixels are the most"
    )
    assert most < 1 << 20


@pytest.mark.parametrize("lossless", [True, False])
def test_open_picture_large_webp_is_refused_before_its_decoder(lossless: bool) -> None:
    data = bytearray(encoded(photo(4, 4), "WEBP", lossless=lossless))
    if lossless:
        data[21:25] = struct.pack("<I", 16382 | 16382 << 14)
    else:
        data[26:30] = struct.pack("<HH", 16383, 16383)
    with pytest.raises(PictureError, match=r"16,383 × 16,383 pixels is too large"):
        read_header(bytes(data))
    extended = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + b"\xff\xff\xff" * 2
    with pytest.raises(PictureError, match=r"16,777,216 × 16,777,216 pixels is too large"):
        read_header(extended)


def test_a_gif_whose_frames_lie_far_outside_is_refused() -> None:
    data = encoded(photo(4, 4), "GIF")
    at = data.index(b",\0\0\0\0")
    moved = data[: at + 1] + struct.pack("<HH", 60_000, 60_000) + data[at + 5 :]
    with pytest.raises(PictureError, match=r"60,004 × 60,004 pixels is too large"):
        read_header(moved)


def test_an_endless_animation_has_as_many_frames_as_are_shown() -> None:
    data = encoded(photo(2, 2), "GIF")
    start = data.index(b",\0\0\0\0")
    frame = data[start:-1]
    many = data[:start] + frame * (MAX_FRAMES + 7) + b";"
    header = read_header(many)
    assert (header.frames, header.more_frames) == (MAX_FRAMES, True)
    assert not read_header(data[:start] + frame * 7 + b";").more_frames


def test_header_of_a_large_animation_limits_its_frames() -> None:
    frame = b",\0\0\0\0\0\0\0\0\0\2\0"  # nothing is in it: a few bytes a frame
    many = b"GIF89a" + struct.pack("<HHBBB", 5000, 5000, 0, 0, 0) + frame * 1000 + b";"
    header = read_header(many)
    assert (header.frames, header.more_frames) == (MAX_ANIMATED_PIXELS // 5000**2, True)


def test_a_jpeg_of_very_many_passes_is_refused_before_it_is_decoded() -> None:
    data = encoded(photo(64, 64), "JPEG", progressive=True)
    last = data.rindex(b"\xff\xda")
    assert read_header(data).frames == 1
    with pytest.raises(PictureError, match=r"^this JPEG image is stored in 3,\d{3} passes; 100 are the most$"):
        read_header(data[:-2] + data[last:-2] * 3000 + data[-2:])


@pytest.mark.parametrize("kind", ["GIF", "PNG"])
@pytest.mark.parametrize("count", [1, 2, 7])
def test_frames_are_counted_as_pillow_counts_them(kind: str, count: int) -> None:
    assert read_header(animation(kind, count)).frames == count


def test_the_bytes_decide_and_not_what_they_are_said_to_be() -> None:
    assert read_header(encoded(photo(3, 3), "JPEG")).format == "JPEG"
    # Pillow would go on to other formats where the first fails; here a beginning is a claim.
    with pytest.raises(PictureError, match="this begins like a PNG image, but no image follows"):
        read_header(b"\x89PNG\r\n\x1a\n" + encoded(photo(3, 3), "JPEG"))


def test_text_that_unpacks_to_very_much_is_not_unpacked() -> None:
    bomb = png_chunk(b"zTXt", b"comment\0\0" + zlib.compress(bytes(1 << 28), 9))
    header = png(2, 2, 8, 2, b"\0" + bytes(6) + b"\0" + bytes(6), bomb)
    tracemalloc.start()
    with pytest.raises(PictureError):
        read_header(header)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 8 << 20


KINDS = {
    "PNG": encoded(photo(6, 5)),
    "palette": encoded(Image.fromarray(photo(6, 5)).quantize(9)),
    "JPEG": encoded(photo(6, 5), "JPEG", exif=lying(5)),
    "GIF": animation("GIF"),
    "WEBP": animation("WEBP"),
    "APNG": animation("PNG"),
    "BMP": encoded(photo(6, 5), "BMP"),
    "TIFF": encoded(photo(6, 5), "TIFF"),
    "PPM": encoded(photo(6, 5), "PPM"),
}


@given(st.sampled_from(sorted(KINDS)), st.data())
def test_a_damaged_header_is_told_or_refused_and_nothing_else(kind: str, data: st.DataObject) -> None:
    whole = bytearray(KINDS[kind])
    for _ in range(data.draw(st.integers(0, 4))):
        whole[data.draw(st.integers(0, min(len(whole) - 1, 120)))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(whole)))
    told_or_refused(bytes(whole[:end]))


@given(st.sampled_from([b"", *(data[:16] for data in KINDS.values())]), st.binary(max_size=300))
def test_garbage_behind_a_good_beginning_is_told_or_refused(beginning: bytes, garbage: bytes) -> None:
    told_or_refused(beginning + garbage)


def told_or_refused(data: bytes) -> None:
    try:
        header = read_header(data)
    except PictureError as error:
        refused = str(error)
    else:
        assert min(header.size) >= 1
        assert header.width * header.height <= MAX_PIXELS
        assert 1 <= header.frames <= MAX_FRAMES
        return
    assert refused.startswith("this ")
    assert "\n" not in refused
