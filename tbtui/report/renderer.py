"""Render blocks as lines: plain text, ANSI or Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.cells import Ink, join_glyphs
from tbtui.charts.text import cell_width, format_run_name, safe, shorten, split_at
from tbtui.report.blocks import Heading, InkText, InkTextRows, Notes, Picture, Table
from tbtui.report.markdown import escape_markdown, format_code_block, format_markdown_table
from tbtui.report.tables import format_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tbtui.charts.cells import Cells
    from tbtui.report.blocks import Block
    from tbtui.report.terminal import OutputTarget

SEPARATOR = " · "

MAX_TITLE_COLUMNS = 320
"""Maximum columns of a title that is wrapped; longer ones are cut."""


def render_blocks(blocks: Iterable[Block], target: OutputTarget) -> Iterator[str]:
    """Yield the lines of blocks without line ends, with a blank line before each heading but the first."""
    render = _render_markdown if target.form == "markdown" else _render_text
    for index, block in enumerate(blocks):
        if index and (isinstance(block, Heading) or (isinstance(block, Notes) and block.has_blank_line)):
            yield ""
        yield from render(block, target)


def _render_text(block: Block, target: OutputTarget) -> Iterator[str]:
    if isinstance(block, Heading):
        yield from map(target.format_line, _render_heading(block, target.width))
    elif isinstance(block, Picture):
        yield from map(target.format_line, render_cells(block.cells, is_coloured=target.is_coloured))
    elif isinstance(block, InkTextRows):
        yield from map(target.format_line, block.rows)
    elif isinstance(block, Table):
        yield from map(target.format_line, format_table(block, target.width))
    else:
        ink = block.ink if isinstance(block, Notes) else Ink.TEXT
        for line in block.lines:
            yield from (target.format_line([InkText(part, ink)]) for part in wrap_words(line, target.width))


def _render_heading(heading: Heading, width: int) -> Iterator[list[InkText]]:
    """Wrap title and note; only a very long title is cut."""
    *title_lines, last_title_line = wrap_words(
        shorten(format_run_name(heading.text), max(width, MAX_TITLE_COLUMNS)), width
    )
    first_note_line, *note_lines = (
        wrap_words(last_title_line + SEPARATOR + heading.note, width) if heading.note else [last_title_line]
    )
    ink = Notes(()).ink
    yield from ([InkText(line, heading.ink)] for line in title_lines)
    yield [
        InkText(last_title_line, heading.ink),
        InkText(first_note_line[len(last_title_line) :].removesuffix(SEPARATOR.rstrip()), ink),
    ]
    yield from ([InkText(line, ink)] for line in note_lines)


def wrap_words(line: str, width: int) -> list[str]:
    """Return safe text in lines of at most `width` columns, broken at blanks where possible."""
    if cell_width(line) <= width:
        return [line]
    lines: list[str] = []
    current = ""
    for word in re.findall(r"\s*\S+|\s+$", line):
        if current and cell_width(current + word) > width:
            lines.append(current)
            current = word.lstrip()
        else:
            current += word
        while cell_width(current) > width:
            head, current = split_at(current, width)
            lines.append(head)
    return [*lines, current]


def render_cells(cells: Cells, *, is_coloured: bool = True) -> Iterator[list[InkText]]:
    """Yield the rows of a picture as pieces of one style each, or as one piece each if styles are not shown."""
    if not is_coloured:
        yield from ([InkText(cells.get_row_text(y))] for y in range(cells.height))
        return
    for y in range(cells.height):
        inks = cells.inks[y].astype(np.int64)
        pairs = np.zeros_like(inks) if cells.colours is None else cells.colours[y]
        glyphs = cells.glyphs[y]
        # A blank looks the same in every ink without a background.
        inks = np.where((glyphs == 32) & (inks < 8192) & (pairs == 0) & (inks != Ink.CURSOR), np.int64(Ink.NONE), inks)
        starts = np.flatnonzero(np.append(True, (inks[1:] != inks[:-1]) | (pairs[1:] != pairs[:-1])))
        ends = np.append(starts[1:], cells.width)
        yield [
            InkText(join_glyphs(glyphs[start:end]), int(inks[start]), int(pairs[start]))
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        ]


def _render_markdown(block: Block, target: OutputTarget) -> Iterator[str]:
    if isinstance(block, Heading):
        note = f" {SEPARATOR.strip()} {escape_markdown(block.note)}" if block.note else ""
        yield f"### {escape_markdown(safe(format_run_name(block.text)))}{note}"
        yield ""
    elif isinstance(block, Picture):
        yield from format_code_block(
            [target.format_line(row) for row in render_cells(block.cells, is_coloured=target.is_coloured)]
        )
    elif isinstance(block, InkTextRows):
        yield from format_code_block([target.format_line(row) for row in block.rows])
    elif isinstance(block, Table):
        titles = [column.title for column in block.columns]
        rows = ([safe(cell.text).strip() for cell in row] for row in block.rows)
        yield from format_markdown_table(titles, [column.align == "left" for column in block.columns], rows)
        yield ""
    elif isinstance(block, Notes):
        for line in block.lines:
            yield escape_markdown(line)
            yield ""
    else:
        yield from format_code_block(block.lines)
