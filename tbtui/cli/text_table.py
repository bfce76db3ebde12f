"""Plain text in lines: tables in columns, lists wrapped at their commas. What does not fit goes on in the next line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tbtui.charts.text import cell_width, pad, shorten, split_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BETWEEN = "  "
TIGHTEST_NAME = 4
"""Columns of the first column before the others are put below each other; longer names have lines of their own."""

LONGEST_NAME = 160
"""Columns of a name that is never shown whole: nobody chose it."""

REMARK_INDENT = "      "

_PART = re.compile(r"(?:[^,]|,(?! ))+(?:, +)?|, +")
"""Up to the next comma that a blank follows."""

_WORD = re.compile(r" *[^ ]+ *| +")


def lines_of(
    rows: Sequence[tuple[str, ...]], *, width: int | None = None, remarks: bool = False, left: int = 1
) -> Iterator[str]:
    """Rows of cells as lines.

    Args:
        rows: Cells, safe for a terminal. Rows may differ in length; one of a single cell is a line by itself.
        width: Columns that there are; None: as many as it takes. A first cell that has no room beside the others
            stands on a line of its own, whole; where the others have no room beside each other, every row takes
            several lines in the same way.
        remarks: The last of the longest rows' cells are words, which go to the next line where they have no room.
        left: So many columns stand to the left, the others to the right.
    """
    most = max(map(len, rows), default=0)
    noted = most - 1 if remarks else most
    rows_of_cells = [row for row in rows if len(row) > 1]
    widths = [max((cell_width(row[at]) for row in rows_of_cells if at < len(row)), default=0) for at in range(noted)]
    if width is None:
        width = sum(widths) + len(BETWEEN) * noted + max((cell_width(row[-1]) for row in rows if row), default=0)
    bands = [range(1, noted)]
    if rows_of_cells:
        bands = _bands(widths, width - min(widths[0], TIGHTEST_NAME))
        room = width - max(_room(widths, band) for band in bands)
        widths[0] = min(widths[0], max(room, 0))
    for row in rows:
        if len(row) == 1:
            yield from wrapped(shorten(row[0], LONGEST_NAME), width, REMARK_INDENT)
            continue
        name = shorten(row[0], LONGEST_NAME)
        if cell_width(name) > widths[0]:
            blanks = len(name) - len(name.lstrip())
            yield from broken(name, width, " " * (blanks + len(BETWEEN)))
            name = ""
        line = ""
        for number, band in enumerate(bands):
            cells = [pad("" if number else name, widths[0]), *(_placed(row, at, widths, left) for at in band)]
            line = BETWEEN.join(cells).rstrip()
            if number < len(bands) - 1 and line:
                yield from broken(line, width)
        remark = row[noted] if remarks and len(row) > noted else ""
        end = widths[0] + _room(widths, bands[-1])
        if remark and end + len(BETWEEN) + cell_width(remark) <= width:
            yield line + " " * (end - cell_width(line)) + BETWEEN + remark
            continue
        if line:
            yield from broken(line, width)
        indent = REMARK_INDENT[: width // 2]
        yield from (indent + part for part in wrapped(remark, width - len(indent)))


def _placed(row: Sequence[str], at: int, widths: Sequence[int], left: int) -> str:
    cell = row[at] if at < len(row) else ""
    blanks = " " * (widths[at] - cell_width(cell))
    return cell + blanks if at < left else blanks + cell


def _bands(widths: Sequence[int], width: int) -> list[range]:
    """Columns but the first, by those that have room beside each other; one that has none alone is a band all the same.

    Args:
        widths: Of all columns.
        width: Columns of the terminal, for those of a band with the gaps before them.
    """
    bands = [range(1, 1)]
    for at in range(1, len(widths)):
        start = bands[-1].start
        if at > start and _room(widths, range(start, at + 1)) > width:
            bands.append(range(at, at))
        bands[-1] = range(bands[-1].start, at + 1)
    return bands


def _room(widths: Sequence[int], columns: range) -> int:
    """Columns of the terminal that these take, gaps before them included."""
    return sum(len(BETWEEN) + widths[at] for at in columns)


def wrapped(text: str, width: int, indent: str = "") -> Iterator[str]:
    """Safe text in lines of at most `width` columns, broken after commas, or at blanks where there is no comma.

    Args:
        text: Any. A word that is longer than a line is broken where the line ends.
        width: Columns of a line.
        indent: Before every line but the first.
    """
    indent = indent[: width // 2]
    line = ""
    for part in _parts(text, width - len(indent)):
        longer = line + part
        if cell_width(longer.rstrip()) > width:
            if line.strip():
                yield line.rstrip()
            line = indent + part.lstrip()
        else:
            line = longer
    if line:
        yield line.rstrip()


def _parts(text: str, width: int) -> Iterator[str]:
    """What stays together, each with the blanks behind it."""
    for item in _PART.findall(text):
        if cell_width(item.rstrip()) <= width:
            yield item
        else:
            for word in _WORD.findall(item):
                yield from _pieces(word, width)


def broken(line: str, width: int, indent: str = "") -> Iterator[str]:
    """A line in as many as it takes, broken anywhere: a name is no words."""
    indent = indent[: width // 2]
    first, rest = split_at(line, width)
    yield first.rstrip()
    yield from (indent + piece.rstrip() for piece in _pieces(rest, width - len(indent)))


def _pieces(text: str, width: int) -> Iterator[str]:
    """A text in pieces of at most `width` columns, blanks at its end apart."""
    while cell_width(text.rstrip()) > width:
        piece, text = split_at(text, width)
        yield piece
    if text:
        yield text
