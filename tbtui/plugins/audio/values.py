"""Sounds of one tag of one run, for the Python API."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from tbtui.api.values import Value, Values
from tbtui.events.values import StaleValueError
from tbtui.export.media import NOTHING_LOGGED
from tbtui.plugins.audio.compressed import decode_samples
from tbtui.plugins.audio.decode import SoundsError, detect_format, read_sounds
from tbtui.plugins.audio.facts import collect_sound_facts

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Self

    from tbtui.api.values import ValueLocation
    from tbtui.plugins.audio.decode import Sound as StoredSound
    from tbtui.plugins.audio.facts import SoundFacts
    from tbtui.plugins.audio.wav import Wav

    Raw: TypeAlias = bytes

Number = TypeVar("Number", int, float)


class Sound(Value):
    """One sound of a step: the first one, or one of `all_of_step`.

    Raises:
        PayloadError: The value cannot be read. `samples` raises it also for a sound that is no WAV of PCM or float
            samples, unless soundfile is installed and decodes it; `rate`, `channels` and `seconds` where no header
            says them.
    """

    def __init__(self, location: ValueLocation, sample: int = 0, sounds: tuple[StoredSound, ...] | None = None) -> None:
        super().__init__(location)
        self.sample = sample
        """Index of the sound in its step, from 0."""

        self._read = sounds

    @property
    def bytes(self) -> Raw:
        """Sound file as it was logged, nearly always WAV."""
        return self._sound.data

    @property
    def all_of_step(self) -> tuple[Self, ...]:
        """All sounds of the step; writers may log several at once, or none."""
        return tuple(type(self)(self._location, sample, self._sounds) for sample in range(len(self._sounds)))

    @property
    def label(self) -> str:
        """Label as it was logged, in Markdown; mostly empty."""
        return self._sound.label

    @property
    def format(self) -> str | None:
        """Format detected from the bytes, such as `WAV`; None if unknown."""
        format_name = detect_format(self.bytes)
        return None if format_name is None else format_name.name

    @property
    def samples(self) -> npt.NDArray[np.float32]:
        """Samples, float32[frames, channels]; full scale is -1 to 1, NaN where a sample is not finite."""
        return self._wav.at(slice(None))

    @property
    def rate(self) -> int:
        """Frames per second."""
        return self._require(self._facts.header.rate)

    @property
    def channels(self) -> int:
        """Number of channels: 1 is mono, 2 stereo."""
        return self._require(self._facts.header.channels)

    @property
    def seconds(self) -> float:
        """Duration in seconds."""
        return self._require(self._facts.header.seconds)

    @property
    def notes(self) -> tuple[str, ...]:
        """Defects of the header, one plain sentence each; also if the writer logged another rate."""
        return self._facts.notes

    @property
    def _sound(self) -> StoredSound:
        if self.sample >= len(self._sounds):
            raise self._location.error(NOTHING_LOGGED)
        return self._sounds[self.sample]

    @cached_property
    def _sounds(self) -> tuple[StoredSound, ...]:
        if self._read is not None:
            return self._read
        location = self._location
        payload = location.block().payload(0)
        try:
            return read_sounds(payload, int(location.series.indices[location.point]), location.event_time)
        except (SoundsError, StaleValueError) as error:
            raise location.error(str(error)) from error

    @cached_property
    def _facts(self) -> SoundFacts:
        return collect_sound_facts(self._sound)

    @cached_property
    def _wav(self) -> Wav:
        wav, error = decode_samples(self._facts, self._sound.data)
        if wav is None:
            raise self._location.error(error)
        return wav

    def _require(self, number: Number | None) -> Number:
        if number is None:
            raise self._location.error(self._facts.error)
        return number


class Sounds(Values[Sound]):
    """Sounds of a tag: `sounds[0].samples`, `sounds[0].rate`."""

    plugin = "audio"

    def _value(self, location: ValueLocation) -> Sound:
        return Sound(location)
