"""What is asked for, beside the choices that every view has; and what is kept from frame to frame."""

from __future__ import annotations

from dataclasses import field, replace
from functools import cached_property
from string import ascii_lowercase, ascii_uppercase, digits
from typing import TYPE_CHECKING

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from tbtui.cli.print.paper import Paper
    from tbtui.loading.graphs import GraphReader
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.scalars.data import ScalarData
    from tbtui.store.snapshot import Series

LETTERS = ascii_uppercase + ascii_lowercase + digits
"""What runs are drawn with where colours do not tell them apart, in every encoding."""

MOST_CHARTS, MOST_RUNS = 8, 12
"""Charts of a print, and runs in each, where nobody says how many."""

MOST_ROWS = 60
"""Rows of a table, likewise."""


class Letters:
    """One letter a run, the same in all charts and frames as long as there are letters."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def see(self, runs: Sequence[str]) -> None:
        """Give a letter to each of the runs that has none, in their order, as long as all of them can have one."""
        if len(runs) <= len(LETTERS):
            self.of(runs)

    def of(self, runs: Iterable[str]) -> Mapping[str, str]:
        """The letters of some runs; no two have the same one unless there are more than letters."""
        found: dict[str, str] = {}
        for run in runs:
            if run not in found:
                letter = self._known.setdefault(run, LETTERS[len(self._known) % len(LETTERS)])
                free = letter if letter not in found.values() else self._free(found)
                found[run] = free
        return found

    @staticmethod
    def _free(found: Mapping[str, str]) -> str:
        return next((letter for letter in LETTERS if letter not in found.values()), "*")


class Kept:
    """What is made when it is first needed, and goes on from frame to frame."""

    @cached_property
    def payloads(self) -> Payloads:
        """Reads what lies in files."""
        from tbtui.loading.payloads import Payloads

        return Payloads()

    @cached_property
    def graphs(self) -> GraphReader:
        """Reads graphs."""
        from tbtui.loading.graphs import GraphReader

        return GraphReader(self.payloads)

    @cached_property
    def scalars(self) -> ScalarData:
        """Makes charts of scalars."""
        from tbtui.plugins.scalars.data import ScalarData

        return ScalarData()


@frozen
class Asked:
    """How it is to be printed."""

    paper: Paper
    height: int
    """Rows of each chart."""

    max_tags: int | None = None
    """How many tags are told of; None: as many as are sensible, 0: all. Likewise the runs of each."""

    max_runs: int | None = None
    step: int | None = None
    """The step that is told of where one is enough; None: the last."""

    rows: int | None = None
    """Rows of what is as long as it is, where somebody has said how high a chart is; None: as many as are sensible."""

    letters: Letters = field(default_factory=Letters)

    kept: Kept = field(default_factory=Kept)

    def on(self, paper: Paper, height: int) -> Asked:
        """The same on other paper."""
        return replace(self, paper=paper, height=height)

    def tags(self, there: int, usual: int = MOST_CHARTS) -> int:
        """How many of the tags that are there are told of."""
        return _bounded(there, self.max_tags, usual)

    def runs(self, there: int, usual: int = MOST_RUNS) -> int:
        """How many of the runs that are there are told of."""
        return _bounded(there, self.max_runs, usual)

    def point(self, series: Series) -> int:
        """Index into a series of the point that `nearest` finds."""
        return self.nearest(series.steps)

    def nearest(self, steps: npt.NDArray[np.int64]) -> int:
        """Index of the step that is asked for, or of the nearest to it; of two the later."""
        if self.step is None or len(steps) == 1:
            return len(steps) - 1
        apart = abs(steps.astype(float) - self.step)
        return int((apart == apart.min()).nonzero()[0][-1])

    def elsewhere(self, steps: Iterable[int]) -> tuple[str, ...]:
        """A line that says so where not all of the steps that are shown are the one that is asked for; or none."""
        if self.step is None or all(step == self.step for step in steps):
            return ()
        return (f"where nothing is at step {self.step} the nearest is shown",)


def _bounded(there: int, most: int | None, usual: int) -> int:
    return there if most == 0 else min(there, usual if most is None else most)


def left_out(names: Sequence[str], shown: int, what: str, width: int) -> str:
    """`5 more tags: a, b, c, … (--max-tags 0: all; --tags REGEX)`; empty where none is left out.

    Args:
        names: All of them, those that are shown first.
        shown: How many are shown.
        what: What one of them is called: `tag` or `run`.
        width: Columns that the names may take together.
    """
    from tbtui.charts.numbers import counted
    from tbtui.charts.text import ELLIPSIS, cell_width, nameable, safe

    missing = names[shown:]
    if not missing:
        return ""
    said: list[str] = []
    for name in missing:
        said.append(safe(nameable(name)))
        if cell_width(", ".join(said)) > width:
            said[-1] = ELLIPSIS
            break
    option = f"--max-{what}s 0: all, --{what}s REGEX: which"
    return f"{counted(len(missing), f'more {what}')}: {', '.join(said)} ({option})"
