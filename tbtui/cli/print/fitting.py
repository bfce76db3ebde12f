"""Fit a print to the screen: as many legible charts as possible, all as high as the rows allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.report.blocks import Heading, Picture, PieceRows
from tbtui.report.layout import render_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.cli.print.command import Printing
    from tbtui.report.blocks import Block
    from tbtui.report.terminal import OutputTarget
    from tbtui.viewstate.view import View

MIN_HEIGHT, MAX_HEIGHT = 8, 48
"""Limits of the chart height: fewer charts are shown before one gets lower, and more rows show nothing more."""


def fitted(printing: Printing, view: View, target: OutputTarget) -> list[str]:
    """Return the lines of a print in at most as many rows as the target has; none if nothing matches."""
    if target.height is None:
        return list(printing.lines(view, target))
    wanted = printing.arguments.height
    blocks = printing.blocks(view, target, MIN_HEIGHT)
    if not blocks:
        return []
    sections = _sections(blocks)
    whole = list(render_blocks(blocks, target))
    # One line is reserved for the note on what is left out.
    shown = len(sections) if len(whole) <= target.height else _fitting_sections(sections, target, target.height - 1)
    pictures = sum(isinstance(block, Picture | PieceRows) for section in sections[:shown] for block in section)
    if shown and pictures and wanted is None:
        used = len(list(render_blocks([block for section in sections[:shown] for block in section], target)))
        room = target.height - (shown < len(sections)) - used
        height = min(MIN_HEIGHT + max(room, 0) // pictures, MAX_HEIGHT)
        sections = _sections(printing.blocks(view, target, height))
    lines = list(render_blocks([block for section in sections[: max(shown, 1)] for block in section], target))
    return _cut(lines, len(sections) - max(shown, 1), target, target.height)


def _sections(blocks: Sequence[Block]) -> list[list[Block]]:
    """Return each heading with the blocks below it."""
    sections: list[list[Block]] = []
    for block in blocks:
        if isinstance(block, Heading) or not sections:
            sections.append([])
        sections[-1].append(block)
    return sections


def _fitting_sections(sections: Sequence[Sequence[Block]], target: OutputTarget, room: int) -> int:
    """Return how many of the first sections fit into `room` rows."""
    for shown in range(len(sections), 0, -1):
        if len(list(render_blocks([block for section in sections[:shown] for block in section], target))) <= room:
            return shown
    return 0


def _cut(lines: list[str], missing: int, target: OutputTarget, room: int) -> list[str]:
    """Return the lines that fit, and a note on those that do not."""
    if len(lines) + (missing > 0) <= room:
        more = f"{missing:,} more of them" if missing else ""
    else:
        more = f"{len(lines) - room + 1:,} more lines"
        lines = lines[: room - 1]
    return [*lines, target.encoded(f"… {more} below (--tags REGEX, --max-tags N)")] if more else lines
