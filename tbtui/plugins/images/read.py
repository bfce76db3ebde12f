"""Read the pictures of a view: which steps are stored, and the encoded bytes of the one that a card shows."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from tbtui.charts.numbers import counted
from tbtui.events.values import EventTime, StaleValueError, read_stored_value
from tbtui.export.media import NOTHING_LOGGED
from tbtui.frozen import frozen
from tbtui.loading.payloads import ByteCache, too_large_message
from tbtui.plugins.images.decode import ImageError, Pictures, read_pictures
from tbtui.plugins.images.settings import COMPARISON, OWN_STEPS
from tbtui.plugins.sample_cards import PICTURES, CardSample, SampleCards, ShownSampleCards
from tbtui.plugins.shown_steps import (
    NoValueError,
    ShownStep,
    ShownSteps,
    marked_partner,
    neighbour_of,
    shown_steps,
    steps_key,
)
from tbtui.view.comparison_target import comparison_run

if TYPE_CHECKING:
    from collections.abc import Hashable

    import numpy as np
    import numpy.typing as npt

    from tbtui.loading.payloads import Payloads
    from tbtui.settings.settings import Settings
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.view.view import View

    Floats: TypeAlias = npt.NDArray[np.float64]

MAX_CACHE_BYTES = 32 << 20
"""Size of the cache of encoded images: those on the screen and some recent ones."""

MAX_SHOWN_BYTES = 256 << 20
"""Maximum size of a value that is read for display: twice the pixels of the largest image.

Reading takes three times as much memory, and a sparse file may claim gigabytes.
"""

_OF_A_REASON = 200


class ImageReader:
    """Reads encoded images and caches the last ones. Safe to use from any thread.

    Args:
        payloads: Reader of payloads.
        most_bytes: Size of the cache in bytes.
    """

    def __init__(self, payloads: Payloads, most_bytes: int = MAX_CACHE_BYTES) -> None:
        self._payloads = payloads
        self._cache: ByteCache[Pictures | str] = ByteCache(most_bytes)

    @property
    def nbytes(self) -> int:
        """Size of the cached images in bytes."""
        return self._cache.nbytes

    def read(self, run: RunSnapshot, series: ReferenceSeries, point: int) -> Pictures:
        """Return the pictures of one step.

        Args:
            run: The run that holds the series, of the same snapshot.
            series: Series of a tag with pictures.
            point: Index into the series.

        Raises:
            ImageError: There are none, or they cannot be read.
        """
        identity = identity_of(run, series, point)
        cached = self._cache.get(identity)
        if cached is None:
            cached = self._read(identity, run, series, point)
        if isinstance(cached, str):
            raise ImageError(cached)
        return cached

    def _read(self, identity: Hashable, run: RunSnapshot, series: ReferenceSeries, point: int) -> Pictures | str:
        length = int(series.lengths[point])
        if length > MAX_SHOWN_BYTES:
            return too_large_message(length)
        block = self._payloads.read(run, series, [point])
        if point in block.errors:
            reason = block.errors[point]
            if not block.is_retryable:
                self._cache.put(identity, reason, _OF_A_REASON)
            return reason
        moment = EventTime(int(series.steps[point]), float(series.wall_times[point]))
        try:
            pictures = read_pictures(read_stored_value(block.payload(0), int(series.indices[point]), moment))
        except (ImageError, StaleValueError) as error:
            self._cache.put(identity, str(error), _OF_A_REASON)
            return str(error)
        self._cache.put(identity, pictures, pictures.nbytes + _OF_A_REASON)
        return pictures


def identity_of(run: RunSnapshot, series: ReferenceSeries, point: int) -> Hashable:
    """Return the identity of a value; a value at the same offset of a replaced file has another one."""
    columns: tuple[Any, ...] = (series.files, series.offsets, series.indices, series.steps)
    return run.name, run.reading, series.tag, *(int(column[point]) for column in columns)


PLUGIN_NAME = "images"
"""Name of the plugin in event files."""


def stored_steps(view: View, run_name: str, tag: str) -> ShownSteps:
    """Return the pictures of a tag of a run that may be shown; raise NoValueError."""
    return shown_steps(view, run_name, tag, PLUGIN_NAME, "image")


def shown_at(settings: Settings, key: str) -> float | None:
    """Return the position of card `key` on the x axis: its own step, the cursor, or None for the newest."""
    return OWN_STEPS.value(settings).get(key, settings.cursor)


MAX_CACHED_TAGS = 4096
"""Tags of runs whose sorted steps are cached."""


@frozen(eq=False)
class Stored:
    """One encoded picture as it is stored in a file."""

    stop: ShownStep
    sample: int
    data: bytes
    claimed: tuple[int, int] | None
    """Width and height as the writer stored them beside the picture."""

    identity: Hashable
    """Identity of the picture among all others."""


class ImageData:
    """Give the pictures of all views shown so far. Used by one thread.

    Args:
        payloads: Reader of the event files.
    """

    def __init__(self, payloads: Payloads) -> None:
        self.reader = ImageReader(payloads)
        self._cards = ShownSampleCards(PICTURES)
        self._steps: OrderedDict[tuple[str, str], tuple[Hashable, ShownSteps]] = OrderedDict()

    def cards(self, view: View) -> SampleCards:
        """Return the cards of a view in order; the same object while they are the same."""
        return self._cards.of(view)

    def look(self, view: View, sample: CardSample) -> Hashable:
        """Return everything that `steps` of a card depends on."""
        return steps_key(view, sample.run, sample.tag, PLUGIN_NAME)

    def steps(self, view: View, sample: CardSample) -> ShownSteps:
        """Return the steps that a card may show.

        Raises:
            NoValueError: There are none.
        """
        key, look = (sample.run, sample.tag), self.look(view, sample)
        cached = self._steps.get(key)
        if cached is None or cached[0] != look:
            cached = self._steps[key] = look, stored_steps(view, sample.run, sample.tag)
            while len(self._steps) > MAX_CACHED_TAGS:
                self._steps.popitem(last=False)
        self._steps.move_to_end(key)
        return cached[1]

    def of_all_runs(self, view: View, tag: str) -> list[ShownSteps]:
        """Return the steps of every drawn run with this tag, in the order of the run tree."""
        images = []
        for run, _ in view.references(tag, PLUGIN_NAME):
            with suppress(NoValueError):
                images.append(self.steps(view, CardSample(run.name, tag)))
        return images

    def shown(self, view: View, key: str, sample: CardSample) -> ShownStep:
        """Return the step that card `key` shows; raise NoValueError."""
        return self.steps(view, sample).nearest(shown_at(view.settings, key))

    def stored(self, stop: ShownStep, sample: int) -> Stored:
        """Return one picture of a step.

        Raises:
            ImageError: The step cannot be read.
            NoValueError: It has fewer pictures.
        """
        pictures: Pictures = self.reader.read(stop.steps.run, stop.steps.series, stop.point)
        count = len(pictures.encoded)
        self._cards.learn(stop.steps.run.name, stop.steps.series.tag, count)
        if sample >= count:
            raise NoValueError(_too_few(stop.step, count, sample))
        identity = identity_of(stop.steps.run, stop.steps.series, stop.point), sample
        return Stored(stop, sample, pictures.encoded[sample], pictures.claimed, identity)


def _too_few(step: int, count: int, sample: int) -> str:
    return f"step {step} has {counted(count, 'image')} only, not {sample + 1}" if count else NOTHING_LOGGED


# What a picture is compared with


def other_of(data: ImageData, view: View, key: str, sample: CardSample, shown: ShownStep) -> ShownStep | None:
    """Return the step that an opened picture is compared with; None when it is shown alone, or there is no other.

    It is the marked step of the same run; otherwise what the baseline shows, or the selected run, or the next that
    holds the tag; of a tag that one run holds alone, a neighbouring step. It is never the step itself.
    """
    settings = view.settings
    if settings.mark is not None and settings.cursor is not None:
        return marked_partner(shown, settings.mark)
    if COMPARISON.value(settings) == "off":
        return None
    other = comparison_run(sample.run, _holders(view, settings, sample), settings)
    if other is not None:
        with suppress(NoValueError):
            return data.steps(view, CardSample(other, sample.tag)).nearest(shown_at(settings, key))
    return neighbour_of(shown)


def _holders(view: View, settings: Settings, sample: CardSample) -> list[str]:
    """Return the drawn runs with pictures of a tag, and the baseline if it has some."""
    names = [run.name for run, _ in view.references(sample.tag, PLUGIN_NAME)]
    baseline = view.snapshot.runs.get(settings.baseline or "")
    is_missing = baseline is not None and baseline.name not in names
    if baseline is not None and is_missing and baseline.references(sample.tag, PLUGIN_NAME) is not None:
        names.append(baseline.name)
    return names
