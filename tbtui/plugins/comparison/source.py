"""The comparison table of one view, as the table widget reads it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tbtui.charts import palette
from tbtui.charts.cells import Ink
from tbtui.charts.marks import BASELINE_SIGN
from tbtui.charts.numbers import counted
from tbtui.charts.text import cell_width, nameable
from tbtui.plugins.comparison.cells import WIDTH
from tbtui.plugins.comparison.data import baseline_of, compared_runs
from tbtui.plugins.comparison.words import sort_sign
from tbtui.viewstate.run_names import common_words, told_apart
from tbtui.viewstate.tag_tree import group_of, title_of
from tbtui.widgets.grid_source import Head
from tbtui.widgets.row_list import Row

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from tbtui.plugins.comparison.data import ComparisonData
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.viewstate.view import View
    from tbtui.widgets.grid_source import CellsOfColumn

MOST_TITLE = 16
"""Terminal columns that a title may widen its column to."""

_DONE = object()


class ComparisonSource:
    """A `GridSource`: one row a run, one column a scalar tag.

    Made on the thread that also works out the cells.

    Args:
        data: Kept from view to view; only that thread touches it.
        view: What is shown.
        before: The table shown until now.
    """

    def __init__(self, data: ComparisonData, view: View, before: ComparisonSource | None = None) -> None:
        self.view = view
        self._data = data
        self._baseline = baseline_of(view) if view.choices.deltas else None
        self._tags = data.tags(view)
        self._titles = _titles(self._tags)
        runs = data.runs(view)
        with_row = {run.name for run in runs}
        self._names = tuple(run.name for run in view.runs if run.name in with_row)
        rows = _rows(runs, view)
        # Rows that look as before are the same object: the widget measures them once.
        self._rows = before.rows if before is not None and before.rows == rows else rows

    @property
    def rows(self) -> Sequence[Row]:
        """See `GridSource`."""
        return self._rows

    @property
    def columns(self) -> tuple[str, ...]:
        """See `GridSource`."""
        return self._tags

    @property
    def corner(self) -> str:
        """See `GridSource`: `run`, or `17 of 26 runs` where some have no row."""
        rows, runs = len(self._rows), len(self.view.runs)
        return "run" if rows == runs else f"{rows:,} of {counted(runs, 'run')}"

    @property
    def meaning(self) -> Hashable:
        """See `GridSource`."""
        choices = self.view.choices
        return choices.figure, choices.skip_steps, None if self._baseline is None else self._baseline.name

    def head(self, column: str) -> Head:
        """See `GridSource`."""
        choices, group, title = self.view.choices, group_of(column), self._titles[column]
        sign = sort_sign(descending=choices.sort_descending) if column == choices.sort_tag else ""
        width = max(cell_width(title), WIDTH)
        return Head(title, width, "" if group == column else group, sign)

    def cells(self, columns: Sequence[str], rows: Sequence[str]) -> Iterator[CellsOfColumn]:
        """See `GridSource`."""
        runs, in_sight = compared_runs(self.view), frozenset(rows)
        baseline = None if self._baseline is None else self._baseline.name
        first = [run for run in runs if run.name in in_sight or run.name == baseline]
        made = [self._data.column(self.view, tag) for tag in columns]
        # In turns: what is in sight of each column comes before what is not of any.
        filling = [(column, column.fill(runs, first)) for column in made]
        while filling:
            for turn in tuple(filling):
                column, rest = turn
                if next(rest, _DONE) is _DONE:
                    filling.remove(turn)
                yield column.tag, column.cells(self._names, baseline)


@lru_cache(maxsize=4)
def _titles(tags: tuple[str, ...]) -> Mapping[str, str]:
    """What stands above each column: those of one group never read alike."""
    groups: dict[str, list[str]] = {}
    for tag in tags:
        groups.setdefault("" if group_of(tag) == tag else group_of(tag), []).append(tag)
    titles: dict[str, str] = {}
    for held in groups.values():
        titles.update(zip(held, told_apart(tuple(map(title_of, held)), MOST_TITLE), strict=True))
    return titles


def _rows(runs: Sequence[RunSnapshot], view: View) -> tuple[Row, ...]:
    names = [nameable(run.name) for run in runs]
    faded = common_words(names)
    return tuple(_row(run, name, faded, view) for run, name in zip(runs, names, strict=True))


def _row(run: RunSnapshot, name: str, faded: int, view: View) -> Row:
    ink = view.inks[run.name]
    right = ((BASELINE_SIGN, Ink.ACCENT),) if run.name == view.choices.baseline else ()
    return Row(run.name, ((f"{palette.marker(ink)} ", ink),), name, Ink.DIM if run.vanished else Ink.TEXT, faded, right)
