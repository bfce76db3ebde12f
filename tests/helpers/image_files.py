"""Make encoded images of every format."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from typing import Any

import numpy as np
from PIL import Image


def encoded(pixels: np.ndarray | Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    """By Pillow; `pixels` [height, width] is grey, [height, width, 3 or 4] RGB or RGBA."""
    image = Image.fromarray(pixels) if isinstance(pixels, np.ndarray) else pixels
    file = BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def photo(height: int = 24, width: int = 32, *, alpha: bool = False, seed: int = 0) -> np.ndarray:
    """Smooth colours with a little noise."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[0 : 1 : 1j * height, 0 : 1 : 1j * width]  # type: ignore[misc]
    channels = [255 * x, 255 * y, 127 + 120 * np.sin(9 * x * y), 255 * (x + y > 0.5)][: 4 if alpha else 3]
    smooth = np.stack(channels, axis=2) + random.normal(0, 3, (height, width, 1))
    return np.clip(np.rint(smooth), 0, 255).astype(np.uint8)


def png_chunk(kind: bytes, body: bytes) -> bytes:
    """With its length and checksum."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width: int, height: int, depth: int, colour: int, rows: bytes, *others: bytes) -> bytes:
    """A PNG of any bit depth; each of its rows begins with a zero (no filter)."""
    header = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
    end = png_chunk(b"IDAT", zlib.compress(rows)) + png_chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(others) + end


def png_16_bit(values: np.ndarray) -> bytes:
    """uint16[height, width] grey, or [height, width, 3] RGB."""
    height, width = values.shape[:2]
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in values)
    return png(width, height, 16, 2 if values.ndim == 3 else 0, rows)


def animation(kind: str = "GIF", count: int = 3, milliseconds: int = 120, side: int = 16) -> bytes:
    """Frames of one grey each, darker to brighter, with a white corner that stays."""
    frames = [Image.fromarray(np.full((side, side, 3), 240 * (index + 1) // count, np.uint8)) for index in range(count)]
    for frame in frames:
        frame.putpixel((0, 0), (255, 255, 255))
    options = {"lossless": True} if kind == "WEBP" else {}
    return encoded(frames[0], kind, save_all=True, append_images=frames[1:], duration=milliseconds, loop=0, **options)
