"""Writes the curves of one chart to a file. Imports no Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.charts.numbers import counted
from tbtui.export.pr_curves import CURVES, curve_tables
from tbtui.export.refusals import Refusals
from tbtui.plugins.pr_curves.points import PLUGIN_NAME, NoCurveError, points_of
from tbtui.widgets.file_writing import FileWriting, file_fields
from tbtui.widgets.form_fields import Choice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.export.table import Table
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.viewstate.view import View
    from tbtui.widgets.file_writing import Written
    from tbtui.widgets.form_fields import Field

FIELDS: tuple[Field, ...] = file_fields(
    "pr_curves.csv",
    Choice(
        "steps",
        "steps",
        (("drawn", "the one that is drawn"), ("current", "in sight"), ("stored", "all")),
        "drawn",
        "in sight: neither superseded (unless these are shown) nor skipped; all: as stored, in order of arrival",
    ),
)
"""What is asked for."""


class Writing(FileWriting):
    """Of one chart: a row a threshold, every one that is stored.

    Args:
        view: What is shown.
        tag: The chart's.
    """

    nothing = NoCurveError, "steps"

    def __init__(self, view: View, tag: str) -> None:
        super().__init__()
        self._view, self._tag = view, tag
        self.refusals = Refusals()
        """Of all steps that would be written, those that hold no curve."""

    def tables(self, entered: dict[str, Any]) -> tuple[Sequence[str], Iterator[Table]]:
        """The curves of the steps that were asked for."""
        self.refusals = Refusals()
        return CURVES, self._tables(entered["steps"])

    def _tables(self, steps: str) -> Iterator[Table]:
        is_any = False
        for table in curve_tables(self._chosen(steps), self.refusals):
            is_any = True
            yield table
        if not is_any:
            why = self.refusals.first.reason if self.refusals.first else "no step is in sight"
            raise NoCurveError(f"nothing to write: {why}")

    def _chosen(self, steps: str) -> Iterator[tuple[RunSnapshot, ReferenceSeries]]:
        choices = self._view.choices
        for run, series in self._view.references(self._tag, PLUGIN_NAME):
            points = points_of(series, choices)
            if steps == "stored":
                yield run, series
            elif points is not None:
                rows = np.array([points.nearest(choices.cursor)]) if steps == "drawn" else points.indices
                yield run, points.series.part(rows)


def written_word(written: Written, refusals: Refusals) -> str:
    """`635 rows in /home/me/pr_curves.csv; 1 step left out, no curve`."""
    word = f"{counted(written.rows, 'row')} in {written.path}"
    count = refusals.count
    return f"{word}; {counted(count, 'step')} left out, no curve" if count else word
