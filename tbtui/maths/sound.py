"""Sounds as pictures need them: how far samples reach in each stretch of time, and how loud each frequency is then.

A sound is read in pieces and never held as numbers in whole: an hour of it takes no more memory than a minute.
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
"""Stretches that a sound is summed up in; what is drawn of shorter ones is read again."""

PIECE_FRAMES = 1 << 16
"""Frames that are numbers at once, about."""

MAX_WINDOWS = 24
"""Windows that the frequencies of one column are averaged over; of a longer stretch they are evenly spread over it."""

WINDOWS_PER_PASS = 256
"""Windows of one pass."""

WINDOW_LIMITS = (64, 4096)
"""Least and most frames of a window."""

WINDOW_SECONDS = 0.023
"""Seconds of a window, about: short enough for speech, long enough to tell its tones apart."""

SILENCE_POWER = 1e-10
"""Power that counts as silence, 100 dB below full scale."""


class Frames(Protocol):
    """Whatever has a sound's samples."""

    @property
    def frames(self) -> int:
        """How many frames there are."""

    @property
    def rate(self) -> int:
        """Frames a second."""

    def at(self, rows: slice | npt.NDArray[np.intp]) -> Floats:
        """Some frames, float32[n, channels]; NaN where a sample is no number."""


@frozen(eq=False)
class Envelope:
    """A sound in stretches of equal length.

    Lanes are what can be drawn: lane 0 is all channels mixed into one; of two channels these follow as lanes 1 and 2.
    """

    block: int
    """Frames of a stretch; the last may be shorter."""

    lows: Floats
    """float32[stretches, lanes]: the least sample."""

    highs: Floats
    """float32[stretches, lanes]: the greatest."""

    peak: float
    """The greatest magnitude of any sample."""

    rms: float
    """The root of the mean of the squares of all samples."""

    lost: int
    """Samples that are no numbers; they are drawn as silence."""

    @property
    def nbytes(self) -> int:
        """Bytes of its arrays."""
        return self.lows.nbytes + self.highs.nbytes


def to_lanes(samples: Floats) -> Floats:
    """Channels [n, channels] as lanes [n, 1 or 3]; what is no number is silence."""
    if np.isnan(samples).any():
        samples = np.nan_to_num(samples, nan=0.0)
    if samples.shape[1] == 1:
        return samples
    mix = samples.mean(axis=1, dtype=np.float32, keepdims=True)
    return np.hstack((mix, samples)) if samples.shape[1] == 2 else mix


def envelope(sound: Frames) -> Envelope:
    """Sum a sound up, piece by piece.

    Args:
        sound: At least one frame.
    """
    block = -(-sound.frames // MAX_BLOCKS)
    lows, highs = [], []
    peak, squares, lost, count = 0.0, 0.0, 0, 0
    for samples in _pieces(sound, max(PIECE_FRAMES // block, 1) * block):
        missing = int(np.count_nonzero(np.isnan(samples)))
        lanes = to_lanes(samples)
        numbers = np.nan_to_num(samples, nan=0.0) if missing else samples
        starts = np.arange(0, len(lanes), block)
        lows.append(np.minimum.reduceat(lanes, starts, axis=0))
        highs.append(np.maximum.reduceat(lanes, starts, axis=0))
        peak = max(peak, float(np.abs(numbers).max()))
        flat = numbers.ravel().astype(np.float64)
        squares += float(flat @ flat)
        lost, count = lost + missing, count + samples.size - missing
    return Envelope(block, np.vstack(lows), np.vstack(highs), peak, math.sqrt(squares / max(count, 1)), lost)


def _pieces(sound: Frames, count: int) -> Iterator[Floats]:
    for first in range(0, sound.frames, count):
        yield sound.at(slice(first, min(first + count, sound.frames)))


def column_extremes(summed: Envelope, sound: Frames, edges: Places, lane: int) -> tuple[Places, Places]:
    """The least and the greatest a sound reaches in each column of a picture.

    A line from sample to sample is what is measured, so that neighbouring columns meet.

    Args:
        summed: The sound, summed up.
        sound: The same; asked for frames where the stretches are longer than columns.
        edges: float64[columns + 1] in seconds, ascending.
        lane: See `Envelope`.

    Returns:
        float64[columns] each; NaN before the sound begins and after it ends.
    """
    places = np.asarray(edges, np.float64) * sound.rate
    is_fine = summed.block == 1 or (places[-1] - places[0]) / len(edges) < 2 * summed.block
    low, high = _extremes_of_samples(sound, places, lane) if is_fine else _extremes_of_blocks(summed, places, lane)
    outside = (places[1:] <= 0) | (places[:-1] >= sound.frames)
    return np.where(outside, np.nan, low), np.where(outside, np.nan, high)


def _extremes_of_blocks(summed: Envelope, places: Places, lane: int) -> tuple[Places, Places]:
    """From those that a column touches."""
    count = len(summed.lows)
    begins = np.clip(np.floor(places[:-1] / summed.block), 0, count - 1).astype(np.int64)
    ends = np.clip(np.ceil(places[1:] / summed.block), begins + 1, count).astype(np.int64)
    return _extremes(summed.lows[:, lane], summed.highs[:, lane], begins, ends)


def _extremes_of_samples(sound: Frames, places: Places, lane: int) -> tuple[Places, Places]:
    """From the samples within each column, and from where the line between samples crosses its edges."""
    first, last = np.clip((places[0] - 1, places[-1] + 2), 0, sound.frames - 1).astype(np.int64).tolist()
    samples = to_lanes(sound.at(slice(first, last + 1)))[:, lane]
    places = places - first
    crossings = np.interp(places, np.arange(len(samples)), samples)
    low, high = np.minimum(crossings[:-1], crossings[1:]), np.maximum(crossings[:-1], crossings[1:])
    begins = np.clip(np.ceil(places[:-1]), 0, len(samples)).astype(np.int64)
    ends = np.clip(np.floor(places[1:]) + 1, 0, len(samples)).astype(np.int64)
    some = ends > begins
    if bool(some.any()):
        least, greatest = _extremes(samples, samples, begins[some], ends[some])
        low[some], high[some] = np.minimum(low[some], least), np.maximum(high[some], greatest)
    return low, high


def _extremes(
    lows: Floats, highs: Floats, begins: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
) -> tuple[Places, Places]:
    """The least and the greatest from each begin to before its end; there is at least one between them."""
    bounds = np.stack((begins, ends), axis=1).ravel()
    # A number is added at the end since a stretch may end there, which reduceat cannot be told otherwise.
    least = np.minimum.reduceat(np.append(lows, np.inf), bounds)[::2]
    greatest = np.maximum.reduceat(np.append(highs, -np.inf), bounds)[::2]
    return least.astype(np.float64), greatest.astype(np.float64)


def window_frames(rate: int) -> int:
    """Frames of a window at a sample rate: a power of two."""
    least, most = WINDOW_LIMITS
    return min(max(1 << round(math.log2(max(rate * WINDOW_SECONDS, 1))), least), most)


def spectrogram(sound: Frames, edges: Places, window: int) -> Places:
    """How loud each frequency is in each column of a picture, in decibels below a sine of full scale.

    The power of up to `MOST_WINDOWS` Hann windows in each column is averaged, over all channels mixed. A column shorter
    than a window has the one about its middle. Windows lie within the sound, as its ends are no clicks; one that is
    shorter than a window is followed by silence.

    Args:
        sound: At least one frame.
        edges: float64[columns + 1] in seconds, ascending.
        window: Frames, even.

    Returns:
        float64[columns, window // 2 + 1], from 0 Hz to half the sample rate; NaN beside the sound.
    """
    places = np.asarray(edges, np.float64) * sound.rate
    begins, ends = np.clip(places[:-1], 0, sound.frames), np.clip(places[1:], 0, sound.frames)
    counts = np.clip((ends - begins) // (window // 2), 1, MAX_WINDOWS).astype(np.int64)
    owners = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    middles = begins[owners] + (ends - begins)[owners] * (within + 0.5) / counts[owners]
    firsts = np.clip(np.rint(middles).astype(np.int64) - window // 2, 0, max(sound.frames - window, 0))
    hann = np.hanning(window + 1)[:-1].astype(np.float32)
    power = np.zeros((len(counts), window // 2 + 1))
    for start in range(0, len(owners), WINDOWS_PER_PASS):
        some = slice(start, start + WINDOWS_PER_PASS)
        np.add.at(power, owners[some], _power(sound, firsts[some], hann))
    power /= counts[:, None]
    decibels = 10 * np.log10(np.maximum(power, SILENCE_POWER))
    decibels[(places[1:] <= 0) | (places[:-1] >= sound.frames)] = np.nan
    return np.asarray(decibels)


def _power(sound: Frames, firsts: npt.NDArray[np.int64], hann: Floats) -> Places:
    """The power of each frequency in windows that begin at these frames; a sine of full scale has 1."""
    rows = firsts[:, None] + np.arange(len(hann))
    inside = (rows >= 0) & (rows < sound.frames)
    flat = np.clip(rows, 0, sound.frames - 1).ravel()
    mixed = to_lanes(sound.at(flat))[:, 0].reshape(rows.shape) * inside
    amplitudes = np.abs(np.fft.rfft(mixed * hann, axis=1)) * (2 / hann.sum())
    return np.asarray(amplitudes**2)


def loudest_per_row(decibels: Places, rate: int, edges: Places) -> Places:
    """The loudest of the frequencies in each row of a picture, or the one in its middle where it holds none.

    Args:
        decibels: float64[columns, frequencies], from `spectrogram`.
        rate: Frames a second.
        edges: float64[rows + 1] in Hz, ascending.

    Returns:
        float64[columns, rows].
    """
    spacing = rate / 2 / (decibels.shape[1] - 1)
    places = np.asarray(edges, np.float64) / spacing
    last = decibels.shape[1] - 1
    begins = np.clip(np.ceil(places[:-1]), 0, last).astype(np.int64)
    ends = np.clip(np.ceil(places[1:]), 0, last + 1).astype(np.int64)
    nearest = np.clip(np.rint((places[:-1] + places[1:]) / 2), 0, last).astype(np.int64)
    some = ends > begins
    rows = decibels[:, nearest]
    if bool(some.any()):
        bounds = np.stack((begins[some], ends[some]), axis=1).ravel()
        padded = np.hstack((decibels, np.full((len(decibels), 1), -np.inf)))
        rows[:, some] = np.maximum.reduceat(padded, bounds, axis=1)[:, ::2]
    return np.asarray(rows)
