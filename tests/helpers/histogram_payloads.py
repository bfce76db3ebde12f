"""Make runs of histograms without files, and their reader."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.loading.payloads import Payloads
from tbtui.plugins.histograms.read import Histograms
from tbtui.store.snapshot import Metadata, ReferenceSeries
from tests.helpers.buckets import buckets_of, joined
from tests.helpers.snapshots import START, run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt

    from tbtui.store.snapshot import RunSnapshot

    Floats = npt.NDArray[np.float64]

NORMAL = np.array([2.0, 9, 28, 66, 121, 175, 198, 175, 121, 66, 28, 9, 2])
"""Counts of a thousand values in buckets half a deviation wide."""


def normal(centre: float = 0.0, std: float = 1.0) -> Floats:
    """Rows of a normal distribution."""
    return joined(centre + std * np.linspace(-3.25, 3.25, 14), NORMAL.tolist())


def widening(step: int) -> Floats:
    """A distribution that moves up and spreads."""
    return normal(step / 100, 1 + step / 50)


@dataclass(frozen=True)
class Made:
    """One tag of one run, its histograms in order of arrival; of one that is refused the reason stands for its rows."""

    rows: Sequence[Floats | str]
    steps: Sequence[int] | None = None
    """None: 0, 1, 2 …"""

    wall_times: Sequence[float] | None = None
    """None: one a second."""

    metadata: Metadata = field(default_factory=lambda: Metadata("histograms", data_class=2))

    def series(self, run_name: str, tag: str, revision: int = 1) -> ReferenceSeries:
        """Where they lie: offsets are their places in order of arrival."""
        count = len(self.rows)
        steps = np.arange(count) if self.steps is None else np.array(self.steps)
        wall_times = START + np.arange(float(count)) if self.wall_times is None else np.array(self.wall_times)
        zeros = np.zeros(count, np.int32)
        return ReferenceSeries(
            run_name,
            tag,
            self.metadata,
            revision,
            steps.astype(np.int64),
            wall_times.astype(np.float64),
            zeros,
            np.arange(count, dtype=np.int64),
            np.ones(count, np.int64),
            zeros,
        )


def steps_of(count: int, rows: Callable[[int], Floats] = widening, **more: Any) -> Made:
    """A histogram at each step."""
    return Made([rows(step) for step in range(count)], **more)


class MadePayloads(Payloads):
    """Reads made-up histograms, and counts which tags it was asked for."""

    def __init__(self, runs: Mapping[str, Mapping[str, Made]]) -> None:
        super().__init__()
        self.runs = runs
        self.asked: list[tuple[str, str]] = []

    def decoded(self, new_columns: object, run: RunSnapshot, series: ReferenceSeries) -> Histograms:
        self.asked.append((run.name, series.tag))
        made = [self.runs[run.name][series.tag].rows[place] for place in series.offsets.tolist()]
        refused = {index: rows for index, rows in enumerate(made) if isinstance(rows, str)}
        held = buckets_of([[] if isinstance(rows, str) else rows for rows in made], refused=refused)
        return Histograms(
            series.steps,
            series.wall_times,
            held.starts,
            held.lefts,
            held.rights,
            held.counts,
            held.totals,
            held.sums,
            held.squares,
            MappingProxyType(refused),
        )


def run_with(name: str, tags: Mapping[str, Made], revision: int = 1) -> RunSnapshot:
    """A run that holds them, in that order."""
    return run(name, others=[made.series(name, tag, revision) for tag, made in tags.items()], revision=revision)
