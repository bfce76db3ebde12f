"""Sounds read from their files when they are shown, and kept within a number of bytes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tbtui.events.sounds import SoundsError, sounds_of
from tbtui.events.values import Moment, ValueGone
from tbtui.events.wav import WavError, read_wav
from tbtui.loading.byte_cache import ByteCache
from tbtui.series.sound import MOST_BLOCKS, envelope, spectrogram, window_of

if TYPE_CHECKING:
    from tbtui.events.sounds import Sound
    from tbtui.events.wav import Wav
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.audio.points import Points
    from tbtui.series.sound import Envelope

MOST_BYTES = 96 << 20
"""Of sounds kept for the next look at them."""

MOST_READ = 768 << 20
"""Bytes of a record that is read: while it is, it is in memory more than once."""

OVERVIEW = 64
"""Columns that tell how loud the loudest frequency of a sound is."""


class UnheardError(ValueError):
    """A sound cannot be had; the message is one plain sentence."""


class Heard:
    """One sound, and what is worked out of it when it is asked for."""

    def __init__(self, sound: Sound) -> None:
        self.sound = sound
        self.wav: Wav | None = None
        """None where it cannot be drawn."""

        self.refused = ""
        """Why, in a plain sentence."""

        try:
            self.wav = read_wav(sound.data)
        except WavError as error:
            self.refused = str(error)

    @cached_property
    def summed(self) -> Envelope | None:
        """Its envelope."""
        return None if self.wav is None else envelope(self.wav)

    @cached_property
    def loudest(self) -> float:
        """Of all frequencies at all times, in decibels, a multiple of 10; so that colours stay when it is zoomed."""
        if self.wav is None:
            return 0.0
        edges = np.linspace(0, self.wav.seconds, OVERVIEW + 1)
        levels = spectrogram(self.wav, edges, window_of(self.wav.rate))
        return math.ceil(float(np.nanmax(levels)) / 10) * 10.0


@dataclass(frozen=True, slots=True, eq=False)
class _Value:
    """All sounds of one step."""

    sounds: tuple[Heard, ...]
    refused: str = ""

    @property
    def nbytes(self) -> int:
        """At most so many bytes."""
        lengths = [len(heard.sound.data) for heard in self.sounds]
        return sum(lengths) + sum(24 * min(length, MOST_BLOCKS) for length in lengths)


class HeardSounds:
    """Reads sounds. Used by one thread.

    Args:
        payloads: Reads the files.
        most_bytes: As `MOST_BYTES`.
    """

    def __init__(self, payloads: Payloads, most_bytes: int = MOST_BYTES) -> None:
        self._payloads = payloads
        self._values: ByteCache[_Value | None] = ByteCache(most_bytes)

    @property
    def nbytes(self) -> int:
        """Bytes that are kept."""
        return self._values.nbytes

    def of(self, points: Points, index: int, number: int) -> Heard:
        """A sound of one of the steps of `points`.

        Args:
            points: Of one tag of one run.
            index: Which of them.
            number: Which of the sounds of that step.

        Raises:
            UnheardError: There is no such sound, or it cannot be read.
        """
        value = self._value(points, int(points.rows[index]))
        if value.refused:
            raise UnheardError(value.refused)
        if number >= len(value.sounds):
            count = len(value.sounds)
            held = f"{count} sound{'' if count == 1 else 's'}" if count else "no sound"
            raise UnheardError(f"this step has {held}: none is number {number + 1}")
        return value.sounds[number]

    def _value(self, points: Points, row: int) -> _Value:
        series, run = points.series, points.run
        key = (run.name, run.reading, series.tag, int(series.files[row]), int(series.offsets[row]))
        known = self._values.get((*key, int(series.indices[row])), lambda: None)
        if known is None:
            known = self._read(points, row)
            self._values.put((*key, int(series.indices[row])), known, known.nbytes)
        return known

    def _read(self, points: Points, row: int) -> _Value:
        series = points.series
        length = int(series.lengths[row])
        if length > MOST_READ:
            return _Value((), f"a record of {length >> 20:,} MB is more than the {MOST_READ >> 20:,} MB that are read")
        block = self._payloads.read(points.run, series, [row])
        if row in block.refused:
            if block.may_pass:
                raise UnheardError(block.refused[row])
            return _Value((), block.refused[row])
        moment = Moment(int(series.steps[row]), float(series.wall_times[row]))
        try:
            return _Value(tuple(map(Heard, sounds_of(block.payload(0), int(series.indices[row]), moment))))
        except (ValueGone, SoundsError) as error:
            return _Value((), str(error))
