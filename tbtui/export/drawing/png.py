"""Drawings as PNG: shapes by Pillow with supersampling, text by FreeType fonts of the system."""

from __future__ import annotations

import io
from functools import lru_cache
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.text import UNKNOWN_MARK, cell_width, safe
from tbtui.export.drawing.lines import split_into_dashes
from tbtui.export.drawing.shapes import CELL_WIDTH, Boxes, Fill, Stroke, TextLine
from tbtui.export.drawing.svg import BASELINE
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

    from tbtui.export.drawing.shapes import Drawing, Floats

    Font: TypeAlias = FreeTypeFont | ImageFont

FONT_DIRECTORIES = (
    "/usr/share/fonts/truetype/dejavu",
    "/usr/share/fonts/dejavu-sans-mono-fonts",
    "/usr/share/fonts/dejavu",
    "/usr/share/fonts/TTF",
    "/usr/share/fonts/truetype/liberation",
    "/usr/share/fonts/liberation-mono",
    "/usr/share/fonts/truetype/noto",
    "/usr/share/fonts/noto",
    "/usr/share/fonts/truetype/ubuntu",
    "/usr/share/fonts/truetype/freefont",
    "/usr/share/fonts/opentype/noto",
    "/usr/share/fonts/noto-cjk",
    "/usr/share/fonts/google-noto-cjk",
    "/usr/share/fonts/truetype/wqy",
    "/usr/share/fonts/truetype/droid",
    "/usr/share/fonts/truetype/unifont",
    "/System/Library/Fonts",
    "/System/Library/Fonts/Supplemental",
    "/Library/Fonts",
)
"""Font directories of common systems."""

MONOSPACED_FONTS = (
    ("DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf"),
    ("LiberationMono-Regular.ttf", "LiberationMono-Bold.ttf"),
    ("NotoSansMono-Regular.ttf", "NotoSansMono-Bold.ttf"),
    ("UbuntuMono-R.ttf", "UbuntuMono-B.ttf"),
    ("FreeMono.ttf", "FreeMonoBold.ttf"),
    ("Menlo.ttc", "Menlo.ttc"),
    ("Courier New.ttf", "Courier New Bold.ttf"),
)
"""Names of regular and bold fonts, the best first."""

FALLBACK_FONTS = (
    "DejaVuSans.ttf",
    "NotoSansCJK-Regular.ttc",
    "NotoSansMonoCJK-Regular.ttc",
    "wqy-zenhei.ttc",
    "DroidSansFallbackFull.ttf",
    "NotoSansSymbols2-Regular.ttf",
    "unifont.ttf",
    "PingFang.ttc",
    "Hiragino Sans GB.ttc",
    "Arial Unicode.ttf",
)
"""Fonts for characters that a monospaced font lacks, such as Chinese ones."""

MISSING_CHARACTERS = "\uffff\u0378\U0010ffff"
"""Characters that no font has: their glyphs are the replacement glyphs of a font."""


class Fonts:
    """Select the font of each character.

    Args:
        width: Pixels of a cell.
        directories: Directories to search.
    """

    def __init__(self, width: int, directories: Sequence[str] = FONT_DIRECTORIES) -> None:
        self._width = width
        self._directories = directories
        self._fallbacks: dict[str, Font | None] = {}
        self._missing_masks: dict[Font, list[object]] = {}
        self._chosen: dict[tuple[str, bool], tuple[str, Font]] = {}
        self._first = self._load_monospaced()

    def choose(self, char: str, *, bold: bool = False) -> tuple[str, Font]:
        """Return a character and its font; a replacement mark if no font has the character."""
        key = char, bold
        if key not in self._chosen:
            self._chosen[key] = self._choose(char, bold=bold)
        return self._chosen[key]

    def _choose(self, char: str, *, bold: bool) -> tuple[str, Font]:
        first = self._first[bold]
        if char.isascii() or self._has(first, char):
            return char, first
        for name in FALLBACK_FONTS:
            if name not in self._fallbacks:
                path = _find_font(name, tuple(self._directories))
                self._fallbacks[name] = None if path is None else self._load(path, self._width * 5 / 3)
            font = self._fallbacks[name]
            if font is not None and self._has(font, char):
                return char, font
        return (UNKNOWN_MARK if self._has(first, UNKNOWN_MARK) else "."), first

    def _has(self, font: Font, char: str) -> bool:
        """Return True if a font can draw a character: its glyph differs from those of missing characters."""
        try:
            if font not in self._missing_masks:
                self._missing_masks[font] = [_draw_glyph_mask(font, each) for each in MISSING_CHARACTERS]
            mask = _draw_glyph_mask(font, char)
        except (OSError, UnicodeError, ValueError):  # a bitmap font has Latin-1 alone
            return False
        return mask not in self._missing_masks[font] and any(mask[1])

    def _load_monospaced(self) -> tuple[Font, Font]:
        """Return the regular and the bold font, in the size at which their characters fill a cell."""
        from PIL import ImageFont

        for regular, bold in MONOSPACED_FONTS:
            path = _find_font(regular, tuple(self._directories))
            regular_font = None if path is None else self._load_fitted(path)
            if regular_font is not None:
                bold_path = _find_font(bold, tuple(self._directories)) if bold != regular else None
                return regular_font, (None if bold_path is None else self._load_fitted(bold_path)) or regular_font
        try:
            built_in: Font = ImageFont.load_default(self._width * 3 / 2)
        except (ImportError, OSError, TypeError):  # Pillow was built without FreeType
            built_in = ImageFont.load_default()
        return built_in, built_in

    def _load_fitted(self, path: Path) -> Font | None:
        font = self._load(path, 100)
        if font is None:
            return None
        return self._load(path, self._width * 100 / max(font.getlength("M"), 1.0))

    @staticmethod
    def _load(path: Path, size: float) -> FreeTypeFont | None:
        from PIL import ImageFont

        try:
            return ImageFont.truetype(str(path), size, layout_engine=ImageFont.Layout.BASIC)
        except (ImportError, OSError, ValueError):
            return None


def _draw_glyph_mask(font: Font, char: str) -> tuple[object, bytes]:
    mask = font.getmask(char, "L")
    return mask.size, bytes(mask)


@lru_cache(maxsize=256)
def _find_font(name: str, directories: tuple[str, ...]) -> Path | None:
    return next((path for directory in directories if (path := Path(directory) / name).is_file()), None)


PIXELS_PER_UNIT = 2
"""Pixels per unit in both directions."""

SUPERSAMPLING = 3
"""Factor by which shapes are enlarged in either direction before they are averaged."""

MAX_STRIP_PIXELS = 4_000_000
"""Maximum enlarged pixels that are drawn at once, which bounds the memory."""

MIN_STRAIGHT_COSINE = 0.8
"""Cosine of the angle of a corner below which it gets a round disc; other corners have no visible gap."""

ZLIB_LEVEL = 6
"""Compression level; a higher one takes twice as long and saves 1 %."""

BLOCK_ROWS = 256
"""Rows of pixels processed at once."""

WHITE, BLACK = "#ffffff", "#000000"


def encode_png(drawing: Drawing, fonts: Fonts | None = None) -> bytes:
    """Return the bytes of a PNG file with `PIXELS_PER_UNIT` pixels per unit, marked as 144 dpi.

    Args:
        drawing: Drawing to encode.
        fonts: Fonts for cells of `PIXELS_PER_UNIT` times their units; None: fonts of the system.
    """
    fonts = fonts or Fonts(CELL_WIDTH * PIXELS_PER_UNIT)
    image = (
        _draw_image(drawing, drawing.ground, fonts) if drawing.ground is not None else _draw_transparent(drawing, fonts)
    )
    file = io.BytesIO()
    image.save(file, "PNG", dpi=(72 * PIXELS_PER_UNIT, 72 * PIXELS_PER_UNIT), compress_level=ZLIB_LEVEL)
    return file.getvalue()


def _draw_transparent(drawing: Drawing, fonts: Fonts) -> Image:
    """Return an image without background; alpha is the difference between the drawings on white and on black."""
    from PIL import Image

    on_white, on_black = (np.asarray(_draw_image(drawing, each, fonts)) for each in (WHITE, BLACK))
    pixels = np.empty((*on_white.shape[:2], 4), np.uint8)
    for first in range(0, len(pixels), BLOCK_ROWS):
        rows = slice(first, first + BLOCK_ROWS)
        white, black = on_white[rows].astype(np.float32), on_black[rows].astype(np.float32)
        alpha = 255 - np.clip((white - black).mean(axis=2, keepdims=True), 0, 255)
        pixels[rows, :, :3] = np.rint(np.clip(black * (255 / np.maximum(alpha, 1)), 0, 255))
        pixels[rows, :, 3:] = np.rint(alpha)
    return Image.fromarray(pixels)


def _draw_image(drawing: Drawing, background: str, fonts: Fonts) -> Image:
    from PIL import Image, ImageDraw

    width, height = drawing.width * PIXELS_PER_UNIT, drawing.height * PIXELS_PER_UNIT
    image = Image.new("RGB", (width, height), background)
    shapes = [_Enlarged.enlarge(shape) for shape in drawing.shapes if not isinstance(shape, TextLine)]
    rows = max(MAX_STRIP_PIXELS // (width * SUPERSAMPLING**2), 1)
    for first in range(0, height, rows):
        last = min(first + rows, height)
        strip = Image.new("RGB", (width * SUPERSAMPLING, (last - first) * SUPERSAMPLING), background)
        for shape in shapes:
            shape.draw(strip, first * SUPERSAMPLING)
        image.paste(strip.reduce(SUPERSAMPLING), (0, first))
    draw = ImageDraw.Draw(image)
    for each in drawing.shapes:
        if isinstance(each, TextLine):
            _write_text(draw, each, fonts)
    return image


@frozen(eq=False)
class _Enlarged:
    """A shape in enlarged pixels."""

    shape: Boxes | Stroke | Fill
    polylines: list[Floats]
    """Its rectangles, [left, top, right, bottom] each; or the points of each of its lines or polygons."""

    extents: list[tuple[float, float]]
    """First and last row that each part covers."""

    @staticmethod
    def enlarge(shape: Boxes | Stroke | Fill) -> _Enlarged:
        size = PIXELS_PER_UNIT * SUPERSAMPLING
        if isinstance(shape, Boxes):
            ends = np.concatenate((shape.rows[:, :2], shape.rows[:, :2] + shape.rows[:, 2:]), axis=1)
            boxes = np.rint(ends * size)
            return _Enlarged(shape, list(boxes), list(zip(boxes[:, 1].tolist(), boxes[:, 3].tolist(), strict=True)))
        points, half_width = shape.points, 0.0
        if isinstance(shape, Stroke):
            points = split_into_dashes(points, shape.dashes) if shape.dashes else points
            half_width = shape.width * size
        sections = np.split(np.rint(points * size), np.flatnonzero(np.isnan(points[:, 0])))
        lines = [line for section in sections if len(line := section[~np.isnan(section[:, 0])])]
        return _Enlarged(
            shape, lines, [(line[:, 1].min() - half_width, line[:, 1].max() + half_width) for line in lines]
        )

    def draw(self, strip: Image, top: int) -> None:
        """Draw the part of the shape in a strip whose first row is `top`."""
        from PIL import ImageDraw

        is_transparent = isinstance(self.shape, Fill) and self.shape.opacity < 1
        draw = ImageDraw.Draw(strip, "RGBA" if is_transparent else None)
        is_in_strip = (high < top + strip.height and low > top for high, low in self.extents)
        for points in compress(self.polylines, is_in_strip):
            if isinstance(self.shape, Boxes):
                left, first, right, last = points.tolist()
                if right > left and last > first:
                    draw.rectangle((left, first - top, right - 1, last - top - 1), self.shape.colour)
            elif isinstance(self.shape, Fill):
                if len(points) > 2:
                    colour = f"{self.shape.colour}{round(self.shape.opacity * 255):02x}"
                    draw.polygon((points - (0, top)).ravel().tolist(), colour if is_transparent else self.shape.colour)
            else:
                _draw_line(
                    draw,
                    points - (0, top),
                    self.shape.colour,
                    self.shape.width * PIXELS_PER_UNIT * SUPERSAMPLING,
                    strip.height,
                )


def _draw_line(draw: ImageDraw, line: Floats, colour: str, width: float, height: int) -> None:
    """Draw a line, with discs at its ends and corners."""
    half = width / 2
    is_dot = len(line) == 1 or (len(line) == 2 and float(np.abs(line[1] - line[0]).max()) < 1)
    if not is_dot:
        draw.line(line.ravel().tolist(), colour, max(round(width), 1))
    corners = line[:1] if is_dot else line[_find_corners(line)]
    corners = corners[(corners[:, 1] > -width) & (corners[:, 1] < height + width)]
    # Integers, because Pillow rounds fractions differently on both sides of 0.
    for ends in np.floor(np.concatenate((corners - half, corners + half), axis=1)).tolist():
        draw.ellipse(ends, colour)


def _find_corners(line: Floats) -> npt.NDArray[np.bool_]:
    """Return the points of a line that get a disc: both ends and sharp corners."""
    has_disc = np.ones(len(line), np.bool_)
    if len(line) > 2:
        vectors = np.diff(line, axis=0)
        lengths = np.hypot(vectors[:, 0], vectors[:, 1])
        products = (vectors[:-1] * vectors[1:]).sum(axis=1)
        has_disc[1:-1] = products < MIN_STRAIGHT_COSINE * lengths[:-1] * lengths[1:]
    return has_disc


def _write_text(draw: ImageDraw, line: TextLine, fonts: Fonts) -> None:
    """Write each character in the middle of its cells."""
    column = 0
    baseline = (line.top + BASELINE) * PIXELS_PER_UNIT
    for char in safe(line.text):
        width = cell_width(char)
        if char != " ":
            glyph, font = fonts.choose(char, bold=line.bold)
            free_width = width * CELL_WIDTH * PIXELS_PER_UNIT - font.getlength(glyph)
            left = (line.left + column * CELL_WIDTH) * PIXELS_PER_UNIT + free_width / 2
            _write_char(draw, (left, baseline), glyph, font, line.colour)
        column += width


def _write_char(draw: ImageDraw, position: tuple[float, float], char: str, font: Font, colour: str) -> None:
    """Write a character with its baseline at a position."""
    from PIL.ImageFont import FreeTypeFont

    if isinstance(font, FreeTypeFont):
        draw.text(position, char, colour, font, anchor="ls")
    else:  # a bitmap font has no baseline
        left, top, right, bottom = font.getbbox(char)
        draw.text((position[0], position[1] - (bottom - top) * 0.8), char if right > left else ".", colour, font)
