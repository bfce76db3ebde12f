"""Frames of charts: cards with title, note and legend, the line above an opened chart, and a render cache."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Generic, TypeVar
from weakref import WeakKeyDictionary

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import cell_width, fit, safe, shorten, write

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence


FRAME_MARGIN = 4
"""Columns of the frame, and the blanks beside it, at both ends of the legend."""

MIN_TITLE_COLUMNS = 8
"""Minimum columns of a title next to a note."""


def compute_body_size(width: int, height: int) -> tuple[int, int]:
    """Return the columns and rows of the body of a card of `width` x `height`."""
    return max(width - 2, 0), max(height - 2, 0)


def draw_card(
    title: str,
    body: Cells,
    width: int,
    height: int,
    *,
    focused: bool = False,
    note: str = "",
    note_ink: int = Ink.DIM,
    legend: Sequence[tuple[str, int]] = (),
    remark: str = "",
) -> Cells:
    """Draw a body in its frame.

    The legend is in the bottom line of the frame, so that it takes no row from the chart, and nothing moves when it
    appears.

    Args:
        title: Text at the left of the top line; the middle of a long title is cut out.
        body: Picture of `compute_body_size(width, height)`; a larger one is cut, a smaller one is at the top left.
        width: Columns of the card.
        height: Rows of the card.
        focused: Draw the frame in the accent colour.
        note: Text at the right of the top line, such as the last value; dropped if it leaves the title too few columns.
        note_ink: Ink of the note.
        legend: Texts with their inks; the items that do not fit are counted: `⋯+5`.
        remark: Text at the right of the bottom line, apart from the legend, such as `2 superseded (u)`.

    Returns:
        Cells of exactly that size.
    """
    cells = Cells.blank(max(height, 0), max(width, 0), coloured=body.colours is not None)
    if width < 2 or height < 1:
        return cells
    columns, rows = compute_body_size(width, height)
    cells.put(1, 1, body.crop(slice(rows), slice(columns)))
    _draw_frame(cells, Ink.ACCENT if focused else Ink.FAINT)
    _draw_title(cells, title, note, note_ink)
    if height > 1:
        _draw_legend(cells, legend, width - FRAME_MARGIN - _draw_remark(cells, remark))
    return cells


def draw_placeholder_card(title: str, width: int, height: int, *, focused: bool) -> Cells:
    """Draw a card whose content is not available yet."""
    return draw_card(title, Cells.blank(0, 0), width, height, focused=focused)


def draw_error_card(title: str, reason: str, width: int, height: int, *, focused: bool) -> Cells:
    """Draw a card with the wrapped reason for a missing chart."""
    columns, rows = compute_body_size(width, height)
    body = Cells.blank(rows, columns)
    lines = textwrap.wrap(safe(reason), max(columns - 2, 1))
    for y, line in enumerate(lines, max(min(rows // 3, rows - len(lines)), 0)):
        if y < rows:
            write(body, y, 1, fit(line, columns - 2), Ink.WARN)
    return draw_card(title, body, width, height, focused=focused)


FOLDED_SIGN, UNFOLDED_SIGN = "▸ ", "▾ "
"""Signs in front of the title of a heading."""


def draw_heading(
    title: str, parts: Sequence[tuple[str, int]], width: int, height: int, *, is_folded: bool, focused: bool
) -> Cells:
    """Draw the heading of a group of cards, `▾ losses ────────── ⚠ 1 · 4 charts`, in the first line.

    Args:
        title: Title of the group; not yet safe for a terminal.
        parts: Texts at the right with their inks.
        width: Columns of the heading.
        height: Rows of the heading.
        is_folded: True if the cards of the group are hidden.
        focused: True if the heading has the focus.
    """
    cells = Cells.blank(height, width)
    if not height:
        return cells
    parts_width = sum(cell_width(text) for text, _ in parts) + len(SEPARATOR) * (len(parts) - 1)
    line = Ink.ACCENT if focused else Ink.FAINT
    write(cells, 0, 0, fit("─" * width, width), line)
    end = write(cells, 0, 0, FOLDED_SIGN if is_folded else UNFOLDED_SIGN, Ink.ACCENT if focused else Ink.DIM)
    title_width = width - end - parts_width - 5
    end = write(cells, 0, end, shorten(safe(title), max(title_width, 1)), Ink.BOLD)
    write(cells, 0, end, " ", Ink.NONE)
    x = width - parts_width - 3
    if x <= end:
        return cells
    write(cells, 0, x, " ", Ink.NONE)
    x += 1
    for index, (text, ink) in enumerate(parts):
        x = write(cells, 0, x, SEPARATOR if index else "", Ink.DIM)
        x = write(cells, 0, x, text, ink)
    write(cells, 0, x, " ", Ink.NONE)
    return cells


def _draw_frame(cells: Cells, ink: int) -> None:
    last = cells.height - 1
    line = "─" * (cells.width - 2)
    for column in (0, cells.width - 1):
        cells.glyphs[1:last, column] = ord("│")
        cells.inks[1:last, column] = ink
    if last:
        write(cells, last, 0, f"╰{line}╯", ink)
    write(cells, 0, 0, f"╭{line}╮", ink)


def _draw_title(cells: Cells, title: str, note: str, note_ink: int) -> None:
    """Draw `╭ title ─── note ╮`, both with a blank at each side."""
    available_width = cells.width - 4
    note = fit(note, available_width)
    if note and available_width - cell_width(note) - 3 < min(MIN_TITLE_COLUMNS, cell_width(title)):
        note = ""
    if note:
        start = cells.width - 3 - cell_width(note)
        write(cells, 0, start, f" {note} ", note_ink)
        available_width = start - 4
    title = shorten(title, available_width)
    if title:
        write(cells, 0, 1, f" {title} ", Ink.BOLD)


def measure_remark(remark: str) -> int:
    """Return the columns that a remark takes from the legend."""
    return cell_width(safe(remark)) + REMARK_GAP if remark else 0


def _draw_remark(cells: Cells, remark: str) -> int:
    """Draw a remark at the right end of the bottom line; return the columns that it takes from the legend."""
    text = fit(remark, cells.width - FRAME_MARGIN)
    if not text:
        return 0
    write(cells, cells.height - 1, cells.width - 3 - cell_width(text), f" {text} ", Ink.DIM)
    return measure_remark(text)


def _draw_legend(cells: Cells, legend: Sequence[tuple[str, int]], available_width: int) -> None:
    item_count = _count_fitting_items([cell_width(fit(text, available_width)) for text, _ in legend], available_width)
    x = 1
    for text, ink in legend[:item_count]:
        x = write(cells, cells.height - 1, x, f" {fit(text, available_width)} ", ink) - 1
    hidden = len(legend) - item_count
    if hidden and available_width >= len(f"⋯+{hidden}"):
        write(cells, cells.height - 1, x, f" ⋯+{hidden} ", Ink.DIM)


def _count_fitting_items(widths: Sequence[int], available_width: int) -> int:
    """Return the number of items that fit together with blanks and the count of the others."""
    count, used_width = 0, 0
    for index, width in enumerate(widths):
        hidden = len(widths) - index - 1
        counter_width = len(f" ⋯+{hidden}") if hidden else 0
        if used_width + width + counter_width > available_width:
            break
        used_width += width + 1
        count += 1
    return count


REMARK_GAP = 3
"""Columns between the legend and a remark, with the blanks beside it."""

FRAME_COLUMNS = 7
"""Columns of a card that are neither title nor note."""


def choose_note(notes: Sequence[str], title: str, width: int) -> str:
    """Return the first note that leaves enough columns for the whole title of a card.

    If there is none, return the last note if it leaves the title its minimum, else an empty text.

    Args:
        notes: At least one note, each shorter than the one before.
        title: Title of the card.
        width: Columns of the card.
    """
    available_width = width - FRAME_COLUMNS
    title_width = cell_width(safe(title))
    fitting = [note for note in notes if cell_width(safe(note)) <= available_width - title_width] or notes[-1:]
    return fitting[0] if cell_width(safe(fitting[0])) <= available_width - min(MIN_TITLE_COLUMNS, title_width) else ""


def select_bottom_remark(text: str, note: str) -> str:
    """Return a text for the bottom line of a card if the note beside the title has no room for it.

    Args:
        text: Names the points that the card leaves out, such as `2 superseded (u)`; empty without any.
        note: The note beside the title.
    """
    return text if text not in note else ""


SEPARATOR = " · "
"""Text between the parts of a title line."""

BACK_HINT = "esc back"

MIN_PART_COLUMNS = 8
"""Minimum columns of a part of a title line."""


def draw_title_line(title: str, side_text: str, width: int, *, prefer_side_text: bool = False) -> Cells:
    """Draw `‹ title  smooth .60 · x step      esc back`; parts that do not fit are dropped, the first part last.

    Args:
        title: Title of the chart.
        side_text: Parts joined by `SEPARATOR`; the last ones are dropped first, the middle of the first one is cut out.
            The title gets at least half of the columns.
        width: Columns of the line.
        prefer_side_text: Drop the hint of the escape key before the parts.
    """
    cells = Cells.blank(1, max(width, 0))
    write(cells, 0, 0, "‹", Ink.ACCENT)
    right = width - len(BACK_HINT)
    min_width = min(cell_width(safe(title)), 12) + (2 + cell_width(safe(side_text)) if prefer_side_text else 0)
    if right - 3 >= min_width:
        write(cells, 0, right, BACK_HINT, Ink.DIM)
    else:
        right = width
    available_width = right - 3
    first_part_width = cell_width(safe(side_text.split(SEPARATOR, maxsplit=1)[0]))
    end = write(
        cells,
        0,
        2,
        shorten(
            title,
            max(available_width - first_part_width - 2, -(-available_width // 2))
            if first_part_width
            else available_width,
        ),
        Ink.BOLD,
    )
    write(cells, 0, end + 2, _fit_parts(side_text, right - end - 3), Ink.DIM)
    return cells


def _fit_parts(side_text: str, available_width: int) -> str:
    """Return the leading parts that fit; if none fits, the first one with its middle cut out."""
    parts = side_text.split(SEPARATOR)
    while len(parts) > 1 and cell_width(safe(SEPARATOR.join(parts))) > available_width:
        parts.pop()
    return shorten(SEPARATOR.join(parts), available_width) if available_width >= MIN_PART_COLUMNS else ""


def stack_cells(title: Cells, body: Cells) -> Cells:
    """Return two pictures of one width, the first above the second."""
    both = Cells.blank(title.height + body.height, body.width, coloured=body.colours is not None)
    both.put(0, 0, title)
    both.put(title.height, 0, body)
    return both


Chart = TypeVar("Chart")
Picture = TypeVar("Picture")

MAX_SIZES = 3
"""Maximum cached sizes of one chart: in the grid, focused or prefetched, opened."""


class RenderCache(Generic[Chart, Picture]):
    """The latest picture of each size of each chart, cached as long as the chart lives. Used by one thread."""

    def __init__(self) -> None:
        self._pictures: WeakKeyDictionary[Chart, dict[tuple[int, int], tuple[Hashable, Picture]]] = WeakKeyDictionary()

    def picture(self, chart: Chart, width: int, height: int, inputs: Hashable, draw: Callable[[], Picture]) -> Picture:
        """Return the picture of a chart, drawn if it is not cached.

        Args:
            chart: Chart to draw.
            width: Columns.
            height: Rows.
            inputs: All other inputs of the picture.
            draw: Draws the picture.
        """
        sizes = self._pictures.setdefault(chart, {})
        cached = sizes.pop((width, height), None)
        if cached is None or cached[0] != inputs:
            cached = inputs, draw()
        sizes[width, height] = cached
        while len(sizes) > MAX_SIZES:
            del sizes[next(iter(sizes))]
        return cached[1]
