"""What is known of a chart of scalars beside its picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.plugins.scalars.data import scalar_series
from tbtui.viewstate.about import about_tag, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tbtui.store.snapshot import ScalarSeries
    from tbtui.viewstate.view import View


def about(view: View, tags: Sequence[str]) -> tuple[str, ...]:
    """Lines about tags of the drawn runs, as `about_tag` has them."""
    lines = (
        line for tag in tags for line in (*about_tag(view, "scalars", tag, list(scalar_series(view, [tag])), _told), "")
    )
    return tuple(lines)[:-1]


def _told(series: ScalarSeries) -> Iterator[str]:
    """`440 points at steps 0–439, 12 superseded, 3 NaN`."""
    values = series.values
    odd = ((int(np.count_nonzero(np.isnan(values))), "NaN"), (int(np.count_nonzero(np.isinf(values))), "infinite"))
    yield ", ".join((counted(series, "point"), *(f"{count:,} {what}" for count, what in odd if count)))
