"""Draw one picture: as cells or in pixels, centred in its room, alone or compared with another one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.card import stack_cells
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import cell_width, fit, write
from tbtui.frozen import frozen
from tbtui.plugins.images.decode import ImageError
from tbtui.plugins.images.pixels import get_size, scale_difference
from tbtui.plugins.images.settings import VALUES, VIEWPORTS
from tbtui.plugins.images.table import format_frames, format_header, format_image_difference, zoom_text
from tbtui.plugins.images.viewport import find_visible_part
from tbtui.plugins.shown_steps import NoValueError
from tbtui.plugins.step_cards import draw_caption, draw_error, draw_lines, step_text
from tbtui.terminal_images.decode import PictureError, adjust, compute_difference_gain, draw_on_backdrop
from tbtui.terminal_images.frame_selection import is_scanned
from tbtui.terminal_images.half_blocks import SQUARE as HALF_BLOCK_SQUARE
from tbtui.terminal_images.sixel import CHECKER_SQUARE as SIXEL_SQUARE
from tbtui.view.image_renderer import NO_CELLS, RenderedImage, RenderTarget, centre_image
from tbtui.view.painted_cards import OpenedCard
from tbtui.view.run_names import fit_run_name

if TYPE_CHECKING:
    from tbtui.plugins.images.pixels import PixelCache, Scaled
    from tbtui.plugins.images.read import ImageData, Stored
    from tbtui.plugins.images.settings import ImageViewport
    from tbtui.plugins.images.viewport import Size, VisiblePart
    from tbtui.plugins.shown_steps import ShownStep
    from tbtui.settings.settings import Settings
    from tbtui.terminal_images.colour_mapping import Tone, ValueRange
    from tbtui.terminal_images.decode import Backdrop, Header, Pixels
    from tbtui.terminal_images.encode import ImagePlacement
    from tbtui.terminal_images.frame_selection import Changes
    from tbtui.view.image_renderer import ImageRenderer


@frozen
class RenderStyle:
    """Colours and protocol that pictures are drawn with."""

    target: RenderTarget = RenderTarget()
    brightness: float = 1.0
    contrast: float = 1.0
    tone: Tone = "stored"
    """Conversion of values to colours."""

    backdrop: Backdrop = "checker"
    """Ground of transparent pictures."""

    is_trimmed: bool = False
    """True if plain margins are left out."""

    @property
    def small(self) -> RenderStyle:
        """The style of thumbnails."""
        return replace(self, target=self.target.small)

    def draw(self, image: Scaled, renderer: ImageRenderer) -> RenderedImage:
        """Draw a picture at its own size, in dots of the target."""
        square = SIXEL_SQUARE if self.target.in_pixels else HALF_BLOCK_SQUARE

        def finish(pixels: Pixels) -> Pixels:
            return draw_on_backdrop(adjust(pixels, self.brightness, self.contrast), self.backdrop, square)

        return renderer.draw((image.key, self), image.pixels, self.target, finish)


MIN_NAME_WIDTH = 6
"""Minimum columns of a run name in the title of a difference."""

MIN_STRIP_ROWS, MAX_STRIP_ROWS = 3, 8
"""Rows of the frames below an opened animation."""

STRIP_ROWS_DIVISOR = 5
"""The frames have at most this fraction (1/5) of the rows."""

MAX_STRIP_FRAMES, MAX_CARD_FRAMES = 8, 12
MIN_STRIP_COLUMNS = 12
"""Columns of a frame with the blank behind it."""

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


def find_picture_part(
    pixels: PixelCache, stored: Stored, area: Size, style: RenderStyle, viewport: ImageViewport | None = None
) -> tuple[Size, VisiblePart]:
    """Return the size of a picture, without its margins if they are trimmed, and its visible part."""
    size = pixels.header(stored).size
    box = pixels.find_content_box(stored) if style.is_trimmed else (0, 0, *size)
    if box == (0, 0, *size):
        return size, find_visible_part(size, area, viewport, style.target.dots[0])
    trimmed = box[2] - box[0], box[3] - box[1]
    return trimmed, find_visible_part(trimmed, area, viewport, style.target.dots[0]).shift_to_untrimmed(box)


def format_pixel_values(values: ValueRange | None, tone: Tone) -> str:
    """Return `values 0–2 of 255 (R)` if little can be seen of them as stored; else an empty text."""
    if values is None or not values.is_narrow:
        return ""
    return f"{values.text} ({VALUES.key})" if tone == "stored" else values.text


class DetailDrawing:
    """Draw the picture of one card in full size.

    Args:
        data: Reader of the pictures.
        pixels: Decoder of the pictures.
        renderer: Renderer of decoded pictures.
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
        renderer: ImageRenderer,
        style: RenderStyle,
        settings: Settings,
        key: str,
        sample: int,
        frame: int,
    ) -> None:
        self._data = data
        self._pixels = pixels
        self._renderer = renderer
        self._style = style
        self._settings = settings
        self._viewport = VIEWPORTS.value(settings).get(key)
        self._sample = sample
        self._frame = frame

    def draw_alone(self, shown: ShownStep, columns: int, rows: int, *, has_strip: bool = True) -> DetailImage:
        """Draw one picture in the middle of its area, with the frames of an animation below it."""
        if columns < 1 or rows < 1:
            return DetailImage(NO_CELLS)
        try:
            stored = self._data.load(shown, self._sample)
            header = self._pixels.header(stored)
            if self._style.target.is_off:
                return DetailImage(draw_lines(format_header(header, stored), columns, rows))
            strip = self._draw_strip(stored, header, columns, rows if has_strip else 0)
            rows -= strip.cells.height
            area = self._style.target.count_dots(columns, rows)
            size, part = find_picture_part(self._pixels, stored, area, self._style, self._viewport)
            frame = self._frame % header.frames
            image = self._pixels.scale(stored, part, frame if header.frames > 1 else None, self._style.tone)
        except IMAGE_ERRORS as error:
            return DetailImage(draw_error(str(error), columns, rows))
        words = (
            f"⚠ {image.note}" if image.note else "",
            format_pixel_values(image.values, self._style.tone),
            f"{header.width}×{header.height} {header.format}",
            f"frame {frame + 1} of {format_frames(header)}" if header.frames > 1 else "",
            numbers.format_size(len(stored.data)),
            zoom_text(part.scale) if self._viewport is not None else "",
        )
        picture = centre_image(self._style.draw(image, self._renderer), columns, rows)
        cells, insets = picture.cells, picture.insets
        if strip.cells.height:
            cells = stack_cells(cells, strip.cells)
            insets = (*insets, *(inset.translate(rows, 0) for inset in strip.insets))
        return DetailImage(cells, words, size, area, 0, header.frames, image.seconds, insets)

    def _draw_strip(self, stored: Stored, header: Header, columns: int, rows: int) -> RenderedImage:
        """Return frames of an animation at equal distances, each below its number; no rows where there is no room."""
        height = min(rows // STRIP_ROWS_DIVISOR, MAX_STRIP_ROWS)
        count = min(header.frames, MAX_STRIP_FRAMES, columns // MIN_STRIP_COLUMNS)
        if height < MIN_STRIP_ROWS or count < 2 or not is_scanned(header):
            return RenderedImage(Cells.blank(0, columns))
        shown = self._frame % header.frames
        return draw_strip(self._pixels, self._renderer, self._style.small, stored, (count, 1), columns, height, shown)

    def draw_side_by_side(self, shown: ShownStep, other: ShownStep, columns: int, rows: int) -> DetailImage:
        """Draw the picture at the right, and the one it is compared with at the left."""
        cells = Cells.blank(max(rows, 0), max(columns, 0), coloured=True)
        width, insets, frames, seconds = max(columns // 2 - 1, 0), [], 1, 0.0
        for stop, left in ((other, 0), (shown, columns - width)):
            half = self.draw_alone(stop, width, rows - 1, has_strip=False)
            frames, seconds = max(frames, half.frames), max(seconds, half.seconds)
            runs = shown.steps.run.name, other.steps.run.name
            draw_caption(cells, stop, self._settings.x_axis, left, width, runs)
            cells.put(1, left, half.cells)
            insets += [inset.translate(1, left) for inset in half.insets]
        words = (f"frame {self._frame % frames + 1} of {frames:,}",) if frames > 1 else ()
        return DetailImage(cells, words, half.size, half.room, 1, frames, seconds, tuple(insets))

    def draw_difference(self, shown: ShownStep, other: ShownStep, columns: int, rows: int) -> DetailImage:
        """Draw the difference of two pictures, so bright that it is visible; equal pixels are black."""
        cells = Cells.blank(max(rows, 0), max(columns, 0), coloured=True)
        if columns < 1 or rows < 2:
            return DetailImage(cells)
        try:
            both = self._data.load(shown, self._sample), self._data.load(other, self._sample)
            frames = _count_common_frames(*(self._pixels.header(stored).frames for stored in both))
            frame = self._frame % frames
            changes = self._pixels.frame_differences(*both, frames) if frames > 1 else None
            chart = (
                Cells.blank(0, columns)
                if changes is None or rows < MIN_APART_ROWS
                else draw_changes_line(changes.means, frame, columns)
            )
            rows -= chart.height
            area = self._style.target.count_dots(columns, rows - 1)
            difference = self._pixels.difference(*both, frame)
            part = find_visible_part(get_size(difference.pixels), area, self._viewport, self._style.target.dots[0])
            gain = compute_difference_gain(difference.bright if changes is None else changes.bright)
            image = scale_difference(difference, both, part, frame, gain)
        except IMAGE_ERRORS as error:
            write(cells, 0, 0, fit(_format_comparison(shown, other, self._settings, columns), columns), Ink.TEXT)
            cells.put(1, 0, draw_error(str(error), columns, rows - 1))
            return DetailImage(cells)
        end = write(cells, 0, 0, fit(format_image_difference(difference, gain), columns), Ink.TEXT)
        names_width = columns - end - 2
        names = _format_comparison(shown, other, self._settings, names_width)
        write(cells, 0, end + 2, fit(names, names_width), Ink.DIM)
        picture = centre_image(self._style.draw(image, self._renderer), columns, rows - 1)
        cells.put(1, 0, picture.cells)
        insets = tuple(inset.translate(1, 0) for inset in picture.insets)
        words = (
            zoom_text(part.scale) if self._viewport is not None else "",
            f"frame {frame + 1} of {frames:,}" if frames > 1 else "",
        )
        seconds = self._pixels.frame_seconds(both[0], frame) if frames > 1 else 0.0
        if chart.height:
            cells = stack_cells(cells.crop(slice(rows), slice(columns)), chart)
        return DetailImage(cells, words, get_size(difference.pixels), area, 1, frames, seconds, insets)


def _count_common_frames(first: int, second: int) -> int:
    """Return the number of frames of two animations that are compared; a still is compared with every frame."""
    return max(first, second) if 1 in (first, second) else min(first, second)


MIN_APART_ROWS = 6
"""Rows from which the difference of two animations has a line with that of all frames."""

EIGHTHS = " ▁▂▃▄▅▆▇█"


def draw_changes_line(changes: Changes, frame: int, columns: int) -> Cells:
    """Draw a line of bars, the difference of the frames of two animations, and name the frame that differs most.

    Args:
        changes: Mean difference of each frame, 0 to 255.
        frame: The frame that is shown.
        columns: Columns of the line; of more frames, each bar is the greatest of several.
    """
    cells = Cells.blank(1, columns, coloured=True)  # below a picture, whose colours it must not drop
    largest = int(np.argmax(changes))
    label = f"frames differ most at {largest + 1} " if changes[largest] else "all frames are equal "
    start = write(cells, 0, 0, fit(label, columns), Ink.DIM)
    bar_count = min(columns - start, len(changes))
    if bar_count < 1 or not changes[largest]:
        return cells
    edges = np.arange(bar_count) * len(changes) // bar_count
    heights = np.ceil(np.maximum.reduceat(changes, edges) / changes[largest] * (len(EIGHTHS) - 1)).astype(int)
    shown = int(np.searchsorted(edges, frame, "right")) - 1
    for index, height in enumerate(heights.tolist()):
        glyph = EIGHTHS[height] if height else "·"
        write(cells, 0, start + index, glyph, Ink.ACCENT if index == shown else Ink.TEXT if height else Ink.DIM)
    return cells


def strip_layout(columns: int, rows: int, frames: int) -> tuple[int, int]:
    """Return the frames in a row of a card and the rows of them; (1, 1) if there is room for one alone."""
    across = max(columns // MIN_STRIP_COLUMNS, 1)
    count = min(frames, MAX_CARD_FRAMES, across * max(rows // (MIN_STRIP_ROWS + 1), 1))
    across = min(across, count)
    return across, max(count // across, 1)


def draw_strip(
    pixels: PixelCache,
    renderer: ImageRenderer,
    style: RenderStyle,
    stored: Stored,
    layout: tuple[int, int],
    columns: int,
    height: int,
    shown: int | None = None,
) -> RenderedImage:
    """Draw the frames of an animation between which most changes, each below its number; raise PictureError.

    Args:
        pixels: Decoder of the frames.
        renderer: Renderer of the frames.
        style: Colours and protocol.
        stored: The animation.
        layout: Frames in a row, and rows of them.
        columns: Columns of the strip.
        height: Rows of each frame, without its number.
        shown: The frame under the cursor; its number, or that of the last one before it, is marked.
    """
    across, down = layout
    frames = pixels.choose_frames(stored, across * down)
    width = columns // across
    cells, insets = Cells.blank((height + 1) * down, columns, coloured=True), []
    pictures = pixels.strip(stored, frames, style.target.count_dots(width - 1, height), style.tone)
    for index, (frame, picture) in enumerate(zip(frames, pictures, strict=True)):
        top, left = index // across * (height + 1), index % across * width
        next_frame = frames[index + 1] if index + 1 < len(frames) else None
        is_marked = shown is not None and frame <= shown and (next_frame is None or shown < next_frame)
        write(cells, top, left, fit(f"frame {frame + 1}", width - 1), Ink.ACCENT if is_marked else Ink.DIM)
        picture_cells = style.draw(picture, renderer)
        cells.put(top + 1, left, picture_cells.cells)
        insets += [inset.translate(top + 1, left) for inset in picture_cells.insets]
    return RenderedImage(cells, tuple(insets))


def _format_comparison(shown: ShownStep, other: ShownStep, settings: Settings, columns: int) -> str:
    """Return the names of two compared pictures: two steps, two runs at one step, or both."""
    steps = [step_text(stop, settings.x_axis) for stop in (shown, other)]
    names = tuple(dict.fromkeys(stop.steps.run.name for stop in (shown, other)))
    shown_steps = steps[:1] if steps[0] == steps[1] else steps
    name_width = (columns - len(" and , ") - sum(map(cell_width, shown_steps))) // 2
    runs = [fit_run_name(stop.steps.run.name, names, max(name_width, MIN_NAME_WIDTH)) for stop in (shown, other)]
    if runs[0] == runs[1]:
        return f"{steps[0]} and {steps[1]}"
    if steps[0] == steps[1]:
        return f"{runs[0]} and {runs[1]}, {steps[0]}"
    return f"{runs[0]} {steps[0]} and {runs[1]} {steps[1]}"
