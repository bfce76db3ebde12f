"""Select a value of a tag by the cursor, in dashboards that show one value at a time.

The position in a step slider is an index into the values, not a step: several values may share a step.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.frozen import frozen
from tbtui.maths.stops import compute_value_stops, find_nearest_value, has_shared_positions
from tbtui.maths.x_values import STEP_AXES, compute_x_values, step_origin
from tbtui.view.card_painter import NoDataError
from tbtui.view.chart_axes import get_clock
from tbtui.view.comparison_target import choose_comparison_run, choose_comparison_step
from tbtui.view.descriptions import format_left_out, name_x_axis

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    import numpy.typing as npt

    from tbtui.settings.settings import Settings
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
        return compute_value_stops(self.x)

    @cached_property
    def noun(self) -> str:
        """Return the unit of a slider: `step`, or `value` where several values share a step."""
        return "value" if has_shared_positions(self.stops) else "step"

    def nearest(self, x: float | None) -> ShownStep:
        """Return the value at the cursor, or nearest to it; None is the newest."""
        return ShownStep(self, len(self) - 1 if x is None else find_nearest_value(self.x, self.stops, x))


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
        return get_clock(self.steps.run, "relative").seconds(self.wall_time)

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
        """Return `step 312`, or `step 0, 2 of 5` for several values at the same position."""
        x = self.steps.x
        first, end = int(x.searchsorted(x[self.index])), int(x.searchsorted(x[self.index], "right"))
        is_same = self.steps.series.steps[self.steps.points[first:end]] == self.step
        count, number = int(is_same.sum()), int(is_same[: self.index - first + 1].sum())
        return f"step {self.step}, {number:,} of {count:,}" if count > 1 else f"step {self.step}"

    @property
    def left_out(self) -> str:
        """Return `4 more at this step (u)`: the number of values that the step axis leaves out; empty without any."""
        return (
            format_left_out(self.steps.all_points, self.step) if self.steps.series is not self.steps.all_points else ""
        )


def list_shown_steps(view: View, run_name: str, tag: str, plugin: str, noun: str) -> ShownSteps:
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
    clock = get_clock(run, settings.x_axis, settings.x_tag)
    x = compute_x_values(settings.x_axis, series.steps, series.wall_times, clock, origin)
    points = np.argsort(x, kind="stable")
    points = points[np.isfinite(x[points]) & (series.steps[points] >= settings.skip_steps)]
    if not len(points):
        raise NoValueError(
            f"all {noun}s are at steps below {settings.skip_steps}, which are skipped"
            if settings.skip_steps
            else f"no {noun} is at a step of {name_x_axis(settings)}"
            if settings.x_axis == "tag"
            else f"no {noun} has a time"
        )
    return ShownSteps(run, all_points, series, view.inks[run_name], x[points] + origin, points)


def build_steps_key(view: View, run_name: str, tag: str, plugin: str) -> Hashable:
    """Return everything that `list_shown_steps` depends on; None if the run has no such series."""
    settings, run = view.settings, view.snapshot.runs.get(run_name)
    series = None if run is None else run.references(tag, plugin)
    if run is None or series is None:
        return None
    has_clock = settings.x_axis in ("relative", "active", "tag")
    clock = get_clock(run, settings.x_axis, settings.x_tag) if has_clock else None
    chosen = settings.x_axis, settings.superseded, settings.skip_steps
    return series.revision, run.reading, view.inks[run_name], chosen, clock


MAX_CACHED_TAGS = 4096
"""Tags of runs whose sorted steps are cached."""


class StepsCache:
    """Caches the values that may be shown of the tags of one dashboard, across views. Used by one thread.

    Args:
        plugin: Plugin name of the series.
        noun: Noun of one value, for messages: `image`.
    """

    def __init__(self, plugin: str, noun: str) -> None:
        self._plugin = plugin
        self._noun = noun
        self._steps: OrderedDict[tuple[str, str], tuple[Hashable, ShownSteps]] = OrderedDict()
        """Steps by run and tag, with the `paint_key` that they were computed for; least recently used first."""

    def paint_key(self, view: View, run: str, tag: str) -> Hashable:
        """Return everything that the steps of a tag of a run depend on; None if the run has no such series."""
        return build_steps_key(view, run, tag, self._plugin)

    def get(self, view: View, run: str, tag: str) -> ShownSteps:
        """Return the values of a tag of a run that may be shown.

        Raises:
            NoValueError: There are none.
        """
        paint_key = self.paint_key(view, run, tag)
        cached = self._steps.get((run, tag))
        if cached is None or cached[0] != paint_key:
            cached = self._steps[run, tag] = paint_key, list_shown_steps(view, run, tag, self._plugin, self._noun)
            while len(self._steps) > MAX_CACHED_TAGS:
                self._steps.popitem(last=False)
        self._steps.move_to_end((run, tag))
        return cached[1]

    def get_all(self, view: View, tags: Mapping[str, str]) -> list[ShownSteps]:
        """Return the values of several runs, without the runs that have none to show.

        Args:
            view: The view.
            tags: Tag of the values by run name, in order.
        """
        all_steps = []
        for run, tag in tags.items():
            with suppress(NoValueError):
                all_steps.append(self.get(view, run, tag))
        return all_steps

    def get_by_tag(self, view: View, tag: str) -> list[ShownSteps]:
        """Return the values of a tag in every drawn run that has any to show, in the order of the run tree.

        Raises:
            NoValueError: No run has any.
        """
        runs = [run.name for run, _ in view.references(tag, self._plugin)]
        if not runs:
            raise NoValueError(f"no visible run has a {self._noun} of this tag")
        return self.get_all(view, dict.fromkeys(runs, tag)) or [self.get(view, runs[0], tag)]  # raises the reason

    def find_compared_step(
        self, view: View, shown: ShownStep, position: float | None, tags: Mapping[str, str]
    ) -> ShownStep | None:
        """Return the step that a shown step is compared with; None if there is no other.

        It is the marked step of the same run. Without a mark it is the step that the baseline shows, or the selected
        run, or the next run. If no other run holds the tag, it is a neighbouring step.

        Args:
            view: The view.
            shown: The shown step.
            position: Position of the card on the x axis; None: the newest step.
            tags: Tag of the value by name of each run that can be compared, in order.
        """
        settings = view.settings
        if has_marked_step(settings):
            return find_marked_step(shown, settings)
        run = choose_comparison_run(shown.steps.run.name, [*tags], settings)
        if run is not None:
            with suppress(NoValueError):
                return self.get(view, run, tags[run]).nearest(position)
        return find_neighbouring_step(shown)


def has_marked_step(settings: Settings) -> bool:
    """Return True if the user compares the step at the cursor with a marked one."""
    return settings.mark is not None and settings.cursor is not None


def find_marked_step(shown: ShownStep, settings: Settings) -> ShownStep | None:
    """Return the marked step of the same run, or a neighbouring one if that is the step itself; None without any."""
    if not has_marked_step(settings):
        return None
    marked = shown.steps.nearest(settings.mark)
    return find_neighbouring_step(shown) if marked.index == shown.index else marked


def find_neighbouring_step(shown: ShownStep) -> ShownStep | None:
    """Return the previous step of the same run, for the first step the next one; None without another."""
    index = choose_comparison_step(shown.index, len(shown.steps))
    return None if index is None else ShownStep(shown.steps, index)
