"""Print images: one step of each tag and run, with its facts, and thumbnails on a target with colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.numbers import format_count
from tbtui.charts.text import safe
from tbtui.export.media import NOTHING_LOGGED
from tbtui.plugins.images.decode import ImageError
from tbtui.plugins.images.read import ImageReader
from tbtui.report.blocks import Heading, Notes, Picture
from tbtui.report.options import print_references
from tbtui.terminal_images.frame_selection import spread_frames
from tbtui.terminal_images.header import PictureError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.report.blocks import Block
    from tbtui.report.options import ChosenPoint, PrintOptions
    from tbtui.terminal_images.decode import Pixels
    from tbtui.view.view import View

MAX_RUNS = 4
MAX_SAMPLES = 3
"""Default maximum of runs for each tag, and of samples for each run."""

MAX_ENLARGED = 4
"""Maximum columns of one pixel: larger ones look like squares, not like a picture."""

MAX_STRIP_FRAMES = 6
"""Maximum number of frames of an animation in its strip."""

MIN_STRIP_COLUMNS = 12
"""Minimum width of a frame in its strip."""


def build_image_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield the images of each matching tag and run."""
    yield from print_references(view, options, "images", MAX_RUNS, _build_run_blocks)


def _build_run_blocks(chosen: ChosenPoint, options: PrintOptions) -> Iterator[Block]:
    yield Heading(chosen.series.tag, chosen.note_of_all)
    try:
        pictures = ImageReader(options.cache.payloads).read(chosen.run, chosen.series, chosen.point).encoded
    except ImageError as error:
        yield Notes((safe(str(error)),), Ink.WARN)
        return
    if not pictures:
        yield Notes((NOTHING_LOGGED,), Ink.WARN)
    shown = options.runs(len(pictures), MAX_SAMPLES)
    for number, data in enumerate(pictures[:shown]):
        where = f"{number + 1} of {len(pictures)}: " if len(pictures) > 1 else ""
        yield from _draw_picture(data, where, options)
    if shown < len(pictures):
        yield Notes((f"{format_count(len(pictures) - shown, 'more image')} of this step (--max-runs 0: all)",))


def _draw_picture(data: bytes, where: str, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.images.table import create_image_sample, format_frames, format_pixels
    from tbtui.terminal_images.header import read_header

    sample = create_image_sample(data)
    facts = dict(sample.facts)
    kind = facts.get("format") or "of no known format"
    size = f"{facts['width']} x {facts['height']} " if "width" in facts else ""
    film = "" if sample.problem else format_frames(read_header(data))
    notes = ", ".join(filter(None, (f"{where}{size}{kind}", film, format_count(len(data), "byte"))))
    note = ""
    if options.target.is_coloured and not sample.problem:
        try:
            cells, note = _draw_image(data, options)
        except PictureError as error:
            note = str(error)
        else:
            yield Picture(cells)
    elif not sample.problem:
        note = format_pixels(data)
    problem = ", ".join(safe(each) for each in (sample.problem, note) if each)
    yield Notes((f"{notes}; {problem}" if problem else notes,), Ink.WARN if problem else Ink.DIM)


def _draw_image(data: bytes, options: PrintOptions) -> tuple[Cells, str]:
    """Return an image as half blocks, within the output width and the chart height, and a note on its defects.

    An animation is a strip of the frames between which most changes.
    """
    from tbtui.terminal_images.decode import Frames, decode
    from tbtui.terminal_images.frame_selection import choose_frames, is_scanned, measure_changes
    from tbtui.terminal_images.half_blocks import PIXELS_DOWN
    from tbtui.terminal_images.header import read_header

    header, width, height = read_header(data), options.target.width, options.height * PIXELS_DOWN
    count = min(header.frames, MAX_STRIP_FRAMES, width // MIN_STRIP_COLUMNS)
    if count > 1:
        columns = width // count - 1
        frames, strip = Frames(data), Cells.blank(options.height, width, coloured=True)
        chosen = choose_frames(measure_changes(Frames(data)), count) if is_scanned(header) else ()
        left = bottom = 0
        for index in chosen or spread_frames(header.frames, count):
            cells = _reduce(frames.at(index).pixels, columns, height, options)
            strip.put(0, left, cells)
            left, bottom = left + cells.width + 1, max(bottom, cells.height)
        return strip.crop(slice(bottom), slice(left - 1)), ""
    decoded = decode(data, enough=(width, height))
    scale = min(width / header.width, height / header.height, MAX_ENLARGED)
    size = max(round(header.width * scale), 1), max(round(header.height * scale), 1)
    pixels = decoded.crop((0, 0, header.width, header.height), *size)
    narrow = decoded.values.text if decoded.values is not None and decoded.values.is_narrow else ""
    return _draw_half_blocks(pixels, options), "; ".join(filter(None, (decoded.note, narrow)))


def _reduce(pixels: Pixels, width: int, height: int, options: PrintOptions) -> Cells:
    from tbtui.terminal_images.decode import resize

    rows, columns = pixels.shape[:2]
    scale = min(width / columns, height / rows, MAX_ENLARGED)
    size = max(round(columns * scale), 1), max(round(rows * scale), 1)
    return _draw_half_blocks(resize(pixels, (0.0, 0.0, float(columns), float(rows)), *size), options)


def _draw_half_blocks(pixels: Pixels, options: PrintOptions) -> Cells:
    from tbtui.terminal_images.half_blocks import draw_half_blocks

    depth = "256" if options.target.depth == "16" else options.target.depth
    return draw_half_blocks(pixels, depth, dark=options.target.dark)
