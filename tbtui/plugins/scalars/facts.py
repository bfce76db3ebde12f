"""State what `tbtui inspect` says of a tag of scalars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from tbtui.plugins.base import ScalarExtremes
    from tbtui.store.snapshot import Series


def scalar_cells(series: Series, extremes: ScalarExtremes | None) -> tuple[str, ...] | None:
    """Return the first, last, least and greatest value; None if the series holds no scalars."""
    if not isinstance(series, ScalarSeries) or extremes is None:
        return None
    ends = (numbers.short(series.values.item(at)) for at in (0, -1))
    return *ends, *("" if end is None else numbers.short(end) for end in (extremes.min, extremes.max))
