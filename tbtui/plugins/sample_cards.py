"""Cards of dashboards whose values hold several samples: one card per run, tag and sample."""

from __future__ import annotations

from dataclasses import field, replace
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from tbtui.events.event_prefix import EVENT_PREFIX_BYTES
from tbtui.frozen import frozen
from tbtui.plugins.audio.decode import count_sounds, is_single_sound
from tbtui.plugins.images.decode import count_in, was_converted
from tbtui.tfrecord.file import open_file
from tbtui.view.cards import RunCards, ShownRunCards, make_card_key, shorten_tag

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.view.view import View


@frozen
class SampleKind:
    """A plugin whose values may hold several samples."""

    plugin: str
    is_single: Callable[[bytes], bool]
    """Returns True if the metadata of a tag say that each value holds one sample."""

    count_in: Callable[[bytes, int], int | None]
    """Returns the number of samples of a value, from its first bytes; None if unknown."""


PICTURES = SampleKind("images", was_converted, count_in)
SOUNDS = SampleKind("audio", is_single_sound, count_sounds)


def count_newest_samples(kind: SampleKind, run: RunSnapshot, all_series: Sequence[ReferenceSeries]) -> list[int | None]:
    """Return the number of samples at the newest step of each series, from the first bytes of its value; None: unknown.

    Nothing is read if the metadata hold the number. Each file is opened once for adjacent series.
    """
    file_numbers = [None if kind.is_single(series.metadata.content) else int(series.files[-1]) for series in all_series]
    counts: list[int | None] = []
    for file, some in groupby(zip(file_numbers, all_series, strict=True), key=itemgetter(0)):
        file_series = [series for _, series in some]
        counts += (
            [1] * len(file_series) if file is None else _count_samples_in_file(kind, run.files[file].path, file_series)
        )
    return counts


def _count_samples_in_file(kind: SampleKind, path: str, all_series: Sequence[ReferenceSeries]) -> list[int | None]:
    try:
        with open_file(path) as file:
            heads = [
                file.read(int(series.offsets[-1]), min(int(series.lengths[-1]), EVENT_PREFIX_BYTES)).tobytes()
                for series in all_series
            ]
    except OSError:
        return [None] * len(all_series)
    return [kind.count_in(head, int(series.indices[-1])) for head, series in zip(heads, all_series, strict=True)]


MAX_SAMPLES = 1000
"""Cards of one tag and run; by default TensorFlow writes three samples per step."""


@frozen
class CardSample:
    """Sample that a card shows."""

    run: str
    tag: str
    index: int = 0
    """Index of the sample in its step."""

    count: int = 1
    """Known number of samples per step."""

    def numbered(self, title: str) -> str:
        """Return `tone · 2 of 3`; the title alone of a tag with one sample a step."""
        return title if self.count == 1 else f"{title} · {self.index + 1} of {self.count}"


@frozen
class SampleCards:
    """Cards of one view."""

    keys: tuple[str, ...] = ()
    """Keys in order."""

    samples: Mapping[str, CardSample] = field(default_factory=dict)
    """Samples by the keys of their cards."""

    def tag_of(self, key: str) -> str:
        """Return the tag of a card; an unknown key is a tag."""
        sample = self.samples.get(key)
        return key if sample is None else sample.tag

    def key_of(self, tag: str) -> str:
        """Return the key of the first card that shows `tag`."""
        return next((key for key in self.keys if self.samples[key].tag == tag), tag)

    def title_of(self, key: str) -> str:
        """Return the title of a card, without its run; not yet safe for a terminal."""
        sample = self.samples.get(key)
        return shorten_tag(key) if sample is None else sample.numbered(shorten_tag(sample.tag))

    def name_of(self, key: str) -> str:
        """Return the title of a card with its run; not yet safe for a terminal."""
        sample, title = self.samples.get(key), self.title_of(key)
        return title if sample is None else f"{title} of {sample.run}"


def sample_key(run: str, tag: str, index: int = 0) -> str:
    """Return the key of a card; the first sample has the key that a card of one run has in other tabs."""
    return make_card_key(run, tag) if index == 0 else f"{make_card_key(run, tag)}\0{index}"


class ShownSampleCards:
    """Cards of the views so far; computed again only if runs, tags or settings changed.

    Args:
        kind: Kind of the samples.
    """

    def __init__(self, kind: SampleKind) -> None:
        self._kind = kind
        self._runs = ShownRunCards(kind.plugin, together=False)
        self._counts: dict[tuple[str, str], int] = {}
        self._counted: dict[tuple[str, str], tuple[int, int]] = {}
        """Reading of the run, and revision of the series, whose newest step was counted."""

        self._inputs: tuple[object, ...] = ()
        self._cards = SampleCards()

    def learn(self, run: str, tag: str, count: int) -> None:
        """Note the number of samples at a step: the next view has a card for each, and keeps them with fewer."""
        self._counts[run, tag] = max(self._counts.get((run, tag), 1), min(count, MAX_SAMPLES))

    def of(self, view: View) -> SampleCards:
        """Return the cards: pinned ones first, then by tag, run and sample; the same object for the same cards."""
        run_cards = self._runs.of(replace(view, settings=replace(view.settings, pinned=())))
        self._count_newest(view, run_cards)
        counts = tuple(self._counts.get((run or "", tag), 1) for run, tag in run_cards.places.values())
        inputs = run_cards, counts, view.settings.pinned
        if inputs != self._inputs:
            self._cards = _build_cards(run_cards, counts, view.settings.pinned)
            self._inputs = inputs
        return self._cards

    def _count_newest(self, view: View, run_cards: RunCards) -> None:
        """Count the samples in the newest step of each card, from a few bytes of its file."""
        changed: dict[str, list[ReferenceSeries]] = {}
        for run_name, tag in run_cards.places.values():
            run = view.snapshot.runs[run_name or ""]
            series = run.references(tag, self._kind.plugin)
            if series is None:
                continue
            state, former = (run.reading, series.revision), self._counted.get((run.name, tag))
            if former != state:
                if former is not None and former[0] != run.reading:
                    self._counts.pop((run.name, tag), None)
                self._counted[run.name, tag] = state
                changed.setdefault(run.name, []).append(series)
        for run_name, all_series in changed.items():
            counts = count_newest_samples(self._kind, view.snapshot.runs[run_name], all_series)
            for series, count in zip(all_series, counts, strict=True):
                if count is not None:
                    self.learn(run_name, series.tag, count)


def _build_cards(run_cards: RunCards, counts: tuple[int, ...], pinned: tuple[str, ...]) -> SampleCards:
    samples = {
        sample_key(run, tag, index): CardSample(run, tag, index, count)
        for (run, tag), count in zip(run_cards.places.values(), counts, strict=True)
        if run is not None
        for index in range(count)
    }
    first = [key for key in dict.fromkeys(pinned) if key in samples]
    return SampleCards(tuple(dict.fromkeys([*first, *samples])), samples)
