"""Draw one picture: as cells or in pixels, centred in its room, alone or compared with another one."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.colours import marker
from tbtui.charts.text import cell_width, fit, safe, visible_name, write
from tbtui.frozen import frozen
from tbtui.loading.payloads import ByteCache
from tbtui.plugins.images.decode import ImageError
from tbtui.plugins.images.display import VALUES
from tbtui.plugins.images.pixels import scaled_difference, size_of
from tbtui.plugins.images.table import difference_text, film_text, header_lines, step_text, zoom_text
from tbtui.plugins.images.viewport import seen
from tbtui.plugins.sample_steps import NoValueError
from tbtui.terminal_images.capabilities import ImageProtocol
from tbtui.terminal_images.decode import PictureError, adjusted, on_backdrop
from tbtui.terminal_images.encode import cell_size, encode_image, size_in_cells
from tbtui.terminal_images.half_blocks import DOTS_DOWN, half_blocks
from tbtui.terminal_images.half_blocks import SQUARE as HALF_BLOCK_SQUARE
from tbtui.terminal_images.sixel import CHECKER_SQUARE as SIXEL_SQUARE
from tbtui.view.painted_cards import OpenedCard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.images.pixels import PixelCache, Scaled
    from tbtui.plugins.images.read import ImageData, Stored
    from tbtui.plugins.images.viewport import Size, Viewport
    from tbtui.plugins.sample_steps import SampleStep
    from tbtui.settings.settings import ImageViewport, Settings
    from tbtui.terminal_images.decode import Backdrop
    from tbtui.terminal_images.encode import Colour, ImagePlacement
    from tbtui.terminal_images.half_blocks import Depth
    from tbtui.terminal_images.tone import Tone, ValueRange


MAX_ENCODED_BYTES = 32 << 20
"""Bytes of encoded pictures that are cached: several pages of them."""

HALF_BLOCKS = ImageProtocol("half", "")


@frozen
class RenderStyle:
    """Colours and protocol that pictures are drawn with."""

    brightness: float = 1.0
    contrast: float = 1.0
    depth: Depth = "true"
    """Colour depth of the terminal."""

    dark: bool = True
    """True if text is brighter than the background."""

    way: ImageProtocol = HALF_BLOCKS
    ground: Colour | None = None
    """Colour behind pictures; None where the terminal has a colour of its own there."""

    tone: Tone = "stored"
    """Conversion of values to colours."""

    backdrop: Backdrop = "checker"
    """Ground of transparent pictures."""

    is_trimmed: bool = False
    """True if plain margins are left out."""

    @property
    def small(self) -> RenderStyle:
        """The style of thumbnails."""
        return replace(self, way=replace(self.way, kind="half")) if self.way.opened_only else self

    @property
    def is_off(self) -> bool:
        """True if nothing is drawn, so that nothing has to be decoded."""
        return self.way.kind == "off"

    @property
    def in_pixels(self) -> bool:
        """True if the terminal draws pictures itself."""
        return self.way.kind in ("kitty", "sixel")

    @property
    def dots(self) -> Size:
        """Dots of a cell, across and down."""
        if not self.in_pixels:
            return 1, DOTS_DOWN
        cell = cell_size(self.way)
        return cell.width, cell.height

    def room(self, columns: int, rows: int) -> Size:
        """Return the dots of an area of cells, across and down."""
        return columns * self.dots[0], rows * self.dots[1]


@frozen(eq=False)
class RenderedImage:
    """A picture as it is put on the screen."""

    cells: Cells
    insets: tuple[ImagePlacement, ...] = ()
    """The parts that are drawn in pixels."""


class Rasterizer:
    """Draw pictures, and cache those last encoded as pixels. Used by one thread."""

    def __init__(self) -> None:
        self._insets: ByteCache[tuple[ImagePlacement, ...]] = ByteCache(MAX_ENCODED_BYTES)

    def draw(self, image: Scaled, style: RenderStyle) -> RenderedImage:
        """Draw a picture at its own size, in dots of its style."""
        if not style.in_pixels:
            pixels = on_backdrop(
                adjusted(image.pixels, style.brightness, style.contrast), style.backdrop, HALF_BLOCK_SQUARE
            )
            return RenderedImage(half_blocks(pixels, style.depth, dark=style.dark))
        columns, rows = size_in_cells(image.pixels, style.way)
        return RenderedImage(Cells.blank(rows, columns, coloured=True), self._in_pixels(image, style))

    def _in_pixels(self, image: Scaled, style: RenderStyle) -> tuple[ImagePlacement, ...]:
        key = image.key, style
        known = self._insets.get(key, tuple)
        if not known:
            pixels = adjusted(image.pixels, style.brightness, style.contrast)
            pixels = on_backdrop(pixels, style.backdrop, SIXEL_SQUARE)
            known = encode_image(pixels, key, style.way, style.ground)
            self._insets.put(key, known, sum(inset.picture.nbytes for inset in known))
        return known


NO_CELLS = Cells.blank(0, 0)


def centred(drawn: RenderedImage, columns: int, rows: int) -> RenderedImage:
    """Return a picture in the middle of an area."""
    cells, room = drawn.cells, Cells.blank(max(rows, 0), max(columns, 0), coloured=True)
    top, left = max((rows - cells.height) // 2, 0), max((columns - cells.width) // 2, 0)
    room.put(top, left, cells)
    return RenderedImage(room, tuple(inset.moved(top, left) for inset in drawn.insets))


def error_cells(why: str, columns: int, rows: int) -> Cells:
    """Return the reason for which there is no picture, wrapped."""
    return _lines(textwrap.wrap(safe(why), max(columns - 2, 1)), columns, rows, Ink.WARN)


def detail_cells(lines: Sequence[str], columns: int, rows: int) -> Cells:
    """Return details of a picture in place of the picture; long lines are cut."""
    return _lines(lines, columns, rows, Ink.DIM)


def _lines(lines: Sequence[str], columns: int, rows: int, ink: Ink) -> Cells:
    room = Cells.blank(max(rows, 0), max(columns, 0))
    for y, line in enumerate(lines[:rows], max(min(rows // 3, rows - len(lines)), 0)):
        write(room, y, 1, fit(line, columns - 2), ink)
    return room


IMAGE_ERRORS = ImageError, NoValueError, PictureError
"""Errors of one picture; their message is shown in its place."""


@frozen(eq=False)
class OpenedImage(OpenedCard):
    """A picture in full size, with what its keys need to know."""

    size: Size | None = None
    """Width and height in pixels; None where there is no picture."""

    room: Size = (1, 1)
    """Dots that the picture may take, from the left edge on; of two pictures each."""

    dots: Size = (1, 2)
    """Dots of a cell, across and down."""

    top: int = 1
    """Row of `picture` at which that area begins."""

    frames: int = 1
    """Number of frames of an animation."""

    seconds: float = 0.0
    """Seconds for which the present frame is shown."""

    insets: tuple[ImagePlacement, ...] = ()
    """Pictures in pixels among the cells of `picture`."""


@frozen(eq=False)
class DetailImage:
    """Everything between the title line and the bar of steps."""

    cells: Cells
    details: tuple[str, ...] = ()
    """Notes for the title line; some may be empty."""

    size: Size | None = None
    room: Size = (1, 1)
    above: int = 0
    """Rows of text above the picture."""

    frames: int = 1
    seconds: float = 0.0
    insets: tuple[ImagePlacement, ...] = ()


def visible_part(
    pixels: PixelCache, stored: Stored, room: Size, style: RenderStyle, sight: ImageViewport | None = None
) -> tuple[Size, Viewport]:
    """Return the size of a picture, without its margins if they are trimmed, and its visible part."""
    size = pixels.header(stored).size
    box = pixels.content_box(stored) if style.is_trimmed else (0, 0, *size)
    if box == (0, 0, *size):
        return size, seen(size, room, sight, style.dots[0])
    trimmed = box[2] - box[0], box[3] - box[1]
    return trimmed, seen(trimmed, room, sight, style.dots[0]).inside(box)


def values_text(values: ValueRange | None, tone: Tone) -> str:
    """Return `values 0–2 of 255 (R)` if little can be seen of them as stored; else an empty text."""
    if values is None or not values.is_narrow:
        return ""
    return f"{values.text} ({VALUES.key})" if tone == "stored" else values.text


class DetailDrawing:
    """Draw the picture of one card in full size.

    Args:
        data: Reader of the pictures.
        pixels: Decoder of the pictures.
        rasterizer: Renderer of decoded pictures.
        style: Colours and protocol.
        settings: The settings.
        key: The card.
        sample: Index among the pictures of a step.
        frame: Frame of an animation.
    """

    def __init__(
        self,
        data: ImageData,
        pixels: PixelCache,
        rasterizer: Rasterizer,
        style: RenderStyle,
        settings: Settings,
        key: str,
        sample: int,
        frame: int,
    ) -> None:
        self._data = data
        self._pixels = pixels
        self._rasterizer = rasterizer
        self._style = style
        self._settings = settings
        self._sight = settings.image_sights.get(key)
        self._sample = sample
        self._frame = frame

    def alone(self, shown: SampleStep, columns: int, rows: int) -> DetailImage:
        """Draw one picture in the middle of its area."""
        if columns < 1 or rows < 1:
            return DetailImage(NO_CELLS)
        try:
            stored = self._data.stored(shown, self._sample)
            header, room = self._pixels.header(stored), self._style.room(columns, rows)
            if self._style.is_off:
                return DetailImage(detail_cells(header_lines(header, stored), columns, rows))
            size, part = visible_part(self._pixels, stored, room, self._style, self._sight)
            frame = self._frame % header.frames
            image = self._pixels.scaled(stored, part, frame if header.frames > 1 else None, self._style.tone)
        except IMAGE_ERRORS as error:
            return DetailImage(error_cells(str(error), columns, rows))
        words = (
            f"⚠ {image.note}" if image.note else "",
            values_text(image.values, self._style.tone),
            f"{header.width}×{header.height} {header.format}",
            f"frame {frame + 1} of {film_text(header)}" if header.frames > 1 else "",
            numbers.size(len(stored.data)),
            zoom_text(part.scale) if self._sight is not None else "",
        )
        drawn = centred(self._rasterizer.draw(image, self._style), columns, rows)
        return DetailImage(drawn.cells, words, size, room, 0, header.frames, image.seconds, drawn.insets)

    def beside(self, shown: SampleStep, other: SampleStep, columns: int, rows: int) -> DetailImage:
        """Draw the picture at the right, and the one it is compared with at the left."""
        cells = Cells.blank(max(rows, 0), max(columns, 0), coloured=True)
        width, insets = max(columns // 2 - 1, 0), []
        for stop, left in ((other, 0), (shown, columns - width)):
            half = self.alone(stop, width, rows - 1)
            self._caption(cells, stop, left, width)
            cells.put(1, left, half.cells)
            insets += [inset.moved(1, left) for inset in half.insets]
        return DetailImage(cells, (), half.size, half.room, 1, insets=tuple(insets))

    def _caption(self, cells: Cells, stop: SampleStep, left: int, columns: int) -> None:
        """Write `● run · step 312` above one half."""
        if columns < 1 or not cells.height:
            return
        word = f" · {step_text(stop, self._settings.x_axis)}"
        name = fit(f"{marker(stop.steps.ink)} {visible_name(stop.steps.run.name)}", max(columns - cell_width(word), 2))
        end = write(cells, 0, left, name, stop.steps.ink)
        write(cells, 0, end, fit(word, left + columns - end), Ink.DIM)

    def difference(self, shown: SampleStep, other: SampleStep, columns: int, rows: int) -> DetailImage:
        """Draw the difference of two pictures; equal pixels are black."""
        cells = Cells.blank(max(rows, 0), max(columns, 0), coloured=True)
        names = _named(shown, other, self._settings)
        if columns < 1 or rows < 2:
            return DetailImage(cells)
        room = self._style.room(columns, rows - 1)
        try:
            both = self._data.stored(shown, self._sample), self._data.stored(other, self._sample)
            found = self._pixels.difference(*both)
            part = seen(size_of(found.pixels), room, self._sight, self._style.dots[0])
            image = scaled_difference(found, both, part)
        except IMAGE_ERRORS as error:
            write(cells, 0, 0, fit(names, columns), Ink.TEXT)
            cells.put(1, 0, error_cells(str(error), columns, rows - 1))
            return DetailImage(cells)
        end = write(cells, 0, 0, fit(difference_text(found), columns), Ink.TEXT)
        write(cells, 0, end + 2, fit(names, columns - end - 2), Ink.DIM)
        drawn = centred(self._rasterizer.draw(image, self._style), columns, rows - 1)
        cells.put(1, 0, drawn.cells)
        insets = tuple(inset.moved(1, 0) for inset in drawn.insets)
        word = zoom_text(part.scale) if self._sight is not None else ""
        return DetailImage(cells, (word,), size_of(found.pixels), room, 1, insets=insets)


def _named(shown: SampleStep, other: SampleStep, settings: Settings) -> str:
    """Return what is compared: two steps, two runs at one step, or both."""
    steps = [step_text(stop, settings.x_axis) for stop in (shown, other)]
    runs = [visible_name(stop.steps.run.name) for stop in (shown, other)]
    if runs[0] == runs[1]:
        return f"{steps[0]} and {steps[1]}"
    if steps[0] == steps[1]:
        return f"{runs[0]} and {runs[1]}, {steps[0]}"
    return f"{runs[0]} {steps[0]} and {runs[1]} {steps[1]}"
