"""Export levels as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.export.request import Rows
from tbtui.export.table import Table, read_values
from tests.toy_dashboard.decode import read_level
from tests.toy_dashboard.settings import COLUMNS, NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.export.request import ExportRequest


def level_rows(request: ExportRequest) -> Rows:
    """Return one row per readable level of the chosen runs and tags."""
    return Rows(("step", "wall_time", *COLUMNS), _tables(request))


def _tables(request: ExportRequest) -> Iterator[Table]:
    for run, series in request.iter_selected_series(NAME):
        for levels in read_values(run, series, read_level, request.skipped):
            points = np.array(list(levels))
            numbers = zip(COLUMNS, np.array(list(levels.values())).T, strict=True)
            columns = {"step": series.steps[points], "wall_time": series.wall_times[points], **dict(numbers)}
            yield Table(run.name, series.tag, columns)
