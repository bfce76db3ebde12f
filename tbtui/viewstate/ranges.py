"""Ranges set by hand, as far as an axis can have them."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

from tbtui.viewstate.chart_choices import WHOLE

if TYPE_CHECKING:
    from tbtui.series.domain import Limits
    from tbtui.series.scales import Scale
    from tbtui.viewstate.chart_choices import Range


def hand_range(chosen: Range, scale: Scale, origin: int = 0) -> Range:
    """The ends of a range that an axis can have, counted from its origin; WHOLE where they are out of order."""
    low, high = (end if _is_possible(end, scale) else None for end in (_counted(end, origin) for end in chosen))
    return WHOLE if low is not None and high is not None and low >= high else (low, high)


def _counted(end: float | None, origin: int) -> float | None:
    return None if end is None else float(end - origin)


def _is_possible(end: float | None, scale: Scale) -> bool:
    return end is not None and math.isfinite(end) and (scale != "log" or end > 0)


def ranged(limits: Limits, chosen: Range, scale: Scale) -> Limits:
    """Limits with the ends that were set by hand; where the data ends before the one, the other lies as far beyond."""
    low, high = (end if hand is None else hand for end, hand in zip(limits, chosen, strict=True))
    if low >= high and chosen[1] is None:
        high = _beyond(low, limits, scale, 1)
    elif low >= high:
        low = _beyond(high, limits, scale, -1)
    return (low, high) if -math.inf < low < high < math.inf else limits


def _beyond(end: float, limits: Limits, scale: Scale, side: int) -> float:
    """A value on one side of an end, as far away as the limits are apart."""
    if scale == "log":
        return min(max(end * (limits[1] / limits[0]) ** side, sys.float_info.min), sys.float_info.max)
    value = end + side * (limits[1] - limits[0])
    value = min(max(value, -sys.float_info.max), sys.float_info.max)
    return value if value != end else math.nextafter(end, side * math.inf)
