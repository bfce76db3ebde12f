"""Print images: one step of each tag and run, with its facts, and thumbnails on a target with colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import counted
from tbtui.charts.text import safe
from tbtui.export.media import NOTHING_LOGGED
from tbtui.plugins.images.decode import ImageError
from tbtui.plugins.images.read import ImageReader
from tbtui.report.blocks import Heading, Notes, Picture
from tbtui.report.options import reference_blocks
from tbtui.terminal_images.header import PictureError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.charts.cells import Cells
    from tbtui.report.blocks import Block
    from tbtui.report.options import ChosenPoint, PrintOptions
    from tbtui.view.view import View

MAX_RUNS = 4
MAX_SAMPLES = 3
"""Default maximum of runs for each tag, and of samples for each run."""

MAX_ENLARGED = 4
"""Maximum columns of one pixel: larger ones look like squares, not like a picture."""


def image_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield the images of each matching tag and run."""
    yield from reference_blocks(view, options, "images", MAX_RUNS, _of_run)


def _of_run(chosen: ChosenPoint, options: PrintOptions) -> Iterator[Block]:
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
        yield from _picture(data, where, options)
    if shown < len(pictures):
        yield Notes((f"{counted(len(pictures) - shown, 'more picture')} of this step (--max-runs 0: all)",))


def _picture(data: bytes, where: str, options: PrintOptions) -> Iterator[Block]:
    from tbtui.plugins.images.table import film_text, picture_sample
    from tbtui.terminal_images.header import read_header

    sample = picture_sample(data)
    facts = dict(sample.facts)
    kind = facts.get("format") or "of no known format"
    size = f"{facts['width']} x {facts['height']} " if "width" in facts else ""
    film = "" if sample.problem else film_text(read_header(data))
    notes = ", ".join(filter(None, (f"{where}{size}{kind}", film, counted(len(data), "byte"))))
    note = ""
    if options.target.is_coloured and not sample.problem:
        try:
            cells, note = _thumbnail(data, options)
        except PictureError as error:
            note = str(error)
        else:
            yield Picture(cells)
    problem = ", ".join(safe(each) for each in (sample.problem, note) if each)
    yield Notes((f"{notes}; {problem}" if problem else notes,), Ink.WARN if problem else Ink.DIM)


def _thumbnail(data: bytes, options: PrintOptions) -> tuple[Cells, str]:
    """Return an image as half blocks, within the output width and the chart height, and a note on its defects."""
    from tbtui.terminal_images.decode import decode
    from tbtui.terminal_images.half_blocks import DOTS_DOWN, half_blocks

    room = options.target.width, options.height * DOTS_DOWN
    decoded = decode(data, enough=room)
    width, height = decoded.header.width, decoded.header.height
    scale = min(room[0] / width, room[1] / height, MAX_ENLARGED)
    size = max(round(width * scale), 1), max(round(height * scale), 1)
    pixels = decoded.part((0, 0, width, height), *size)
    depth = "256" if options.target.depth == "16" else options.target.depth
    narrow = decoded.values.text if decoded.values is not None and decoded.values.is_narrow else ""
    note = "; ".join(filter(None, (decoded.note, narrow)))
    return half_blocks(pixels, depth, dark=options.target.dark), note
