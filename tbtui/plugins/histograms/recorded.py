"""What runs have recorded under a tag that holds histograms: the ground of Histograms and of Distributions."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.events.histograms import HAS_INFINITE, HAS_NAN
from tbtui.export.histograms import buckets_of
from tbtui.plugins.histograms.figures import Figures
from tbtui.plugins.histograms.points import (
    PLUGIN_NAME,
    Asked,
    continues,
    histogram_series,
    last_step,
    restarts_of,
    rows_of,
    title_of,
    x_of,
)
from tbtui.series.axes import step_origin
from tbtui.series.histograms import part
from tbtui.series.unrest import unrest
from tbtui.viewstate.run_cards import ShownRunCards

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    import numpy.typing as npt

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.histograms.spread import Spread
    from tbtui.series.histograms import Buckets, Rows
    from tbtui.series.moments import Moments
    from tbtui.series.unrest import Unrest
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.viewstate.run_cards import RunCards
    from tbtui.viewstate.view import View

    Floats: TypeAlias = npt.NDArray[np.float64]
    Steps: TypeAlias = npt.NDArray[np.int64]

    Held: TypeAlias = tuple[tuple[RunSnapshot, ReferenceSeries], ...]
    """Runs and their series of one tag."""

MOST_STEPS = 400_000
"""Steps of tags kept for the next look at them, about 150 bytes each; what is longest unseen goes first."""

LEAST_TAGS = 64
"""Tags of runs kept however many steps they have: as many as are in sight at once, since a cursor looks at all."""


class NothingRecordedError(LookupError):
    """There is nothing to draw; the message says so in a sentence."""


@dataclass(frozen=True, eq=False)
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


class HistogramData:
    """The histograms of all views shown so far. Used by one thread.

    Args:
        payloads: Reads and decodes them, and keeps what it has decoded.
        most_steps: How many are kept to be drawn again, figures only.
        least_tags: As `LEAST_TAGS`.
    """

    def __init__(self, payloads: Payloads, most_steps: int = MOST_STEPS, least_tags: int = LEAST_TAGS) -> None:
        self._payloads = payloads
        self._most_steps = most_steps
        self._least_tags = least_tags
        self._cards = ShownRunCards(PLUGIN_NAME)
        self._kept: OrderedDict[tuple[str, str], tuple[Asked, ReferenceSeries, Recorded]] = OrderedDict()
        self._steps = 0
        self._view: View | None = None
        self._held: dict[str, Held] = {}
        self._origins: dict[str, int] = {}

    def cards(self, view: View) -> RunCards:
        """Which cards there are, in order; the same object as long as they are the same."""
        return self._cards.of(view)

    def series(self, view: View, key: str) -> Held:
        """What card `key` shows that holds anything: the series of its run, or of all drawn runs in their order."""
        if view is not self._view:
            self._view, self._held, self._origins = view, {}, {}
        known = self._held.get(key)
        if known is None:
            cards = self.cards(view)
            known = self._held[key] = tuple(histogram_series(view, cards.tag_of(key), cards.run_of(key)))
        return known

    def look(self, view: View, key: str) -> Hashable:
        """Everything that `recorded` of card `key` depends on."""
        choices = view.choices
        held = tuple(
            (series.run, series.revision, run.reading, view.inks[run.name]) for run, series in self.series(view, key)
        )
        tag = self.cards(view).tag_of(key)
        return tag, choices.x_axis, self._origin(view, tag), choices.skip_steps, choices.superseded, held

    def recorded(self, view: View, key: str) -> tuple[Recorded, ...]:
        """The histograms of card `key`: of its run, or of every drawn run that holds some; at least one.

        The same objects as long as they are the same. Reads and decodes what is not kept.

        Raises:
            NothingRecordedError: No drawn run holds a histogram of it, or all are skipped.
        """
        choices, held = view.choices, self.series(view, key)
        if not held:
            raise NothingRecordedError("no run that is shown holds a histogram of this tag")
        unskipped = [
            (run, series)
            for run, series in held
            if last_step(series, superseded=choices.superseded) >= choices.skip_steps
        ]
        if not unskipped:
            raise NothingRecordedError(f"all histograms are at steps below {choices.skip_steps}, which are skipped")
        origin = self._origin(view, self.cards(view).tag_of(key))
        return tuple(
            self._recorded(
                run,
                series,
                Asked(
                    series.revision,
                    run.reading,
                    view.inks[run.name],
                    choices.x_axis,
                    origin,
                    choices.skip_steps,
                    choices.superseded,
                ),
            )
            for run, series in unskipped
        )

    def _origin(self, view: View, tag: str) -> int:
        """What enormous steps of a tag are counted from, the same for all its runs."""
        held = self.series(view, tag) if view.choices.x_axis == "step" else ()
        if tag not in self._origins:
            self._origins[tag] = step_origin(series.steps for _, series in held)
        return self._origins[tag]

    def _recorded(self, run: RunSnapshot, series: ReferenceSeries, asked: Asked) -> Recorded:
        key = run.name, series.tag
        known = self._kept.get(key)
        if known is not None and known[0] == asked:
            self._kept.move_to_end(key)
            return known[2]
        chosen = series if asked.superseded else series.current
        made = _made(self._payloads, run, series, chosen, asked)
        if known is not None and asked.grown_from(known[0]) and continues(chosen, known[1]):
            made = _going_on(made, known[2])
        self._steps += len(made) - (0 if known is None else len(known[2]))
        self._kept[key] = asked, chosen, made
        self._kept.move_to_end(key)
        while self._steps > self._most_steps and len(self._kept) > self._least_tags:
            _, (_, _, gone) = self._kept.popitem(last=False)
            self._steps -= len(gone)
        return made


def _made(
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


def _going_on(made: Recorded, former: Recorded) -> Recorded:
    """The same, with what was worked out of a former one that it begins with; as it is where it does not."""
    count = len(former)
    in_order = isinstance(made.rows, slice) and isinstance(former.rows, slice)
    if not in_order or {at: why for at, why in made.refused.items() if at < count} != former.refused:
        return made
    return replace(made, lineage=former.lineage, figures=Figures(made.figures.read, len(made), former.figures))
