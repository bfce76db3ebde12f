"""A comparison as a Markdown table, for reports and issues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.text import nameable, safe
from tbtui.cli.compare.grid import columns_of, constant_line, heading, notes
from tbtui.cli.markdown import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.cli.compare.data import Comparison


def markdown_lines(comparison: Comparison, label: str) -> Iterator[str]:
    """The lines of a comparison: a sentence, the table, the best value of each column bold.

    Args:
        comparison: What is compared.
        label: The paths as the user gave them, safe for a terminal.
    """
    yield f"{escaped(label)}: {escaped(heading(comparison).replace('★ the best', 'bold the best'))}"
    if same := constant_line(comparison):
        yield ""
        yield escaped(same)
    columns = columns_of(comparison)
    yield ""
    yield _row(["run", *(column.title for column in columns)])
    yield "|" + "|".join([":--", *("--:" if column.numeric else ":--" for column in columns)]) + "|"
    for number, run in enumerate(comparison.runs):
        cells = [escaped(column.cells[number]) for column in columns]
        bold = [bool(column.best) and column.best[number] for column in columns]
        marked = [f"**{cell}**" if best else cell for cell, best in zip(cells, bold, strict=True)]
        yield f"| {' | '.join([escaped(safe(nameable(run))), *marked])} |"
    for note in notes(comparison):
        yield ""
        yield escaped(note)


def _row(texts: Sequence[str]) -> str:
    return f"| {' | '.join(map(escaped, texts))} |"
