"""Render blocks as lines: plain text, ANSI or Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Ink, glyph_text
from tbtui.charts.text import cell_width, safe, shorten, split_at, visible_name
from tbtui.report.blocks import Heading, Notes, Picture, Piece, PieceRows, Table
from tbtui.report.markdown import code_block, escaped, markdown_table
from tbtui.report.tables import table_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tbtui.charts.cells import Cells
    from tbtui.report.blocks import Block
    from tbtui.report.terminal import OutputTarget

BETWEEN = " · "

MAX_TITLE = 320
"""Columns of a title that is never cut, however narrow the target."""


def render_blocks(blocks: Iterable[Block], target: OutputTarget) -> Iterator[str]:
    """Yield the lines of blocks without line ends, with a blank line before each heading but the first."""
    render = _markdown if target.form == "markdown" else _text
    for index, block in enumerate(blocks):
        if index and (isinstance(block, Heading) or (isinstance(block, Notes) and block.apart)):
            yield ""
        yield from render(block, target)


def _text(block: Block, target: OutputTarget) -> Iterator[str]:
    if isinstance(block, Heading):
        yield from map(target.line, _heading(block, target.width))
    elif isinstance(block, Picture):
        yield from map(target.line, cell_rows(block.cells, is_coloured=target.is_coloured))
    elif isinstance(block, PieceRows):
        yield from map(target.line, block.rows)
    elif isinstance(block, Table):
        yield from map(target.line, table_rows(block, target.width))
    else:
        ink = block.ink if isinstance(block, Notes) else Ink.TEXT
        for line in block.lines:
            yield from (target.line([Piece(part, ink)]) for part in wrap_words(line, target.width))


def _heading(heading: Heading, width: int) -> Iterator[list[Piece]]:
    """Wrap title and note; only a very long title is cut."""
    *before, last = wrap_words(shorten(visible_name(heading.text), max(width, MAX_TITLE)), width)
    beside, *after = wrap_words(last + BETWEEN + heading.note, width) if heading.note else [last]
    ink = Notes(()).ink
    yield from ([Piece(line, heading.ink)] for line in before)
    yield [Piece(last, heading.ink), Piece(beside[len(last) :].removesuffix(BETWEEN.rstrip()), ink)]
    yield from ([Piece(line, ink)] for line in after)


def wrap_words(line: str, width: int) -> list[str]:
    """Return safe text in lines of at most `width` columns, broken at blanks where possible."""
    if cell_width(line) <= width:
        return [line]
    lines: list[str] = []
    now = ""
    for word in re.findall(r"\s*\S+|\s+$", line):
        if now and cell_width(now + word) > width:
            lines.append(now)
            now = word.lstrip()
        else:
            now += word
        while cell_width(now) > width:
            head, now = split_at(now, width)
            lines.append(head)
    return [*lines, now]


def cell_rows(cells: Cells, *, is_coloured: bool = True) -> Iterator[list[Piece]]:
    """Yield the rows of a picture as pieces of one style each, or as one piece each if styles are not shown."""
    if not is_coloured:
        yield from ([Piece(cells.row_text(y))] for y in range(cells.height))
        return
    for y in range(cells.height):
        inks = cells.inks[y].astype(np.int64)
        pairs = np.zeros_like(inks) if cells.colours is None else cells.colours[y]
        glyphs = cells.glyphs[y]
        # A blank cell looks the same in any ink without a background.
        inks = np.where((glyphs == 32) & (inks < 8192) & (pairs == 0) & (inks != Ink.CURSOR), np.int64(Ink.NONE), inks)
        begins = np.flatnonzero(np.append(True, (inks[1:] != inks[:-1]) | (pairs[1:] != pairs[:-1])))
        ends = np.append(begins[1:], cells.width)
        yield [
            Piece(glyph_text(glyphs[begin:end]), int(inks[begin]), int(pairs[begin]))
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
        ]


def _markdown(block: Block, target: OutputTarget) -> Iterator[str]:
    if isinstance(block, Heading):
        note = f" {BETWEEN.strip()} {escaped(block.note)}" if block.note else ""
        yield f"### {escaped(safe(visible_name(block.text)))}{note}"
        yield ""
    elif isinstance(block, Picture):
        yield from code_block([target.line(row) for row in cell_rows(block.cells, is_coloured=target.is_coloured)])
    elif isinstance(block, PieceRows):
        yield from code_block([target.line(row) for row in block.rows])
    elif isinstance(block, Table):
        titles = [column.title for column in block.columns]
        rows = ([safe(cell.text).strip() for cell in row] for row in block.rows)
        yield from markdown_table(titles, [column.align == "left" for column in block.columns], rows)
        yield ""
    elif isinstance(block, Notes):
        for line in block.lines:
            yield escaped(line)
            yield ""
    else:
        yield from code_block(block.lines)
