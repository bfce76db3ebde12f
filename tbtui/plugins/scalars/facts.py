"""State what `tbtui inspect` says of a tag of scalars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.charts import numbers
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from tbtui.plugins.base import ScalarExtremes
    from tbtui.store.snapshot import Series


def scalar_cells(series: Series, extremes: ScalarExtremes | None) -> tuple[str, ...] | None:
    """Return the first, last, least and greatest value, distinct; None if the series holds no scalars."""
    if not isinstance(series, ScalarSeries) or extremes is None:
        return None
    values = series.values.item(0), series.last_value, extremes.min, extremes.max
    return tuple(texts[0] for texts in numbers.format_columns([[value] for value in values]))
