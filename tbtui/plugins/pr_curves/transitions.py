"""Changes of settings by keys of the PR curves tab."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tbtui.plugins.pr_curves.settings import THRESHOLD
from tbtui.settings.chart_navigation import clear_cursor, fit_chart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tbtui.plugins.pr_curves.read import Floats
    from tbtui.settings.settings import Settings


def move_threshold(settings: Settings, thresholds: Floats, count: int, default: float | None) -> Settings:
    """Move the threshold down by `count` positions: recall grows as the threshold falls.

    Args:
        settings: The current settings.
        thresholds: Thresholds of drawn points, float64[k] ascending.
        count: Number of positions; negative moves up.
        default: Threshold to start from if none is selected; None: the end that it moves away from.
    """
    if not len(thresholds):
        return settings
    selected = THRESHOLD.value(settings)
    current = default if selected is None else selected
    if current is None:
        index = len(thresholds) - count if count > 0 else -count - 1
    elif count > 0:
        index = int(np.searchsorted(thresholds, current, "left")) - count
    else:
        index = int(np.searchsorted(thresholds, current, "right")) - count - 1
    return THRESHOLD.with_value(settings, float(thresholds[max(0, min(index, len(thresholds) - 1))]))


def forget_cursor(settings: Settings) -> Settings:
    """Remove threshold, cursor and mark."""
    return THRESHOLD.with_value(clear_cursor(settings), None)


def fit_charts(settings: Settings, keys: Sequence[str]) -> Settings:
    """Show the whole extent of these charts; those of other tabs keep theirs."""
    for key in keys:
        settings = fit_chart(settings, key, plane=True)
    return settings
