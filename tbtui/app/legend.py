"""The runs in one line, for terminals that have no room for a sidebar."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tbtui.app.run_words import word_of
from tbtui.app.sidebar_rows import bullet
from tbtui.charts.cells import Ink
from tbtui.charts.text import shorten
from tbtui.viewstate.run_tree import run_state
from tbtui.widgets.line import Piece, pieces_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.app.outlook import Outlook

LONGEST_NAME = 12
MOST_NAMES = 100
"""Runs that are named at most: no terminal has room for more, and there may be thousands."""


def short_names(names: Sequence[str]) -> list[str]:
    """What tells the names apart: as many of their last parts between `/` as that takes."""
    parts = [name.split("/") for name in names]
    taken = [1] * len(names)
    while True:
        short = ["/".join(part[-count:]) for part, count in zip(parts, taken, strict=True)]
        again = Counter(short)
        longer = [i for i, name in enumerate(short) if again[name] > 1 and taken[i] < len(parts[i])]
        if not longer:
            return short
        for index in longer:
            taken[index] += 1


def legend_pieces(outlook: Outlook, width: int) -> tuple[Piece, ...]:
    """`● s0 ● s1 ‖ ✗ div ⋯2`: the runs that are drawn, as many as fit, and how many more there are.

    Args:
        outlook: What is loaded and chosen.
        width: Terminal columns.
    """
    view = outlook.view
    # By their inks: those that had to come last for a colour have to here too.
    runs = sorted(view.runs, key=lambda run: view.inks[run.name])[:MOST_NAMES]
    names = short_names([run.name for run in runs])
    pieces: list[Piece] = []
    for index, (run, name) in enumerate(zip(runs, names, strict=True)):
        facts, condition = outlook.facts[run.name], outlook.conditions.of[run.name]
        sign = bullet(run_state(run, facts, condition, shown=True), view.inks[run.name])
        entry: list[Piece] = [(" ", Ink.NONE), sign, (f" {shorten(name, LONGEST_NAME)}", Ink.TEXT)]
        word = None if run.vanished else word_of(facts, condition)
        if word is not None and word.sign:
            entry.append((f" {word.sign}", word.ink))
        left = len(view.runs) - index - 1
        if pieces_width((*pieces, *entry, *_more(left))) > width:
            return (*pieces, *_more(left + 1))
        pieces += entry
    return tuple(pieces)


def _more(count: int) -> tuple[Piece, ...]:
    return ((f" ⋯{count}", Ink.DIM),) if count else ()
