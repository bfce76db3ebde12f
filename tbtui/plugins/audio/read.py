"""Read sounds and cache them with the shown steps of their tags; a long sound is streamed from its file."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tbtui.charts import numbers
from tbtui.charts.numbers import format_count
from tbtui.events.values import EventTime, StaleValueError
from tbtui.export.media import NOTHING_LOGGED
from tbtui.frozen import frozen
from tbtui.loading.payloads import ByteCache
from tbtui.maths.sound import MAX_BLOCKS, SILENCE_POWER, choose_window_frames, compute_envelope, compute_spectrogram
from tbtui.plugins.audio.chart import DECIBELS
from tbtui.plugins.audio.compressed import decode_samples
from tbtui.plugins.audio.decode import SoundsError, find_logged_rate, locate_sounds, read_sounds
from tbtui.plugins.audio.facts import SoundFacts, collect_sound_facts, read_facts
from tbtui.plugins.audio.headers import Bytes
from tbtui.plugins.shown_steps import StepsCache
from tbtui.tfrecord.file import open_file

if TYPE_CHECKING:
    import numpy.typing as npt

    from tbtui.loading.payloads import Payloads
    from tbtui.maths.sound import Envelope
    from tbtui.plugins.audio.decode import Sound
    from tbtui.plugins.shown_steps import ShownStep, ShownSteps
    from tbtui.tfrecord.file import OpenFile


PLUGIN_NAME = "audio"
"""Name of the plugin in event files."""


PEEK = 256
"""Bytes read at once while fields are looked up."""

MAX_LABEL_BYTES = 1 << 16


class FileCutError(OSError):
    """The file has become shorter."""


class _Peeked:
    """The bytes of a record, of which few are read."""

    def __init__(self, file: OpenFile, offset: int, size: int) -> None:
        self._file, self._offset, self._size = file, offset, size
        self._begin, self._buffer = 0, b""

    def __getitem__(self, index: int) -> int:
        if not 0 <= index < self._size:
            raise IndexError(index)
        if not self._begin <= index < self._begin + len(self._buffer):
            self._begin, self._buffer = (
                index,
                self._file.read(self._offset + index, min(PEEK, self._size - index)).tobytes(),
            )
        return self._buffer[index - self._begin]


@frozen
class StreamedSound:
    """Position of a sound in its file; nothing of it is kept in memory."""

    path: str
    offset: int
    size: int
    """Bytes of the sound."""

    label: str = ""
    logged_rate: float | None = None
    """Sample rate that the writer logged next to the sound."""

    def read(self, begin: int, count: int) -> bytes:
        """Return some bytes; fewer where the file ends."""
        with open_file(self.path) as file:
            return file.read(self.offset + begin, max(min(count, self.size - begin), 0)).tobytes()

    def rows(self, dtype: np.dtype[Any], begin: int, shape: tuple[int, ...]) -> StreamedRows:
        """Return the samples from an offset on."""
        return StreamedRows(self, dtype, begin, shape)


@frozen
class StreamedRows:
    """Samples in a file, indexed like an array."""

    sound: StreamedSound
    dtype: np.dtype[Any]
    begin: int
    shape: tuple[int, ...]

    def __getitem__(self, rows: slice | npt.NDArray[np.intp]) -> npt.NDArray[Any]:
        """Return some rows; consecutive rows are read at once."""
        if isinstance(rows, slice):
            first, end, _ = rows.indices(self.shape[0])
            runs = [(first, max(end - first, 0))]
        else:
            starts = np.flatnonzero(np.diff(rows, prepend=-2) != 1)
            runs = list(zip(rows[starts].tolist(), np.diff(starts, append=len(rows)).tolist(), strict=True))
        row = math.prod(self.shape[1:])
        samples = np.empty((sum(count for _, count in runs), *self.shape[1:]), self.dtype)
        flat, begin = samples.reshape(-1).view(np.uint8), 0
        size = row * self.dtype.itemsize
        with open_file(self.sound.path) as file:
            for first, count in runs:
                target = flat[begin : begin + count * size]
                if file.fill(self.sound.offset + self.begin + first * size, target) < len(target):
                    raise FileCutError("the file has become shorter")
                begin += count * size
        return samples


def find_sounds_in_file(path: str, offset: int, length: int, index: int) -> tuple[StreamedSound, ...] | None:
    """Locate the sounds of a value in its file.

    Args:
        path: Path of the event file.
        offset: Offset of the record's payload.
        length: Its bytes.
        index: Index of the value in the record.

    Returns:
        None where they cannot be found without reading all of it.

    Raises:
        OSError: The file cannot be read.
    """
    with open_file(path) as file:
        peeked = _Peeked(file, offset, length)
        spans = locate_sounds(peeked, length, index)
        if spans is None or any(data.end > length for data, _ in spans):
            return None
        labels = [
            file.read(offset + label.begin, min(label.end - label.begin, MAX_LABEL_BYTES)).tobytes()
            for _, label in spans
        ]
        rate = find_logged_rate(peeked, length, index)
    return tuple(
        StreamedSound(path, offset + data.begin, data.end - data.begin, label.decode("utf-8", "replace"), rate)
        for (data, _), label in zip(spans, labels, strict=True)
    )


MAX_CACHE_BYTES = 96 << 20
"""Bytes of cached sounds."""

MAX_HELD_BYTES = 8 << 20
"""Bytes of a record that is read as a whole; longer ones are streamed from their file."""

MAX_READ_BYTES = 512 << 20
"""Bytes of a record that is read as a whole if its sounds are not where writers put them; reading takes a multiple of
it in memory."""

HEAD = 1 << 16
"""Bytes of a long sound that hold its header."""

OVERVIEW = 64
"""Columns of the spectrogram that the loudest frequency is measured by."""


MIN_LOUDEST = 10 * math.log10(SILENCE_POWER) + DECIBELS
"""Minimum in decibels for the last colour, so that silence has none."""


class SoundReadError(ValueError):
    """A sound cannot be read; the message is one sentence."""


class LoadedSound:
    """One sound, and what is computed from it on demand."""

    def __init__(self, sound: Sound | StreamedSound) -> None:
        self._sound = sound
        self.label = sound.label
        """Markdown; not yet safe for a terminal."""

        self.content_type = "" if isinstance(sound, StreamedSound) else sound.content_type
        self.size = sound.size if isinstance(sound, StreamedSound) else len(sound.data)
        """Bytes of the file."""

        self.facts: SoundFacts = _read_facts(sound)
        self.wav, self.error = decode_samples(self.facts, None if isinstance(sound, StreamedSound) else sound.data)
        """Samples, None where the sound cannot be drawn; and the reason as a sentence."""

    @property
    def is_damaged(self) -> bool:
        """True if no program can play it; without `wav` other programs may still play it."""
        return self.facts.is_damaged

    @property
    def data(self) -> bytes:
        """All bytes as they were written; those of a long sound are read now.

        Raises:
            OSError: It cannot be read.
        """
        return self._sound.read(0, self.size) if isinstance(self._sound, StreamedSound) else self._sound.data

    @property
    def head(self) -> bytes:
        """The first bytes."""
        return self._sound.read(0, 12) if isinstance(self._sound, StreamedSound) else self._sound.data[:12]

    @property
    def nbytes(self) -> int:
        """Bytes of memory at most."""
        data_bytes = 0 if isinstance(self._sound, StreamedSound) else self.size
        if self.wav is not None and self.facts.wav is None:
            data_bytes += self.wav.frames * self.wav.channels * self.wav.width
        return data_bytes + 24 * min(self.size, MAX_BLOCKS)

    @cached_property
    def summed(self) -> Envelope | None:
        """The envelope."""
        return None if self.wav is None else compute_envelope(self.wav)

    @cached_property
    def loudest(self) -> float:
        """Loudest level of all frequencies in decibels, a multiple of 10, so that zooming keeps colours."""
        if self.wav is None:
            return 0.0
        edges = np.linspace(0, self.wav.seconds, OVERVIEW + 1, dtype=np.float64)
        levels = compute_spectrogram(self.wav, edges, choose_window_frames(self.wav.rate))
        return max(math.ceil(float(np.nanmax(levels)) / 10) * 10.0, MIN_LOUDEST)


@frozen(eq=False)
class _Value:
    """All sounds of one step."""

    sounds: tuple[LoadedSound, ...]
    error: str = ""

    @property
    def nbytes(self) -> int:
        """Bytes of memory at most."""
        return sum(sound.nbytes for sound in self.sounds)


def _read_facts(sound: Sound | StreamedSound) -> SoundFacts:
    if isinstance(sound, StreamedSound):
        return read_facts(sound.read(0, HEAD), Bytes(sound.read, sound.size), sound.logged_rate, sound.rows)
    return collect_sound_facts(sound)


class SoundCache:
    """Reads sounds, and caches them and the steps of their tags. Used by one thread.

    Args:
        payloads: Reader of the event files.
        max_bytes: As `MAX_CACHE_BYTES`.
    """

    def __init__(self, payloads: Payloads, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._payloads = payloads
        self._values: ByteCache[_Value] = ByteCache(max_bytes)
        self.steps = StepsCache(PLUGIN_NAME, "sound")

    @property
    def nbytes(self) -> int:
        """Bytes of cached sounds."""
        return self._values.nbytes

    def of(self, stop: ShownStep, number: int) -> LoadedSound:
        """Return a sound of a step.

        Args:
            stop: The step.
            number: Index among the sounds of that step.

        Raises:
            SoundReadError: There is no such sound, or it cannot be read.
        """
        value = self._get_value(stop.steps, stop.point)
        if value.error:
            raise SoundReadError(value.error)
        if number >= len(value.sounds):
            count = len(value.sounds)
            few = f"this step has {format_count(count, 'sound')}: none is number {number + 1}"
            raise SoundReadError(few if count else NOTHING_LOGGED)
        return value.sounds[number]

    def _get_value(self, points: ShownSteps, row: int) -> _Value:
        series, run = points.series, points.run
        key = (run.name, run.reading, series.tag, int(series.files[row]), int(series.offsets[row]))
        cached = self._values.get((*key, int(series.indices[row])))
        if cached is None:
            cached = self._read(points, row)
            self._values.put((*key, int(series.indices[row])), cached, cached.nbytes)
        return cached

    def _read(self, points: ShownSteps, row: int) -> _Value:
        series = points.series
        length = int(series.lengths[row])
        if length > MAX_HELD_BYTES and (streamed := self._find_in_file(points, row, length)):
            return _Value(tuple(map(LoadedSound, streamed)))
        if length > MAX_READ_BYTES:
            sizes = f"{numbers.format_size(length)} is more than the {numbers.format_size(MAX_READ_BYTES)}"
            return _Value((), f"a record of {sizes} that are read")
        block = self._payloads.read(points.run, series, [row])
        if row in block.errors:
            if block.is_retryable:
                raise SoundReadError(block.errors[row])
            return _Value((), block.errors[row])
        moment = EventTime(int(series.steps[row]), float(series.wall_times[row]))
        try:
            return _Value(tuple(map(LoadedSound, read_sounds(block.payload(0), int(series.indices[row]), moment))))
        except (StaleValueError, SoundsError) as error:
            return _Value((), str(error))

    def _find_in_file(self, points: ShownSteps, row: int, length: int) -> tuple[StreamedSound, ...] | None:
        """Return the sounds of a long record if they are where writers put them."""
        series = points.series
        path = points.run.files[int(series.files[row])].path
        try:
            return find_sounds_in_file(path, int(series.offsets[row]), length, int(series.indices[row]))
        except OSError:
            return None  # the reader of the whole value reports the reason
