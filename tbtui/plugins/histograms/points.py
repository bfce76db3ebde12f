"""Which series hold histograms, which of their points are seen, and where these stand on the x axis."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts.text import nameable
from tbtui.frozen import frozen
from tbtui.series.axes import relative_x, start_time, step_x, wall_x
from tbtui.series.decimate import is_ascending
from tbtui.series.restarts import restarts
from tbtui.viewstate.run_cards import plain_title

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.series.histograms import Rows
    from tbtui.store.snapshot import ReferenceSeries
    from tbtui.viewstate.options import XAxis


PLUGIN_NAME = "histograms"
"""On disk; Distributions reads the same."""


@frozen
class Asked:
    """Everything that decides about the points of one tag of one run."""

    revision: int
    reading: int
    """Which reading of the run's files."""

    ink: int
    x_axis: XAxis
    origin: int
    """What enormous steps are counted from."""

    skip: int
    """Points at steps below this are left out."""

    superseded: bool
    """Whether points that a restart superseded are wanted."""

    def grown_from(self, former: Asked) -> bool:
        """Whether it differs from a former one by nothing but points that have come since."""
        return replace(self, revision=former.revision) == former


def title_of(series: ReferenceSeries) -> str:
    """The name to show for its tag: the display name when the writer gave one."""
    return nameable(series.metadata.display_name or plain_title(series.tag))


def last_step(series: ReferenceSeries, *, superseded: bool) -> int:
    """The greatest step of a series, superseded ones counted or not."""
    return int(series.steps.max() if superseded else series.steps[-1])


def rows_of(x: npt.NDArray[np.float64], steps: npt.NDArray[np.int64], skip: int) -> Rows:
    """The points at steps that are not skipped, in the order of x."""
    if is_ascending(x) and (not skip or bool(np.all(steps[1:] >= steps[:-1]))):
        return slice(int(np.searchsorted(steps, skip)) if skip else 0, len(x))
    order = np.argsort(x, kind="stable")
    return order[steps[order] >= skip] if skip else order


def x_of(series: ReferenceSeries, current: ReferenceSeries, asked: Asked) -> npt.NDArray[np.float64]:
    """The x values of all points of a series, of which `current` are those that no restart superseded."""
    if asked.x_axis == "step":
        return step_x(series.steps, asked.origin)
    if asked.x_axis == "wall":
        return wall_x(series.wall_times)
    if series is current:
        return relative_x(series.wall_times)
    return np.asarray(series.wall_times - start_time(current.wall_times))


def restarts_of(series: ReferenceSeries, asked: Asked) -> tuple[float, ...]:
    """Where the points are on x with which a run went on from an earlier step than it had reached."""
    if series.kept is None:
        return ()
    current = series.current
    found = restarts(series.steps, current.steps)
    found = found[current.steps[found] >= asked.skip]
    return tuple(x_of(current, current, asked)[found].tolist())


def continues(series: ReferenceSeries, former: ReferenceSeries) -> bool:
    """Whether a series begins with all points of a former one, each from the same place."""
    columns = ((each.steps, each.wall_times, each.files, each.offsets, each.indices) for each in (series, former))
    return len(series) >= len(former) and all(
        bool(np.array_equal(now[: len(then)], then, equal_nan=now.dtype.kind == "f"))
        for now, then in zip(*columns, strict=True)
    )
