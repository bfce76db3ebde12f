"""Export levels as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.export.rows import Rows
from tbtui.export.table import Table, read_values
from tests.toy_dashboard.decode import read_level

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tbtui.export.rows import ExportRequest


def level_rows(request: ExportRequest) -> Rows:
    return Rows(("step", "wall_time", "level"), _tables(request))


def _tables(request: ExportRequest) -> Iterator[Table]:
    for run, series in request.chosen("levels"):
        for levels in read_values(run, series, read_level, request.refusals):
            points = np.array(list(levels))
            columns = {
                "step": series.steps[points],
                "wall_time": series.wall_times[points],
                "level": np.array(list(levels.values())),
            }
            yield Table(run.name, series.tag, columns)
