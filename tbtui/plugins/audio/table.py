"""Sounds as files, and as a table of what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.events.values import StaleValueError
from tbtui.export.media import UNKNOWN_ENDING, MediaKind, Sample
from tbtui.plugins.audio.decode import SoundsError, sounds_of
from tbtui.plugins.audio.facts import sound_facts

if TYPE_CHECKING:
    from tbtui.events.values import EventTime
    from tbtui.plugins.audio.decode import Sound


def _samples(payload: bytes, index: int, moment: EventTime) -> list[Sample]:
    return [sound_sample(sound) for sound in sounds_of(payload, index, moment)]


def sound_sample(sound: Sound) -> Sample:
    """A sound, and what its header says of it, where that can be read."""
    facts = sound_facts(sound)
    header = facts.header
    ending, name = (UNKNOWN_ENDING, None) if facts.format is None else (facts.format.ending, facts.format.name)
    columns: dict[str, str | float | None] = {
        "format": name,
        "label": sound.label,
        "rate": header.rate,
        "channels": header.channels,
        "duration": header.seconds,
    }
    return Sample(sound.data, ending, columns, facts.problem)


SOUNDS = MediaKind(
    "audio", ("format", "rate", "channels", "duration", "label"), _samples, (SoundsError, StaleValueError)
)
"""`rate` is in frames a second, `duration` in seconds, `label` as it was logged."""
