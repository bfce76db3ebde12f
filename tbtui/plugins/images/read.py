"""Read the pictures of a view: which steps are stored, and the encoded bytes of the one that a card shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from tbtui.charts.numbers import format_count
from tbtui.events.values import EventTime, StaleValueError, read_stored_value
from tbtui.export.media import NOTHING_LOGGED
from tbtui.frozen import frozen
from tbtui.loading.payloads import ByteCache, format_too_large
from tbtui.plugins.images.decode import ImageError, Pictures, read_pictures
from tbtui.plugins.images.settings import COMPARISON
from tbtui.plugins.images.transitions import CARD_STEPS
from tbtui.plugins.sample_cards import PICTURES, CardSample, SampleCards, ShownSampleCards
from tbtui.plugins.shown_steps import NoValueError, ShownStep, StepsCache
from tbtui.plugins.step_settings import is_compared

if TYPE_CHECKING:
    from collections.abc import Hashable

    import numpy as np
    import numpy.typing as npt

    from tbtui.loading.payloads import Payloads
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
        max_bytes: Size of the cache in bytes.
    """

    def __init__(self, payloads: Payloads, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._payloads = payloads
        self._cache: ByteCache[Pictures | str] = ByteCache(max_bytes)

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
        identity = identify_image(run, series, point)
        cached = self._cache.get(identity)
        if cached is None:
            cached = self._read(identity, run, series, point)
        if isinstance(cached, str):
            raise ImageError(cached)
        return cached

    def _read(self, identity: Hashable, run: RunSnapshot, series: ReferenceSeries, point: int) -> Pictures | str:
        length = int(series.lengths[point])
        if length > MAX_SHOWN_BYTES:
            return format_too_large(length)
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


def identify_image(run: RunSnapshot, series: ReferenceSeries, point: int) -> Hashable:
    """Return the identity of a value; a value at the same offset of a replaced file has another one."""
    columns: tuple[Any, ...] = (series.files, series.offsets, series.indices, series.steps)
    return run.name, run.reading, series.tag, *(int(column[point]) for column in columns)


PLUGIN_NAME = "images"
"""Name of the plugin in event files."""


@frozen(eq=False)
class Stored:
    """One encoded picture, as stored in a file."""

    stop: ShownStep
    sample: int
    data: bytes
    claimed: tuple[int, int] | None
    """Width and height that the writer stored with the picture."""

    identity: Hashable
    """Identity of the picture among all others."""


class ImageData:
    """Reads the pictures of all views. Used by one thread.

    Args:
        payloads: Reader of the event files.
    """

    def __init__(self, payloads: Payloads) -> None:
        self.reader = ImageReader(payloads)
        self._cards = ShownSampleCards(PICTURES)
        self.steps = StepsCache(PLUGIN_NAME, "image")

    def cards(self, view: View) -> SampleCards:
        """Return the cards of a view in order; the same object while they are the same."""
        return self._cards.of(view)

    def find_shown_step(self, view: View, key: str, sample: CardSample) -> ShownStep:
        """Return the step that card `key` shows; raise NoValueError."""
        return self.steps.get(view, sample.run, sample.tag).nearest(CARD_STEPS.position(view.settings, key))

    def load(self, stop: ShownStep, sample: int) -> Stored:
        """Return one picture of a step.

        Raises:
            ImageError: The step cannot be read.
            NoValueError: It has fewer pictures.
        """
        pictures: Pictures = self.reader.read(stop.steps.run, stop.steps.series, stop.point)
        count = len(pictures.encoded)
        self._cards.learn(stop.steps.run.name, stop.steps.series.tag, count)
        if sample >= count:
            raise NoValueError(_explain_too_few(stop.step, count, sample))
        identity = identify_image(stop.steps.run, stop.steps.series, stop.point), sample
        return Stored(stop, sample, pictures.encoded[sample], pictures.claimed, identity)


def _explain_too_few(step: int, count: int, sample: int) -> str:
    return f"step {step} has {format_count(count, 'image')} only, not {sample + 1}" if count else NOTHING_LOGGED


def find_compared_step(data: ImageData, view: View, key: str, sample: CardSample, shown: ShownStep) -> ShownStep | None:
    """Return the step that an opened picture is compared with; None if it is shown alone, or there is no other."""
    if not is_compared(view.settings, COMPARISON):
        return None
    tags = dict.fromkeys(_list_comparable_runs(view, sample), sample.tag)
    return data.steps.find_compared_step(view, shown, CARD_STEPS.position(view.settings, key), tags)


def _list_comparable_runs(view: View, sample: CardSample) -> list[str]:
    """Return the drawn runs with pictures of a tag, and the baseline if it has some."""
    names = [run.name for run, _ in view.references(sample.tag, PLUGIN_NAME)]
    baseline = view.snapshot.runs.get(view.settings.baseline or "")
    is_missing = baseline is not None and baseline.name not in names
    if baseline is not None and is_missing and baseline.references(sample.tag, PLUGIN_NAME) is not None:
        names.append(baseline.name)
    return names
