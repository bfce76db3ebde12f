"""A comparison as plain text: as many columns beside each other as there is room, the others in blocks below."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.charts.columns import aligned
from tbtui.charts.marks import BEST_SIGN
from tbtui.charts.numbers import counted
from tbtui.charts.text import cell_width, shorten
from tbtui.cli.compare.grid import columns_of, constant_line, heading, notes
from tbtui.cli.text_table import wrapped
from tbtui.plugins.comparison.cells import MISSING_SIGN
from tbtui.viewstate.run_names import told_apart

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.cli.compare.data import Comparison
    from tbtui.cli.compare.grid import GridColumn

BETWEEN = "  "
WIDEST_TITLE = 12
"""Columns of a title before it is broken at its slashes, dots and underscores."""

WIDEST_WORD = 40
"""Columns of a value of a hyperparameter before it loses its middle."""

LEAST_NAME = 12
MOST_TAGS = 40
"""Tags that have a column, the first ones."""

_PARTS = re.compile(r"[^/._\- ]*[/._\- ]?")


def text_lines(comparison: Comparison, label: str, width: int) -> Iterator[str]:
    """The lines of a comparison.

    Args:
        comparison: What is compared.
        label: The paths as the user gave them, safe for a terminal.
        width: Columns that there are.
    """
    held = [tag for tag in comparison.tags if not tag.entries.keys().isdisjoint(comparison.runs)]
    left_out = len(comparison.tags) - len(held)
    comparison = replace(comparison, tags=tuple(held))
    yield from wrapped(f"{label}: {heading(comparison)}", width, "  ")
    if same := constant_line(comparison):
        yield from wrapped(same, width, "  ")
    shown = replace(comparison, tags=comparison.tags[:MOST_TAGS])
    columns = [_Laid(column) for column in columns_of(shown)]
    widest = max((cell_width(name) for name in comparison.runs), default=0)
    room = max(min(LEAST_NAME, width // 3), min(widest, width // 2))
    names = told_apart(comparison.runs, max(room, len("run")))
    room = max(map(cell_width, (*names, "run")))
    found = [*notes(comparison)]
    blocks = list(_blocks(columns, width - room))
    for block in blocks:
        yield ""
        yield from _block_lines(names, block, room)
    if any(len(_rows(block)) < len(names) for block in blocks):
        found.append("a run without a value in a block has no row there")
    if left_out:
        found.append(f"{counted(left_out, 'more tag')}, which no run here has a value of")
    if others := len(comparison.tags) - len(shown.tags):
        found.append(f"{counted(others, 'more tag')}: --tags REGEX chooses, --markdown and --json have all")
    if found:
        yield ""
        for note in found:
            yield from wrapped(note, width, "  ")


class _Laid:
    """A column as wide as it is drawn."""

    def __init__(self, column: GridColumn) -> None:
        self.follows = column.follows
        self.numeric = column.numeric
        self.told = frozenset(number for number, cell in enumerate(column.cells) if cell != MISSING_SIGN)
        cells = [shorten(cell, WIDEST_WORD) for cell in column.cells]
        texts = aligned(cells) if column.numeric else tuple(cells)
        if column.best:
            texts = tuple(f"{BEST_SIGN if best else ' '} {text}" for best, text in zip(column.best, texts, strict=True))
        self.texts = texts
        self.title = _broken(column.title, max([WIDEST_TITLE, *map(cell_width, texts)]))
        self.width = max(map(cell_width, (*self.title, *texts)), default=0)

    def placed(self, text: str) -> str:
        blanks = " " * (self.width - cell_width(text))
        return blanks + text if self.numeric else text + blanks


def _broken(title: str, width: int) -> list[str]:
    """A title in as many lines as it takes; a part that is longer stays whole."""
    if cell_width(title) <= width:
        return [title]
    lines = [""]
    for part in _PARTS.findall(title):
        if lines[-1] and cell_width(lines[-1] + part) > width:
            lines.append("")
        lines[-1] += part
    return [line.strip() for line in lines]


def _blocks(columns: Sequence[_Laid], width: int) -> Iterator[list[_Laid]]:
    """Columns that stand beside each other in so much room, at least one of them with all that follow it."""
    groups: list[list[_Laid]] = []
    for column in columns:
        if column.follows and groups:
            groups[-1].append(column)
        else:
            groups.append([column])
    block: list[_Laid] = []
    for group in groups:
        if block and _width([*block, *group]) > width:
            yield block
            block = []
        block = [*block, *group]
    if block:
        yield block


def _width(columns: Sequence[_Laid]) -> int:
    return sum(len(BETWEEN) + column.width for column in columns)


def _block_lines(names: Sequence[str], block: Sequence[_Laid], room: int) -> Iterator[str]:
    height = max(len(column.title) for column in block)
    for row in range(height):
        titles = [
            column.placed(column.title[at] if (at := row - height + len(column.title)) >= 0 else "") for column in block
        ]
        yield BETWEEN.join([("run" if row == height - 1 else "").ljust(room), *titles]).rstrip()
    for number in _rows(block):
        name = names[number]
        cells = [column.placed(column.texts[number]) for column in block]
        yield BETWEEN.join([name + " " * (room - cell_width(name)), *cells]).rstrip()


def _rows(block: Sequence[_Laid]) -> list[int]:
    """The runs that a block has a row of: those with a value in it."""
    return sorted(frozenset().union(*(column.told for column in block)))
