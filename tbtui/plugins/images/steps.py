"""The steps at which a run has stored pictures under a tag, and which of them a card shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.series.axes import relative_x, start_time, step_origin, step_x, wall_x

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.options import XAxis
    from tbtui.viewstate.view import View

    Floats: TypeAlias = npt.NDArray[np.float64]


PLUGIN_NAME = "images"
"""On disk."""


class NoPictureError(LookupError):
    """There is nothing to show; the message says so in a sentence."""


@frozen(slots=False, eq=False)
class StoredSteps:
    """The pictures of one tag of one run, n of them; at least one."""

    run: RunSnapshot
    series: ReferenceSeries
    """With what restarts have superseded only where that is wanted."""

    ink: int
    """Series ink of the run."""

    x: Floats
    """float64[n] on the present x axis, ascending, finite, counted from `origin`."""

    points: npt.NDArray[np.intp]
    """intp[n]: index of each into the series."""

    origin: int
    """What enormous steps are counted from."""

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Stop]:
        return (Stop(self, place) for place in range(len(self)))

    def nearest(self, x: float | None) -> Stop:
        """The picture nearest to a place of the x axis that is not counted from the origin; None is the newest.

        Of several at one place it is the latest, of two places as near the first.
        """
        return Stop(self, len(self) - 1 if x is None else self._place_near(float(x - self.origin)))

    def _place_near(self, x: float) -> int:
        after = min(int(self.x.searchsorted(x)), len(self) - 1)
        before = max(after - 1, 0)
        near = before if x - self.x[before] <= self.x[after] - x else after
        return int(self.x.searchsorted(self.x[near], "right")) - 1

    @property
    def stops(self) -> Floats:
        """Where the cursor may stand: the place of every stored step, not counted from the origin."""
        return np.unique(self.x + self.origin)


@frozen(slots=False, eq=False)
class Stop:
    """One stored step of one card."""

    stored: StoredSteps
    place: int
    """Which of them."""

    @property
    def point(self) -> int:
        """Index into the series."""
        return int(self.stored.points[self.place])

    @property
    def step(self) -> int:
        """As it was written."""
        return int(self.stored.series.steps[self.point])

    @property
    def wall_time(self) -> float:
        """Seconds since the epoch."""
        return float(self.stored.series.wall_times[self.point])

    @property
    def seconds(self) -> float:
        """Since the first picture of the tag."""
        return self.wall_time - start_time(self.stored.series.wall_times)

    @property
    def at(self) -> float:
        """On the present x axis, not counted from the origin."""
        return float(self.stored.x[self.place] + self.stored.origin)

    @property
    def is_newest(self) -> bool:
        """Whether nothing comes behind it."""
        return self.place == len(self.stored) - 1


def stored_steps(view: View, run_name: str, tag: str) -> StoredSteps:
    """The steps of a tag of a run that are to be seen.

    Raises:
        NoPictureError: There are none, or all are skipped.
    """
    choices, run = view.choices, view.snapshot.runs.get(run_name)
    whole = None if run is None else run.references(tag, PLUGIN_NAME)
    if run is None or whole is None:
        raise NoPictureError("no picture of this tag is stored")
    series = whole if choices.superseded else whole.current
    origin = step_origin([whole.steps]) if choices.x_axis == "step" else 0
    x = _x(series, choices.x_axis, origin)
    points = np.argsort(x, kind="stable")
    points = points[np.isfinite(x[points]) & (series.steps[points] >= choices.skip_steps)]
    if not len(points):
        raise NoPictureError(
            f"all pictures are at steps below {choices.skip_steps}, which are skipped"
            if choices.skip_steps
            else "no picture has a time"
        )
    return StoredSteps(run, series, view.inks[run_name], x[points], points, origin)


def _x(series: ReferenceSeries, axis: XAxis, origin: int) -> Floats:
    if axis == "step":
        return step_x(series.steps, origin)
    return wall_x(series.wall_times) if axis == "wall" else relative_x(series.wall_times)


def shown_at(choices: Choices, key: str) -> float | None:
    """Where on the x axis card `key` is: at its own step, at the cursor, or (None) at the newest."""
    return choices.image_steps.get(key, choices.cursor)
