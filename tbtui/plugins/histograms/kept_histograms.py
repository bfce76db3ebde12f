"""The histograms of all views shown so far: read when they are asked for, kept while they are the same."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, TypeAlias

from tbtui.frozen import frozen
from tbtui.plugins.histograms.points import PLUGIN_NAME, Asked, continues, last_step
from tbtui.plugins.histograms.recorded import NothingRecordedError, going_on, recorded_of
from tbtui.series.axes import step_origin
from tbtui.viewstate.run_cards import ShownRunCards

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.histograms.recorded import Recorded
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.viewstate.run_cards import RunCards
    from tbtui.viewstate.view import View

    Held: TypeAlias = tuple[tuple[RunSnapshot, ReferenceSeries], ...]
    """Runs and their series of one tag."""

MOST_STEPS = 400_000
"""Steps of tags kept for the next look at them, about 150 bytes each; what is longest unseen goes first."""

LEAST_TAGS = 256
"""Tags of runs kept however many steps they have: as many as are in sight at once, since a cursor looks at all."""


@frozen
class _Kept:
    """What is known of one tag of one run."""

    asked: Asked
    series: ReferenceSeries
    """All its points that may be seen."""

    recorded: Recorded
    snapshot: int
    """Revision of the snapshot with which it was made: with later ones, what was refused is tried again."""


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
        self._kept: OrderedDict[tuple[str, str], _Kept] = OrderedDict()
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
            known = self._held[key] = tuple(view.references(cards.tag_of(key), PLUGIN_NAME, cards.run_of(key)))
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
        skip = choices.skip_steps
        unskipped = [
            (run, series)
            for run, series in held
            if not skip or last_step(series, superseded=choices.superseded) >= skip
        ]
        if not unskipped:
            raise NothingRecordedError(f"all histograms are at steps below {skip}, which are skipped")
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
                    skip,
                    choices.superseded,
                ),
                view.snapshot.revision,
            )
            for run, series in unskipped
        )

    def _origin(self, view: View, tag: str) -> int:
        """What enormous steps of a tag are counted from, the same for all its runs."""
        held = self.series(view, tag) if view.choices.x_axis == "step" else ()
        if tag not in self._origins:
            self._origins[tag] = step_origin(series.steps for _, series in held)
        return self._origins[tag]

    def _recorded(self, run: RunSnapshot, series: ReferenceSeries, asked: Asked, snapshot: int) -> Recorded:
        key = run.name, series.tag
        known = self._kept.pop(key, None)
        if known is None or known.asked != asked or (known.recorded.refused and known.snapshot != snapshot):
            known = self._made(run, series, asked, snapshot, known)
        self._kept[key] = known
        while self._steps > self._most_steps and len(self._kept) > self._least_tags:
            _, gone = self._kept.popitem(last=False)
            self._steps -= len(gone.recorded)
        return known.recorded

    def _made(
        self, run: RunSnapshot, series: ReferenceSeries, asked: Asked, snapshot: int, known: _Kept | None
    ) -> _Kept:
        chosen = series if asked.superseded else series.current
        made = recorded_of(self._payloads, run, series, chosen, asked)
        if known is not None and asked.grown_from(known.asked) and continues(chosen, known.series):
            made = going_on(made, known.recorded)
            if known.asked == asked and made.refused == known.recorded.refused:  # nothing else can be read by now
                made = known.recorded
        self._steps += len(made) - (0 if known is None else len(known.recorded))
        return _Kept(asked, chosen, made, snapshot)
