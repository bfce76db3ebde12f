"""Lay out blocks as lines of a screen."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, count, repeat
from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.text import cell_width
from tbtui.plugins.text.lines import (
    BLANK,
    DIM,
    FAINT,
    PLAIN,
    WARN,
    DocumentLine,
    cut_fragments,
    join_side_by_side,
    join_text,
    wrap_fragments,
)
from tbtui.plugins.text.markdown import Code, Grid, Heading, Items, Paragraph, Quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tbtui.plugins.text.lines import Fragments
    from tbtui.plugins.text.markdown import Align, Block, Blocks, Lines

MIN_BLOCK_WIDTH = 16
"""Columns that a block has however deep it is nested; the view scrolls sideways to show them."""

MIN_COLUMN_WIDTH = 8
"""Columns that a column of a table has, unless its contents are narrower."""

QUOTED: Fragments = (("▌ ", FAINT),)
DOT: Fragments = (("• ", DIM),)
BETWEEN: Fragments = ((" │ ", FAINT),)
GOES_ON: Fragments = (("↳ ", FAINT),)
"""Mark in front of the continuation of an unrendered line."""

WARNING: Fragments = (("⚠ ", WARN),)
CODE_INDENT = 2
RULES = {1: "━", 2: "─"}
"""Glyph of the rule below a heading, by its level."""


class Typesetter:
    """Lay out the blocks of one document.

    Args:
        width: Columns of the screen.
        wrap: Break long unrendered lines.
    """

    def __init__(self, width: int, *, wrap: bool) -> None:
        self._width = max(width, 1)
        self._wrap = wrap
        self._paragraph_numbers = count()

    def lines(self, blocks: Iterable[Block]) -> Iterator[DocumentLine]:
        """Yield all lines of blocks."""
        return self._set_blocks(blocks, self._width)

    def set_line(
        self, line: Fragments, first: Fragments = (), rest: Fragments = (), width: int | None = None
    ) -> Iterator[DocumentLine]:
        """Yield an unrendered line; a continuation keeps its indentation.

        Args:
            line: The line.
            first: Fragments in front of it.
            rest: Fragments of the same width in front of its continuations.
            width: Columns; None: those of the screen.
        """
        text, line_width = join_text(line), (self._width if width is None else width) - _total_width(first)
        if not self._wrap or cell_width(text) <= line_width:
            yield from wrap_fragments(line, 2 * len(text), next(self._paragraph_numbers), first)
            return
        indent = min(len(text) - len(text.lstrip(" ")), line_width // 2)
        blanks: Fragments = ((" " * indent, PLAIN),) if indent else ()
        line_width = max(line_width - indent - _total_width(GOES_ON), 1)
        rest_of_line = cut_fragments(line, indent, len(text))
        yield from wrap_fragments(
            rest_of_line, line_width, next(self._paragraph_numbers), first + blanks, rest + blanks + GOES_ON
        )

    def set_warning(self, line: Fragments) -> Iterator[DocumentLine]:
        """Yield the lines of a warning, which is not part of the text."""
        below: Fragments = ((" " * _total_width(WARNING), PLAIN),)
        return wrap_fragments(
            line, max(self._width - _total_width(WARNING), 1), next(self._paragraph_numbers), WARNING, below
        )

    # Blocks within blocks

    def _set_blocks(self, blocks: Iterable[Block], width: int, *, tight: bool = False) -> Iterator[DocumentLine]:
        before: Block | None = None
        for block in blocks:
            if before is not None and not tight and not isinstance(before, Heading):
                yield BLANK
            yield from self._set_block(block, max(width, MIN_BLOCK_WIDTH))
            before = block

    def _set_block(self, block: Block, width: int) -> Iterator[DocumentLine]:
        if isinstance(block, Paragraph):
            return self._set_paragraph(block.lines, width)
        if isinstance(block, Heading):
            return self._set_heading(block, width)
        if isinstance(block, Code):
            return self._set_code(block.lines, width)
        if isinstance(block, Quote):
            inner = self._set_blocks(block.blocks, width - _total_width(QUOTED))
            return (line.with_prefix(QUOTED) for line in inner)
        if isinstance(block, Items):
            return self._set_items(block, width)
        if isinstance(block, Grid):
            return self._set_grid(block, width)
        return iter((DocumentLine((("─" * width, FAINT),)),))

    def _set_paragraph(self, lines: Lines, width: int) -> Iterator[DocumentLine]:
        for line in lines:
            text = join_text(line)
            indent = min(len(text) - len(text.lstrip(" ")), width // 2)
            blanks: Fragments = ((" " * indent, PLAIN),) if indent else ()
            unindented = cut_fragments(line, indent, len(text)) if indent else line
            yield from wrap_fragments(unindented, width - indent, next(self._paragraph_numbers), blanks, blanks)

    def _set_heading(self, heading: Heading, width: int) -> Iterator[DocumentLine]:
        heading_lines = list(self._set_paragraph(tuple(map(_embolden, heading.lines)), width))
        yield from heading_lines
        if heading.level in RULES:
            yield DocumentLine(((RULES[heading.level] * max(1, *(line.width for line in heading_lines)), FAINT),))

    def _set_code(self, lines: Lines, width: int) -> Iterator[DocumentLine]:
        code_width = width - CODE_INDENT
        code_lines = [set_line for line in lines for set_line in self.set_line(line, width=code_width)]
        wide = max(line.width for line in code_lines)
        for line in code_lines:
            on_ground = tuple((text, replace(style, code=True)) for text, style in line.fragments)
            yield replace(line, fragments=on_ground).pad(wide, _GROUND).indent(CODE_INDENT)

    def _set_items(self, items: Items, width: int) -> Iterator[DocumentLine]:
        numbers = [""] * len(items.items)
        if items.first is not None:
            numbers = [f"{items.first + index}. " for index in range(len(items.items))]
        number_width = max(map(len, numbers))
        for index, (number, blocks) in enumerate(zip(numbers, items.items, strict=True)):
            bullet = ((number.rjust(number_width), DIM),) if number else DOT
            if index and not items.tight:
                yield BLANK
            below: Fragments = ((" " * _total_width(bullet), PLAIN),)
            inner = chain(
                self._set_blocks(blocks, width - _total_width(bullet), tight=items.tight), (BLANK,) * (not blocks)
            )
            yield from (
                line.with_prefix(front) for line, front in zip(inner, chain((bullet,), repeat(below)), strict=False)
            )

    # Tables

    def _set_grid(self, grid: Grid, width: int) -> Iterator[DocumentLine]:
        rows = (grid.header, *grid.rows) if grid.header else grid.rows
        widths = choose_column_widths(rows, width)
        columns_of = [
            [list(self._set_cell(cell, cell_width_limit)) for cell, cell_width_limit in zip(row, widths, strict=True)]
            for row in rows
        ]
        # Where a row begins is seen by its first cell, unless that goes on below, or has nothing in it.
        is_stacked = any(
            max(map(len, columns)) > 1 and (len(columns[0]) > 1 or not columns[0][0].text) for columns in columns_of
        )
        for index, columns in enumerate(columns_of):
            if index:
                if grid.header and index == 1:
                    yield _draw_rule(widths, "─")
                elif is_stacked:
                    yield _draw_rule(widths, "┈")
            for y in range(max(map(len, columns))):
                line = _join_cells([column[y] if y < len(column) else BLANK for column in columns], widths, grid.aligns)
                yield replace(line, fragments=_embolden(line.fragments)) if grid.header and index == 0 else line

    def _set_cell(self, blocks: Blocks, width: int) -> Iterator[DocumentLine]:
        if len(blocks) == 1 and isinstance(blocks[0], Paragraph):
            return self._set_paragraph(blocks[0].lines, width)
        return chain(self._set_blocks(blocks, width), (BLANK,) * (not blocks))


_GROUND = replace(PLAIN, code=True)


def _embolden(fragments: Fragments) -> Fragments:
    return tuple(
        (text, replace(style, bold=True, ink=Ink.BOLD) if style.ink == Ink.TEXT else style) for text, style in fragments
    )


def _total_width(fragments: Fragments) -> int:
    return sum(cell_width(text) for text, _ in fragments)


def _draw_rule(widths: Sequence[int], glyph: str) -> DocumentLine:
    crossing = glyph + ("┼" if glyph == "─" else glyph) + glyph
    return DocumentLine(((crossing.join(glyph * width for width in widths), FAINT),))


def _join_cells(cells: Sequence[DocumentLine], widths: Sequence[int], aligns: Sequence[Align]) -> DocumentLine:
    """Return one line of each cell of a row, side by side."""
    joined: list[DocumentLine] = []
    for cell, width, align in zip(cells, widths, aligns, strict=True):
        missing = width - cell.width
        before = missing if align == "right" else missing // 2 if align == "center" else 0
        joined += (_BETWEEN, cell.indent(before).pad(width))
    return join_side_by_side(joined[1:])


_BETWEEN = DocumentLine(BETWEEN)


def choose_column_widths(rows: Sequence[Sequence[Blocks]], width: int) -> list[int]:
    """Return the columns of the screen for each column of a table.

    Each has as many as its widest cell, where there is room for all; otherwise those that want more than an equal
    share get it. Where even that is less than anybody can read the table is wider than the screen.
    """
    natural_widths = [max(1, *map(measure_natural_width, column)) for column in zip(*rows, strict=True)]
    left = width - (len(natural_widths) - 1) * _total_width(BETWEEN)
    shares = [0] * len(natural_widths)
    for more, column in enumerate(sorted(range(len(natural_widths)), key=natural_widths.__getitem__)):
        share = max(left // (len(natural_widths) - more), MIN_COLUMN_WIDTH)
        shares[column] = min(natural_widths[column], share)
        left -= shares[column]
    return shares


def measure_natural_width(blocks: Blocks) -> int:
    """Return the columns that blocks take without line breaks."""
    return max(map(_measure_natural_width, blocks), default=0)


def _measure_natural_width(block: Block) -> int:
    if isinstance(block, (Paragraph, Heading)):
        return max(map(_total_width, block.lines))
    if isinstance(block, Code):
        return max(map(_total_width, block.lines)) + CODE_INDENT
    if isinstance(block, Quote):
        return measure_natural_width(block.blocks) + _total_width(QUOTED)
    if isinstance(block, Items):
        bullet_width = _total_width(DOT) if block.first is None else len(f"{block.first + len(block.items)}. ")
        return max(map(measure_natural_width, block.items)) + bullet_width
    if isinstance(block, Grid):
        rows = (block.header, *block.rows) if block.header else block.rows
        columns = [max(map(measure_natural_width, column)) for column in zip(*rows, strict=True)]
        return sum(columns) + (len(columns) - 1) * _total_width(BETWEEN)
    return MIN_COLUMN_WIDTH
