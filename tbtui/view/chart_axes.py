"""Axes of a chart: set by hand or fitted to the data, and stable while data grows."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.axis import Axis, Kind, resolve_scale
from tbtui.frozen import frozen
from tbtui.maths.domain import PADDING, choose_symlog_threshold, compute_extent, stabilise_limits
from tbtui.maths.x_values import DATES, TagValues, build_run_clock
from tbtui.settings.settings import FULL_RANGE, apply_range, convert_range
from tbtui.store.run_series import collect_wall_times
from tbtui.store.snapshot import ScalarSeries

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    import numpy.typing as npt

    from tbtui.maths.domain import Limits, Scale
    from tbtui.maths.x_values import RunClock
    from tbtui.settings.settings import Outliers, Range, Settings, XAxis
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.view.view import View

    Floats: TypeAlias = npt.NDArray[np.float64]


MAX_THRESHOLD_FACTOR = 100.0
"""Factor by which the threshold of a symlog scale may be wrong before it changes, so that the axis stays stable."""

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


def get_clock(run: RunSnapshot, x_axis: XAxis, x_tag: str = "") -> RunClock:
    """Return the clock of a run, cached as long as the snapshot lives.

    Args:
        run: The run.
        x_axis: `active` gives the clock its pauses, `tag` the values of a tag.
        x_tag: Tag of the axis `tag`.
    """
    key = id(run), x_axis == "active", x_tag if x_axis == "tag" else None
    snapshot, clock = _clocks.get(key, (None, None))
    if clock is None or snapshot is None or snapshot() is not run:
        with_pauses = x_axis == "active"
        times = collect_wall_times(run.series, DATES, with_pauses=with_pauses)
        clock = build_run_clock(run.first_wall_time, *times, with_pauses=with_pauses)
        if x_axis == "tag":
            clock = replace(clock, tag_values=get_tag_values(run, x_tag))
        _clocks[key] = weakref.ref(run, lambda _: _clocks.pop(key, None)), clock
    return clock


def get_tag_values(run: RunSnapshot, tag: str) -> TagValues | None:
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


def get_axes_settings(settings: Settings, key: str) -> AxesSettings:
    """Return the settings of the axes of the chart of card `key`."""
    return AxesSettings(
        settings.x_axis,
        settings.x_scale,
        settings.get_x_range(key),
        settings.get_y_scale(key),
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


def choose_threshold(values: Floats, max_linear_share: float, scale: Scale, former: HeldAxis = NO_HELD_AXIS) -> float:
    """Return the threshold of a symlog scale: the former one if it is within `MAX_THRESHOLD_FACTOR`.

    Args:
        values: Values on the axis, float64[n].
        max_linear_share: Share of the values that may be in the linear part of the scale.
        scale: Any scale; the threshold matters for symlog only.
        former: The former axis.
    """
    if scale != "symlog":
        return 1.0
    threshold, former_threshold = choose_symlog_threshold(values, max_linear_share), former.threshold
    return (
        former_threshold
        if former_threshold is not None
        and threshold / MAX_THRESHOLD_FACTOR < former_threshold < threshold * MAX_THRESHOLD_FACTOR
        else threshold
    )


def choose_x_axis(
    extremes: Sequence[Floats], axes_settings: AxesSettings, origin: int, former: HeldAxis = NO_HELD_AXIS
) -> tuple[Axis, HeldAxis]:
    """Return the x axis of a chart.

    Args:
        extremes: Values with the minimum and the maximum of x, and those next to zero if the scale needs them.
        axes_settings: Settings of the axes.
        origin: Origin of enormous steps.
        former: The former axis.
    """
    kind = AXIS_KINDS[axes_settings.x_axis]
    scale = resolve_scale(axes_settings.x_scale, kind, origin)
    low, high = convert_range(axes_settings.x_range, scale, origin)
    if low is not None and high is not None and scale != "symlog":
        return Axis(low, high, scale, kind, origin), NO_HELD_AXIS
    threshold = choose_threshold(np.concatenate([*extremes, np.empty(0)]), 0.0, scale, former)
    data = _widen(compute_extent(extremes, scale=scale), kind)
    limits = stabilise_limits(former.limits, data, scale=scale, threshold=threshold, padding=0.0)
    return Axis(*apply_range(limits, (low, high), scale), scale, kind, origin, threshold), HeldAxis(limits, threshold)


def _widen(data: Limits | None, kind: Kind) -> Limits | None:
    """Return an extent of times that is longer than a single moment."""
    if data is None or data[0] != data[1]:
        return data
    if kind == "duration" and data[0] == 0:
        return 0.0, 1.0
    return (data[0] - 1, data[1] + 1) if kind == "wall" and data[0] + 1 > data[0] else data


def choose_y_axis(
    data: Limits | None,
    axes_settings: AxesSettings,
    threshold: float,
    former: HeldAxis = NO_HELD_AXIS,
    padding: float = PADDING,
) -> tuple[Axis, HeldAxis]:
    """Return the axis of the values of a chart.

    Args:
        data: Limits of the data.
        axes_settings: Settings of the axes.
        threshold: From `choose_threshold`.
        former: The former axis.
        padding: Padding on each side of the data, as a share of its span.
    """
    scale = axes_settings.y_scale
    limits = stabilise_limits(former.limits, data, scale=scale, threshold=threshold, padding=padding)
    manual_range = convert_range(axes_settings.y_range, scale)
    return Axis(*apply_range(limits, manual_range, scale), scale, threshold=threshold), HeldAxis(limits, threshold)


class HeldAxes:
    """Former axes of every chart, dropped when the selected data or settings change."""

    def __init__(self) -> None:
        self._axes_by_chart: OrderedDict[str, tuple[Hashable, HeldAxis, HeldAxis]] = OrderedDict()

    def get_former(self, key: str, inputs: Hashable) -> tuple[HeldAxis, HeldAxis]:
        """Return the former x and y axis of a chart.

        Args:
            key: Key of its card.
            inputs: All inputs of the chart except growing data; axes are held while they are equal.
        """
        held_inputs, *axes = self._axes_by_chart.get(key, (None, NO_HELD_AXIS, NO_HELD_AXIS))
        x, y = axes if held_inputs == inputs else (NO_HELD_AXIS, NO_HELD_AXIS)
        return x, y

    def keep(self, key: str, inputs: Hashable, x: HeldAxis, y: HeldAxis) -> None:
        """Remember the axes of a chart."""
        self._axes_by_chart.pop(key, None)
        self._axes_by_chart[key] = inputs, x, y
        while len(self._axes_by_chart) > MAX_HELD_CHARTS:
            self._axes_by_chart.popitem(last=False)


def make_hold_key(view: View, runs: Iterable[str]) -> Hashable:
    """Return a key; axes are held, and move in few round steps, while it is equal.

    Axes are held for runs that are being written. During the initial load they are fitted to the data read so far, so
    that they do not depend on the order of reading.

    Args:
        view: The view.
        runs: Names of the runs in a chart.
    """
    return None if any(view.summaries[run].arrived is not None for run in runs) else view.snapshot.revision
