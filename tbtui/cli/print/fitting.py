"""What fits a screen: as many charts as can be read there, all as high as there is room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.cli.print.sheet import Heading, Picture, Pieces
from tbtui.cli.print.writing import lines_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.cli.print.command import Printing
    from tbtui.cli.print.paper import Paper
    from tbtui.cli.print.sheet import Block
    from tbtui.viewstate.view import View

LEAST_HEIGHT, MOST_HEIGHT = 8, 48
"""Rows of a chart: with fewer, rather fewer charts are shown; more say nothing more."""


def fitted(printing: Printing, view: View, paper: Paper) -> list[str]:
    """The lines of a picture that has at most as many rows as the paper; none where nothing matches."""
    if paper.height is None:
        return list(printing.lines(view, paper))
    wanted = printing.arguments.height
    blocks = printing.blocks(view, paper, LEAST_HEIGHT)
    if not blocks:
        return []
    sections = _sections(blocks)
    whole = list(lines_of(blocks, paper))
    # A line is kept for saying what is left out, where that is to be.
    shown = len(sections) if len(whole) <= paper.height else _that_fit(sections, paper, paper.height - 1)
    pictures = sum(isinstance(block, Picture | Pieces) for section in sections[:shown] for block in section)
    if shown and pictures and wanted is None:
        used = len(list(lines_of([block for section in sections[:shown] for block in section], paper)))
        room = paper.height - (shown < len(sections)) - used
        height = min(LEAST_HEIGHT + max(room, 0) // pictures, MOST_HEIGHT)
        sections = _sections(printing.blocks(view, paper, height))
    lines = list(lines_of([block for section in sections[: max(shown, 1)] for block in section], paper))
    return _cut(lines, len(sections) - max(shown, 1), paper, paper.height)


def _sections(blocks: Sequence[Block]) -> list[list[Block]]:
    """Each heading with what stands below it."""
    sections: list[list[Block]] = []
    for block in blocks:
        if isinstance(block, Heading) or not sections:
            sections.append([])
        sections[-1].append(block)
    return sections


def _that_fit(sections: Sequence[Sequence[Block]], paper: Paper, room: int) -> int:
    """How many of the first sections have room below one another."""
    for shown in range(len(sections), 0, -1):
        if len(list(lines_of([block for section in sections[:shown] for block in section], paper))) <= room:
            return shown
    return 0


def _cut(lines: list[str], missing: int, paper: Paper, room: int) -> list[str]:
    """The lines that have room, and how much has none."""
    if len(lines) + (missing > 0) <= room:
        more = f"{missing:,} more of them" if missing else ""
    else:
        more = f"{len(lines) - room + 1:,} more lines"
        lines = lines[: room - 1]
    return [*lines, paper.spelled(f"… {more} below (--tags REGEX, --max-tags N)")] if more else lines
