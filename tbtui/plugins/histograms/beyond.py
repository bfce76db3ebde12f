"""Whether there are values that the axis of values leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.plugins.histograms.axes import rows_in_sight

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.histograms.axes import Axes
    from tbtui.plugins.histograms.recorded import Recorded


def beyond(recorded: Sequence[Recorded], axes: Axes) -> tuple[bool, bool]:
    """Whether any value of the steps in sight is less than the axis shows, and whether any is greater."""
    rows = [rows_in_sight(each, axes.along) for each in recorded]
    ends = [(each.moments.least[at], each.moments.greatest[at]) for each, at in zip(recorded, rows, strict=True)]
    low, high = axes.values.low, axes.values.high
    return any(bool((least < low).any()) for least, _ in ends), any(bool((most > high).any()) for _, most in ends)
