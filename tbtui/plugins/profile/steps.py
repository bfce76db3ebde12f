"""The steps of a capture: as the writer marked them, guessed from repeated calls, or the whole capture."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.profile.trace import STEP_STATS, Kind

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.plugins.profile.launches import CallTree
    from tbtui.plugins.profile.trace import Trace

MIN_LAUNCH_SHARE = 0.8
"""A last step that launched fewer device events, as a share of those of the step before, was cut by the capture."""

MIN_REPEATS = 3
_GUESSES = (re.compile(r"^Optimizer\.step#"), re.compile(r"multi_step_on_iterator"), re.compile(r"^PjitFunction\("))
"""Calls that happen once a step, the most reliable first."""


@frozen
class Step:
    """A window of time."""

    number: int
    start: float
    """µs."""

    end: float
    row: int = -1
    """Row of the event that marks it; -1 without."""

    @property
    def duration(self) -> float:
        """µs."""
        return self.end - self.start


@frozen
class Steps:
    """The steps of a capture."""

    steps: tuple[Step, ...]
    source: str = "marked"
    """`marked` by the writer, `guessed` from repeated calls, or `whole`: the capture is one window."""

    left_out: int = 0
    """Steps at the end that the capture cut."""

    guess: str = ""
    """Name of the call whose repetitions count as steps."""

    @property
    def starts(self) -> npt.NDArray[np.float64]:
        """float64[steps]: µs."""
        return np.array([step.start for step in self.steps])

    @property
    def ends(self) -> npt.NDArray[np.float64]:
        """float64[steps]: µs."""
        return np.array([step.end for step in self.steps])

    @property
    def durations(self) -> npt.NDArray[np.float64]:
        """float64[steps]: µs."""
        return self.ends - self.starts


def find_steps(trace: Trace, calls: CallTree) -> Steps:
    """Return the steps of a trace.

    A step of a device begins when the one before has ended, and lasts until the last device event that it launched has
    ended: the host is usually ahead.
    """
    if trace.writer == STEP_STATS:
        return Steps((Step(int(trace.head.get("step", 0)), *trace.extent),))
    rows = [row for row in trace.step_numbers if trace.kinds[row] == Kind.ANNOTATION]
    if rows:
        return _find_marked_steps(trace, calls, np.array(sorted(rows, key=lambda row: trace.starts[row])))
    for pattern in _GUESSES:
        names = np.array([pattern.search(name) is not None for name in trace.names], np.bool_)
        host = trace.is_of_kind(Kind.ANNOTATION, Kind.OPERATOR, Kind.OTHER)
        repeats = np.flatnonzero(trace.match_names(names) & host) if names.any() else np.zeros(0, np.int64)
        if len(repeats) >= MIN_REPEATS:
            ends = np.sort(trace.ends[repeats])
            steps = tuple(
                Step(number, float(start), float(end)) for number, (start, end) in enumerate(pairwise(ends), 1)
            )
            return Steps(steps, "guessed", guess=trace.name(int(repeats[0])))
    start, end = trace.extent
    return Steps((Step(0, start, end),), "whole")


def _find_marked_steps(trace: Trace, calls: CallTree, rows: npt.NDArray[np.int64]) -> Steps:
    numbers = [trace.step_numbers[int(row)] for row in rows]
    starts, ends = trace.starts[rows], trace.ends[rows]
    has_launch = calls.launches >= 0
    device, launches = calls.device_rows[has_launch], calls.launches[has_launch]
    if not len(device):
        return Steps(tuple(map(Step, numbers, starts.tolist(), ends.tolist(), rows.tolist())))
    index = np.searchsorted(starts, trace.starts[launches], "right") - 1
    inside = (index >= 0) & (trace.ends[launches] <= ends[np.maximum(index, 0)])
    if not inside.any():
        return Steps(tuple(map(Step, numbers, starts.tolist(), ends.tolist(), rows.tolist())))
    members, member_steps = device[inside], index[inside]
    first = float(trace.starts[members[member_steps == 0]].min(initial=np.inf))
    # Device events of the step before the capture may still run when the first step begins.
    outside = np.concatenate((device[~inside], calls.device_rows[~has_launch]))
    early = trace.ends[outside][trace.ends[outside] < first]
    previous_end = max(float(starts[0]), float(early.max(initial=-np.inf)))
    lasts = np.zeros(len(rows))
    np.maximum.at(lasts, member_steps, trace.ends[members])
    steps = []
    for number, row, start, end, last in zip(
        numbers, rows.tolist(), starts.tolist(), ends.tolist(), lasts.tolist(), strict=True
    ):
        begin = max(previous_end, start)
        previous_end = max(end, last, begin)
        steps.append(Step(number, begin, previous_end, row))
    counts = np.bincount(member_steps, minlength=len(steps)).tolist()
    complete = len(steps)
    while complete > 1 and counts[complete - 1] == 0:
        complete -= 1
    if complete > 1 and counts[complete - 1] < MIN_LAUNCH_SHARE * counts[complete - 2]:
        complete -= 1
    return Steps(tuple(steps[:complete]), left_out=len(steps) - complete)
