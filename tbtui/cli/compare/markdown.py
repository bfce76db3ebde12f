"""Render a comparison as a Markdown table, for reports and issues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.text import nameable, safe
from tbtui.cli.compare.grid import columns_of, constant_line, heading, notes
from tbtui.report.markdown import escaped, markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.cli.compare.data import Comparison


def markdown_lines(comparison: Comparison, label: str) -> Iterator[str]:
    """Yield the lines of a comparison: a sentence, and the table with the best value of each column in bold.

    Args:
        comparison: The comparison.
        label: The paths as the user gave them, safe for a terminal.
    """
    yield f"{escaped(label)}: {escaped(heading(comparison).replace('★ the best', 'bold the best'))}"
    if same := constant_line(comparison):
        yield ""
        yield escaped(same)
    columns = columns_of(comparison)
    rows = [
        [safe(nameable(run)), *(column.cells[number] for column in columns)]
        for number, run in enumerate(comparison.runs)
    ]
    bold = [
        [False, *(bool(column.best) and column.best[number] for column in columns)]
        for number in range(len(comparison.runs))
    ]
    titles = ["run", *(column.title for column in columns)]
    yield ""
    yield from markdown_table(titles, [True, *(not column.numeric for column in columns)], rows, bold, is_compact=True)
    for note in notes(comparison):
        yield ""
        yield escaped(note)
