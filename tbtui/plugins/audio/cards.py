"""Which cards the Audio tab has: one for each sound that a run records under a tag at a step.

Such a card is known by its key: run, number of the sound and tag with null characters between them; the name of a run
cannot hold one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tbtui.events.sounds import sound_count
from tbtui.plugins.audio.points import PLUGIN_NAME, sound_series
from tbtui.records.source import open_file
from tbtui.viewstate.run_cards import ShownRunCards, plain_title

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot
    from tbtui.viewstate.view import View

HEAD = 4096
"""Bytes in which a value nearly always says how many sounds it has."""

OLD_FORM = b"\x18\x01"
"""What the metadata of a tag says whose values are one sound each."""

MOST_SOUNDS = 64
"""Of one value that have cards."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a card shows."""

    run: str
    tag: str
    number: int = 0
    """Of the sound among those of one step."""

    count: int = 1
    """How many a step has."""


@dataclass(frozen=True, slots=True)
class AudioCards:
    """The cards of one view."""

    keys: tuple[str, ...] = ()
    """In order."""

    places: Mapping[str, Place] = field(default_factory=dict)

    def key_of(self, tag: str) -> str:
        """The key of the first card that shows `tag`."""
        return next((key for key in self.keys if self.places[key].tag == tag), tag)

    def title_of(self, key: str) -> str:
        """What a card is called; not yet made safe for a terminal. Its run is told elsewhere."""
        place = self.places.get(key)
        return plain_title(key) if place is None else numbered(plain_title(place.tag), place)

    def tag_of(self, key: str) -> str:
        """The tag that a card shows; a key that is not heard of is a tag."""
        place = self.places.get(key)
        return key if place is None else place.tag


def numbered(title: str, place: Place) -> str:
    """`tone · 2 of 3`; of a tag with one sound a step its title alone."""
    return title if place.count == 1 else f"{title} · {place.number + 1} of {place.count}"


def card_key(run: str, tag: str, number: int = 0) -> str:
    """The key of the card of one sound."""
    return f"{run}\0{number}\0{tag}"


class ShownAudioCards:
    """The cards of the views seen so far. Used by one thread."""

    def __init__(self) -> None:
        self._run_cards = ShownRunCards(PLUGIN_NAME)
        self._counts: dict[tuple[str, str], tuple[object, int]] = {}
        self._cards = AudioCards()

    def of(self, view: View) -> AudioCards:
        """Pinned cards first; then tag by tag, run by run, sound by sound.

        As long as the answer is the same it is the same object.
        """
        apart = replace(view, choices=replace(view.choices, runs_together=False, overview=False, pinned=()))
        cards = self._run_cards.of(apart)
        places: dict[str, Place] = {}
        for key in cards.keys:
            run, tag = cards.places[key]
            places.update(self._places(view, run or "", tag))
        first = [key for key in dict.fromkeys(view.choices.pinned) if key in places]
        made = AudioCards(tuple(dict.fromkeys([*first, *places])), places)
        if made != self._cards:
            self._cards = made
        return self._cards

    def _places(self, view: View, run: str, tag: str) -> Iterator[tuple[str, Place]]:
        held = next(iter(sound_series(view, tag, run)), None)
        count = 1 if held is None else self._count(*held)
        for number in range(count):
            yield card_key(run, tag, number), Place(run, tag, number, count)

    def _count(self, run: RunSnapshot, series: ReferenceSeries) -> int:
        """How many sounds the newest value has; a writer nearly always writes as many."""
        if series.metadata.content == OLD_FORM:
            return 1
        known = self._counts.get((run.name, series.tag))
        asked = run.reading, len(series)
        if known is None or known[0] != asked:
            count = _counted(run, series)
            # Cards stay where a step has fewer sounds than one before it had.
            same_reading = known is not None and isinstance(known[0], tuple) and known[0][0] == run.reading
            if known is not None and same_reading:
                count = max(count, known[1])
            known = self._counts[run.name, series.tag] = asked, count
        return known[1]


def _counted(run: RunSnapshot, series: ReferenceSeries) -> int:
    """What the first bytes of the newest value say; 1 where they say nothing: its card tells what is wrong."""
    try:
        with open_file(run.files[int(series.files[-1])].path) as file:
            head = file.read(int(series.offsets[-1]), min(HEAD, int(series.lengths[-1]))).tobytes()
    except OSError:
        return 1
    return max(min(sound_count(head, int(series.indices[-1])) or 1, MOST_SOUNDS), 1)
