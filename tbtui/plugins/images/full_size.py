"""One picture in full size as cells: alone, beside another one, or what differs between the two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.charts.cells import Cells, Ink
from tbtui.charts.palette import marker
from tbtui.charts.text import cell_width, fit, nameable, write
from tbtui.events.images import ImageError
from tbtui.frozen import frozen
from tbtui.graphics.pictures import PictureError
from tbtui.plugins.images.pixels import scaled_difference, size_of
from tbtui.plugins.images.placing import NOTHING, centred, said, told
from tbtui.plugins.images.sight import seen
from tbtui.plugins.images.steps import NoPictureError
from tbtui.plugins.images.words import difference_word, header_words, stop_word, zoom_word
from tbtui.widgets.frames import Opened

if TYPE_CHECKING:
    from tbtui.graphics.insets import Inset
    from tbtui.plugins.images.data import ImageData
    from tbtui.plugins.images.drawing import Drawing, Look
    from tbtui.plugins.images.pixels import Pixels
    from tbtui.plugins.images.sight import Size
    from tbtui.plugins.images.steps import Stop
    from tbtui.viewstate.choices import Choices

REFUSALS = ImageError, NoPictureError, PictureError
"""What may be wrong with one picture: told in its place."""


@frozen(eq=False)
class OpenedImage(Opened):
    """A picture in full size, with what the keys have to know of it."""

    size: Size | None = None
    """In pixels; None where there is none to look at."""

    room: Size = (1, 1)
    """Dots that it may take, at the left edge; of two pictures each."""

    dots: Size = (1, 2)
    """Of a cell, across and down."""

    top: int = 1
    """Row of `picture` at which that room begins."""

    frames: int = 1
    """Of an animation."""

    seconds: float = 0.0
    """Seconds for which the present one is shown."""

    insets: tuple[Inset, ...] = ()
    """Pictures in pixels among the cells of `picture`."""


@frozen(eq=False)
class Pictured:
    """What stands between the headline and the bar of steps."""

    cells: Cells
    told: tuple[str, ...] = ()
    """What is said of it in the headline; some may be empty."""

    size: Size | None = None
    room: Size = (1, 1)
    above: int = 0
    """Rows of words above the picture."""

    frames: int = 1
    seconds: float = 0.0
    insets: tuple[Inset, ...] = ()


class FullSize:
    """Draws the picture of one card.

    Args:
        data: Reads pictures.
        pixels: Decodes them.
        drawing: Draws them.
        look: How they are drawn.
        choices: What is chosen.
        key: The card.
        sample: Which of the pictures of a step.
        frame: Which frame of an animation.
    """

    def __init__(
        self,
        data: ImageData,
        pixels: Pixels,
        drawing: Drawing,
        look: Look,
        choices: Choices,
        key: str,
        sample: int,
        frame: int,
    ) -> None:
        self._data = data
        self._pixels = pixels
        self._drawing = drawing
        self._look = look
        self._choices = choices
        self._sight = choices.image_sights.get(key)
        self._sample = sample
        self._frame = frame

    def alone(self, shown: Stop, columns: int, rows: int) -> Pictured:
        """One picture in the middle of the room."""
        if columns < 1 or rows < 1:
            return Pictured(NOTHING)
        try:
            stored = self._data.stored(shown, self._sample)
            header, room = self._pixels.header(stored), self._look.room(columns, rows)
            if self._look.is_off:
                return Pictured(told(header_words(header, stored), columns, rows))
            part, frame = seen(header.size, room, self._sight, self._look.dots[0]), self._frame % header.frames
            image = self._pixels.scaled(stored, part, frame if header.frames > 1 else None)
        except REFUSALS as error:
            return Pictured(said(str(error), columns, rows))
        words = (
            f"⚠ {image.note}" if image.note else "",
            f"{header.width}×{header.height} {header.format}",
            f"frame {frame + 1} of {header.frames}" if header.frames > 1 else "",
            numbers.size(len(stored.data)),
            zoom_word(part.scale) if self._sight is not None else "",
        )
        drawn = centred(self._drawing.draw(image, self._look), columns, rows)
        return Pictured(drawn.cells, words, header.size, room, 0, header.frames, image.seconds, drawn.insets)

    def beside(self, shown: Stop, other: Stop, columns: int, rows: int) -> Pictured:
        """The picture at the right, and what it is compared with at the left."""
        cells = Cells.blank(max(rows, 0), max(columns, 0), coloured=True)
        width, insets = max(columns // 2 - 1, 0), []
        for stop, left in ((other, 0), (shown, columns - width)):
            half = self.alone(stop, width, rows - 1)
            self._caption(cells, stop, left, width)
            cells.put(1, left, half.cells)
            insets += [inset.moved(1, left) for inset in half.insets]
        return Pictured(cells, (), half.size, half.room, 1, insets=tuple(insets))

    def _caption(self, cells: Cells, stop: Stop, left: int, columns: int) -> None:
        """`● run · step 312` above a half."""
        if columns < 1 or not cells.height:
            return
        word = f" · {stop_word(stop, self._choices.x_axis)}"
        name = fit(f"{marker(stop.stored.ink)} {nameable(stop.stored.run.name)}", max(columns - cell_width(word), 2))
        end = write(cells, 0, left, name, stop.stored.ink)
        write(cells, 0, end, fit(word, left + columns - end), Ink.DIM)

    def difference(self, shown: Stop, other: Stop, columns: int, rows: int) -> Pictured:
        """How far apart the pixels of two pictures are: black where they are the same."""
        cells = Cells.blank(max(rows, 0), max(columns, 0), coloured=True)
        names = _named(shown, other, self._choices)
        if columns < 1 or rows < 2:
            return Pictured(cells)
        room = self._look.room(columns, rows - 1)
        try:
            both = self._data.stored(shown, self._sample), self._data.stored(other, self._sample)
            found = self._pixels.difference(*both)
            part = seen(size_of(found.pixels), room, self._sight, self._look.dots[0])
            image = scaled_difference(found, both, part)
        except REFUSALS as error:
            write(cells, 0, 0, fit(names, columns), Ink.TEXT)
            cells.put(1, 0, said(str(error), columns, rows - 1))
            return Pictured(cells)
        end = write(cells, 0, 0, fit(difference_word(found), columns), Ink.TEXT)
        write(cells, 0, end + 2, fit(names, columns - end - 2), Ink.DIM)
        drawn = centred(self._drawing.draw(image, self._look), columns, rows - 1)
        cells.put(1, 0, drawn.cells)
        insets = tuple(inset.moved(1, 0) for inset in drawn.insets)
        word = zoom_word(part.scale) if self._sight is not None else ""
        return Pictured(cells, (word,), size_of(found.pixels), room, 1, insets=insets)


def _named(shown: Stop, other: Stop, choices: Choices) -> str:
    """What is compared: two steps, two runs at one step, or both."""
    steps = [stop_word(stop, choices.x_axis) for stop in (shown, other)]
    runs = [nameable(stop.stored.run.name) for stop in (shown, other)]
    if runs[0] == runs[1]:
        return f"{steps[0]} and {steps[1]}"
    if steps[0] == steps[1]:
        return f"{runs[0]} and {runs[1]}, {steps[0]}"
    return f"{runs[0]} {steps[0]} and {runs[1]} {steps[1]}"
