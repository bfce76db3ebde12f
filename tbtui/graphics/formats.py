"""Which format a picture is in, told by its first bytes: names and types that came with it are not believed."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BytesIO

    from PIL.ImageFile import ImageFile


@frozen
class Format:
    """One that Pillow decodes by itself, without other programs."""

    name: str
    """As people call it."""

    module: str
    """Of Pillow; only the one that is needed is imported."""

    opener: str
    """Class in that module."""

    ending: str
    """Of the names of its files."""

    def open(self, file: BytesIO) -> ImageFile:
        """Read the header alone. `Image.open` would guess among all formats, and weigh the size its own way."""
        opener: Callable[[BytesIO], ImageFile] = getattr(importlib.import_module(f"PIL.{self.module}"), self.opener)
        return opener(file)


PNG = Format("PNG", "PngImagePlugin", "PngImageFile", ".png")
JPEG = Format("JPEG", "JpegImagePlugin", "JpegImageFile", ".jpg")
GIF = Format("GIF", "GifImagePlugin", "GifImageFile", ".gif")
BMP = Format("BMP", "BmpImagePlugin", "BmpImageFile", ".bmp")
WEBP = Format("WebP", "WebPImagePlugin", "WebPImageFile", ".webp")
TIFF = Format("TIFF", "TiffImagePlugin", "TiffImageFile", ".tif")
PPM = Format("PPM", "PpmImagePlugin", "PpmImageFile", ".pnm")

_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": PNG,
    b"\xff\xd8\xff": JPEG,
    b"GIF87a": GIF,
    b"GIF89a": GIF,
    b"BM": BMP,
    b"II*\0": TIFF,
    b"MM\0*": TIFF,
    **{b"P%d%c" % (kind, blank): PPM for kind in range(1, 7) for blank in b" \t\r\n"},
}

_OTHERS = {
    b"%PDF": "a PDF document",
    b"%!PS": "a PostScript document",
    b"8BPS": "a Photoshop document",
    b"\0\0\0\x0cJXL ": "a JPEG XL picture",
    b"\xff\x0a": "a JPEG XL picture",
    b"\0\0\0\x0cjP  ": "a JPEG 2000 picture",
    b"\xff\x4f\xff\x51": "a JPEG 2000 picture",
    b"\0\0\1\0": "an icon",
    b"\x93NUMPY": "a NumPy array",
    b"PK\3\4": "a zip archive",
    b"\x1f\x8b": "something compressed with gzip",
    b"OggS": "an Ogg recording",
    b"\x1a\x45\xdf\xa3": "a Matroska or WebM film",
}
_BRANDS = {b"avif": "an AVIF picture", b"avis": "an AVIF picture", b"heic": "a HEIF picture", b"mif1": "a HEIF picture"}
"""Of what begins with the size and the kind of an ISO box."""

_SEEN = 1024
"""Bytes in which an SVG drawing names itself, behind a comment or two."""


def format_of(data: bytes) -> Format | None:
    """The format of a picture; None for anything else."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return WEBP
    return next((found for beginning, found in _BEGINNINGS.items() if data.startswith(beginning)), None)


def likeness(data: bytes) -> str:
    """What bytes look like that are no picture of a known format."""
    head = data[:_SEEN]
    if not head:
        return "nothing: it is empty"
    if head[4:8] == b"ftyp":
        return _BRANDS.get(head[8:12], "a film")
    if head[:4] == b"RIFF":
        return "a sound" if head[8:12] == b"WAVE" else "a film"
    if found := next((word for beginning, word in _OTHERS.items() if head.startswith(beginning)), None):
        return found
    if b"\0" in head or any(byte < 9 for byte in head):
        return "nothing that is known"
    text = head.lower()
    return "an SVG drawing" if b"<svg" in text else "an HTML page" if b"<html" in text else "text"
