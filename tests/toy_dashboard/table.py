"""Export levels as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.export.rows import Rows
from tbtui.export.table import Table
from tests.toy_dashboard.decode import levels_of

if TYPE_CHECKING:
    from tbtui.export.rows import ExportRequest


def level_rows(request: ExportRequest) -> Rows:
    tables = (
        Table(
            run.name,
            series.tag,
            {"step": series.steps, "wall_time": series.wall_times, "level": np.array(levels_of(run, series.tag))},
        )
        for run, series in request.chosen("levels")
    )
    return Rows(("step", "wall_time", "level"), tables)
