"""The runs in one line, for terminals that have no room for a sidebar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.app.sidebar_rows import bullet
from tbtui.charts.cells import Ink
from tbtui.charts.text import shorten
from tbtui.viewstate.run_tree import common_start, run_state
from tbtui.widgets.line import Piece, pieces_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.app.outlook import Outlook

LONGEST_NAME = 16


def short_names(names: Sequence[str]) -> list[str]:
    """What differs in the names: the start that all share goes, at a word's end."""
    start = common_start(names)
    return [shorten(name[start:], LONGEST_NAME) for name in names]


def legend_pieces(outlook: Outlook, width: int, now: float) -> tuple[Piece, ...]:
    """`● s0 ● s1 ✗ div ⋯2`: the runs that are drawn, as many as fit, and how many more there are.

    Args:
        outlook: What is loaded and chosen.
        width: Terminal columns.
        now: Seconds since the epoch.
    """
    view = outlook.view
    pieces: list[Piece] = []
    names = short_names([run.name for run in view.runs])
    for index, (run, name) in enumerate(zip(view.runs, names, strict=True)):
        sign = bullet(run_state(run, outlook.facts[run.name], True, now), view.inks[run.name])
        left = len(names) - index - 1
        more = pieces_width(_more(left))
        entry: list[Piece] = [(" ", Ink.NONE), sign, (f" {name}", Ink.TEXT)]
        if pieces_width(pieces) + pieces_width(entry) + more > width:
            return (*pieces, *_more(left + 1))
        pieces += entry
    return tuple(pieces)


def _more(count: int) -> tuple[Piece, ...]:
    return ((f" ⋯{count}", Ink.DIM),) if count else ()
