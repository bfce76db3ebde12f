"""State what `tbtui inspect` says of a tag of scalars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from tbtui.cli.inspect.report import RunReport
    from tbtui.store.snapshot import Series


def scalar_cells(report: RunReport, series: Series) -> tuple[str, ...] | None:
    """Return the first, last, least and greatest value; None if the series holds no scalars."""
    extent = report.extents.get(series.tag)
    if not isinstance(series, ScalarSeries) or extent is None:
        return None
    ends = (numbers.short(series.values.item(at)) for at in (0, -1))
    return *ends, *("" if end is None else numbers.short(end) for end in (extent.least, extent.greatest))
