"""Axes of a chart: set by hand or fitted to the data, and stable while data grows; and the order of table rows."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.axis import Axis, Kind, supported_scale
from tbtui.frozen import frozen
from tbtui.maths.domain import PADDING, extent, stable_limits, symlog_threshold
from tbtui.maths.x_values import DATES, TagValues, run_clock
from tbtui.settings.settings import FULL_RANGE, apply_range, usable_range
from tbtui.store.scalar_table import wall_times_of
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    import numpy.typing as npt

    from tbtui.maths.domain import Limits
    from tbtui.maths.scales import Scale
    from tbtui.maths.x_values import RunClock
    from tbtui.settings.settings import Outliers, Range, RowOrder, Settings, XAxis
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.view import View

    Floats: TypeAlias = npt.NDArray[np.float64]

MAX_THRESHOLD_FACTOR = 100.0
"""A symlog scale keeps its threshold until it is wrong by this factor, so that nothing jumps."""

MAX_HELD_CHARTS = 512
"""Maximum number of charts whose axes are remembered."""

AXIS_KINDS: dict[XAxis, Kind] = {
    "step": "step",
    "relative": "duration",
    "wall": "wall",
    "order": "step",
    "active": "duration",
    "tag": "number",
}
"""Kind of labels of each x axis."""


_clocks: dict[tuple[int, bool, str | None], tuple[weakref.ref[RunSnapshot], RunClock]] = {}
"""Clocks by the identity of their snapshot, without and with pauses; an entry goes with its snapshot."""


def clock_of(run: RunSnapshot, x_axis: XAxis, x_tag: str = "") -> RunClock:
    """Return the clock of a run, cached as long as the snapshot lives.

    Args:
        run: The run.
        x_axis: Only for `active` the clock has pauses, and only for `tag` the values of a tag.
        x_tag: That tag.
    """
    key = id(run), x_axis == "active", x_tag if x_axis == "tag" else None
    snapshot, clock = _clocks.get(key, (None, None))
    if clock is None or snapshot is None or snapshot() is not run:
        with_pauses = x_axis == "active"
        times = wall_times_of(run.series, DATES, with_pauses=with_pauses)
        clock = run_clock(run.first_wall_time, *times, with_pauses=with_pauses)
        if x_axis == "tag":
            clock = replace(clock, tag_values=tag_values_of(run, x_tag))
        _clocks[key] = weakref.ref(run, lambda _: _clocks.pop(key, None)), clock
    return clock


def tag_values_of(run: RunSnapshot, tag: str) -> TagValues | None:
    """Return the current values of a tag, which are an x axis; None if the run has no such scalars."""
    series = run.series.get(tag)
    if not isinstance(series, ScalarSeries):
        return None
    current = series.current
    return TagValues(current.steps, np.asarray(current.values), (run.name, tag, series.revision))


@frozen
class AxesSettings:
    """Settings of the axes of one chart. The default fits everything to the data."""

    x_axis: XAxis = "step"
    x_scale: Scale = "linear"
    x_range: Range = FULL_RANGE
    y_scale: Scale = "linear"
    y_range: Range = FULL_RANGE
    outliers: Outliers = "auto"
    x_tag: str = ""
    """Tag whose values are x on the axis `tag`."""


def axes_settings_of(settings: Settings, key: str) -> AxesSettings:
    """Return the settings of the axes of the chart of card `key`."""
    return AxesSettings(
        settings.x_axis,
        settings.x_scale,
        settings.x_range_of(key),
        settings.y_scale_of(key),
        settings.chart(key).y_range,
        settings.outliers,
        settings.x_tag,
    )


@frozen
class HeldAxis:
    """An axis fitted to the data alone, from which the next one continues."""

    limits: Limits | None = None
    threshold: float | None = None


NO_HELD_AXIS = HeldAxis()


def threshold_of(values: Floats, small: float, scale: Scale, former: HeldAxis = NO_HELD_AXIS) -> float:
    """Return the threshold of a symlog scale: the former one if it is about right.

    Args:
        values: Values on the axis, float64[n].
        small: Part of them that may be in the linear part of the scale.
        scale: Any scale; the threshold matters for symlog only.
        former: The former axis.
    """
    if scale != "symlog":
        return 1.0
    threshold, before = symlog_threshold(values, small), former.threshold
    return (
        before
        if before is not None and threshold / MAX_THRESHOLD_FACTOR < before < threshold * MAX_THRESHOLD_FACTOR
        else threshold
    )


def x_axis(
    ends: Sequence[Floats], chosen: AxesSettings, origin: int, former: HeldAxis = NO_HELD_AXIS
) -> tuple[Axis, HeldAxis]:
    """Return the x axis of a chart.

    Args:
        ends: Values that include the minimum and the maximum of x, and those next to zero if the scale needs them.
        chosen: Settings of the axes.
        origin: Origin of enormous steps.
        former: The former axis.
    """
    kind = AXIS_KINDS[chosen.x_axis]
    scale = supported_scale(chosen.x_scale, kind, origin)
    low, high = usable_range(chosen.x_range, scale, origin)
    if low is not None and high is not None and scale != "symlog":
        return Axis(low, high, scale, kind, origin), NO_HELD_AXIS
    threshold = threshold_of(np.concatenate([*ends, np.empty(0)]), 0.0, scale, former)
    data = _widened(extent(ends, scale=scale), kind)
    limits = stable_limits(former.limits, data, scale=scale, threshold=threshold, padding=0.0)
    return Axis(*apply_range(limits, (low, high), scale), scale, kind, origin, threshold), HeldAxis(limits, threshold)


def _widened(data: Limits | None, kind: Kind) -> Limits | None:
    """Return an extent of times that is not a single moment."""
    if data is None or data[0] != data[1]:
        return data
    if kind == "duration" and data[0] == 0:
        return 0.0, 1.0
    return (data[0] - 1, data[1] + 1) if kind == "wall" and data[0] + 1 > data[0] else data


def y_axis(
    data: Limits | None,
    chosen: AxesSettings,
    threshold: float,
    former: HeldAxis = NO_HELD_AXIS,
    padding: float = PADDING,
) -> tuple[Axis, HeldAxis]:
    """Return the axis of the values of a chart.

    Args:
        data: Limits of the data.
        chosen: Settings of the axes.
        threshold: From `threshold_of`.
        former: The former axis.
        padding: Room at each side of the data, as a part of its span.
    """
    scale = chosen.y_scale
    limits = stable_limits(former.limits, data, scale=scale, threshold=threshold, padding=padding)
    hand = usable_range(chosen.y_range, scale)
    return Axis(*apply_range(limits, hand, scale), scale, threshold=threshold), HeldAxis(limits, threshold)


class HeldAxes:
    """Former axes of every chart seen so far, dropped when the shown data or settings change."""

    def __init__(self) -> None:
        self._axes_by_chart: OrderedDict[str, tuple[Hashable, HeldAxis, HeldAxis]] = OrderedDict()

    def former(self, key: str, shown: Hashable) -> tuple[HeldAxis, HeldAxis]:
        """Return the former x and y axis of a chart.

        Args:
            key: Key of its card.
            shown: Everything shown except growing data: axes are held while it is equal.
        """
        before, *axes = self._axes_by_chart.get(key, (None, NO_HELD_AXIS, NO_HELD_AXIS))
        x, y = axes if before == shown else (NO_HELD_AXIS, NO_HELD_AXIS)
        return x, y

    def keep(self, key: str, shown: Hashable, x: HeldAxis, y: HeldAxis) -> None:
        """Remember the axes of a chart."""
        self._axes_by_chart.pop(key, None)
        self._axes_by_chart[key] = shown, x, y
        while len(self._axes_by_chart) > MAX_HELD_CHARTS:
            self._axes_by_chart.popitem(last=False)


def axes_hold_key(view: View, runs: Iterable[str]) -> Hashable:
    """Return a value during which axes are held: while it is equal they move in few and round steps.

    They are held for runs that are being written. During the initial load they fit the data read so far, independent of
    the order of reading.

    Args:
        view: The view.
        runs: Names of the runs in a chart.
    """
    return None if any(view.summaries[run].arrived is not None for run in runs) else view.snapshot.revision


ASCENDING, DESCENDING, NEAREST = "▲", "▼", "▸"
"""Signs behind the title of the column by which rows are sorted; `NEAREST` also marks the selected row."""


def title_with_order(title: str, order: RowOrder, focus: object = None) -> str:
    """Return the title of the column by which rows are sorted: `value ▲`.

    Args:
        title: Title of the column.
        order: Selected order.
        focus: The focused row, to which the nearest come first; None: none.
    """
    sign = {"ascending": ASCENDING, "descending": DESCENDING, "nearest": "" if focus is None else NEAREST}.get(order)
    return f"{title} {sign}" if sign else title


def sort_rows(values: Sequence[float], order: RowOrder, focus: int | None = None) -> list[int]:
    """Return indices of rows in the selected order; equal rows keep their order, NaN comes last.

    Args:
        values: Value of each row.
        order: `nearest` sorts by the distance to the focused row; without one, rows keep their order.
        focus: Index of the focused row.
    """
    keys = np.asarray(values, np.float64)
    if order == "nearest":
        with np.errstate(invalid="ignore", over="ignore"):
            keys = np.abs(keys - (np.nan if focus is None else keys[focus]))
    elif order == "descending":
        keys = -keys
    return list(range(len(keys))) if order == "runs" else np.argsort(keys, kind="stable").tolist()
