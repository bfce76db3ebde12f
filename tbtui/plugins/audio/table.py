"""Sounds as files, and as a table of what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.events.values import StaleValueError
from tbtui.export.media import UNKNOWN_ENDING, MediaKind, Sample
from tbtui.plugins.audio.decode import WAV, SoundsError, sound_format, sounds_of
from tbtui.plugins.audio.wav import WavError, read_wav

if TYPE_CHECKING:
    from tbtui.events.values import EventTime
    from tbtui.plugins.audio.decode import Sound


def _samples(payload: bytes, index: int, moment: EventTime) -> list[Sample]:
    return [sound_sample(sound) for sound in sounds_of(payload, index, moment)]


def sound_sample(sound: Sound) -> Sample:
    """A sound, and what its header says of it, where that can be read."""
    found = sound_format(sound.data)
    ending, name = (UNKNOWN_ENDING, None) if found is None else (found.ending, found.name)
    facts: dict[str, str | float | None] = {"format": name, "label": sound.label}
    if found not in (None, WAV):
        return Sample(sound.data, ending, facts)
    try:
        wav = read_wav(sound.data)
    except WavError as error:
        return Sample(sound.data, ending, facts, str(error))
    facts |= {"rate": wav.rate, "channels": wav.channels, "duration": wav.seconds}
    return Sample(sound.data, ending, facts, "; ".join(wav.notes))


SOUNDS = MediaKind(
    "audio", ("format", "rate", "channels", "duration", "label"), _samples, (SoundsError, StaleValueError)
)
"""`rate` is in frames a second, `duration` in seconds, `label` as it was logged."""
