"""Texts in a PNG, of which a few bytes unpack to gigabytes: the picture is not opened, and it is said why."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from PIL import Image

from tbtui.terminal_images.decode import decode, read_header
from tbtui.terminal_images.header import PictureError

BOMB = zlib.compress(bytes(4 << 20), 9)
PART_OF_BOMB = zlib.compress(bytes(1_000_000), 9)
UNPACKED = "this PNG image holds texts too large to be unpacked, and is not opened"


def chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(*chunks: bytes, behind: bool = False) -> bytes:
    """A small picture with chunks before its pixels, or behind them."""
    written = io.BytesIO()
    Image.new("RGB", (4, 4), (200, 10, 10)).save(written, "PNG")
    data = written.getvalue()
    at = len(data) - 12 if behind else 33
    return data[:at] + b"".join(chunks) + data[at:]


BOMBS = {
    "zTXt": (chunk(b"zTXt", b"k\0\0" + BOMB),),
    "iTXt": (chunk(b"iTXt", b"k\0\1\0\0\0" + BOMB),),
    "many": tuple(chunk(b"zTXt", b"k%d\0\0" % n + PART_OF_BOMB) for n in range(80)),
}


@pytest.mark.parametrize("name", BOMBS)
def test_it_is_refused_with_its_reason(name: str) -> None:
    for read in (read_header, decode):
        with pytest.raises(PictureError) as refused:
            read(png(*BOMBS[name]))
        assert str(refused.value) == UNPACKED


@pytest.mark.parametrize("name", BOMBS)
def test_behind_the_pixels_it_is_told_and_the_picture_is_seen(name: str) -> None:
    decoded = decode(png(*BOMBS[name], behind=True))
    assert decoded.note == "texts in it too large to be unpacked"
    assert decoded.pixels[0, 0].tolist() == [200, 10, 10]


def test_texts_as_they_are_do_no_harm() -> None:
    decoded = decode(png(chunk(b"tEXt", b"Software\0a plotter"), chunk(b"zTXt", b"k\0\0" + zlib.compress(b"words"))))
    assert decoded.note == ""
