"""Envelopes and spectrograms of sounds.

A sound is read and converted in pieces, so that an hour takes no more memory than a minute.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from tbtui.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float32]
    Places: TypeAlias = npt.NDArray[np.float64]

MAX_BLOCKS = 1 << 15
"""Maximum number of blocks of an envelope; columns shorter than a block read the samples again."""

CHUNK_FRAMES = 1 << 16
"""Approximate number of frames converted at once."""

MAX_WINDOWS = 24
"""Maximum number of windows averaged per column, evenly spread over the column."""

WINDOWS_PER_PASS = 256
"""Windows transformed at once."""

WINDOW_LIMITS = (64, 4096)
"""Minimum and maximum frames of a window."""

WINDOW_SECONDS = 0.023
"""Approximate duration of a window: short enough for speech, long enough to resolve its tones."""

SILENCE_POWER = 1e-10
"""Power that counts as silence, 100 dB below full scale."""


class Frames(Protocol):
    """Source of the samples of a sound."""

    @property
    def frames(self) -> int:
        """Number of frames."""

    @property
    def rate(self) -> int:
        """Frames per second."""

    @property
    def clip_level(self) -> float:
        """Magnitude from which a sample may be clipped."""

    @property
    def clip_run(self) -> int:
        """Minimum number of consecutive samples at that magnitude that are clipped."""

    def at(self, rows: slice | npt.NDArray[np.intp]) -> Floats:
        """Return some frames, float32[n, channels]; NaN for invalid samples."""


@frozen(eq=False)
class Envelope:
    """Minimum and maximum of a sound in blocks of equal length.

    Lane 0 is the mix of all channels; with two channels, lanes 1 and 2 are the channels.
    """

    block: int
    """Frames of a block; the last may be shorter."""

    lows: Floats
    """float32[blocks, lanes]: smallest sample."""

    highs: Floats
    """float32[blocks, lanes]: largest sample."""

    peak: float
    """Largest magnitude of any sample."""

    rms: float
    """Root mean square of all samples."""

    invalid: int
    """Number of invalid samples, which are drawn as silence."""

    clipped: int = 0
    """Number of clipped samples."""

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return self.lows.nbytes + self.highs.nbytes


def to_lanes(samples: Floats) -> Floats:
    """Convert channels [n, channels] to lanes [n, 1 or 3]; invalid samples become silence."""
    if np.isnan(samples).any():
        samples = np.nan_to_num(samples, nan=0.0)
    if samples.shape[1] == 1:
        return samples
    mix = samples.mean(axis=1, dtype=np.float32, keepdims=True)
    return np.hstack((mix, samples)) if samples.shape[1] == 2 else mix


def compute_envelope(sound: Frames) -> Envelope:
    """Compute the envelope of a sound piece by piece.

    Args:
        sound: At least one frame.
    """
    block = -(-sound.frames // MAX_BLOCKS)
    lows, highs = [], []
    peak, squares, invalid, count = 0.0, 0.0, 0, 0
    clipping = _ClipCounter(sound.clip_level, sound.clip_run)
    for samples in _iter_chunks(sound, max(CHUNK_FRAMES // block, 1) * block):
        missing = int(np.count_nonzero(np.isnan(samples)))
        lanes = to_lanes(samples)
        numbers = np.nan_to_num(samples, nan=0.0) if missing else samples
        starts = np.arange(0, len(lanes), block)
        lows.append(np.minimum.reduceat(lanes, starts, axis=0))
        highs.append(np.maximum.reduceat(lanes, starts, axis=0))
        chunk_peak = float(np.abs(numbers).max())
        peak = max(peak, chunk_peak)
        clipping.add(numbers, chunk_peak)
        flat = numbers.ravel().astype(np.float64)
        squares += float(flat @ flat)
        invalid, count = invalid + missing, count + samples.size - missing
    return Envelope(
        block, np.vstack(lows), np.vstack(highs), peak, math.sqrt(squares / max(count, 1)), invalid, clipping.count
    )


class _ClipCounter:
    """Count the clipped samples of each channel in consecutive pieces."""

    def __init__(self, level: float, run: int) -> None:
        self._level = level
        self._run = run
        self._open: npt.NDArray[np.int64] = np.zeros(1, np.int64)
        """int64[channels]: length of the run at the end of the last piece."""

        self.count = 0

    def add(self, samples: Floats, peak: float) -> None:
        """Count the clipped samples of a piece, float32[n, channels], whose largest magnitude is given."""
        if peak < self._level:
            self._open = np.zeros(samples.shape[1], np.int64)
            return
        lengths = np.broadcast_to(self._open, samples.shape[1:]).copy()
        for channel in range(samples.shape[1]):
            is_at_level = np.abs(samples[:, channel]) >= self._level
            edges = np.flatnonzero(np.diff(is_at_level, prepend=False, append=False))
            runs = edges[1::2] - edges[::2]
            continued = np.zeros(len(runs), np.int64)
            if len(runs) and edges[0] == 0:  # continues a run of the previous piece, which may be counted already
                continued[0] = lengths[channel]
            totals = runs + continued
            counted_before = np.where(continued >= self._run, continued, 0)
            self.count += int((totals - counted_before)[totals >= self._run].sum())
            lengths[channel] = totals[-1] if len(runs) and edges[-1] == len(is_at_level) else 0
        self._open = lengths


def _iter_chunks(sound: Frames, count: int) -> Iterator[Floats]:
    for first in range(0, sound.frames, count):
        yield sound.at(slice(first, min(first + count, sound.frames)))


def find_column_extremes(envelope: Envelope, sound: Frames, edges: Places, lane: int) -> tuple[Places, Places]:
    """Return the minimum and maximum of a sound in each column of a picture.

    Samples are joined by lines, so that neighbouring columns touch.

    Args:
        envelope: Envelope of the sound.
        sound: The sound; frames are read where blocks are longer than columns.
        edges: float64[columns + 1] in seconds, ascending.
        lane: See `Envelope`.

    Returns:
        float64[columns] each; NaN before the start and after the end of the sound.
    """
    frames = np.asarray(edges, np.float64) * sound.rate
    is_fine = envelope.block == 1 or (frames[-1] - frames[0]) / len(edges) < 2 * envelope.block
    low, high = (
        _find_extremes_of_samples(sound, frames, lane) if is_fine else _find_extremes_of_blocks(envelope, frames, lane)
    )
    outside = (frames[1:] <= 0) | (frames[:-1] >= sound.frames)
    return np.where(outside, np.nan, low), np.where(outside, np.nan, high)


def _find_extremes_of_blocks(envelope: Envelope, frames: Places, lane: int) -> tuple[Places, Places]:
    """Return the extremes of the blocks that overlap a column."""
    count = len(envelope.lows)
    starts = np.clip(np.floor(frames[:-1] / envelope.block), 0, count - 1).astype(np.int64)
    ends = np.clip(np.ceil(frames[1:] / envelope.block), starts + 1, count).astype(np.int64)
    return _find_range_extremes(envelope.lows[:, lane], envelope.highs[:, lane], starts, ends)


def _find_extremes_of_samples(sound: Frames, frames: Places, lane: int) -> tuple[Places, Places]:
    """Return the extremes of the samples within each column, and of the line at its edges."""
    first, last = np.clip((frames[0] - 1, frames[-1] + 2), 0, sound.frames - 1).astype(np.int64).tolist()
    samples = to_lanes(sound.at(slice(first, last + 1)))[:, lane]
    frames = frames - first
    crossings = np.interp(frames, np.arange(len(samples)), samples)
    low, high = np.minimum(crossings[:-1], crossings[1:]), np.maximum(crossings[:-1], crossings[1:])
    starts = np.clip(np.ceil(frames[:-1]), 0, len(samples)).astype(np.int64)
    ends = np.clip(np.floor(frames[1:]) + 1, 0, len(samples)).astype(np.int64)
    has_samples = ends > starts
    if bool(has_samples.any()):
        minima, maxima = _find_range_extremes(samples, samples, starts[has_samples], ends[has_samples])
        low[has_samples], high[has_samples] = (
            np.minimum(low[has_samples], minima),
            np.maximum(high[has_samples], maxima),
        )
    return low, high


def _find_range_extremes(
    lows: Floats, highs: Floats, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
) -> tuple[Places, Places]:
    """Return minimum and maximum of each non-empty range [begin, end)."""
    bounds = np.stack((starts, ends), axis=1).ravel()
    # reduceat rejects an index equal to the length; a neutral number is appended.
    minima = np.minimum.reduceat(np.append(lows, np.inf), bounds)[::2]
    maxima = np.maximum.reduceat(np.append(highs, -np.inf), bounds)[::2]
    return minima.astype(np.float64), maxima.astype(np.float64)


def choose_window_frames(rate: int) -> int:
    """Return the number of frames of a window at a sample rate, a power of two."""
    min_frames, max_frames = WINDOW_LIMITS
    return min(max(1 << round(math.log2(max(rate * WINDOW_SECONDS, 1))), min_frames), max_frames)


def compute_spectrogram(sound: Frames, edges: Places, window: int) -> Places:
    """Return the level of each frequency in each column of a picture, in decibels relative to a sine of full scale.

    The power of up to `MAX_WINDOWS` Hann windows per column of the mix of all channels is averaged. A column shorter
    than a window uses the window around its middle. Windows stay within the sound, since its ends would appear as
    clicks; a sound shorter than a window is padded with silence.

    Args:
        sound: At least one frame.
        edges: float64[columns + 1] in seconds, ascending.
        window: Frames, even.

    Returns:
        float64[columns, window // 2 + 1], from 0 Hz to half the sample rate; NaN outside the sound.
    """
    frames = np.asarray(edges, np.float64) * sound.rate
    starts, ends = np.clip(frames[:-1], 0, sound.frames), np.clip(frames[1:], 0, sound.frames)
    counts = np.clip((ends - starts) // (window // 2), 1, MAX_WINDOWS).astype(np.int64)
    owners = np.repeat(np.arange(len(counts)), counts)
    number_in_column = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    middles = starts[owners] + (ends - starts)[owners] * (number_in_column + 0.5) / counts[owners]
    firsts = np.clip(np.rint(middles).astype(np.int64) - window // 2, 0, max(sound.frames - window, 0))
    hann = np.hanning(window + 1)[:-1].astype(np.float32)
    power = np.zeros((len(counts), window // 2 + 1))
    for start in range(0, len(owners), WINDOWS_PER_PASS):
        batch = slice(start, start + WINDOWS_PER_PASS)
        np.add.at(power, owners[batch], _compute_power_spectra(sound, firsts[batch], hann))
    power /= counts[:, None]
    decibels = 10 * np.log10(np.maximum(power, SILENCE_POWER))
    decibels[(frames[1:] <= 0) | (frames[:-1] >= sound.frames)] = np.nan
    return np.asarray(decibels)


def _compute_power_spectra(sound: Frames, firsts: npt.NDArray[np.int64], hann: Floats) -> Places:
    """Return the power spectrum of windows that start at `firsts`; a sine of full scale has power 1."""
    rows = firsts[:, None] + np.arange(len(hann))
    inside = (rows >= 0) & (rows < sound.frames)
    flat = np.clip(rows, 0, sound.frames - 1).ravel()
    mixed = to_lanes(sound.at(flat))[:, 0].reshape(rows.shape) * inside
    amplitudes = np.abs(np.fft.rfft(mixed * hann, axis=1)) * (2 / hann.sum())
    return np.asarray(amplitudes**2)


def find_loudest(decibels: Places, rate: int, edges: Places) -> Places:
    """Return the level of the loudest frequency in each row of a picture, or of the nearest one if a row has none.

    Args:
        decibels: float64[columns, frequencies], from `compute_spectrogram`.
        rate: Frames per second.
        edges: float64[rows + 1] in Hz, ascending.

    Returns:
        float64[columns, rows].
    """
    spacing = rate / 2 / (decibels.shape[1] - 1)
    positions = np.asarray(edges, np.float64) / spacing
    last = decibels.shape[1] - 1
    starts = np.clip(np.ceil(positions[:-1]), 0, last).astype(np.int64)
    ends = np.clip(np.ceil(positions[1:]), 0, last + 1).astype(np.int64)
    nearest = np.clip(np.rint((positions[:-1] + positions[1:]) / 2), 0, last).astype(np.int64)
    has_frequencies = ends > starts
    rows = decibels[:, nearest]
    if bool(has_frequencies.any()):
        bounds = np.stack((starts[has_frequencies], ends[has_frequencies]), axis=1).ravel()
        padded = np.hstack((decibels, np.full((len(decibels), 1), -np.inf)))
        rows[:, has_frequencies] = np.maximum.reduceat(padded, bounds, axis=1)[:, ::2]
    return np.asarray(rows)
