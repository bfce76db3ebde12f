"""Compare two captures: the breakdown of a step, and the time of each operator in a step.

The same numbers decide a check in continuous integration: profiles of a view against those of a baseline.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tbtui.charts.cells import Ink
from tbtui.charts.text import safe
from tbtui.frozen import frozen
from tbtui.plugins.profile.breakdown import CLASSES
from tbtui.plugins.profile.capture import SHARED, CaptureError, list_capture_sources
from tbtui.plugins.profile.summary import format_milliseconds, format_percent, time_text
from tbtui.report.blocks import Column, Heading, InkText, Notes, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from tbtui.plugins.profile.breakdown import TimeClass
    from tbtui.plugins.profile.capture import Analysis, CaptureSource
    from tbtui.report.blocks import Block
    from tbtui.store.snapshot import RunSnapshot


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


MAX_OPERATORS = 12


@frozen(eq=False)
class Regression:
    """One profile compared with its baseline."""

    blocks: tuple[Block, ...]
    slower: float
    """Growth of the median step, 0.05 for 5 % slower; NaN if there is nothing to compare with, or it is unreadable."""


def compare_profiles(
    runs: Sequence[RunSnapshot], baseline: Sequence[RunSnapshot], max_operators: int | None = None
) -> list[Regression]:
    """Compare each profile of some runs with the one of the baseline that it belongs to.

    A baseline of a single profile is that of all; else run and title have to be equal.

    Args:
        runs: Runs to check.
        baseline: Runs of the baseline.
        max_operators: Maximum number of operators; None: `MAX_OPERATORS`.
    """
    baselines = [source for run in baseline for source in list_capture_sources(run)]
    single = baselines[0] if len(baselines) == 1 else None
    by_name = {(source.run, source.title): source for source in baselines}
    return [
        _compare(source, single or by_name.get((source.run, source.title)), max_operators or MAX_OPERATORS)
        for run in runs
        for source in list_capture_sources(run)
    ]


def _compare(source: CaptureSource, before: CaptureSource | None, max_operators: int) -> Regression:
    name = source.title if source.run == "." else f"{source.run} · {source.title}"
    if before is None:
        return Regression((Heading(name), Notes(("the baseline has no profile of this name",), Ink.WARN)), math.nan)
    try:
        now, then = SHARED.load(source), SHARED.load(before)
    except CaptureError as error:
        return Regression((Heading(name), Notes((safe(str(error)),), Ink.WARN)), math.nan)
    step, step_before = (float(np.median(analysis.steps.durations)) for analysis in (now, then))
    slower = step / step_before - 1 if step_before > 0 else math.nan
    verdict = f"{format_percent(abs(slower))} {'slower' if slower > 0 else 'faster'}"
    text = f"median step {time_text(step)}, was {time_text(step_before)}: {verdict}"
    blocks = [Heading(name, text), _compare_classes(now, then), *_compare_operators(now, then, max_operators)]
    return Regression(tuple(blocks), slower)


def _compare_classes(now: Analysis, before: Analysis) -> Table:
    columns = (Column("of a step", "left"), *(Column(title, "right") for title in ("ms", "was", "difference")))
    rows = (_build_row(each.kind.title, each.now, each.before) for each in compare_classes(now, before))
    return Table(columns, tuple(rows), is_verbatim=True)


def _compare_operators(now: Analysis, before: Analysis, max_operators: int) -> Iterator[Block]:
    rows = compare_operators(now, before)
    if not rows:
        return
    unit = "device ms" if now.devices and before.devices else "self ms"
    columns = (Column("operator, a step", "left"), *(Column(title) for title in (unit, "was", "difference")))
    yield Table(
        columns, tuple(_build_row(row.name, row.now, row.before) for row in rows[:max_operators]), is_verbatim=True
    )
    if len(rows) > max_operators:
        yield Notes((f"{len(rows) - max_operators:,} more operators (--height ROWS)",))


def _build_row(name: str, now: float, before: float) -> tuple[InkText, ...]:
    change = now - before
    sign = "+" if change > 0 else "-" if change < 0 else ""
    return tuple(
        map(
            InkText,
            (name, format_milliseconds(now), format_milliseconds(before), f"{sign}{format_milliseconds(abs(change))}"),
        )
    )
