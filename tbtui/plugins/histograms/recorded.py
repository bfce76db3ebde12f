"""What runs have recorded under a tag that holds histograms: the ground of Histograms and of Distributions."""

from __future__ import annotations

from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.events.histograms import HAS_INFINITE, HAS_NAN
from tbtui.export.histograms import buckets_of
from tbtui.frozen import frozen
from tbtui.plugins.histograms.figures import Figures
from tbtui.plugins.histograms.points import restarts_of, rows_of, title_of, x_of
from tbtui.series.histograms import part
from tbtui.series.unrest import unrest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.histograms.points import Asked
    from tbtui.plugins.histograms.spread import Spread
    from tbtui.series.histograms import Buckets, Rows
    from tbtui.series.moments import Moments
    from tbtui.series.unrest import Unrest
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot

    Floats: TypeAlias = npt.NDArray[np.float64]
    Steps: TypeAlias = npt.NDArray[np.int64]


class NothingRecordedError(LookupError):
    """There is nothing to draw; the message says so in a sentence."""


@frozen(slots=False, eq=False)
class Recorded:
    """The histograms of one tag of one run that are to be seen, n of them; at least one.

    Their buckets are not kept here but asked for: they may be hundreds of megabytes, and what holds them is bounded.
    """

    run: str
    """Not yet made safe for a terminal; neither are tag, title, description and reasons."""

    tag: str
    ink: int
    """Series ink of the run."""

    title: str
    """The name to show for the tag: the display name when the writer gave one."""

    description: str
    steps: Steps
    """int64[n], strictly ascending unless superseded ones are among them."""

    wall_times: Floats
    """float64[n], seconds since the epoch."""

    x: Floats
    """float64[n] on the present x axis, ascending (steps and times that go back were put in order); NaN comes last."""

    origin: int
    """What enormous steps are counted from."""

    refused: Mapping[int, str]
    """Index to the reason why that histogram cannot be drawn, one plain sentence."""

    restarts: tuple[float, ...]
    """x of the histograms with which the run went on from an earlier step than it had reached."""

    read: Callable[[], Buckets] = field(repr=False)
    """All histograms of the series."""

    rows: Rows = field(repr=False)
    """Which of them are seen, in the order of x."""

    figures: Figures = field(repr=False)
    """What is worked out of them."""

    lineage: object = field(default_factory=object, repr=False)
    """The same as that of another one that this goes on from: the first histograms of both are the same."""

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def buckets(self) -> Buckets:
        """All of them; not to be held on to."""
        return part(self.read(), self.rows)

    def some(self, rows: Rows) -> Buckets:
        """Some of them."""
        held = self.read()
        return part(held, np.arange(len(held))[self.rows][rows])

    @property
    def quantiles(self) -> Floats:
        """float64[n, 9]: the values at TensorBoard's basis points; NaN for what is refused."""
        return self.figures.quantiles

    @property
    def moments(self) -> Moments:
        """Count, mean, deviation and extremes of each."""
        return self.figures.moments

    @property
    def spread(self) -> Spread:
        """How far the values of all of them reach."""
        return self.figures.spread

    @cached_property
    def lost(self) -> frozenset[int]:
        """Indices of the histograms that are refused because a value in them is NaN or infinite."""
        return frozenset(index for index, reason in self.refused.items() if reason in (HAS_NAN, HAS_INFINITE))

    @cached_property
    def unrest(self) -> Unrest | None:
        """What happened to the values by the newest step, if anything."""
        return unrest(self.moments, self.lost)

    def nearest(self, x: float | None) -> int:
        """Index of the histogram nearest to `x` on the x axis; None is the newest.

        Of several at one place it is the latest, of two places as near the first.
        """
        at = self.x[: int(np.searchsorted(self.x, np.inf, "right"))]
        if x is None or not len(at):
            return len(self.x) - 1
        after = min(int(at.searchsorted(x)), len(at) - 1)
        before = max(after - 1, 0)
        near = before if x - at[before] <= at[after] - x else after
        return int(at.searchsorted(at[near], "right")) - 1


def recorded_of(
    payloads: Payloads, run: RunSnapshot, series: ReferenceSeries, chosen: ReferenceSeries, asked: Asked
) -> Recorded:
    """What is to be seen of a series, of which some points, or all, are chosen."""

    def read() -> Buckets:
        return buckets_of(payloads.histograms(run, chosen))

    refused = payloads.histograms(run, chosen).refused
    x = x_of(chosen, series.current, asked)
    rows = rows_of(x, chosen.steps, asked.skip)
    at = np.arange(len(chosen))[rows]
    return Recorded(
        run.name,
        series.tag,
        asked.ink,
        title_of(series),
        series.metadata.description,
        chosen.steps[rows],
        chosen.wall_times[rows],
        x[rows],
        asked.origin,
        {index: refused[row] for index, row in enumerate(at.tolist()) if row in refused} if refused else {},
        restarts_of(series, asked),
        read,
        rows,
        Figures(lambda first: part(read(), at[first:] if first else rows), len(at)),
    )


def going_on(made: Recorded, former: Recorded) -> Recorded:
    """The same, with what was worked out of a former one that it begins with; as it is where it does not."""
    count = len(former)
    in_order = isinstance(made.rows, slice) and isinstance(former.rows, slice)
    if not in_order or {at: why for at, why in made.refused.items() if at < count} != former.refused:
        return made
    return replace(made, lineage=former.lineage, figures=Figures(made.figures.read, len(made), former.figures))
