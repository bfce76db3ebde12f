"""The frame of a card: one faint line around a picture, with a title, a note and a legend in the line itself."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from tbtui.charts.cells import Cells, Ink
from tbtui.charts.text import cell_width, fit, safe, shorten, write

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST_TITLE = 8
"""Columns that a title keeps before its note goes."""


def body_size(width: int, height: int) -> tuple[int, int]:
    """Columns and rows that a card of `width` x `height` leaves for its body."""
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
) -> Cells:
    """A body in its frame.

    The legend stands in the bottom line of the frame, so that it never takes a row from the chart, and nothing moves
    when it comes or goes.

    Args:
        title: At the left of the top line; loses its middle when it is too long.
        body: Picture of `body_size(width, height)`; one of another size is cut or stands at the top left.
        width: Columns of the card.
        height: Rows of the card.
        focused: Whether the frame has the accent colour.
        note: At the right of the top line, such as the last value; left out when the title needs its room.
        note_ink: Ink of the note, where it is more than that.
        legend: Texts with their inks; those that do not fit are counted: `⋯+5`.

    Returns:
        Cells of exactly that size.
    """
    cells = Cells.blank(max(height, 0), max(width, 0), coloured=body.colours is not None)
    if width < 2 or height < 1:
        return cells
    columns, rows = body_size(width, height)
    cells.put(1, 1, body.part(slice(rows), slice(columns)))
    _draw_frame(cells, Ink.ACCENT if focused else Ink.FAINT)
    _draw_title(cells, title, note, note_ink)
    if height > 1:
        _draw_legend(cells, legend)
    return cells


def outline_card(title: str, width: int, height: int, *, focused: bool) -> Cells:
    """A card whose content is not there yet."""
    return draw_card(title, Cells.blank(0, 0), width, height, focused=focused)


def broken_card(title: str, why: str, width: int, height: int, *, focused: bool) -> Cells:
    """A card that says why there is no chart; it is wrapped where it must be."""
    columns, rows = body_size(width, height)
    body = Cells.blank(rows, columns)
    lines = textwrap.wrap(safe(why), max(columns - 2, 1))
    for y, line in enumerate(lines, max(min(rows // 3, rows - len(lines)), 0)):
        if y < rows:
            write(body, y, 1, fit(line, columns - 2), Ink.WARN)
    return draw_card(title, body, width, height, focused=focused)


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
    """`╭ title ─── note ╮`: both with a blank at each side."""
    room = cells.width - 4
    note = fit(note, room)
    if note and room - cell_width(note) - 3 < min(LEAST_TITLE, cell_width(title)):
        note = ""
    if note:
        start = cells.width - 3 - cell_width(note)
        write(cells, 0, start, f" {note} ", note_ink)
        room = start - 4
    title = shorten(title, room)
    if title:
        write(cells, 0, 1, f" {title} ", Ink.BOLD)


def _draw_legend(cells: Cells, legend: Sequence[tuple[str, int]]) -> None:
    room = cells.width - 4
    shown = _legend_shown([cell_width(fit(text, room)) for text, _ in legend], room)
    x = 1
    for text, ink in legend[:shown]:
        x = write(cells, cells.height - 1, x, f" {fit(text, room)} ", ink) - 1
    hidden = len(legend) - shown
    if hidden and room >= len(f"⋯+{hidden}"):
        write(cells, cells.height - 1, x, f" ⋯+{hidden} ", Ink.DIM)


def _legend_shown(widths: Sequence[int], room: int) -> int:
    """How many items fit, with a blank between them and room for the count of the others."""
    shown, used = 0, 0
    for index, width in enumerate(widths):
        hidden = len(widths) - index - 1
        rest = len(f" ⋯+{hidden}") if hidden else 0
        if used + width + rest > room:
            break
        used += width + 1
        shown += 1
    return shown
