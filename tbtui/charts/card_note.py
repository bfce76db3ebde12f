"""The note at the right of a card's title: as many words as there is room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts.card import LEAST_TITLE
from tbtui.charts.text import cell_width, safe

if TYPE_CHECKING:
    from collections.abc import Sequence

FRAME = 7
"""Columns of a card that neither its title nor its note can have."""


def fitting_note(notes: Sequence[str], title: str, width: int) -> str:
    """The first of ever shorter notes for which a card's title is not cut.

    Where that is none, the last one, if it leaves the title as much as it must have; otherwise nothing.

    Args:
        notes: At least one.
        title: Of the card.
        width: Columns of the card.
    """
    room = width - FRAME
    needed = cell_width(safe(title))
    fitting = [note for note in notes if cell_width(safe(note)) <= room - needed] or notes[-1:]
    return fitting[0] if cell_width(safe(fitting[0])) <= room - min(LEAST_TITLE, needed) else ""
