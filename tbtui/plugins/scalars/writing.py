"""Writes the points of one chart of scalars to a file. Imports no Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tbtui.export.scalars import SCALARS, SMOOTHED
from tbtui.plugins.scalars.data import NoPointsError, ScalarData
from tbtui.plugins.scalars.tables import shown_tables, stored_tables
from tbtui.widgets.file_writing import FileWriting, file_fields
from tbtui.widgets.form_fields import Choice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.export.table import Table
    from tbtui.viewstate.view import View

FIELDS = file_fields(
    "scalars.csv",
    Choice(
        "stored",
        "points",
        ((False, "in sight"), (True, "all")),
        False,
        "in sight: neither superseded, skipped nor outside a range; all: as stored, in order of arrival",
    ),
    Choice("smoothed", "smoothed values", ((False, "no"), (True, "yes")), False, "as a column of their own"),
)


class Writing(FileWriting):
    """Of one chart.

    Args:
        view: What is shown.
        key: The chart's card.
    """

    nothing = NoPointsError, "stored"

    def __init__(self, view: View, key: str) -> None:
        super().__init__()
        self._view, self._key = view, key

    def tables(self, entered: dict[str, Any]) -> tuple[Sequence[str], Iterator[Table]]:
        """The points in sight, or all."""
        # Made anew: what the pane has is used by its own thread.
        of_points = stored_tables if entered["stored"] else shown_tables
        return SMOOTHED if entered["smoothed"] else SCALARS, of_points(ScalarData(), self._view, self._key)
