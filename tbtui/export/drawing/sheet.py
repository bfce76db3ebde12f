"""Several cards and a legend as one drawing."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import cell_width, format_run_name, safe, shorten, write
from tbtui.export.drawing.cell_shapes import draw_cells
from tbtui.export.drawing.lines import DASHES, LINE_WIDTH, clear_lines, draw_lines
from tbtui.export.drawing.shapes import CELL_HEIGHT, CELL_WIDTH, Drawing, Stroke
from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.fan import FanPicture
    from tbtui.charts.ink_colours import InkTheme
    from tbtui.charts.line_chart import LinePicture
    from tbtui.export.drawing.shapes import Shape


MARGIN = 8
"""Units around a picture."""

SAMPLE_COLUMNS, NAME_GAP = 4, 3
"""Columns of the line before a name with the blank behind it, and between two names."""

MAX_LEGEND_NAMES = 240
"""Maximum number of names in the legend; more lines cannot be distinguished, so the others are only counted."""


@frozen(eq=False)
class Card:
    """A card and its position."""

    row: int
    column: int
    cells: Cells
    body: LinePicture | FanPicture | None = None
    """The chart in its frame if it is a line chart."""


@frozen
class LegendEntry:
    """A line of the legend."""

    name: str
    """Any text."""

    ink: int
    """A series ink."""

    pattern: int | None = 0
    """Index into `canvas.DASH_PATTERNS`; None: no line, the legend shows a dot before the name."""


def draw_sheet(
    cards: Sequence[Card],
    legend: Sequence[LegendEntry],
    width: int,
    height: int,
    colours: InkTheme,
    *,
    background: str | None,
    caption: str = "",
    title: str = "",
) -> Drawing:
    """Return one drawing of cards with a legend below them.

    Args:
        cards: All cards.
        legend: Entries in order.
        width: Columns of all cards together.
        height: Rows of all cards together.
        colours: Colours of inks.
        background: Background colour; None: transparent.
        caption: Text below the legend; any text.
        title: Title for screen readers.
    """
    shapes: list[Shape] = []
    for card in cards:
        shapes += _draw_card(card, colours)
    legend_block = _lay_out_legend(legend, width, caption)
    top = MARGIN + height * CELL_HEIGHT - CELL_HEIGHT / 2
    shapes += draw_cells(legend_block.cells, colours, MARGIN, top)
    for row, column, entry in legend_block.samples:
        shapes.append(_draw_sample(entry, MARGIN + column * CELL_WIDTH, top + (row + 0.5) * CELL_HEIGHT + 0.5, colours))
    rows = height + legend_block.cells.height
    size = width * CELL_WIDTH + 2 * MARGIN, rows * CELL_HEIGHT + MARGIN
    return Drawing(*size, tuple(shapes), background, title)


def count_legend_rows(legend: Sequence[LegendEntry], width: int, caption: str = "") -> int:
    """Return the number of rows of legend and caption, including the blank one above them."""
    return _lay_out_legend(legend, width, caption).cells.height


def _draw_sample(entry: LegendEntry, left: float, middle: float, colours: InkTheme) -> Stroke:
    """Return the piece of line that precedes a name."""
    colour = colours.of(entry.ink).colour
    if entry.pattern is None:
        return Stroke(np.array([(left + (SAMPLE_COLUMNS - 1.5) * CELL_WIDTH, middle)]), colour, CELL_WIDTH)
    points = np.array([(left + 1, middle), (left + (SAMPLE_COLUMNS - 1) * CELL_WIDTH, middle)])
    return Stroke(points, colour, 2 * LINE_WIDTH, DASHES[entry.pattern % len(DASHES)])


def _draw_card(card: Card, colours: InkTheme) -> list[Shape]:
    left, top = MARGIN + card.column * CELL_WIDTH, MARGIN + card.row * CELL_HEIGHT
    if card.body is None:
        return draw_cells(card.cells, colours, left, top)
    cells = clear_lines(card.cells, card.body, 1, 1)
    lines = draw_lines(card.body, colours, left + CELL_WIDTH, top + CELL_HEIGHT)
    return [*lines, *draw_cells(cells, colours, left, top)]


@frozen(eq=False)
class _Legend:
    cells: Cells
    samples: tuple[tuple[int, int, LegendEntry], ...]
    """Row and column of the line in front of each name."""


def _lay_out_legend(legend: Sequence[LegendEntry], width: int, caption: str) -> _Legend:
    """Names in columns, read down, as many side by side as there is room for; below them the caption."""
    shown = legend[:MAX_LEGEND_NAMES]
    if not shown:
        return _Legend(Cells.blank(0, width), ())
    caption_lines = textwrap.wrap(safe(caption), max(width - 2, 1))
    max_name_width = max(width - SAMPLE_COLUMNS - 2, 1)
    names = [shorten(safe(format_run_name(each.name)), max_name_width) for each in shown]
    step = max(map(cell_width, names)) + SAMPLE_COLUMNS + NAME_GAP
    across = min(max((width - 2 + NAME_GAP) // step, 1), len(shown))
    down = -(-len(shown) // across)
    others = len(legend) - len(shown)
    cells = Cells.blank(1 + down + (others > 0) + len(caption_lines), width)
    samples = []
    for index, (name, each) in enumerate(zip(names, shown, strict=True)):
        column, row = divmod(index, down)
        write(cells, row + 1, 1 + column * step + SAMPLE_COLUMNS, name, Ink.TEXT)
        samples.append((row + 1, 1 + column * step, each))
    if others:
        write(cells, down + 1, 1, f"⋯ and {others:,} more", Ink.DIM)
    for row, line in enumerate(caption_lines, cells.height - len(caption_lines)):
        write(cells, row, 1, line, Ink.DIM)
    return _Legend(cells, tuple(samples))


SINGLE_WIDTH, SINGLE_HEIGHT = 80, 24
"""Columns and rows of a picture of one chart: in a column of a paper its text is then about as large as a caption's."""

CARD_WIDTH, CARD_HEIGHT = 58, 17
"""Columns and rows of each of several cards."""

CARDS_PER_ROW = 2
"""Cards side by side."""

MIN_CARD_WIDTH, MIN_CARD_HEIGHT = 24, 7
"""Minimum columns and rows of a legible card."""

MAX_CARDS = 60
"""Maximum number of cards of a picture."""

MAX_CELLS = 80_000
"""Maximum columns times rows of a picture; as a PNG it has 46 megapixels."""


class PictureSizeError(Exception):
    """The requested picture cannot be drawn: it has too many cells, or too little room.

    The text of the error is one plain sentence.
    """


@frozen
class Grid:
    """Arrangement of cards in rows."""

    across: int
    width: int
    height: int
    card_height: int

    @staticmethod
    def arrange(count: int, width: int | None, height: int | None) -> Grid:
        """Return the grid for a number of cards.

        Raises:
            PictureSizeError: The cards do not fit.
        """
        if count > MAX_CARDS:
            raise PictureSizeError(
                f"{count:,} charts match, and a picture takes {MAX_CARDS}: choose with --tags, --runs or --max-tags"
            )
        across = min(CARDS_PER_ROW, count)
        if width is None:
            width = SINGLE_WIDTH if count == 1 else across * CARD_WIDTH
        elif count > 1:
            across = max(1, min(count, round(width / CARD_WIDTH)))
        if height is None:
            height = SINGLE_HEIGHT if count == 1 else CARD_HEIGHT
        if width // across < MIN_CARD_WIDTH or height < MIN_CARD_HEIGHT:
            min_size = f"{across * MIN_CARD_WIDTH} columns and {MIN_CARD_HEIGHT} rows for each chart"
            raise PictureSizeError(f"a picture does not fit in {width} x {height}: it needs {min_size}")
        return Grid(across, width, -(-count // across) * height, height)

    def check(self, rows: int) -> None:
        """Raise `PictureSizeError` if the grid and the rows below it exceed the maximum size of a picture."""
        if self.width * (self.height + rows) > MAX_CELLS:
            size = f"{self.width} x {self.height + rows}"
            raise PictureSizeError(f"a picture has at most {MAX_CELLS:,} cells, and {size} are more")

    def place(self, index: int) -> tuple[int, int, int, int]:
        """Return row, column, width and height of a card."""
        row, column = divmod(index, self.across)
        left = column * self.width // self.across
        return row * self.card_height, left, (column + 1) * self.width // self.across - left, self.card_height
