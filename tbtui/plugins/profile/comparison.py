"""Compare two captures: the breakdown of a step, and the time of each operator in a step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.frozen import frozen
from tbtui.plugins.profile.breakdown import CLASSES

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.plugins.profile.breakdown import TimeClass
    from tbtui.plugins.profile.capture import Analysis


@frozen(eq=False)
class ComparedRow:
    """One operator in two captures; times are µs a step."""

    name: str
    now: float
    before: float
    calls: float
    """Calls a step."""

    calls_before: float
    rows: npt.NDArray[np.int64]

    @property
    def difference(self) -> float:
        """µs a step; above 0 if it became slower."""
        return self.now - self.before

    @property
    def ratio(self) -> float:
        """Time now by time before; infinite if it is new."""
        return self.now / self.before if self.before > 0 else math.inf


def compare_operators(now: Analysis, before: Analysis) -> list[ComparedRow]:
    """Return the operators of both captures, those whose time differs most first.

    The time is that of the device events that an operator launches, if both captures have a device, else its own time
    on the host.
    """
    has_device = bool(now.devices) and bool(before.devices)
    captures = []
    for analysis in (now, before):
        steps = max(len(analysis.steps.steps), 1)
        times: dict[str, tuple[float, float]] = {}
        for row in analysis.operators:
            times[row.name] = (row.device_own if has_device else row.host_own) / steps, row.calls / steps
        captures.append(times)
    rows = {row.name: row.rows for row in now.operators}
    no_events = np.zeros(0, np.int64)
    compared = []
    for name in {**captures[0], **captures[1]}:
        (time, calls), (time_before, calls_before) = (times.get(name, (0.0, 0.0)) for times in captures)
        if time or time_before:
            compared.append(ComparedRow(name, time, time_before, calls, calls_before, rows.get(name, no_events)))
    return sorted(compared, key=lambda row: (-abs(row.difference), row.name))


class ClassDifference(NamedTuple):
    """One class of time in two captures; times are µs a step."""

    kind: TimeClass
    now: float
    before: float

    @property
    def change(self) -> float:
        """µs a step; above 0 if it became slower."""
        return self.now - self.before


def compare_classes(now: Analysis, before: Analysis) -> list[ClassDifference]:
    """Return the classes that take time in either of two captures, those whose time differs most first."""
    differences = [
        ClassDifference(kind, time, time_before)
        for kind, time, time_before in zip(
            CLASSES, now.breakdown.mean.tolist(), before.breakdown.mean.tolist(), strict=True
        )
        if time or time_before
    ]
    return sorted(differences, key=lambda difference: -abs(difference.change))
