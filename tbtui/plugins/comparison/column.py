"""One tag of every run in a table: worked out where a series has changed, and nowhere else."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tbtui.charts.columns import most_decimals
from tbtui.frozen import frozen
from tbtui.plugins.comparison.cells import MISSING, best_runs, cell_of, texts_of
from tbtui.plugins.comparison.points import Point, point_of
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Container, Hashable, Iterator, Mapping, Sequence

    from tbtui.store.snapshot import RunSnapshot
    from tbtui.viewstate.options import Best, Figure
    from tbtui.widgets.grid_source import Cell

PAUSE = 0.02
"""Seconds of work after which what is there is shown: runs of a million points each take a while."""


@frozen
class Asked:
    """What the cells of a column tell."""

    figure: Figure
    best: Best | None
    skip_steps: int


class Column:
    """The points of one tag, and the cells that tell them. Used by one thread.

    Args:
        tag: Which column.
        asked: Which point of each series.
    """

    def __init__(self, tag: str, asked: Asked) -> None:
        self.tag = tag
        self.asked = asked
        self.points: dict[str, Point] = {}
        """Of each run that has one."""

        self._runs: dict[str, int] = {}
        self._series: dict[str, int] = {}
        self._complete = False
        self._version = 0
        self._room = 0
        self._look: Hashable = None
        self._cells: Mapping[str, Cell] = {}

    def fill(self, runs: Sequence[RunSnapshot], first: Sequence[RunSnapshot] = ()) -> Iterator[None]:
        """Work out the points of these runs, and forget all others; pauses now and then.

        Args:
            runs: All that there are.
            first: Those of them that are looked at. As long as a column is new it pauses after them.
        """
        if not self._complete and first:
            yield from self._work_out(first)
            yield
        yield from self._work_out(runs)
        self._complete = True
        if len(self._runs) > len(runs):
            self._keep({run.name for run in runs})

    def _work_out(self, runs: Sequence[RunSnapshot]) -> Iterator[None]:
        known, rested = self._runs, time.perf_counter()
        for run in [run for run in runs if known.get(run.name) != run.revision]:
            self._take(run)
            known[run.name] = run.revision
            if time.perf_counter() - rested > PAUSE:
                yield
                rested = time.perf_counter()

    def _keep(self, runs: Container[str]) -> None:
        for name in [name for name in self._runs if name not in runs]:
            del self._runs[name]
            self._forget(name)

    def _take(self, run: RunSnapshot) -> None:
        series = run.series.get(self.tag)
        if not isinstance(series, ScalarSeries):
            self._forget(run.name)
        elif self._series.get(run.name) != series.revision:
            asked = self.asked
            point = point_of(series, asked.figure, asked.best, asked.skip_steps)
            self._forget(run.name)
            self._series[run.name] = series.revision
            if point is not None:
                self.points[run.name] = point
            self._version += 1

    def _forget(self, name: str) -> None:
        if self._series.pop(name, None) is not None:
            self.points.pop(name, None)
            self._version += 1

    def cells(self, rows: tuple[str, ...], baseline: str | None = None) -> Mapping[str, Cell]:
        """The cells of these rows; the same mapping as long as nothing in it has changed.

        Before all points of a new column are worked out rows without one have no cell, and none is the best.

        Args:
            rows: Names of runs, in whatever order.
            baseline: The run to which differences are told; None: values are.
        """
        look = self._version, self._complete, rows, baseline
        if look != self._look:
            self._look, self._cells = look, self._drawn(rows, baseline)
        return self._cells

    def _drawn(self, rows: tuple[str, ...], baseline: str | None) -> Mapping[str, Cell]:
        base = None if baseline is None else self.points.get(baseline)
        values = {run: self.points[run].value for run in rows if run in self.points}
        texts = texts_of(values, self.asked.best, None if base is None else base.value, baseline)
        # Once made, room for decimals stays: a value that happens to be round must not move all others.
        self._room = max(self._room, most_decimals(number for number, _ in texts.values()))
        best = best_runs(values, self.asked.best) if self._complete else frozenset()
        cells = {run: cell_of(text, self._room, best=run in best) for run, text in texts.items()}
        return {run: cells.get(run, MISSING) for run in rows} if self._complete else cells
