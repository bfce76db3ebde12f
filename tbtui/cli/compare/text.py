"""Render a comparison as plain text: columns that fit side by side, the others in blocks below."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tbtui.charts.columns import aligned
from tbtui.charts.marks import BEST_SIGN
from tbtui.charts.numbers import counted
from tbtui.charts.text import cell_width, shorten
from tbtui.cli.compare.grid import columns_of, constant_line, heading, notes
from tbtui.plugins.comparison.cells import MISSING_SIGN
from tbtui.report.tables import BETWEEN, GAP, pack_columns, pad_cell, total_width, wrap_list
from tbtui.viewstate.run_names import told_apart

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.cli.compare.data import Comparison
    from tbtui.cli.compare.grid import GridColumn

MAX_TITLE = 12
"""Columns of a title before it is broken at its slashes, dots and underscores."""

MAX_VALUE = 40
"""Columns of a hyperparameter value before its middle is cut."""

MIN_NAME = 12
MAX_TAGS = 40
"""Maximum number of tags with a column; the first ones have one."""

_PARTS = re.compile(r"[^/._\- ]*[/._\- ]?")


def text_lines(comparison: Comparison, label: str, width: int) -> Iterator[str]:
    """Yield the lines of a comparison.

    Args:
        comparison: The comparison.
        label: The paths as the user gave them, safe for a terminal.
        width: Columns of the output.
    """
    held = [tag for tag in comparison.tags if not tag.entries.keys().isdisjoint(comparison.runs)]
    left_out = len(comparison.tags) - len(held)
    comparison = replace(comparison, tags=tuple(held))
    yield from wrap_list(f"{label}: {heading(comparison)}", width, "  ")
    if same := constant_line(comparison):
        yield from wrap_list(same, width, "  ")
    shown = replace(comparison, tags=comparison.tags[:MAX_TAGS])
    columns = [_SizedColumn(column) for column in columns_of(shown)]
    widest = max((cell_width(name) for name in comparison.runs), default=0)
    room = max(min(MIN_NAME, width // 3), min(widest, width // 2))
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
            yield from wrap_list(note, width, "  ")


class _SizedColumn:
    """A column with its final texts and width."""

    def __init__(self, column: GridColumn) -> None:
        self.follows = column.follows
        self.numeric = column.numeric
        self.told = frozenset(number for number, cell in enumerate(column.cells) if cell != MISSING_SIGN)
        cells = [shorten(cell, MAX_VALUE) for cell in column.cells]
        texts = aligned(cells) if column.numeric else tuple(cells)
        if column.best:
            texts = tuple(f"{BEST_SIGN if best else ' '} {text}" for best, text in zip(column.best, texts, strict=True))
        self.texts = texts
        self.title = _broken(column.title, max([MAX_TITLE, *map(cell_width, texts)]))
        self.width = max(map(cell_width, (*self.title, *texts)), default=0)

    def padded(self, text: str) -> str:
        return pad_cell(text, self.width, left=not self.numeric)


def _broken(title: str, width: int) -> list[str]:
    """Return a title in as many lines as it needs; a longer part stays whole."""
    if cell_width(title) <= width:
        return [title]
    lines = [""]
    for part in _PARTS.findall(title):
        if lines[-1] and cell_width(lines[-1] + part) > width:
            lines.append("")
        lines[-1] += part
    return [line.strip() for line in lines]


def _blocks(columns: Sequence[_SizedColumn], width: int) -> Iterator[list[_SizedColumn]]:
    """Yield the columns that fit side by side; a column and those that follow it are never separated."""
    groups: list[list[_SizedColumn]] = []
    for column in columns:
        if column.follows and groups:
            groups[-1].append(column)
        else:
            groups.append([column])
    widths = [total_width([column.width for column in group]) - GAP for group in groups]
    for part in pack_columns(widths, width):
        if part:
            yield [column for group in groups[part.start : part.stop] for column in group]


def _block_lines(names: Sequence[str], block: Sequence[_SizedColumn], room: int) -> Iterator[str]:
    height = max(len(column.title) for column in block)
    for row in range(height):
        titles = [
            column.padded(column.title[at] if (at := row - height + len(column.title)) >= 0 else "") for column in block
        ]
        yield BETWEEN.join([("run" if row == height - 1 else "").ljust(room), *titles]).rstrip()
    for number in _rows(block):
        name = names[number]
        cells = [column.padded(column.texts[number]) for column in block]
        yield BETWEEN.join([pad_cell(name, room, left=True), *cells]).rstrip()


def _rows(block: Sequence[_SizedColumn]) -> list[int]:
    """Return the indices of the runs that have a value in a block."""
    return sorted(frozenset().union(*(column.told for column in block)))
