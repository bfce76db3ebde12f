"""Blocks as lines: plain or coloured text, or Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tbtui.charts.text import cell_width, nameable, safe, shorten, split_at
from tbtui.cli.markdown import escaped
from tbtui.cli.print.rows import cell_rows, table_rows
from tbtui.cli.print.sheet import Heading, Picture, Piece, Pieces, Table, Words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tbtui.cli.print.paper import Paper
    from tbtui.cli.print.sheet import Block

BETWEEN = " · "

LONGEST_TITLE = 320
"""Columns of a title that is never cut, however narrow the paper."""


def lines_of(blocks: Iterable[Block], paper: Paper) -> Iterator[str]:
    """Blocks as lines without their ends, an empty one before each heading but the first."""
    form = _markdown if paper.form == "markdown" else _text
    for index, block in enumerate(blocks):
        if index and (isinstance(block, Heading) or (isinstance(block, Words) and block.apart)):
            yield ""
        yield from form(block, paper)


def _text(block: Block, paper: Paper) -> Iterator[str]:
    if isinstance(block, Heading):
        yield from map(paper.line, _heading(block, paper.width))
    elif isinstance(block, Picture):
        yield from map(paper.line, cell_rows(block.cells))
    elif isinstance(block, Pieces):
        yield from map(paper.line, block.rows)
    elif isinstance(block, Table):
        yield from map(paper.line, table_rows(block, paper.width))
    elif isinstance(block, Words):
        for line in block.lines:
            yield from (paper.line([Piece(part, block.ink)]) for part in wrapped(line, paper.width))
    else:
        for line in block.lines:
            yield from (paper.line([Piece(part)]) for part in wrapped(line, paper.width))


def _heading(heading: Heading, width: int) -> Iterator[list[Piece]]:
    """Title and note in as many lines as they take; only a very long title is cut."""
    *before, last = wrapped(shorten(nameable(heading.text), max(width, LONGEST_TITLE)), width)
    beside, *after = wrapped(last + BETWEEN + heading.note, width) if heading.note else [last]
    ink = Words(()).ink
    yield from ([Piece(line, heading.ink)] for line in before)
    yield [Piece(last, heading.ink), Piece(beside[len(last) :].removesuffix(BETWEEN.rstrip()), ink)]
    yield from ([Piece(line, ink)] for line in after)


def wrapped(line: str, width: int) -> list[str]:
    """Safe text in lines of at most `width` columns, broken at blanks where there are any."""
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


# Markdown


def _markdown(block: Block, paper: Paper) -> Iterator[str]:
    if isinstance(block, Heading):
        note = f" {BETWEEN.strip()} {escaped(block.note)}" if block.note else ""
        yield f"### {escaped(safe(nameable(block.text)))}{note}"
        yield ""
    elif isinstance(block, Picture):
        yield from fenced([paper.line(row) for row in cell_rows(block.cells)])
    elif isinstance(block, Pieces):
        yield from fenced([paper.line(row) for row in block.rows])
    elif isinstance(block, Table):
        yield from _markdown_table(block)
    elif isinstance(block, Words):
        for line in block.lines:
            yield escaped(line)
            yield ""
    else:
        yield from fenced(block.lines)


def _markdown_table(table: Table) -> Iterator[str]:
    yield _markdown_row([column.title for column in table.columns])
    yield _markdown_row([":--" if column.align == "left" else "--:" for column in table.columns], escape=False)
    for row in table.rows:
        yield _markdown_row([safe(cell.text).strip() for cell in row])
    yield ""


def _markdown_row(cells: Sequence[str], *, escape: bool = True) -> str:
    return f"| {' | '.join(map(escaped, cells) if escape else cells)} |"


def fenced(lines: Iterable[str]) -> Iterator[str]:
    """Lines as a block of code, whatever they hold."""
    held = list(lines)
    longest = max((len(run) for line in held for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}text"
    yield from held
    yield fence
    yield ""
