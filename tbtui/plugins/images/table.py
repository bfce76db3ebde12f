"""The runs that hold the tag of an opened picture, each where the user looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.viewstate.run_names import distinct_names
from tbtui.widgets.run_table import Row, column, run_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.charts.cells import Cells
    from tbtui.plugins.images.steps import StoredSteps

STEP_WORTH, COUNT_WORTH, TIME_WORTH, BYTES_WORTH, WALL_WORTH = 10, 6, 4, 5, 2


def step_table(
    held: Sequence[StoredSteps], width: int, x: float | None, focus: str | None
) -> tuple[Cells, Cells, tuple[str, ...]]:
    """The table's header (one row), its body, and the run of each of its rows.

    Args:
        held: What each run holds, in the order of the run tree.
        width: Columns.
        x: Where the user looks on the x axis; None is the newest of each.
        focus: The run that is selected.
    """
    names = [stored.run.name for stored in held]
    short = distinct_names(names)
    rows = [Row(name, brief, stored.ink, name == focus) for name, brief, stored in zip(names, short, held, strict=True)]
    stops = [stored.nearest(x) for stored in held]
    columns = [
        column("step", [str(stop.step) for stop in stops], STEP_WORTH),
        column("steps", [f"{len(stored):,}" for stored in held], COUNT_WORTH),
        column("stored", [numbers.size(int(stop.stored.series.lengths[stop.point])) for stop in stops], BYTES_WORTH),
        column("time", [numbers.duration(stop.seconds) for stop in stops], TIME_WORTH),
        column("wall time", [numbers.clock(stop.wall_time) for stop in stops], WALL_WORTH),
    ]
    header, body = run_table(rows, columns, width)
    return header, body, tuple(names)
