"""Runs and tags as rows of the sidebar's lists."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tbtui.charts.cells import Ink
from tbtui.charts.numbers import step
from tbtui.charts.text import nameable
from tbtui.viewstate.run_tree import run_places, run_rows
from tbtui.viewstate.tag_tree import tag_rows
from tbtui.widgets.row_list import Row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tbtui.app.outlook import Outlook
    from tbtui.viewstate.run_tree import RunRow, RunState
    from tbtui.viewstate.tag_tree import TagRow
    from tbtui.widgets.line import Piece

BULLETS: Mapping[RunState, str] = {"shown": "●", "writing": "◐", "nan": "✗", "hidden": "○", "unreadable": "✗"}
FOLDED, UNFOLDED = "▸ ", "▾ "
DEEPEST = 6
"""Levels that are indented; deeper ones stand below one another, or no room is left for the names."""


def bullet(state: RunState, ink: int) -> Piece:
    """The sign of a run's state in the run's colour: a hidden or unreadable run has none."""
    return BULLETS[state], {"hidden": Ink.FAINT, "unreadable": Ink.BAD}.get(state, ink)


def list_runs(outlook: Outlook, folded: frozenset[str], now: float) -> tuple[tuple[Row, ...], tuple[RunRow, ...]]:
    """Rows of the run tree, for drawing and for acting on.

    Args:
        outlook: What is loaded and chosen.
        folded: Keys of the folders whose runs are not listed.
        now: Seconds since the epoch.
    """
    places = run_places(outlook.passing, folded)
    tree = run_rows(places, outlook.state.snapshot.runs, outlook.facts, outlook.shown, folded, now)
    return tuple(_run_row(row, outlook.view.inks) for row in tree), tree


def _run_row(row: RunRow, inks: Mapping[str, int]) -> Row:
    place = row.place
    indent = (" " * (1 + 2 * min(place.depth, DEEPEST)), Ink.NONE)
    dim = row.state == "hidden" or row.vanished
    ink = Ink.DIM if dim else Ink.TEXT
    if place.run is None:
        mark = (FOLDED if row.folded else UNFOLDED, Ink.DIM)
        return Row(place.key, (indent, mark), nameable(place.label), ink, place.common, ((_count(row), Ink.DIM),))
    sign, sign_ink = bullet(row.state, inks[place.run])
    right = "gone" if row.vanished else "" if row.last_step is None else step(row.last_step)
    return Row(
        place.key, (indent, (f"{sign} ", sign_ink)), nameable(place.label), ink, place.common, ((right, Ink.DIM),)
    )


def _count(row: RunRow) -> str:
    count = len(row.place.runs)
    return f"{count}" if row.switch == "on" else f"{row.on}/{count}"


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
