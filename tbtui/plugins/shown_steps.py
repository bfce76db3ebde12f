"""Select a value of a tag by the cursor, in dashboards that show one value at a time.

The position in a step slider is an index into the values, not a step: several values may share a step.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.step_slider import StepSlider, draw_step_slider, slider_labels
from tbtui.frozen import frozen
from tbtui.maths.stops import nearest_value, share_a_position, value_stops
from tbtui.maths.x_values import STEP_AXES, step_origin, x_values
from tbtui.view.card_painter import NoDataError
from tbtui.view.chart_axes import AXIS_KINDS, clock_of
from tbtui.view.comparison_target import comparison_step
from tbtui.view.descriptions import left_out_text, x_axis_name
from tbtui.view.run_names import distinct_names
from tbtui.view.run_table import TableRow, run_table, table_column

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    import numpy.typing as npt

    from tbtui.charts.cells import Cells
    from tbtui.settings.settings import XAxis
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.view.view import View

    Floats: TypeAlias = npt.NDArray[np.float64]


class NoValueError(NoDataError):
    """There is nothing to show; the message is a sentence with the reason."""


@frozen(slots=False, eq=False)
class ShownSteps:
    """The n values of one tag of one run that may be shown; at least one."""

    run: RunSnapshot
    all_points: ReferenceSeries
    """The series with all its points."""

    series: ReferenceSeries
    """The points that the x axis shows: on the step axis those that are not superseded, unless the settings ask."""

    ink: int
    """Series ink of the run."""

    x: Floats
    """float64[n] on the present x axis, ascending and finite. Enormous steps may be rounded to the same number."""

    points: npt.NDArray[np.intp]
    """intp[n]: index of each value into `series`."""

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[ShownStep]:
        return (ShownStep(self, index) for index in range(len(self)))

    @cached_property
    def stops(self) -> Floats:
        """Positions of the cursor, one for each value, strictly ascending."""
        return value_stops(self.x)

    @cached_property
    def noun(self) -> str:
        """Return the unit of a slider: `step`, or `value` where several values share a step."""
        return "value" if share_a_position(self.stops) else "step"

    def nearest(self, x: float | None) -> ShownStep:
        """Return the value at the cursor, or nearest to it; None is the newest."""
        return ShownStep(self, len(self) - 1 if x is None else nearest_value(self.x, self.stops, x))


@frozen(slots=False, eq=False)
class ShownStep:
    """One value of `ShownSteps`."""

    steps: ShownSteps
    index: int
    """Index into the values of `steps`."""

    @property
    def point(self) -> int:
        """Index into the series."""
        return int(self.steps.points[self.index])

    @property
    def step(self) -> int:
        """Step as it was written."""
        return int(self.steps.series.steps[self.point])

    @property
    def wall_time(self) -> float:
        """Seconds since the epoch."""
        return float(self.steps.series.wall_times[self.point])

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return clock_of(self.steps.run, "relative").seconds(self.wall_time)

    @property
    def nbytes(self) -> int:
        """Bytes of the record."""
        return int(self.steps.series.lengths[self.point])

    @property
    def stop(self) -> float:
        """Position of the cursor that selects the value."""
        return float(self.steps.stops[self.index])

    @property
    def is_newest(self) -> bool:
        """True if no value follows."""
        return self.index == len(self.steps) - 1

    @property
    def label(self) -> str:
        """Return `step 312`; of several values at the same position, `step 0, 2 of 5`."""
        x = self.steps.x
        first, end = int(x.searchsorted(x[self.index])), int(x.searchsorted(x[self.index], "right"))
        is_same = self.steps.series.steps[self.steps.points[first:end]] == self.step
        count, number = int(is_same.sum()), int(is_same[: self.index - first + 1].sum())
        return f"step {self.step}, {number:,} of {count:,}" if count > 1 else f"step {self.step}"

    @property
    def left_out(self) -> str:
        """Return `4 more at this step (u)`: the number of values that the step axis leaves out; empty without any."""
        return left_out_text(self.steps.all_points, self.step) if self.steps.series is not self.steps.all_points else ""


def shown_steps(view: View, run_name: str, tag: str, plugin: str, noun: str) -> ShownSteps:
    """Return the values of a tag of a run that may be shown.

    Args:
        view: The view.
        run_name: Name of the run.
        tag: The tag.
        plugin: Plugin name of the series.
        noun: What one value is, for the reasons: `picture`.

    Raises:
        NoValueError: There are none, or all are skipped.
    """
    settings, run = view.settings, view.snapshot.runs.get(run_name)
    all_points = None if run is None else run.references(tag, plugin)
    if run is None or all_points is None:
        raise NoValueError(f"no visible run has a {noun} of this tag")
    series = all_points.current if settings.x_axis in STEP_AXES and not settings.superseded else all_points
    origin = step_origin([all_points.steps]) if settings.x_axis == "step" else 0
    clock = clock_of(run, settings.x_axis, settings.x_tag)
    x = x_values(settings.x_axis, series.steps, series.wall_times, clock, origin)
    points = np.argsort(x, kind="stable")
    points = points[np.isfinite(x[points]) & (series.steps[points] >= settings.skip_steps)]
    if not len(points):
        raise NoValueError(
            f"all {noun}s are at steps below {settings.skip_steps}, which are skipped"
            if settings.skip_steps
            else f"no {noun} is at a step of {x_axis_name(settings)}"
            if settings.x_axis == "tag"
            else f"no {noun} has a time"
        )
    return ShownSteps(run, all_points, series, view.inks[run_name], x[points] + origin, points)


def steps_key(view: View, run_name: str, tag: str, plugin: str) -> Hashable:
    """Return everything that `shown_steps` depends on; None if the run has no such series."""
    settings, run = view.settings, view.snapshot.runs.get(run_name)
    series = None if run is None else run.references(tag, plugin)
    if run is None or series is None:
        return None
    has_clock = settings.x_axis in ("relative", "active", "tag")
    clock = clock_of(run, settings.x_axis, settings.x_tag) if has_clock else None
    chosen = settings.x_axis, settings.superseded, settings.skip_steps
    return series.revision, run.reading, view.inks[run_name], chosen, clock


def neighbour_of(shown: ShownStep) -> ShownStep | None:
    """Return the step that a step of the same run is compared with; None if the run has no other."""
    index = comparison_step(shown.index, len(shown.steps))
    return None if index is None else ShownStep(shown.steps, index)


def marked_partner(shown: ShownStep, mark: float) -> ShownStep | None:
    """Return the marked step of the same run; where that is the step itself, a neighbouring one."""
    marked = shown.steps.nearest(mark)
    return neighbour_of(shown) if marked.index == shown.index else marked


def step_text(stop: ShownStep, axis: XAxis) -> str:
    """Return `step 312`, with the time where the axis is one."""
    if axis in ("relative", "active"):
        return f"{stop.label} at {numbers.duration(stop.seconds)}"
    return f"{stop.label} at {numbers.clock(stop.wall_time)}" if axis == "wall" else stop.label


def step_bar(
    shown: ShownStep, kind: XAxis, width: int, other: ShownStep | None = None, *, own: bool = False
) -> StepSlider:
    """Draw one line that shows the stored steps and the shown one: `step 312  0 ┼──┼──●──┼ 440  3 of 4 steps`.

    Args:
        shown: The step that is seen.
        kind: The present x axis.
        width: Columns.
        other: The step that it is compared with.
        own: True if the card has a step of its own; the step is then marked `alone`.
    """
    compared = None if other is None else other.stop
    steps, step = shown.steps, shown.label
    labels = [
        *slider_labels(
            step,
            shown.index + 1,
            len(steps),
            is_newest=shown.is_newest,
            short_step=numbers.step(shown.step),
            noun=steps.noun,
        )
    ]
    if own:
        labels = [*((f"{step} alone", behind) for _, behind in labels[:2]), *labels[2:]]
    return draw_step_slider(labels, steps.stops, shown.stop, compared, AXIS_KINDS[kind], width)


STEP_PRIORITY, COUNT_PRIORITY, TIME_PRIORITY, BYTES_PRIORITY, WALL_PRIORITY = 10, 6, 4, 5, 2


def step_table(
    all_steps: Sequence[ShownSteps], width: int, x: float | None, focus: str | None
) -> tuple[Cells, Cells, tuple[str, ...]]:
    """Return the header of the table (one row), its body, and the run of each row.

    Args:
        all_steps: Steps of each run, in the order of the run tree.
        width: Columns.
        x: Position of the cursor on the x axis; None is the newest step of each run.
        focus: The run that is selected.
    """
    names = [stored.run.name for stored in all_steps]
    short = distinct_names(names)
    rows = [
        TableRow(name, brief, stored.ink, name == focus)
        for name, brief, stored in zip(names, short, all_steps, strict=True)
    ]
    stops = [stored.nearest(x) for stored in all_steps]
    columns = [
        table_column("step", [str(stop.step) for stop in stops], STEP_PRIORITY),
        table_column("steps", [f"{len(stored):,}" for stored in all_steps], COUNT_PRIORITY),
        table_column("stored", [numbers.size(stop.nbytes) for stop in stops], BYTES_PRIORITY),
        table_column("time", [numbers.duration(stop.seconds) for stop in stops], TIME_PRIORITY),
        table_column("wall time", [numbers.clock(stop.wall_time) for stop in stops], WALL_PRIORITY),
    ]
    header, body = run_table(rows, columns, width)
    return header, body, tuple(names)
