"""Sounds read from their files when they are shown, and kept within a number of bytes."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.numbers import counted
from tbtui.charts.sound_panels import DECIBELS
from tbtui.events.sounds import SoundsError, sounds_of
from tbtui.events.values import Moment, ValueGone
from tbtui.events.wav import UndrawnError, WavError, read_wav
from tbtui.frozen import frozen
from tbtui.loading.byte_cache import ByteCache
from tbtui.plugins.audio.in_file import SoundInFile, sounds_in_file
from tbtui.series.sound import FLOOR, MOST_BLOCKS, envelope, spectrogram, window_of

if TYPE_CHECKING:
    from tbtui.events.sounds import Sound
    from tbtui.events.wav import Wav
    from tbtui.loading.payloads import Payloads
    from tbtui.plugins.audio.points import Points
    from tbtui.series.sound import Envelope

MOST_BYTES = 96 << 20
"""Of sounds kept for the next look at them."""

MOST_HELD = 8 << 20
"""Bytes of a record that is read as a whole; of sounds in longer ones only what is needed is read, each time."""

MOST_READ = 512 << 20
"""Bytes of a longer one that is read as a whole all the same, since its sounds are not where they are expected: while
that is done, it is in memory more than once."""

HEAD = 1 << 16
"""Bytes of a long sound in which its header is expected."""

OVERVIEW = 64
"""Columns that tell how loud the loudest frequency of a sound is."""


LEAST_LOUDEST = 10 * math.log10(FLOOR) + DECIBELS
"""What the last colour stands for at least, so that silence has none."""


class UnheardError(ValueError):
    """A sound cannot be had; the message is one plain sentence."""


class Heard:
    """One sound, and what is worked out of it when it is asked for."""

    def __init__(self, sound: Sound | SoundInFile) -> None:
        self._sound = sound
        self.label = sound.label
        """Markdown; not yet made safe for a terminal."""

        self.content_type = "" if isinstance(sound, SoundInFile) else sound.content_type
        self.size = sound.size if isinstance(sound, SoundInFile) else len(sound.data)
        """Bytes of the file."""

        self.wav: Wav | None = None
        """None where it cannot be drawn."""

        self.refused = ""
        """Why, in a plain sentence."""

        self.is_damaged = False
        """Nobody can make a sound of it; otherwise where there is no `wav` others still can."""

        try:
            self.wav = _read(sound)
        except WavError as error:
            self.refused = str(error)
            self.is_damaged = not isinstance(error, UndrawnError)

    @property
    def data(self) -> bytes:
        """All of it as it was written; of a long one read now.

        Raises:
            OSError: It cannot be read.
        """
        return self._sound.read(0, self.size) if isinstance(self._sound, SoundInFile) else self._sound.data

    @property
    def head(self) -> bytes:
        """How it begins."""
        return self._sound.read(0, 12) if isinstance(self._sound, SoundInFile) else self._sound.data[:12]

    @property
    def nbytes(self) -> int:
        """What it takes at most to keep it."""
        held = 0 if isinstance(self._sound, SoundInFile) else self.size
        return held + 24 * min(self.size, MOST_BLOCKS)

    @cached_property
    def summed(self) -> Envelope | None:
        """Its envelope."""
        return None if self.wav is None else envelope(self.wav)

    @cached_property
    def loudest(self) -> float:
        """Of all frequencies at all times, in decibels, a multiple of 10; so that colours stay when it is zoomed."""
        if self.wav is None:
            return 0.0
        edges = np.linspace(0, self.wav.seconds, OVERVIEW + 1, dtype=np.float64)
        levels = spectrogram(self.wav, edges, window_of(self.wav.rate))
        return max(math.ceil(float(np.nanmax(levels)) / 10) * 10.0, LEAST_LOUDEST)


@frozen(eq=False)
class _Value:
    """All sounds of one step."""

    sounds: tuple[Heard, ...]
    refused: str = ""

    @property
    def nbytes(self) -> int:
        """At most so many bytes."""
        return sum(heard.nbytes for heard in self.sounds)


def _read(sound: Sound | SoundInFile) -> Wav:
    if isinstance(sound, SoundInFile):
        return read_wav(sound.read(0, HEAD), sound.size, sound.rows)
    return read_wav(sound.data)


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
            held = counted(count, "sound") if count else "no sound"
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
        if length > MOST_HELD and (held := self._in_file(points, row, length)):
            return _Value(tuple(map(Heard, held)))
        if length > MOST_READ:
            return _Value(
                (), f"a record of {numbers.size(length)} is more than the {numbers.size(MOST_READ)} that are read"
            )
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

    def _in_file(self, points: Points, row: int, length: int) -> tuple[SoundInFile, ...] | None:
        """The sounds of a long record, where they lie as writers put them."""
        series = points.series
        path = points.run.files[int(series.files[row])].path
        try:
            return sounds_in_file(path, int(series.offsets[row]), length, int(series.indices[row]))
        except OSError:
            return None  # whoever reads it as a whole says what is wrong
