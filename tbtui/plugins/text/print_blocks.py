"""Print texts: one step of each tag and run, as written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import format_count
from tbtui.charts.text import safe, shorten
from tbtui.plugins.text.read import TextPoint, TextReadError, read_text
from tbtui.report.blocks import Column, Heading, InkText, Notes, Quoted, Table
from tbtui.report.options import print_references

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.plugins.text.read import StoredText
    from tbtui.report.blocks import Block
    from tbtui.report.options import ChosenPoint, PrintOptions
    from tbtui.view.view import View

MAX_RUNS = 8
"""Default maximum of runs for each tag."""

MAX_LINES, MAX_CHARACTERS = 100, 20_000
"""Limits of one text; `tbtui export --plugin text` writes all of it."""

MAX_ROWS, CELL_WIDTH = 40, 40
TAB = 4


def build_text_blocks(view: View, options: PrintOptions) -> Iterator[Block]:
    """Yield the text of each matching tag and run."""
    yield from print_references(view, options, "text", MAX_RUNS, _build_run_blocks)


def _build_run_blocks(chosen: ChosenPoint, options: PrintOptions) -> Iterator[Block]:
    yield Heading(chosen.series.tag, chosen.note_of_all)
    try:
        text = read_text(options.cache.payloads, TextPoint(chosen.run, chosen.series, chosen.point))
    except TextReadError as error:
        yield Notes((safe(str(error)),), Ink.WARN)
        return
    if text.document is not None:
        yield from _build_document_blocks(text.document)
    elif text.cells:
        yield from _build_table_blocks(text)
    else:
        yield Notes(("an empty table",))
    if text.notes:
        yield Notes(tuple(map(safe, text.notes)))


def _build_document_blocks(data: bytes) -> Iterator[Block]:
    text = data[: 4 * MAX_CHARACTERS].decode("utf-8", "replace")[:MAX_CHARACTERS]
    lines = text.expandtabs(TAB).splitlines()
    shown = tuple(safe(line) for line in lines[:MAX_LINES])
    yield Quoted(shown) if shown else Notes(("an empty text",))
    if len(text.encode("utf-8", "replace")) < len(data) or len(lines) > MAX_LINES:
        yield Notes(
            (f"{format_count(len(data), 'byte')} in all: the rest is left out (tbtui export --plugin text has it)",)
        )


def _build_table_blocks(text: StoredText) -> Iterator[Block]:
    """Yield a table of texts; if there are several rows, the first one is the header."""
    rows = [[_decode_cell(cell) for cell in row] for row in text.cells[: MAX_ROWS + 1]]
    titles: Sequence[str] = rows.pop(0) if len(rows) > 1 and len(rows[0]) > 1 else [""] * len(rows[0])
    pieces = tuple(tuple(InkText(cell) for cell in row) for row in rows)
    yield Table(tuple(Column(title, "left") for title in titles), pieces, continues_below=True, is_verbatim=True)
    if len(text.cells) > MAX_ROWS + 1:
        yield Notes((f"{format_count(len(text.cells), 'row')} in all",))


def _decode_cell(data: bytes) -> str:
    return shorten(data[: 4 * CELL_WIDTH].decode("utf-8", "replace"), CELL_WIDTH)
