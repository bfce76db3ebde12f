"""From a view to the pictures that its cards show: read when they are seen, kept while nothing changes."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from typing import TYPE_CHECKING

from tbtui.charts.numbers import counted
from tbtui.frozen import frozen
from tbtui.loading.images import ImageReader, place_of
from tbtui.loading.samples import PICTURES
from tbtui.plugins.images.steps import PLUGIN_NAME, NoPictureError, Stop, StoredSteps, shown_at, stored_steps
from tbtui.viewstate.sample_cards import Place, SampleCards, ShownSampleCards

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tbtui.events.images import Pictures
    from tbtui.loading.payloads import Payloads
    from tbtui.viewstate.choices import Choices
    from tbtui.viewstate.view import View

KEPT = 4096
"""Tags of runs whose steps in order are kept."""


@frozen(eq=False)
class Stored:
    """One encoded picture as it lies in a file."""

    stop: Stop
    sample: int
    data: bytes
    claimed: tuple[int, int] | None
    """Width and height as its writer wrote them beside it."""

    identity: Hashable
    """Tells it from all others."""


class ImageData:
    """The pictures of all views shown so far. Used by one thread.

    Args:
        payloads: Reads the files.
    """

    def __init__(self, payloads: Payloads) -> None:
        self.reader = ImageReader(payloads)
        self._cards = ShownSampleCards(PICTURES)
        self._steps: OrderedDict[tuple[str, str], tuple[Hashable, StoredSteps]] = OrderedDict()

    def cards(self, view: View) -> SampleCards:
        """Which cards there are, in order; the same object as long as they are the same."""
        return self._cards.of(view)

    def look(self, view: View, place: Place) -> Hashable:
        """Everything that `steps` of a card depends on."""
        choices, run = view.choices, view.snapshot.runs.get(place.run)
        series = None if run is None else run.references(place.tag, PLUGIN_NAME)
        if run is None or series is None:
            return None
        chosen = choices.x_axis, choices.superseded, choices.skip_steps
        return series.revision, run.reading, view.inks[place.run], chosen

    def steps(self, view: View, place: Place) -> StoredSteps:
        """The steps that a card may show.

        Raises:
            NoPictureError: There are none.
        """
        key, look = (place.run, place.tag), self.look(view, place)
        known = self._steps.get(key)
        if known is None or known[0] != look:
            known = self._steps[key] = look, stored_steps(view, place.run, place.tag)
            while len(self._steps) > KEPT:
                self._steps.popitem(last=False)
        self._steps.move_to_end(key)
        return known[1]

    def of_all_runs(self, view: View, tag: str) -> list[StoredSteps]:
        """The steps of every drawn run that holds a tag, in the order of the run tree."""
        found = []
        for run, _ in view.references(tag, PLUGIN_NAME):
            with suppress(NoPictureError):
                found.append(self.steps(view, Place(run.name, tag)))
        return found

    def shown(self, view: View, key: str, place: Place) -> Stop:
        """The step that card `key` shows; raises NoPictureError."""
        return self.steps(view, place).nearest(shown_at(view.choices, key))

    def stored(self, stop: Stop, sample: int) -> Stored:
        """One picture of a step.

        Raises:
            ImageError: The step cannot be read.
            NoPictureError: It has fewer pictures.
        """
        pictures: Pictures = self.reader.read(stop.stored.run, stop.stored.series, stop.point)
        count = len(pictures.encoded)
        self._cards.learn(stop.stored.run.name, stop.stored.series.tag, count)
        if sample >= count:
            raise NoPictureError(f"step {stop.step} has {_too_few(count, sample)}")
        identity = place_of(stop.stored.run, stop.stored.series, stop.point), sample
        return Stored(stop, sample, pictures.encoded[sample], pictures.claimed, identity)


def _too_few(count: int, sample: int) -> str:
    return f"{counted(count, 'picture')} only, not {sample + 1}" if count else "no picture"


# What a picture is compared with


def other_of(data: ImageData, view: View, key: str, place: Place, shown: Stop) -> Stop | None:
    """The step that an opened picture is compared with; None when it stands alone, or there is no other.

    It is the marked step of the same run; otherwise what the baseline shows, or the selected run, or the next that
    holds the tag; of a tag that one run holds alone, the step before.
    """
    choices = view.choices
    if choices.mark is not None and choices.cursor is not None:
        return shown.stored.nearest(choices.mark)
    if choices.image_comparison == "off":
        return None
    other = _other_run(view, choices, place)
    if other is not None:
        try:
            return data.steps(view, Place(other, place.tag)).nearest(shown_at(choices, key))
        except NoPictureError:
            return None
    return Stop(shown.stored, shown.place - 1) if shown.place else None


def _other_run(view: View, choices: Choices, place: Place) -> str | None:
    names = [run.name for run, _ in view.references(place.tag, PLUGIN_NAME)]
    for name in (choices.baseline, choices.focus):
        if name is not None and name != place.run:
            run = view.snapshot.runs.get(name)
            if run is not None and run.references(place.tag, PLUGIN_NAME) is not None:
                return name
    if place.run not in names or len(names) < 2:
        return next(iter(names), None) if place.run not in names else None
    return names[(names.index(place.run) + 1) % len(names)]
