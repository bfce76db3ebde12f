"""Sounds as files, and as a table of what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbtui.events.values import StaleValueError
from tbtui.export.media import UNKNOWN_ENDING, MediaKind, Sample, read_newest_samples
from tbtui.plugins.audio.decode import Sound, SoundsError, read_sounds
from tbtui.plugins.audio.facts import collect_sound_facts
from tbtui.plugins.audio.labels import format_header

if TYPE_CHECKING:
    from tbtui.events.values import EventTime
    from tbtui.store.snapshot import ReferenceSeries, RunSnapshot


def _read_samples(payload: bytes, index: int, moment: EventTime) -> list[Sample]:
    return [create_sound_sample(sound) for sound in read_sounds(payload, index, moment)]


def create_sound_sample(sound: Sound) -> Sample:
    """Return a sound and the facts of its header, if it can be read."""
    facts = collect_sound_facts(sound)
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


def describe_newest(run: RunSnapshot, series: ReferenceSeries) -> str:
    """Return a summary of the newest value of a series for `inspect`: `1.2s, 44.1 kHz, mono, Vorbis`, or the reason."""
    samples, reason = read_newest_samples(SOUNDS, run, series)
    if not samples:
        return reason
    facts = collect_sound_facts(Sound(samples[0].data))
    several = f"{len(samples):,} × " if len(samples) > 1 else ""
    name = "" if facts.format is None else facts.format.name
    words = dict.fromkeys((*format_header(facts.header), facts.header.encoding, name))
    return several + "; ".join(filter(None, (", ".join(filter(None, words)), samples[0].problem)))


SOUNDS = MediaKind(
    "audio", ("format", "rate", "channels", "duration", "label"), _read_samples, (SoundsError, StaleValueError)
)
"""`rate` is in frames a second, `duration` in seconds, `label` as it was logged."""
