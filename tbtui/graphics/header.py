"""What a picture is, before a pixel of it is decoded: whatever the bytes are, its size is known and bounded first."""

from __future__ import annotations

import logging
import warnings
from io import BytesIO
from typing import TYPE_CHECKING

from PIL import Image

from tbtui.frozen import frozen
from tbtui.graphics.formats import GIF, JPEG, PNG, TIFF, WEBP, Format, format_of, likeness
from tbtui.graphics.gif import gif_frames

if TYPE_CHECKING:
    from PIL.ImageFile import ImageFile

MOST_PIXELS = 1 << 25
"""Width times height that is decoded: a little more than 7,680 x 4,320. That is 128 MiB while Pillow has it, a WebP
picture four times as much, and 96 MiB as an array."""

MOST_FRAMES = 5000
"""Of an animation; no more are shown."""

MOST_ANIMATED_PIXELS = 1 << 30
"""Of all frames that are shown: to go from the first to the last takes ten seconds."""

MOST_SCANS = 100
"""Passes over a JPEG picture, each of which takes 10 ns a pixel however few bytes it has; those that come to be seen
from coarse to fine have some ten."""

_SCAN = b"\xff\xda"

LYING = 5
"""Orientations from here on change the places of the sides."""

_WIDTH, _LENGTH, _BITS_PER_SAMPLE, _ORIENTATION = 256, 257, 258, 274
"""Tags of EXIF 2.3 and of TIFF 6.0."""

_BITS = {"1": 1, "I": 32, "F": 32}

_NOWHERE = logging.NullHandler()


class PictureError(ValueError):
    """Bytes that are not shown as a picture; the message says why in one plain sentence."""


@frozen
class Header:
    """What is known of a picture before its pixels are."""

    format: str
    """Such as `PNG`."""

    width: int
    """In pixels, as it is shown: set upright."""

    height: int
    """Likewise."""

    mode: str
    """Pillow's word for the channels: `RGB`, `RGBA`, `L` (grey), `P` (with a palette) …"""

    bits: int
    """Of each channel in the file."""

    frames: int = 1
    """Of an animation, those that are shown."""

    more_frames: bool = False
    """There are others, behind them."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.width, self.height


def read_header(data: bytes) -> Header:
    """What a picture is, without decoding it.

    Raises:
        PictureError: No picture, none that can be shown, or too large a one.
    """
    return open_picture(data)[1]


def open_picture(data: bytes) -> tuple[ImageFile, Header]:
    """A picture of which only the header has been read, and what that says.

    Raises:
        PictureError: No picture, none that can be shown, or too large a one.
    """
    found = format_of(data)
    if found is None:
        raise PictureError(f"this is no picture of a known format but {likeness(data)}")
    if found is WEBP:
        _weigh(found, *_webp_size(data))  # its decoder takes room for all of it at once
    frames = gif_frames(data, MOST_FRAMES + 1) if found is GIF else None
    if frames is not None:
        _weigh(found, frames.width, frames.height)
    if found is JPEG and (scans := data.count(_SCAN)) > MOST_SCANS:
        raise PictureError(f"this JPEG picture is stored in {scans:,} passes; {MOST_SCANS} are the most")
    quiet_pillow()
    try:
        image = found.open(BytesIO(data))
        count = len(frames.delays) if frames is not None else 1 if found is TIFF else getattr(image, "n_frames", 1)
        header = _header(image, found, data, count)
    except Exception as error:
        if is_of_texts(error):
            raise PictureError("this PNG picture holds texts too large to be unpacked, and is not opened") from error
        raise PictureError(f"this begins like a {found.name} picture, but no picture follows") from error
    _weigh(found, header.width, header.height)
    if any(tile[0] == "libtiff" for tile in image.tile):
        raise PictureError("this TIFF picture is compressed; only those that are not are shown")
    return image, header


def quiet_pillow() -> None:
    """Have Pillow say nothing on stderr, where the dashboard is.

    This may be done in any number of threads, any number of times; filters that are taken back may not. (libtiff cannot
    be kept from writing there, which is why it is not let near anything.)
    """
    warnings.filterwarnings("ignore", module=r"PIL\.")
    logging.getLogger("PIL").addHandler(_NOWHERE)


def is_of_texts(error: Exception) -> bool:
    """Whether Pillow refuses texts or a colour profile in a PNG, of which a few bytes can unpack to gigabytes.

    A megabyte each are the most, 64 of them together. There is no other sign of it than the words.
    """
    told = str(error).lower()
    return isinstance(error, ValueError) and ("decompressed data too large" in told or "max_text_memory" in told)


def orientation_of(image: ImageFile) -> int:
    """As EXIF tells it; Pillow sets the pixels of TIFF upright by itself."""
    data = image.info.get("exif")
    if image.format == "TIFF" or not isinstance(data, bytes):
        return 1
    exif = Image.Exif()
    try:
        exif.load(data)
        found = exif.get(_ORIENTATION, 1)
    except Exception:  # noqa: BLE001 - EXIF is garbage more often than not
        return 1
    return found if isinstance(found, int) and 1 <= found <= 8 else 1


def _header(image: ImageFile, found: Format, data: bytes, frames: int) -> Header:
    width, height = image.size
    orientation = orientation_of(image)
    bits = _BITS.get(image.mode, 16 if image.mode.startswith("I;16") else 8)
    if found is PNG:
        bits = data[24]
    elif found is TIFF:
        tags = image.tag_v2  # type: ignore[attr-defined]
        width, height, orientation = tags[_WIDTH], tags[_LENGTH], tags.get(_ORIENTATION, 1)
        bits = int(tags.get(_BITS_PER_SAMPLE, (bits,))[0])
    elif image.mode == "I":
        bits = 16  # of PPM; Pillow stretches its values to that
    if orientation >= LYING:
        width, height = height, width
    shown = max(min(frames, MOST_FRAMES, MOST_ANIMATED_PIXELS // max(width * height, 1)), 1)
    return Header(found.name, width, height, image.mode, bits, shown, frames > shown)


def _webp_size(data: bytes) -> tuple[int, int]:
    """Width and height from the first chunk of a WebP file; source: RFC 9649."""
    chunk = data[12:16]
    if chunk == b"VP8X" and len(data) >= 30:
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    if chunk == b"VP8L" and len(data) >= 25:
        packed = int.from_bytes(data[21:25], "little")
        return (packed & 0x3FFF) + 1, (packed >> 14 & 0x3FFF) + 1
    sides = data[26:28], data[28:30]
    return int.from_bytes(sides[0], "little") & 0x3FFF, int.from_bytes(sides[1], "little") & 0x3FFF


def _weigh(found: Format, width: int, height: int) -> None:
    if width * height > MOST_PIXELS:
        raise PictureError(
            f"this {found.name} picture of {width:,} × {height:,} pixels is too large to be shown; "
            f"{MOST_PIXELS // 10**6} million pixels are the most"
        )
