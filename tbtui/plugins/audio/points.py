"""Which series hold sounds, which of their points are seen, and at which of them the user looks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.stops import nearest
from tbtui.frozen import frozen
from tbtui.series.axes import start_time, step_origin, step_x, wall_x

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.viewstate.view import View

PLUGIN_NAME = "audio"
"""On disk."""


class NothingRecordedError(LookupError):
    """There is nothing to show; the message says so in a sentence."""


@frozen(eq=False)
class Points:
    """The steps of one tag of one run that are to be seen, n of them; at least one."""

    run: RunSnapshot
    series: ReferenceSeries
    """All, or those that no restart has superseded."""

    rows: npt.NDArray[np.intp]
    """Indices into the series, in the order of x."""

    x: npt.NDArray[np.float64]
    """float64[n] on the present x axis, ascending, counted from the origin; NaN comes last."""

    origin: int
    """What enormous steps are counted from."""

    ink: int

    def __len__(self) -> int:
        return len(self.rows)

    def chosen(self, cursor: float | None) -> int:
        """Which of the n the user looks at: the one nearest to the cursor; without one the newest."""
        finite = self.x[np.isfinite(self.x)]
        return len(self) - 1 if cursor is None or not len(finite) else nearest(finite, cursor - self.origin)

    def at(self, index: int) -> float | None:
        """Where one of the n is on the x axis, not counted from the origin; None where it has no place there."""
        x = float(self.x[index])
        return x + self.origin if math.isfinite(x) else None

    def step(self, index: int) -> int:
        """Of one of the n."""
        return int(self.series.steps[self.rows[index]])

    def wall_time(self, index: int) -> float:
        """Likewise, seconds since the epoch."""
        return float(self.series.wall_times[self.rows[index]])

    def nbytes(self, index: int) -> int:
        """Bytes of the record in its file."""
        return int(self.series.lengths[self.rows[index]])

    @property
    def stops(self) -> npt.NDArray[np.float64]:
        """Where a cursor may stand, not counted from the origin, ascending."""
        return np.asarray(np.unique(self.x[np.isfinite(self.x)]) + self.origin)


def points_of(view: View, tag: str, run_name: str | None = None) -> tuple[Points, ...]:
    """The steps of a tag in each drawn run, or in the one of that name, that has any left.

    Raises:
        NothingRecordedError: No drawn run holds a sound of it, or all are skipped.
    """
    held = tuple(view.references(tag, PLUGIN_NAME, run_name))
    if not held:
        raise NothingRecordedError("no run that is shown holds a sound of this tag")
    is_step = view.choices.x_axis == "step"
    origin = step_origin(series.steps for _, series in view.references(tag, PLUGIN_NAME)) if is_step else 0
    found = tuple(points for run, series in held if len(points := _points(view, run, series, origin)))
    if not found:
        raise NothingRecordedError(f"all sounds are at steps below {view.choices.skip_steps}, which are skipped")
    return found


def _points(view: View, run: RunSnapshot, series: ReferenceSeries, origin: int) -> Points:
    choices, current = view.choices, series.current
    chosen = series if choices.superseded else current
    if choices.x_axis == "step":
        x = step_x(chosen.steps, origin)
    elif choices.x_axis == "wall":
        x = wall_x(chosen.wall_times)
    else:
        x = chosen.wall_times - start_time(current.wall_times)
    order = np.argsort(x, kind="stable")
    rows = order[chosen.steps[order] >= choices.skip_steps]
    return Points(run, chosen, rows, np.asarray(x[rows]), origin, view.inks[run.name])
