"""Read the header of an image: its format, size and frames are known and bounded before any pixel is decoded.

The format is detected by the first bytes; names and types in the log are not trusted. Frames of a GIF are located
without decoding, because Pillow lets a frame outside the image enlarge it during decoding. Durations of frames are read
from the blocks before their pixels. Sources: GIF89a specification, W3C copy, sections 17 to 27; PNG Third Edition
11.3.6.2 (`fcTL`); RFC 9649 2.7.1.1 (`ANMF`).
"""

from __future__ import annotations

import importlib
import logging
import struct
import warnings
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING

from PIL import Image

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    from PIL.ImageFile import ImageFile


@frozen
class Format:
    """An image format that Pillow decodes without other programs."""

    name: str
    """Common name."""

    module: str
    """Module of Pillow; only the needed one is imported."""

    opener: str
    """Class in that module."""

    ending: str
    """File name suffix."""

    def open(self, file: BytesIO) -> ImageFile:
        """Read the header alone. `Image.open` would guess among all formats and apply its own limits."""
        opener: Callable[[BytesIO], ImageFile] = getattr(importlib.import_module(f"PIL.{self.module}"), self.opener)
        return opener(file)


PNG = Format("PNG", "PngImagePlugin", "PngImageFile", ".png")
JPEG = Format("JPEG", "JpegImagePlugin", "JpegImageFile", ".jpg")
GIF = Format("GIF", "GifImagePlugin", "GifImageFile", ".gif")
BMP = Format("BMP", "BmpImagePlugin", "BmpImageFile", ".bmp")
WEBP = Format("WebP", "WebPImagePlugin", "WebPImageFile", ".webp")
TIFF = Format("TIFF", "TiffImagePlugin", "TiffImageFile", ".tif")
PPM = Format("PPM", "PpmImagePlugin", "PpmImageFile", ".pnm")

_SIGNATURES = {
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
    b"\0\0\0\x0cJXL ": "a JPEG XL image",
    b"\xff\x0a": "a JPEG XL image",
    b"\0\0\0\x0cjP  ": "a JPEG 2000 image",
    b"\xff\x4f\xff\x51": "a JPEG 2000 image",
    b"\0\0\1\0": "an icon",
    b"\x93NUMPY": "a NumPy array",
    b"PK\3\4": "a zip archive",
    b"\x1f\x8b": "something compressed with gzip",
    b"OggS": "an Ogg recording",
    b"\x1a\x45\xdf\xa3": "a Matroska or WebM film",
}
_BRANDS = {b"avif": "an AVIF image", b"avis": "an AVIF image", b"heic": "a HEIF image", b"mif1": "a HEIF image"}
"""Kinds of a file that begins with the size and the kind of an ISO box."""

_DETECTED_BYTES = 1024
"""Bytes in which an SVG drawing is recognised: a comment or two may come first."""


def detect_format(data: bytes) -> Format | None:
    """Return the format of an image; None for anything else."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return WEBP
    return next((image_format for signature, image_format in _SIGNATURES.items() if data.startswith(signature)), None)


def describe_bytes(data: bytes) -> str:
    """Return the likely kind of bytes that are no image of a known format."""
    head = data[:_DETECTED_BYTES]
    if not head:
        return "nothing: it is empty"
    if head[4:8] == b"ftyp":
        return _BRANDS.get(head[8:12], "a film")
    if head[:4] == b"RIFF":
        return "a sound" if head[8:12] == b"WAVE" else "a film"
    if other_format := next((word for signature, word in _OTHERS.items() if head.startswith(signature)), None):
        return other_format
    if b"\0" in head or any(byte < 9 for byte in head):
        return "nothing that is known"
    text = head.lower()
    return "an SVG drawing" if b"<svg" in text else "an HTML page" if b"<html" in text else "text"


MIN_FRAME_SECONDS, DEFAULT_FRAME_SECONDS = 0.02, 0.1
"""Seconds. A frame shorter than `MIN_FRAME_SECONDS` is shown for `DEFAULT_FRAME_SECONDS`, as in browsers; most such
durations are a meaningless zero."""


def display_seconds(seconds: float) -> float:
    """Return the duration for which a frame with a stored duration is shown."""
    return seconds if seconds >= MIN_FRAME_SECONDS else DEFAULT_FRAME_SECONDS


@frozen
class AnimationLength:
    """Length of an animation."""

    frames: int
    seconds: float

    @property
    def rate(self) -> float:
        """Mean number of frames per second."""
        return self.frames / self.seconds


def read_png_seconds(data: bytes, max_frames: int) -> list[float]:
    """Return the stored duration of each frame of an animated PNG, of at most `max_frames`."""
    seconds: list[float] = []
    offset = 8
    while offset + 8 <= len(data) and len(seconds) < max_frames:
        size, name = struct.unpack_from(">I4s", data, offset)
        if name == b"fcTL" and offset + 8 + 26 <= len(data):
            delay, unit = struct.unpack_from(">HH", data, offset + 8 + 20)
            seconds.append(delay / (unit or 100))
        offset += size + 12
    return seconds


def read_webp_seconds(data: bytes, max_frames: int) -> list[float]:
    """Return the stored duration of each frame of an animated WebP, of at most `max_frames`."""
    seconds: list[float] = []
    offset = 12
    while offset + 8 <= len(data) and len(seconds) < max_frames:
        name, size = struct.unpack_from("<4sI", data, offset)
        if name == b"ANMF" and offset + 8 + 16 <= len(data):
            seconds.append(int.from_bytes(data[offset + 20 : offset + 23], "little") / 1000)
        offset += 8 + size + size % 2
    return seconds


_EXTENSION, _PICTURE, _CONTROL = 0x21, 0x2C, 0xF9
_HEADER, _DESCRIPTOR = 13, 10


@frozen
class GifFrames:
    """Size and delays of a GIF, read from the blocks before the pixels."""

    width: int
    """Width of all frames together."""

    height: int
    """Height of all frames together."""

    delays: tuple[int, ...]
    """Duration of each frame in hundredths of a second."""


def read_gif_frames(data: bytes, max_frames: int) -> GifFrames:
    """Return the frames of a GIF as far as they can be located.

    Args:
        data: Bytes of the file, which may end or be damaged anywhere.
        max_frames: Maximum number of frames to locate.
    """
    width, height = int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    offset = _HEADER + _read_palette(data[10] if len(data) > 10 else 0)
    delays: list[int] = []
    delay = 0
    while offset < len(data) and len(delays) < max_frames:
        block = data[offset]
        if block == _EXTENSION and offset + 7 < len(data) and data[offset + 1] == _CONTROL:
            delay = int.from_bytes(data[offset + 4 : offset + 6], "little")
            offset = _skip_blocks(data, offset + 2)
        elif block == _EXTENSION:
            offset = _skip_blocks(data, offset + 2)
        elif block == _PICTURE and offset + _DESCRIPTOR < len(data):
            left, top, across, down = (
                int.from_bytes(data[index : index + 2], "little") for index in range(offset + 1, offset + 9, 2)
            )
            width, height = max(width, left + across), max(height, top + down)
            delays.append(delay)
            delay = 0
            offset = _skip_blocks(data, offset + _DESCRIPTOR + _read_palette(data[offset + 9]) + 1)
        elif block == ord(";"):
            break
        else:
            offset += 1  # as Pillow does
    return GifFrames(width, height, tuple(delays))


def _read_palette(flags: int) -> int:
    """Return the bytes of the palette that the flags declare."""
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _skip_blocks(data: bytes, offset: int) -> int:
    """Return the offset after a sequence of blocks that each begin with their size and end with an empty one."""
    end = len(data)
    while offset < end and (size := data[offset]):
        offset += size + 1
    return offset + 1


MAX_PIXELS = 1 << 25
"""Maximum width times height: a little more than 7,680 x 4,320. That is 128 MiB in Pillow, four times as much for WebP,
and 96 MiB as an array."""

MAX_REDUCED_PIXELS = 1 << 28
"""Maximum width times height of a JPEG that its decoder reduces to a half, a quarter or an eighth of its sides."""

MAX_FRAMES = 5000
"""Maximum number of frames of an animation that are shown."""

MAX_ANIMATED_PIXELS = 1 << 30
"""Maximum pixels of all frames that are shown: going from the first to the last takes ten seconds."""

MAX_SCANS = 100
"""Passes over a JPEG image, each of which takes 10 ns a pixel however few bytes it has; progressive images have about
ten."""

_SCAN = b"\xff\xda"

FIRST_TRANSPOSED = 5
"""Orientations from here swap width and height."""

_WIDTH, _LENGTH, _BITS_PER_SAMPLE, _ORIENTATION = 256, 257, 258, 274
"""Tags of EXIF 2.3 and of TIFF 6.0."""

_BITS = {"1": 1, "I": 32, "F": 32}

_NOWHERE = logging.NullHandler()


class PictureError(ValueError):
    """Raised for bytes that cannot be shown as an image. The message is one plain sentence."""


@frozen
class Header:
    """Header of an image."""

    format: str
    """Name such as `PNG`."""

    width: int
    """Pixels of the upright image."""

    height: int
    """Pixels of the upright image."""

    mode: str
    """Pillow's name of the channels: `RGB`, `RGBA`, `L` (grey), `P` (with a palette) …"""

    bits: int
    """Bits of each channel in the file."""

    frames: int = 1
    """Number of frames of an animation that are shown."""

    more_frames: bool = False
    """True if there are more frames after them."""

    seconds: float = 0.0
    """Duration of these frames, as they are shown; 0 for a picture of one frame."""

    is_reduced: bool = False
    """True if the picture is too large to be decoded whole, so that it is shown reduced."""

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height."""
        return self.width, self.height

    @property
    def film(self) -> AnimationLength | None:
        """Return the length of an animation; None for a picture of one frame."""
        return AnimationLength(self.frames, self.seconds) if self.frames > 1 and self.seconds > 0 else None


def read_header(data: bytes) -> Header:
    """Return the header of an image without decoding it.

    Raises:
        PictureError: No image, an unsupported one, or one that is too large.
    """
    return open_picture(data)[1]


def open_picture(data: bytes) -> tuple[ImageFile, Header]:
    """Open an image and read its header alone.

    Raises:
        PictureError: No image, an unsupported one, or one that is too large.
    """
    image_format = detect_format(data)
    if image_format is None:
        raise PictureError(f"this is not an image of a known format but {describe_bytes(data)}")
    if image_format is WEBP:
        _check_size(image_format, *_read_webp_size(data))  # its decoder takes room for all of it at once
    frames = read_gif_frames(data, MAX_FRAMES + 1) if image_format is GIF else None
    if frames is not None:
        _check_size(image_format, frames.width, frames.height)
    if image_format is JPEG and (scans := data.count(_SCAN)) > MAX_SCANS:
        raise PictureError(f"this JPEG image is stored in {scans:,} passes; {MAX_SCANS} are the most")
    silence_pillow()
    try:
        image = image_format.open(BytesIO(data))
        count = (
            len(frames.delays) if frames is not None else 1 if image_format is TIFF else getattr(image, "n_frames", 1)
        )
        delays = None if frames is None else frames.delays
        header = _build_header(image, image_format, data, count, delays)
    except Exception as error:
        if is_text_limit_error(error):
            raise PictureError("this PNG image holds texts too large to be unpacked, and is not opened") from error
        raise PictureError(f"this begins like a {image_format.name} image, but no image follows") from error
    if image_format is JPEG and MAX_PIXELS < header.width * header.height <= MAX_REDUCED_PIXELS:
        if image.info.get("progressive"):  # all of its coefficients are kept, whatever the size of the result
            _check_size(image_format, header.width, header.height)
        header = replace(header, is_reduced=True)
    else:
        _check_size(image_format, header.width, header.height)
    if any(tile[0] == "libtiff" for tile in image.tile):
        raise PictureError("this TIFF image is compressed; only uncompressed ones are shown")
    return image, header


def silence_pillow() -> None:
    """Prevent Pillow from writing to stderr, which is the terminal of the dashboard.

    This can be called from any thread any number of times; filters that are restored cannot. (libtiff cannot be
    silenced, so compressed TIFF is rejected.)
    """
    warnings.filterwarnings("ignore", module=r"PIL\.")
    logging.getLogger("PIL").addHandler(_NOWHERE)


def is_text_limit_error(error: Exception) -> bool:
    """Return True if Pillow rejects texts or a colour profile in a PNG, of which a few bytes can unpack to gigabytes.

    The limit is a megabyte each and 64 in total. Only the message of the error shows it.
    """
    message = str(error).lower()
    return isinstance(error, ValueError) and ("decompressed data too large" in message or "max_text_memory" in message)


def read_orientation(image: ImageFile) -> int:
    """Return the EXIF orientation; 1 for TIFF, whose pixels Pillow rotates itself."""
    data = image.info.get("exif")
    if image.format == "TIFF" or not isinstance(data, bytes):
        return 1
    exif = Image.Exif()
    try:
        exif.load(data)
        orientation = exif.get(_ORIENTATION, 1)
    except Exception:  # noqa: BLE001 - EXIF is garbage more often than not
        return 1
    return orientation if isinstance(orientation, int) and 1 <= orientation <= 8 else 1


def _build_header(
    image: ImageFile, image_format: Format, data: bytes, frames: int, delays: tuple[int, ...] | None
) -> Header:
    width, height = image.size
    orientation = read_orientation(image)
    bits = _BITS.get(image.mode, 16 if image.mode.startswith("I;16") else 8)
    if image_format is PNG:
        bits = data[24]
    elif image_format is TIFF:
        tags = image.tag_v2  # type: ignore[attr-defined]
        width, height, orientation = tags[_WIDTH], tags[_LENGTH], tags.get(_ORIENTATION, 1)
        bits = int(tags.get(_BITS_PER_SAMPLE, (bits,))[0])
    elif image.mode == "I":
        bits = 16  # of PPM; Pillow stretches its values to that
    if orientation >= FIRST_TRANSPOSED:
        width, height = height, width
    shown = max(min(frames, MAX_FRAMES, MAX_ANIMATED_PIXELS // max(width * height, 1)), 1)
    seconds = _read_frame_seconds(image_format, data, delays, shown) if shown > 1 else 0.0
    return Header(image_format.name, width, height, image.mode, bits, shown, frames > shown, seconds)


def _read_frame_seconds(image_format: Format, data: bytes, delays: tuple[int, ...] | None, frames: int) -> float:
    """Return the durations of the first frames of an animation in seconds."""
    if delays is not None:
        stored = [delay / 100 for delay in delays[:frames]]
    else:
        stored = read_png_seconds(data, frames) if image_format is PNG else read_webp_seconds(data, frames)
    stored += [0.0] * (frames - len(stored))
    return sum(map(display_seconds, stored))


def _read_webp_size(data: bytes) -> tuple[int, int]:
    """Return width and height from the first chunk of a WebP file; source: RFC 9649."""
    chunk = data[12:16]
    if chunk == b"VP8X" and len(data) >= 30:
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    if chunk == b"VP8L" and len(data) >= 25:
        packed = int.from_bytes(data[21:25], "little")
        return (packed & 0x3FFF) + 1, (packed >> 14 & 0x3FFF) + 1
    sides = data[26:28], data[28:30]
    return int.from_bytes(sides[0], "little") & 0x3FFF, int.from_bytes(sides[1], "little") & 0x3FFF


def _check_size(image_format: Format, width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        raise PictureError(
            f"this {image_format.name} image of {width:,} × {height:,} pixels is too large to be shown; "
            f"{MAX_PIXELS // 10**6} million pixels are the most"
        )
