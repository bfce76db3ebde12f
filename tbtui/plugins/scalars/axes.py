"""The axes of a chart of lines: fit for the data, and still while it grows."""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import Axis, Kind
from tbtui.plugins.scalars.lines import MOST_RAW
from tbtui.series.domain import extent, held

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tbtui.plugins.scalars.lines import Floats, Line
    from tbtui.series.domain import Limits
    from tbtui.viewstate.choices import XAxis

FAR_OUT = 4.0
"""Values count as outliers once they would make the axis this many times as long."""

RAW_ROOM = 2.0
"""Raw values behind smoothed ones may make the axis this many times as long."""

LEAST_RANKED = 40
MOST_RANKED = 1 << 16
"""Values put in order to find outliers: not so few that a twentieth is none; of more, some are skipped."""

KEPT = 512
"""Charts whose limits are remembered."""

_KINDS: dict[XAxis, Kind] = {"step": "step", "relative": "duration", "wall": "wall"}


class HeldAxes:
    """The axes of every chart seen so far: limits grow in nice steps, and start anew when other things are shown."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, tuple[Hashable, Limits, Limits]] = OrderedDict()

    def axes(self, tag: str, lines: Sequence[Line], x_axis: XAxis, *, log: bool, shown: Hashable) -> tuple[Axis, Axis]:
        """The x and the y axis of a chart.

        Args:
            tag: Whose chart it is.
            lines: At least one.
            x_axis: What x is.
            log: Whether y is logarithmic.
            shown: What is shown beside the data: while it is equal, limits are held.
        """
        former, x_held, y_held = self._held.pop(tag, (None, None, None))
        if former != shown:
            x_held = y_held = None
        x_limits = held(x_held, extent([np.concatenate([_x_ends(line) for line in lines])]), padding=0.0)
        y_limits = held(y_held, y_extent(lines, log=log), log=log)
        self._held[tag] = shown, x_limits, y_limits
        while len(self._held) > KEPT:
            self._held.popitem(last=False)
        x = Axis(*x_limits, kind=_KINDS[x_axis], origin=lines[0].key.origin)
        return x, Axis(*y_limits, scale="log" if log else "linear")


def _x_ends(line: Line) -> Floats:
    """The values among which the least and the greatest x are."""
    return line.x[[0, -1]] if line.key.x_axis == "step" else line.x


def y_extent(lines: Sequence[Line], *, log: bool) -> Limits | None:
    """What the y axis has to show: the lines but for far outliers, and the raw values behind them where they are near.

    TensorBoard leaves out a twentieth of the values at each end, whatever they are, and all raw ones. Here values are
    left out only when the chart would be flat with them: most charts lose nothing, and few points are never outliers.
    """
    # One array: with hundreds of lines, looking through each costs far more than putting them together.
    main = _without_outliers(np.concatenate([line.smoothed for line in lines]), log=log)
    raw = [line.values for line in lines if line.smoothed is not line.values]
    if main is None or not raw or len(lines) > MOST_RAW:
        return main
    behind = extent(raw, log=log) or main
    both = min(main[0], behind[0]), max(main[1], behind[1])
    return both if _span(both, log=log) <= RAW_ROOM * _span(main, log=log) else main


def _without_outliers(values: Floats, *, log: bool) -> Limits | None:
    everything = extent([values], log=log)
    if len(values) < LEAST_RANKED:
        return everything
    most = extent([values[:: 1 + len(values) // MOST_RANKED]], log=log, ignore_outliers=True)
    if everything is None or most is None or most[0] == most[1]:
        return everything
    return most if _span(everything, log=log) > FAR_OUT * _span(most, log=log) else everything


def _span(limits: Limits, *, log: bool) -> float:
    """Length on the axis; halved, so that opposite huge limits have one."""
    low, high = limits
    return math.log(high) / 2 - math.log(low) / 2 if log else high / 2 - low / 2
