"""Render text, tables and code blocks as Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")
"""Characters that CommonMark, its tables or GitHub's formulas may read as markup."""

_LINE_START = re.compile(r"^(\s*)([-+=]|\d+[.)])(?=\s|$)")
"""Line starts that Markdown reads as a list or a heading."""


def escape_markdown(text: str) -> str:
    """Return safe text with all Markdown markup escaped, also for a cell of a table."""
    return _LINE_START.sub(lambda match: f"{match[1]}\\{match[2]}", _MARKUP.sub(r"\\\1", text))


def format_markdown_table(
    titles: Sequence[str],
    is_left_aligned: Sequence[bool],
    rows: Iterable[Sequence[str]],
    is_bold: Iterable[Sequence[bool]] | None = None,
    *,
    is_compact: bool = False,
) -> Iterator[str]:
    """Yield the lines of a table.

    Args:
        titles: Titles of the columns, not escaped.
        is_left_aligned: True for each column that is aligned to the left; the others are aligned to the right.
        rows: Cells, safe for a terminal and not escaped.
        is_bold: True for each bold cell, by row; None: no cell is bold.
        is_compact: Write the delimiter row without blanks, as in earlier versions of `tbtui compare`.
    """
    delimiters = [":--" if is_left else "--:" for is_left in is_left_aligned]
    yield _format_row([escape_markdown(title) for title in titles])
    yield f"|{'|'.join(delimiters)}|" if is_compact else _format_row(delimiters)
    if is_bold is None:
        yield from (_format_row([escape_markdown(cell) for cell in row]) for row in rows)
        return
    for row, marks in zip(rows, is_bold, strict=True):
        yield _format_row(
            [
                f"**{escape_markdown(cell)}**" if mark else escape_markdown(cell)
                for cell, mark in zip(row, marks, strict=True)
            ]
        )


def _format_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def format_code_block(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines as a block of code; its fence is longer than any sequence of backticks in them."""
    remaining = list(lines)
    longest = max((len(run) for line in remaining for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}text"
    yield from remaining
    yield fence
    yield ""
