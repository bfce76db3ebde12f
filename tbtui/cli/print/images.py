"""Images: of each tag and run one step, as thumbnails where there are colours, and what is known of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import counted
from tbtui.charts.text import safe
from tbtui.cli.print.references import reference_blocks
from tbtui.cli.print.sheet import Heading, Picture, Words
from tbtui.events.images import ImageError
from tbtui.graphics.header import PictureError
from tbtui.loading.images import ImageReader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.charts.cells import Cells
    from tbtui.cli.print.asked import Asked
    from tbtui.cli.print.references import Chosen
    from tbtui.cli.print.sheet import Block
    from tbtui.viewstate.view import View

MOST_RUNS = 4
MOST_SAMPLES = 3
"""Runs of a tag, and samples of each, where nobody says how many."""

MOST_ENLARGED = 4
"""Columns of a pixel: more are no picture but squares."""


def image_blocks(view: View, asked: Asked) -> Iterator[Block]:
    """The pictures of each tag and run that matches."""
    yield from reference_blocks(view, asked, "images", MOST_RUNS, _of_run)


def _of_run(chosen: Chosen, asked: Asked) -> Iterator[Block]:
    yield Heading(chosen.series.tag, chosen.note_of_all)
    try:
        pictures = ImageReader(asked.kept.payloads).read(chosen.run, chosen.series, chosen.point).encoded
    except ImageError as error:
        yield Words((safe(str(error)),), Ink.WARN)
        return
    shown = asked.runs(len(pictures), MOST_SAMPLES)
    for number, data in enumerate(pictures[:shown]):
        where = f"{number + 1} of {len(pictures)}: " if len(pictures) > 1 else ""
        yield from _picture(data, where, asked)
    if shown < len(pictures):
        yield Words((f"{counted(len(pictures) - shown, 'more picture')} of this step (--max-runs 0: all)",))


def _picture(data: bytes, where: str, asked: Asked) -> Iterator[Block]:
    from tbtui.export.images import picture_sample

    sample = picture_sample(data)
    facts = dict(sample.facts)
    kind = facts.get("format") or "of no known format"
    size = f"{facts['width']} x {facts['height']} " if "width" in facts else ""
    said = f"{where}{size}{kind}, {counted(len(data), 'byte')}"
    note = ""
    if asked.paper.is_coloured and not sample.problem:
        try:
            cells, note = _thumbnail(data, asked)
        except PictureError as error:
            note = str(error)
        else:
            yield Picture(cells)
    problem = ", ".join(safe(each) for each in (sample.problem, note) if each)
    yield Words((f"{said}; {problem}" if problem else said,), Ink.WARN if problem else Ink.DIM)


def _thumbnail(data: bytes, asked: Asked) -> tuple[Cells, str]:
    """A picture as half blocks, as large as the paper is wide and a chart is high, and what is odd about it."""
    from tbtui.graphics.half_blocks import DOTS_DOWN, half_blocks
    from tbtui.graphics.pictures import decode

    room = asked.paper.width, asked.height * DOTS_DOWN
    decoded = decode(data, enough=room)
    width, height = decoded.header.width, decoded.header.height
    scale = min(room[0] / width, room[1] / height, MOST_ENLARGED)
    size = max(round(width * scale), 1), max(round(height * scale), 1)
    pixels = decoded.part((0, 0, width, height), *size)
    depth = "256" if asked.paper.depth == "16" else asked.paper.depth
    return half_blocks(pixels, depth, dark=asked.paper.dark), decoded.note
