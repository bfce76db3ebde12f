"""The axes of a chart of lines: as chosen by hand, otherwise fit for the data, and still while it grows."""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.axis import Axis, Kind, possible_scale
from tbtui.plugins.scalars.lines import MOST_RAW
from tbtui.plugins.scalars.ranges import hand_range, ranged
from tbtui.plugins.scalars.sight import values_in_sight
from tbtui.series.domain import SMALL, extent, held, symlog_threshold
from tbtui.series.scales import bent
from tbtui.viewstate.choices import WHOLE

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from tbtui.plugins.scalars.lines import Floats, Line
    from tbtui.series.domain import Limits
    from tbtui.series.scales import Scale
    from tbtui.viewstate.choices import Choices, Outliers, Range, XAxis

FAR_OUT = 4.0
"""Values count as outliers once they would make the axis this many times as long as nine tenths of all need it."""

FENCE = 1.5
"""No outlier is a value that lies beyond those nine tenths by no more than this many times their span."""

RAW_ROOM = 2.0
"""What lies behind the lines, such as raw values behind smoothed ones, may make the axis this many times as long."""

LEAST_RANKED = 40
MOST_RANKED = 1 << 16
"""Values put in order to find outliers: not so few that a twentieth is none; of more, some are skipped."""

STEADY = 100.0
"""A symlog scale is changed once its threshold is wrong by this factor: until then nothing is to jump."""

KEPT = 512
"""Charts whose limits are remembered."""

_KINDS: dict[XAxis, Kind] = {"step": "step", "relative": "duration", "wall": "wall"}


@dataclass(frozen=True, slots=True)
class AxesChosen:
    """What is chosen for the axes of one chart. The default leaves all to the data."""

    x_axis: XAxis = "step"
    x_scale: Scale = "linear"
    x_range: Range = WHOLE
    y_scale: Scale = "linear"
    y_range: Range = WHOLE
    outliers: Outliers = "auto"


def axes_chosen(choices: Choices, key: str) -> AxesChosen:
    """What is chosen for the axes of the chart of card `key`."""
    return AxesChosen(
        choices.x_axis,
        choices.x_scale,
        choices.x_range_of(key),
        choices.y_scale_of(key),
        choices.chart(key).y_range,
        choices.outliers,
    )


@dataclass(frozen=True, slots=True)
class _Held:
    """Limits and symlog thresholds of a chart's axes as the data alone would have them."""

    shown: Hashable = None
    x: Limits | None = None
    y: Limits | None = None
    x_threshold: float | None = None
    y_threshold: float | None = None


_NOTHING_HELD = _Held()


class HeldAxes:
    """The axes of every chart seen so far: limits grow in nice steps, and start anew when other things are shown."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, _Held] = OrderedDict()

    def axes(
        self,
        key: str,
        lines: Sequence[Line],
        chosen: AxesChosen,
        *,
        shown: Hashable = None,
        levels: Sequence[float] = (),
    ) -> tuple[Axis, Axis]:
        """The x and the y axis of a chart.

        Args:
            key: Whose chart it is.
            lines: At least one.
            chosen: What is chosen for the axes.
            shown: What is shown beside the data, `chosen` and `levels`: while these are equal, limits are held.
            levels: Heights of reference lines.
        """
        former, shown = self._held.pop(key, _NOTHING_HELD), (chosen, shown, tuple(levels))
        if former.shown != shown:
            former = _NOTHING_HELD
        x, x_held = _x_axis(lines, chosen, former)
        in_sight = x if hand_range(chosen.x_range, x.scale, x.origin) != WHOLE else None
        scale = chosen.y_scale
        # One array: with hundreds of lines, looking through each costs far more than putting them together.
        drawn = [(line, line.smoothed) for line in lines]
        main = values_in_sight(drawn, in_sight, scale)
        threshold = _threshold(main, SMALL, scale, former.y_threshold)
        if in_sight is not None and scale == "symlog":  # only now it is known where lines enter and leave
            main = values_in_sight(drawn, in_sight, scale, threshold)
        behind = values_behind(lines, levels, in_sight, scale, threshold)
        data = y_extent(main, behind, scale, threshold, chosen.outliers)
        y_held = held(former.y, data, scale=scale, threshold=threshold)
        y = Axis(*ranged(y_held, hand_range(chosen.y_range, scale), scale), scale, threshold=threshold)
        self._held[key] = _Held(shown, x_held, y_held, x.threshold, threshold)
        while len(self._held) > KEPT:
            self._held.popitem(last=False)
        return x, y


def _x_axis(lines: Sequence[Line], chosen: AxesChosen, former: _Held) -> tuple[Axis, Limits | None]:
    """The x axis, and the limits that the data alone gives it; None where nobody asks for them."""
    kind, origin = _KINDS[chosen.x_axis], lines[0].key.origin
    scale = possible_scale(chosen.x_scale, kind, origin)
    low, high = hand_range(chosen.x_range, scale, origin)
    if low is not None and high is not None and scale != "symlog":
        return Axis(low, high, scale, kind, origin), None
    ends = np.concatenate([_x_ends(line, scale) for line in lines])
    threshold = _threshold(ends, 0.0, scale, former.x_threshold)
    limits = held(former.x, extent([ends], scale=scale), scale=scale, threshold=threshold, padding=0.0)
    return Axis(*ranged(limits, (low, high), scale), scale, kind, origin, threshold), limits


def _x_ends(line: Line, scale: Scale) -> Floats:
    """The values among which are the least and the greatest x, and those next to zero where the scale asks for them."""
    x, superseded = line.x, line.superseded
    if line.key.x_axis == "step":
        zero = int(x.searchsorted(0.0))
        x = x[[0, -1]] if scale == "linear" else np.concatenate([x[[0, -1]], x[max(zero - 1, 0) : zero + 2]])
    return x if superseded is None else np.concatenate([x, superseded[0]])


def _threshold(values: Floats, small: float, scale: Scale, former: float | None) -> float:
    """Of a symlog scale: the former one where it is about right."""
    if scale != "symlog":
        return 1.0
    threshold = symlog_threshold(values, small)
    return former if former is not None and threshold / STEADY < former < threshold * STEADY else threshold


def values_behind(
    lines: Sequence[Line],
    levels: Sequence[float] = (),
    in_sight: Axis | None = None,
    scale: Scale = "linear",
    threshold: float = 1.0,
) -> Iterator[Floats]:
    """What is drawn behind the lines of a chart, part by part: each may be too far from them to be shown."""
    if len(lines) <= MOST_RAW:
        raw = [(line, line.values) for line in lines if line.smoothed is not line.values and line.band is None]
        edges = [(line, edge) for line in lines if line.band is not None for edge in (line.band.low, line.band.high)]
        for part in (raw, edges):
            yield values_in_sight(part, in_sight, scale, threshold)
    for x, y in (line.superseded for line in lines if line.superseded is not None):
        yield y if in_sight is None else y[(x >= in_sight.low) & (x <= in_sight.high)]
    yield from (np.array([level]) for level in levels)


def y_extent(
    main: Floats, behind: Iterable[Floats], scale: Scale = "linear", threshold: float = 1.0, outliers: Outliers = "auto"
) -> Limits | None:
    """What the y axis has to show.

    TensorBoard leaves out a twentieth of the values at each end, whatever they are, and all raw ones: that is
    `ignore`; `keep` leaves out nothing. With `auto` values are left out only when the chart would be flat with them
    (most charts lose nothing, and few points are never outliers), and what lies behind the lines only when it is far
    from them.

    Args:
        main: Values of the lines, float64[n].
        behind: Values behind them, in the order of their worth.
        scale: Of the axis.
        threshold: Of a symlog scale.
        outliers: Which rule.
    """
    if outliers == "ignore":
        return extent([main], scale=scale, ignore_outliers=True)
    shown = extent([main], scale=scale)
    if outliers == "auto" and shown is not None:
        shown = _without_outliers(main, shown, scale, threshold)
    room = math.inf if shown is None or outliers == "keep" else RAW_ROOM * _span(shown, scale, threshold)
    for values in behind:
        near = extent([values] if shown is None else [values, np.array(shown)], scale=scale)
        if near is not None and _span(near, scale, threshold) <= room:
            shown = near
    return shown


def _without_outliers(values: Floats, everything: Limits, scale: Scale, threshold: float) -> Limits:
    if len(values) < LEAST_RANKED:
        return everything
    most = extent([values[:: 1 + len(values) // MOST_RANKED]], scale=scale, ignore_outliers=True)
    if most is None or most[0] == most[1]:
        return everything
    if _span(everything, scale, threshold) <= FAR_OUT * _span(most, scale, threshold):
        return everything
    low, high = bent(np.array(most), scale, threshold) / 2
    places = bent(values, scale, threshold) / 2
    beyond = 2 * FENCE * (high / 2 - low / 2)
    inside = values[(places >= low - beyond) & (places <= high + beyond)]
    return extent([inside], scale=scale) or most


def _span(limits: Limits, scale: Scale, threshold: float) -> float:
    """Length on the axis; halved, so that opposite huge limits have one."""
    low, high = bent(np.array(limits), scale, threshold)
    return float(high / 2 - low / 2)
