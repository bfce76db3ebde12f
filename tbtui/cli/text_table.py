"""Plain text in lines: tables in columns, lists wrapped at their commas. What does not fit goes on in the next line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tbtui.charts.text import cell_width, pad, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BETWEEN = "  "
LEAST_NAME = 16
"""Columns that the first column has at least, before longer names get a line of their own."""

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
            stands on a line of its own, whole.
        remarks: The last of the longest rows' cells are words, which go to the next line where they have no room.
        left: So many columns stand to the left, the others to the right.
    """
    most = max(map(len, rows), default=0)
    noted = most - 1 if remarks else most
    rows_of_cells = [row for row in rows if len(row) > 1]
    widths = [max((cell_width(row[at]) for row in rows_of_cells if at < len(row)), default=0) for at in range(noted)]
    others = sum(widths[1:]) + len(BETWEEN) * (noted - 1)
    if width is not None and rows_of_cells:
        widths[0] = min(widths[0], max(width - others, LEAST_NAME))
    for row in rows:
        name = shorten(row[0], LONGEST_NAME)
        if len(row) == 1 or cell_width(name) > widths[0]:
            yield name
            if len(row) == 1:
                continue
            name = ""
        cells = [pad(name, widths[0])]
        for at, cell in enumerate(row[1:noted], 1):
            blanks = " " * (widths[at] - cell_width(cell))
            cells.append(cell + blanks if at < left else blanks + cell)
        line = BETWEEN.join(cells).rstrip()
        remark = row[noted] if remarks and len(row) > noted else ""
        end = widths[0] + others
        if not remark:
            yield line
        elif width is None or end + len(BETWEEN) + cell_width(remark) <= width:
            yield line + " " * (end - cell_width(line)) + BETWEEN + remark
        else:
            yield line
            yield from (REMARK_INDENT + part for part in wrapped(remark, width - len(REMARK_INDENT)))


def wrapped(text: str, width: int, indent: str = "") -> Iterator[str]:
    """Safe text in lines of at most `width` columns, broken after commas, or at blanks where there is no comma.

    Args:
        text: Any. A word that is longer stays whole.
        width: Columns of a line.
        indent: Before every line but the first.
    """
    line = ""
    for part in _parts(text, width - len(indent)):
        longer = line + part
        if line.strip() and cell_width(longer.rstrip()) > width:
            yield line.rstrip()
            line = indent + part.lstrip()
        else:
            line = longer
    if line:
        yield line.rstrip()


def _parts(text: str, width: int) -> Iterator[str]:
    """What stays together, each with the blanks behind it."""
    for item in _PART.findall(text):
        yield from [item] if cell_width(item.rstrip()) <= width else _WORD.findall(item)
