"""Runs and tags as rows of the sidebar's lists."""

from __future__ import annotations

from functools import lru_cache
from itertools import takewhile
from operator import eq
from typing import TYPE_CHECKING

from tbtui.app.run_words import word_of
from tbtui.charts import palette
from tbtui.charts.cells import Ink
from tbtui.charts.marks import BASELINE_SIGN
from tbtui.charts.numbers import step
from tbtui.charts.text import ELLIPSIS, cell_width, nameable, safe
from tbtui.viewstate.run_names import told_apart
from tbtui.viewstate.run_tree import run_places, run_rows
from tbtui.viewstate.tag_tree import tag_rows
from tbtui.widgets.grid_drawing import fitted_rows
from tbtui.widgets.line import pieces_width
from tbtui.widgets.row_list import Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.app.outlook import Outlook
    from tbtui.viewstate.run_tree import RunPlace, RunRow, RunState
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

STEP_WIDTH = 5
"""Columns of a step, as `12.5k`: names are chosen to go beside one."""


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
    rows: list[Row] = [Row("")] * len(tree)
    for siblings in _siblings(places):
        for index, row in zip(siblings, _rows([tree[index] for index in siblings], outlook, width), strict=True):
            rows[index] = row
    return tuple(rows), tree


def _siblings(places: Sequence[RunPlace]) -> list[list[int]]:
    """The lines that stand under the same folder, group by group."""
    groups: list[list[int]] = []
    open_groups: list[list[int]] = []
    for index, place in enumerate(places):
        del open_groups[place.depth + 1 :]
        if place.depth == len(open_groups):
            open_groups.append([])
            groups.append(open_groups[-1])
        open_groups[place.depth].append(index)
    return groups


def _rows(siblings: Sequence[RunRow], outlook: Outlook, width: int) -> Iterator[Row]:
    """Lines under the same folder, whose labels never read alike.

    What all labels do without does not depend on what stands at their right: where a word comes its own label is cut.
    """
    labels = tuple(row.place.label for row in siblings)
    leads = [_lead(row, outlook) for row in siblings]
    room = width - pieces_width(leads[0]) - 1
    usual = max(room - STEP_WIDTH, 0)
    names = told_apart(labels, usual)
    rights = [_right(row, outlook, room, cell_width(name)) for row, name in zip(siblings, names, strict=True)]
    left_over = [max(room - pieces_width(right), 0) for right in rights]
    # Steps of more and of fewer digits cut no name otherwise than its neighbours.
    alike = max(usual, min(left_over))
    rooms = tuple(min(alike, left) for left in left_over)
    for row, lead, name, right in zip(siblings, leads, told_apart(labels, usual, rooms), rights, strict=True):
        place = row.place
        yield Row(place.key, lead, name, _label_ink(row, outlook), _shared(name, place), right)


def _shared(name: str, place: RunPlace) -> int:
    """How many characters of a label as it is shown are those that its neighbours begin with, too."""
    kept = sum(takewhile(bool, map(eq, name, safe(place.label))))
    # Where parts were left out what follows them may begin like what they began with: of `2026-20_a` stays `20_a`.
    return min(place.common, kept) if kept >= place.common or name[kept : kept + 1] == ELLIPSIS else 0


def _lead(row: RunRow, outlook: Outlook) -> tuple[Piece, ...]:
    """The sign of a folder or of a run, indented."""
    indent = " " * (1 + 2 * min(row.place.depth, DEEPEST)), Ink.NONE
    if row.place.run is None:
        return indent, (FOLDED if row.folded else UNFOLDED, Ink.DIM)
    sign, ink = bullet(row.state, outlook.view.inks[row.place.run])
    return indent, (f"{sign} ", ink)


def _label_ink(row: RunRow, outlook: Outlook) -> int:
    vanished = row.place.run is not None and outlook.state.snapshot.runs[row.place.run].vanished
    return Ink.DIM if row.state == "hidden" or vanished else Ink.TEXT


def _right(row: RunRow, outlook: Outlook, room: int, name: int) -> tuple[Piece, ...]:
    """What stands at the right: of a run its last step, and where there is room or need the word that matters.

    Args:
        row: Of the run or the folder.
        outlook: What is loaded and chosen.
        room: Columns for name and what stands right of it.
        name: Columns of the name.
    """
    if row.place.run is None:
        count = len(row.place.runs)
        return ((f"{count}" if row.switch == "on" else f"{row.on}/{count}", Ink.DIM),)
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
def list_tags(tags: frozenset[str], folded: frozenset[str], width: int) -> tuple[tuple[Row, ...], tuple[TagRow, ...]]:
    """Rows of the tag tree, for drawing and for acting on; those of one group never read alike.

    Args:
        tags: The tags that pass the filter.
        folded: Groups whose tags are not listed.
        width: Columns of a row.
    """
    tree = tag_rows(tags, folded)
    groups: dict[str | None, list[int]] = {}
    for index, tag in enumerate(tree):
        groups.setdefault(tag.group if tag.depth else None, []).append(index)
    rows = list(map(_tag_row, tree))
    for members in groups.values():
        for index, row in zip(members, fitted_rows([rows[index] for index in members], width), strict=True):
            rows[index] = row
    return tuple(rows), tree


def _tag_row(row: TagRow) -> Row:
    indent = (" " * (1 + 2 * row.depth), Ink.NONE)
    if row.tag is not None:
        return Row(row.key, (indent,), nameable(row.label))
    mark = (FOLDED if row.folded else UNFOLDED, Ink.DIM)
    return Row(row.key, (indent, mark), nameable(row.label), right=((f"{row.count}", Ink.DIM),))
