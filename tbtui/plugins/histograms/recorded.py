"""What runs have recorded under a tag that holds histograms: the ground of Histograms and of Distributions."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tbtui.charts.text import nameable
from tbtui.events.histograms import HAS_INFINITE, HAS_NAN
from tbtui.series.axes import relative_x, start_time, step_origin, step_x, wall_x
from tbtui.series.decimate import is_ascending
from tbtui.series.histograms import Buckets, part, value_limits
from tbtui.series.moments import moments
from tbtui.series.quantiles import quantiles
from tbtui.series.restarts import restarts
from tbtui.series.unrest import unrest
from tbtui.store.snapshot import ReferenceSeries
from tbtui.viewstate.run_cards import ShownRunCards, plain_title

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping

    import numpy.typing as npt

    from tbtui.loading.payloads import Payloads
    from tbtui.series.domain import Limits
    from tbtui.series.histograms import Rows
    from tbtui.series.moments import Moments
    from tbtui.series.unrest import Unrest
    from tbtui.store.snapshot import RunSnapshot
    from tbtui.viewstate.choices import XAxis
    from tbtui.viewstate.run_cards import RunCards
    from tbtui.viewstate.view import View

    Floats: TypeAlias = npt.NDArray[np.float64]
    Steps: TypeAlias = npt.NDArray[np.int64]

PLUGIN_NAME = "histograms"
"""On disk; Distributions reads the same."""

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

    @cached_property
    def quantiles(self) -> Floats:
        """float64[n, 9]: the values at TensorBoard's basis points; NaN for what is refused."""
        return quantiles(self.buckets)

    @cached_property
    def moments(self) -> Moments:
        """Count, mean, deviation and extremes of each."""
        return moments(self.buckets)

    @cached_property
    def limits(self) -> Limits | None:
        """The least and the greatest value of all; None when there is none."""
        return value_limits(self.buckets)

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


@dataclass(frozen=True, slots=True)
class _Asked:
    """Everything that a `Recorded` depends on beside run and tag."""

    revision: int
    reading: int
    ink: int
    x_axis: XAxis
    origin: int
    skip: int
    superseded: bool


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
        self._kept: OrderedDict[tuple[str, str], tuple[_Asked, Recorded]] = OrderedDict()
        self._steps = 0
        self._view: View | None = None
        self._held: dict[str, tuple[tuple[RunSnapshot, ReferenceSeries], ...]] = {}

    def cards(self, view: View) -> RunCards:
        """Which cards there are, in order; the same object as long as they are the same."""
        return self._cards.of(view)

    def series(self, view: View, key: str) -> tuple[tuple[RunSnapshot, ReferenceSeries], ...]:
        """What card `key` shows that holds anything: the series of its run, or of all drawn runs in their order."""
        if view is not self._view:
            self._view, self._held = view, {}
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
        return self.cards(view).tag_of(key), choices.x_axis, choices.skip_steps, choices.superseded, held

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
            (run, series) for run, series in held if _last_step(series, choices.superseded) >= choices.skip_steps
        ]
        if not unskipped:
            raise NothingRecordedError(f"all histograms are at steps below {choices.skip_steps}, which are skipped")
        origin = step_origin(series.steps for _, series in unskipped) if choices.x_axis == "step" else 0
        return tuple(
            self._recorded(
                run,
                series,
                _Asked(
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

    def _recorded(self, run: RunSnapshot, series: ReferenceSeries, asked: _Asked) -> Recorded:
        key = run.name, series.tag
        known = self._kept.get(key)
        if known is not None and known[0] == asked:
            self._kept.move_to_end(key)
            return known[1]
        made = _made(self._payloads, run, series, asked)
        self._steps += len(made) - (0 if known is None else len(known[1]))
        self._kept[key] = asked, made
        self._kept.move_to_end(key)
        while self._steps > self._most_steps and len(self._kept) > self._least_tags:
            _, (_, gone) = self._kept.popitem(last=False)
            self._steps -= len(gone)
        return made


def histogram_series(
    view: View, tag: str, run_name: str | None = None
) -> Iterator[tuple[RunSnapshot, ReferenceSeries]]:
    """The drawn runs, or the one of that name, that hold histograms of a tag, in the order of the run tree."""
    for run in view.runs:
        series = run.series.get(tag)
        if (
            run_name in (None, run.name)
            and isinstance(series, ReferenceSeries)
            and series.metadata.plugin_name == PLUGIN_NAME
            and len(series)
        ):
            yield run, series


def title_of(series: ReferenceSeries) -> str:
    """The name to show for its tag: the display name when the writer gave one."""
    return nameable(series.metadata.display_name or plain_title(series.tag))


def _last_step(series: ReferenceSeries, superseded: bool) -> int:
    return int(series.steps.max() if superseded else series.steps[-1])


def _made(payloads: Payloads, run: RunSnapshot, series: ReferenceSeries, asked: _Asked) -> Recorded:
    chosen = series if asked.superseded else series.current

    def read() -> Buckets:
        held = payloads.histograms(run, chosen)
        return Buckets(held.starts, held.lefts, held.rights, held.counts, held.totals, held.sums, held.squares)

    refused = payloads.histograms(run, chosen).refused
    x = _x_of(chosen, series.current, asked)
    rows = _in_order(x, chosen.steps, asked.skip)
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
        _restarts(series, asked),
        read,
        rows,
    )


def _in_order(x: Floats, steps: Steps, skip: int) -> Rows:
    """The points at steps that are not skipped, in the order of x."""
    if is_ascending(x) and (not skip or bool(np.all(steps[1:] >= steps[:-1]))):
        return slice(int(np.searchsorted(steps, skip)) if skip else 0, len(x))
    order = np.argsort(x, kind="stable")
    return order[steps[order] >= skip] if skip else order


def _x_of(series: ReferenceSeries, current: ReferenceSeries, asked: _Asked) -> Floats:
    """The x values of all points of a series, of which `current` are those that no restart superseded."""
    if asked.x_axis == "step":
        return step_x(series.steps, asked.origin)
    if asked.x_axis == "wall":
        return wall_x(series.wall_times)
    if series is current:
        return relative_x(series.wall_times)
    return np.asarray(series.wall_times - start_time(current.wall_times))


def _restarts(series: ReferenceSeries, asked: _Asked) -> tuple[float, ...]:
    if series.kept is None:
        return ()
    current = series.current
    found = restarts(series.steps, current.steps)
    found = found[current.steps[found] >= asked.skip]
    return tuple(_x_of(current, current, asked)[found].tolist())
