"""Which series hold precision-recall curves, which of their points can be chosen, and where these stand on x."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.series.axes import start_time, step_x, wall_x

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.store.snapshot import ReferenceSeries
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.options import XAxis

    Floats: TypeAlias = npt.NDArray[np.float64]

PLUGIN_NAME = "pr_curves"


class NoCurveError(LookupError):
    """There is nothing to draw; the message says so in a sentence."""


@frozen(eq=False)
class Points:
    """The points of one series that can be chosen; at least one."""

    series: ReferenceSeries
    """All stored points, or those that no restart superseded."""

    indices: npt.NDArray[np.int64]
    """int64[k] into the series, in order of arrival."""

    x: Floats
    """float64[k] on the present x axis, not counted from any origin; NaN and infinite where a time is."""

    start: float
    """Wall time of the first current point, which may be skipped."""

    def nearest(self, x: float | None) -> int:
        """Index into the series of the point nearest to `x`; None is the newest.

        Of several at one place it is the latest, of two places as near the lesser.
        """
        finite = np.flatnonzero(np.isfinite(self.x))
        if x is None or not len(finite):
            return int(self.indices[-1])
        at = self.x[finite]
        away = np.abs(at - x)
        place = at[away == away.min()].min()
        return int(self.indices[finite[np.flatnonzero(at == place)[-1]]])


def points_of(series: ReferenceSeries, choices: Choices) -> Points | None:
    """The points of a series that can be chosen; None where all are skipped."""
    held, start = series if choices.superseded else series.current, start_time(series.current.wall_times)
    indices = np.flatnonzero(held.steps >= choices.skip_steps) if choices.skip_steps else np.arange(len(held))
    if not len(indices):
        return None
    return Points(held, indices, x_of(held, choices.x_axis, start)[indices], start)


def x_of(series: ReferenceSeries, x_axis: XAxis, start: float) -> Floats:
    """Where the points of a series stand: at steps, seconds since `start`, or wall times."""
    if x_axis == "relative":
        return np.asarray(series.wall_times - start)
    return wall_x(series.wall_times) if x_axis == "wall" else step_x(series.steps)
