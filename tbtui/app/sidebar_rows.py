"""Runs and tags as rows of the sidebar's lists."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tbtui.app.run_words import word_of
from tbtui.charts import palette
from tbtui.charts.cells import Ink
from tbtui.charts.marks import BASELINE_SIGN
from tbtui.charts.numbers import step
from tbtui.charts.text import LONGEST, cell_width, nameable, safe
from tbtui.viewstate.run_tree import run_places, run_rows
from tbtui.viewstate.tag_tree import tag_rows
from tbtui.widgets.line import pieces_width
from tbtui.widgets.row_list import Row

if TYPE_CHECKING:
    from tbtui.app.outlook import Outlook
    from tbtui.viewstate.run_tree import RunRow, RunState
    from tbtui.viewstate.tag_tree import TagRow
    from tbtui.widgets.line import Piece

HALVES = "◐⬖◧◭"
"""The signs of runs that are still being written, one for each of `palette.MARKERS`."""

LOST = "✗"
FOLDED, UNFOLDED = "▸ ", "▾ "
DEEPEST = 6
"""Levels that are indented; deeper ones stand below one another, or no room is left for the names."""

LEAST_NAME = 10
"""Columns of a name that go before the words of what is badly wrong do."""


def bullet(state: RunState, ink: int) -> Piece:
    """The sign of a run's state in the run's colour: a hidden or unreadable run has none."""
    if state == "hidden":
        return palette.marker(ink, hollow=True), Ink.FAINT
    if state == "unreadable":
        return LOST, Ink.BAD
    if state == "nan":
        return LOST, ink
    return HALVES[palette.MARKERS.index(palette.marker(ink))] if state == "writing" else palette.marker(ink), ink


def list_runs(outlook: Outlook, folded: frozenset[str], width: int) -> tuple[tuple[Row, ...], tuple[RunRow, ...]]:
    """Rows of the run tree, for drawing and for acting on.

    Args:
        outlook: What is loaded and chosen.
        folded: Keys of the folders whose runs are not listed.
        width: Columns of a row; where there is room more is said of a run.
    """
    places = run_places(outlook.passing, folded)
    runs = outlook.state.snapshot.runs
    tree = run_rows(places, runs, outlook.facts, outlook.conditions.of, outlook.shown, folded)
    return tuple(_folder_row(row) if row.place.run is None else _run_row(row, outlook, width) for row in tree), tree


def _folder_row(row: RunRow) -> Row:
    place, count = row.place, len(row.place.runs)
    lead = (_indent(place.depth), (FOLDED if row.folded else UNFOLDED, Ink.DIM))
    right = (f"{count}" if row.switch == "on" else f"{row.on}/{count}", Ink.DIM)
    ink = Ink.DIM if row.state == "hidden" else Ink.TEXT
    return Row(place.key, lead, nameable(place.label), ink, place.common, (right,))


def _run_row(row: RunRow, outlook: Outlook, width: int) -> Row:
    place = row.place
    run = outlook.state.snapshot.runs[place.path]
    ink = outlook.view.inks[run.name]
    sign, sign_ink = bullet(row.state, ink)
    lead = (_indent(place.depth), (f"{sign} ", sign_ink))
    label = nameable(place.label)
    room = width - pieces_width(lead) - 1
    right = _right(row, outlook, room, cell_width(safe(label[:LONGEST])))
    dim = row.state == "hidden" or run.vanished
    return Row(place.key, lead, label, Ink.DIM if dim else Ink.TEXT, place.common, right)


def _indent(depth: int) -> Piece:
    return " " * (1 + 2 * min(depth, DEEPEST)), Ink.NONE


def _right(row: RunRow, outlook: Outlook, room: int, name: int) -> tuple[Piece, ...]:
    """What stands at the right of a run: its last step, and where there is room or need the word that matters.

    Args:
        row: Of the run.
        outlook: What is loaded and chosen.
        room: Columns for name and what stands right of it.
        name: Columns of the whole name.
    """
    run = outlook.state.snapshot.runs[row.place.path]
    facts, base = outlook.facts[run.name], ((f"{BASELINE_SIGN} ", Ink.ACCENT),) * (run.name == outlook.choices.baseline)
    if run.vanished:
        return (*base, ("gone", Ink.DIM))
    last: tuple[Piece, ...] = () if facts.last_step is None else ((step(facts.last_step), Ink.DIM),)
    word = None if row.state == "hidden" else word_of(facts, outlook.conditions.of[run.name])
    if word is None:
        return (*base, *last)
    both = (*base, (f"{word.text}  ", word.ink), *last)
    if name + pieces_width(both) <= room:
        return both
    if not word.brief:
        return (*base, *last)
    alone, brief = (*base, (word.text, word.ink)), (*base, (word.brief, word.ink))
    if word.ink == Ink.BAD:
        return alone if min(name, LEAST_NAME) + pieces_width(alone) <= room else brief
    # What tells runs apart goes before a silence that many may share: a name is cut for no more than the sign of it.
    fitting = (pieces for pieces in (alone, brief) if name + pieces_width(pieces) <= room)
    return next(fitting, (*base, (word.sign, word.ink)))


@lru_cache(maxsize=4)
def list_tags(tags: frozenset[str], folded: frozenset[str]) -> tuple[tuple[Row, ...], tuple[TagRow, ...]]:
    """Rows of the tag tree, for drawing and for acting on.

    Args:
        tags: The tags that pass the filter.
        folded: Groups whose tags are not listed.
    """
    tree = tag_rows(tags, folded)
    return tuple(map(_tag_row, tree)), tree


def _tag_row(row: TagRow) -> Row:
    indent = (" " * (1 + 2 * row.depth), Ink.NONE)
    if row.tag is not None:
        return Row(row.key, (indent,), nameable(row.label))
    mark = (FOLDED if row.folded else UNFOLDED, Ink.DIM)
    return Row(row.key, (indent, mark), nameable(row.label), right=((f"{row.count}", Ink.DIM),))
