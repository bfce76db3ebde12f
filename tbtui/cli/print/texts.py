"""Texts: of each tag and run one step, as it was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import counted
from tbtui.charts.text import safe, shorten
from tbtui.cli.print.references import reference_blocks
from tbtui.cli.print.sheet import Column, Heading, Piece, Quoted, Table, Words
from tbtui.loading.texts import TextPoint, TextRefused, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.cli.print.asked import Asked
    from tbtui.cli.print.references import Chosen
    from tbtui.cli.print.sheet import Block
    from tbtui.loading.texts import StoredText
    from tbtui.viewstate.view import View

MOST_RUNS = 8
"""Runs of a tag where nobody says how many."""

MOST_LINES, MOST_CHARACTERS = 100, 20_000
"""Of one text; `tbtui export --plugin text` has all of it."""

MOST_ROWS, CELL_WIDTH = 40, 40
TAB = 4


def text_blocks(view: View, asked: Asked) -> Iterator[Block]:
    """The text of each tag and run that matches."""
    yield from reference_blocks(view, asked, "text", MOST_RUNS, _of_run)


def _of_run(chosen: Chosen, asked: Asked) -> Iterator[Block]:
    yield Heading(chosen.series.tag, chosen.note_of_all)
    try:
        text = read_text(asked.kept.payloads, TextPoint(chosen.run, chosen.series, chosen.point))
    except TextRefused as error:
        yield Words((safe(str(error)),), Ink.WARN)
        return
    if text.document is not None:
        yield from _document(text.document)
    elif text.cells:
        yield from _cells(text)
    else:
        yield Words(("an empty table",))
    if text.notes:
        yield Words(tuple(map(safe, text.notes)))


def _document(data: bytes) -> Iterator[Block]:
    text = data[: 4 * MOST_CHARACTERS].decode("utf-8", "replace")[:MOST_CHARACTERS]
    lines = text.expandtabs(TAB).splitlines()
    shown = tuple(safe(line) for line in lines[:MOST_LINES])
    yield Quoted(shown) if shown else Words(("an empty text",))
    if len(text.encode("utf-8", "replace")) < len(data) or len(lines) > MOST_LINES:
        yield Words((f"{counted(len(data), 'byte')} in all: the rest is left out (tbtui export --plugin text has it)",))


def _cells(text: StoredText) -> Iterator[Block]:
    """A table of texts, its first row as the title where there are more."""
    rows = [[_cell(cell) for cell in row] for row in text.cells[: MOST_ROWS + 1]]
    titles: Sequence[str] = rows.pop(0) if len(rows) > 1 and len(rows[0]) > 1 else [""] * len(rows[0])
    pieces = tuple(tuple(Piece(cell) for cell in row) for row in rows)
    yield Table(tuple(Column(title, "left") for title in titles), pieces, broken=True, verbatim=True)
    if len(text.cells) > MOST_ROWS + 1:
        yield Words((f"{counted(len(text.cells), 'row')} in all",))


def _cell(data: bytes) -> str:
    return shorten(data[: 4 * CELL_WIDTH].decode("utf-8", "replace"), CELL_WIDTH)
