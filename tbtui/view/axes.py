"""The axes of a chart: as chosen by hand, otherwise fit for the data, and still while it grows."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.axis import Axis, Kind, supported_scale
from tbtui.frozen import frozen
from tbtui.maths.domain import PADDING, extent, stable_limits, symlog_threshold
from tbtui.settings.settings import FULL_RANGE, apply_range, usable_range

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    import numpy.typing as npt

    from tbtui.maths.axes import Scale
    from tbtui.maths.domain import Limits
    from tbtui.settings.settings import Outliers, Range, RowOrder, Settings, XAxis
    from tbtui.view.view import View

    Floats: TypeAlias = npt.NDArray[np.float64]

MAX_THRESHOLD_FACTOR = 100.0
"""A symlog scale is changed once its threshold is wrong by this factor: until then nothing is to jump."""

MAX_HELD_CHARTS = 512
"""Charts whose axes are remembered."""

AXIS_KINDS: dict[XAxis, Kind] = {"step": "step", "relative": "duration", "wall": "wall"}
"""What stands at the labels of each x axis."""


@frozen
class AxesSettings:
    """What is chosen for the axes of one chart. The default leaves all to the data."""

    x_axis: XAxis = "step"
    x_scale: Scale = "linear"
    x_range: Range = FULL_RANGE
    y_scale: Scale = "linear"
    y_range: Range = FULL_RANGE
    outliers: Outliers = "auto"


def axes_settings_of(choices: Settings, key: str) -> AxesSettings:
    """What is chosen for the axes of the chart of card `key`."""
    return AxesSettings(
        choices.x_axis,
        choices.x_scale,
        choices.x_range_of(key),
        choices.y_scale_of(key),
        choices.chart(key).y_range,
        choices.outliers,
    )


@frozen
class HeldAxis:
    """An axis as the data alone would have it, for the next one to begin with."""

    limits: Limits | None = None
    threshold: float | None = None


NO_HELD_AXIS = HeldAxis()


def threshold_of(values: Floats, small: float, scale: Scale, former: HeldAxis = NO_HELD_AXIS) -> float:
    """Of a symlog scale: the former one where it is about right.

    Args:
        values: float64[n], what the axis shows.
        small: Part of them that may lie within the scale's linear part.
        scale: Any; only a symlog one has a threshold that means something.
        former: The axis as it was.
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
    """The x axis of a chart.

    Args:
        ends: Values among which are the least and the greatest x, and those next to zero where a scale asks for them.
        chosen: What is chosen for it.
        origin: What enormous steps are counted from.
        former: The axis as it was.
    """
    kind = AXIS_KINDS[chosen.x_axis]
    scale = supported_scale(chosen.x_scale, kind, origin)
    low, high = usable_range(chosen.x_range, scale, origin)
    if low is not None and high is not None and scale != "symlog":
        return Axis(low, high, scale, kind, origin), NO_HELD_AXIS
    threshold = threshold_of(np.concatenate([*ends, np.empty(0)]), 0.0, scale, former)
    limits = stable_limits(former.limits, extent(ends, scale=scale), scale=scale, threshold=threshold, padding=0.0)
    return Axis(*apply_range(limits, (low, high), scale), scale, kind, origin, threshold), HeldAxis(limits, threshold)


def y_axis(
    data: Limits | None,
    chosen: AxesSettings,
    threshold: float,
    former: HeldAxis = NO_HELD_AXIS,
    padding: float = PADDING,
) -> tuple[Axis, HeldAxis]:
    """The axis of the values of a chart.

    Args:
        data: What it has to show.
        chosen: What is chosen for it.
        threshold: From `threshold_of`.
        former: The axis as it was.
        padding: Room at each side of the data, as a part of its span.
    """
    scale = chosen.y_scale
    limits = stable_limits(former.limits, data, scale=scale, threshold=threshold, padding=padding)
    hand = usable_range(chosen.y_range, scale)
    return Axis(*apply_range(limits, hand, scale), scale, threshold=threshold), HeldAxis(limits, threshold)


class HeldAxes:
    """What is remembered of the axes of every chart seen so far; it starts anew when other things are shown."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, tuple[Hashable, HeldAxis, HeldAxis]] = OrderedDict()

    def former(self, key: str, shown: Hashable) -> tuple[HeldAxis, HeldAxis]:
        """The x and the y axis of a chart as they were.

        Args:
            key: Its card.
            shown: Everything that is shown beside data that grows: axes are held while it is equal.
        """
        before, *axes = self._held.get(key, (None, NO_HELD_AXIS, NO_HELD_AXIS))
        x, y = axes if before == shown else (NO_HELD_AXIS, NO_HELD_AXIS)
        return x, y

    def keep(self, key: str, shown: Hashable, x: HeldAxis, y: HeldAxis) -> None:
        """Remember the axes of a chart."""
        self._held.pop(key, None)
        self._held[key] = shown, x, y
        while len(self._held) > MAX_HELD_CHARTS:
            self._held.popitem(last=False)


def axes_hold_key(view: View, runs: Iterable[str]) -> Hashable:
    """What axes are held by: while it is equal they move in few and nice steps.

    They are held for runs that are being written. Of what was there before anyone looked they show what there is,
    whichever part of it was read first.

    Args:
        view: What is shown.
        runs: The names of the runs that a chart shows.
    """
    return None if any(view.facts[run].arrived is not None for run in runs) else view.snapshot.revision


# In which order the rows of a table stand.


ASCENDING, DESCENDING, NEAREST = "▲", "▼", "▸"
"""Behind the title of the column that rows stand in the order of; the last is that of the selected row, too."""


def title_with_order(title: str, order: RowOrder, focus: object = None) -> str:
    """The title of the column by which rows are ordered: `value ▲`.

    Args:
        title: Of the column.
        order: Which is chosen.
        focus: What has the focus, the nearest to which comes first; None: nothing has.
    """
    sign = {"ascending": ASCENDING, "descending": DESCENDING, "nearest": "" if focus is None else NEAREST}.get(order)
    return f"{title} {sign}" if sign else title


def sort_rows(values: Sequence[float], order: RowOrder, focus: int | None = None) -> list[int]:
    """Indices of rows in the order they are wanted in; rows that are equal stay in theirs, NaN comes last.

    Args:
        values: What each row shows.
        order: `nearest` is by the distance to the focused row; without one, rows stay as they are.
        focus: The focused row.
    """
    keys = np.asarray(values, np.float64)
    if order == "nearest":
        with np.errstate(invalid="ignore", over="ignore"):
            keys = np.abs(keys - (np.nan if focus is None else keys[focus]))
    elif order == "descending":
        keys = -keys
    return list(range(len(keys))) if order == "runs" else np.argsort(keys, kind="stable").tolist()
